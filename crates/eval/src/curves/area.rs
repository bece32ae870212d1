//! Areas under the curves of a ranking, with bounds on what is lost where scores are not told apart.

use crate::curves::groups::{Group, Groups};

/// A value that was computed from scores that are not all told apart.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Estimate {
    /// The value.
    pub value: f64,
    /// The value from all scores differs by at most so much, up to rounding; 0 if the value is exact.
    pub within: f64,
}

/// The probability that a positive has a higher score than a negative, where a tie counts half; none without positives or
/// negatives.
pub(super) fn roc_auc(scores: &impl Groups) -> Option<Estimate> {
    let (mut above, mut negatives, mut won, mut unsure) = (0.0, 0.0, 0.0, 0.0);
    scores.visit(&mut |group| {
        won += group.negatives * (above + group.positives / 2.0);
        if !group.is_one_score() {
            // Any pair of the group may be won or lost. The value counts half of it.
            unsure += group.negatives * group.positives / 2.0;
        }
        above += group.positives;
        negatives += group.negatives;
    });
    let pairs = above * negatives;
    (pairs > 0.0).then(|| Estimate { value: won / pairs, within: unsure / pairs })
}

/// Mean over the positives of the precision at their score, as scikit-learn computes it; none without positives.
pub(super) fn average_precision(scores: &impl Groups) -> Option<Estimate> {
    let (mut positives, mut negatives) = (0.0, 0.0);
    let (mut lowest, mut value, mut highest) = (0.0, 0.0, 0.0);
    scores.visit(&mut |group| {
        let [low, middle, high] = precisions(group, positives, negatives);
        lowest += low;
        value += middle;
        highest += high;
        positives += group.positives;
        negatives += group.negatives;
    });
    let within = (value - lowest).max(highest - value) / positives;
    (positives > 0.0).then(|| Estimate { value: value / positives, within })
}

/// The sum of the precisions of a group's positives after so many examples that have higher scores: the least that it can be,
/// what it is if positives and negatives are evenly mixed, and the most that it can be.
fn precisions(group: Group, before: f64, false_before: f64) -> [f64; 3] {
    let Group { positives, negatives, .. } = group;
    if positives == 0.0 {
        return [0.0; 3];
    }
    let all_before = before + false_before;
    if group.is_one_score() {
        return [positives * ((before + positives) / (all_before + positives + negatives)); 3];
    }
    // The most: one score for all positives, above all negatives.
    let highest = positives * ((before + positives) / (all_before + positives));
    // The least: all negatives first, and then the positives one by one. The integral of (before + x) / (behind + x).
    let behind = all_before + negatives;
    let lowest = if behind > 0.0 {
        positives - (false_before + negatives) * (positives / behind).ln_1p()
    } else {
        positives
    };
    // Mixed: the integral of (before + x) / (all_before + rate x).
    let rate = 1.0 + negatives / positives;
    let mixed = if all_before > 0.0 {
        let bend = (before - all_before / rate) / rate;
        positives / rate + bend * ((positives + negatives) / all_before).ln_1p()
    } else {
        positives / rate
    };
    let lowest = lowest.clamp(0.0, highest);
    [lowest, mixed.clamp(lowest, highest), highest]
}
