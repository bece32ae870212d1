//! Figures as people and machines read them.

use std::fmt;

use serde::Serialize;
use thalweg_core::Class;
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
    /// Share of wrong predictions.
    pub error: Option<f64>,
    /// Mean of the classes' recalls; of two classes, of sensitivity and specificity.
    pub balanced_accuracy: Option<f64>,
    /// Mean loss.
    pub average_loss: Option<f64>,
    /// What is told of two classes, or of many.
    #[serde(flatten)]
    pub kind: Kind,
}

/// Figures of two classes, or of many.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(untagged)]
pub enum Kind {
    /// A positive and a negative class.
    Two {
        /// Positives taken for negatives.
        missed: u64,
        /// Negatives taken for positives.
        false_alarms: u64,
        /// Share of the positives found.
        sensitivity: Option<f64>,
        /// Share of the negatives left alone.
        specificity: Option<f64>,
        /// What the mistakes cost, where costs were declared.
        #[serde(skip_serializing_if = "Option::is_none")]
        cost: Option<f64>,
    },
    /// Many classes. What is micro-averaged (precision, recall, F1) equals the accuracy, 1 − error.
    Many {
        /// 1 − error.
        micro_f1: Option<f64>,
        /// Mean of the classes' F1.
        macro_f1: Option<f64>,
        /// Mean of the classes' precisions.
        macro_precision: Option<f64>,
        /// Mean of the classes' recalls.
        macro_recall: Option<f64>,
        /// The classes' names.
        classes: Vec<String>,
        /// Truth by prediction.
        confusion: Vec<Vec<u64>>,
    },
}

impl Figures {
    /// The figures of two classes so far.
    pub fn of_two(run: &Prequential, costs: &Costs) -> Self {
        let confusion = &run.confusion;
        let kind = Kind::Two {
            missed: confusion.missed(),
            false_alarms: confusion.false_alarms(),
            sensitivity: confusion.sensitivity(),
            specificity: confusion.specificity(),
            cost: (costs.missed != 1.0 || costs.false_alarm != 1.0).then(|| confusion.cost(costs)),
        };
        Self::of(run, kind)
    }

    /// The figures of many classes so far.
    pub fn of_many(run: &Prequential, name: impl Fn(Class) -> String) -> Self {
        let confusion = &run.confusion;
        let kind = Kind::Many {
            micro_f1: confusion.error().map(|error| 1.0 - error),
            macro_f1: confusion.macro_f1(),
            macro_precision: confusion.macro_precision(),
            macro_recall: confusion.balanced_accuracy(),
            classes: (0..confusion.counts().len() as Class).map(name).collect(),
            confusion: confusion.counts().to_vec(),
        };
        Self::of(run, kind)
    }

    fn of(run: &Prequential, kind: Kind) -> Self {
        Self {
            examples: run.confusion.examples(),
            mistakes: run.confusion.mistakes(),
            error: run.confusion.error(),
            balanced_accuracy: run.confusion.balanced_accuracy(),
            average_loss: run.average_loss(),
            kind,
        }
    }

    /// Names and values, for a report.
    pub fn lines(&self) -> Vec<(&'static str, String)> {
        let mut mistakes = grouped(self.mistakes);
        let mut lines = Vec::new();
        match &self.kind {
            Kind::Two { missed, false_alarms, sensitivity, specificity, cost } => {
                mistakes +=
                    &format!(" (missed {}, false alarms {})", grouped(*missed), grouped(*false_alarms));
                lines.push(("sensitivity", percent(*sensitivity)));
                lines.push(("specificity", percent(*specificity)));
                lines.extend(cost.map(|cost| ("cost", cost.to_string())));
            }
            Kind::Many { macro_f1, macro_precision, classes, .. } => {
                lines.push(("macro precision", percent(*macro_precision)));
                lines.push(("macro F1", percent(*macro_f1)));
                lines.push(("classes", grouped(classes.len() as u64)));
            }
        }
        let mut all = vec![
            ("mistakes", mistakes),
            ("error", percent(self.error)),
            ("balanced accuracy", percent(self.balanced_accuracy)),
        ];
        all.append(&mut lines);
        all.extend(self.average_loss.map(|loss| ("average loss", format!("{loss:.6}"))));
        all
    }

    /// The confusion matrix of many classes as a table; none for two, whose four numbers are told otherwise, and none
    /// for so many that nobody could read it.
    pub fn matrix(&self) -> Option<String> {
        let Kind::Many { classes, confusion, .. } = &self.kind else { return None };
        if classes.len() > WIDEST {
            return None;
        }
        let width = classes.iter().map(|name| name.chars().count()).chain([6]).max().unwrap_or_default() + 1;
        let row = |name: &str, cells: Vec<String>| {
            let cells: String = cells.iter().map(|cell| format!("{cell:>width$}")).collect();
            format!("{name:<18}{cells}\n")
        };
        let mut text = row("truth \\ predicted", classes.clone());
        for (name, counts) in classes.iter().zip(confusion) {
            text += &row(
                name,
                counts.iter().map(|count| if *count == 0 { ".".into() } else { count.to_string() }).collect(),
            );
        }
        Some(text)
    }
}

/// The largest confusion matrix that is shown as a table.
const WIDEST: usize = 24;

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
