//! The course of a stream for learners that take their examples by the batch.

use std::ops::Range;

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::Real;
use crate::batch::{BIAS, Batch, Class, Row};
use crate::cost::Costs;
use crate::keyed_hash::KeyedSet;
use crate::learner::{
    Chosen, Counts, Inspect, Learner, Merge, Persist, Setup, StateError, TooLarge, Weight, by_magnitude,
};
use crate::loss::hinge;
use crate::member::{Member, Need, learn_within};
use crate::merge::Merging;
use crate::outcomes::{Outcome, Outcomes, is_score};
use crate::params::{Params, spec};
use crate::progress::Progress;
use crate::rule::About;
use crate::slots::Slots;

use super::estimate::Estimate;
use super::examples::Examples;
use super::size::Auto;

/// What the author of a batch learner writes.
pub trait Solver: About + Params + Clone + Send + Sync + 'static {
    /// Does it keep a covariance of all features?
    const WHOLE: bool = false;

    /// Do features stay that a batch does not have?
    fn keeps_features(&self) -> bool {
        Self::WHOLE
    }

    /// How many examples make a batch.
    fn batch(&self) -> Auto;

    /// Bytes of the covariances that a batch takes, if there are so many features.
    fn covariances(&self, _features: usize) -> u64 {
        0
    }

    /// Learns from the `number`-th batch (from 0), given what is known from those before it. Nothing where the numbers
    /// go beyond all bounds.
    fn solve(&self, examples: &Examples, known: &Estimate, number: u64) -> Option<Estimate>;
}

/// Bytes of an example besides its values: where it ends, label, importance, y and stake.
const EXAMPLE: u64 =
    (size_of::<usize>() + size_of::<Option<Class>>() + size_of::<f32>() + 2 * size_of::<f64>()) as u64;

/// Values beyond this would drown every other example of the batch in rounding errors.
const LARGEST: f64 = 1e50;

/// A learner that gathers batches for a solver.
///
/// A batch is learned from as soon as it is full. When the data ends, what is left is learned from as well, but only for
/// the time being: the examples stay, so that training can go on as if it had never ended. Without a given size
/// (`batch=auto`) the batch ends with the data.
#[derive(Clone)]
pub struct Batched<S> {
    name: &'static str,
    solver: S,
    /// After the last full batch.
    committed: BatchState,
    /// The examples since then.
    waiting: Batch,
    /// What it would be with the waiting examples, once the data has ended.
    provisional: Option<BatchState>,
    /// The highest feature that waits or is known, except the bias.
    highest: u32,
    /// Every feature seen, once they had to be counted: the highest no longer shows that a covariance of all fits into memory.
    vocabulary: Option<KeyedSet<u32>>,
    max_memory: u64,
}

/// The highest feature of a batch, except the bias.
fn highest(batch: &Batch) -> u32 {
    let last = |i| batch.row(i).indices.iter().rev().find(|feature| **feature != BIAS).copied();
    (0..batch.len()).filter_map(last).max().unwrap_or_default()
}

/// What is known after a batch.
#[derive(Clone)]
struct BatchState {
    known: Estimate,
    slots: Slots,
    progress: Progress,
}

impl BatchState {
    fn score(&self, row: Row) -> f64 {
        if self.known.weights.is_empty() {
            return 0.0;
        }
        let known =
            row.iter().filter_map(|(feature, x)| Some(self.known.weights[self.slots.get(feature)?] * x));
        known.fold(0.0, |score, part| score + part)
    }

    /// After one more batch.
    fn after<S: Solver>(&self, solver: &S, batch: Batch) -> Self {
        let mut progress = self.progress.clone();
        let size = batch.len() as u64;
        // All labels of the batch are known, so its own imbalance counts.
        batch.labels().iter().for_each(|label| progress.costs.count(*label == Some(1)));
        let columns = if solver.keeps_features() { &self.known.features[..] } else { &[] };
        let examples = Examples::of(batch, columns, &progress.costs);
        let solved = solver.solve(&examples, &self.known, self.progress.counts.updates);
        let Some(known) = solved.filter(Estimate::is_sound) else {
            let mut same = self.clone();
            same.progress.counts.rejected += size;
            return same;
        };
        progress.counts.examples += size;
        progress.counts.updates += 1;
        Self { slots: known.slots(), known, progress }
    }
}

/// The part of a model file that is not readable.
#[derive(Serialize, Deserialize)]
struct Stored {
    known: Estimate,
    waiting: Vec<StoredExample>,
    finished: bool,
}

/// Class, importance, features.
type StoredExample = (Class, f32, Vec<(u32, Real)>);

impl<S: Solver> Batched<S> {
    /// A learner that has seen nothing.
    pub fn new(name: &'static str, solver: S, setup: &Setup) -> Self {
        let committed = BatchState {
            known: Estimate::default(),
            slots: Slots::new(),
            progress: Progress::new(setup.costs),
        };
        Self {
            name,
            solver,
            committed,
            waiting: Batch::default(),
            provisional: None,
            highest: 0,
            vocabulary: None,
            max_memory: setup.max_memory,
        }
    }

    fn current(&self) -> &BatchState {
        self.provisional.as_ref().unwrap_or(&self.committed)
    }

    /// Can the example, which has this score, be learned from? Nothing can be learned without a label, or without importance.
    fn is_wanted(&mut self, batch: &Batch, i: usize, score: f64) -> bool {
        if batch.labels()[i].is_none() || batch.importances()[i] == 0.0 {
            return false;
        }
        let absurd = !is_score(score) || batch.row(i).values.iter().any(|x| f64::from(x.abs()) > LARGEST);
        self.committed.progress.counts.rejected += u64::from(absurd);
        !absurd
    }

    /// Lets some examples wait, without their ids.
    fn keep(&mut self, batch: &Batch, examples: Range<usize>) {
        self.waiting.extend_from(batch, examples);
        self.waiting.set_ids(std::iter::empty());
    }

    /// Bytes that the waiting examples would take with one more batch, once they are learned from: their values by row and by column.
    fn waiting_bytes(&self, batch: &Batch) -> u64 {
        let values = (self.waiting.nonzeros() + batch.nonzeros()) as u64;
        let examples = (self.waiting.len() + batch.len()) as u64;
        values * 2 * (size_of::<u32>() + size_of::<Real>()) as u64 + examples * EXAMPLE
    }

    /// Bytes of covariances, those that are known included, if there are so many features.
    fn covariances(&self, features: usize) -> u64 {
        let known = if S::WHOLE { 0 } else { self.committed.known.memory() as u64 };
        self.solver.covariances(features).saturating_add(known)
    }

    /// No more features than this would be known with one more batch: all up to the highest, and the bias.
    fn most_features(&self, batch: &Batch) -> usize {
        self.highest.max(highest(batch)) as usize + 2
    }

    /// How many features would be known with one more batch.
    fn count_features(&mut self, batch: &Batch) -> usize {
        let known = self.vocabulary.take().unwrap_or_else(|| self.seen());
        let known = self.vocabulary.insert(known);
        let indices = (0..batch.len()).flat_map(|i| batch.row(i).indices);
        known.len() + indices.filter(|feature| !known.contains(feature)).collect::<KeyedSet<_>>().len()
    }

    /// All features that are known or wait.
    fn seen(&self) -> KeyedSet<u32> {
        let waiting = (0..self.waiting.len()).flat_map(|i| self.waiting.row(i).indices);
        self.committed.known.features.iter().chain(waiting).copied().collect()
    }

    fn close(&mut self) {
        self.committed = self.committed.after(&self.solver, std::mem::take(&mut self.waiting));
    }
}

impl<S: Solver> Learner for Batched<S> {
    fn learn(&mut self, batch: &Batch, outcomes: &mut Outcomes) -> Result<(), TooLarge> {
        learn_within(self.max_memory, self, batch, outcomes)
    }

    fn finish(&mut self) {
        if self.waiting.is_empty() {
            return;
        }
        match self.solver.batch() {
            Auto::Auto => self.close(),
            Auto::Of(_) => self.provisional = Some(self.committed.after(&self.solver, self.waiting.clone())),
        }
    }

    fn score(&self, batch: &Batch, outcomes: &mut Outcomes) {
        outcomes.clear();
        (0..batch.len()).for_each(|i| outcomes.push_score(self.current().score(batch.row(i))));
    }
}

impl<S: Solver> Member for Batched<S> {
    fn most_needed(&self, batch: &Batch) -> u64 {
        self.waiting_bytes(batch).max(self.covariances(self.most_features(batch)))
    }

    fn needed(&mut self, batch: &Batch) -> Need {
        let examples = (self.waiting.len() + batch.len()) as u64;
        let waiting =
            Need { what: "a batch", count: examples, of: "examples", bytes: self.waiting_bytes(batch) };
        let features = self.count_features(batch);
        let bytes = self.covariances(features);
        waiting.or_larger(Need { what: self.name, count: features as u64, of: "features", bytes })
    }

    fn learn_unlimited(&mut self, batch: &Batch, outcomes: &mut Outcomes) {
        outcomes.clear();
        self.provisional = None;
        // Wanted examples are copied in runs: here the next one begins.
        let mut start = 0;
        for i in 0..batch.len() {
            let score = self.committed.score(batch.row(i));
            outcomes.push_score(score);
            if self.committed.progress.counts.examples == 0 {
                outcomes.before_knowledge = i + 1;
            }
            let mut outcome = Outcome::NOTHING;
            if let Some(class) = batch.labels()[i].filter(|_| batch.importances()[i] != 0.0) {
                let opinion = if is_score(score) { score } else { 0.0 };
                outcome.loss = hinge(if class == 1 { opinion } else { -opinion });
            }
            if !self.is_wanted(batch, i, score) {
                self.keep(batch, start..i);
                start = i + 1;
            } else if self.solver.batch() == Auto::Of(self.waiting.len() + i + 1 - start) {
                self.keep(batch, start..i + 1);
                start = i + 1;
                self.close();
                outcome.updated = true;
            }
            outcomes.push_outcome(outcome);
        }
        self.keep(batch, start..batch.len());
        self.highest = self.highest.max(highest(batch));
        if let Some(vocabulary) = &mut self.vocabulary {
            vocabulary.extend((0..batch.len()).flat_map(|i| batch.row(i).indices));
        }
    }

    fn fork_member(&self) -> Box<dyn Member> {
        Box::new(self.clone())
    }
}

impl<S: Solver> Merge for Batched<S> {
    fn merging(&self) -> Merging {
        Merging::NOT_BATCHES
    }
}

impl<S: Solver> Inspect for Batched<S> {
    fn spec(&self) -> String {
        spec(self.name, &self.solver)
    }

    fn costs(&self) -> Costs {
        self.committed.progress.costs.declared
    }

    fn counts(&self) -> Counts {
        self.current().progress.counts
    }

    fn features(&self) -> usize {
        self.current().known.features.len()
    }

    fn nonzeros(&self) -> usize {
        self.current().known.weights.iter().filter(|weight| **weight != 0.0).count()
    }

    fn memory(&self) -> usize {
        let waiting = self.waiting.nonzeros() * (size_of::<u32>() + size_of::<Real>());
        self.current().known.memory() + self.current().slots.memory() + waiting
    }

    fn weights(&self) -> Vec<Weight> {
        let known = &self.current().known;
        let all = known.features.iter().zip(&known.weights);
        let all = all.map(|(&feature, &value)| Weight { feature, class: None, value });
        all.filter(|w| w.value != 0.0).collect()
    }

    fn chosen(&self) -> Vec<Chosen> {
        let known = &self.current().known;
        if known.chosen.is_empty() { by_magnitude(&self.weights()) } else { known.chosen.clone() }
    }

    fn variance(&self, feature: u32, _class: Option<Class>) -> Option<f64> {
        let known = &self.current().known;
        (!known.blocks.is_empty()).then(|| known.variance(feature))
    }
}

impl<S: Solver> Persist for Batched<S> {
    fn state(&self) -> Value {
        let mut state = self.committed.progress.state(&json!({}));
        state["waiting"] = self.waiting.len().into();
        state
    }

    fn write_cells(&self, out: &mut Vec<u8>) {
        let waiting = (0..self.waiting.len()).map(|i| {
            let row = self.waiting.row(i);
            let features = row.indices.iter().copied().zip(row.values.iter().copied()).collect();
            (self.waiting.labels()[i].unwrap_or_default(), self.waiting.importances()[i], features)
        });
        let stored = Stored {
            known: self.committed.known.clone(),
            waiting: waiting.collect(),
            finished: self.provisional.is_some(),
        };
        out.append(&mut postcard::to_stdvec(&stored).expect("numbers and lists can always be written"));
    }

    fn restore(&mut self, state: &Value, cells: &[u8]) -> Result<(), StateError> {
        let misfit = || StateError::new("cells");
        self.committed.progress.restore(state)?;
        let stored: Stored = postcard::from_bytes(cells).map_err(|_| misfit())?;
        if !stored.known.is_sound() {
            return Err(misfit());
        }
        self.committed.slots = stored.known.slots();
        self.committed.known = stored.known;
        self.waiting.clear();
        for (class, importance, features) in stored.waiting {
            let features = features.into_iter().map(|(feature, x)| (feature, f64::from(x)));
            self.waiting.push_with_importance(features, Some(class), importance).map_err(|_| misfit())?;
        }
        let known = self.committed.known.features.iter().filter(|feature| **feature != BIAS);
        self.highest = highest(&self.waiting).max(known.max().copied().unwrap_or_default());
        self.vocabulary = None;
        self.provisional = None;
        if stored.finished {
            self.finish();
        }
        Ok(())
    }

    fn fork(&self) -> Box<dyn Learner> {
        Box::new(self.clone())
    }

    fn fork_with(&self, _classes: usize, max_memory: u64) -> Box<dyn Learner> {
        Box::new(Self { max_memory, ..self.clone() })
    }
}
