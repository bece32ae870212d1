//! All that the rest of the program knows of a learner.
//!
//! [`Learner`] learns and scores. Its supertraits are for other callers: [`Inspect`] for whoever reports what was learned, [`Persist`] for
//! whoever keeps it, and [`Merge`] for whoever lets several of them become one. A `Box<dyn Learner>` has the methods of all of them.

use std::any::Any;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::batch::{Batch, Class};
use crate::class_costs::ClassWeights;
use crate::cost::{ClassCost, Costs, RunningCosts};
use crate::merge::{Gain, Merging, Numbering, Unmergeable};
use crate::outcomes::Outcomes;
use crate::race::Race;

pub use crate::counts::Counts;

/// An online classifier.
pub trait Learner: Inspect + Persist + Merge + Any + Send + Sync {
    /// Learns from the labelled examples in order. The outcomes hold, for every example, the score from *before*
    /// it was learned from; unlabelled examples are only scored.
    ///
    /// If that would take more memory than the learner was given, nothing is learned from the batch. Learners whose memory is
    /// in proportion to the features seen never refuse.
    fn learn(&mut self, batch: &Batch, outcomes: &mut Outcomes) -> Result<(), TooLarge>;

    /// The data has ended, for now: learners that wait for a full batch make do with what they have. Learning may go on
    /// afterwards as if it had never ended.
    fn finish(&mut self) {}

    /// Scores the examples and changes nothing.
    fn score(&self, batch: &Batch, outcomes: &mut Outcomes);

    /// What errors on examples of each class cost at the moment, and how many examples of the class that follows from. It follows from what a
    /// model stores.
    fn class_costs(&self) -> Vec<ClassCost> {
        RunningCosts::in_state(self.costs(), &self.state())
    }

    /// Scores the examples as [`Self::score`] does, to the bit, and says how uncertain each score is: x'Σx for every score, in
    /// the same order. Empty for learners without variances ([`Inspect::has_variance`]).
    ///
    /// Σ is what the learner believes of its weights as of now. It knows how much of a feature was seen, not how noisy labels are, and its
    /// unit is that of the learner's own prior:
    ///
    /// | learners | Σ |
    /// | --- | --- |
    /// | arow, sarow, sofs, acog | (I + X'X / r)⁻¹ over the examples that moved the weights: with labels of noise variance r it is the posterior of a Bayesian regression; for any other noise it is right up to the factor noise / r |
    /// | cw, scw | the variance that the constraint works with: margins in standard deviations √(x'Σx) are what `confidence` is about |
    /// | sop, narow, ssol | the inverse of the metric that θ is divided by |
    /// | `covariance=full` | the whole quadratic form; with a diagonal, features count as independent |
    /// | sacog, ssacog | I less what the sketch has seen of it: never too small |
    ///
    /// So variances can be compared within one learner, and √ of one is a standard deviation of the score in the unit of the score. The score of
    /// a cut weight (sarow, ssol) is that of the cut weight; its variance is that of the belief. Values beyond 1e300 are given as 1e300.
    fn score_with_variance(&self, batch: &Batch, outcomes: &mut Outcomes, variances: &mut Vec<f64>) {
        variances.clear();
        self.score(batch, outcomes);
    }

    /// Multiplies all variances by a factor of 1 or more, up to that of a feature never seen. Weights stay, and move faster from now on. For
    /// a stream that has just changed. False, and nothing is done, if the learner has nothing that could fade.
    fn boost(&mut self, _factor: f64) -> bool {
        false
    }

    /// All features will have numbers below this, as far as is known: tables may be made in one go. What is learned does not depend on it.
    fn expect_features(&mut self, _below: u32) {}

    /// A group for learners of this kind, if they can share more than their examples: see [`groups`](crate::group::groups).
    fn empty_group(&self) -> Option<Box<dyn Group>> {
        None
    }
}

/// How a learner becomes several, and several become one. Learners for which nothing of it is written refuse.
pub trait Merge: Inspect {
    /// How it is done, if it can be.
    fn merging(&self) -> Merging;

    /// The learner that this one has become, if it began as several.
    fn winner(&self) -> Option<&dyn Learner> {
        None
    }

    /// Makes of it what each of so many shards starts from. One shard starts from the learner as it is.
    fn share(&mut self, _shards: u32) -> Result<(), Unmergeable> {
        Err(self.refusal())
    }

    /// What was learned since the base, of which this learner was one of so many shards.
    fn gain(
        &self,
        _base: &dyn Learner,
        _shards: u32,
        _numbering: &dyn Numbering,
    ) -> Result<Gain, Unmergeable> {
        Err(self.refusal())
    }

    /// Takes in what others have learned that started from this learner. It must know all of their classes.
    fn take_in(&mut self, _gain: &Gain) -> Result<(), Unmergeable> {
        Err(self.refusal())
    }

    /// An error if it cannot be done.
    fn check_mergeable(&self) -> Result<(), Unmergeable> {
        if matches!(self.merging(), Merging::Never(_)) { Err(self.refusal()) } else { Ok(()) }
    }

    /// Why not.
    fn refusal(&self) -> Unmergeable {
        let reason = match self.merging() {
            Merging::Never(reason) => reason,
            Merging::Beliefs | Merging::Means => "nobody has written how",
        };
        Unmergeable::Never { learner: self.spec(), reason }
    }
}

/// What a learner is, and what it has learned.
pub trait Inspect {
    /// Its name with all knobs, as one would type it to build it again.
    fn spec(&self) -> String;

    /// The costs that it was built with.
    fn costs(&self) -> Costs;

    /// The weights of many classes that it was built with.
    fn class_weights(&self) -> ClassWeights {
        ClassWeights::default()
    }

    /// Two classes, or many and how.
    fn task(&self) -> Task {
        Task::Binary
    }

    /// How many classes it knows.
    fn classes(&self) -> usize {
        2
    }

    /// What was done so far.
    fn counts(&self) -> Counts;

    /// How many features have left a trace in the learner.
    fn features(&self) -> usize;

    /// Has this feature left a trace in the learner? Nothing if the learner cannot say it quickly. One that can remembers all features of examples
    /// that changed it.
    fn remembers(&self, _feature: u32) -> Option<bool> {
        None
    }

    /// How many weights are not zero.
    fn nonzeros(&self) -> usize;

    /// Bytes of memory that the features occupy.
    fn memory(&self) -> usize;

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

    /// Does [`Learner::score_with_variance`] give variances?
    fn has_variance(&self) -> bool {
        false
    }

    /// The half-life of what was learned, in examples: see [`Setup::forget`].
    fn half_life(&self) -> Option<f64> {
        None
    }

    /// How the race stands, for a learner that is made of learners which race.
    fn standings(&self) -> Option<Standings<'_>> {
        None
    }
}

/// How a race of learners stands.
#[derive(Clone, Copy, Debug)]
pub struct Standings<'a> {
    /// The learners that began it, each with all its knobs. Their places here are their numbers in the race.
    pub contenders: &'a [String],
    /// The number of the one that says what is said.
    pub leader: usize,
    /// What was observed, and who was eliminated.
    pub race: &'a Race,
    /// Is the leader all that is left?
    pub decided: bool,
}

/// How a learner is stored, copied, and given other numbers for its features.
pub trait Persist {
    /// The state besides the features' cells, readable.
    fn state(&self) -> Value;

    /// Appends the features' cells.
    fn write_cells(&self, out: &mut Vec<u8>);

    /// Takes over a state, so that learning goes on as if it had never stopped. Classes that it was built for stay known.
    fn restore(&mut self, state: &Value, cells: &[u8]) -> Result<(), StateError>;

    /// A copy that is independent of the original.
    fn fork(&self) -> Box<dyn Learner>;

    /// A copy that knows at least so many classes, and may take this much memory: see [`Setup`]. For a learner that was read from a
    /// model, or built before the data was opened.
    fn fork_with(&self, _classes: usize, _max_memory: u64) -> Box<dyn Learner> {
        self.fork()
    }

    /// Can features get other numbers, or be forgotten? Not if what is known of one is part of what is known of others.
    fn can_renumber(&self) -> bool {
        false
    }

    /// Gives every feature another number; those that get none are as if they had never occurred. The bias is not
    /// asked for.
    fn renumber(&mut self, _new: &dyn Fn(u32) -> Option<u32>) {}
}

/// Learners that go through the same examples.
pub trait Group: Send + Sync {
    /// How many there are.
    fn len(&self) -> usize;

    /// None at all?
    fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Takes one more, if it fits; gives it back if not.
    fn add(&mut self, learner: Box<dyn Learner>) -> Result<(), Box<dyn Learner>>;

    /// All learn from the examples in order: see [`Learner::learn`]. There are as many outcomes as learners.
    fn learn(&mut self, batch: &Batch, outcomes: &mut [Outcomes]) -> Result<(), TooLarge>;

    /// The data has ended, for now: see [`Learner::finish`].
    fn finish(&mut self) {}

    /// How many weights of a learner are not zero.
    fn nonzeros(&self, member: usize) -> usize;

    /// A copy of a learner, on its own.
    fn learner(&self, member: usize) -> Box<dyn Learner>;

    /// Lets go of a learner. Those after it move up.
    fn remove(&mut self, member: usize);

    /// Bytes of memory that the features occupy.
    fn memory(&self) -> usize;
}

/// What a learner is built with, besides its knobs.
#[derive(Clone, Debug, PartialEq)]
pub struct Setup {
    /// What errors cost.
    pub costs: Costs,
    /// What errors on examples of each of many classes cost. Of two classes, the costs say it.
    pub class_weights: ClassWeights,
    /// Two classes, or many and how.
    pub task: Task,
    /// With many classes, how many are known before the first example. More may appear in mid-stream.
    pub classes: usize,
    /// The most bytes that the learner may take; see [`Learner::learn`].
    pub max_memory: u64,
    /// The half-life of what was learned, in examples, 1 or more: after so many, half of the precision of every weight is forgotten, so
    /// that it moves as fast as if it had seen half as much. Learners without variances cannot.
    pub forget: Option<f64>,
}

impl Default for Setup {
    /// Two classes, errors that cost the same, and no limit.
    fn default() -> Self {
        Self {
            costs: Costs::default(),
            class_weights: ClassWeights::default(),
            task: Task::Binary,
            classes: 0,
            max_memory: u64::MAX,
            forget: None,
        }
    }
}

/// More memory would be needed than is allowed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{what} would need {} for {count} {of}, more than the {} allowed (`max_memory`)", size(*needed), size(*allowed))]
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

/// A part of a stored state is missing, or is not what the learner would have written.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the model's state does not fit its learner: {part}")]
pub struct StateError {
    /// Which part.
    pub part: String,
}

impl StateError {
    /// An error in this part of the state.
    pub fn new(part: impl Into<String>) -> Self {
        Self { part: part.into() }
    }
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

/// The base as a learner of the same kind.
pub(crate) fn same_kind<'a, L: Merge + 'static>(
    learner: &L,
    base: &'a dyn Learner,
) -> Result<&'a L, Unmergeable> {
    let base = base.winner().unwrap_or(base);
    let other = || Unmergeable::OtherLearner { learner: learner.spec(), other: base.spec() };
    let same = (base as &dyn Any).downcast_ref::<L>().ok_or_else(other)?;
    if same.spec() == learner.spec() { Ok(same) } else { Err(other()) }
}

/// All features with a weight, heavy ones first.
pub(crate) fn by_magnitude(weights: &[Weight]) -> Vec<Chosen> {
    let mut all: Vec<Chosen> =
        weights.iter().map(|w| Chosen { feature: w.feature, score: w.value.abs() }).collect();
    all.sort_by(|a, b| b.score.total_cmp(&a.score).then(a.feature.cmp(&b.feature)));
    all
}

impl Counts {
    /// The counts of a stored state.
    pub(crate) fn read(state: &Value) -> Result<Self, StateError> {
        serde_json::from_value(state["counts"].clone()).map_err(|_| StateError::new("counts"))
    }
}
