//! Soft confidence-weighted learning, SCW-I and SCW-II.

use crate::dense::WithCovariance;
use crate::gaussian::{Belief, Confidence, Covariance, Denominator, Gaussian};
use crate::params;
use crate::params::positive_finite;
use crate::rule::{About, CostUse, Decider, Family};
use crate::seen::{Seen, Target};

use super::cw;

const PAPER: &str =
    "Wang, Zhao, Hoi, Exact soft confidence-weighted learning (ICML 2012); paper 001, Table 2";

params! {
    /// Soft confidence-weighted I: as CW (stdev), but no step is longer than C.
    ///
    /// ```text
    /// m = y μ·x      v = x'Σx      φ = Φ⁻¹(confidence)
    /// loss = max(0, φ √v − m)
    /// α = min(c·C, α of CW)                c is the cost of this error, 1 unless declared
    /// μ ← μ + α y Σx,  Σ⁻¹ ← Σ⁻¹ + ρ diag(x²)      ρ as in CW
    /// ```
    pub struct Scw1 {
        /// The probability with which the example should become right.
        confidence: Confidence = Confidence::new(0.75);
        /// The longest step, C: small for noisy labels.
        c: f64 = 1.0, positive_finite;
        /// Which part of Σ is kept.
        covariance: Covariance = Covariance::Diagonal;
        /// What divides a feature's step in Σ: own or shared.
        denominator: Denominator = Denominator::Own;
    }
}

params! {
    /// Soft confidence-weighted II: as CW (stdev), with steps shortened smoothly.
    ///
    /// ```text
    /// m = y μ·x      v = x'Σx      n = v + 1/(2 c·C)       c is the cost of this error, 1 unless declared
    /// γ = φ √(φ² m² v² + 4 n v (n + v φ²))
    /// α = max(0, (−(2 m n + φ² m v) + γ) / (2 (n² + n v φ²)))
    /// μ ← μ + α y Σx,  Σ⁻¹ ← Σ⁻¹ + ρ diag(x²)      ρ as in CW
    /// ```
    pub struct Scw2 {
        /// The probability with which the example should become right.
        confidence: Confidence = Confidence::new(0.9);
        /// Aggressiveness C: small for noisy labels.
        c: f64 = 1.0, positive_finite;
        /// Which part of Σ is kept.
        covariance: Covariance = Covariance::Diagonal;
        /// What divides a feature's step in Σ: own or shared.
        denominator: Denominator = Denominator::Own;
    }
}

impl About for Scw1 {
    const NAME: &'static str = "scw1";
    const FAMILY: Family = Family::Confidence;
    const PAPER: &'static str = PAPER;
    const WHEN: &'static str = "as cw, with noisy labels: c bounds what one of them can do";
    const COSTS: CostUse = CostUse::Strength;
}

impl About for Scw2 {
    const NAME: &'static str = "scw2";
    const FAMILY: Family = Family::Confidence;
    const PAPER: &'static str = PAPER;
    const WHEN: &'static str = "as scw1, when large losses should still move the weights further";
    const COSTS: CostUse = CostUse::Strength;
}

/// By how much √v times the confidence is above the margin: the loss of both versions.
fn shortfall(confidence: Confidence, seen: &Seen, target: &Target) -> f64 {
    (confidence.phi * seen.variance.sqrt() - target.y * seen.score).max(0.0)
}

impl Decider for Scw1 {
    type Cell = Gaussian;

    fn loss(&self, seen: &Seen, target: &Target) -> f64 {
        shortfall(self.confidence, seen, target)
    }

    fn decide(&self, seen: &Seen, target: &Target, loss: f64) -> Option<Belief> {
        let (m, v, phi) = (target.y * seen.score, seen.variance, self.confidence.phi);
        if loss <= 0.0 || v <= 0.0 {
            return None;
        }
        let alpha = cw::alpha(m, v, phi).min(self.c * target.stake());
        cw::belief(alpha, target.y, v, phi, self.denominator)
    }
}

impl WithCovariance for Scw1 {
    fn covariance(&self) -> Covariance {
        self.covariance
    }
}

impl Decider for Scw2 {
    type Cell = Gaussian;

    fn loss(&self, seen: &Seen, target: &Target) -> f64 {
        shortfall(self.confidence, seen, target)
    }

    fn decide(&self, seen: &Seen, target: &Target, loss: f64) -> Option<Belief> {
        let (m, v, phi) = (target.y * seen.score, seen.variance, self.confidence.phi);
        if loss <= 0.0 || v <= 0.0 {
            return None;
        }
        let phi2 = phi * phi;
        let n = v + 1.0 / (2.0 * self.c * target.stake());
        let gamma = phi * (phi2 * m * m * v * v + 4.0 * n * v * (n + v * phi2)).sqrt();
        let alpha = ((-(2.0 * m * n + phi2 * m * v) + gamma) / (2.0 * (n * n + n * v * phi2))).max(0.0);
        cw::belief(alpha, target.y, v, phi, self.denominator)
    }
}

impl WithCovariance for Scw2 {
    fn covariance(&self) -> Covariance {
        self.covariance
    }
}
