//! Follow the regularized leader, proximal.

use crate::Real;
use crate::cost::CostUse;
use crate::loss::Loss;
use crate::merge::Merging;
use crate::params;
use crate::params::{non_negative, positive_finite};
use crate::rule::{About, Family, Rule};
use crate::seen::{Seen, Target};
use crate::shrink::soft_threshold;

params! {
    /// Follow the regularised leader, proximal form: adaptive steps, and weights that are zero until a feature has earned them.
    ///
    /// ```text
    /// w = −soft_threshold(z, λ₁) / ((β + √n) / α + λ₂)     per feature
    /// g = gradient of the loss at w          scaled by the cost of each error
    /// z ← z + g − (√(n + g²) − √n) / α w
    /// n ← n + g²
    /// ```
    ///
    /// The penalty λ₁ does not grow with the stream: a feature has a weight as soon as the sum of its gradients says so clearly enough.
    pub(crate) struct Ftrl {
        /// Step size α.
        alpha: f64 = 2.0, positive_finite;
        /// Keeps the first steps small, β.
        beta: f64 = 1.0, non_negative;
        /// Weight of the L1 penalty, λ₁: larger keeps fewer features.
        lambda: f64 = 1.0, non_negative;
        /// Weight of the L2 penalty, λ₂: larger keeps weights smaller.
        ridge: f64 = 0.0, non_negative;
        /// The loss whose gradient is followed.
        loss: Loss = Loss::Logistic;
    }
}

crate::cell! {
    /// What a weight follows from.
    pub(crate) struct Leader {
        /// The sum of gradients, less what the steps so far have made of it.
        z: Real,
        /// Σ g².
        n: Real,
    }
}

impl About for Ftrl {
    const NAME: &'static str = "ftrl";
    const FAMILY: Family = Family::DualAveraging;
    const PAPER: &'static str =
        "McMahan et al., Ad click prediction: a view from the trenches (KDD 2013), Algorithm 1";
    const WHEN: &'static str =
        "sparse and accurate on long streams of text and clicks; what Vowpal Wabbit's --ftrl does";
    const COSTS: CostUse = CostUse::Slope;
    const MERGING: Merging = Merging::Means;
}

impl Ftrl {
    /// What divides the sum of gradients: (β + √n) / α + λ₂.
    #[inline]
    fn divisor(&self, n: Real) -> Real {
        (self.beta as Real + n.sqrt()) / self.alpha as Real + self.ridge as Real
    }
}

impl Rule for Ftrl {
    type Cell = Leader;
    type Step = f64;

    fn fresh(&self) -> Leader {
        Leader { z: 0.0, n: 0.0 }
    }

    #[inline]
    fn weight(&self, cell: &Leader) -> Real {
        let divisor = self.divisor(cell.n);
        let weight = -soft_threshold(cell.z, self.lambda as Real) / divisor;
        if divisor > 0.0 { weight } else { 0.0 } // β = λ₂ = 0, and no gradient yet
    }

    fn loss(&self, seen: &Seen, target: &Target) -> f64 {
        self.loss.value(target.y * seen.score)
    }

    fn decide(&self, seen: &Seen, target: &Target, _loss: f64) -> Option<f64> {
        self.loss.step(1.0, seen, target)
    }

    #[inline]
    fn step(&self, cell: &mut Leader, x: Real, settled: Real, along: f64) {
        let (g, before) = (-along as Real * x, cell.n);
        let after = before + g * g;
        // √(n + g²) − √n, without the difference of two numbers that are nearly alike.
        let roots = after.sqrt() + before.sqrt();
        let growth = if roots > 0.0 { g * g / roots } else { 0.0 };
        *cell = Leader { z: cell.z + g - growth / self.alpha as Real * settled, n: after };
    }
}
