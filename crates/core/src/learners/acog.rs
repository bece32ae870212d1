use crate::Real;
use crate::gaussian::{Belief, Covariance, Denominator, Gaussian};
use crate::loss::CostSensitive;
use crate::params;
use crate::params::positive_finite;
use crate::rule::{About, CostUse, Family, Rule, Seen, Target};

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
    const WHEN: &'static str = "unbalanced streams, second order: the first choice where misses are dear";
    const COSTS: CostUse = CostUse::Slope;
}

/// The two versions differ only in where the cost enters.
macro_rules! adaptive {
    ($rule:ident, $variant:expr) => {
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
                $variant.value(seen, target)
            }
            fn decide(&self, seen: &Seen, target: &Target, _loss: f64) -> Option<Belief> {
                let along = $variant.step(self.eta, seen, target)?;
                Some(Belief { along, precision: 1.0 / self.gamma, variance: seen.variance })
            }
            #[inline]
            fn step(&self, cell: &mut Gaussian, x: f64, step: Belief) {
                let sigma = f64::from(cell.sigma);
                let sigma = self.denominator.shrink(sigma, x, step.precision, step.variance);
                cell.mu = (f64::from(cell.mu) + step.along * sigma * x) as Real;
                cell.sigma = sigma as Real;
            }
        }
    };
}

adaptive!(Acog1, CostSensitive::Margin);
adaptive!(Acog2, CostSensitive::Slope);
