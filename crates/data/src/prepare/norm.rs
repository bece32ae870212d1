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
        if self == Norm::None {
            return;
        }
        let length = self.of(values);
        if length > 0.0 {
            values.iter_mut().for_each(|x| *x = (f64::from(*x) / length) as Real);
        }
    }

    /// The length of a row. The order of its features, which is another when names are looked up at another moment, has no influence
    /// on a single bit of it: terms are summed as whole numbers, in parts of the largest.
    #[inline(always)]
    fn of(self, values: &[Real]) -> f64 {
        let largest = f64::from(largest(values));
        // A power of two, by which multiplying is exact.
        let unit = f64::from_bits(largest.to_bits() & f64::INFINITY.to_bits()).max(f64::MIN_POSITIVE);
        let scale = 1.0 / unit;
        let length = match self {
            Norm::L2 => unit * sum(values, |x| (x * scale) * (x * scale)).sqrt(),
            Norm::L1 => unit * sum(values, |x| (x * scale).abs()),
            _ => largest,
        };
        // Nothing is divided by infinity: all would be zero.
        length.min(f64::MAX)
    }
}

/// The largest magnitude. Without their signs, numbers are in the order of their bits, and whole numbers can be compared many at a time.
#[inline(always)]
fn largest(values: &[Real]) -> Real {
    let mut largest = 0;
    for x in values {
        largest = largest.max(x.abs().to_bits());
    }
    Real::from_bits(largest)
}

/// The sum of terms below four, cut off at 60 binary places. Each is cut into two halves: floating-point numbers have no more than 53 places.
#[inline(always)]
fn sum(values: &[Real], term: impl Fn(f64) -> f64) -> f64 {
    const HALF: f64 = (1u64 << 30) as f64;
    let (mut highs, mut lows) = (0u64, 0u64);
    for x in values {
        let term = term(f64::from(*x)) * HALF;
        let high = floor(term);
        highs += whole(high);
        // What is left is exact.
        lows += whole(floor((term - high) * HALF));
    }
    ((u128::from(highs) << 30) + u128::from(lows)) as f64 / (HALF * HALF)
}

/// From here on, floating-point numbers are whole, and the next one has the next bits.
const WHOLE: f64 = (1u64 << 52) as f64;

/// The whole part of a number below [`WHOLE`], in operations that all processors have for many numbers at a time.
#[inline(always)]
fn floor(x: f64) -> f64 {
    let nearest = (x + WHOLE) - WHOLE;
    if nearest > x { nearest - 1.0 } else { nearest }
}

/// A whole number below [`WHOLE`].
#[inline(always)]
fn whole(x: f64) -> u64 {
    (x + WHOLE).to_bits() - WHOLE.to_bits()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_halves_are_the_whole() {
        let terms: Vec<f64> =
            (0..2000).map(|i| 4.0f64.next_down() / f64::from(i * i % 977 + 1).powi(i % 9)).collect();
        let total: u128 = terms.iter().map(|term| u128::from((term * (1u64 << 60) as f64) as u64)).sum();
        let places: Vec<Real> = (0..2000u16).map(Real::from).collect();
        assert_eq!(sum(&places, |place| terms[place as usize]), total as f64 / (1u64 << 60) as f64);
        assert_eq!(sum(&[1.0; 5], |_| f64::MIN_POSITIVE), 0.0);
        for x in [0.0, 0.5, 1.0, 1.5, 1.0f64.next_down(), 4e9 + 0.25, WHOLE / 2.0 - 0.5] {
            assert_eq!((floor(x), whole(floor(x))), (x.floor(), x as u64));
        }
    }

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
