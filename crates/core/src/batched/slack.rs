//! The hinge of a linear support vector machine, plain or squared, and its dual coordinate step.

use crate::params::Choice;

/// What an example costs that lacks ξ = max(0, 1 − y w·x) of its margin.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Slack {
    /// C ξ.
    Hinge,
    /// C ξ².
    Squared,
}

impl Choice for Slack {
    const CHOICES: &'static [(&'static str, Self)] = &[("hinge", Slack::Hinge), ("squared", Slack::Squared)];
}

impl Slack {
    /// What the square adds to the dual's diagonal, with dual variables in units of C (papers: 0.5, for C ξ²).
    const fn ridge(self) -> f64 {
        match self {
            Slack::Hinge => 0.0,
            Slack::Squared => 0.5,
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
            Slack::Hinge => best.clamp(0.0, 1.0),
            Slack::Squared => best.max(0.0),
        }
    }

    /// C Σ alpha − the squares' share, for one example.
    pub fn dual(self, alpha: f64, c: f64) -> f64 {
        c * (alpha - 0.5 * self.ridge() * alpha * alpha)
    }
}
