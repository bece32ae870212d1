//! The perceptron with uneven margins.

use crate::cell::Plain;
use crate::cost::CostUse;
use crate::merge::Merging;
use crate::params;
use crate::params::positive_finite;
use crate::rule::{About, Decider, Family};
use crate::seen::{Seen, Target};

params! {
    /// Perceptron with uneven margins: each class must be right by its own margin.
    ///
    /// ```text
    /// w ← w + η y x                        if y w·x ≤ c; c is the cost of this error, 1 unless declared
    /// ```
    pub(crate) struct Paum {
        /// Step size η.
        eta: f64 = 1.0, positive_finite;
    }
}

impl About for Paum {
    const NAME: &'static str = "paum";
    const FAMILY: Family = Family::Margin;
    const PAPER: &'static str = "Li, Zaragoza, Herbrich, Shawe-Taylor, Kandola, The perceptron algorithm with uneven margins (ICML 2002); Zhao et al. 2019, section 4.1";
    const WHEN: &'static str = "the simplest learner that uses costs";
    const COSTS: CostUse = CostUse::Margin;
    const MERGING: Merging = Merging::Means;
}

impl Decider for Paum {
    type Cell = Plain;

    fn loss(&self, seen: &Seen, target: &Target) -> f64 {
        (target.cost - target.y * seen.score).max(0.0)
    }

    fn decide(&self, seen: &Seen, target: &Target, _loss: f64) -> Option<f64> {
        (target.y * seen.score <= target.cost).then_some(self.eta * target.importance * target.y)
    }
}
