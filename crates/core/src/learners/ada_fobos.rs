use crate::Real;
use crate::loss::Loss;
use crate::params;
use crate::params::{non_negative, positive_finite};
use crate::rule::{About, CostUse, Family, Rule, Seen, Target};
use crate::shrink::{owed, soft_threshold};

params! {
    /// AdaGrad with composite mirror descent: steps and penalties divided by what each feature has seen.
    ///
    /// ```text
    /// g = ∇loss(w_t)                       scaled by the cost of this error
    /// H = δ + √(Σ g²)                      per feature, this gradient included
    /// w_{t+1} = soft_threshold(w_t − η g / H, λ η / H)       every weight, every round
    /// ```
    ///
    /// Lazy and exact: H does not change between two uses of a feature, so rounds can be paid by their number.
    pub struct AdaFobos {
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
    /// A weight, its squared gradients, and when it last paid.
    pub struct Adaptive {
        /// The weight.
        w: Real,
        /// Σ g².
        g2: Real,
        /// Rounds when it last paid.
        paid: Real,
    }
}

impl About for AdaFobos {
    const NAME: &'static str = "ada-fobos";
    const FAMILY: Family = Family::Truncation;
    const PAPER: &'static str = "Duchi, Hazan, Singer, Adaptive subgradient methods for online learning and stochastic optimization (JMLR 2011), section 5.1; paper 000, Table 1";
    const WHEN: &'static str = "sparse weights with a step size per feature; robust defaults";
    const COSTS: CostUse = CostUse::Slope;
}

impl AdaFobos {
    #[inline]
    fn metric(&self, cell: &Adaptive) -> Real {
        self.delta as Real + cell.g2.sqrt()
    }
}

impl Rule for AdaFobos {
    type Cell = Adaptive;
    type Step = f64;

    fn fresh(&self) -> Adaptive {
        Adaptive { w: 0.0, g2: 0.0, paid: 0.0 }
    }

    #[inline]
    fn weight(&self, cell: &Adaptive) -> Real {
        let (h, charge) = (self.metric(cell), (self.lambda * self.eta) as Real);
        let weight = soft_threshold(cell.w, owed(self.t as f64, cell.paid) * charge / h);
        if h > 0.0 { weight } else { 0.0 } // δ = 0, and no gradient yet
    }

    fn loss(&self, seen: &Seen, target: &Target) -> f64 {
        self.loss.value(target.y * seen.score)
    }

    fn decide(&self, seen: &Seen, target: &Target, _loss: f64) -> Option<f64> {
        self.loss.step(1.0, seen, target)
    }

    #[inline]
    fn step(&self, cell: &mut Adaptive, x: Real, _settled: Real, along: f64) {
        let g = along as Real * x;
        // Not the weight at hand: a loop that reads whole cells has no rest that is done one by one.
        let settled = self.weight(cell);
        cell.g2 += g * g;
        let h = self.metric(cell);
        cell.w = settled + if h > 0.0 { self.eta as Real * g / h } else { 0.0 };
        cell.paid = self.t as Real;
    }

    fn tick(&mut self, _step: Option<f64>) {
        self.t += 1;
    }
}
