//! Shrinkage towards zero, and the ledger that makes it lazy.
//!
//! A penalty that shrinks every weight in every round would cost the whole dimension per example. But
//! soft(soft(w, a), b) = soft(w, a + b): a weight that nobody looks at may pay all that it owes at once. The rule
//! keeps the sum U of all charges (its *ledger*), each cell the ledger's state when it last paid, and the weight is
//!
//! ```text
//! weight = soft_threshold(w, U − paid)
//! ```
//!
//! Reading a weight settles nothing, so scores in the middle of training are exact and there is no final flush.

use std::hint::select_unpredictable;

use num_traits::Float;

use crate::Real;
use crate::params::Choice;
use crate::rule::Mover;

/// sign(w) · max(|w| − amount, 0), the proximal map of amount · |w|.
#[inline]
pub fn soft_threshold<T: Float>(w: T, amount: T) -> T {
    let left = w.abs() - amount;
    // Not `max`, which has to think of NaN.
    (if left > T::zero() { left } else { T::zero() }).copysign(w)
}

/// What is owed by someone whose receipt says `paid`. The ledger is rounded as receipts are: then what is paid from receipt
/// to receipt adds up to the ledger, however small single charges are.
#[inline]
pub fn owed(ledger: f64, paid: Real) -> Real {
    ledger as Real - paid
}

/// The threshold of dual averaging over time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Schedule {
    /// η λ.
    Eta,
    /// λ.
    Constant,
    /// λ / t.
    Inverse,
    /// η λ (t − 1): the sum of t − 1 gradients against t − 1 penalties, as in dual averaging.
    Rda,
}

impl Choice for Schedule {
    const CHOICES: &'static [(&'static str, Self)] = &[
        ("eta", Schedule::Eta),
        ("constant", Schedule::Constant),
        ("inverse", Schedule::Inverse),
        ("rda", Schedule::Rda),
    ];
}

impl Schedule {
    /// λ_t, the threshold of round `t`, which counts from 1.
    #[inline]
    pub fn threshold(self, lambda: f64, eta: f64, t: u64) -> f64 {
        let t = t as f64;
        // Chosen, not branched to: so it is worked out once for all features of an example, and not for each of them again.
        let falling = select_unpredictable(self == Schedule::Inverse, lambda / t, lambda);
        let scaled = select_unpredictable(self == Schedule::Rda, eta * lambda * (t - 1.0), eta * lambda);
        select_unpredictable(matches!(self, Schedule::Eta | Schedule::Rda), scaled, falling)
    }
}

crate::cell! {
    /// A weight that owes a penalty.
    pub struct Indebted {
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
}

crate::cell! {
    /// A weight and the penalty that it has received so far. f64 in every build: unlike a receipt, what was received is a sum of
    /// many small changes, and a lone f32 weight would only become padding.
    pub struct Owing {
        /// The weight.
        w: f64,
        /// The sum of all changes that the penalty made, q.
        received: f64,
    }
}

/// The cumulative penalty: moves `w` towards zero until it has received what is due (paper 002, equations 13 and 14).
/// Returns the weight and what it has received.
#[inline]
pub fn cumulative(w: f64, received: f64, due: f64) -> (f64, f64) {
    let shrunken = if w >= 0.0 { (w - (due + received)).max(0.0) } else { (w + (due - received)).min(0.0) };
    (shrunken, received + (shrunken - w))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn soft_threshold_is_the_proximal_map(w in -5.0..5.0f64, amount in 0.0..3.0f64, other in -5.0..5.0f64) {
            let objective = |v: f64| (v - w) * (v - w) / 2.0 + amount * v.abs();
            prop_assert!(objective(soft_threshold(w, amount)) <= objective(other) + 1e-12);
        }

        #[test]
        fn paying_late_is_paying_every_round(
            start in -2.0..2.0f64, charges in prop::collection::vec(0.0..0.2f64, 1..30)
        ) {
            let (mut eager, mut ledger) = (start, 0.0);
            let mut lazy = Indebted::FRESH;
            lazy.advance(1.0, start, 0.0, ledger);
            for charge in charges {
                eager = soft_threshold(eager, charge);
                ledger += charge;
                prop_assert!((f64::from(lazy.weight(ledger)) - eager).abs() < 16.0 * f64::from(Real::EPSILON));
            }
        }
    }

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

    #[test]
    fn a_shrunken_weight_is_a_clean_zero() {
        assert_eq!(soft_threshold(0.3, 0.5), 0.0);
        assert_eq!(soft_threshold(-0.3, 0.5), 0.0);
    }
}
