//! All that the rest of the program knows of a learner.

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::batch::{Batch, Class, Row};
use crate::cost::{Costs, Prices};
use crate::model::ModelError;
use crate::rule::{Seen, Target};

/// An online classifier.
pub trait Learner: Send + Sync {
    /// Its name with all knobs, as one would type it to build it again.
    fn spec(&self) -> String;

    /// The costs that it was built with.
    fn costs(&self) -> Costs;

    /// Two classes, or many and how.
    fn task(&self) -> Task {
        Task::Binary
    }

    /// How many classes it knows.
    fn classes(&self) -> usize {
        2
    }

    /// Tells a learner of many classes that there are at least so many.
    fn declare_classes(&mut self, _classes: usize) {}

    /// Sets a limit to the memory that [`Self::check`] allows.
    fn limit_memory(&mut self, _bytes: u64) {}

    /// Would learning from the batch need more memory than allowed? Learners whose memory is in proportion to the
    /// features seen never refuse.
    fn check(&self, _batch: &Batch) -> Result<(), TooLarge> {
        Ok(())
    }

    /// Learns from the labelled examples in order. The outcomes hold, for every example, the score from *before*
    /// it was learned from; unlabelled examples are only scored.
    fn learn_batch(&mut self, batch: &Batch, outcomes: &mut Outcomes);

    /// The data has ended, for now: learners that wait for a full batch make do with what they have. Learning may go on
    /// afterwards as if it had never ended.
    fn finish(&mut self) {}

    /// Scores the examples and changes nothing.
    fn score_batch(&self, batch: &Batch, outcomes: &mut Outcomes);

    /// Every weight that is not zero, by class and feature.
    fn weights(&self) -> Vec<Weight>;

    /// The features that the learner has chosen, those that promise most first; by default all with a weight, by its
    /// magnitude.
    fn chosen(&self) -> Vec<Chosen> {
        by_magnitude(&self.weights())
    }

    /// The variance of a feature's weight (for a class, where there are many), for learners that have one.
    fn variance(&self, _feature: u32, _class: Option<Class>) -> Option<f64> {
        None
    }

    /// Can features get other numbers, or be forgotten? Not if what is known of one is woven into what is known of others.
    fn can_renumber(&self) -> bool {
        false
    }

    /// Gives every feature another number of its own; those that get none are as if they had never occurred. The constant is not
    /// asked for.
    fn renumber(&mut self, _new: &dyn Fn(u32) -> Option<u32>) {}

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

/// More memory would be needed than is allowed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{what} would need {} for {count} {of}, more than the {} allowed (--max-memory)", size(*needed), size(*allowed))]
pub struct TooLarge {
    /// What is large.
    pub what: &'static str,
    /// How many features or examples there would be.
    pub count: u64,
    /// Which of the two.
    pub of: &'static str,
    /// Bytes needed.
    pub needed: u64,
    /// Bytes allowed.
    pub allowed: u64,
}

/// Bytes for people.
fn size(bytes: u64) -> String {
    let units = ["bytes", "KiB", "MiB", "GiB", "TiB"];
    let power = units.len().min(1 + bytes.max(1).ilog2() as usize / 10) - 1;
    let decimals = usize::from(power > 0);
    format!("{:.decimals$} {}", bytes as f64 / (1u64 << (10 * power)) as f64, units[power])
}

/// What there is to tell apart.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Task {
    /// A positive and a negative class.
    #[default]
    Binary,
    /// Many classes with the papers' 1-of-K hinge loss: the true class up, its strongest rival down.
    Hinge,
    /// Many classes, each against all others.
    Ovr,
}

/// A weight that is not zero.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Weight {
    /// The feature.
    pub feature: u32,
    /// The class that it speaks for, where there are many.
    pub class: Option<Class>,
    /// Its weight.
    pub value: f64,
}

/// A feature that a learner has chosen.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Chosen {
    /// The feature.
    pub feature: u32,
    /// How much it promised when it was chosen.
    pub score: f64,
}

/// All features with a weight, heavy ones first.
pub(crate) fn by_magnitude(weights: &[Weight]) -> Vec<Chosen> {
    let mut all: Vec<Chosen> =
        weights.iter().map(|w| Chosen { feature: w.feature, score: w.value.abs() }).collect();
    all.sort_by(|a, b| b.score.total_cmp(&a.score).then(a.feature.cmp(&b.feature)));
    all
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

/// What every two-class learner keeps besides what it has learned: the stream's classes, their prices, and counts.
#[derive(Clone, Debug)]
pub(crate) struct Tally {
    pub(crate) prices: Prices,
    pub(crate) counts: Counts,
}

impl Tally {
    pub(crate) fn new(costs: Costs) -> Self {
        Self { prices: Prices::new(costs), counts: Counts::default() }
    }

    /// What an example of this class demands.
    #[inline]
    pub(crate) fn target(&self, positive: bool, importance: f64) -> Target {
        Target { y: if positive { 1.0 } else { -1.0 }, cost: self.prices.of(positive), importance }
    }

    /// Counts an example that was learned from.
    #[inline]
    pub(crate) fn learned(&mut self, positive: bool, updated: bool) {
        self.prices.count(positive);
        self.counts.examples += 1;
        self.counts.updates += u64::from(updated);
    }

    /// Refuses an example whose sums went beyond all numbers. If it has no score, or no loss, its loss is that of no opinion.
    #[cold]
    pub(crate) fn refuse(
        &mut self,
        score: f64,
        loss: f64,
        target: &Target,
        without_opinion: impl FnOnce(&Seen, &Target) -> f64,
    ) -> Outcome {
        // An example of no importance would not have been learned from anyway.
        self.counts.rejected += u64::from(target.importance != 0.0);
        let has_loss = is_score(score) && is_score(loss);
        let loss = if has_loss { loss } else { without_opinion(&Seen::default(), target) };
        Outcome { loss, updated: false }
    }

    /// The readable form, with what the rule itself remembers.
    pub(crate) fn state(&self, rule: &Value) -> Value {
        json!({
            "counts": self.counts,
            "positives": self.prices.positives,
            "negatives": self.prices.negatives,
            "rule": rule,
        })
    }

    pub(crate) fn restore(&mut self, state: &Value) -> Result<(), ModelError> {
        let misfit = |field: &str| ModelError::State(field.to_string());
        let number = |field: &str| state[field].as_u64().ok_or_else(|| misfit(field));
        self.counts = serde_json::from_value(state["counts"].clone()).map_err(|_| misfit("counts"))?;
        self.prices.positives = number("positives")?;
        self.prices.negatives = number("negatives")?;
        Ok(())
    }
}

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

/// What became of each example of a batch. The caller owns it and reuses it.
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
    predicted: Vec<Class>,
    /// The loss that the learner saw (empty after scoring).
    pub losses: Vec<f64>,
    /// Whether the example moved the weights (empty after scoring).
    pub updated: Vec<bool>,
}

impl Outcomes {
    /// Forgets the outcomes and keeps the memory.
    pub fn clear(&mut self) {
        self.scores.clear();
        self.unscored.clear();
        self.ends.clear();
        self.predicted.clear();
        self.losses.clear();
        self.updated.clear();
    }

    /// Number of examples.
    pub fn len(&self) -> usize {
        self.predicted.len()
    }

    /// No examples?
    pub fn is_empty(&self) -> bool {
        self.predicted.is_empty()
    }

    /// The class that is predicted for example `i`.
    pub fn predicted(&self, i: usize) -> Class {
        self.predicted[i]
    }

    /// The scores of example `i`: one, or one per class.
    pub fn scores_of(&self, i: usize) -> &[f64] {
        let start = if i == 0 { 0 } else { self.ends[i - 1] };
        &self.scores[start..self.ends[i]]
    }

    /// The examples that have no score, increasing.
    pub fn unscored(&self) -> &[usize] {
        &self.unscored
    }

    /// Has example `i` a score?
    pub fn is_scored(&self, i: usize) -> bool {
        self.unscored.binary_search(&i).is_err()
    }

    /// Adds a two-class example. A score of 0 is positive, as in the papers' codes.
    #[inline]
    pub fn push_score(&mut self, score: f64) {
        let score = if is_score(score) { score } else { self.no_score() };
        self.scores.push(score);
        self.ends.push(self.scores.len());
        self.predicted.push(Class::from(score >= 0.0));
    }

    /// Adds an example of many classes. Of equal scores the lowest class wins, as in the papers' codes.
    pub fn push_scores(&mut self, scores: &[f64]) {
        if !scores.iter().all(|score| is_score(*score)) {
            return self.push_unscored(scores.len());
        }
        self.scores.extend_from_slice(scores);
        self.ends.push(self.scores.len());
        self.predicted.push(strongest(scores.iter().copied().enumerate()).unwrap_or(0) as Class);
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
        self.predicted.push(0);
    }

    /// Goes through a batch of two classes: `learn` gets an example's features, its class and its weight (none where
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
        assert_eq!((0..8).map(|i| outcomes.predicted(i)).collect::<Vec<_>>(), [1, 1, 1, 1, 0, 0, 1, 0]);
        assert!(outcomes.is_scored(4) && !outcomes.is_scored(5));
        outcomes.push_outcome(Outcome { loss: f64::INFINITY, updated: false });
        assert!(outcomes.losses[0].is_finite());
        outcomes.clear();
        assert_eq!(outcomes, Outcomes::default());
    }
}
