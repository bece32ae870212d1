//! Is one learner better than another, or were the orders of the data kind to it?
//!
//! Two learners that went through the same orders are compared by the differences of their figures, order by order: what an order does to both cancels
//! out. Student's paired t-test asks how likely a mean difference of this size would be if there were none. Where several learners are compared
//! with one, some would look different by chance, so the probabilities are corrected (Holm 1979).
//!
//! The test is about the order of this data, not about other data of the same kind.

/// The probability of a mean difference at least as large, in either direction, if the true one were 0: Student's paired t-test. Nothing with fewer than two
/// pairs.
pub fn paired(a: &[f64], b: &[f64]) -> Option<f64> {
    assert_eq!(a.len(), b.len(), "values are paired");
    let n = a.len();
    if n < 2 {
        return None;
    }
    let differences: Vec<f64> = a.iter().zip(b).map(|(a, b)| a - b).collect();
    let mean = differences.iter().sum::<f64>() / n as f64;
    let squares: f64 = differences.iter().map(|d| (d - mean).powi(2)).sum();
    // Differences that are all alike, up to rounding, leave no doubt.
    let size = a.iter().chain(b).fold(0.0f64, |size, value| size.max(value.abs()));
    if squares.sqrt() <= 1e-12 * size {
        return Some(if mean.abs() <= 1e-12 * size { 1.0 } else { 0.0 });
    }
    let freedom = (n - 1) as f64;
    let t = mean / (squares / freedom / n as f64).sqrt();
    Some(student(t, freedom))
}

/// The probability that Student's t with so many degrees of freedom is at least as far from 0.
fn student(t: f64, freedom: f64) -> f64 {
    incomplete_beta(freedom / 2.0, 0.5, freedom / (freedom + t * t))
}

/// Corrects probabilities for their number, so that the chance that any of them is small by accident is no larger than the smallest says (Holm 1979).
pub fn holm(probabilities: &[f64]) -> Vec<f64> {
    let mut order: Vec<usize> = (0..probabilities.len()).collect();
    order.sort_by(|a, b| probabilities[*a].total_cmp(&probabilities[*b]));
    let (mut corrected, mut so_far) = (vec![0.0; probabilities.len()], 0.0f64);
    for (rank, i) in order.into_iter().enumerate() {
        let remaining = (probabilities.len() - rank) as f64;
        so_far = so_far.max((remaining * probabilities[i]).min(1.0));
        corrected[i] = so_far;
    }
    corrected
}

/// The regularized incomplete beta function, by its continued fraction (Lentz's method).
fn incomplete_beta(a: f64, b: f64, x: f64) -> f64 {
    if x <= 0.0 {
        return 0.0;
    }
    if x >= 1.0 {
        return 1.0;
    }
    // The fraction converges fast only on this side of the mean.
    if x > (a + 1.0) / (a + b + 2.0) {
        return 1.0 - incomplete_beta(b, a, 1.0 - x);
    }
    let front = (ln_gamma(a + b) - ln_gamma(a) - ln_gamma(b) + a * x.ln() + b * (1.0 - x).ln()).exp();
    let away_from_zero = |number: f64| if number.abs() < 1e-300 { 1e-300 } else { number };
    let (mut c, mut d) = (1.0, 1.0 / away_from_zero(1.0 - (a + b) * x / (a + 1.0)));
    let mut fraction = d;
    for m in 1..500 {
        let m = f64::from(m);
        let even = m * (b - m) * x / ((a + 2.0 * m - 1.0) * (a + 2.0 * m));
        let odd = -(a + m) * (a + b + m) * x / ((a + 2.0 * m) * (a + 2.0 * m + 1.0));
        let mut last = 1.0;
        for term in [even, odd] {
            d = 1.0 / away_from_zero(1.0 + term * d);
            c = away_from_zero(1.0 + term / c);
            last = c * d;
            fraction *= last;
        }
        if (last - 1.0).abs() < 1e-15 {
            break;
        }
    }
    front * fraction / a
}

/// The logarithm of the gamma function, for positive numbers (Lanczos).
fn ln_gamma(x: f64) -> f64 {
    const TERMS: [f64; 9] = [
        0.999_999_999_999_809_9,
        676.520_368_121_885_1,
        -1_259.139_216_722_402_8,
        771.323_428_777_653_1,
        -176.615_029_162_140_6,
        12.507_343_278_686_905,
        -0.138_571_095_265_720_12,
        9.984_369_578_019_572e-6,
        1.505_632_735_149_311_6e-7,
    ];
    if x < 0.5 {
        return (std::f64::consts::PI / (std::f64::consts::PI * x).sin()).ln() - ln_gamma(1.0 - x);
    }
    let x = x - 1.0;
    let sum =
        TERMS[1..].iter().enumerate().fold(TERMS[0], |sum, (i, term)| sum + term / (x + i as f64 + 1.0));
    let t = x + 7.5;
    0.5 * std::f64::consts::TAU.ln() + (x + 0.5) * t.ln() - t + sum.ln()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn assert_near(found: f64, expected: f64) {
        assert!((found - expected).abs() <= 1e-10 * expected.abs().max(1e-12), "{found} is not {expected}");
    }

    /// The values are those of scipy.stats.t.sf, twice.
    #[test]
    fn probabilities_are_those_of_students_distribution() {
        assert_near(student(2.0, 19.0), 0.060_002_036_386_098_34);
        assert_near(student(-2.0, 19.0), 0.060_002_036_386_098_34);
        assert_near(student(0.0, 4.0), 1.0);
        assert_near(student(1.0, 1.0), 0.5);
        assert_near(student(12.0, 19.0), 2.590_894_637_222_196_5e-10);
        assert_near(student(3.5, 2.0), 0.072_827_350_054_469_33);
    }

    #[test]
    fn differences_are_compared_and_not_values() {
        // scipy.stats.ttest_rel
        let (a, b) = ([1.0, 2.0, 3.0, 4.0, 5.0], [1.1, 2.3, 3.2, 4.1, 5.4]);
        assert_near(paired(&a, &b).unwrap(), 0.019_554_212_720_304_685);
        assert_eq!(paired(&a, &a), Some(1.0));
        assert_eq!(paired(&a, &a.map(|value| value + 0.1)), Some(0.0));
        assert_eq!(paired(&[1.0], &[2.0]), None);
    }

    #[test]
    fn many_comparisons_make_each_less_certain() {
        let corrected = holm(&[0.01, 0.04, 0.03, 0.005]);
        for (found, expected) in corrected.iter().zip([0.03, 0.06, 0.06, 0.02]) {
            assert_near(*found, expected);
        }
        assert_eq!(holm(&[0.9, 0.8]), [1.0, 1.0]);
    }
}
