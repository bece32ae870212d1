//! FSOL and CS-FSOL: first-order sparse online learning.

use crate::Real;
use crate::cell::Plain;
use crate::cost::CostUse;
use crate::loss::Loss;
use crate::merge::Merging;
use crate::params;
use crate::params::non_negative;
use crate::rule::{About, Decider, Family};
use crate::seen::{Seen, Target};
use crate::shrink::{Schedule, soft_threshold};
use crate::step_size::{StepSize, finite_step};

use crate::registry::Entry;

params! {
    /// First-order sparse online learning: weights are the truncated sum of the gradients.
    ///
    /// ```text
    /// w_t = soft_threshold(θ_t, λ_t)       Wang et al. 2015, Algorithm 3
    /// θ_{t+1} = θ_t + η c y x              if the loss has a slope; c is the cost of this error, 1 unless declared
    /// λ_t = η λ                            Theorem 2; other schedules on request
    /// ```
    ///
    /// With schedule=rda (λ_t = η λ (t−1)) it is dual averaging with a constant step size, and only with that: the paper says that FSOL is
    /// RDA, but its λ_t does not grow as the sum of penalties does. A feature enters the model when its gradients add up to more than λ.
    ///
    /// Costs: the paper prints ρ = T₊/T₋ for the weight of positives (section 4.4), which would weigh rare positives less. It is T₋/T₊, as
    /// `--balanced` has it.
    pub(crate) struct Fsol {
        /// Step size η; auto is 1 divided by the greatest cost.
        eta: StepSize<1> = StepSize::Auto, finite_step;
        /// Truncation λ: larger keeps fewer features.
        lambda: f64 = 0.3, non_negative;
        /// The threshold over time: eta (η λ), constant (λ), inverse (λ/t) or rda (η λ (t−1)).
        schedule: Schedule = Schedule::Eta;
        /// The loss whose gradient is followed.
        loss: Loss = Loss::Hinge;
    }
    remembers {
        /// Rounds completed.
        t: u64;
    }
}

impl About for Fsol {
    const NAME: &'static str = "fsol";
    const FAMILY: Family = Family::DualAveraging;
    const PAPER: &'static str = "Wang, Wu, Zhao, Hoi, A framework of sparse online learning and its applications (2015), Algorithm 3; Wang et al. 2014, Algorithm 2";
    const WHEN: &'static str = "the cheapest sparse learner: one number per feature, no clock per feature";
    const COSTS: CostUse = CostUse::Slope;
    const MERGING: Merging = Merging::Means;
}

impl Decider for Fsol {
    type Cell = Plain;

    #[inline]
    fn weight(&self, theta: &Plain) -> Real {
        soft_threshold(theta.w, self.schedule.threshold(self.lambda, self.eta.usual(), self.t + 1) as Real)
    }

    fn loss(&self, seen: &Seen, target: &Target) -> f64 {
        self.loss.value(target.y * seen.score)
    }

    fn decide(&self, seen: &Seen, target: &Target, _loss: f64) -> Option<f64> {
        self.loss.step(self.eta.under_greatest(target), seen, target)
    }

    fn tick(&mut self) {
        self.t += 1;
    }
}

/// CS-FSOL: FSOL under the name that it has when costs are declared.
pub(super) const CS_FSOL: Entry = Entry {
    name: "cs-fsol",
    paper: "Wang, Wu, Zhao, Hoi, A framework of sparse online learning and its applications (2015), Algorithm 6",
    when: "unbalanced streams, sparse, first order",
    ..Entry::rule::<Fsol>()
};
