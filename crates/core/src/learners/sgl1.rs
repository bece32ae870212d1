//! Gradient descent with an L1 penalty, lazy and cumulative.

use crate::cost::CostUse;
use crate::loss::Loss;
use crate::merge::Merging;
use crate::params::{Version, non_negative, positive_finite};
use crate::rate::rate;
use crate::rule::{About, Decider, Family, Rule};
use crate::seen::{Seen, Target};
use crate::shrink::{Gross, Owing, cumulative};
use crate::{Real, params, version};

params! {
    /// Stochastic gradient with an L1 penalty.
    pub(crate) struct Sgl1<V: Version> {
        /// Step size of the first round, η: 1 in the paper; on examples of unit length 10 to 100 learns faster.
        eta: f64 = 1.0, positive_finite;
        /// Weight of the L1 penalty, λ: larger keeps fewer features.
        lambda: f64 = 1e-5, non_negative;
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
    /// Stochastic gradient with an L1 penalty, lazy.
    ///
    /// ```text
    /// η_t = η / √t
    /// w' = w_t − η_t ∇loss(w_t)            Oiwa et al. 2011, equation 2; the gradient is scaled by the cost of this error
    /// w_{t+1} = soft_threshold(w', λ η_t)  equation 4: every weight, every round
    /// ```
    ///
    /// It is FOBOS with the step size of Oiwa et al. 2011, and the method that SGFT improves on.
    pub(crate) struct Lazy = "sgl1", "the baseline that sgft improves on";
}

version! {
    /// Stochastic gradient with a cumulative L1 penalty: each weight receives what it should have received by now.
    ///
    /// ```text
    /// η_t = η / √t                         u_t = λ Σ η_τ
    /// w' = w − η_t ∇loss(w)                the gradient is scaled by the cost of this error
    /// w ← max(0, w' − (u_t + q))           if w' ≥ 0        only features of this example
    /// w ← min(0, w' + (u_t − q))           if w' < 0
    /// q ← q + (w − w')                     what has been received so far
    /// ```
    ///
    /// Scores use the weights as they are: there is no catching up before a prediction, and none at the end.
    pub(crate) struct Cumulative = "sgl1-cumulative", "as sgl1, smoother for weights that hover around zero";
}

impl About for Sgl1<Lazy> {
    const NAME: &'static str = Lazy::NAME;
    const FAMILY: Family = Family::Truncation;
    const PAPER: &'static str = "Oiwa, Matsushima, Nakagawa, Frequency-aware truncated methods for sparse online learning (ECML PKDD 2011), equations 2 and 4";
    const WHEN: &'static str = Lazy::WHEN;
    const COSTS: CostUse = CostUse::Slope;
    const MERGING: Merging = Merging::Means;
}

impl Decider for Sgl1<Lazy> {
    type Cell = Gross;

    fn ledger(&self) -> f64 {
        self.ledger
    }

    fn loss(&self, seen: &Seen, target: &Target) -> f64 {
        self.loss.value(target.y * seen.score)
    }

    fn decide(&self, seen: &Seen, target: &Target, _loss: f64) -> Option<f64> {
        self.loss.step(rate(self.eta, 0.5, self.t + 1), seen, target)
    }

    fn tick(&mut self) {
        self.t += 1;
        self.ledger += self.lambda * rate(self.eta, 0.5, self.t);
    }

    fn rebase(&mut self) -> Option<impl Fn(&mut Gross) + 'static> {
        Gross::settle_in_time(self.t, &mut self.ledger)
    }
}

impl About for Sgl1<Cumulative> {
    const NAME: &'static str = Cumulative::NAME;
    const FAMILY: Family = Family::Truncation;
    const PAPER: &'static str = "Tsuruoka, Tsujii, Ananiadou, Stochastic gradient descent training for L1-regularized log-linear models with cumulative penalty (ACL 2009); Oiwa et al. 2011, section 4";
    const WHEN: &'static str = Cumulative::WHEN;
    const COSTS: CostUse = CostUse::Slope;
    const MERGING: Merging = Merging::Means;
}

impl Sgl1<Cumulative> {
    fn rate(&self) -> f64 {
        rate(self.eta, 0.5, self.t + 1)
    }
}

impl Rule for Sgl1<Cumulative> {
    const AFTERWARDS: bool = true;
    type Cell = Owing;
    type Step = f64;

    fn fresh(&self) -> Owing {
        Owing { w: 0.0, received: 0.0 }
    }

    #[inline]
    fn weight(&self, cell: &Owing) -> Real {
        cell.w as Real
    }

    fn loss(&self, seen: &Seen, target: &Target) -> f64 {
        self.loss.value(target.y * seen.score)
    }

    fn decide(&self, seen: &Seen, target: &Target, _loss: f64) -> Option<f64> {
        self.loss.step(self.rate(), seen, target)
    }

    #[inline]
    fn step(&self, cell: &mut Owing, x: Real, _settled: Real, along: f64) {
        let w = cell.w + along * f64::from(x);
        // The cell has more room than a weight: what is too large for that is refused, as everywhere else.
        cell.w = if w.abs() <= f64::from(Real::MAX) { w } else { f64::INFINITY };
    }

    #[inline]
    fn afterwards(&self, cell: &mut Owing) {
        let due = self.ledger + self.lambda * self.rate();
        (cell.w, cell.received) = cumulative(cell.w, cell.received, due);
    }

    fn tick(&mut self, _step: Option<f64>) {
        self.ledger += self.lambda * self.rate();
        self.t += 1;
    }
}
