//! Scores of a stream in constant memory.

use crate::curves::area::{Estimate, average_precision, roc_auc};
use crate::curves::groups::{Group, Groups};

/// Bits of the mantissa that are told apart: a bin is at most 1/512 of its scores wide.
const BITS: u32 = 9;
/// Scores nearer to 0 than two to the power of this are in the bin of 0.
const LOWEST_EXPONENT: i32 = -32;
/// Scores of two to the power of this and more are in the outermost bins.
const HIGHEST_EXPONENT: i32 = 32;
/// Bins of the positive scores, without the outermost.
const SIDE: usize = ((HIGHEST_EXPONENT - LOWEST_EXPONENT) as usize) << BITS;
/// The bin of 0.
const ZERO: usize = SIDE + 1;
const BINS: usize = 2 * ZERO + 1;

/// How much importance positives and negatives have at which scores, in constant memory (two megabytes) and constant time per
/// example.
///
/// The bins follow the floating-point numbers: 512 for every power of two from 2⁻³² to 2³², for either sign, one for what is
/// nearer to 0 and one on each end. A bin remembers its lowest and highest score. So a threshold is always a score that has
/// come, what is counted above it is exact, and bins in which all scores are equal lose nothing.
#[derive(Clone, Debug)]
pub struct ScoreHistogram {
    bins: Vec<Bin>,
}

#[derive(Clone, Copy, Debug)]
struct Bin {
    positives: f64,
    negatives: f64,
    lowest: f64,
    highest: f64,
}

impl Bin {
    const EMPTY: Self = Self { positives: 0.0, negatives: 0.0, lowest: f64::MAX, highest: f64::MIN };
}

impl Default for ScoreHistogram {
    fn default() -> Self {
        Self { bins: vec![Bin::EMPTY; BINS] }
    }
}

impl ScoreHistogram {
    /// No scores yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds an example. A score that is not a number counts as 0, one beyond all numbers as the largest number.
    #[inline]
    pub fn add(&mut self, score: f64, positive: bool, importance: f64) {
        // An example without importance must not widen its bin.
        if importance <= 0.0 {
            return;
        }
        let score = finite(score);
        let bin = &mut self.bins[bin_of(score)];
        bin.lowest = bin.lowest.min(score);
        bin.highest = bin.highest.max(score);
        *(if positive { &mut bin.positives } else { &mut bin.negatives }) += importance;
    }

    /// Area under the ROC curve; none without positives or negatives.
    pub fn roc_auc(&self) -> Option<Estimate> {
        roc_auc(self)
    }

    /// Average precision (the area under the steps of the precision-recall curve); none without positives.
    pub fn average_precision(&self) -> Option<Estimate> {
        average_precision(self)
    }
}

impl Groups for ScoreHistogram {
    fn visit(&self, visitor: &mut dyn FnMut(Group)) {
        let used = self.bins.iter().rev().filter(|bin| bin.positives + bin.negatives > 0.0);
        for &Bin { positives, negatives, lowest, highest } in used {
            visitor(Group { lowest, highest, positives, negatives });
        }
    }
}

/// A finite score that stands for this one. −0 becomes 0.
pub(super) fn finite(score: f64) -> f64 {
    if score.is_nan() { 0.0 } else { score.clamp(f64::MIN, f64::MAX) + 0.0 }
}

/// The bin of a score, which increases with the score.
#[inline]
fn bin_of(score: f64) -> usize {
    const SHIFT: u32 = f64::MANTISSA_DIGITS - 1 - BITS;
    const FIRST: u64 = ((1023 + LOWEST_EXPONENT) as u64) << BITS;
    // The bits of a positive number, read as a whole number, increase with it.
    // The first bin beside that of 0 is at a distance of 1.
    let distance = ((score.abs().to_bits() >> SHIFT) + 1).saturating_sub(FIRST).min(SIDE as u64 + 1) as usize;
    if score < 0.0 { ZERO - distance } else { ZERO + distance }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bins_are_monotone_and_catch_everything() {
        let mut scores: Vec<f64> = (-1100..1100).map(|k| 1.03f64.powi(k * 20)).collect();
        scores.extend([0.0, f64::MIN_POSITIVE, 1e300, 1.0, 1.0 + 1.0 / 512.0]);
        scores.extend(scores.clone().iter().map(|score| -score));
        scores.sort_by(f64::total_cmp);
        assert!(scores.windows(2).all(|pair| bin_of(finite(pair[0])) <= bin_of(finite(pair[1]))));
        assert_eq!((bin_of(finite(-0.0)), bin_of(1e-300), bin_of(-1e-300)), (ZERO, ZERO, ZERO));
        assert_eq!((bin_of(f64::MIN), bin_of(f64::MAX)), (0, BINS - 1));
        assert_eq!(bin_of(1.0) + 1, bin_of(1.0 + 1.0 / 512.0));
        assert_eq!((bin_of(2f64.powi(-32)), bin_of(2f64.powi(32))), (ZERO + 1, BINS - 1));
        assert_eq!(bin_of(2f64.powi(32) * (1.0 - 1e-9)), BINS - 2);
    }

    #[test]
    fn any_score_and_any_importance_can_be_added() {
        let mut histogram = ScoreHistogram::new();
        for (i, score) in
            [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, 1e300, -1e300, 0.0].into_iter().enumerate()
        {
            histogram.add(score, i % 2 == 0, f64::from(f32::MAX));
            histogram.add(score, i % 2 == 1, 0.0);
        }
        let (auc, precision) = (histogram.roc_auc().unwrap(), histogram.average_precision().unwrap());
        for Estimate { value, within } in [auc, precision] {
            assert!((0.0..=1.0).contains(&value) && (0.0..=1.0).contains(&within), "{value} ± {within}");
        }
    }
}
