//! Shrinkage towards zero, and the ledger that makes it lazy.
//!
//! A penalty that shrinks every weight in every round would cost the whole dimension per example. But
//! soft(soft(w, a), b) = soft(w, a + b): a weight that nobody looks at may pay all that it owes at once. The rule
//! keeps the sum U of all charges (its *ledger*), each cell its weight before all charges (its *gross*):
//!
//! ```text
//! gross = w + sign(w) U                whenever w moves
//! weight = soft_threshold(gross, U)
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

/// What `w` was before all charges: soft_threshold(gross(w, charges), charges) = w.
#[inline]
pub(crate) fn gross<T: Float>(w: T, charges: T) -> T {
    w + charges.copysign(w)
}

/// After so many rounds all weights pay and the ledger begins anew: beside a ledger that grows for ever, small steps of a
/// weight would be rounded away.
pub(crate) const ROUNDS_TO_SETTLE: u64 = 1 << 20;

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
    /// A weight before all charges.
    pub struct Gross {
        /// The weight, and away from zero by what the ledger said when it last moved.
        gross: Real,
    }
}

impl Gross {
    /// If it is time for all weights to pay: how each of them does. The ledger begins anew then.
    pub fn settle_in_time(rounds: u64, ledger: &mut f64) -> Option<impl Fn(&mut Self) + 'static> {
        rounds.is_multiple_of(ROUNDS_TO_SETTLE).then(|| {
            let charged = std::mem::take(ledger);
            move |cell: &mut Self| cell.gross = cell.weight(charged)
        })
    }
}

impl Mover for Gross {
    type Step = f64;
    const FRESH: Self = Self { gross: 0.0 };

    #[inline]
    fn weight(&self, ledger: f64) -> Real {
        soft_threshold(self.gross, ledger as Real)
    }

    #[inline]
    fn advance(&mut self, x: Real, along: f64, settled: Real, ledger: f64) {
        self.gross = gross(settled + along as Real * x, ledger as Real);
    }

    fn parts(&self, ledger: f64, parts: &mut [f64]) {
        parts[0] = soft_threshold(f64::from(self.gross), ledger);
    }

    fn of_parts(parts: &[f64], ledger: f64) -> Self {
        Self { gross: gross(parts[0], ledger) as Real }
    }
}

crate::cell! {
    /// A weight and the penalty that it has received so far. f64 in every build: unlike a receipt, what was received is a sum of
    /// many small changes, and a lone f32 weight would only become padding.
    pub(crate) struct Owing {
        /// The weight.
        w: f64,
        /// The sum of all changes that the penalty made, q.
        received: f64,
    }
}

/// The cumulative penalty: moves `w` towards zero until it has received what is due (Oiwa et al. 2011, equations 13 and 14).
/// Returns the weight and what it has received.
#[inline]
pub(crate) fn cumulative(w: f64, received: f64, due: f64) -> (f64, f64) {
    let shrunken = if w >= 0.0 { (w - (due + received)).max(0.0) } else { (w + (due - received)).min(0.0) };
    (shrunken, received + (shrunken - w))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::cost::Costs;
    use crate::learner::{Inspect, Learner, Persist};
    use crate::learners::{
        ada_fobos::AdaFobos, fobos::Fobos, sgft, sgft::Sgft, sgl1, sgl1::Sgl1, stg::Indebted,
    };
    use crate::rule::Rule;
    use crate::{Batch, Linear, Outcomes};

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
            let (mut eager, mut ledger) = (start, 0.3);
            let (mut gross, mut indebted) = (Gross::FRESH, Indebted::FRESH);
            gross.advance(1.0, start, 0.0, ledger);
            indebted.advance(1.0, start, 0.0, ledger);
            for charge in charges {
                eager = soft_threshold(eager, charge);
                ledger += charge;
                for lazy in [gross.weight(ledger), indebted.weight(ledger)] {
                    prop_assert!((f64::from(lazy) - eager).abs() < 32.0 * f64::from(Real::EPSILON));
                }
            }
        }
    }

    /// The weights after some examples, of a learner that believes it has seen `t` before.
    fn weights_after<R: Rule>(rule: R, t: u64) -> Vec<(u32, f64)> {
        let mut learner = Linear::new(R::NAME, rule, Costs::default());
        let mut state = learner.state();
        state["rule"]["t"] = t.into();
        learner.restore(&state, &0u64.to_le_bytes()).unwrap();
        let mut batch = Batch::default();
        for i in 0..40u32 {
            let features = [(i % 7, 0.9), (7 + i % 5, -0.4), (20 + i, 0.3)];
            batch.push(features, Some(u32::from(i % 7 < 3))).unwrap();
        }
        learner.learn(&batch, &mut Outcomes::default()).unwrap();
        learner.weights().iter().map(|weight| (weight.feature, weight.value)).collect()
    }

    /// Twenty rounds more or less out of a million make hardly a difference, unless paying changes what is owed.
    #[test]
    fn paying_in_between_changes_no_weight() {
        fn check<R: Rule>(rule: &R) {
            let without = weights_after(rule.clone(), ROUNDS_TO_SETTLE);
            let with = weights_after(rule.clone(), ROUNDS_TO_SETTLE - 20);
            assert!(without.len() > 8 && without.len() == with.len(), "{}: {}", R::NAME, without.len());
            let largest = without.iter().map(|(_, w)| w.abs()).fold(0.0, f64::max);
            for ((feature, a), (same, b)) in without.into_iter().zip(with) {
                assert!(feature == same && (a - b).abs() < 1e-4 * largest, "{} {feature}: {a} {b}", R::NAME);
            }
        }
        let lambda = 0.01;
        check(&Fobos { lambda, ..Fobos::default() });
        check(&Sgl1::<sgl1::Lazy> { lambda, ..Sgl1::default() });
        check(&Sgft::<sgft::Lazy> { lambda, ..Sgft::default() });
        check(&AdaFobos { lambda: 1e-6, ..AdaFobos::default() });
    }

    #[test]
    fn a_shrunken_weight_is_a_clean_zero() {
        assert_eq!(soft_threshold(0.3, 0.5), 0.0);
        assert_eq!(soft_threshold(-0.3, 0.5), 0.0);
    }
}
