//! Figures as people and machines read them.

use std::fmt;

use serde::Serialize;
use thalweg_core::cost::Costs;

use crate::prequential::Prequential;

/// One line of the progress table.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Progress {
    /// Mean loss so far.
    pub average_loss: f64,
    /// Mean loss since the line before.
    pub since_last: f64,
    /// Examples so far.
    pub examples: u64,
    /// The current example's label.
    pub label: String,
    /// Its score before it was learned from.
    pub score: f64,
    /// Its number of features.
    pub features: usize,
    /// Share of mistakes so far.
    pub error: f64,
    /// Mean of sensitivity and specificity so far.
    pub balanced_accuracy: Option<f64>,
    /// Weights that are not zero.
    pub nonzeros: usize,
}

impl Progress {
    /// The table's two heading lines.
    pub const HEADING: &'static str = concat!(
        " average     since                   current    current  current           balanced     non-zero\n",
        "    loss      last     examples        label      score features    error  accuracy      weights"
    );
}

impl fmt::Display for Progress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{:>8.6}  {:>8.6} {:>12} {:>12} {:>10.4} {:>8} {:>8} {:>9} {:>12}",
            self.average_loss,
            self.since_last,
            grouped(self.examples),
            self.label.chars().take(12).collect::<String>(),
            self.score,
            self.features,
            percent(Some(self.error)),
            percent(self.balanced_accuracy),
            grouped(self.nonzeros as u64),
        )
    }
}

/// The figures of a finished run, for reports and JSON.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Figures {
    /// Labelled examples.
    pub examples: u64,
    /// Wrong predictions.
    pub mistakes: u64,
    /// Positives taken for negatives.
    pub missed: u64,
    /// Negatives taken for positives.
    pub false_alarms: u64,
    /// Share of wrong predictions.
    pub error: Option<f64>,
    /// Mean of sensitivity and specificity.
    pub balanced_accuracy: Option<f64>,
    /// Share of the positives found.
    pub sensitivity: Option<f64>,
    /// Share of the negatives left alone.
    pub specificity: Option<f64>,
    /// Mean loss.
    pub average_loss: Option<f64>,
    /// What the mistakes cost, where costs were declared.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cost: Option<f64>,
}

impl Figures {
    /// The figures so far.
    pub fn of(run: &Prequential, costs: &Costs) -> Self {
        let confusion = &run.confusion;
        Self {
            examples: confusion.examples(),
            mistakes: confusion.mistakes(),
            missed: confusion.missed(),
            false_alarms: confusion.false_alarms(),
            error: confusion.error(),
            balanced_accuracy: confusion.balanced_accuracy(),
            sensitivity: confusion.sensitivity(),
            specificity: confusion.specificity(),
            average_loss: run.average_loss(),
            cost: (costs.missed != 1.0 || costs.false_alarm != 1.0).then(|| confusion.cost(costs)),
        }
    }

    /// Names and values, for a report.
    pub fn lines(&self) -> Vec<(&'static str, String)> {
        let (missed, alarms) = (grouped(self.missed), grouped(self.false_alarms));
        let mut lines = vec![
            ("mistakes", format!("{} (missed {missed}, false alarms {alarms})", grouped(self.mistakes))),
            ("error", percent(self.error)),
            ("balanced accuracy", percent(self.balanced_accuracy)),
            ("sensitivity", percent(self.sensitivity)),
            ("specificity", percent(self.specificity)),
        ];
        lines.extend(self.average_loss.map(|loss| ("average loss", format!("{loss:.6}"))));
        lines.extend(self.cost.map(|cost| ("cost", cost.to_string())));
        lines
    }
}

/// `12.34 %`, or `-` if there is nothing to tell.
pub fn percent(share: Option<f64>) -> String {
    share.map_or_else(|| "-".into(), |share| format!("{:.2} %", 100.0 * share))
}

/// `1,234,567`.
pub fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_for_people() {
        assert_eq!([0, 999, 1_000, 12_345_678].map(grouped), ["0", "999", "1,000", "12,345,678"]);
        assert_eq!(percent(Some(0.12345)), "12.35 %");
        assert_eq!(percent(None), "-");
    }

    #[test]
    fn headings_and_lines_end_in_the_same_column() {
        let line = Progress {
            average_loss: 0.5,
            since_last: 0.25,
            examples: 1024,
            label: "spam".into(),
            score: -1.25,
            features: 12,
            error: 0.125,
            balanced_accuracy: None,
            nonzeros: 77,
        };
        assert!(Progress::HEADING.lines().all(|heading| heading.len() == line.to_string().len()));
    }
}
