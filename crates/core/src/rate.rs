//! Step sizes that fall with time.

/// η / t^power: the step size of round `t`, which counts from 1.
pub fn rate(eta: f64, power: f64, t: u64) -> f64 {
    debug_assert!(t > 0);
    if power == 0.5 {
        eta / (t as f64).sqrt() // the usual case; a square root is several times cheaper than a power
    } else if power == 0.0 {
        eta
    } else {
        eta / (t as f64).powf(power)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shortcuts_agree_with_the_formula() {
        for t in [1u64, 2, 3, 10, 12_345, 1 << 40] {
            for power in [0.0, 0.5] {
                let formula = 0.3 / (t as f64).powf(power);
                assert!((rate(0.3, power, t) - formula).abs() <= 1e-15 * formula);
            }
        }
    }
}
