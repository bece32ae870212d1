//! What is gained and what is lost at every threshold, as a table.

use serde::{Deserialize, Serialize};
use thalweg_core::cost::Costs;

use crate::curves::operating::{OperatingCurve, OperatingPoint};
use crate::numbers::{amount, count, fitted, percent};

/// A row of the table: a threshold and what follows from it.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct TradeOff {
    /// Scores of at least this are flagged; none if nothing is flagged.
    pub threshold: Option<f64>,
    /// Importance of what is flagged.
    pub alerts: f64,
    /// Share of what is flagged that is positive.
    pub precision: Option<f64>,
    /// Share of the positives that are flagged.
    pub recall: Option<f64>,
    /// Harmonic mean of precision and recall.
    pub f1: Option<f64>,
    /// Share of the negatives that are flagged.
    pub false_positive_rate: Option<f64>,
    /// What the mistakes cost.
    pub cost: f64,
}

impl OperatingCurve {
    /// What follows from each point of the curve.
    pub fn trade_offs(&self, costs: &Costs) -> Vec<TradeOff> {
        self.points.iter().map(|point| self.trade_off(point, costs)).collect()
    }

    /// What follows from one point of the curve.
    pub fn trade_off(&self, point: &OperatingPoint, costs: &Costs) -> TradeOff {
        let &OperatingPoint { threshold, true_positives, false_positives } = point;
        let share = |part: f64, whole: f64| (whole > 0.0).then(|| part / whole);
        let missed = (self.positives - true_positives).max(0.0);
        TradeOff {
            threshold,
            alerts: point.alerts(),
            precision: point.precision(),
            recall: share(true_positives, self.positives),
            f1: share(2.0 * true_positives, self.positives + point.alerts()),
            false_positive_rate: share(false_positives, self.negatives),
            cost: (costs.missed * missed + costs.false_alarm * false_positives).min(f64::MAX),
        }
    }
}

/// The rows as a table for people.
pub fn trade_off_table(rows: &[TradeOff]) -> String {
    let heading = ["threshold", "alerts", "precision", "recall", "F1", "false positives", "cost"];
    let heading = heading.map(str::to_string);
    let lines: Vec<[String; 7]> = std::iter::once(heading).chain(rows.iter().map(cells)).collect();
    let width = |column: usize| lines.iter().map(|line| line[column].chars().count()).max().unwrap_or(0);
    let widths: Vec<usize> = (0..7).map(width).collect();
    let line = |cells: &[String; 7]| {
        let cells = cells.iter().zip(&widths).map(|(cell, &width)| format!("{cell:>width$}"));
        cells.collect::<Vec<_>>().join("  ") + "\n"
    };
    lines.iter().map(line).collect()
}

fn cells(row: &TradeOff) -> [String; 7] {
    [
        row.threshold.map_or_else(|| "none".into(), |threshold| fitted(threshold, 9, 5)),
        count(row.alerts),
        percent(row.precision),
        percent(row.recall),
        percent(row.f1),
        percent(row.false_positive_rate),
        amount(row.cost),
    ]
}
