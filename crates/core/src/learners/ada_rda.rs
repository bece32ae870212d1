//! Regularized dual averaging with a step size of its own for every feature.

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
    /// AdaGrad with dual averaging: the truncated sum of all gradients, divided by what each feature has seen.
    ///
    /// ```text
    /// u = −Σ g                             scaled by the cost of each error
    /// H = δ + √(Σ g²)                      per feature
    /// w_{t+1} = (η / H) soft_threshold(u, λ t)
    /// ```
    pub(crate) struct AdaRda {
        /// Step size η.
        eta: f64 = 1.0, positive_finite;
        /// Weight of the L1 penalty, λ: larger keeps fewer features.
        lambda: f64 = 3e-6, non_negative;
        /// Keeps the first steps small, δ.
        delta: f64 = 0.1, non_negative;
        /// The loss whose gradient is followed.
        loss: Loss = Loss::Hinge;
    }
    remembers {
        /// Rounds completed.
        t: u64;
    }
}

crate::cell! {
    /// The sum of the gradients and of their squares.
    pub(crate) struct Gradients {
        /// −Σ g.
        u: Real,
        /// Σ g².
        g2: Real,
    }
}

impl About for AdaRda {
    const NAME: &'static str = "ada-rda";
    const FAMILY: Family = Family::DualAveraging;
    const PAPER: &'static str = "Duchi, Hazan, Singer, Adaptive subgradient methods for online learning and stochastic optimization (JMLR 2011), section 5.1; Wang et al. 2015, Table 1";
    const WHEN: &'static str = "a small model from a long stream: lambda sets how small";
    const COSTS: CostUse = CostUse::Slope;
    const MERGING: Merging = Merging::Means;
}

impl AdaRda {
    /// η, but no larger than that η / δ is still a number.
    #[inline]
    fn reach(&self) -> Real {
        let least = if self.delta > 0.0 { self.delta.min(1.0) } else { 1.0 };
        self.eta.min(f64::from(Real::MAX) / 2.0 * least) as Real
    }
}

impl Rule for AdaRda {
    type Cell = Gradients;
    type Step = f64;

    fn fresh(&self) -> Gradients {
        Gradients { u: 0.0, g2: 0.0 }
    }

    #[inline]
    fn weight(&self, cell: &Gradients) -> Real {
        let h = self.delta as Real + cell.g2.sqrt();
        let weight = self.reach() / h * soft_threshold(cell.u, (self.lambda * self.t as f64) as Real);
        if h > 0.0 { weight } else { 0.0 } // δ = 0, and no gradient yet
    }

    fn loss(&self, seen: &Seen, target: &Target) -> f64 {
        self.loss.value(target.y * seen.score)
    }

    fn decide(&self, seen: &Seen, target: &Target, _loss: f64) -> Option<f64> {
        self.loss.step(1.0, seen, target)
    }

    #[inline]
    fn step(&self, cell: &mut Gradients, x: Real, _settled: Real, along: f64) {
        let g = along as Real * x;
        cell.u += g;
        cell.g2 += g * g;
    }

    fn tick(&mut self, _step: Option<f64>) {
        self.t += 1;
    }
}
