use crate::gaussian::{Belief, Confidence, Covariance, Denominator, Gaussian};
use crate::params;
use crate::params::positive_finite;
use crate::rule::{About, CostUse, Family, Rule, Seen, Target};

use super::cw;

const PAPER: &str = "Wang, Zhao, Hoi, Exact soft confidence-weighted learning (ICML 2012); paper 001, Table 2";

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

impl Scw1 {
    fn alpha(&self, m: f64, v: f64, c: f64) -> f64 {
        cw::alpha(m, v, self.confidence.phi).min(c)
    }
}

impl Scw2 {
    fn alpha(&self, m: f64, v: f64, c: f64) -> f64 {
        let phi2 = self.confidence.phi * self.confidence.phi;
        let n = v + 1.0 / (2.0 * c);
        let gamma = self.confidence.phi * (phi2 * m * m * v * v + 4.0 * n * v * (n + v * phi2)).sqrt();
        ((-(2.0 * m * n + phi2 * m * v) + gamma) / (2.0 * (n * n + n * v * phi2))).max(0.0)
    }
}

impl About for Scw1 {
    const NAME: &'static str = "scw1";
    const FAMILY: Family = Family::Confidence;
    const PAPER: &'static str = PAPER;
    const WHEN: &'static str = "as cw, with noisy labels; often the best of the family after tuning c";
    const COSTS: CostUse = CostUse::Strength;
}

impl About for Scw2 {
    const NAME: &'static str = "scw2";
    const FAMILY: Family = Family::Confidence;
    const PAPER: &'static str = PAPER;
    const WHEN: &'static str = "as scw1, when large losses should still move the weights further";
    const COSTS: CostUse = CostUse::Strength;
}

/// The two versions differ only in how α is softened.
macro_rules! soft {
    ($rule:ident) => {
        impl Rule for $rule {
            type Cell = Gaussian;
            type Step = Belief;

            fn fresh(&self) -> Gaussian {
                Gaussian::FRESH
            }
            #[inline]
            fn weight(&self, cell: &Gaussian) -> f64 {
                f64::from(cell.mu)
            }
            #[inline]
            fn look(&self, cell: &Gaussian, x: f64, seen: &mut Seen) {
                cell.look(x, seen);
            }
            fn loss(&self, seen: &Seen, target: &Target) -> f64 {
                (self.confidence.phi * seen.variance.sqrt() - target.y * seen.score).max(0.0)
            }
            fn decide(&self, seen: &Seen, target: &Target, loss: f64) -> Option<Belief> {
                let (m, v) = (target.y * seen.score, seen.variance);
                if loss <= 0.0 || v <= 0.0 {
                    return None;
                }
                cw::belief(self.alpha(m, v, self.c * target.stake()), target.y, v, self.confidence.phi)
            }
            #[inline]
            fn step(&self, cell: &mut Gaussian, x: f64, step: Belief) {
                cell.step(x, step, self.denominator);
            }
        }
    };
}

soft!(Scw1);
soft!(Scw2);
