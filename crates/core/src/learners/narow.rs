//! Narrow adaptive regularization of weights.

use crate::Real;
use crate::cost::CostUse;
use crate::dense::{FullRule, FullStep, WithCovariance};
use crate::gaussian::{Covariance, Mean, Variant, Whitened};
use crate::merge::Merging;
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
    ///
    /// variant=libol is what the library LIBOL calls NAROW, with which Tan et al. 2016 filled their Table 2: an AROW that learns nothing
    /// where it is sure enough.
    ///
    /// ```text
    /// loss = max(0, 1 − y w·x)             the example is not in the metric
    /// w ← w + loss / (χ + r/c) y A⁻¹x      if loss > 0 and χ > 1/b
    /// A ← A + diag(x²) c/r
    /// ```
    ///
    /// With examples of length 1 and b ≤ 1 it never learns: χ is at most 1.
    pub(crate) struct Narow {
        /// How readily the metric moves, b.
        b: f64 = 10.0, positive_finite;
        /// Whose recurrence it is: of the authors of NAROW (paper) or of the library LIBOL (libol).
        variant: Variant = Variant::Paper;
        /// Which part of A is kept.
        covariance: Covariance = Covariance::Diagonal;
    }
}

/// The scalars of one step.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Move {
    /// How far to go along x, or along A⁻¹x.
    along: f64,
    /// The precision that the step itself brings: 0 if the example is in the metric already.
    precision: f64,
}

impl About for Narow {
    const NAME: &'static str = "narow";
    const FAMILY: Family = Family::Confidence;
    const PAPER: &'static str = "Orabona, Crammer, New adaptive algorithms for online classification (NIPS 2010), in the authors' reading";
    const WHEN: &'static str = "as arow, with a metric that moves only where the example is uncertain";
    const COSTS: CostUse = CostUse::Slope;
    const MERGING: Merging = Merging::Beliefs;
}

impl Narow {
    /// 1/r: how much precision an example of this variance brings.
    fn precision(&self, chi: f64) -> f64 {
        if chi > 1.0 / self.b { self.b - 1.0 / chi } else { 0.0 }
    }

    /// How much of it is brought before the example is scored.
    fn entering(&self, chi: f64) -> f64 {
        match self.variant {
            Variant::Paper => self.precision(chi),
            Variant::Libol => 0.0,
        }
    }

    /// The step to take, if any.
    fn step_towards(&self, seen: &Seen, target: &Target, loss: f64) -> Option<Move> {
        let precision = self.precision(seen.variance) * target.stake();
        match self.variant {
            _ if loss <= 0.0 => None,
            Variant::Paper => Some(Move { along: target.stake() * target.y, precision: 0.0 }),
            // 1 / (χ + r) without r, which is infinite where there is no step.
            Variant::Libol => (precision > 0.0).then(|| Move {
                along: target.y * loss * precision / (1.0 + precision * seen.variance),
                precision,
            }),
        }
    }
}

impl Rule for Narow {
    const FOLD: Fold = Fold::OnStep;
    const FADES: bool = true;
    type Cell = Whitened;
    type Step = Move;

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

    fn parts(&self, cell: &Whitened, parts: &mut [f64]) {
        parts.copy_from_slice(&cell.mean_and_precision());
    }

    fn of_parts(&self, parts: &[f64]) -> Whitened {
        Whitened::of_mean_and_precision(parts)
    }

    #[inline]
    fn fold(&self, cell: Whitened, x: Real, variance: f64) -> Whitened {
        Whitened { a: cell.a + self.entering(variance) as Real * x * x, ..cell }
    }

    fn decide(&self, seen: &Seen, target: &Target, loss: f64) -> Option<Move> {
        self.step_towards(seen, target, loss)
    }

    /// θ ← θ + along x, and then A and θ grow alike: A⁻¹θ stays where the step has brought it.
    #[inline]
    fn step(&self, cell: &mut Whitened, x: Real, _settled: Real, step: Move) {
        let a = cell.a + step.precision as Real * x * x;
        *cell = Whitened { theta: (cell.theta + step.along as Real * x) * (a / cell.a), a };
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
        self.entering(variance)
    }

    fn decide(&self, seen: &Seen, target: &Target, loss: f64) -> Option<FullStep> {
        let Move { along, precision } = self.step_towards(seen, target, loss)?;
        let mean = match self.variant {
            Variant::Paper => Mean::After,
            Variant::Libol => Mean::Before,
        };
        Some(FullStep { along, precision, mean })
    }
}
