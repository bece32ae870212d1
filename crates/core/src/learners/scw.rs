//! Soft confidence-weighted learning, SCW-I and SCW-II.

use crate::cost::CostUse;
use crate::dense::WithCovariance;
use crate::gaussian::{Belief, Confidence, Covariance, Denominator, Gaussian};
use crate::merge::Merging;
use crate::params::Version;
use crate::rule::{About, Decider, Family};
use crate::seen::{Seen, Target};
use crate::step_size::{StepSize, finite_step};
use crate::{params, version};

use super::cw;

params! {
    /// Soft confidence-weighted learning.
    pub(crate) struct Scw<V: ScwVersion> {
        /// The probability with which the example should become right.
        confidence: Confidence = Confidence::new(V::CONFIDENCE);
        /// The aggressiveness C.
        c: StepSize<1> = StepSize::Auto, finite_step => V::C;
        /// Which part of Σ is kept.
        covariance: Covariance = Covariance::Diagonal;
        /// What divides a feature's step in Σ: own or shared.
        denominator: Denominator = Denominator::Own;
    }
}

/// SCW-I or SCW-II.
pub(crate) trait ScwVersion: Version {
    /// The default of the knob.
    const CONFIDENCE: f64;
    /// What the knob C does.
    const C: &'static str;
    /// The length of the step, given the margin m, the variance v, φ of the confidence, and C times what is at stake.
    fn alpha(m: f64, v: f64, phi: f64, c: f64) -> f64;
}

version! {
    /// Soft confidence-weighted I: as CW (stdev), but no step is longer than C.
    ///
    /// ```text
    /// m = y μ·x      v = x'Σx      φ = Φ⁻¹(confidence)
    /// loss = max(0, φ √v − m)
    /// α = min(c·C, α of CW)                c is the cost of this error, 1 unless declared
    /// μ ← μ + α y Σx,  Σ⁻¹ ← Σ⁻¹ + ρ diag(x²)      ρ as in CW
    /// ```
    pub(crate) struct Bounded = "scw1", "as cw, with noisy labels: c bounds what one of them can do";
}

impl ScwVersion for Bounded {
    const CONFIDENCE: f64 = 0.75;
    const C: &'static str =
        " The longest step, C: small for noisy labels; auto is 1 divided by the greatest cost.";

    fn alpha(m: f64, v: f64, phi: f64, c: f64) -> f64 {
        cw::alpha(m, v, phi).min(c)
    }
}

version! {
    /// Soft confidence-weighted II: as CW (stdev), with steps shortened smoothly.
    ///
    /// ```text
    /// m = y μ·x      v = x'Σx      n = v + 1/(2 c·C)       c is the cost of this error, 1 unless declared
    /// γ = φ √(φ² m² v² + 4 n v (n + v φ²))
    /// α = max(0, (−(2 m n + φ² m v) + γ) / (2 (n² + n v φ²)))
    /// μ ← μ + α y Σx,  Σ⁻¹ ← Σ⁻¹ + ρ diag(x²)      ρ as in CW
    /// ```
    pub(crate) struct Smooth = "scw2", "as scw1, when large losses should still move the weights further";
}

impl ScwVersion for Smooth {
    const CONFIDENCE: f64 = 0.9;
    const C: &'static str =
        " Aggressiveness C: small for noisy labels; auto is 1 divided by the greatest cost.";

    fn alpha(m: f64, v: f64, phi: f64, c: f64) -> f64 {
        let phi2 = phi * phi;
        let n = v + 1.0 / (2.0 * c);
        let gamma = phi * (phi2 * m * m * v * v + 4.0 * n * v * (n + v * phi2)).sqrt();
        ((-(2.0 * m * n + phi2 * m * v) + gamma) / (2.0 * (n * n + n * v * phi2))).max(0.0)
    }
}

impl<V: ScwVersion> About for Scw<V> {
    const NAME: &'static str = V::NAME;
    const FAMILY: Family = Family::Confidence;
    const PAPER: &'static str =
        "Wang, Zhao, Hoi, Exact soft confidence-weighted learning (ICML 2012); Tan et al. 2016, Table 2";
    const WHEN: &'static str = V::WHEN;
    const COSTS: CostUse = CostUse::Strength;
    const MERGING: Merging = Merging::Beliefs;
}

impl<V: ScwVersion> Decider for Scw<V> {
    type Cell = Gaussian;

    /// By how much √v times the confidence is above the margin.
    fn loss(&self, seen: &Seen, target: &Target) -> f64 {
        (self.confidence.phi * seen.variance.sqrt() - target.y * seen.score).max(0.0)
    }

    fn decide(&self, seen: &Seen, target: &Target, loss: f64) -> Option<Belief> {
        let (m, v, phi) = (target.y * seen.score, seen.variance, self.confidence.phi);
        if loss <= 0.0 || v <= 0.0 {
            return None;
        }
        let alpha = V::alpha(m, v, phi, self.c.under_greatest(target) * target.stake());
        cw::belief(alpha, target.y, v, phi, self.denominator)
    }
}

impl<V: ScwVersion> WithCovariance for Scw<V> {
    fn covariance(&self) -> Covariance {
        self.covariance
    }
}
