//! What is done to every example before it is learned from: values, scales, normalisation and the constant feature.

use pulp::{Arch, NullaryFnOnce};
use serde::{Deserialize, Serialize};
use thalweg_core::batch::{NotFinite, RowBuilder, Tidied};
use thalweg_core::{Batch, Real};

use super::norm::Norm;
use super::scales::{AsTheyAre, Scale, Scaler};
use super::unit_length::Scaled;

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

    /// Makes a batch of the examples of another, prepared.
    pub(crate) fn apply_to_all(&self, from: &Batch, to: &mut Batch) {
        to.clear();
        if self.bias {
            to.extend_with_bias(from);
        } else {
            to.extend_from(from, 0..from.len());
        }
        if self.binary {
            (0..to.len()).for_each(|i| to.row_mut(i).values.fill(1.0));
        }
        if self.normalize.is_some_and(|norm| norm != Norm::None) {
            self.finish(to, AsTheyAre);
        }
    }

    /// Prepares an example; scales are not its business. Duplicates are summed first.
    pub fn apply(&self, builder: &mut RowBuilder) -> Result<Tidied, NotFinite> {
        let tidied = builder.tidy()?;
        if self.binary {
            builder.values_mut().fill(1.0);
        }
        if let Some(norm) = self.normalize {
            Arch::new().dispatch(Divide { norm, values: builder.values_mut() });
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

/// Normalising an example that nobody holds in a batch yet.
struct Divide<'a> {
    norm: Norm,
    values: &'a mut [Real],
}

impl NullaryFnOnce for Divide<'_> {
    type Output = ();

    #[inline(always)]
    fn call(self) {
        self.norm.divide(self.values);
    }
}

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
    fn whole_batches_are_prepared_as_single_examples_are() {
        let mut batch = Batch::default();
        for i in 0..40u32 {
            let value = |k: u32| {
                f64::from(i * k % 7 + 1).sqrt() * if k == 3 { f64::from(Real::MIN_POSITIVE) } else { -1.5 }
            };
            batch.push((0..i).map(|k| (k * k, value(k))), Some(i % 2)).unwrap();
        }
        for normalize in
            [None, Some(Norm::None), Some(Norm::Count), Some(Norm::L2), Some(Norm::L1), Some(Norm::Max)]
        {
            for (binary, bias) in [(false, false), (false, true), (true, false), (true, true)] {
                let prepare = Prepare { binary, normalize, bias, scale: None };
                let (mut single, mut whole) = (Batch::default(), Batch::default());
                for i in 0..batch.len() {
                    let mut builder = single.row_builder();
                    builder.features(batch.row(i).indices, batch.row(i).values);
                    prepare.apply(&mut builder).unwrap();
                    builder.commit(batch.labels()[i], 1.0).unwrap();
                }
                prepare.apply_to_all(&batch, &mut whole);
                assert_eq!(whole.labels(), single.labels());
                for i in 0..batch.len() {
                    assert_eq!(whole.row(i).indices, single.row(i).indices, "{prepare:?}");
                    assert_eq!(whole.row(i).values, single.row(i).values, "{prepare:?}");
                }
            }
        }
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
