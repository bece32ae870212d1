//! Narrow adaptive regularization of weights.

use crate::Real;
use crate::cost::CostUse;
use crate::dense::{FullRule, FullStep, WithCovariance};
use crate::gaussian::{Covariance, Mean, Whitened};
use crate::params;
use crate::params::positive_finite;
use crate::rule::{About, Family, Fold, Rule};
use crate::seen::{Seen, Target};

params! {
    /// Narrow AROW: the metric moves only as far as the example is uncertain.
    ///
    /// ```text
    /// χ = x'A⁻¹x
    /// 1/r = b − 1/χ                        if χ > 1/b, else 0
    /// score = θ'(A + diag(x²)/r)⁻¹ x       the example itself is in the metric
    /// θ ← θ + c y x,  A ← A + diag(x²)/r   if y score < 1; c is the cost of this error, 1 unless declared
    /// w = A⁻¹ θ
    /// ```
    pub(crate) struct Narow {
        /// How readily the metric moves, b.
        b: f64 = 10.0, positive_finite;
        /// Which part of A is kept.
        covariance: Covariance = Covariance::Diagonal;
    }
}

impl About for Narow {
    const NAME: &'static str = "narow";
    const FAMILY: Family = Family::Confidence;
    const PAPER: &'static str = "Orabona, Crammer, New adaptive algorithms for online classification (NIPS 2010), in the authors' reading";
    const WHEN: &'static str = "as arow, with a metric that moves only where the example is uncertain";
    const COSTS: CostUse = CostUse::Slope;
}

impl Narow {
    /// 1/r: how much precision an example of this variance brings.
    fn precision(&self, chi: f64) -> f64 {
        if chi > 1.0 / self.b { self.b - 1.0 / chi } else { 0.0 }
    }
}

impl Rule for Narow {
    const FOLD: Fold = Fold::OnStep;
    const FADES: bool = true;
    type Cell = Whitened;
    type Step = f64;

    fn fresh(&self) -> Whitened {
        Whitened { theta: 0.0, a: 1.0 }
    }

    #[inline]
    fn weight(&self, cell: &Whitened) -> Real {
        cell.theta / cell.a
    }

    #[inline]
    fn variance(&self, cell: &Whitened) -> Option<Real> {
        Some(1.0 / cell.a)
    }

    #[inline]
    fn faded(&self, cell: Whitened, growth: Real) -> Whitened {
        cell.faded(growth, self.fresh().a)
    }

    #[inline]
    fn fold(&self, cell: Whitened, x: Real, variance: f64) -> Whitened {
        Whitened { a: cell.a + self.precision(variance) as Real * x * x, ..cell }
    }

    fn decide(&self, _seen: &Seen, target: &Target, loss: f64) -> Option<f64> {
        (loss > 0.0).then_some(target.stake() * target.y)
    }

    #[inline]
    fn step(&self, cell: &mut Whitened, x: Real, _settled: Real, along: f64) {
        cell.theta += along as Real * x;
    }
}

impl WithCovariance for Narow {
    fn covariance(&self) -> Covariance {
        self.covariance
    }
}

impl FullRule for Narow {
    const FOLD: Fold = Fold::OnStep;

    fn folded(&self, variance: f64) -> f64 {
        self.precision(variance)
    }

    fn decide(&self, seen: &Seen, target: &Target, loss: f64) -> Option<FullStep> {
        let along = Rule::decide(self, seen, target, loss)?;
        Some(FullStep { along, precision: 0.0, mean: Mean::After })
    }
}
