//! Sparse AROW: weights that are small beside their own uncertainty are 0.

use crate::Real;
use crate::cost::CostUse;
use crate::gaussian::Gaussian;
use crate::merge::Merging;
use crate::params;
use crate::params::{non_negative, positive_finite};
use crate::rule::{About, Family, Rule, Values};
use crate::seen::{Seen, Target};

params! {
    /// AROW with weights that are cut by their own confidence: the default learner.
    ///
    /// ```text
    /// w = μ if μ² > κ² σ, else 0           a weight must exceed κ of its own standard deviations
    /// loss = max(0, √c − y w·x)            c is the cost of this error, 1 unless declared
    /// v = x'Σx        h = importance · √c
    /// μ ← μ + loss / (v + r/h) y Σx        if loss > 0
    /// σ ← max(1 / (1/σ + x² h/r), floor)
    /// ```
    ///
    /// A feature that was seen often keeps even a small weight; one that was seen seldom has to earn it. Examples are scored with the cut
    /// weights while learning, too, so what remains makes up for what is cut.
    ///
    /// A cost goes half into the margin and half into the importance: as margin alone it overshoots in one pass, as importance
    /// alone it protects what is costly from being learned.
    ///
    /// The floor keeps weights moving when the stream changes.
    ///
    /// Values are prepared so that their units do not matter (`scale` typical, `normalize` count, `bias`), unless the run says otherwise.
    pub(crate) struct Sarow {
        /// Regularisation r: larger makes every step smaller and bears more label noise.
        r: f64 = 0.1, positive_finite;
        /// Truncation κ: larger keeps fewer features, 0 keeps all.
        kappa: f64 = 0.15, non_negative;
        /// The least variance of a weight.
        floor: f64 = 0.0003, non_negative;
    }
}

/// The scalars of one step.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Move {
    /// loss / (v + r/h) y.
    along: f64,
    /// h/r.
    precision: f64,
}

impl About for Sarow {
    const NAME: &'static str = "sarow";
    const FAMILY: Family = Family::Confidence;
    const PAPER: &'static str = "after Crammer, Kulesza, Dredze, Adaptive regularization of weight vectors (NIPS 2009); the truncation is Thalweg's own";
    const WHEN: &'static str = "the default: accurate and sparse in one pass with nothing to tune";
    const COSTS: CostUse = CostUse::Root;
    const MERGING: Merging = Merging::Beliefs;
    const VALUES: Values = Values::Prepared;
}

impl Rule for Sarow {
    const FADES: bool = true;
    type Cell = Gaussian;
    type Step = Move;

    fn fresh(&self) -> Gaussian {
        Gaussian { mu: 0.0, sigma: 1.0 }
    }

    #[inline]
    fn weight(&self, cell: &Gaussian) -> Real {
        let kappa = self.kappa as Real;
        if cell.mu * cell.mu > kappa * kappa * cell.sigma { cell.mu } else { 0.0 }
    }

    #[inline]
    fn variance(&self, cell: &Gaussian) -> Option<Real> {
        Some(cell.sigma)
    }

    #[inline]
    fn faded(&self, cell: Gaussian, growth: Real) -> Gaussian {
        cell.faded(growth, self.fresh().sigma)
    }

    fn parts(&self, cell: &Gaussian, parts: &mut [f64]) {
        parts.copy_from_slice(&cell.mean_and_precision());
    }

    /// The floor holds for what several have learned, too.
    fn of_parts(&self, parts: &[f64]) -> Gaussian {
        let Gaussian { mu, sigma } = Gaussian::of_mean_and_precision(parts);
        Gaussian { mu, sigma: sigma.max((self.floor as Real).min(self.fresh().sigma)) }
    }

    fn loss(&self, seen: &Seen, target: &Target) -> f64 {
        (target.cost.sqrt() - target.y * seen.score).max(0.0)
    }

    fn decide(&self, seen: &Seen, target: &Target, loss: f64) -> Option<Move> {
        let r = self.r / (target.importance * target.cost.sqrt());
        (loss > 0.0).then(|| Move { along: loss * target.y / (seen.variance + r), precision: 1.0 / r })
    }

    #[inline]
    fn step(&self, cell: &mut Gaussian, x: Real, _settled: Real, step: Move) {
        let Gaussian { mu, sigma } = *cell;
        let sx = sigma * x;
        let smaller = sigma / (1.0 + step.precision as Real * (sx * x));
        *cell = Gaussian {
            mu: mu + step.along as Real * sx,
            // A feature of value 0 stays as it is: the floor is no step.
            sigma: smaller.max((self.floor as Real).min(sigma)),
        };
    }
}
