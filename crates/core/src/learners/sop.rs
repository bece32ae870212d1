//! The second-order perceptron.

use crate::cost::CostUse;
use crate::dense::{FullRule, FullStep, WithCovariance};
use crate::gaussian::{Covariance, Mean, Variant, Whitened};
use crate::merge::Merging;
use crate::params;
use crate::params::positive_finite;
use crate::rule::{About, Family, Fold, Rule};
use crate::seen::{Seen, Target};
use crate::{Real, saturating_real};

use super::perceptron::is_mistake;

params! {
    /// Second-order perceptron: a perceptron in the space whitened by the examples that it got wrong.
    ///
    /// ```text
    /// score = θ'(A + diag(x²))⁻¹ x         the example itself is in the metric; A = I/a at first
    /// θ ← θ + c y x,  A ← A + diag(x²)     on a mistake; c is the cost of this error, 1 unless declared
    /// w = A⁻¹ θ
    /// ```
    ///
    /// variant=libol: A ← A + diag(x²) with every example, mistaken or not, as in the library LIBOL, with which Tan et al. 2016 filled
    /// their Table 2. LIBOL's program for test data then predicts with θ itself, as if A were I; here w is A⁻¹ θ in both variants.
    pub(crate) struct Sop {
        /// Variance of a feature never seen, a.
        a: f64 = 1.0, positive_finite;
        /// Which examples enter A: those that it got wrong (paper) or all (libol).
        variant: Variant = Variant::Paper;
        /// Which part of A is kept.
        covariance: Covariance = Covariance::Diagonal;
    }
}

impl About for Sop {
    const NAME: &'static str = "sop";
    const FAMILY: Family = Family::Confidence;
    const PAPER: &'static str =
        "Cesa-Bianchi, Conconi, Gentile, A second-order perceptron algorithm (SIAM J. Comput. 2005)";
    const WHEN: &'static str = "the second-order baseline: few updates, no step size";
    const COSTS: CostUse = CostUse::Slope;
    const MERGING: Merging = Merging::Beliefs;
    const SYMMETRIC: bool = false;
}

impl Rule for Sop {
    const FOLD: Fold = Fold::OnStep;
    const FADES: bool = true;
    type Cell = Whitened;
    type Step = f64;

    #[inline]
    fn folds(&self) -> Fold {
        match self.variant {
            Variant::Paper => Fold::OnStep,
            Variant::Libol => Fold::Always,
        }
    }

    fn fresh(&self) -> Whitened {
        Whitened { theta: 0.0, a: saturating_real(1.0 / self.a).max(Real::MIN_POSITIVE) }
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

    fn parts(&self, cell: &Whitened, parts: &mut [f64]) {
        parts.copy_from_slice(&cell.mean_and_precision());
    }

    fn of_parts(&self, parts: &[f64]) -> Whitened {
        Whitened::of_mean_and_precision(parts)
    }

    #[inline]
    fn fold(&self, cell: Whitened, x: Real, _variance: f64) -> Whitened {
        Whitened { a: cell.a + x * x, ..cell }
    }

    fn loss(&self, seen: &Seen, target: &Target) -> f64 {
        f64::from(u8::from(is_mistake(seen, target)))
    }

    fn decide(&self, _seen: &Seen, target: &Target, loss: f64) -> Option<f64> {
        (loss > 0.0).then_some(target.stake() * target.y)
    }

    #[inline]
    fn step(&self, cell: &mut Whitened, x: Real, _settled: Real, along: f64) {
        cell.theta += along as Real * x;
    }
}

impl WithCovariance for Sop {
    fn covariance(&self) -> Covariance {
        self.covariance
    }
}

impl FullRule for Sop {
    const FOLD: Fold = Fold::OnStep;

    fn folds(&self) -> Fold {
        Rule::folds(self)
    }

    fn fresh_variance(&self) -> f64 {
        self.a
    }

    fn folded(&self, _variance: f64) -> f64 {
        1.0
    }

    fn loss(&self, seen: &Seen, target: &Target) -> f64 {
        Rule::loss(self, seen, target)
    }

    fn decide(&self, seen: &Seen, target: &Target, loss: f64) -> Option<FullStep> {
        let along = Rule::decide(self, seen, target, loss)?;
        Some(FullStep { along, precision: 0.0, mean: Mean::After })
    }
}
