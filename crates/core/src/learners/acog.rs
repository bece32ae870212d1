//! ACOG-I and ACOG-II: adaptive cost-sensitive online gradient descent.

use crate::cost::CostUse;
use crate::dense::WithCovariance;
use crate::gaussian::{Belief, Covariance, Denominator, Gaussian, Mean};
use crate::loss::CostSensitive;
use crate::merge::Merging;
use crate::params::{Version, positive_finite};
use crate::rule::{About, Decider, Family};
use crate::seen::{Seen, Target};
use crate::step_size::{StepSize, finite_step};
use crate::{params, version};

params! {
    /// Adaptive cost-sensitive gradient descent: COG with a variance for every weight.
    pub(crate) struct Acog<V: AcogVersion> {
        /// Step size η.
        eta: StepSize<4> = StepSize::Auto, finite_step => V::ETA;
        /// Regularisation γ: larger lets the variance shrink more slowly.
        gamma: f64 = 1.0, positive_finite;
        /// Which part of Σ is kept.
        covariance: Covariance = Covariance::Diagonal;
        /// What divides a feature's step in Σ: own or shared.
        denominator: Denominator = Denominator::Own;
        /// Which Σ moves μ: the one after the step, or as in AROW the one before.
        mean: Mean = Mean::After;
    }
}

/// ACOG-I or ACOG-II.
pub(crate) trait AcogVersion: Version {
    /// The loss whose gradient is followed.
    const LOSS: CostSensitive;
    /// What the knob η does.
    const ETA: &'static str;
    /// The step size.
    fn eta(eta: StepSize<4>, target: &Target) -> f64;
}

version! {
    /// Adaptive cost-sensitive gradient descent I: COG-I with a variance for every weight.
    ///
    /// ```text
    /// loss = max(0, c − y μ·x)             c is the cost of this error, 1 unless declared (Zhao et al. 2019, equation 2)
    /// Σ⁻¹ ← Σ⁻¹ + diag(x²) / γ             if loss > 0 (denominator=own)
    /// μ ← μ + η y Σx                       if loss > 0, with the new Σ
    /// ```
    ///
    /// `mean=before` moves μ by the old Σ, the variant that section 4.4.3 compares with.
    pub(crate) struct Margin = "acog1", "unbalanced streams, second order: costs as margins";
}

impl AcogVersion for Margin {
    const LOSS: CostSensitive = CostSensitive::Margin;
    const ETA: &'static str = " Step size η; auto is 4 times the greatest cost.";

    fn eta(eta: StepSize<4>, target: &Target) -> f64 {
        eta.towards_greatest(target)
    }
}

version! {
    /// Adaptive cost-sensitive gradient descent II: COG-II with a variance for every weight.
    ///
    /// ```text
    /// loss = c max(0, 1 − y μ·x)           c is the cost of this error, 1 unless declared (Zhao et al. 2019, equation 3)
    /// Σ⁻¹ ← Σ⁻¹ + diag(x²) / γ             if loss > 0 (denominator=own)
    /// μ ← μ + η c y Σx                     if loss > 0, with the new Σ
    /// ```
    ///
    /// `mean=before` moves μ by the old Σ, the variant that section 4.4.3 compares with.
    pub(crate) struct Slope = "acog2", "unbalanced streams, second order: costs as weights of the loss";
}

impl AcogVersion for Slope {
    const LOSS: CostSensitive = CostSensitive::Slope;
    const ETA: &'static str = " Step size η; auto is 4 divided by the geometric mean of the two costs.";

    fn eta(eta: StepSize<4>, target: &Target) -> f64 {
        eta.around_middle(target)
    }
}

impl<V: AcogVersion> About for Acog<V> {
    const NAME: &'static str = V::NAME;
    const FAMILY: Family = Family::Confidence;
    const PAPER: &'static str = "Zhao, Zhang, Wu, Hoi, Tan, Huang, Adaptive cost-sensitive online classification (TKDE 2019), Algorithm 1";
    const WHEN: &'static str = V::WHEN;
    const COSTS: CostUse = V::LOSS.costs();
    const MERGING: Merging = Merging::Beliefs;
}

impl<V: AcogVersion> Decider for Acog<V> {
    type Cell = Gaussian;

    fn loss(&self, seen: &Seen, target: &Target) -> f64 {
        V::LOSS.value(seen, target)
    }

    /// Σ moves first, and the mean with it, unless it is told otherwise.
    fn decide(&self, seen: &Seen, target: &Target, _loss: f64) -> Option<Belief> {
        Some(Belief {
            along: V::LOSS.step(V::eta(self.eta, target), seen, target)?,
            precision: 1.0 / self.gamma,
            variance: seen.variance,
            denominator: self.denominator,
            mean: self.mean,
        })
    }
}

impl<V: AcogVersion> WithCovariance for Acog<V> {
    fn covariance(&self) -> Covariance {
        self.covariance
    }
}
