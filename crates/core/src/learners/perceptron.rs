//! The perceptron.

use crate::cell::Plain;
use crate::cost::CostUse;
use crate::merge::Merging;
use crate::params;
use crate::rule::{About, Decider, Family};
use crate::seen::{Seen, Target};

params! {
    /// The perceptron: on a mistake, add the example.
    ///
    /// ```text
    /// mistake  ⇔  sign(w·x) ≠ y            sign(0) = +1
    /// w ← w + c y x                        on a mistake; c is the cost of this error, 1 unless declared
    /// ```
    ///
    /// No knobs: scaling all steps alike would change no prediction. The loss shown is 0 or 1. Because sign(0) = +1, a
    /// positive example at w = 0 is not a mistake, so flipping all labels does not quite flip all scores.
    pub(crate) struct Perceptron {}
}

impl About for Perceptron {
    const NAME: &'static str = "perceptron";
    const FAMILY: Family = Family::Margin;
    const PAPER: &'static str = "Rosenblatt, The perceptron (1958); Zhao et al. 2019, section 4.1";
    const WHEN: &'static str = "the baseline: fewest updates, no knobs, and on noisy streams the weakest";
    const COSTS: CostUse = CostUse::Slope;
    const MERGING: Merging = Merging::Means;
    const SYMMETRIC: bool = false;
}

/// Is the sign of the score wrong? A score of 0 predicts the positive class.
pub(super) fn is_mistake(seen: &Seen, target: &Target) -> bool {
    (seen.score >= 0.0) != (target.y > 0.0)
}

impl Decider for Perceptron {
    type Cell = Plain;

    fn loss(&self, seen: &Seen, target: &Target) -> f64 {
        f64::from(u8::from(is_mistake(seen, target)))
    }

    fn decide(&self, _seen: &Seen, target: &Target, loss: f64) -> Option<f64> {
        (loss > 0.0).then_some(target.stake() * target.y)
    }
}
