//! The length that an example is divided by.

use serde::{Deserialize, Serialize};
use thalweg_core::Real;

/// The length that every example is divided by.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Norm {
    /// 1: examples stay as they are.
    None,
    /// √n, of n features.
    Count,
    /// √Σx².
    L2,
    /// Σ|x|.
    L1,
    /// max |x|.
    Max,
}

impl Norm {
    /// Divides a row by its length.
    #[inline(always)]
    pub(super) fn divide(self, values: &mut [Real]) {
        if self == Norm::Count {
            let mut features = 0;
            for x in &*values {
                features += u32::from(*x != 0.0);
            }
            let factor = (1.0 / f64::from(features.max(1)).sqrt()) as Real;
            for x in values {
                *x *= factor;
            }
            return;
        }
        let length = self.of(values);
        if length > 0.0 {
            values.iter_mut().for_each(|x| *x = (f64::from(*x) / length) as Real);
        }
    }

    /// The length of a row. The order of its features, which is another when names are looked up at another moment, has no influence
    /// on a single bit of it: terms are summed as whole numbers, in parts of the largest.
    fn of(self, values: &[Real]) -> f64 {
        if self == Norm::None {
            return 1.0;
        }
        let largest = values.iter().fold(0.0, |largest: f64, &x| largest.max(f64::from(x).abs()));
        // A power of two, by which multiplying is exact.
        let unit = f64::from_bits(largest.to_bits() & f64::INFINITY.to_bits()).max(f64::MIN_POSITIVE);
        let scale = 1.0 / unit;
        let sum = |term: fn(f64) -> f64| {
            let whole = values.iter().map(|&x| u128::from((term(f64::from(x) * scale) * ONE) as u64));
            whole.sum::<u128>() as f64 / ONE
        };
        let length = match self {
            Norm::L2 => unit * sum(|x| x * x).sqrt(),
            Norm::L1 => unit * sum(f64::abs),
            _ => largest,
        };
        // Nothing is divided by infinity: all would be zero.
        length.min(f64::MAX)
    }
}

/// One, in the parts in which lengths are summed. No term is larger than four.
const ONE: f64 = (1u64 << 60) as f64;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lengths_do_not_depend_on_the_order() {
        let row = |exponent: i32| {
            let value =
                move |i: i32| (f64::from(i * 7919 % 101 + 1).sqrt() * 10f64.powi(exponent * (i % 3))) as Real;
            (0..200).map(value).collect::<Vec<Real>>()
        };
        for mut values in
            [row(0), row(1), row(-9), row(12), vec![Real::MAX; 3], vec![Real::MIN_POSITIVE; 3], vec![]]
        {
            let exact = values.iter().map(|&x| f64::from(x) * f64::from(x)).sum::<f64>().sqrt();
            let exact =
                if exact > 0.0 { exact } else { 3f64.sqrt() * values.first().map_or(0.0, |x| f64::from(*x)) };
            let lengths = [Norm::L2, Norm::L1, Norm::Max].map(|norm| norm.of(&values));
            assert!(
                (lengths[0] - exact).abs() <= 1e-14 * exact || exact.is_infinite(),
                "{lengths:?} {exact}"
            );
            assert!(lengths.iter().all(|length| length.is_finite()));
            for turn in 1..values.len() {
                values.rotate_left(turn);
                values.swap(0, turn);
                assert_eq!([Norm::L2, Norm::L1, Norm::Max].map(|norm| norm.of(&values)), lengths);
            }
        }
    }
}
