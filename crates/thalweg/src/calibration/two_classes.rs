//! Two classes: the probability of the positive one.

use serde::{Deserialize, Serialize};

use super::sigmoid::{Sigmoid, sigmoid};
use crate::threshold::score_sketch::{Bin, ScoreSketch, Sides};

/// The sketch remembers so many examples of the rarer class.
const MEMORY: f64 = 2000.0;
/// The part of the rarer class that is worth a bin.
const FINEST: f64 = 1.0 / 64.0;
/// Examples of each class before anything is fitted.
const ENOUGH: u64 = 2;
/// How often a fit that begins anew is repeated: each takes few steps.
const FITS: usize = 10;
/// The curve has at most so many knots.
const KNOTS: f64 = 12.0;
/// What the sigmoid says counts as so many examples at each knot.
const TRUST: f64 = 20.0;
const LARGEST_SCORE: f64 = 1e300;
const LARGEST_IMPORTANCE: f64 = f32::MAX as f64;

/// Probabilities that follow from the scores of late: Platt's sigmoid, bent where many examples say otherwise, but never downwards.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct TwoClasses {
    sketch: ScoreSketch,
    sigmoid: Sigmoid,
    /// Scores in the sigmoid's units, and what is added to its log odds there.
    knots: Vec<(f64, f64)>,
    fitted: bool,
}

/// Neighbouring bins: the mean score in the sigmoid's units, the share of positives, the mass.
#[derive(Clone, Copy)]
struct Group {
    unit: f64,
    share: f64,
    mass: f64,
}

impl Default for TwoClasses {
    fn default() -> Self {
        let sketch = ScoreSketch::new(Sides::Both, FINEST, MEMORY);
        Self { sketch, sigmoid: Sigmoid::default(), knots: Vec::new(), fitted: false }
    }
}

impl TwoClasses {
    /// The probability that an example with this score is positive.
    pub(super) fn probability(&self, score: f64) -> f64 {
        let [negatives, positives] = self.sketch.events();
        if !self.fitted {
            return (positives as f64 + 1.0) / ((negatives + positives) as f64 + 2.0);
        }
        let score = if score.is_nan() { 0.0 } else { score.clamp(-LARGEST_SCORE, LARGEST_SCORE) };
        let unit = self.sigmoid.unit(score);
        sigmoid(self.sigmoid.log_odds(unit) + self.bend(unit))
    }

    pub(super) fn observe(&mut self, score: f64, positive: bool, importance: f64) {
        if score.is_nan() || importance.is_nan() || importance <= 0.0 {
            return;
        }
        let score = score.clamp(-LARGEST_SCORE, LARGEST_SCORE);
        let changed = self.sketch.add(score, usize::from(positive), importance.min(LARGEST_IMPORTANCE));
        if changed && self.sketch.events().into_iter().min() >= Some(ENOUGH) {
            self.fit();
        }
    }

    /// What is learned from two streams of these weights, side by side: fitted anew to the scores of both.
    pub(super) fn pooled(&self, weight: f64, other: &Self, others: f64) -> Self {
        let sketch = self.sketch.pooled(weight, &other.sketch, others);
        let mut pooled = Self { sketch, ..Self::default() };
        if self.fitted || other.fitted {
            (0..FITS).for_each(|_| pooled.fit());
        }
        pooled
    }

    /// Without what all streams had counted in common, so many times too often.
    pub(super) fn without(&mut self, common: &Self, times: u64) {
        self.sketch.without(&common.sketch, times);
    }

    fn fit(&mut self) {
        let (bins, totals) = (self.sketch.bins(), self.sketch.totals());
        self.sigmoid.fit(bins, totals);
        self.knots.clear();
        for group in increasing(groups(bins, totals, &self.sigmoid)) {
            let log_odds = (group.share / (1.0 - group.share)).ln();
            let bend = log_odds - self.sigmoid.log_odds(group.unit);
            if bend.is_finite() {
                self.knots.push((group.unit, bend));
            }
        }
        self.fitted = true;
    }

    /// What the knots add to the log odds: linear between them, constant beyond. The sum is linear between knots, too, so it increases with the score.
    fn bend(&self, unit: f64) -> f64 {
        let next = self.knots.partition_point(|knot| knot.0 < unit);
        let (left, right) = (next.checked_sub(1).and_then(|i| self.knots.get(i)), self.knots.get(next));
        match (left, right) {
            (Some(left), Some(right)) => left.1 + (right.1 - left.1) * ((unit - left.0) / (right.0 - left.0)),
            (Some(end), None) | (None, Some(end)) => end.1,
            (None, None) => 0.0,
        }
    }
}

/// Groups of bins with about the same mass, half of it counted over all examples and half over positives. The sigmoid's opinion is mixed in.
fn groups(bins: &[Bin], totals: [f64; 2], prior: &Sigmoid) -> Vec<Group> {
    let (mut groups, mut filled) = (Vec::new(), 0.0);
    let (mut mass, mut positive, mut units, mut expected) = (0.0, 0.0, 0.0, 0.0);
    for (i, bin) in bins.iter().enumerate() {
        let (here, unit) = (bin.mass[0] + bin.mass[1], prior.middle_of(bin));
        mass += here;
        positive += bin.mass[1];
        units += here * unit;
        expected += here * sigmoid(prior.log_odds(unit));
        filled += f64::midpoint(here / (totals[0] + totals[1]), bin.mass[1] / totals[1]);
        if mass > 0.0 && (filled >= 1.0 / KNOTS || i + 1 == bins.len()) {
            let share = (positive + TRUST * expected / mass) / (mass + TRUST);
            groups.push(Group { unit: units / mass, share, mass: mass + TRUST });
            (filled, mass, positive, units, expected) = (0.0, 0.0, 0.0, 0.0, 0.0);
        }
    }
    groups
}

/// Joins neighbours until shares increase: pool adjacent violators.
fn increasing(groups: Vec<Group>) -> Vec<Group> {
    let mut pooled: Vec<Group> = Vec::with_capacity(groups.len());
    for mut group in groups {
        while let Some(last) = pooled.pop_if(|last| last.share >= group.share || last.unit >= group.unit) {
            let mass = last.mass + group.mass;
            let mean = |a: f64, b: f64| (a * last.mass + b * group.mass) / mass;
            group = Group { unit: mean(last.unit, group.unit), share: mean(last.share, group.share), mass };
        }
        pooled.push(group);
    }
    pooled
}
