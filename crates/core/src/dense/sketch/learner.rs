//! What both forms of the sketch share: knobs, costs, counts, and the course of a round.

use serde_json::Value;

use crate::batch::{Batch, Row};
use crate::cell::Number;
use crate::cost::Costs;
use crate::dense::slots::Slots;
use crate::learner::{Counts, Learner, Outcome, Outcomes, Tally, Weight};
use crate::loss::CostSensitive;
use crate::model::ModelError;
use crate::params;
use crate::params::{Choice, Params, positive_finite, spec};
use crate::random::scramble;
use crate::rule::Seen;

params! {
    /// The knobs of the sketched learners.
    pub struct Knobs {
        /// Step size η.
        eta: f64 = 4.0, positive_finite;
        /// Regularisation γ: larger lets the metric move more slowly.
        gamma: f64 = 1.0, positive_finite;
        /// How many directions are kept, m.
        sketch: u64 = 5, few;
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
pub enum Start {
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

    /// What a feature that comes after `known` others adds to each direction; nothing if the start is the identity.
    pub(super) fn share(&self, feature: u32, known: usize) -> Option<Vec<f64>> {
        // As long as one of the features before it, so that early features have no lasting advantage.
        let scale = 1.0 / ((known + 1) as f64).sqrt();
        let share = || (0..self.directions()).map(|i| self.normal(feature, i) * scale).collect();
        (self.start == Start::Random).then(share)
    }

    /// A number that looks drawn from a normal distribution (a sum of twelve uniform ones), the same for the same
    /// seed, feature and direction on every machine and for ever: a resumed model must meet a new feature as it would
    /// have met it without the stop.
    fn normal(&self, feature: u32, direction: usize) -> f64 {
        let uniform = |part: u64| {
            let words = [self.seed, u64::from(feature), direction as u64, part];
            let hash = words.iter().fold(0, |hash: u64, word| scramble(hash ^ word));
            // Four numbers of 16 bits from every hash.
            (0..4).map(|quarter| (hash >> (16 * quarter) & 0xffff) as f64 + 0.5).sum::<f64>() / 65_536.0
        };
        (0..3).map(uniform).sum::<f64>() - 6.0
    }
}

/// How a sketch is kept. Both forms say the same; they differ in what a round costs.
pub trait Form: Clone + Send + Sync + 'static {
    /// A sketch that has seen nothing.
    fn new(knobs: &Knobs) -> Self;
    /// Makes room for a feature, which is the `slot`-th.
    fn add(&mut self, knobs: &Knobs, slot: usize, feature: u32);
    /// The weight of a feature.
    fn weight(&self, slot: usize) -> f64;
    /// The weight of the feature that one of the first directions is, as long as it has not come.
    fn unseen(&self, direction: usize) -> f64;
    /// Turns the directions towards the example (x̂ = x/√γ); false, and nothing is done, if that would go beyond all
    /// numbers.
    fn turn(&mut self, x: &[(usize, f64)]) -> bool;
    /// Moves the weights by −η (I − S'HS) g with g = −along · x.
    fn step(&mut self, x: &[(usize, f64)], along: f64);
    /// All that must be kept, as numbers.
    fn numbers(&self) -> Vec<f64>;
    /// Takes the numbers back; false if there are not as many as there must be.
    fn restore(&mut self, features: usize, numbers: &[f64]) -> bool;
}

/// A cost-sensitive learner with a sketch of the covariance.
#[derive(Clone)]
pub struct Sketched<F> {
    name: &'static str,
    variant: CostSensitive,
    knobs: Knobs,
    slots: Slots,
    form: F,
    tally: Tally,
    x: Vec<(usize, f64)>,
}

impl<F: Form> Sketched<F> {
    /// A learner that has seen nothing.
    pub fn new(name: &'static str, variant: CostSensitive, knobs: Knobs, costs: Costs) -> Self {
        let form = F::new(&knobs);
        Self { name, variant, knobs, slots: Slots::new(), form, tally: Tally::new(costs), x: Vec::new() }
    }

    fn score(&self, row: Row) -> f64 {
        let known =
            row.iter().filter_map(|(feature, x)| Some(self.form.weight(self.slots.get(feature)?) * x));
        known.fold(0.0, |score, part| score + part)
    }

    fn learn(&mut self, row: Row, positive: bool, weight: f64) -> (f64, Outcome) {
        let score = self.score(row);
        let target = self.tally.target(positive, weight);
        let seen = Seen { score, ..Seen::default() };
        let loss = self.variant.value(&seen, &target);
        let length2 = row.iter().fold(0.0, |sum, (_, x)| sum + x * x) / self.knobs.gamma;
        if !score.is_finite() || !(length2 * length2).is_finite() {
            self.tally.counts.rejected += 1;
            return (score, Outcome { loss, updated: false });
        }
        self.x.clear();
        for (feature, x) in row.iter() {
            let known = self.slots.len();
            let slot = self.slots.get_or_add(feature);
            if slot == known {
                self.form.add(&self.knobs, slot, feature);
            }
            self.x.push((slot, x));
        }
        let root = self.knobs.gamma.sqrt();
        self.x.iter_mut().for_each(|(_, x)| *x /= root);
        if !self.form.turn(&self.x) {
            self.tally.counts.rejected += 1;
            return (score, Outcome { loss, updated: false });
        }
        let step = self.variant.step(self.knobs.eta, &seen, &target);
        if let Some(along) = step {
            self.form.step(&self.x, along * root);
        }
        self.tally.learned(positive, step.is_some());
        (score, Outcome { loss, updated: step.is_some() })
    }
}

impl<F: Form> Learner for Sketched<F> {
    fn spec(&self) -> String {
        spec(self.name, &self.knobs)
    }

    fn costs(&self) -> Costs {
        self.tally.prices.costs
    }

    fn learn_batch(&mut self, batch: &Batch, outcomes: &mut Outcomes) {
        outcomes.collect(batch, |row, known| match known {
            Some((positive, weight)) if weight != 0.0 => self.learn(row, positive, weight),
            _ => (self.score(row), Outcome::NOTHING),
        });
    }

    fn score_batch(&self, batch: &Batch, outcomes: &mut Outcomes) {
        outcomes.clear();
        (0..batch.len()).for_each(|i| outcomes.push_score(self.score(batch.row(i))));
    }

    fn weights(&self) -> Vec<Weight> {
        let all = self.slots.features().iter().enumerate();
        let all = all.map(|(slot, &feature)| Weight { feature, class: None, value: self.form.weight(slot) });
        let mut nonzero: Vec<Weight> = all.filter(|w| w.value != 0.0).collect();
        nonzero.sort_by_key(|w| w.feature);
        nonzero
    }

    fn nonzeros(&self) -> usize {
        (0..self.slots.len()).filter(|&slot| self.form.weight(slot) != 0.0).count()
    }

    fn features(&self) -> usize {
        self.slots.len()
    }

    fn memory(&self) -> usize {
        self.slots.memory() + self.slots.len() * (self.knobs.directions() + 1) * size_of::<f64>()
    }

    fn counts(&self) -> Counts {
        self.tally.counts
    }

    fn state(&self) -> Value {
        self.tally.state(&self.knobs.memory())
    }

    fn write_cells(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(&(self.slots.len() as u64).to_le_bytes());
        self.slots.features().iter().for_each(|feature| feature.write(out));
        self.form.numbers().iter().for_each(|number| number.write(out));
    }

    fn restore(&mut self, state: &Value, cells: &[u8]) -> Result<(), ModelError> {
        let misfit = |field: &str| ModelError::State(field.to_string());
        self.tally.restore(state)?;
        let (slots, numbers) = Slots::read(cells).ok_or_else(|| misfit("cells"))?;
        if !self.form.restore(slots.len(), &numbers) {
            return Err(misfit("cells"));
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
        let all: Vec<f64> = (0..2_000).flat_map(|feature| knobs.share(feature, 0).unwrap()).collect();
        let mean = all.iter().sum::<f64>() / all.len() as f64;
        let variance = all.iter().map(|x| (x - mean) * (x - mean)).sum::<f64>() / all.len() as f64;
        assert!(mean.abs() < 0.05 && (variance - 1.0).abs() < 0.05, "{mean} {variance}");
        // A pinned value: another one would make resumed models differ from those that never stopped.
        assert_eq!(knobs.normal(7, 2).to_bits(), PINNED);
    }

    const PINNED: u64 = 13_832_683_385_044_074_496;
}
