//! What both forms of the sketch share: knobs, costs, counts, and the course of a round.

use serde_json::Value;

use crate::batch::{Batch, Row};
use crate::cost::Costs;
use crate::learner::{Counts, Inspect, Learner, Persist, StateError, TooLarge, Weight};
use crate::loss::CostSensitive;
use crate::member::Member;
use crate::outcomes::{Outcome, Outcomes, bounded_variance, is_score};
use crate::params;
use crate::params::{Choice, Params, positive_finite, some, spec};
use crate::progress::Progress;
use crate::random::scramble;
use crate::seen::Seen;
use crate::slots::Slots;

params! {
    /// The knobs of the sketched learners.
    pub(crate) struct Knobs {
        /// Step size η.
        eta: f64 = 4.0, positive_finite;
        /// Regularisation γ: larger lets the metric move more slowly.
        gamma: f64 = 1.0, positive_finite;
        /// How many directions are kept, m: at most 256.
        sketch: u64 = 5, few;
        /// Turn the directions in every so many-th round only; with m, a round costs O(m² + m s).
        every: u64 = 1, some;
        /// The first directions: random (any number of features), or identity (features 1 to m).
        start: Start = Start::Random;
        /// The seed of random directions.
        seed: u64 = 0;
    }
}

/// Knob check: the size of a sketch.
fn few(value: u64) -> Result<(), &'static str> {
    if (1..=256).contains(&value) { Ok(()) } else { Err("must be between 1 and 256") }
}

/// The directions with which a sketch begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Start {
    /// m directions outside of all features, so that they are orthonormal from the first moment on, to which every new
    /// feature adds a random part of its own.
    Random,
    /// The features 1 to m.
    Identity,
}

impl Choice for Start {
    const CHOICES: &'static [(&'static str, Self)] =
        &[("random", Start::Random), ("identity", Start::Identity)];
}

impl Knobs {
    pub(super) fn directions(&self) -> usize {
        self.sketch as usize
    }

    /// Which of the first directions the feature is, if the start is the identity.
    pub(super) fn inherits(&self, feature: u32) -> Option<usize> {
        let direction = (feature as usize).checked_sub(1).filter(|i| *i < self.directions());
        direction.filter(|_| self.start == Start::Identity)
    }

    /// What a feature that comes after `known` others adds to each direction; false if the start is the identity.
    pub(super) fn share(&self, feature: u32, known: usize, share: &mut [f64]) -> bool {
        if self.start == Start::Identity {
            return false;
        }
        // As long as one of the features before it, so that early features have no lasting advantage.
        let scale = 1.0 / ((known + 1) as f64).sqrt();
        let word = [self.seed, u64::from(feature)].iter().fold(0, |hash, word| scramble(hash ^ word));
        share.iter_mut().zip(0..).for_each(|(share, direction)| *share = normal(word ^ direction) * scale);
        true
    }
}

/// A number that looks drawn from a normal distribution (a sum of four uniform ones of 16 bits), the same for the same word
/// on every machine and for ever: a resumed model must meet a new feature as it would have met it without the stop.
fn normal(word: u64) -> f64 {
    let hash = scramble(word);
    let sum = (0..4).map(|quarter| (hash >> (16 * quarter) & 0xffff) as f64 + 0.5).sum::<f64>() / 65_536.0;
    // Each uniform number has mean 1/2 and variance 1/12.
    (sum - 2.0) * 3.0f64.sqrt()
}

/// How a sketch is kept. Both forms say the same; they differ in what a round costs.
pub(crate) trait Form: Clone + Send + Sync + 'static {
    /// What scoring an example leaves for learning from it.
    type Sums: Clone + Default + Send + Sync;
    /// A sketch that has seen nothing.
    fn new(knobs: &Knobs) -> Self;
    /// Makes room for a feature, which is the `slot`-th.
    fn add(&mut self, knobs: &Knobs, slot: usize, feature: u32);
    /// The weight of a feature.
    fn weight(&self, slot: usize) -> f64;
    /// μ·x.
    fn score(&self, x: &[(usize, f64)], sums: &mut Self::Sums) -> f64;
    /// x'S'HSx: how much of |x|² the sketch takes away, for an example that has just been scored into the sums.
    fn known_part(&self, x: &[(usize, f64)], sums: &Self::Sums) -> f64;
    /// Notes where it stands, so that [`Self::undo`] can go back there.
    fn mark(&mut self);
    /// Goes back to the mark, after these features were added and [`Self::learn`] has failed.
    fn undo(&mut self, knobs: &Knobs, added: &[u32]);
    /// One round, for an example whose known features have just been scored into the sums. False if that would go beyond all
    /// numbers: what is left then must be undone.
    fn learn(&mut self, x: &[(usize, f64)], round: &Round, sums: &mut Self::Sums) -> bool;
    /// All that must be kept, as numbers.
    fn numbers(&self) -> Vec<f64>;
    /// Takes the numbers back; false if there are not as many as there must be.
    fn restore(&mut self, features: usize, numbers: &[f64]) -> bool;
}

/// What a round is to do.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Round {
    /// So many of the example's features were known before it.
    pub known: usize,
    /// √γ: the directions turn towards x̂ = x/√γ.
    pub root: f64,
    /// |x̂|².
    pub length2: f64,
    /// Do the directions turn?
    pub turn: bool,
    /// The weights move by −η (I − S'HS) g with g = −along · x, if at all.
    pub along: Option<f64>,
}

impl Round {
    /// No value of the example is larger.
    pub(super) fn reach(&self) -> f64 {
        self.length2.sqrt() * self.root
    }
}

/// Whatever a round would move further than this is refused: far beyond any real example, and far from what f64 can hold.
pub(super) const TOO_FAR: f64 = 1e100;

/// A cost-sensitive learner with a sketch of the covariance.
#[derive(Clone)]
pub(crate) struct Sketched<F: Form> {
    name: &'static str,
    variant: CostSensitive,
    knobs: Knobs,
    slots: Slots,
    form: F,
    progress: Progress,
    /// The example by slot, and those of its features that are new.
    x: Vec<(usize, f64)>,
    new: Vec<(u32, f64)>,
    sums: F::Sums,
}

impl<F: Form> Sketched<F> {
    /// A learner that has seen nothing.
    pub(crate) fn new(name: &'static str, variant: CostSensitive, knobs: Knobs, costs: Costs) -> Self {
        let form = F::new(&knobs);
        Self {
            name,
            variant,
            knobs,
            slots: Slots::new(),
            form,
            progress: Progress::new(costs),
            x: Vec::new(),
            new: Vec::new(),
            sums: F::Sums::default(),
        }
    }

    /// Sorts the example's features into known ones, by slot, and new ones.
    fn place(&self, row: Row, known: &mut Vec<(usize, f64)>, new: &mut Vec<(u32, f64)>) {
        known.clear();
        new.clear();
        for (feature, x) in row.iter() {
            match self.slots.get(feature) {
                Some(slot) => known.push((slot, x)),
                None => new.push((feature, x)),
            }
        }
    }

    fn learn_row(&mut self, row: Row, positive: bool, importance: f64) -> (f64, Outcome) {
        let (mut x, mut new) = (std::mem::take(&mut self.x), std::mem::take(&mut self.new));
        self.place(row, &mut x, &mut new);
        let result = self.learn_placed(&mut x, &new, positive, importance);
        (self.x, self.new) = (x, new);
        result
    }

    fn learn_placed(
        &mut self,
        x: &mut Vec<(usize, f64)>,
        new: &[(u32, f64)],
        positive: bool,
        importance: f64,
    ) -> (f64, Outcome) {
        let known = x.len();
        let score = self.form.score(x, &mut self.sums);
        let target = self.progress.target(positive, importance);
        let seen = Seen { score, ..Seen::default() };
        let loss = self.variant.value(&seen, &target);
        let values = x.iter().map(|(_, x)| *x).chain(new.iter().map(|(_, x)| *x));
        let length2 = values.fold(0.0, |sum, x| sum + x * x) / self.knobs.gamma;
        if !is_score(score) || !is_score(loss) || !(length2 * length2).is_finite() {
            let variant = self.variant;
            return (
                score,
                self.progress.refuse(score, loss, &target, |seen, target| variant.value(seen, target)),
            );
        }
        let before = self.slots.len();
        self.form.mark();
        for &(feature, value) in new {
            let slot = self.slots.get_or_add(feature);
            self.form.add(&self.knobs, slot, feature);
            x.push((slot, value));
        }
        let step = self.variant.step(self.knobs.eta, &seen, &target);
        let round = Round {
            known,
            root: self.knobs.gamma.sqrt(),
            length2,
            turn: self.progress.counts.examples.is_multiple_of(self.knobs.every),
            along: step,
        };
        if !self.form.learn(x, &round, &mut self.sums) {
            self.form.undo(&self.knobs, &self.slots.features()[before..]);
            self.slots.truncate(before);
            self.progress.counts.rejected += 1;
            return (score, Outcome { loss, updated: false });
        }
        self.progress.learned(positive, step.is_some());
        (score, Outcome { loss, updated: step.is_some() })
    }
}

impl<F: Form> Learner for Sketched<F> {
    fn learn(&mut self, batch: &Batch, outcomes: &mut Outcomes) -> Result<(), TooLarge> {
        self.learn_unlimited(batch, outcomes);
        Ok(())
    }

    fn score(&self, batch: &Batch, outcomes: &mut Outcomes) {
        let (mut x, mut new, mut sums) = (Vec::new(), Vec::new(), F::Sums::default());
        outcomes.clear();
        for i in 0..batch.len() {
            self.place(batch.row(i), &mut x, &mut new);
            outcomes.push_score(self.form.score(&x, &mut sums));
        }
    }

    fn score_with_variance(&self, batch: &Batch, outcomes: &mut Outcomes, variances: &mut Vec<f64>) {
        let (mut x, mut new, mut sums) = (Vec::new(), Vec::new(), F::Sums::default());
        outcomes.clear();
        variances.clear();
        for i in 0..batch.len() {
            self.place(batch.row(i), &mut x, &mut new);
            outcomes.push_score(self.form.score(&x, &mut sums));
            let length2 = batch.row(i).iter().fold(0.0, |sum, (_, x)| sum + x * x);
            // Where both are beyond all numbers, there is no difference.
            let known = self.form.known_part(&x, &sums);
            let variance = if length2.is_finite() { length2 - known } else { length2 };
            variances.push(bounded_variance(variance));
        }
    }
}

impl<F: Form> Member for Sketched<F> {
    fn learn_unlimited(&mut self, batch: &Batch, outcomes: &mut Outcomes) {
        let (mut x, mut new, mut sums) = (Vec::new(), Vec::new(), F::Sums::default());
        outcomes.collect(batch, |row, known| match known {
            Some((positive, importance)) if importance != 0.0 => self.learn_row(row, positive, importance),
            _ => {
                self.place(row, &mut x, &mut new);
                (self.form.score(&x, &mut sums), Outcome::NOTHING)
            }
        });
    }

    fn fork_member(&self) -> Box<dyn Member> {
        Box::new(self.clone())
    }
}

impl<F: Form> Inspect for Sketched<F> {
    fn spec(&self) -> String {
        spec(self.name, &self.knobs)
    }

    fn costs(&self) -> Costs {
        self.progress.costs.declared
    }

    fn counts(&self) -> Counts {
        self.progress.counts
    }

    fn features(&self) -> usize {
        self.slots.len()
    }

    fn nonzeros(&self) -> usize {
        (0..self.slots.len()).filter(|&slot| self.form.weight(slot) != 0.0).count()
    }

    fn memory(&self) -> usize {
        self.slots.memory() + self.slots.len() * (self.knobs.directions() + 1) * size_of::<f64>()
    }

    fn weights(&self) -> Vec<Weight> {
        let all = self.slots.features().iter().enumerate();
        let all = all.map(|(slot, &feature)| Weight { feature, class: None, value: self.form.weight(slot) });
        let mut nonzero: Vec<Weight> = all.filter(|w| w.value != 0.0).collect();
        nonzero.sort_by_key(|w| w.feature);
        nonzero
    }

    fn has_variance(&self) -> bool {
        true
    }
}

impl<F: Form> Persist for Sketched<F> {
    fn state(&self) -> Value {
        self.progress.state(&self.knobs.memory())
    }

    fn write_cells(&self, out: &mut Vec<u8>) {
        self.slots.write(&self.form.numbers(), out);
    }

    fn restore(&mut self, state: &Value, cells: &[u8]) -> Result<(), StateError> {
        self.progress.restore(state)?;
        let (slots, numbers) = Slots::read(cells)?;
        if !self.form.restore(slots.len(), &numbers) {
            return Err(StateError::new("cells"));
        }
        self.slots = slots;
        Ok(())
    }

    fn fork(&self) -> Box<dyn Learner> {
        Box::new(self.clone())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_look_normal_and_never_change() {
        let knobs = Knobs::default();
        let mut all = vec![0.0; 5 * 2_000];
        for (feature, share) in (0..).zip(all.chunks_exact_mut(5)) {
            assert!(knobs.share(feature, 0, share));
        }
        let mean = all.iter().sum::<f64>() / all.len() as f64;
        let variance = all.iter().map(|x| (x - mean) * (x - mean)).sum::<f64>() / all.len() as f64;
        assert!(mean.abs() < 0.05 && (variance - 1.0).abs() < 0.05, "{mean} {variance}");
        // A pinned value: another one would make resumed models differ from those that never stopped.
        assert_eq!(normal(7), PINNED);
    }

    const PINNED: f64 = -0.563_413_377_620_747_7;
}
