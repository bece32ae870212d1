//! Truncated gradient.

use crate::Real;
use crate::cost::CostUse;
use crate::loss::Loss;
use crate::merge::Merging;
use crate::params;
use crate::params::{non_negative, positive, some};
use crate::rate::rate;
use crate::rule::{About, Decider, Family, Mover};
use crate::seen::{Seen, Target};
use crate::shrink::soft_threshold;
use crate::step_size::{StepSize, finite_step};

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
    pub(crate) struct Stg {
        /// Step size of the first round, η; auto is 30 divided by the geometric mean of the two costs.
        eta: StepSize<30> = StepSize::Auto, finite_step;
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

crate::cell! {
    /// A weight and when it last paid. Unlike [`Gross`](crate::shrink::Gross), it says what the weight was then: one beyond θ owes nothing.
    pub(crate) struct Indebted {
        /// The weight when it last paid.
        w: Real,
        /// The ledger's sum when it last paid.
        paid: Real,
    }
}

impl Mover for Indebted {
    type Step = f64;
    const FRESH: Self = Self { w: 0.0, paid: 0.0 };

    #[inline]
    fn weight(&self, ledger: f64) -> Real {
        soft_threshold(self.w, owed(ledger, self.paid))
    }

    /// Pays what is owed and moves on.
    #[inline]
    fn advance(&mut self, x: Real, along: f64, settled: Real, ledger: f64) {
        *self = Self { w: settled + along as Real * x, paid: ledger as Real };
    }

    fn of_parts(parts: &[f64], ledger: f64) -> Self {
        Self { w: parts[0] as Real, paid: ledger as Real }
    }
}

/// What is owed by someone whose receipt says `paid`. The ledger is rounded as receipts are: then what is paid from receipt
/// to receipt adds up to the ledger, however small single charges are.
#[inline]
fn owed(ledger: f64, paid: Real) -> Real {
    ledger as Real - paid
}

impl About for Stg {
    const NAME: &'static str = "stg";
    const FAMILY: Family = Family::Truncation;
    const PAPER: &'static str = "Langford, Li, Zhang, Sparse online learning via truncated gradient (JMLR 2009); Wang et al. 2015, Table 1";
    const WHEN: &'static str = "as fobos, when large weights should be left alone (theta)";
    const COSTS: CostUse = CostUse::Slope;
    const MERGING: Merging = Merging::Means;
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

    /// The weight; what was paid is all that is due then.
    fn parts(&self, cell: &Indebted, parts: &mut [f64]) {
        parts.copy_from_slice(&[f64::from(Decider::weight(self, cell)), 0.0]);
    }

    fn loss(&self, seen: &Seen, target: &Target) -> f64 {
        self.loss.value(target.y * seen.score)
    }

    fn decide(&self, seen: &Seen, target: &Target, _loss: f64) -> Option<f64> {
        self.loss.step(rate(self.eta.around_middle(target), self.power_t, self.t + 1), seen, target)
    }

    fn tick(&mut self) {
        self.t += 1;
        if self.t.is_multiple_of(self.k) {
            self.ledger += self.k as f64 * self.lambda * rate(self.eta.usual(), self.power_t, self.t);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn charges_too_small_for_a_receipt_are_paid_all_the_same() {
        let charge = f64::from(Real::EPSILON) / 100.0;
        let (mut ledger, mut receipt, mut paid): (f64, Real, f64) = (1.0, 1.0, 0.0);
        for _ in 0..10_000 {
            ledger += charge;
            paid += f64::from(owed(ledger, receipt));
            receipt = ledger as Real;
        }
        assert!((paid - (ledger - 1.0)).abs() <= f64::from(Real::EPSILON), "{paid} {}", ledger - 1.0);
    }
}
