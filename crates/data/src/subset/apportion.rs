//! Whole numbers in proportion.

/// Whole numbers in proportion to the weights, with this total: each is its exact share, rounded down or up. Those with the largest remainders are
/// rounded up; of equal ones, the first.
pub(super) fn apportion(total: u64, weights: &[f64]) -> Vec<u64> {
    let sum: f64 = weights.iter().sum();
    if sum <= 0.0 {
        return vec![0; weights.len()];
    }
    let exact: Vec<f64> = weights.iter().map(|weight| total as f64 * weight / sum).collect();
    let mut shares: Vec<u64> = exact.iter().map(|share| *share as u64).collect();
    let mut by_remainder: Vec<usize> = (0..weights.len()).collect();
    by_remainder.sort_by(|a, b| exact[*b].fract().total_cmp(&exact[*a].fract()));
    let missing = total.saturating_sub(shares.iter().sum());
    by_remainder.iter().take(missing as usize).for_each(|i| shares[*i] += 1);
    shares
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_add_up_and_are_rounded_down_or_up() {
        assert_eq!(apportion(10, &[80.0, 20.0]), [8, 2]);
        assert_eq!(apportion(1, &[80.0, 20.0]), [1, 0]);
        assert_eq!(apportion(3, &[80.0, 20.0]), [2, 1]);
        assert_eq!(apportion(5, &[1.0, 1.0, 1.0]), [2, 2, 1]);
        assert_eq!(apportion(100, &[0.29, 0.71]), [29, 71]);
        assert_eq!(apportion(7, &[0.0, 0.0]), [0, 0]);
        assert_eq!(apportion(2, &[0.0, 5.0, 0.0]), [0, 2, 0]);
        for total in 0..500 {
            let shares = apportion(total, &[3.0, 1.0, 0.5, 7.25]);
            assert_eq!(shares.iter().sum::<u64>(), total);
            for (share, weight) in shares.iter().zip([3.0, 1.0, 0.5, 7.25]) {
                assert!((*share as f64 - total as f64 * weight / 11.75).abs() < 1.0, "{total}: {shares:?}");
            }
        }
    }
}
