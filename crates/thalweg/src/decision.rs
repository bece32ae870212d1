//! Which class a score means: the one place that decides it, for training, predictions, evaluation and explanations alike.

use thalweg_core::{Class, Outcomes, Task};

/// How scores become a class.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Decision {
    /// Two classes: positive if the score is at least this.
    Threshold(f64),
    /// Many classes: the one with the highest score; of equal ones the first.
    Highest,
}

impl Decision {
    /// What the papers' codes do: a score of 0 is positive.
    pub fn of(task: Task) -> Self {
        match task {
            Task::Binary => Decision::Threshold(0.0),
            Task::Hinge | Task::Ovr => Decision::Highest,
        }
    }

    /// The class of an example with these scores: one score, or one for every class.
    pub fn class(self, scores: &[f64]) -> Class {
        match self {
            Decision::Threshold(threshold) => {
                Class::from(scores.first().is_none_or(|score| *score >= threshold))
            }
            Decision::Highest => {
                let higher =
                    |best: (usize, f64), next: (usize, f64)| if next.1 > best.1 { next } else { best };
                scores.iter().copied().enumerate().reduce(higher).map_or(0, |(class, _)| class as Class)
            }
        }
    }

    /// The classes of all examples of a batch.
    pub fn classes(self, outcomes: &Outcomes) -> Vec<Class> {
        let mut classes = Vec::new();
        self.decide(outcomes, &mut classes);
        classes
    }

    /// The same, in memory that is used again.
    pub fn decide(self, outcomes: &Outcomes, classes: &mut Vec<Class>) {
        classes.clear();
        match self {
            Decision::Threshold(threshold) => {
                classes.extend(outcomes.scores.iter().map(|score| Class::from(*score >= threshold)));
            }
            Decision::Highest => {
                classes.extend((0..outcomes.len()).map(|i| self.class(outcomes.scores_of(i))));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_score_at_the_threshold_is_positive_and_the_first_of_equal_classes_wins() {
        let zero = Decision::of(Task::Binary);
        assert_eq!([-0.1, -0.0, 0.0, 2.0].map(|score| zero.class(&[score])), [0, 1, 1, 1]);
        assert_eq!([0.4, 0.5].map(|score| Decision::Threshold(0.5).class(&[score])), [0, 1]);
        assert_eq!(Decision::Highest.class(&[1.0, 3.0, 3.0]), 1);
        assert_eq!(Decision::Highest.class(&[]), 0);
    }

    #[test]
    fn a_batch_is_decided_as_its_examples_are() {
        let (mut two, mut many, mut classes) = (Outcomes::default(), Outcomes::default(), Vec::new());
        [-1.0, f64::NAN, 0.0].into_iter().for_each(|score| two.push_score(score));
        Decision::of(Task::Binary).decide(&two, &mut classes);
        assert_eq!(classes, [0, 1, 1]);
        many.push_scores(&[0.5, 1.0]);
        many.push_scores(&[f64::INFINITY, 1.0, 2.0]);
        Decision::of(Task::Ovr).decide(&many, &mut classes);
        assert_eq!(classes, [1, 0]);
    }
}
