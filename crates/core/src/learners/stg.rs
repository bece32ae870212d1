use crate::Real;
use crate::loss::Loss;
use crate::params;
use crate::params::{non_negative, positive, positive_finite, some};
use crate::rate::rate;
use crate::rule::{About, Decider, Mover, CostUse, Family, Seen, Target};
use crate::shrink::Indebted;

params! {
    /// Truncated gradient: every k rounds, weights that are not large move towards zero.
    ///
    /// ```text
    /// η_t = η / t^power_t
    /// w' = w_t − η_t ∇loss(w_t)            the gradient is scaled by the cost of this error
    /// w_{t+1} = soft_threshold(w', k λ η_t)    if t mod k = 0, where |w'| ≤ θ; else w'
    /// ```
    ///
    /// The truncation is lazy and exact: a weight beyond θ owes nothing, a weight within it stays within.
    pub struct Stg {
        /// Step size of the first round, η.
        eta: f64 = 30.0, positive_finite;
        /// Gravity λ: larger keeps fewer features.
        lambda: f64 = 1e-6, non_negative;
        /// Truncate every k rounds.
        k: u64 = 10, some;
        /// Only weights up to θ are truncated.
        theta: f64 = f64::INFINITY, positive;
        /// How fast the step size falls: η / t^power_t.
        power_t: f64 = 0.5, non_negative;
        /// The loss whose gradient is followed.
        loss: Loss = Loss::Hinge;
    }
    remembers {
        /// Rounds completed.
        t: u64;
        /// The ledger: what a weight that never paid would owe.
        ledger: f64;
    }
}

impl About for Stg {
    const NAME: &'static str = "stg";
    const FAMILY: Family = Family::Truncation;
    const PAPER: &'static str = "Langford, Li, Zhang, Sparse online learning via truncated gradient (JMLR 2009); paper 000, Table 1";
    const WHEN: &'static str = "as fobos, when large weights should be left alone (theta)";
    const COSTS: CostUse = CostUse::Slope;
}

impl Decider for Stg {
    type Cell = Indebted;

    fn ledger(&self) -> f64 {
        self.ledger
    }

    #[inline]
    fn weight(&self, cell: &Indebted) -> Real {
        if f64::from(cell.w.abs()) <= self.theta { cell.weight(self.ledger) } else { cell.w }
    }

    fn loss(&self, seen: &Seen, target: &Target) -> f64 {
        self.loss.value(target.y * seen.score)
    }

    fn decide(&self, seen: &Seen, target: &Target, _loss: f64) -> Option<f64> {
        self.loss.step(rate(self.eta, self.power_t, self.t + 1), seen, target)
    }

    fn tick(&mut self) {
        self.t += 1;
        if self.t.is_multiple_of(self.k) {
            self.ledger += self.k as f64 * self.lambda * rate(self.eta, self.power_t, self.t);
        }
    }
}
