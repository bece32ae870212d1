//! A line of the progress table.

use std::fmt;

use serde::Serialize;

use crate::numbers::{fitted, grouped};

/// A line of the progress table.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Progress {
    /// Mean loss so far.
    pub average_loss: f64,
    /// Mean loss since the previous line.
    pub since_last: f64,
    /// Number of labelled examples so far.
    pub examples: u64,
    /// Label of the last example.
    pub label: String,
    /// Score of the last example, from before it was learned from.
    pub score: f64,
    /// Number of features of the last example.
    pub features: usize,
    /// Share of wrong predictions so far.
    pub error: f64,
    /// Mean of the recalls of the classes so far.
    pub balanced_accuracy: Option<f64>,
    /// Number of weights that are not zero.
    pub nonzeros: usize,
}

impl Progress {
    /// The two heading lines of the table, which fits into 80 columns.
    pub const HEADING: &'static str = concat!(
        "average   since                last     last     last         balanced  non-zero\n",
        "   loss    last    examples   label    score features error % accuracy   weights"
    );
}

impl fmt::Display for Progress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{:>7} {:>7} {:>11} {:>7} {:>8} {:>8} {:>7.2} {:>8} {:>9}",
            fitted(self.average_loss, 7, 5),
            fitted(self.since_last, 7, 5),
            narrow(self.examples, 11),
            self.label.chars().take(7).collect::<String>(),
            fitted(self.score, 8, 4),
            narrow(self.features as u64, 8),
            100.0 * self.error,
            self.balanced_accuracy.map_or_else(|| "-".into(), |share| format!("{:.2}", 100.0 * share)),
            narrow(self.nonzeros as u64, 9),
        )
    }
}

/// A whole number with its digits in groups where there is room for that, and otherwise rounded.
fn narrow(number: u64, width: usize) -> String {
    let text = grouped(number);
    if text.len() <= width { text } else { fitted(number as f64, width, 0) }
}

#[cfg(test)]
mod tests {
    use super::*;

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
        let large = Progress {
            average_loss: 123_456_789.5,
            since_last: 1e200,
            examples: 98_765_432_109,
            label: "a long label".into(),
            score: -12_345.678,
            features: 12_345_678,
            error: 1.0,
            balanced_accuracy: Some(1.0),
            nonzeros: 1_234_567_890,
        };
        for line in [line, large] {
            assert!(
                Progress::HEADING.lines().all(|heading| heading.len() == line.to_string().len()),
                "{line}"
            );
            assert_eq!(line.to_string().len(), 80);
        }
    }
}
