//! A weight as a belief: a mean and a variance per feature (the confidence-weighted family).

use crate::Real;
use crate::params::Choice;
use crate::rule::Seen;

crate::cell! {
    /// A normal distribution over one weight.
    pub struct Gaussian {
        /// The mean, which is the weight.
        mu: Real,
        /// The variance: large where little was seen.
        sigma: Real,
    }
}

/// Which covariance a second-order learner keeps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Covariance {
    /// One variance per feature.
    Diagonal,
}

impl Choice for Covariance {
    const CHOICES: &'static [(&'static str, Self)] = &[("diagonal", Covariance::Diagonal)];
}

/// How the rank-one step of a full covariance is projected onto its diagonal. The papers differ.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Denominator {
    /// Each feature is divided by its own term: the diagonal of the inverse is kept, 1/σ' = 1/σ + ρ x².
    Own,
    /// All are divided by the example's sum: the diagonal of the covariance is kept, σ' = σ − β (σ x)².
    Shared,
}

impl Choice for Denominator {
    const CHOICES: &'static [(&'static str, Self)] =
        &[("own", Denominator::Own), ("shared", Denominator::Shared)];
}

impl Denominator {
    /// The variance after a feature of value `x` raised the precision by ρ x x', where `variance` = x'Σx.
    #[inline]
    pub fn shrink(self, sigma: f64, x: f64, rho: f64, variance: f64) -> f64 {
        let term = match self {
            Denominator::Own => sigma * x * x,
            Denominator::Shared => variance,
        };
        sigma - rho * sigma * x * sigma * x / (1.0 + rho * term)
    }
}

/// The scalars of one step: μ += along · Σx, Σ⁻¹ += precision · x x'.
#[derive(Clone, Copy, Debug)]
pub struct Belief {
    /// α y.
    pub along: f64,
    /// ρ.
    pub precision: f64,
    /// x'Σx before the step.
    pub variance: f64,
}

impl Gaussian {
    /// Nothing believed yet.
    pub const FRESH: Self = Self { mu: 0.0, sigma: 1.0 };

    /// Adds this feature's share to score and variance.
    #[inline]
    pub fn look(&self, x: f64, seen: &mut Seen) {
        seen.score += f64::from(self.mu) * x;
        seen.variance += f64::from(self.sigma) * x * x;
    }

    /// Moves mean and variance.
    #[inline]
    pub fn step(&mut self, x: f64, step: Belief, denominator: Denominator) {
        let sigma = f64::from(self.sigma);
        self.mu = (f64::from(self.mu) + step.along * sigma * x) as Real;
        self.sigma = denominator.shrink(sigma, x, step.precision, step.variance) as Real;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn own_is_the_inverse_of_the_added_precision() {
        let (sigma, x, rho) = (0.7, 1.3, 2.0);
        let expected = 1.0 / (1.0 / sigma + rho * x * x);
        assert!((Denominator::Own.shrink(sigma, x, rho, 99.0) - expected).abs() < 1e-15);
    }

    #[test]
    fn a_lone_feature_has_the_same_own_and_shared_denominator() {
        let (sigma, x, rho) = (0.7, 1.3, 2.0);
        let variance = sigma * x * x;
        assert_eq!(
            Denominator::Own.shrink(sigma, x, rho, variance),
            Denominator::Shared.shrink(sigma, x, rho, variance)
        );
    }
}
