//! FOBOS with a step size of its own for every feature.

use crate::Real;
use crate::cost::CostUse;
use crate::loss::Loss;
use crate::merge::Merging;
use crate::params;
use crate::params::{non_negative, positive_finite};
use crate::rule::{About, Family, Rule};
use crate::seen::{Seen, Target};
use crate::shrink::{ROUNDS_TO_SETTLE, gross, soft_threshold};

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
    pub(crate) struct AdaFobos {
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
    /// A weight before all charges, and its gradients.
    pub(crate) struct Adaptive {
        /// The weight, and away from zero by what had been charged when it last moved.
        gross: Real,
        /// √(Σ g²).
        norm: Real,
    }
}

impl About for AdaFobos {
    const NAME: &'static str = "ada-fobos";
    const FAMILY: Family = Family::Truncation;
    const PAPER: &'static str = "Duchi, Hazan, Singer, Adaptive subgradient methods for online learning and stochastic optimization (JMLR 2011), section 5.1; Wang et al. 2015, Table 1";
    const WHEN: &'static str = "sparse weights with a step size per feature; robust defaults";
    const COSTS: CostUse = CostUse::Slope;
    const MERGING: Merging = Merging::Means;
}

impl AdaFobos {
    /// 1 / H; 0 if δ = 0 and there is no gradient yet.
    #[inline]
    fn inverse(&self, norm: Real) -> Real {
        let h = self.delta as Real + norm;
        if h > 0.0 { 1.0 / h } else { 0.0 }
    }

    /// What a feature with H = 1 has been charged since all weights last paid.
    #[inline]
    fn charges(&self) -> Real {
        (self.lambda * self.eta * (self.t % ROUNDS_TO_SETTLE) as f64) as Real
    }
}

impl Rule for AdaFobos {
    type Cell = Adaptive;
    type Step = f64;

    fn fresh(&self) -> Adaptive {
        Adaptive { gross: 0.0, norm: 0.0 }
    }

    #[inline]
    fn weight(&self, cell: &Adaptive) -> Real {
        soft_threshold(cell.gross, self.charges() * self.inverse(cell.norm))
    }

    fn parts(&self, cell: &Adaptive, parts: &mut [f64]) {
        parts.copy_from_slice(&[f64::from(self.weight(cell)), f64::from(cell.norm)]);
    }

    fn of_parts(&self, parts: &[f64]) -> Adaptive {
        let norm = parts[1] as Real;
        Adaptive { gross: gross(parts[0] as Real, self.charges() * self.inverse(norm)), norm }
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
        let norm = (cell.norm * cell.norm + g * g).sqrt();
        let inverse = self.inverse(norm);
        // Not the weight at hand: a loop that reads whole cells has no rest that is done one by one.
        let w = self.weight(cell) + self.eta as Real * g * inverse;
        *cell = Adaptive { gross: gross(w, self.charges() * inverse), norm };
    }

    fn tick(&mut self, _step: Option<f64>) {
        self.t += 1;
    }

    fn rebase(&mut self) -> Option<impl Fn(&mut Adaptive) + 'static> {
        self.t.is_multiple_of(ROUNDS_TO_SETTLE).then(|| {
            let charged = (self.lambda * self.eta * ROUNDS_TO_SETTLE as f64) as Real;
            let rule = self.clone();
            move |cell: &mut Adaptive| {
                cell.gross = soft_threshold(cell.gross, charged * rule.inverse(cell.norm));
            }
        })
    }
}
