//! COG-I and COG-II: cost-sensitive online gradient descent.

use crate::cell::Plain;
use crate::cost::CostUse;
use crate::loss::CostSensitive;
use crate::merge::Merging;
use crate::params::{Version, non_negative};
use crate::rate::rate;
use crate::rule::{About, Decider, Family};
use crate::seen::{Seen, Target};
use crate::step_size::{StepSize, finite_step};
use crate::{params, version};

params! {
    /// Cost-sensitive online gradient descent.
    pub(crate) struct Cog<V: CogVersion> {
        /// Step size η.
        eta: StepSize<1> = StepSize::Auto, finite_step => V::ETA;
        /// How fast the step size falls: η / t^power_t. The paper keeps it constant.
        power_t: f64 = 0.0, non_negative;
    }
    remembers {
        /// Rounds completed.
        t: u64;
    }
}

/// COG-I or COG-II.
pub(crate) trait CogVersion: Version {
    /// The loss whose gradient is followed.
    const LOSS: CostSensitive;
    /// What the knob η does.
    const ETA: &'static str;
    /// The step size of the first round.
    fn eta(eta: StepSize<1>, target: &Target) -> f64;
}

version! {
    /// Cost-sensitive online gradient descent I: the cost is the margin that an example must have.
    ///
    /// ```text
    /// loss = max(0, c − y w·x)             c is the cost of this error, 1 unless declared (Zhao et al. 2019, equation 2)
    /// w ← w + η_t y x                      if loss > 0;  η_t = η / t^power_t
    /// ```
    pub(crate) struct Margin = "cog1", "unbalanced streams, first order: costs as margins";
}

impl CogVersion for Margin {
    const LOSS: CostSensitive = CostSensitive::Margin;
    const ETA: &'static str = " Step size η; auto is 1.";

    fn eta(eta: StepSize<1>, _target: &Target) -> f64 {
        eta.usual()
    }
}

version! {
    /// Cost-sensitive online gradient descent II: the cost is the slope of the loss.
    ///
    /// ```text
    /// loss = c max(0, 1 − y w·x)           c is the cost of this error, 1 unless declared (Zhao et al. 2019, equation 3)
    /// w ← w + η_t c y x                    if loss > 0;  η_t = η / t^power_t
    /// ```
    pub(crate) struct Slope = "cog2", "unbalanced streams, first order: costs as weights of the loss";
}

impl CogVersion for Slope {
    const LOSS: CostSensitive = CostSensitive::Slope;
    const ETA: &'static str = " Step size η; auto is 1 divided by the greatest cost.";

    fn eta(eta: StepSize<1>, target: &Target) -> f64 {
        eta.under_greatest(target)
    }
}

impl<V: CogVersion> About for Cog<V> {
    const NAME: &'static str = V::NAME;
    const FAMILY: Family = Family::Gradient;
    const PAPER: &'static str = "Wang, Zhao, Hoi, Cost-sensitive online classification (TKDE 2014); Zhao et al. 2019, section 2.2; CS-OGD of Wang et al. 2015";
    const WHEN: &'static str = V::WHEN;
    const COSTS: CostUse = V::LOSS.costs();
    const MERGING: Merging = Merging::Means;
}

impl<V: CogVersion> Decider for Cog<V> {
    type Cell = Plain;

    fn loss(&self, seen: &Seen, target: &Target) -> f64 {
        V::LOSS.value(seen, target)
    }

    fn decide(&self, seen: &Seen, target: &Target, _loss: f64) -> Option<f64> {
        V::LOSS.step(rate(V::eta(self.eta, target), self.power_t, self.t + 1), seen, target)
    }

    fn tick(&mut self) {
        self.t += 1;
    }
}
