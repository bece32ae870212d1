//! Forward-backward splitting.

use crate::cost::CostUse;
use crate::loss::Loss;
use crate::merge::Merging;
use crate::params;
use crate::params::non_negative;
use crate::rate::rate;
use crate::rule::{About, Decider, Family};
use crate::seen::{Seen, Target};
use crate::shrink::Gross;
use crate::step_size::{StepSize, finite_step};

params! {
    /// FOBOS: a gradient step, then shrinkage of every weight.
    ///
    /// ```text
    /// η_t = η / t^power_t
    /// w' = w_t − η_t ∇loss(w_t)            the gradient is scaled by the cost of this error
    /// w_{t+1} = soft_threshold(w', λ η_t)  every weight, every round, with or without loss
    /// ```
    ///
    /// The shrinkage is lazy: a weight pays what it owes when it is next used or read, which is exactly the same.
    pub(crate) struct Fobos {
        /// Step size of the first round, η; auto is 30 divided by the geometric mean of the two costs.
        eta: StepSize<30> = StepSize::Auto, finite_step;
        /// Weight of the L1 penalty, λ: larger keeps fewer features.
        lambda: f64 = 1e-6, non_negative;
        /// How fast the step size falls: η / t^power_t.
        power_t: f64 = 0.5, non_negative;
        /// The loss whose gradient is followed.
        loss: Loss = Loss::Hinge;
    }
    remembers {
        /// Rounds completed.
        t: u64;
        /// The ledger λ Σ η_τ: what has been charged since all weights last paid.
        ledger: f64;
    }
}

impl About for Fobos {
    const NAME: &'static str = "fobos";
    const FAMILY: Family = Family::Truncation;
    const PAPER: &'static str = "Duchi, Singer, Efficient online and batch learning using forward backward splitting (JMLR 2009); Wang et al. 2015, Table 1";
    const WHEN: &'static str =
        "sparse weights from plain gradient steps; rare features suffer from the common penalty";
    const COSTS: CostUse = CostUse::Slope;
    const MERGING: Merging = Merging::Means;
}

impl Decider for Fobos {
    type Cell = Gross;

    fn ledger(&self) -> f64 {
        self.ledger
    }

    fn loss(&self, seen: &Seen, target: &Target) -> f64 {
        self.loss.value(target.y * seen.score)
    }

    fn decide(&self, seen: &Seen, target: &Target, _loss: f64) -> Option<f64> {
        self.loss.step(rate(self.eta.around_middle(target), self.power_t, self.t + 1), seen, target)
    }

    fn tick(&mut self) {
        self.t += 1;
        self.ledger += self.lambda * rate(self.eta.usual(), self.power_t, self.t);
    }

    fn rebase(&mut self) -> Option<impl Fn(&mut Gross) + 'static> {
        Gross::settle_in_time(self.t, &mut self.ledger)
    }
}
