//! COG-I and COG-II: cost-sensitive online gradient descent.

use crate::cell::Plain;
use crate::loss::CostSensitive;
use crate::params;
use crate::params::{non_negative, positive_finite};
use crate::rate::rate;
use crate::rule::{About, CostUse, Decider, Family};
use crate::seen::{Seen, Target};

const PAPER: &str = "Wang, Zhao, Hoi, Cost-sensitive online classification (TKDE 2014); paper 003, section 2.2; CS-OGD of paper 000";

params! {
    /// Cost-sensitive online gradient descent I: the cost is the margin that an example must have.
    ///
    /// ```text
    /// loss = max(0, c − y w·x)             c is the cost of this error, 1 unless declared (paper 003, equation 2)
    /// w ← w + η_t y x                      if loss > 0;  η_t = η / t^power_t
    /// ```
    pub struct Cog1 {
        /// Step size η.
        eta: f64 = 1.0, positive_finite;
        /// How fast the step size falls: η / t^power_t. The paper keeps it constant.
        power_t: f64 = 0.0, non_negative;
    }
    remembers {
        /// Rounds completed.
        t: u64;
    }
}

params! {
    /// Cost-sensitive online gradient descent II: the cost is the slope of the loss.
    ///
    /// ```text
    /// loss = c max(0, 1 − y w·x)           c is the cost of this error, 1 unless declared (paper 003, equation 3)
    /// w ← w + η_t c y x                    if loss > 0;  η_t = η / t^power_t
    /// ```
    pub struct Cog2 {
        /// Step size η.
        eta: f64 = 1.0, positive_finite;
        /// How fast the step size falls: η / t^power_t. The paper keeps it constant.
        power_t: f64 = 0.0, non_negative;
    }
    remembers {
        /// Rounds completed.
        t: u64;
    }
}

impl About for Cog1 {
    const NAME: &'static str = "cog1";
    const FAMILY: Family = Family::Gradient;
    const PAPER: &'static str = PAPER;
    const WHEN: &'static str = "unbalanced streams, first order: costs as margins";
    const COSTS: CostUse = CostUse::Margin;
}

impl About for Cog2 {
    const NAME: &'static str = "cog2";
    const FAMILY: Family = Family::Gradient;
    const PAPER: &'static str = PAPER;
    const WHEN: &'static str = "unbalanced streams, first order: costs as weights of the loss";
    const COSTS: CostUse = CostUse::Slope;
}

impl Decider for Cog1 {
    type Cell = Plain;

    fn loss(&self, seen: &Seen, target: &Target) -> f64 {
        CostSensitive::Margin.value(seen, target)
    }

    fn decide(&self, seen: &Seen, target: &Target, _loss: f64) -> Option<f64> {
        CostSensitive::Margin.step(rate(self.eta, self.power_t, self.t + 1), seen, target)
    }

    fn tick(&mut self) {
        self.t += 1;
    }
}

impl Decider for Cog2 {
    type Cell = Plain;

    fn loss(&self, seen: &Seen, target: &Target) -> f64 {
        CostSensitive::Slope.value(seen, target)
    }

    fn decide(&self, seen: &Seen, target: &Target, _loss: f64) -> Option<f64> {
        CostSensitive::Slope.step(rate(self.eta, self.power_t, self.t + 1), seen, target)
    }

    fn tick(&mut self) {
        self.t += 1;
    }
}
