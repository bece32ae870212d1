//! Where scores can be cut in two, and which cut is best.

use super::score_sketch::Bin;

/// Cuts whose value is within this part of the best one's are as good as the best: what is between them is noise.
const TIED: f64 = 0.005;

/// The highest threshold with at most this mass of a side at or below it. Of examples with the same score either all are above it or none.
pub(super) fn with_at_most_below(bins: &[Bin], side: usize, mass: f64) -> Option<f64> {
    let (mut below, mut last) = (0.0, None);
    for bin in bins {
        let here = bin.mass[side];
        if below + here > mass {
            let part = (mass - below) / here;
            return Some(if bin.is_atom() || part <= 0.0 {
                last.map_or(bin.low.next_down(), |high| f64::midpoint(high, bin.low))
            } else {
                bin.low + (bin.high - bin.low) * part
            });
        }
        below += here;
        last = Some(bin.high);
    }
    last
}

/// The lowest threshold with at most this mass of a side above it. Of examples with the same score either all are above it or none.
pub(super) fn with_at_most_above(bins: &[Bin], side: usize, mass: f64) -> Option<f64> {
    let (mut above, mut last) = (0.0, None);
    for bin in bins.iter().rev() {
        let here = bin.mass[side];
        if above + here > mass {
            let part = (mass - above) / here;
            return Some(if bin.is_atom() || part <= 0.0 {
                last.map_or(bin.high, |low| f64::midpoint(bin.high, low))
            } else {
                bin.high - (bin.high - bin.low) * part
            });
        }
        above += here;
        last = Some(bin.low);
    }
    last.map(f64::next_down)
}

/// Goes through all cuts between bins, from the highest: the threshold, and the mass of both sides above it.
pub(super) fn for_each_cut(bins: &[Bin], mut look: impl FnMut(f64, [f64; 2])) {
    let (mut above, mut last) = ([0.0; 2], None);
    for bin in bins.iter().rev() {
        look(last.map_or(bin.high, |low| f64::midpoint(bin.high, low)), above);
        above[0] += bin.mass[0];
        above[1] += bin.mass[1];
        last = Some(bin.low);
    }
    if let Some(low) = last {
        look(low.next_down(), above);
    }
}

/// The threshold with the highest value, which follows from the masses above it: the middle of all that are nearly as good.
pub(super) fn best(bins: &[Bin], value: impl Fn([f64; 2]) -> f64) -> Option<f64> {
    let mut highest = f64::MIN;
    for_each_cut(bins, |_, above| highest = highest.max(value(above)));
    let width = TIED * highest.abs();
    let (mut sum, mut weights) = (0.0, 0.0);
    for_each_cut(bins, |threshold, above| {
        let ahead = value(above) - (highest - width);
        if ahead >= 0.0 {
            // The best one counts even if all values are 0.
            let weight = ahead + 1e-12;
            sum += weight * threshold;
            weights += weight;
        }
    });
    let middle = sum / weights;
    middle.is_finite().then_some(middle)
}

/// The lowest threshold whose precision is at least `least`, and the highest precision there is, with its threshold. One false alarm is taken for
/// granted, so that a handful of positives at the top is no perfect precision.
pub(super) fn by_precision(bins: &[Bin], least: f64) -> (Option<f64>, (f64, f64)) {
    let (mut lowest, mut highest) = (None, (f64::MIN, 0.0));
    for_each_cut(bins, |threshold, above| {
        let precision = above[1] / (above[0] + above[1] + 1.0);
        if precision >= least {
            lowest = Some(threshold);
        }
        if precision > highest.0 {
            highest = (precision, threshold);
        }
    });
    (lowest, highest)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bin(low: f64, high: f64, mass: [f64; 2]) -> Bin {
        Bin { low, high, mass }
    }

    fn some_bins() -> Vec<Bin> {
        vec![bin(-2.0, 0.0, [6.0, 1.0]), bin(1.0, 1.0, [2.0, 2.0]), bin(2.0, 4.0, [0.0, 4.0])]
    }

    #[test]
    fn examples_with_the_same_score_are_not_divided() {
        let bins = some_bins();
        let below = |mass| with_at_most_below(&bins, 1, mass).unwrap();
        assert_eq!(below(0.5), -1.0);
        assert_eq!(below(1.0), 0.5);
        assert_eq!(below(2.9), 0.5);
        assert_eq!(below(4.0), 2.5);
        assert!(below(0.0) < -2.0 && below(7.0) == 4.0);
        let above = |mass| with_at_most_above(&bins, 1, mass).unwrap();
        assert_eq!(above(0.0), 4.0);
        assert_eq!(above(1.0), 3.5);
        assert_eq!(above(4.0), 1.5);
        assert_eq!(above(5.9), 1.5);
        assert_eq!(above(6.0), 0.5);
        assert_eq!(above(6.5), -1.0);
        assert!(above(7.0) < -2.0);
        assert_eq!(with_at_most_below(&[], 0, 1.0), None);
    }

    #[test]
    fn the_best_cut_is_found() {
        let bins = some_bins();
        // Right decisions: 4 positives and all negatives above 1.5, 6 positives and 6 negatives above 0.5.
        assert_eq!(best(&bins, |above| above[1] - 1.5 * above[0]), Some(1.5));
        assert_eq!(best(&bins, |above| above[1] - 0.5 * above[0]), Some(0.5));
        assert_eq!(best(&[], |above| above[1]), None);
        let (lowest, (precision, threshold)) = by_precision(&bins, 0.7);
        assert_eq!((lowest, threshold), (Some(1.5), 1.5));
        assert_eq!(precision, 0.8);
        assert_eq!(by_precision(&bins, 0.9).0, None);
    }
}
