//! Adaptive regularization of weights.

use crate::cost::CostUse;
use crate::dense::WithCovariance;
use crate::gaussian::{Belief, Covariance, Denominator, Gaussian, Mean};
use crate::merge::Merging;
use crate::params;
use crate::params::positive_finite;
use crate::rule::{About, Decider, Family};
use crate::seen::{Seen, Target};

params! {
    /// Adaptive regularisation of weights: a normal distribution over the weights, moved softly.
    ///
    /// ```text
    /// loss = max(0, c − y μ·x)             c is the cost of this error, 1 unless declared
    /// v = x'Σx        β = 1 / (v + r)
    /// μ ← μ + loss β y Σx                  if loss > 0
    /// Σ⁻¹ ← Σ⁻¹ + diag(x²) / r             denominator=own
    /// Σ ← Σ − β (Σx)²                      denominator=shared
    /// ```
    ///
    /// Costs set the margin: as 1/r they would also shrink the variance of what is dear, and so protect it from learning.
    ///
    /// The variance only shrinks, so features seen often move little and rare ones still move freely.
    pub(crate) struct Arow {
        /// Regularisation r: larger makes every step smaller and bears more label noise.
        r: f64 = 1.0, positive_finite;
        /// Which part of Σ is kept.
        covariance: Covariance = Covariance::Diagonal;
        /// What divides a feature's step in Σ: own or shared.
        denominator: Denominator = Denominator::Own;
    }
}

impl About for Arow {
    const NAME: &'static str = "arow";
    const FAMILY: Family = Family::Confidence;
    const PAPER: &'static str = "Crammer, Kulesza, Dredze, Adaptive regularization of weight vectors (NIPS 2009); Zhao et al. 2019, section 4.1";
    const WHEN: &'static str = "accurate in one pass with no tuning, when weights need not be sparse";
    const COSTS: CostUse = CostUse::Margin;
    const MERGING: Merging = Merging::Beliefs;
}

impl Decider for Arow {
    type Cell = Gaussian;

    fn loss(&self, seen: &Seen, target: &Target) -> f64 {
        (target.cost - target.y * seen.score).max(0.0)
    }

    fn decide(&self, seen: &Seen, target: &Target, loss: f64) -> Option<Belief> {
        (loss > 0.0).then(|| regularised(self.r, seen, target, loss, self.denominator))
    }
}

impl WithCovariance for Arow {
    fn covariance(&self) -> Covariance {
        self.covariance
    }
}

/// AROW's step. An example of some importance counts as so many: its r is smaller.
pub(super) fn regularised(
    r: f64,
    seen: &Seen,
    target: &Target,
    loss: f64,
    denominator: Denominator,
) -> Belief {
    let r = r / target.importance;
    Belief {
        along: loss * target.y / (seen.variance + r),
        precision: 1.0 / r,
        variance: seen.variance,
        denominator,
        mean: Mean::Before,
    }
}
