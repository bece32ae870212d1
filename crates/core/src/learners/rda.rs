//! Regularized dual averaging.

use crate::cell::Plain;
use crate::cost::CostUse;
use crate::loss::Loss;
use crate::merge::Merging;
use crate::params;
use crate::params::{non_negative, positive_finite};
use crate::rule::{About, Decider, Family};
use crate::seen::{Seen, Target};
use crate::shrink::soft_threshold;
use crate::{Real, saturating_real};

params! {
    /// Regularised dual averaging with L1: the weight is the truncated mean of all gradients.
    ///
    /// ```text
    /// ḡ = mean of all gradients so far     zero gradients included; scaled by the cost of each error
    /// w_{t+1} = −(√t / γ) soft_threshold(ḡ, λ + γ ρ / √t)
    /// ```
    ///
    /// ρ > 0 is the enhanced version, which truncates more in the beginning. gamma=1 is the setting of Oiwa et al. 2011 (β_t = √t), who
    /// compare sgft with it; the default learns faster.
    pub(crate) struct Rda {
        /// Inverse step size γ.
        gamma: f64 = 0.03, positive_finite;
        /// Weight of the L1 penalty, λ: larger keeps fewer features.
        lambda: f64 = 1e-6, non_negative;
        /// Enhancement ρ: truncates more in the beginning.
        rho: f64 = 0.0, non_negative;
        /// The loss whose gradient is followed.
        loss: Loss = Loss::Hinge;
    }
    remembers {
        /// Rounds completed.
        t: u64;
    }
}

impl About for Rda {
    const NAME: &'static str = "rda";
    const FAMILY: Family = Family::DualAveraging;
    const PAPER: &'static str = "Xiao, Dual averaging methods for regularized stochastic learning and online optimization (JMLR 2010)";
    const WHEN: &'static str = "very sparse weights from a long stream; sensitive to gamma";
    const COSTS: CostUse = CostUse::Slope;
    const MERGING: Merging = Merging::Means;
}

impl Decider for Rda {
    type Cell = Plain;

    #[inline]
    fn weight(&self, sum: &Plain) -> Real {
        if self.t == 0 {
            return 0.0;
        }
        let t = self.t as f64;
        let threshold = self.lambda + self.gamma * self.rho / t.sqrt();
        saturating_real(t.sqrt() / self.gamma) * soft_threshold(sum.w / t as Real, threshold as Real)
    }

    fn loss(&self, seen: &Seen, target: &Target) -> f64 {
        self.loss.value(target.y * seen.score)
    }

    fn decide(&self, seen: &Seen, target: &Target, _loss: f64) -> Option<f64> {
        self.loss.step(1.0, seen, target)
    }

    fn tick(&mut self) {
        self.t += 1;
    }
}
