//! Platt's scaling: the probability is the sigmoid of a linear function of the score.

use serde::{Deserialize, Serialize};

use crate::threshold::score_sketch::Bin;

/// The part of the two classes, on either end, that has no say in what is an ordinary score.
const END: f64 = 0.02;
/// Scores further from the middle than so many times the ordinary ones count as if they were there.
const REACH: f64 = 3.0;
/// Newton steps for each fit. The scores of late change little between two fits, so the last one is close.
const STEPS: usize = 2;
/// A step changes no number by more than this.
const LONGEST_STEP: f64 = 2.0;
/// Numbers of the sigmoid are at most this: σ(50) is 1 in f64.
const LARGEST: f64 = 50.0;

/// p = σ(slope · z + offset), where z is the score in units of ordinary scores. The slope is never negative.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Sigmoid {
    slope: f64,
    offset: f64,
    /// Ordinary scores are from `middle − half` to `middle + half`.
    middle: f64,
    half: f64,
}

impl Default for Sigmoid {
    fn default() -> Self {
        Self { slope: 0.0, offset: 0.0, middle: 0.0, half: 1.0 }
    }
}

impl Sigmoid {
    /// The score in units of ordinary ones.
    pub(super) fn unit(&self, score: f64) -> f64 {
        ((score - self.middle) / self.half).clamp(-REACH, REACH)
    }

    /// The middle of a bin, in the same units.
    pub(super) fn middle_of(&self, bin: &Bin) -> f64 {
        f64::midpoint(self.unit(bin.low), self.unit(bin.high))
    }

    /// The log odds of a score in these units.
    pub(super) fn log_odds(&self, unit: f64) -> f64 {
        self.slope * unit + self.offset
    }

    /// Fits it to the bins, beginning with what it is. Both classes have examples.
    pub(super) fn fit(&mut self, bins: &[Bin], totals: [f64; 2]) {
        self.change_units(bins, totals);
        // Platt's targets: as if each class had one more example of the other kind. Without them separable classes would have no solution.
        let targets = [1.0 / (totals[0] + 2.0), (totals[1] + 1.0) / (totals[1] + 2.0)];
        for _ in 0..STEPS {
            self.step(bins, targets);
        }
    }

    /// The same function in the units of these bins.
    fn change_units(&mut self, bins: &[Bin], totals: [f64; 2]) {
        let (Some(first), Some(last)) = (bins.first(), bins.last()) else { return };
        let share = |bin: &Bin| f64::midpoint(bin.mass[0] / totals[0], bin.mass[1] / totals[1]);
        let beyond_end = |sum: &mut f64, bin: &&Bin| {
            *sum += share(bin);
            *sum > END
        };
        let (mut below, mut above) = (0.0, 0.0);
        let low = bins.iter().find(|bin| beyond_end(&mut below, bin)).unwrap_or(first).low;
        let high = bins.iter().rev().find(|bin| beyond_end(&mut above, bin)).unwrap_or(last).high;
        let middle = f64::midpoint(low, high);
        // All scores may be the same.
        let half = (high / 2.0 - low / 2.0).max(1e-9 * middle.abs()).max(1e-290);
        let offset = self.offset + self.slope * self.unit(middle);
        *self = Self { slope: tame(self.slope / self.half * half), offset: tame(offset), middle, half };
    }

    /// One step of Newton's method on the log loss.
    fn step(&mut self, bins: &[Bin], targets: [f64; 2]) {
        let (mut g0, mut g1, mut h00, mut h01, mut h11) = (0.0, 0.0, 0.0, 0.0, 0.0);
        for bin in bins {
            let unit = self.middle_of(bin);
            let p = sigmoid(self.log_odds(unit));
            let mass = bin.mass[0] + bin.mass[1];
            let g = mass * p - bin.mass[0] * targets[0] - bin.mass[1] * targets[1];
            let h = mass * (p * (1.0 - p)).max(1e-6);
            g0 += g;
            g1 += g * unit;
            h00 += h;
            h01 += h * unit;
            h11 += h * unit * unit;
        }
        let determinant = h00 * h11 - h01 * h01;
        let (offset, slope) = if determinant > 1e-12 * h00 * h11 {
            ((h11 * g0 - h01 * g1) / determinant, (h00 * g1 - h01 * g0) / determinant)
        } else {
            // Only one score: it says nothing but how frequent the classes are.
            (g0 / h00, 0.0)
        };
        let shorten = (offset.abs().max(slope.abs()) / LONGEST_STEP).max(1.0);
        self.offset = tame(self.offset - offset / shorten);
        self.slope = tame(self.slope - slope / shorten).max(0.0);
    }
}

fn tame(number: f64) -> f64 {
    if number.is_nan() { 0.0 } else { number.clamp(-LARGEST, LARGEST) }
}

/// 1 / (1 + e⁻ˣ).
pub(super) fn sigmoid(x: f64) -> f64 {
    1.0 / (1.0 + (-x).exp())
}
