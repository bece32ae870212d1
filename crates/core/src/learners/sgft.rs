//! Frequency-aware truncation, lazy and cumulative.

use crate::cost::CostUse;
use crate::loss::Loss;
use crate::merge::Merging;
use crate::params::{Version, at_least_one, non_negative, positive, positive_finite};
use crate::rate::rate;
use crate::rule::{About, Family, Rule, step_each};
use crate::seen::{Seen, Target};
use crate::shrink::{ROUNDS_TO_SETTLE, cumulative, gross, soft_threshold};
use crate::{Real, params, version};

params! {
    /// Frequency-aware truncation.
    pub(crate) struct Sgft<V: Version> {
        /// Step size of the first round, η: 1 in the paper; on examples of unit length 10 to 100 learns faster.
        eta: f64 = 1.0, positive_finite;
        /// Weight of the penalty, λ: larger keeps fewer features.
        lambda: f64 = 1e-3, non_negative;
        /// The norm of the updates: 1, 2, 3, ... or inf. Small p truncates frequent features more.
        p: f64 = 2.0, at_least_one;
        /// The largest h for p ≤ 2.
        v: f64 = 500.0, positive;
        /// The loss whose gradient is followed. squared is (y − w·x)², the other usual loss of the paper; it wants eta below 1 / |x|².
        loss: Loss = Loss::Hinge;
    }
    remembers {
        /// Rounds completed.
        t: u64;
        /// The ledger λ Σ η_τ.
        ledger: f64;
    }
}

version! {
    /// Frequency-aware truncation: a feature pays in proportion to how much it has moved, so rare ones survive.
    ///
    /// ```text
    /// η_t = η / √t
    /// w' = w_t − η_t ∇loss(w_t)            the gradient is scaled by the cost of this error
    /// h_t = ‖all updates of this feature so far‖_p       at most v if p ≤ 2 (Oiwa et al. 2011, equation 9)
    /// w_{t+1} = soft_threshold(w', λ η_t h_t)            equation 6: every weight, every round
    /// ```
    ///
    /// Lazy and exact (equation 12): h does not change between two uses of a feature.
    pub(crate) struct Lazy = "sgft", "sparse weights where rare features matter: words, hosts, ids";
}

version! {
    /// Frequency-aware truncation with a cumulative penalty.
    ///
    /// ```text
    /// η_t = η / √t                         u_t = λ Σ η_τ        h_t as in SGFT
    /// w' = w − η_t ∇loss(w)                the gradient is scaled by the cost of this error
    /// w ← max(0, w' − (h_t u_t + q))       if w' ≥ 0        only features of this example
    /// w ← min(0, w' + (h_t u_t − q))       if w' < 0        Oiwa et al. 2011, equation 13
    /// q ← q + (w − w')                     equation 14
    /// ```
    pub(crate) struct Cumulative = "sgft-cumulative", "as sgft, smoother for weights that hover around zero";
}

crate::cell! {
    /// A weight before all charges, and how much it has moved.
    pub(crate) struct Moved {
        /// The weight, and away from zero by what had been charged when it last moved.
        gross: Real,
        /// The p-norm of all updates.
        h: Real,
    }
}

crate::cell! {
    /// A weight, how much it has moved, and the penalty that it has received. f64 for the same reason as
    /// [`Owing`](crate::shrink::Owing).
    pub(crate) struct Charged {
        /// The sum of all changes that the penalty made, q.
        received: f64,
        /// The weight.
        w: Real,
        /// The p-norm of all updates.
        h: Real,
    }
}

/// h, clipped as equation 9 says.
#[inline]
fn frequency(h: Real, p: f64, v: f64) -> Real {
    let most = if p <= 2.0 { v as Real } else { Real::INFINITY };
    if h < most { h } else { most }
}

/// The p-norm of one more update.
#[inline]
fn longer(h: Real, update: Real, p: f64) -> Real {
    let u = update.abs();
    if p == 2.0 {
        (h * h + u * u).sqrt()
    } else if p == 1.0 {
        h + u
    } else if p == f64::INFINITY {
        h.max(u)
    } else {
        // Relative to the larger one, so that a large p cannot overflow.
        let (small, large) = if h < u { (h, u) } else { (u, h) };
        let p = p as Real;
        if large == 0.0 { 0.0 } else { large * (1.0 + (small / large).powf(p)).powf(1.0 / p) }
    }
}

impl<V: Version> About for Sgft<V> {
    const NAME: &'static str = V::NAME;
    const FAMILY: Family = Family::Truncation;
    const PAPER: &'static str = "Oiwa, Matsushima, Nakagawa, Frequency-aware truncated methods for sparse online learning (ECML PKDD 2011)";
    const WHEN: &'static str = V::WHEN;
    const COSTS: CostUse = CostUse::Slope;
    const MERGING: Merging = Merging::Means;
}

impl Sgft<Lazy> {
    /// All that a feature which has moved by `h` has been charged.
    #[inline]
    fn charges(&self, h: Real) -> Real {
        self.ledger as Real * frequency(h, self.p, self.v)
    }
}

impl Rule for Sgft<Lazy> {
    type Cell = Moved;
    type Step = f64;

    fn fresh(&self) -> Moved {
        Moved { gross: 0.0, h: 0.0 }
    }

    #[inline]
    fn weight(&self, cell: &Moved) -> Real {
        soft_threshold(cell.gross, self.charges(cell.h))
    }

    fn parts(&self, cell: &Moved, parts: &mut [f64]) {
        parts.copy_from_slice(&[f64::from(self.weight(cell)), f64::from(cell.h)]);
    }

    fn of_parts(&self, parts: &[f64]) -> Moved {
        let h = parts[1] as Real;
        Moved { gross: gross(parts[0] as Real, self.charges(h)), h }
    }

    fn loss(&self, seen: &Seen, target: &Target) -> f64 {
        self.loss.value(target.y * seen.score)
    }

    fn decide(&self, seen: &Seen, target: &Target, _loss: f64) -> Option<f64> {
        self.loss.step(rate(self.eta, 0.5, self.t + 1), seen, target)
    }

    #[inline]
    fn step(&self, cell: &mut Moved, x: Real, _settled: Real, along: f64) {
        let update = along as Real * x;
        // Not the weight at hand: a loop that reads whole cells has no rest that is done one by one.
        let (w, h) = (self.weight(cell) + update, longer(cell.h, update, self.p));
        *cell = Moved { gross: gross(w, self.charges(h)), h };
    }

    /// The usual norm by itself: the others would be in the way of doing several features at once.
    #[inline(always)]
    fn step_all(
        &self,
        cells: &mut [Moved],
        values: &[Real],
        settled: &[Real],
        variance: f64,
        along: f64,
    ) -> u32 {
        if self.p == 2.0 {
            step_each(&Self { p: 2.0, ..*self }, cells, values, settled, variance, along)
        } else {
            step_each(self, cells, values, settled, variance, along)
        }
    }

    fn tick(&mut self, _step: Option<f64>) {
        self.t += 1;
        self.ledger += self.lambda * rate(self.eta, 0.5, self.t);
    }

    fn rebase(&mut self) -> Option<impl Fn(&mut Moved) + 'static> {
        self.t.is_multiple_of(ROUNDS_TO_SETTLE).then(|| {
            let charged = self.clone();
            self.ledger = 0.0;
            move |cell: &mut Moved| cell.gross = charged.weight(cell)
        })
    }
}

impl Sgft<Cumulative> {
    fn rate(&self) -> f64 {
        rate(self.eta, 0.5, self.t + 1)
    }
}

impl Rule for Sgft<Cumulative> {
    const AFTERWARDS: bool = true;
    type Cell = Charged;
    type Step = f64;

    fn fresh(&self) -> Charged {
        Charged { received: 0.0, w: 0.0, h: 0.0 }
    }

    #[inline]
    fn weight(&self, cell: &Charged) -> Real {
        cell.w
    }

    fn loss(&self, seen: &Seen, target: &Target) -> f64 {
        self.loss.value(target.y * seen.score)
    }

    fn decide(&self, seen: &Seen, target: &Target, _loss: f64) -> Option<f64> {
        self.loss.step(self.rate(), seen, target)
    }

    #[inline]
    fn step(&self, cell: &mut Charged, x: Real, _settled: Real, along: f64) {
        let update = along as Real * x;
        cell.w += update;
        cell.h = longer(cell.h, update, self.p);
    }

    #[inline]
    fn afterwards(&self, cell: &mut Charged) {
        let due = (self.ledger + self.lambda * self.rate()) * f64::from(frequency(cell.h, self.p, self.v));
        let (w, received) = cumulative(f64::from(cell.w), cell.received, due);
        (cell.w, cell.received) = (w as Real, received);
    }

    fn tick(&mut self, _step: Option<f64>) {
        self.ledger += self.lambda * self.rate();
        self.t += 1;
    }
}
