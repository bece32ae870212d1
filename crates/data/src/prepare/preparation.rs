//! What is done to every example before it is learned from: values, scales, normalisation and the constant feature.

use pulp::{Arch, NullaryFnOnce};
use serde::{Deserialize, Serialize};
use thalweg_core::Batch;
use thalweg_core::batch::{NotFinite, Row, RowBuilder, Tidied};

use super::norm::Norm;
use super::scales::{Scale, Scaler};
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

#[cfg(test)]
mod tests {
    use thalweg_core::{BIAS, Real};

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
