//! A full covariance: every pair of features that were seen together is remembered.
//!
//! ```text
//! z = Σx        v = x'z        β = ρ / (1 + ρ v)
//! Σ ← Σ − β z z'               (Σ⁻¹ ← Σ⁻¹ + ρ x x')
//! μ ← μ + along · z            rules of beliefs: with Σ as it was, or (1 − β v) z with Σ as it becomes
//! u ← u − β (x·u) z            rules whose weights are u = Σθ, when the example enters the metric; and then
//! u ← u + along (1 − β v) z    θ ← θ + along · x
//! ```
//!
//! An example of s features costs O(s d) for z and O(d²) for Σ, where d counts the features seen so far.

use std::collections::BTreeSet;

use serde_json::Value;

use crate::batch::{Batch, Class, Row};
use crate::cost::Costs;
use crate::gaussian::{Belief, Covariance, Gaussian, Mean};
use crate::learner::{Counts, Inspect, Learner, Merge, Persist, Setup, StateError, TooLarge, Weight};
use crate::loss::hinge;
use crate::member::{Member, Need, learn_within};
use crate::merge::Merging;
use crate::outcomes::{Outcome, Outcomes, bounded_variance, is_score};
use crate::params::{Params, spec};
use crate::progress::Progress;
use crate::rule::{About, Decider, Fold};
use crate::seen::{Seen, Target};

use super::symmetric::Symmetric;
use crate::slots::Slots;

/// A rule with a full covariance matrix.
pub trait FullRule: About + Params + Clone + Send + Sync + 'static {
    /// Does the example enter the metric before it is scored?
    const FOLD: Fold = Fold::Never;

    /// The same where a knob has a say: whether it stays there if there is no step.
    fn folds(&self) -> Fold {
        Self::FOLD
    }

    /// The variance of a feature never seen.
    fn fresh_variance(&self) -> f64 {
        1.0
    }

    /// The precision ρ that the example brings before it is scored, for rules that fold; `variance` is x'Σx.
    fn folded(&self, _variance: f64) -> f64 {
        0.0
    }

    /// The weight as of now.
    fn weight(&self, mean: f64) -> f64 {
        mean
    }

    /// What the prediction cost, before learning.
    fn loss(&self, seen: &Seen, target: &Target) -> f64 {
        hinge(target.y * seen.score)
    }

    /// The step to take, if any.
    fn decide(&self, seen: &Seen, target: &Target, loss: f64) -> Option<FullStep>;

    /// After every example that was learned from.
    fn tick(&mut self) {}
}

/// A rule that has a form with a full covariance, and a knob that asks for it.
pub trait WithCovariance: FullRule {
    /// What the knob asks for.
    fn covariance(&self) -> Covariance;

    /// Why there is no full form with the other knobs as they are, and what to do instead.
    fn no_full_form(&self) -> Option<&'static str> {
        None
    }
}

/// A step of a rule with a full covariance.
#[derive(Clone, Copy, Debug)]
pub struct FullStep {
    /// How far to go along Σx.
    pub along: f64,
    /// ρ: the precision that the step brings (0 for rules that fold: they have brought theirs already).
    pub precision: f64,
    /// Which Σ moves the mean.
    pub mean: Mean,
}

/// Rules of beliefs decide as they do with a diagonal.
impl<D: Decider<Cell = Gaussian>> FullRule for D {
    fn loss(&self, seen: &Seen, target: &Target) -> f64 {
        D::loss(self, seen, target)
    }

    fn decide(&self, seen: &Seen, target: &Target, loss: f64) -> Option<FullStep> {
        let Belief { along, precision, mean, .. } = D::decide(self, seen, target, loss)?;
        Some(FullStep { along, precision, mean })
    }

    fn tick(&mut self) {
        D::tick(self);
    }
}

/// A two-class learner with a full covariance.
#[derive(Clone)]
pub struct Full<W> {
    name: &'static str,
    rule: W,
    slots: Slots,
    /// μ, or u = Σθ.
    mean: Vec<f64>,
    sigma: Symmetric,
    progress: Progress,
    max_memory: u64,
    /// The example by slot, and Σx.
    x: Vec<(usize, f64)>,
    z: Vec<f64>,
}

impl<W: FullRule> Full<W> {
    /// A learner that has seen nothing.
    pub fn new(name: &'static str, rule: W, setup: &Setup) -> Self {
        Self {
            name,
            rule,
            slots: Slots::new(),
            mean: Vec::new(),
            sigma: Symmetric::default(),
            progress: Progress::new(setup.costs),
            max_memory: setup.max_memory,
            x: Vec::new(),
            z: Vec::new(),
        }
    }

    fn score_row(&self, row: Row) -> f64 {
        let known = row
            .iter()
            .filter_map(|(feature, x)| Some(self.rule.weight(self.mean[self.slots.get(feature)?]) * x));
        known.fold(0.0, |score, part| score + part)
    }

    /// x'Σx; `known` is room for the features that have a row.
    fn variance_of_row(&self, row: Row, known: &mut Vec<(usize, f64)>) -> f64 {
        known.clear();
        let mut new = 0.0;
        for (feature, x) in row.iter() {
            match self.slots.get(feature) {
                Some(slot) => known.push((slot, x)),
                None => new += self.rule.fresh_variance() * x * x,
            }
        }
        bounded_variance(new + self.sigma.quadratic(known))
    }

    /// Numbers the example's features; new ones get a row of their own.
    fn place(&mut self, row: Row) {
        self.x.clear();
        for (feature, x) in row.iter() {
            let slot = self.slots.get_or_add(feature);
            if slot == self.mean.len() {
                self.mean.push(0.0);
                self.sigma.push(self.rule.fresh_variance());
            }
            self.x.push((slot, x));
        }
    }

    fn learn_row(&mut self, row: Row, positive: bool, importance: f64) -> (f64, Outcome) {
        let (known, refused) = (self.mean.len(), self.progress.counts.rejected);
        self.place(row);
        let result = self.learn_placed(positive, importance);
        if self.progress.counts.rejected > refused {
            // Nor may its new features leave a trace.
            self.slots.truncate(known);
            self.mean.truncate(known);
            self.sigma.truncate(known);
        }
        result
    }

    fn learn_placed(&mut self, positive: bool, importance: f64) -> (f64, Outcome) {
        let Self { rule, mean, sigma, progress, x, z, .. } = self;
        sigma.multiply(x, z);
        let sum =
            |part: &dyn Fn(usize, f64) -> f64| x.iter().fold(0.0, |sum, &(slot, x)| sum + part(slot, x));
        let variance = sum(&|slot, x| z[slot] * x);

        // β and x·u of the example entering the metric: what makes u the u of the new metric.
        let entering = if W::FOLD == Fold::Never { 0.0 } else { rule.folded(variance) };
        let beta = entering / (1.0 + entering * variance);
        let pull = if beta == 0.0 { 0.0 } else { beta * sum(&|slot, x| mean[slot] * x) };
        let mut seen = Seen { variance, ..Seen::default() };
        seen.score = sum(&|slot, x| rule.weight(mean[slot] - pull * z[slot]) * x);
        seen.norm2 = sum(&|_, x| x * x);

        let target = progress.target(positive, importance);
        let loss = rule.loss(&seen, &target);
        if !is_score(seen.score) || !is_score(loss) || !variance.is_finite() {
            return (
                seen.score,
                progress.refuse(seen.score, loss, &target, |seen, target| rule.loss(seen, target)),
            );
        }
        let step = rule.decide(&seen, &target, loss);
        let enters = rule.folds() == Fold::Always || (rule.folds() == Fold::OnStep && step.is_some());
        let update = FullUpdate::of(step, variance, enters.then_some((beta, pull)));
        let mut next = rule.clone();
        next.tick();
        if !update.stays_finite(mean, z) || !next.is_finite() {
            progress.counts.rejected += 1;
            return (seen.score, Outcome { loss, updated: false });
        }
        mean.iter_mut().zip(z.iter()).for_each(|(mean, z)| *mean = update.moved(*mean, *z));
        update.shrinkages().into_iter().filter(|beta| *beta != 0.0).for_each(|beta| sigma.subtract(beta, z));
        *rule = next;
        progress.learned(positive, step.is_some());
        (seen.score, Outcome { loss, updated: step.is_some() })
    }
}

/// All that an example does to μ and Σ, both along z = Σx.
struct FullUpdate {
    /// β and the pull on u of an example that enters the metric.
    entering: Option<(f64, f64)>,
    /// β of the step, and how far the mean goes.
    step: Option<(f64, f64)>,
}

impl FullUpdate {
    fn of(step: Option<FullStep>, variance: f64, entering: Option<(f64, f64)>) -> Self {
        let entered = entering.map_or(0.0, |(beta, _)| beta);
        let step = step.map(|FullStep { along, precision, mean }| {
            let own = precision / (1.0 + precision * variance);
            let shrunken = match mean {
                Mean::Before => 1.0,
                Mean::After => 1.0 - (entered + own) * variance,
            };
            (own, along * shrunken)
        });
        Self { entering, step }
    }

    /// An entry of the mean, where z has this one.
    fn moved(&self, mean: f64, z: f64) -> f64 {
        let entered = self.entering.map_or(mean, |(_, pull)| mean - pull * z);
        self.step.map_or(entered, |(_, along)| entered + along * z)
    }

    /// What z z' is multiplied with before it is taken from Σ.
    fn shrinkages(&self) -> [f64; 2] {
        [self.entering, self.step].map(|part| part.map_or(0.0, |(beta, _)| beta))
    }

    /// Would all of μ and Σ stay finite? Of Σ the largest entry of z tells.
    fn stays_finite(&self, mean: &[f64], z: &[f64]) -> bool {
        let largest = z.iter().fold(0.0, |most: f64, z| most.max(z.abs()));
        self.shrinkages().iter().all(|beta| is_score(beta * largest) && is_score(beta * largest * largest))
            && mean.iter().zip(z).all(|(mean, z)| z.is_finite() && self.moved(*mean, *z).is_finite())
    }
}

impl<W: FullRule> Learner for Full<W> {
    fn learn(&mut self, batch: &Batch, outcomes: &mut Outcomes) -> Result<(), TooLarge> {
        learn_within(self.max_memory, self, batch, outcomes)
    }

    fn score(&self, batch: &Batch, outcomes: &mut Outcomes) {
        outcomes.clear();
        (0..batch.len()).for_each(|i| outcomes.push_score(self.score_row(batch.row(i))));
    }

    fn score_with_variance(&self, batch: &Batch, outcomes: &mut Outcomes, variances: &mut Vec<f64>) {
        self.score(batch, outcomes);
        variances.clear();
        let mut known = Vec::new();
        variances.extend((0..batch.len()).map(|i| self.variance_of_row(batch.row(i), &mut known)));
    }

    fn boost(&mut self, factor: f64) -> bool {
        self.sigma.inflate(factor.max(1.0), self.rule.fresh_variance());
        true
    }
}

impl<W: FullRule> Member for Full<W> {
    fn most_needed(&self, batch: &Batch) -> u64 {
        Symmetric::bytes(self.slots.len() + batch.nonzeros())
    }

    fn needed(&mut self, batch: &Batch) -> Need {
        let mut new: BTreeSet<u32> = BTreeSet::new();
        for i in 0..batch.len() {
            new.extend(batch.row(i).indices.iter().filter(|&&feature| self.slots.get(feature).is_none()));
        }
        let features = self.slots.len() + new.len();
        let bytes = Symmetric::bytes(features);
        Need { what: "covariance=full", count: features as u64, of: "features", bytes }
    }

    fn learn_unlimited(&mut self, batch: &Batch, outcomes: &mut Outcomes) {
        outcomes.collect(batch, |row, known| match known {
            Some((positive, importance)) if importance != 0.0 => self.learn_row(row, positive, importance),
            _ => (self.score_row(row), Outcome::NOTHING),
        });
    }

    fn fork_member(&self) -> Box<dyn Member> {
        Box::new(self.clone())
    }
}

impl<W: FullRule> Merge for Full<W> {
    fn merging(&self) -> Merging {
        Merging::NOT_FULL
    }
}

impl<W: FullRule> Inspect for Full<W> {
    fn spec(&self) -> String {
        spec(self.name, &self.rule)
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
        self.mean.iter().filter(|&&mean| self.rule.weight(mean) != 0.0).count()
    }

    fn memory(&self) -> usize {
        self.slots.memory() + size_of::<f64>() * (self.mean.capacity() + self.sigma.entries().len())
    }

    fn weights(&self) -> Vec<Weight> {
        let all = self.slots.features().iter().zip(&self.mean);
        let all = all.map(|(&feature, &mean)| Weight { feature, class: None, value: self.rule.weight(mean) });
        let mut nonzero: Vec<Weight> = all.filter(|w| w.value != 0.0).collect();
        nonzero.sort_by_key(|w| w.feature);
        nonzero
    }

    fn variance(&self, feature: u32, _class: Option<Class>) -> Option<f64> {
        let known = self.slots.get(feature).map(|slot| self.sigma.diagonal(slot));
        Some(known.unwrap_or_else(|| self.rule.fresh_variance()))
    }

    fn has_variance(&self) -> bool {
        true
    }
}

impl<W: FullRule> Persist for Full<W> {
    fn state(&self) -> Value {
        self.progress.state(&self.rule.memory())
    }

    fn write_cells(&self, out: &mut Vec<u8>) {
        self.slots.write(self.mean.iter().chain(self.sigma.entries()), out);
    }

    fn restore(&mut self, state: &Value, cells: &[u8]) -> Result<(), StateError> {
        self.progress.restore(state)?;
        self.rule.recall(&state["rule"]).map_err(StateError::new)?;
        let (slots, mut numbers) = Slots::read(cells)?;
        if numbers.len() < slots.len() {
            return Err(StateError::new("cells"));
        }
        let sigma = numbers.split_off(slots.len());
        self.sigma = Symmetric::of(slots.len(), sigma).ok_or_else(|| StateError::new("cells"))?;
        self.mean = numbers;
        self.slots = slots;
        Ok(())
    }

    fn fork(&self) -> Box<dyn Learner> {
        Box::new(self.clone())
    }

    fn fork_with(&self, _classes: usize, max_memory: u64) -> Box<dyn Learner> {
        Box::new(Self { max_memory, ..self.clone() })
    }
}
