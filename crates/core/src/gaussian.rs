//! A weight as a belief: a mean and a variance per feature (the confidence-weighted family).

use crate::params::{Choice, KnobValue};
use crate::rule::Mover;
use crate::{Real, saturating_real};

crate::cell! {
    /// A normal distribution over one weight.
    pub struct Gaussian {
        /// The mean, which is the weight.
        mu: Real,
        /// The variance: large where little was seen.
        sigma: Real,
    }
}

crate::cell! {
    /// A sum of examples and the precision that divides it: the weight is θ / A.
    pub struct Whitened {
        /// The signed sum of examples, θ.
        theta: Real,
        /// The diagonal of A.
        a: Real,
    }
}

/// Which recurrence a second-order baseline follows, where the programs that papers measured differ from the papers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Variant {
    /// As its authors have it.
    Paper,
    /// As the library LIBOL has it, which Tan et al. 2016 compare with.
    Libol,
}

impl Choice for Variant {
    const CHOICES: &'static [(&'static str, Self)] = &[("paper", Variant::Paper), ("libol", Variant::Libol)];
}

impl Gaussian {
    /// The belief with this many times the variance, though not more than the `prior`: see [`Rule::faded`](crate::Rule::faded). A
    /// variance of 0 would stay 0 for ever.
    #[inline]
    #[must_use]
    pub fn faded(self, growth: Real, prior: Real) -> Self {
        Self { sigma: (self.sigma * growth).max(Real::MIN_POSITIVE).min(prior), ..self }
    }

    /// The mean and the precision.
    pub(crate) fn mean_and_precision(self) -> [f64; 2] {
        [f64::from(self.mu), 1.0 / f64::from(self.sigma)]
    }

    /// The belief of this mean and precision.
    pub(crate) fn of_mean_and_precision(parts: &[f64]) -> Self {
        Self { mu: parts[0] as Real, sigma: ((1.0 / parts[1]) as Real).max(Real::MIN_POSITIVE) }
    }
}

impl Whitened {
    /// The sum and its precision, divided by the growth, though not below the `prior` precision. The weight stays.
    #[inline]
    #[must_use]
    pub fn faded(self, growth: Real, prior: Real) -> Self {
        let a = (self.a / growth).max(prior);
        Self { theta: self.theta * (a / self.a), a }
    }

    /// The mean and the precision.
    pub(crate) fn mean_and_precision(self) -> [f64; 2] {
        [f64::from(self.theta) / f64::from(self.a), f64::from(self.a)]
    }

    /// The sum of this mean and precision.
    pub(crate) fn of_mean_and_precision(parts: &[f64]) -> Self {
        Self { theta: (parts[0] * parts[1]) as Real, a: saturating_real(parts[1]) }
    }
}

/// A probability between ½ and 1, with the quantile φ of the normal distribution that belongs to it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Confidence {
    probability: f64,
    /// Φ⁻¹(probability).
    pub phi: f64,
}

impl Confidence {
    /// The confidence of a probability.
    pub fn new(probability: f64) -> Self {
        Self { probability, phi: quantile(probability) }
    }
}

impl KnobValue for Confidence {
    fn kind() -> String {
        "probability".into()
    }
    fn parse(text: &str) -> Result<Self, String> {
        let probability = text.parse().ok().filter(|p: &f64| 0.5 < *p && *p < 1.0);
        probability.map(Self::new).ok_or_else(|| "must be a probability between 0.5 and 1".into())
    }
    fn show(self) -> String {
        self.probability.show()
    }
}

/// The quantile of the standard normal distribution, to the precision of f64: algorithm AS 241 of Wichura (1988).
fn quantile(p: f64) -> f64 {
    const CENTRE: ([f64; 8], [f64; 8]) = (
        [
            3.387_132_872_796_366_5,
            133.141_667_891_784_38,
            1_971.590_950_306_551_3,
            13_731.693_765_509_46,
            45_921.953_931_549_87,
            67_265.770_927_008_7,
            33_430.575_583_588_13,
            2_509.080_928_730_122_7,
        ],
        [
            1.0,
            42.313_330_701_600_91,
            687.187_007_492_057_9,
            5_394.196_021_424_751,
            21_213.794_301_586_597,
            39_307.895_800_092_71,
            28_729.085_735_721_943,
            5_226.495_278_852_854,
        ],
    );
    const NEAR: ([f64; 8], [f64; 8]) = (
        [
            1.423_437_110_749_683_5,
            4.630_337_846_156_546,
            5.769_497_221_460_691,
            3.647_848_324_763_204_5,
            1.270_458_252_452_368_4,
            0.241_780_725_177_450_6,
            0.022_723_844_989_269_184,
            0.000_774_545_014_278_341_4,
        ],
        [
            1.0,
            2.053_191_626_637_759,
            1.676_384_830_183_803_8,
            0.689_767_334_985_1,
            0.148_103_976_427_480_08,
            0.015_198_666_563_616_457,
            0.000_547_593_808_499_534_5,
            1.050_750_071_644_416_9e-9,
        ],
    );
    const FAR: ([f64; 8], [f64; 8]) = (
        [
            6.657_904_643_501_103,
            5.463_784_911_164_114,
            1.784_826_539_917_291_3,
            0.296_560_571_828_504_87,
            0.026_532_189_526_576_124,
            0.001_242_660_947_388_078_4,
            0.000_027_115_555_687_434_876,
            2.010_334_399_292_288_1e-7,
        ],
        [
            1.0,
            0.599_832_206_555_888,
            0.136_929_880_922_735_8,
            0.014_875_361_290_850_615,
            0.000_786_869_131_145_613_2,
            0.000_018_463_183_175_100_548,
            1.421_511_758_316_446e-7,
            2.044_263_103_389_939_8e-15,
        ],
    );
    let ratio = |(numerator, denominator): ([f64; 8], [f64; 8]), at: f64| {
        let polynomial = |c: [f64; 8]| c.iter().rev().fold(0.0, |sum, c| sum * at + c);
        polynomial(numerator) / polynomial(denominator)
    };
    let q = p - 0.5;
    if q.abs() <= 0.425 {
        return q * ratio(CENTRE, 0.180_625 - q * q);
    }
    let r = (-p.min(1.0 - p).ln()).sqrt();
    let x = if r <= 5.0 { ratio(NEAR, r - 1.6) } else { ratio(FAR, r - 5.0) };
    x.copysign(q)
}

/// Which covariance a second-order learner keeps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Covariance {
    /// One variance per feature.
    Diagonal,
    /// All pairs of features that were seen: memory and time grow with the square of their number.
    Full,
}

impl Choice for Covariance {
    const CHOICES: &'static [(&'static str, Self)] =
        &[("diagonal", Covariance::Diagonal), ("full", Covariance::Full)];
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
    /// The variance after a feature of value `x` raised the precision by ρ x x', where `variance` = x'Σx. It is never 0: a feature
    /// without variance could not be learned any more.
    #[inline]
    pub fn shrink(self, sigma: Real, x: Real, rho: f64, variance: f64) -> Real {
        let sx = sigma * x;
        let left = match self {
            Denominator::Own => sigma / (1.0 + saturating_real(rho) * (sx * x)),
            Denominator::Shared => {
                let shared = saturating_real(rho / (1.0 + rho * variance));
                let taken = shared * (sx * sx);
                // If most of σ is taken, what is left is a difference of two numbers that are almost the same. As a product it has all of
                // its digits: σ (r + the others' part of x'Σx) / (r + x'Σx). x'Σx is in two parts, to subtract from it what it was summed from.
                let (head, alone) = (variance as Real, (1.0 / (1.0 + rho * variance)) as Real);
                let tail = (variance - f64::from(head)) as Real;
                let others = ((head - sx * x) + tail).max(0.0);
                if taken < sigma / 2.0 { sigma - taken } else { sigma * (alone + shared * others) }
            }
        };
        left.max(Real::MIN_POSITIVE)
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
    /// How the diagonal of Σ follows.
    pub denominator: Denominator,
    /// Which Σ moves the mean.
    pub mean: Mean,
}

/// Which Σ moves the mean: the papers differ.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mean {
    /// The one before the step (CW, SCW, AROW; ACOG in section 4.4.3 of its paper).
    Before,
    /// The one after it (ACOG).
    After,
}

impl Choice for Mean {
    const CHOICES: &'static [(&'static str, Self)] = &[("before", Mean::Before), ("after", Mean::After)];
}

impl Mover for Gaussian {
    type Step = Belief;
    const FRESH: Self = Self { mu: 0.0, sigma: 1.0 };
    const FADES: bool = true;

    #[inline]
    fn weight(&self, _ledger: f64) -> Real {
        self.mu
    }

    #[inline]
    fn variance(&self) -> Option<Real> {
        Some(self.sigma)
    }

    #[inline]
    fn faded(self, growth: Real) -> Self {
        Gaussian::faded(self, growth, Self::FRESH.sigma)
    }

    #[inline]
    fn advance(&mut self, x: Real, step: Belief, _settled: Real, _ledger: f64) {
        let before = self.sigma;
        let after = step.denominator.shrink(before, x, step.precision, step.variance);
        let sigma = if step.mean == Mean::Before { before } else { after };
        *self = Self { mu: self.mu + step.along as Real * sigma * x, sigma: after };
    }

    fn parts(&self, _ledger: f64, parts: &mut [f64]) {
        parts.copy_from_slice(&self.mean_and_precision());
    }

    fn of_parts(parts: &[f64], _ledger: f64) -> Self {
        Self::of_mean_and_precision(parts)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantiles_are_those_of_the_tables() {
        let known = [
            (0.5, 0.0),
            (0.7, 0.524_400_512_708_040_8),
            (0.75, 0.674_489_750_196_081_7),
            (0.9, 1.281_551_565_544_600_4),
            (0.975, 1.959_963_984_540_054),
            (0.999_999, 4.753_424_308_817_089),
            (0.025, -1.959_963_984_540_054),
            (1e-20, -9.262_340_089_798_408),
        ];
        for (p, z) in known {
            assert!((quantile(p) - z).abs() < 1e-12 * z.abs().max(1.0), "{p}: {}", quantile(p));
        }
    }

    #[test]
    fn own_is_the_inverse_of_the_added_precision() {
        let (sigma, x, rho) = (0.7, 1.3, 2.0);
        let expected = 1.0 / (1.0 / sigma + rho as Real * x * x);
        assert!((Denominator::Own.shrink(sigma, x, rho, 99.0) - expected).abs() < 4.0 * Real::EPSILON);
    }

    #[test]
    fn a_lone_feature_has_the_same_own_and_shared_denominator() {
        let (sigma, x, rho) = (0.7, 1.3, 2.0);
        let variance = f64::from(sigma * x * x);
        let [own, shared] =
            [Denominator::Own, Denominator::Shared].map(|which| which.shrink(sigma, x, rho, variance));
        assert!((own - shared).abs() < 4.0 * Real::EPSILON, "{own} {shared}");
    }
    /// One value far above the others, alone and in company: f64 has the digits to subtract.
    #[test]
    fn what_a_huge_value_leaves_of_a_shared_denominator_has_its_digits() {
        for huge in [1.0, 300.0, 1e4, 1e6] {
            for others in [0.0, 1.0, 5.0, 3e4] {
                // As the loops over features sum it.
                let (own, rho) = (f64::from(huge as Real * huge as Real), 0.5);
                let variance = own + others;
                let expected = (1.0 + rho * others) / (1.0 + rho * variance);
                let left = f64::from(Denominator::Shared.shrink(1.0, huge as Real, rho, variance));
                assert!((left - expected).abs() < 1e-6 * expected, "{huge} {others}: {left} {expected}");
            }
        }
    }

    #[test]
    fn no_step_takes_all_of_a_variance() {
        for which in [Denominator::Own, Denominator::Shared] {
            let mut sigma: Real = 1.0;
            for (x, rho) in [(1e4, 0.5), (1e18, 1e3), (1e9, 1e300), (1e-30, 1e300), (1.0, 1.0)] {
                let variance = f64::from((sigma * x) * x);
                let left = which.shrink(sigma, x, rho, variance);
                assert!(left > 0.0 && left <= sigma, "{which:?} {x} {rho}: {sigma} {left}");
                sigma = left;
            }
        }
    }
}
