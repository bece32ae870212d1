//! Confidence-weighted learning.

use crate::cost::CostUse;
use crate::dense::WithCovariance;
use crate::gaussian::{Belief, Confidence, Covariance, Denominator, Gaussian, Mean};
use crate::merge::Merging;
use crate::params;
use crate::params::Choice;
use crate::rule::{About, Decider, Family};
use crate::seen::{Seen, Target};

params! {
    /// Confidence-weighted: the smallest change of belief that makes this example right with the wanted probability.
    ///
    /// ```text
    /// m = y μ·x      v = x'Σx      φ = Φ⁻¹(confidence)
    /// stdev:     m ≥ φ √v      α = max(0, (−m ψ + √(m² φ⁴/4 + v φ² ζ)) / (v ζ)),  ψ = 1 + φ²/2,  ζ = 1 + φ²
    /// variance:  m ≥ φ v       α = max(0, (−(1 + 2φm) + √((1 + 2φm)² − 8φ (m − φv))) / (4φv))
    /// μ ← μ + α y Σx                       if the constraint is violated
    /// Σ⁻¹ ← Σ⁻¹ + ρ diag(x²)               ρ = αφ/√u (stdev; √u = √(x'Σ'x)) or 2αφ (variance)
    /// ```
    ///
    /// Every example is fitted: a wrong label does much harm. SCW and AROW soften that.
    pub(crate) struct Cw {
        /// The probability with which the example must become right.
        confidence: Confidence = Confidence::new(0.7);
        /// Whether the constraint is on the standard deviation or on the variance.
        variant: Variant = Variant::Stdev;
        /// Which part of Σ is kept.
        covariance: Covariance = Covariance::Diagonal;
        /// What divides a feature's step in Σ: own or shared.
        denominator: Denominator = Denominator::Own;
    }
}

/// What the constraint compares the margin with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Variant {
    /// φ √(x'Σx), Crammer, Dredze and Pereira 2008.
    Stdev,
    /// φ x'Σx, Dredze, Crammer and Pereira 2008.
    Variance,
}

impl Choice for Variant {
    const CHOICES: &'static [(&'static str, Self)] =
        &[("stdev", Variant::Stdev), ("variance", Variant::Variance)];
}

impl About for Cw {
    const NAME: &'static str = "cw";
    const FAMILY: Family = Family::Confidence;
    const PAPER: &'static str = "Dredze, Crammer, Pereira, Confidence-weighted linear classification (ICML 2008); Crammer, Dredze, Pereira, Exact convex confidence-weighted learning (NIPS 2008)";
    const WHEN: &'static str = "text and other clean, sparse streams with many rare features";
    const COSTS: CostUse =
        CostUse::Refused("its constraint has no place for them; scw1, scw2, acog1 and acog2 take costs");
    const MERGING: Merging = Merging::Beliefs;
}

/// α of the stdev form, which SCW bounds.
pub(super) fn alpha(m: f64, v: f64, phi: f64) -> f64 {
    let (psi, zeta) = (1.0 + phi * phi / 2.0, 1.0 + phi * phi);
    ((-m * psi + (m * m * phi.powi(4) / 4.0 + v * phi * phi * zeta).sqrt()) / (v * zeta)).max(0.0)
}

/// The step of the stdev form for a given α; none if it would not move.
pub(super) fn belief(alpha: f64, y: f64, v: f64, phi: f64, denominator: Denominator) -> Option<Belief> {
    let root = 0.5 * (-alpha * v * phi + (alpha * alpha * v * v * phi * phi + 4.0 * v).sqrt());
    let precision = alpha * phi / root;
    (alpha > 0.0).then_some(Belief {
        along: alpha * y,
        precision,
        variance: v,
        denominator,
        mean: Mean::Before,
    })
}

impl Cw {
    fn bound(&self, v: f64) -> f64 {
        match self.variant {
            Variant::Stdev => self.confidence.phi * v.sqrt(),
            Variant::Variance => self.confidence.phi * v,
        }
    }
}

impl Decider for Cw {
    type Cell = Gaussian;

    fn loss(&self, seen: &Seen, target: &Target) -> f64 {
        (self.bound(seen.variance) - target.y * seen.score).max(0.0)
    }

    fn decide(&self, seen: &Seen, target: &Target, loss: f64) -> Option<Belief> {
        let (m, v, phi) = (target.y * seen.score, seen.variance, self.confidence.phi);
        if loss <= 0.0 || v <= 0.0 {
            return None;
        }
        match self.variant {
            Variant::Stdev => belief(alpha(m, v, phi), target.y, v, phi, self.denominator),
            Variant::Variance => {
                let b = 1.0 + 2.0 * phi * m;
                let alpha = (-b + (b * b - 8.0 * phi * (m - phi * v)).sqrt()) / (4.0 * phi * v);
                (alpha > 0.0).then_some(Belief {
                    along: alpha * target.y,
                    precision: 2.0 * alpha * phi,
                    variance: v,
                    denominator: self.denominator,
                    mean: Mean::Before,
                })
            }
        }
    }
}

impl WithCovariance for Cw {
    fn covariance(&self) -> Covariance {
        self.covariance
    }
}
