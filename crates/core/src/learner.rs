//! All that the rest of the program knows of a learner.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::batch::{Batch, Class};
use crate::cost::Costs;
use crate::model::ModelError;

/// An online classifier.
pub trait Learner: Send + Sync {
    /// Its name with all knobs, as one would type it to build it again.
    fn spec(&self) -> String;

    /// The costs that it was built with.
    fn costs(&self) -> Costs;

    /// Learns from the labelled examples in order. The outcomes hold, for every example, the score from *before*
    /// it was learned from; unlabelled examples are only scored.
    fn learn_batch(&mut self, batch: &Batch, outcomes: &mut Outcomes);

    /// Scores the examples and changes nothing.
    fn score_batch(&self, batch: &Batch, outcomes: &mut Outcomes);

    /// Every weight that is not zero, in increasing order of feature.
    fn weights(&self) -> Vec<Weight>;

    /// How many weights are not zero.
    fn nonzeros(&self) -> usize;

    /// How many features have left a trace in the learner.
    fn features(&self) -> usize;

    /// Bytes of memory that the features occupy.
    fn memory(&self) -> usize;

    /// What was done so far.
    fn counts(&self) -> Counts;

    /// The state besides the features' cells, readable.
    fn state(&self) -> Value;

    /// Appends the features' cells.
    fn write_cells(&self, out: &mut Vec<u8>);

    /// Takes over a state, so that learning goes on as if it had never stopped.
    fn restore(&mut self, state: &Value, cells: &[u8]) -> Result<(), ModelError>;

    /// A copy that goes its own way.
    fn fork(&self) -> Box<dyn Learner>;
}

/// A weight that is not zero.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Weight {
    /// The feature.
    pub feature: u32,
    /// Its weight.
    pub value: f64,
}

/// What a learner has done so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Counts {
    /// Examples learned from.
    pub examples: u64,
    /// Examples that moved the weights.
    pub updates: u64,
    /// Examples refused because their update would not have been finite.
    pub rejected: u64,
}

/// What became of each example of a batch. The caller owns it and reuses it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Outcomes {
    /// Score of every example, before it was learned from. Zero or more predicts the positive class.
    pub scores: Vec<f64>,
    /// The loss that the learner saw (empty after scoring).
    pub losses: Vec<f64>,
    /// Whether the example moved the weights (empty after scoring).
    pub updated: Vec<bool>,
}

impl Outcomes {
    /// Forgets the outcomes and keeps the memory.
    pub fn clear(&mut self) {
        self.scores.clear();
        self.losses.clear();
        self.updated.clear();
    }

    /// Number of examples.
    pub fn len(&self) -> usize {
        self.scores.len()
    }

    /// No examples?
    pub fn is_empty(&self) -> bool {
        self.scores.is_empty()
    }

    /// The class that the score of example `i` predicts. A score of 0 is positive, as in the papers' codes.
    pub fn predicted(&self, i: usize) -> Class {
        Class::from(self.scores[i] >= 0.0)
    }
}
