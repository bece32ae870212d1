//! Progressive validation: each example is predicted before it is learned from, so that training data is test data too.

use thalweg_core::cost::Costs;
use thalweg_core::loss::hinge;
use thalweg_core::{Batch, Class, Outcomes};

use crate::figures::Figures;
use crate::metrics::confusion::Confusion;
use crate::progress::Progress;

/// Figures of the examples so far, updated batch by batch.
#[derive(Clone, Debug, Default)]
pub struct ProgressiveFigures {
    /// Truth against prediction.
    pub confusion: Confusion,
    loss: f64,
    updates: u64,
    last: Option<Last>,
    since: Since,
}

#[derive(Clone, Copy, Debug)]
struct Last {
    class: Class,
    score: f64,
    features: usize,
}

/// Sums at the last progress report.
#[derive(Clone, Copy, Debug, Default)]
struct Since {
    examples: u64,
    loss: f64,
}

impl ProgressiveFigures {
    /// Adds a batch. Without the learner's own losses (after mere scoring) the hinge loss stands in.
    pub fn observe(&mut self, batch: &Batch, outcomes: &Outcomes) {
        for (i, label) in batch.labels().iter().enumerate() {
            let Some(class) = *label else { continue };
            self.confusion.add(class, outcomes.predicted(i));
            let loss = outcomes.losses.get(i).copied();
            self.loss += loss.unwrap_or_else(|| hinge(margin(outcomes.scores_of(i), class)));
        }
        let last = batch.labels().iter().enumerate().rev().find_map(|(i, label)| Some((i, (*label)?)));
        if let Some((i, class)) = last {
            // Of one score per class, the true class's; a class not known by then has none.
            let score = match outcomes.scores_of(i) {
                [score] => *score,
                scores => scores.get(class as usize).copied().unwrap_or(0.0),
            };
            self.last = Some(Last { class, score, features: batch.row(i).indices.len() });
        }
        self.updates += outcomes.updated.iter().filter(|updated| **updated).count() as u64;
    }

    /// Labelled examples so far.
    pub fn examples(&self) -> u64 {
        self.confusion.examples()
    }

    /// Mean loss so far.
    pub fn average_loss(&self) -> Option<f64> {
        (self.examples() > 0).then(|| self.loss / self.examples() as f64)
    }

    /// Examples that moved the weights.
    pub fn updates(&self) -> u64 {
        self.updates
    }

    /// The figures of two classes so far.
    pub fn of_two(&self, costs: &Costs) -> Figures {
        Figures::of_two(&self.confusion, self.average_loss(), costs)
    }

    /// The figures of many classes so far.
    pub fn of_many(&self, name: impl Fn(Class) -> String) -> Figures {
        Figures::of_many(&self.confusion, self.average_loss(), name)
    }

    /// A line of the progress table; "since last" is since the previous call. None before the first example.
    pub fn progress(&mut self, nonzeros: usize, label: impl Fn(Class) -> String) -> Option<Progress> {
        let last = self.last?;
        let examples = self.examples() - self.since.examples;
        let since_last = if examples > 0 { (self.loss - self.since.loss) / examples as f64 } else { 0.0 };
        self.since = Since { examples: self.examples(), loss: self.loss };
        Some(Progress {
            average_loss: self.average_loss()?,
            since_last,
            examples: self.examples(),
            label: label(last.class),
            score: last.score,
            features: last.features,
            error: self.confusion.error()?,
            balanced_accuracy: self.confusion.balanced_accuracy(),
            nonzeros,
        })
    }
}

/// By how much the true class is ahead.
fn margin(scores: &[f64], class: Class) -> f64 {
    match (scores, class) {
        ([score], 0) => -score,
        ([score], _) => *score,
        (scores, class) => {
            let own = scores.get(class as usize).copied().unwrap_or(0.0);
            let others = scores.iter().enumerate().filter(|(other, _)| *other != class as usize);
            own - others.map(|(_, score)| *score).fold(f64::NEG_INFINITY, f64::max)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn observed(figures: &mut ProgressiveFigures, rows: &[(f64, Option<Class>)]) {
        let mut batch = Batch::default();
        rows.iter().for_each(|(_, class)| {
            batch.push([(1, 1.0)], *class).unwrap();
        });
        let mut outcomes = Outcomes::default();
        rows.iter().for_each(|(score, _)| outcomes.push_score(*score));
        figures.observe(&batch, &outcomes);
    }

    #[test]
    fn unlabelled_examples_do_not_count() {
        let mut figures = ProgressiveFigures::default();
        observed(&mut figures, &[(0.5, Some(1)), (9.0, None), (-0.25, Some(0))]);
        assert_eq!((figures.examples(), figures.confusion.mistakes()), (2, 0));
        assert_eq!(figures.average_loss(), Some(0.625));
    }

    #[test]
    fn since_last_forgets_what_was_reported() {
        let mut figures = ProgressiveFigures::default();
        assert!(figures.progress(0, |_| String::new()).is_none());
        observed(&mut figures, &[(-1.0, Some(1))]);
        assert_eq!(figures.progress(0, |c| c.to_string()).unwrap().since_last, 2.0);
        observed(&mut figures, &[(3.0, Some(1)), (3.0, Some(1))]);
        let second = figures.progress(7, |c| c.to_string()).unwrap();
        assert_eq!((second.since_last, second.examples, second.nonzeros), (0.0, 3, 7));
        assert_eq!((second.average_loss, second.label.as_str()), (2.0 / 3.0, "1"));
    }
}
