//! What a threshold is chosen for.

use thalweg_core::cost::Costs;

use crate::curves::groups::Groups;
use crate::curves::operating::OperatingPoint;

/// What a threshold is chosen for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Goal {
    /// The highest F-beta.
    FBeta(f64),
    /// The lowest cost.
    Cost(Costs),
    /// The highest weight · sensitivity + (1 − weight) · specificity; 0.5 stands for the highest balanced accuracy.
    Sum(f64),
    /// The highest precision among the thresholds with at least this recall.
    RecallAtLeast(f64),
    /// The highest recall among the thresholds with at least this precision.
    PrecisionAtLeast(f64),
}

impl Goal {
    /// The operating point that serves the goal best; of several, that with the fewest alerts. None if no point does.
    pub(super) fn best_of(self, scores: &impl Groups) -> Option<OperatingPoint> {
        let totals = scores.class_totals();
        let mut current = OperatingPoint::NOTHING;
        let mut best = self.merit(&current, totals).map(|merit| (merit, current));
        scores.visit(&mut |group| {
            current.threshold = Some(group.lowest);
            current.true_positives += group.positives;
            current.false_positives += group.negatives;
            if let Some(merit) = self.merit(&current, totals)
                && best.is_none_or(|(most, _)| merit > most)
            {
                best = Some((merit, current));
            }
        });
        best.map(|(_, point)| point)
    }

    /// What is to be as high as possible; none if the point is out of the question.
    fn merit(self, point: &OperatingPoint, (positives, negatives): (f64, f64)) -> Option<f64> {
        let recall = (positives > 0.0).then(|| point.true_positives / positives);
        match self {
            Self::FBeta(beta) => {
                let of_alarms = (1.0 + beta * beta).recip();
                let errors = (1.0 - of_alarms) * (positives - point.true_positives)
                    + of_alarms * point.false_positives;
                (positives > 0.0).then(|| point.true_positives / (point.true_positives + errors))
            }
            Self::Cost(costs) => {
                let missed = (positives - point.true_positives).max(0.0);
                Some(-(costs.missed * missed + costs.false_alarm * point.false_positives))
            }
            Self::Sum(weight) => {
                let specificity = (negatives > 0.0).then(|| 1.0 - point.false_positives / negatives);
                Some(weight * recall? + (1.0 - weight) * specificity?)
            }
            Self::RecallAtLeast(least) => point.precision().filter(|_| recall.is_some_and(|r| r >= least)),
            Self::PrecisionAtLeast(least) => recall.filter(|_| point.precision().is_some_and(|p| p >= least)),
        }
    }
}
