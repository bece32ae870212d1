//! SSOL and CS-SSOL: second-order sparse online learning.

use crate::Real;
use crate::cost::CostUse;
use crate::dense::{FullRule, FullStep, WithCovariance};
use crate::gaussian::{Covariance, Denominator, Mean};
use crate::loss::Loss;
use crate::merge::Merging;
use crate::params;
use crate::params::{Choice, non_negative, positive_finite};
use crate::rule::{About, Family, Fold, Rule};
use crate::seen::{Seen, Target};
use crate::shrink::{Schedule, soft_threshold};

use crate::registry::Entry;

params! {
    /// Second-order sparse online learning: dual averaging with a metric that adapts to every feature.
    ///
    /// ```text
    /// a ← a − a² x² / (r + x'Ax)           every round, BEFORE the prediction; A = diag(a), a = 1 at first
    /// u = A θ_t
    /// w_t = soft_threshold(u, λ_t)         Wang et al. 2015, Algorithm 5
    /// θ_{t+1} = θ_t + η c y x              if the loss has a slope; c is the cost of this error, 1 unless declared
    /// λ_t = λ / t                          Theorem 3; other schedules on request
    /// ```
    ///
    /// The example itself is in A when it is scored during training; weights (and predict) use A as it is. A feature
    /// seen n times has a ≈ r/n, so its weight is near the mean of its gradients: rare features keep large weights.
    /// The paper's threshold λ/t fades as the stream goes on; for a small model on a long stream take
    /// schedule=constant with lambda between 0.1 and 1.
    ///
    /// truncate=metric is not in the paper. It truncates before A is applied, w_t = A soft_threshold(θ_t, λ_t), which is the exact minimum of
    /// w'A⁻¹w / 2 − θ'w + λ_t |w|₁ for a diagonal A; the paper's u − λ_t is that of |w − u|² / 2 + λ_t |w|₁, whatever A is. A feature
    /// is then kept for the sum of its gradients, not for a large weight: frequent features stay and rare ones go. That is
    /// better where few features are kept of many that are all frequent, and worse where rare ones matter, as words do. λ is
    /// in units of θ here, and larger for the same number of features. A weight that becomes less certain (`--forget`) may be cut.
    pub(crate) struct Ssol {
        /// Step size η.
        eta: f64 = 4.0, positive_finite;
        /// Truncation λ: larger keeps fewer features.
        lambda: f64 = 10.0, non_negative;
        /// Smoothing r: larger lets a shrink more slowly.
        r: f64 = 2.0, positive_finite;
        /// The threshold over time: eta (η λ), constant (λ), inverse (λ/t) or rda (η λ (t−1)).
        schedule: Schedule = Schedule::Inverse;
        /// The loss whose gradient is followed.
        loss: Loss = Loss::Hinge;
        /// What is truncated: weights (A θ, as in the paper) or metric (θ, before A is applied).
        truncate: Truncate = Truncate::Weights;
        /// Which part of A is kept.
        covariance: Covariance = Covariance::Diagonal;
        /// What divides a feature's a² x²: own (r + a x²) or shared (r + x'Ax), as the paper prints.
        denominator: Denominator = Denominator::Shared;
    }
    remembers {
        /// Rounds completed.
        t: u64;
    }
}

/// In which metric small weights are cut off.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Truncate {
    /// soft_threshold(A θ, λ): the nearest weights as they are.
    Weights,
    /// A soft_threshold(θ, λ): the nearest weights as A measures them.
    Metric,
}

impl Choice for Truncate {
    const CHOICES: &'static [(&'static str, Self)] =
        &[("weights", Truncate::Weights), ("metric", Truncate::Metric)];
}

crate::cell! {
    /// The dual weight and the metric of one feature.
    pub(crate) struct Dual {
        /// The sum of gradient steps, θ.
        theta: Real,
        /// The diagonal of A (the paper's A⁻¹).
        a: Real,
    }
}

impl About for Ssol {
    const NAME: &'static str = "ssol";
    const FAMILY: Family = Family::DualAveraging;
    const PAPER: &'static str = "Wang, Wu, Zhao, Hoi, A framework of sparse online learning and its applications (2015), Algorithm 5; Wang et al. 2014, Algorithm 4";
    const WHEN: &'static str =
        "the default choice: sparse, adapts to each feature, keeps rare informative features";
    const COSTS: CostUse = CostUse::Slope;
    const MERGING: Merging = Merging::Beliefs;
}

impl Rule for Ssol {
    const FOLD: Fold = Fold::Always;
    const FADES: bool = true;
    type Cell = Dual;
    type Step = f64;

    fn fresh(&self) -> Dual {
        Dual { theta: 0.0, a: 1.0 }
    }

    #[inline]
    fn weight(&self, cell: &Dual) -> Real {
        let threshold = self.schedule.threshold(self.lambda, self.eta, self.t + 1) as Real;
        // One of the factors is 1. Chosen once for all features of an example: neither costs a branch for each.
        let in_metric = self.truncate == Truncate::Metric;
        let (before, after) = if in_metric { (1.0, cell.a) } else { (cell.a, 1.0) };
        after * soft_threshold(before * cell.theta, threshold)
    }

    #[inline]
    fn variance(&self, cell: &Dual) -> Option<Real> {
        Some(cell.a)
    }

    /// a θ stays, and so does the weight but for its threshold.
    #[inline]
    fn faded(&self, cell: Dual, growth: Real) -> Dual {
        let a = (cell.a * growth).max(Real::MIN_POSITIVE).min(self.fresh().a);
        Dual { theta: cell.theta * (cell.a / a), a }
    }

    fn parts(&self, cell: &Dual, parts: &mut [f64]) {
        let (theta, a) = (f64::from(cell.theta), f64::from(cell.a));
        parts.copy_from_slice(&[a * theta, 1.0 / a]);
    }

    fn of_parts(&self, parts: &[f64]) -> Dual {
        let [mean, precision] = [parts[0], parts[1]];
        Dual { theta: (mean * precision) as Real, a: ((1.0 / precision) as Real).max(Real::MIN_POSITIVE) }
    }

    #[inline]
    fn fold(&self, cell: Dual, x: Real, variance: f64) -> Dual {
        Dual { a: self.denominator.shrink(cell.a, x, 1.0 / self.r, variance), ..cell }
    }

    fn loss(&self, seen: &Seen, target: &Target) -> f64 {
        self.loss.value(target.y * seen.score)
    }

    fn decide(&self, seen: &Seen, target: &Target, _loss: f64) -> Option<f64> {
        self.loss.step(self.eta, seen, target)
    }

    #[inline]
    fn step(&self, cell: &mut Dual, x: Real, _settled: Real, along: f64) {
        cell.theta += along as Real * x;
    }

    fn tick(&mut self, _step: Option<f64>) {
        self.t += 1;
    }
}

impl WithCovariance for Ssol {
    fn covariance(&self) -> Covariance {
        self.covariance
    }

    fn no_full_form(&self) -> Option<&'static str> {
        (self.truncate == Truncate::Metric).then_some(
            "truncate=metric has no closed form with a full covariance; take covariance=diagonal or truncate=weights",
        )
    }
}

impl FullRule for Ssol {
    const FOLD: Fold = Fold::Always;

    fn folded(&self, _variance: f64) -> f64 {
        1.0 / self.r
    }

    fn weight(&self, u: f64) -> f64 {
        soft_threshold(u, self.schedule.threshold(self.lambda, self.eta, self.t + 1))
    }

    fn loss(&self, seen: &Seen, target: &Target) -> f64 {
        self.loss.value(target.y * seen.score)
    }

    fn decide(&self, seen: &Seen, target: &Target, _loss: f64) -> Option<FullStep> {
        let along = self.loss.step(self.eta, seen, target)?;
        Some(FullStep { along, precision: 0.0, mean: Mean::After })
    }

    fn tick(&mut self) {
        self.t += 1;
    }
}

/// CS-SSOL: SSOL under the name that it has when costs are declared.
pub(super) const CS_SSOL: Entry = Entry {
    name: "cs-ssol",
    paper: "Wang, Wu, Zhao, Hoi, A framework of sparse online learning and its applications (2015), Algorithm 7, diagonal",
    when: "unbalanced streams, sparse, second order",
    ..Entry::belief_with_covariance::<Ssol>()
};
