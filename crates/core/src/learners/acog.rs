//! ACOG-I and ACOG-II: adaptive cost-sensitive online gradient descent.

use crate::dense::WithCovariance;
use crate::gaussian::{Belief, Covariance, Denominator, Gaussian, Mean};
use crate::loss::CostSensitive;
use crate::params;
use crate::params::positive_finite;
use crate::rule::{About, CostUse, Decider, Family};
use crate::seen::{Seen, Target};

const PAPER: &str = "Zhao, Zhang, Wu, Hoi, Tan, Huang, Adaptive cost-sensitive online classification (paper 003), Algorithm 1";

params! {
    /// Adaptive cost-sensitive gradient descent I: COG-I with a variance for every weight.
    ///
    /// ```text
    /// loss = max(0, c − y μ·x)             c is the cost of this error, 1 unless declared (paper 003, equation 2)
    /// Σ⁻¹ ← Σ⁻¹ + diag(x²) / γ             if loss > 0 (denominator=own)
    /// μ ← μ + η y Σx                       if loss > 0, with the new Σ
    /// ```
    pub struct Acog1 {
        /// Step size η.
        eta: f64 = 4.0, positive_finite;
        /// Regularisation γ: larger lets the variance shrink more slowly.
        gamma: f64 = 1.0, positive_finite;
        /// Which part of Σ is kept.
        covariance: Covariance = Covariance::Diagonal;
        /// What divides a feature's step in Σ: own or shared.
        denominator: Denominator = Denominator::Own;
    }
}

params! {
    /// Adaptive cost-sensitive gradient descent II: COG-II with a variance for every weight.
    ///
    /// ```text
    /// loss = c max(0, 1 − y μ·x)           c is the cost of this error, 1 unless declared (paper 003, equation 3)
    /// Σ⁻¹ ← Σ⁻¹ + diag(x²) / γ             if loss > 0 (denominator=own)
    /// μ ← μ + η c y Σx                     if loss > 0, with the new Σ
    /// ```
    pub struct Acog2 {
        /// Step size η.
        eta: f64 = 4.0, positive_finite;
        /// Regularisation γ: larger lets the variance shrink more slowly.
        gamma: f64 = 1.0, positive_finite;
        /// Which part of Σ is kept.
        covariance: Covariance = Covariance::Diagonal;
        /// What divides a feature's step in Σ: own or shared.
        denominator: Denominator = Denominator::Own;
    }
}

impl About for Acog1 {
    const NAME: &'static str = "acog1";
    const FAMILY: Family = Family::Confidence;
    const PAPER: &'static str = PAPER;
    const WHEN: &'static str = "unbalanced streams, second order: costs as margins";
    const COSTS: CostUse = CostUse::Margin;
}

impl About for Acog2 {
    const NAME: &'static str = "acog2";
    const FAMILY: Family = Family::Confidence;
    const PAPER: &'static str = PAPER;
    const WHEN: &'static str = "unbalanced streams, second order: costs as weights of the loss";
    const COSTS: CostUse = CostUse::Slope;
}

/// Σ moves first, and the mean with it.
fn adaptive(along: f64, gamma: f64, variance: f64, denominator: Denominator) -> Belief {
    Belief { along, precision: 1.0 / gamma, variance, denominator, mean: Mean::After }
}

impl Decider for Acog1 {
    type Cell = Gaussian;

    fn loss(&self, seen: &Seen, target: &Target) -> f64 {
        CostSensitive::Margin.value(seen, target)
    }

    fn decide(&self, seen: &Seen, target: &Target, _loss: f64) -> Option<Belief> {
        let along = CostSensitive::Margin.step(self.eta, seen, target)?;
        Some(adaptive(along, self.gamma, seen.variance, self.denominator))
    }
}

impl WithCovariance for Acog1 {
    fn covariance(&self) -> Covariance {
        self.covariance
    }
}

impl Decider for Acog2 {
    type Cell = Gaussian;

    fn loss(&self, seen: &Seen, target: &Target) -> f64 {
        CostSensitive::Slope.value(seen, target)
    }

    fn decide(&self, seen: &Seen, target: &Target, _loss: f64) -> Option<Belief> {
        let along = CostSensitive::Slope.step(self.eta, seen, target)?;
        Some(adaptive(along, self.gamma, seen.variance, self.denominator))
    }
}

impl WithCovariance for Acog2 {
    fn covariance(&self) -> Covariance {
        self.covariance
    }
}
