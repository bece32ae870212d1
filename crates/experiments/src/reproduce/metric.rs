//! The papers' metrics.

use serde::{Deserialize, Serialize};
use thalweg_core::cost::Costs;

use super::outcome::Outcome;

/// A metric of the papers. Shares are in per cent, as there.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Deserialize, Serialize)]
pub enum Metric {
    /// The mean of sensitivity and specificity.
    #[serde(rename = "sum")]
    Sum,
    /// The share of positives that were found.
    #[serde(rename = "sensitivity")]
    Sensitivity,
    /// The share of negatives that were left alone.
    #[serde(rename = "specificity")]
    Specificity,
    /// 0.9 for every miss and 0.1 for every false alarm.
    #[serde(rename = "cost")]
    Cost,
    /// The same in hundreds, as some tables have it.
    #[serde(rename = "cost/100")]
    CostInHundreds,
    /// The share of wrong predictions.
    #[serde(rename = "error")]
    Error,
    /// The share of right predictions.
    #[serde(rename = "accuracy")]
    Accuracy,
    /// The share of weights that are zero.
    #[serde(rename = "sparsity")]
    Sparsity,
    /// Processor time of learning.
    #[serde(rename = "seconds")]
    Seconds,
}

impl Metric {
    /// As it is called in tables.
    pub fn name(self) -> &'static str {
        match self {
            Metric::Sum => "sum",
            Metric::Sensitivity => "sensitivity",
            Metric::Specificity => "specificity",
            Metric::Cost => "cost",
            Metric::CostInHundreds => "cost/100",
            Metric::Error => "error",
            Metric::Accuracy => "accuracy",
            Metric::Sparsity => "sparsity",
            Metric::Seconds => "seconds",
        }
    }

    /// With its unit, for an axis.
    pub fn title(self) -> &'static str {
        match self {
            Metric::Sum => "sum of sensitivity and specificity (%)",
            Metric::Sensitivity => "sensitivity (%)",
            Metric::Specificity => "specificity (%)",
            Metric::Cost => "cost",
            Metric::CostInHundreds => "cost (hundreds)",
            Metric::Error => "test error (%)",
            Metric::Accuracy => "accuracy (%)",
            Metric::Sparsity => "zero weights (%)",
            Metric::Seconds => "processor time (s)",
        }
    }

    /// Is less better?
    pub fn falls(self) -> bool {
        matches!(self, Metric::Cost | Metric::CostInHundreds | Metric::Error | Metric::Seconds)
    }

    /// Does it depend on the machine?
    pub fn is_time(self) -> bool {
        self == Metric::Seconds
    }

    /// Its value. NaN where it is not defined. The weight is that of sensitivity in the sum, and of a miss in the cost, where they are not the usual
    /// 0.5 and 0.9.
    pub fn of(self, outcome: &Outcome, weight: Option<f64>) -> f64 {
        let confusion = outcome.confusion();
        let share = |value: Option<f64>| 100.0 * value.unwrap_or(f64::NAN);
        let cost = || {
            let missed = weight.unwrap_or(0.9);
            confusion.cost(&Costs { missed, false_alarm: 1.0 - missed, ..Costs::default() })
        };
        match self {
            Metric::Sum => share(confusion.sum(weight.unwrap_or(0.5))),
            Metric::Sensitivity => share(confusion.sensitivity()),
            Metric::Specificity => share(confusion.specificity()),
            Metric::Cost => cost(),
            Metric::CostInHundreds => cost() / 100.0,
            Metric::Error => share(confusion.error()),
            Metric::Accuracy => share(confusion.accuracy()),
            Metric::Sparsity => 100.0 * outcome.sparsity(),
            Metric::Seconds => outcome.seconds,
        }
    }
}
