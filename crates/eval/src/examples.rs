//! What metrics observe: the labelled examples of a batch with their predictions.

use thalweg_core::loss::hinge;
use thalweg_core::{Batch, Class, Outcomes};

/// The labelled examples of a batch, with what was predicted for them and what became of them.
#[derive(Clone, Copy, Debug)]
pub struct Examples<'a> {
    batch: &'a Batch,
    outcomes: &'a Outcomes,
    predicted: &'a [Class],
    /// Laid out as the scores of the outcomes.
    probabilities: Option<&'a [f64]>,
}

impl<'a> Examples<'a> {
    /// The examples of a batch. There is one outcome and one predicted class for each of them.
    pub fn new(batch: &'a Batch, outcomes: &'a Outcomes, predicted: &'a [Class]) -> Self {
        assert_eq!((batch.len(), batch.len()), (outcomes.len(), predicted.len()), "one for each example");
        Self { batch, outcomes, predicted, probabilities: None }
    }

    /// The same examples with the probabilities that were predicted. They are laid out as [`Outcomes::scores`]: one for each
    /// example, that of the positive class, or one for each class.
    #[must_use]
    pub fn with_probabilities(self, probabilities: &'a [f64]) -> Self {
        assert_eq!(probabilities.len(), self.outcomes.scores.len(), "one for each score");
        Self { probabilities: Some(probabilities), ..self }
    }

    /// The labelled examples, in order. Examples without a label are left out.
    pub fn iter(self) -> impl Iterator<Item = Example<'a>> {
        let Self { batch, outcomes, predicted, probabilities } = self;
        let rows = batch.labels().iter().zip(batch.importances()).zip(predicted).enumerate();
        rows.filter_map(move |(row, ((label, &importance), &predicted))| {
            let (truth, importance) = ((*label)?, f64::from(importance));
            Some(Example { truth, predicted, importance, row, outcomes, probabilities })
        })
    }

    /// Do errors on some of them cost something else than 1?
    pub(crate) fn have_costs(self) -> bool {
        !self.batch.costs().is_empty()
    }

    /// The labelled examples, each with what an error on it costs.
    pub(crate) fn with_costs(self) -> impl Iterator<Item = (Example<'a>, f64)> {
        self.iter().map(move |example| (example, f64::from(self.batch.cost(example.row))))
    }

    /// The last labelled example, and its number of features.
    pub(crate) fn last(self) -> Option<(Example<'a>, usize)> {
        let Self { batch, outcomes, predicted, .. } = self;
        let last = batch.labels().iter().enumerate().rev().find_map(|(row, label)| Some((row, (*label)?)));
        last.map(|(row, truth)| {
            let importance = f64::from(batch.importances()[row]);
            let example =
                Example { truth, predicted: predicted[row], importance, row, outcomes, probabilities: None };
            (example, batch.row(row).indices.len())
        })
    }
}

/// A labelled example with its prediction.
#[derive(Clone, Copy, Debug)]
pub struct Example<'a> {
    /// Its class.
    pub truth: Class,
    /// The class that was predicted.
    pub predicted: Class,
    /// How much it counts; 1 unless the data says otherwise.
    pub importance: f64,
    row: usize,
    outcomes: &'a Outcomes,
    /// Those of all examples.
    probabilities: Option<&'a [f64]>,
}

impl<'a> Example<'a> {
    /// Its scores from before it was learned from: one, or one for each class known by then.
    pub fn scores(&self) -> &'a [f64] {
        self.outcomes.scores_of(self.row)
    }

    /// The score of two classes, or that of the true class; 0 if the class was not known by then.
    pub fn score(&self) -> f64 {
        match self.scores() {
            [score] => *score,
            scores => scores.get(self.truth as usize).copied().unwrap_or(0.0),
        }
    }

    /// The probabilities that were predicted: that of the positive class, or one for each class known by then.
    pub fn probabilities(&self) -> Option<&'a [f64]> {
        self.outcomes.beside_scores(self.row, self.probabilities?)
    }

    /// The probability that was predicted for the true class, which is 0 if the class was not known by then; none if there are no
    /// probabilities.
    pub fn probability_of_truth(&self) -> Option<f64> {
        Some(match (self.probabilities()?, self.truth) {
            ([positive], 0) => 1.0 - positive,
            ([positive], _) => *positive,
            (all, truth) => all.get(truth as usize).copied().unwrap_or(0.0),
        })
    }

    /// The hinge loss of its scores, whatever loss the learner saw.
    pub fn hinge_loss(&self) -> f64 {
        hinge(margin(self.scores(), self.truth))
    }

    /// The loss that the learner saw, or the hinge loss if the example was only scored. Importance has no part in it.
    pub fn loss(&self) -> f64 {
        let loss = self.outcomes.losses.get(self.row).copied();
        loss.unwrap_or_else(|| self.hinge_loss())
    }

    /// Whether it changed the weights.
    pub fn updated(&self) -> bool {
        self.outcomes.updated.get(self.row).copied().unwrap_or(false)
    }
}

/// By how much the score of the true class exceeds that of the others.
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

    #[test]
    fn examples_without_a_label_are_left_out() {
        let (mut batch, mut outcomes) = (Batch::default(), Outcomes::default());
        for (label, importance, score) in [(Some(1), 2.0, 0.5), (None, 1.0, 9.0), (Some(0), 0.5, 0.25)] {
            batch.push_with_importance([(1, 1.0)], label, importance).unwrap();
            outcomes.push_score(score);
        }
        let examples = Examples::new(&batch, &outcomes, &[1, 0, 1]);
        let seen: Vec<_> = examples.iter().map(|e| (e.truth, e.predicted, e.importance, e.loss())).collect();
        assert_eq!(seen, [(1, 1, 2.0, 0.5), (0, 1, 0.5, 1.25)]);
        let (last, features) = examples.last().unwrap();
        assert_eq!((last.truth, last.score(), last.updated(), features), (0, 0.25, false, 1));
    }

    #[test]
    fn the_margin_is_over_the_strongest_rival() {
        assert_eq!((margin(&[2.0], 1), margin(&[2.0], 0)), (2.0, -2.0));
        assert_eq!(margin(&[1.0, 4.0, 2.5], 2), -1.5);
        assert_eq!(margin(&[1.0, 4.0, 2.5], 1), 1.5);
        assert_eq!(margin(&[1.0, -4.0], 2), -1.0); // a class that is not known yet has a score of 0
    }

    #[test]
    #[should_panic(expected = "one for each example")]
    fn every_example_has_a_predicted_class() {
        let mut batch = Batch::default();
        batch.push([(1, 1.0)], Some(1)).unwrap();
        let mut outcomes = Outcomes::default();
        outcomes.push_score(1.0);
        _ = Examples::new(&batch, &outcomes, &[]);
    }
}
