//! A line of the progress table.

use std::fmt;

use serde::Serialize;

use crate::numbers::{grouped, percent};

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
    /// The two heading lines of the table.
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
        assert!(Progress::HEADING.lines().all(|heading| heading.len() == line.to_string().len()));
    }
}
