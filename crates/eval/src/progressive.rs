//! Progressive validation: each example is predicted before it is learned from, so that training data is test data too.

use thalweg_core::cost::Costs;
use thalweg_core::{Batch, Class, Outcomes};

use crate::examples::Examples;
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
    /// Adds the labelled examples of a batch, with the class that was predicted for each example. Where there are no
    /// losses of a learner, because the batch was only scored, the hinge loss is used.
    pub fn observe(&mut self, batch: &Batch, outcomes: &Outcomes, predicted: &[Class]) {
        let examples = Examples::new(batch, outcomes, predicted);
        for example in examples.iter() {
            self.confusion.add(example.truth, example.predicted);
            self.loss += example.loss();
            self.updates += u64::from(example.updated());
        }
        if let Some((example, features)) = examples.last() {
            self.last = Some(Last { class: example.truth, score: example.score(), features });
        }
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
        let predicted: Vec<Class> = rows.iter().map(|(score, _)| Class::from(*score >= 0.0)).collect();
        figures.observe(&batch, &outcomes, &predicted);
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
