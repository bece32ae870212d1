//! Cost-sensitive passive-aggressive learning.

use crate::cell::Plain;
use crate::cost::CostUse;
use crate::merge::Merging;
use crate::params;
use crate::params::{Choice, positive};
use crate::rule::{About, Decider, Family};
use crate::seen::{Seen, Target};

use super::perceptron::is_mistake;

params! {
    /// Cost-sensitive passive-aggressive: the margin becomes the root of the cost of an error.
    ///
    /// ```text
    /// loss = √c − y w·x                    on a mistake, else 0 (update=prediction-based); c is the cost of this error
    /// loss = max(0, √c − y w·x)            on any example (update=max-loss)
    /// w ← w + τ y x                        if loss > 0
    /// τ = min(C, loss / |x|²)
    /// ```
    ///
    /// The square root is Crammer's: costs enter as √ρ(y, ŷ). His prediction-based form compares y with the label that was predicted, and
    /// his max-loss form with the label that has the greatest loss, which of two is always the other one.
    pub(crate) struct Cpa {
        /// The longest step, C.
        c: f64 = 1.0, positive;
        /// When there is a loss: prediction-based (on mistakes) or max-loss (wherever the margin is too small).
        update: Update = Update::PredictionBased;
    }
}

/// Which label the loss compares the right one with (Crammer et al. 2006, section 10).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Update {
    /// The predicted one: there is no loss unless it is wrong.
    PredictionBased,
    /// The one with the greatest loss.
    MaxLoss,
}

impl Choice for Update {
    const CHOICES: &'static [(&'static str, Self)] =
        &[("prediction-based", Update::PredictionBased), ("max-loss", Update::MaxLoss)];
}

impl About for Cpa {
    const NAME: &'static str = "cpa";
    const FAMILY: Family = Family::Margin;
    const PAPER: &'static str = "Crammer, Dekel, Keshet, Shalev-Shwartz, Singer, Online passive-aggressive algorithms (JMLR 2006), section 10; Zhao et al. 2019, CPA_PB";
    const WHEN: &'static str = "passive-aggressive with costs, few updates";
    const COSTS: CostUse = CostUse::Margin;
    const MERGING: Merging = Merging::Means;
    const SYMMETRIC: bool = false;
}

impl Decider for Cpa {
    type Cell = Plain;

    fn loss(&self, seen: &Seen, target: &Target) -> f64 {
        let compared = self.update == Update::MaxLoss || is_mistake(seen, target);
        if compared { (target.cost.sqrt() - target.y * seen.score).max(0.0) } else { 0.0 }
    }

    fn decide(&self, seen: &Seen, target: &Target, loss: f64) -> Option<f64> {
        (loss > 0.0 && seen.norm2 > 0.0)
            .then(|| target.y * (self.c * target.importance).min(loss / seen.norm2))
    }
}
