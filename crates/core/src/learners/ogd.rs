//! Online gradient descent.

use crate::cell::Plain;
use crate::cost::CostUse;
use crate::loss::Loss;
use crate::merge::Merging;
use crate::params;
use crate::params::non_negative;
use crate::rate::rate;
use crate::rule::{About, Decider, Family};
use crate::seen::{Seen, Target};
use crate::step_size::{StepSize, finite_step};

params! {
    /// Online gradient descent.
    ///
    /// ```text
    /// η_t = η / t^power_t
    /// w ← w − η_t c ∇loss(w)               c is the cost of this error, 1 unless declared
    /// ```
    pub(crate) struct Ogd {
        /// Step size of the first round, η; auto is 30 divided by the geometric mean of the two costs.
        eta: StepSize<30> = StepSize::Auto, finite_step;
        /// How fast the step size falls: η / t^power_t.
        power_t: f64 = 0.5, non_negative;
        /// The loss whose gradient is followed.
        loss: Loss = Loss::Hinge;
    }
    remembers {
        /// Rounds completed.
        t: u64;
    }
}

impl About for Ogd {
    const NAME: &'static str = "ogd";
    const FAMILY: Family = Family::Gradient;
    const PAPER: &'static str =
        "Zinkevich, Online convex programming and generalized infinitesimal gradient ascent (ICML 2003)";
    const WHEN: &'static str =
        "the plain gradient baseline; loss=logistic makes it online logistic regression";
    const COSTS: CostUse = CostUse::Slope;
    const MERGING: Merging = Merging::Means;
}

impl Decider for Ogd {
    type Cell = Plain;

    fn loss(&self, seen: &Seen, target: &Target) -> f64 {
        self.loss.value(target.y * seen.score)
    }

    fn decide(&self, seen: &Seen, target: &Target, _loss: f64) -> Option<f64> {
        self.loss.step(rate(self.eta.around_middle(target), self.power_t, self.t + 1), seen, target)
    }

    fn tick(&mut self) {
        self.t += 1;
    }
}
