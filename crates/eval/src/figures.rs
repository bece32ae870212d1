//! The figures of a run, for reports.

use serde::Serialize;
use thalweg_core::Class;
use thalweg_core::cost::Costs;

use crate::metrics::confusion::Confusion;
use crate::numbers::{grouped, percent};

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
    pub fn of_two(confusion: &Confusion, average_loss: Option<f64>, costs: &Costs) -> Self {
        let kind = Kind::Two {
            missed: confusion.missed(),
            false_alarms: confusion.false_alarms(),
            sensitivity: confusion.sensitivity(),
            specificity: confusion.specificity(),
            cost: (costs.missed != 1.0 || costs.false_alarm != 1.0).then(|| confusion.cost(costs)),
        };
        Self::of(confusion, average_loss, kind)
    }

    /// The figures of many classes so far.
    pub fn of_many(confusion: &Confusion, average_loss: Option<f64>, name: impl Fn(Class) -> String) -> Self {
        let kind = Kind::Many {
            micro_f1: confusion.error().map(|error| 1.0 - error),
            macro_f1: confusion.macro_f1(),
            macro_precision: confusion.macro_precision(),
            macro_recall: confusion.balanced_accuracy(),
            classes: (0..confusion.counts().len() as Class).map(name).collect(),
            confusion: confusion.counts().to_vec(),
        };
        Self::of(confusion, average_loss, kind)
    }

    fn of(confusion: &Confusion, average_loss: Option<f64>, kind: Kind) -> Self {
        Self {
            examples: confusion.examples(),
            mistakes: confusion.mistakes(),
            error: confusion.error(),
            balanced_accuracy: confusion.balanced_accuracy(),
            average_loss,
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
