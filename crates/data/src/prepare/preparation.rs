//! What is done to every example before it is learned from: values, scales, normalisation and the constant feature.

use pulp::{Arch, NullaryFnOnce};
use serde::{Deserialize, Serialize};
use thalweg_core::batch::{NotFinite, Row, RowBuilder, Tidied};
use thalweg_core::{Batch, Real};

use super::scales::{Scale, Scaled, Scaler};

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

/// How examples are prepared.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Prepare {
    /// All values are 1.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub binary: bool,
    /// Divide every value by what is known of its feature.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub scale: Option<Scale>,
    /// Divide every example by its length.
    pub normalize: Option<Norm>,
    /// Add a constant feature of value 1 (after the normalisation).
    pub bias: bool,
}

impl Prepare {
    /// What can be done to an example by itself, before it is known what came before it.
    pub(crate) fn alone(self) -> Self {
        if self.scale.is_some() { Self { scale: None, normalize: None, ..self } } else { self }
    }

    /// What is left to be done when that is known: the rest, if values are to be scaled.
    pub(crate) fn in_order(self) -> Option<Self> {
        self.scale.map(|_| Self { binary: false, bias: false, ..self })
    }

    /// Does that to all examples of a batch.
    pub(crate) fn finish(&self, batch: &mut Batch, scaler: impl Scaler) {
        Arch::new().dispatch(FinishAll { normalize: self.normalize, batch, scaler });
        batch.drop_zeros();
    }

    /// Adds example i of a batch to another, prepared.
    pub(crate) fn apply_to(&self, from: &Batch, i: usize, to: &mut Batch) {
        let Row { indices, values } = from.row(i);
        let mut builder = to.row_builder();
        builder.features(indices, values);
        let prepared =
            self.apply(&mut builder).and_then(|_| builder.commit(from.labels()[i], from.importances()[i]));
        prepared.expect("no value grows when a row is divided by its length");
        to.set_id(from.id(i));
        to.set_cost(from.cost(i));
    }

    /// Prepares an example; scales are not its business. Duplicates are summed first.
    pub fn apply(&self, builder: &mut RowBuilder) -> Result<Tidied, NotFinite> {
        let tidied = builder.tidy()?;
        if self.binary {
            builder.values_mut().fill(1.0);
        }
        if let Some(norm) = self.normalize {
            norm.divide(builder.values_mut());
        }
        if self.bias {
            builder.bias();
        }
        Ok(tidied)
    }
}

/// Scaling and normalising all examples of a batch, compiled for several kinds of processors. All of them round alike.
struct FinishAll<'a, S> {
    normalize: Option<Norm>,
    batch: &'a mut Batch,
    scaler: S,
}

impl<S: Scaler> NullaryFnOnce for FinishAll<'_, S> {
    type Output = ();

    #[inline(always)]
    fn call(mut self) {
        for i in 0..self.batch.len() {
            let mut row = self.batch.row_mut(i).without_bias();
            let scaled = self.scaler.scale(&mut row);
            // √n is the length of n values of usual size.
            let fits = |norm: &Norm| scaled == Scaled::EachFeature || *norm != Norm::Count;
            if let Some(norm) = self.normalize.filter(fits) {
                norm.divide(row.values);
            }
        }
    }
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
    use thalweg_core::BIAS;

    use super::super::scales::Scales;
    use super::*;

    fn prepared(prepare: Prepare, features: &[(u32, f64)]) -> Vec<(u32, f64)> {
        let mut batch = Batch::default();
        let mut builder = batch.row_builder();
        features.iter().for_each(|&(i, x)| builder.feature(i, x as thalweg_core::Real));
        prepare.apply(&mut builder).unwrap();
        builder.commit(None, 1.0).unwrap();
        batch.row(0).iter().collect()
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

    #[test]
    fn a_value_that_division_makes_zero_is_dropped() {
        let row = [(1, Real::MIN_POSITIVE.into()), (2, Real::MAX.into()), (3, Real::MIN_POSITIVE.into())];
        let by_largest = Prepare { normalize: Some(Norm::Max), ..Prepare::default() };
        assert_eq!(prepared(by_largest, &row), [(2, 1.0)]);
        let mut batch = Batch::default();
        batch.push(row, None).unwrap();
        by_largest.finish(&mut batch, &mut Scales::None);
        assert_eq!(batch.row(0).iter().collect::<Vec<_>>(), [(2, 1.0)]);
    }

    #[test]
    fn examples_get_unit_length_and_then_a_constant() {
        let row = [(4, -4.0), (1, 1.0), (1, 2.0)];
        let with = |norm| prepared(Prepare { normalize: Some(norm), bias: true, ..Prepare::default() }, &row);
        let close = |row: Vec<(u32, f64)>, expected: [(u32, f64); 3]| {
            assert!(
                row.iter().zip(&expected).all(|(a, b)| a.0 == b.0 && (a.1 - b.1).abs() < 1e-7),
                "{row:?}"
            );
        };
        close(with(Norm::L2), [(1, 0.6), (4, -0.8), (BIAS, 1.0)]);
        close(with(Norm::L1), [(1, 3.0 / 7.0), (4, -4.0 / 7.0), (BIAS, 1.0)]);
        close(with(Norm::Max), [(1, 0.75), (4, -1.0), (BIAS, 1.0)]);
        close(with(Norm::Count), [(1, 3.0 / 2f64.sqrt()), (4, -4.0 / 2f64.sqrt()), (BIAS, 1.0)]);
        assert_eq!(prepared(Prepare { normalize: Some(Norm::L2), ..Prepare::default() }, &[]), []);
        let ones = Prepare { binary: true, ..Prepare::default() };
        assert_eq!(prepared(ones, &[(4, -4.0), (1, 1.0), (1, 2.0), (5, 0.0)]), [(1, 1.0), (4, 1.0)]);
    }
}
