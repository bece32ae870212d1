//! What is done to every example before it is learned from: normalisation and the constant feature.

use serde::{Deserialize, Serialize};
use thalweg_core::BIAS;
use thalweg_core::batch::{Draft, NotFinite, Tidied};

/// The length that every example is divided by.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Norm {
    /// √Σx².
    L2,
    /// Σ|x|.
    L1,
    /// max |x|.
    Max,
}

/// How examples are prepared.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Prepare {
    /// Divide every example by its length.
    pub normalize: Option<Norm>,
    /// Add a constant feature of value 1 (after the normalisation).
    pub bias: bool,
}

impl Prepare {
    /// Prepares an example. Duplicates are summed first.
    pub fn apply(&self, draft: &mut Draft) -> Result<Tidied, NotFinite> {
        let tidied = draft.tidy()?;
        if let Some(norm) = self.normalize {
            let length = norm.of(draft);
            if length > 0.0 {
                draft.divide(length);
            }
        }
        if self.bias {
            draft.feature(BIAS, 1.0);
        }
        Ok(tidied)
    }
}

impl Norm {
    fn of(self, draft: &Draft) -> f64 {
        let values = draft.values().iter().map(|&x| f64::from(x));
        match self {
            Norm::L2 => values.map(|x| x * x).sum::<f64>().sqrt(),
            Norm::L1 => values.map(f64::abs).sum(),
            Norm::Max => values.fold(0.0, |largest, x| largest.max(x.abs())),
        }
    }
}

#[cfg(test)]
mod tests {
    use thalweg_core::Batch;

    use super::*;

    fn prepared(prepare: Prepare, features: &[(u32, f64)]) -> Vec<(u32, f64)> {
        let mut batch = Batch::default();
        let mut draft = batch.draft();
        features.iter().for_each(|&(i, x)| draft.feature(i, x as thalweg_core::Real));
        prepare.apply(&mut draft).unwrap();
        draft.commit(None, 1.0).unwrap();
        batch.row(0).iter().collect()
    }

    #[test]
    fn examples_get_unit_length_and_then_a_constant() {
        let row = [(4, -4.0), (1, 1.0), (1, 2.0)];
        let with = |norm| prepared(Prepare { normalize: Some(norm), bias: true }, &row);
        let close = |row: Vec<(u32, f64)>, expected: [(u32, f64); 3]| {
            assert!(
                row.iter().zip(&expected).all(|(a, b)| a.0 == b.0 && (a.1 - b.1).abs() < 1e-7),
                "{row:?}"
            );
        };
        close(with(Norm::L2), [(1, 0.6), (4, -0.8), (BIAS, 1.0)]);
        close(with(Norm::L1), [(1, 3.0 / 7.0), (4, -4.0 / 7.0), (BIAS, 1.0)]);
        close(with(Norm::Max), [(1, 0.75), (4, -1.0), (BIAS, 1.0)]);
        assert_eq!(prepared(Prepare { normalize: Some(Norm::L2), bias: false }, &[]), []);
    }
}
