//! The hinge of a linear support vector machine, plain or squared, and its dual coordinate step.

use crate::params::Choice;

/// The loss of an example, with ξ = max(0, 1 − y w·x).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SvmLoss {
    /// C ξ.
    Hinge,
    /// C ξ².
    Squared,
}

impl Choice for SvmLoss {
    const CHOICES: &'static [(&'static str, Self)] =
        &[("hinge", SvmLoss::Hinge), ("squared", SvmLoss::Squared)];
}

impl SvmLoss {
    /// What the square adds to the dual's diagonal, with dual variables in units of C (papers: 0.5, for C ξ²).
    const fn ridge(self) -> f64 {
        match self {
            SvmLoss::Hinge => 0.0,
            SvmLoss::Squared => 0.5,
        }
    }

    /// The dual variable, in units of C, that is best for one example when all others stay: from `alpha`, with
    /// `gap` = 1 − y w·x and `norm2` = |x|² in the metric of the weights.
    #[inline]
    pub fn climb(self, alpha: f64, gap: f64, c: f64, norm2: f64) -> f64 {
        let curvature = c * norm2 + self.ridge();
        if curvature == 0.0 || (alpha == 0.0 && gap <= 0.0) {
            return alpha;
        }
        let best = alpha + (gap - self.ridge() * alpha) / curvature;
        match self {
            SvmLoss::Hinge => best.clamp(0.0, 1.0),
            SvmLoss::Squared => best.max(0.0),
        }
    }

    /// C Σ alpha − the squares' share, for one example.
    pub fn dual(self, alpha: f64, c: f64) -> f64 {
        c * (alpha - 0.5 * self.ridge() * alpha * alpha)
    }
}
