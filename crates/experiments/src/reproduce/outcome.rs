//! What came of one run of one learner.

use serde::{Deserialize, Serialize};
use thalweg_core::Class;
use thalweg_eval::Confusion;

/// What came of one run of one learner. All metrics follow from it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Outcome {
    /// How often each class was predicted for the examples of each class.
    matrix: Vec<Vec<f64>>,
    /// Processor time of learning, in seconds.
    pub seconds: f64,
    /// Weights that are not zero.
    pub nonzeros: usize,
    /// Weights that there could be: features of the data, times classes if there are more than two.
    pub weights: usize,
    /// Where predictions are measured on the way: the matrix after some of the examples.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub curve: Vec<CurvePoint>,
}

/// The matrix of a two-class run after some of the examples.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct CurvePoint(pub u64, pub [f64; 4]);

impl Outcome {
    /// An outcome with this matrix.
    pub fn new(confusion: &Confusion, seconds: f64, nonzeros: usize, weights: usize) -> Self {
        Self { matrix: confusion.rows().to_vec(), seconds, nonzeros, weights, curve: Vec::new() }
    }

    /// The matrix.
    pub fn confusion(&self) -> Confusion {
        let mut confusion = Confusion::default();
        for (truth, row) in self.matrix.iter().enumerate() {
            for (predicted, count) in row.iter().enumerate() {
                confusion.add(truth as Class, predicted as Class, *count);
            }
        }
        confusion
    }

    /// The share of weights that are zero.
    pub fn sparsity(&self) -> f64 {
        1.0 - self.nonzeros as f64 / self.weights.max(1) as f64
    }

    /// The outcome as it was at a point of its curve.
    #[must_use]
    pub fn at(&self, point: &CurvePoint) -> Self {
        let [a, b, c, d] = point.1;
        Self { matrix: vec![vec![a, b], vec![c, d]], curve: Vec::new(), ..*self }
    }
}

impl CurvePoint {
    /// The matrix so far.
    pub fn new(examples: u64, confusion: &Confusion) -> Self {
        let rows = confusion.rows();
        let at = |truth: usize, predicted: usize| rows.get(truth).map_or(0.0, |row| row[predicted]);
        Self(examples, [at(0, 0), at(0, 1), at(1, 0), at(1, 1)])
    }
}
