//! Cost-sensitive passive-aggressive learning.

use crate::cell::Plain;
use crate::cost::CostUse;
use crate::params;
use crate::params::positive;
use crate::rule::{About, Decider, Family};
use crate::seen::{Seen, Target};

use super::perceptron::is_mistake;

params! {
    /// Cost-sensitive passive-aggressive (prediction based): on a mistake, the margin becomes the root of its cost.
    ///
    /// ```text
    /// loss = √c − y w·x                    on a mistake, else 0; c is the cost of this error
    /// w ← w + τ y x                        if loss > 0
    /// τ = min(C, loss / |x|²)
    /// ```
    ///
    /// The square root is Crammer's: costs enter as √ρ(y, ŷ).
    pub(crate) struct Cpa {
        /// The longest step, C.
        c: f64 = 1.0, positive;
    }
}

impl About for Cpa {
    const NAME: &'static str = "cpa";
    const FAMILY: Family = Family::Margin;
    const PAPER: &'static str = "Crammer, Dekel, Keshet, Shalev-Shwartz, Singer, Online passive-aggressive algorithms (JMLR 2006), section 10; Zhao et al. 2019, CPA_PB";
    const WHEN: &'static str = "passive-aggressive with costs, few updates";
    const COSTS: CostUse = CostUse::Margin;
    const SYMMETRIC: bool = false;
}

impl Decider for Cpa {
    type Cell = Plain;

    fn loss(&self, seen: &Seen, target: &Target) -> f64 {
        if is_mistake(seen, target) { target.cost.sqrt() - target.y * seen.score } else { 0.0 }
    }

    fn decide(&self, seen: &Seen, target: &Target, loss: f64) -> Option<f64> {
        (loss > 0.0 && seen.norm2 > 0.0)
            .then(|| target.y * (self.c * target.importance).min(loss / seen.norm2))
    }
}
