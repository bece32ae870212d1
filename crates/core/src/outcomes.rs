//! What became of each example of a batch: scores, losses, and whether it moved the weights.

use crate::batch::{Batch, Row};

/// What one example led to.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Outcome {
    pub(crate) loss: f64,
    pub(crate) updated: bool,
}

impl Outcome {
    /// Of an example that was only scored.
    pub(crate) const NOTHING: Self = Self { loss: 0.0, updated: false };
}

/// Scores and losses beyond this are as good as infinite: differences and sums of what is below stay finite.
const LARGEST: f64 = 1e300;

/// Is it a score that one can go on with? Not if a sum went beyond all numbers.
#[inline]
pub(crate) fn is_score(score: f64) -> bool {
    // NaN is not below anything.
    score.abs() <= LARGEST
}

/// A variance as callers get it: rounding makes none negative, and none goes beyond all numbers.
#[inline]
pub(crate) fn bounded_variance(variance: f64) -> f64 {
    // NaN is not below anything.
    if variance <= LARGEST { variance.max(0.0) } else { LARGEST }
}

/// What became of each example of a batch. The caller owns it and reuses it. Which class a score means is decided elsewhere.
///
/// All scores and losses are finite. An example whose score went beyond all numbers has no score: 0 stands in its place (for every class,
/// if there are many), which is no opinion, and [`Self::unscored`] names it. It is not learned from; its loss is that of a score of 0.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Outcomes {
    /// The scores of all examples, before they were learned from: one each, or one for every class known by then.
    pub scores: Vec<f64>,
    unscored: Vec<usize>,
    /// Where each example's scores end.
    ends: Vec<usize>,
    /// The loss that the learner saw (empty after scoring).
    pub losses: Vec<f64>,
    /// Whether the example moved the weights (empty after scoring).
    pub updated: Vec<bool>,
    /// How many examples, the first ones, were scored before the learner knew anything.
    pub(crate) before_knowledge: usize,
}

impl Outcomes {
    /// Forgets the outcomes and keeps the memory.
    pub fn clear(&mut self) {
        self.scores.clear();
        self.unscored.clear();
        self.ends.clear();
        self.losses.clear();
        self.updated.clear();
        self.before_knowledge = 0;
    }

    /// Adds the outcomes of other examples behind these.
    pub fn append(&mut self, other: &mut Self) {
        let (examples, scores) = (self.len(), self.scores.len());
        if other.before_knowledge > 0 {
            self.before_knowledge = examples + other.before_knowledge;
        }
        self.unscored.extend(other.unscored.drain(..).map(|i| examples + i));
        self.ends.extend(other.ends.drain(..).map(|end| scores + end));
        self.scores.append(&mut other.scores);
        self.losses.append(&mut other.losses);
        self.updated.append(&mut other.updated);
    }

    /// Number of examples.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// No examples?
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// The scores of example `i`: one, or one per class.
    pub fn scores_of(&self, i: usize) -> &[f64] {
        let start = if i == 0 { 0 } else { self.ends[i - 1] };
        &self.scores[start..self.ends[i]]
    }

    /// The part of other numbers, laid out as the scores, that belongs to example `i`. Nothing if there are none.
    pub fn beside_scores<'a>(&self, i: usize, numbers: &'a [f64]) -> Option<&'a [f64]> {
        let start = if i == 0 { 0 } else { self.ends[i - 1] };
        numbers.get(start..self.ends[i])
    }

    /// How many examples, the first ones, came before a learner that waits for its first batch had learned from anything. Their scores are 0, and
    /// say nothing of the learner.
    pub fn before_knowledge(&self) -> usize {
        self.before_knowledge
    }

    /// The examples that have no score, increasing.
    pub fn unscored(&self) -> &[usize] {
        &self.unscored
    }

    /// Has example `i` a score?
    pub fn is_scored(&self, i: usize) -> bool {
        self.unscored.binary_search(&i).is_err()
    }

    /// Adds a two-class example.
    #[inline]
    pub fn push_score(&mut self, score: f64) {
        let score = if is_score(score) { score } else { self.no_score() };
        self.scores.push(score);
        self.ends.push(self.scores.len());
    }

    /// Adds an example of many classes.
    pub fn push_scores(&mut self, scores: &[f64]) {
        if !scores.iter().all(|score| is_score(*score)) {
            return self.push_unscored(scores.len());
        }
        self.scores.extend_from_slice(scores);
        self.ends.push(self.scores.len());
    }

    /// Notes that the next example has no score; what stands in its place.
    #[cold]
    fn no_score(&mut self) -> f64 {
        self.unscored.push(self.len());
        0.0
    }

    /// Adds an example of so many classes that has no scores.
    pub(crate) fn push_unscored(&mut self, classes: usize) {
        let score = self.no_score();
        self.scores.resize(self.scores.len() + classes, score);
        self.ends.push(self.scores.len());
    }

    /// Goes through a batch of two classes: `learn` gets an example's features, its class and its importance (none where
    /// there is no label) and says its score from before and what came of it.
    pub(crate) fn collect(
        &mut self,
        batch: &Batch,
        mut learn: impl FnMut(Row, Option<(bool, f64)>) -> (f64, Outcome),
    ) {
        self.clear();
        for i in 0..batch.len() {
            let (score, outcome) = learn(batch.row(i), batch.known(i));
            self.push_score(score);
            self.push_outcome(outcome);
        }
    }

    pub(crate) fn push_outcome(&mut self, outcome: Outcome) {
        self.losses.push(outcome.loss.min(LARGEST));
        self.updated.push(outcome.updated);
    }
}

/// The first of those with the highest score.
pub(crate) fn strongest(scores: impl Iterator<Item = (usize, f64)>) -> Option<usize> {
    scores.reduce(|best, next| if next.1 > best.1 { next } else { best }).map(|(class, _)| class)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_score_beyond_all_numbers_is_no_opinion() {
        let mut outcomes = Outcomes::default();
        for score in [1.5, f64::NAN, f64::NEG_INFINITY, -1e308, -2.0] {
            outcomes.push_score(score);
        }
        outcomes.push_scores(&[-1.0, f64::INFINITY, 2.0]);
        outcomes.push_scores(&[-1.0, 2.0]);
        outcomes.push_scores(&[f64::NAN]);
        assert_eq!(outcomes.scores, [1.5, 0.0, 0.0, 0.0, -2.0, 0.0, 0.0, 0.0, -1.0, 2.0, 0.0]);
        assert_eq!(outcomes.unscored(), [1, 2, 3, 5, 7]);
        assert!(outcomes.is_scored(4) && !outcomes.is_scored(5));
        outcomes.push_outcome(Outcome { loss: f64::INFINITY, updated: false });
        assert!(outcomes.losses[0].is_finite());
        outcomes.clear();
        assert_eq!(outcomes, Outcomes::default());
    }
}
