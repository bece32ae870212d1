//! What would be flagged at every threshold.

use serde::{Deserialize, Serialize};

use crate::curves::groups::Groups;

/// What is flagged at a threshold: the examples whose scores are at least the threshold.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct OperatingPoint {
    /// The threshold, which is the lowest score that is flagged; none if nothing is flagged.
    pub threshold: Option<f64>,
    /// Importance of the positives that are flagged.
    pub true_positives: f64,
    /// Importance of the negatives that are flagged.
    pub false_positives: f64,
}

impl OperatingPoint {
    /// The point at which nothing is flagged.
    pub const NOTHING: Self = Self { threshold: None, true_positives: 0.0, false_positives: 0.0 };

    /// Importance of what is flagged.
    pub fn alerts(&self) -> f64 {
        self.true_positives + self.false_positives
    }

    /// Share of what is flagged that is positive; none if nothing is flagged.
    pub fn precision(&self) -> Option<f64> {
        (self.alerts() > 0.0).then(|| self.true_positives / self.alerts())
    }
}

/// Operating points for descending thresholds, from flagging nothing to flagging everything.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct OperatingCurve {
    /// The points. The first flags nothing, the last everything.
    pub points: Vec<OperatingPoint>,
    /// Importance of all positives.
    pub positives: f64,
    /// Importance of all negatives.
    pub negatives: f64,
}

impl OperatingCurve {
    /// The curve of these scores, thinned to at most so many points (and at least the two ends).
    ///
    /// The points that remain are spread evenly over the sum of recall, false positive rate and the logarithm of the number of
    /// alerts, so that the few alerts of the highest thresholds are told apart too.
    pub fn of(scores: &impl Groups, most_points: usize) -> Self {
        let (positives, negatives) = scores.class_totals();
        let share = |part: f64, whole: f64| if whole > 0.0 { part / whole } else { 0.0 };
        let all = positives + negatives;
        // From one example in a million on, alerts are told apart by their logarithm.
        let decades = |alerts: f64| (1e6 * share(alerts, all)).ln_1p() / 1e6f64.ln_1p();
        let place = |point: &OperatingPoint| {
            let rates = share(point.true_positives, positives) + share(point.false_positives, negatives);
            (rates + decades(point.alerts())) / 3.0
        };
        let steps = most_points.saturating_sub(2).max(1) as f64;
        let (mut points, mut next) = (vec![OperatingPoint::NOTHING], 0.0);
        let (mut current, mut last_is_kept) = (OperatingPoint::NOTHING, true);
        scores.visit(&mut |group| {
            current.threshold = Some(group.lowest);
            current.true_positives += group.positives;
            current.false_positives += group.negatives;
            let at = place(&current) * steps;
            last_is_kept = most_points > 2 && at >= next;
            if last_is_kept {
                points.push(current);
                next = at.floor() + 1.0;
            }
        });
        if !last_is_kept {
            points.push(current);
        }
        // Rounding may put the last point one step too far.
        if points.len() > most_points.max(2) {
            points.remove(points.len() - 2);
        }
        Self { points, positives, negatives }
    }

    /// The ROC curve: false positive rates and true positive rates. Empty without positives or negatives.
    pub fn roc(&self) -> Vec<(f64, f64)> {
        if self.positives * self.negatives <= 0.0 {
            return Vec::new();
        }
        let rates =
            |p: &OperatingPoint| (p.false_positives / self.negatives, p.true_positives / self.positives);
        self.points.iter().map(rates).collect()
    }

    /// The precision-recall curve: recalls and precisions, without the point at which nothing is flagged. Empty without
    /// positives.
    pub fn precision_recall(&self) -> Vec<(f64, f64)> {
        if self.positives <= 0.0 {
            return Vec::new();
        }
        let both = |p: &OperatingPoint| Some((p.true_positives / self.positives, p.precision()?));
        self.points.iter().filter_map(both).collect()
    }
}
