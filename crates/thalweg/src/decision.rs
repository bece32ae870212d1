//! Which class a score means: the one place that decides it, for training, predictions, evaluation and explanations alike.

use thalweg_core::{Class, Learner, Outcomes, Task, learners};

/// How scores become a class.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Decision {
    /// Two classes: positive if the score is greater than this.
    Above(f64),
    /// Two classes: positive if the score is at least this.
    AtLeast(f64),
    /// Many classes: the one with the highest score; of equal ones the first.
    Highest,
}

impl Decision {
    /// A score of exactly 0 is that of an example of which nothing is known, and means negative: positive is what something speaks for. But learners
    /// that act on the sign of a score take a 0 for positive, and leave positives alone that have one. What they say is taken as they mean it.
    pub fn by(learner: &dyn Learner) -> Self {
        match Self::of(learner.task()) {
            Decision::AtLeast(zero) if !zero_is_positive(learner) => Decision::Above(zero),
            other => other,
        }
    }

    /// What the papers' codes do, for comparisons with them: a score of 0 is positive.
    pub fn of(task: Task) -> Self {
        match task {
            Task::Binary => Decision::AtLeast(0.0),
            Task::Hinge | Task::Ovr => Decision::Highest,
        }
    }

    /// The same with another threshold, if there is one.
    #[must_use]
    pub fn at(self, threshold: Option<f64>) -> Self {
        match (self, threshold) {
            (Decision::Above(_), Some(threshold)) => Decision::Above(threshold),
            (Decision::AtLeast(_), Some(threshold)) => Decision::AtLeast(threshold),
            (other, _) => other,
        }
    }

    /// The class of an example with these scores: one score, or one for every class.
    pub fn class(self, scores: &[f64]) -> Class {
        match self {
            Decision::Above(threshold) => Class::from(scores.first().is_some_and(|score| *score > threshold)),
            Decision::AtLeast(threshold) => {
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
            Decision::Above(threshold) => {
                classes.extend(outcomes.scores.iter().map(|score| Class::from(*score > threshold)));
            }
            Decision::AtLeast(threshold) => {
                classes.extend(outcomes.scores.iter().map(|score| Class::from(*score >= threshold)));
            }
            Decision::Highest => {
                classes.extend((0..outcomes.len()).map(|i| self.class(outcomes.scores_of(i))));
            }
        }
    }
}

/// Does the rule of this learner act on the sign of a score, where 0 is positive?
fn zero_is_positive(learner: &dyn Learner) -> bool {
    let spec = learner.spec();
    let name = spec.split(':').next().unwrap_or_default();
    learners::find(name).is_ok_and(|entry| !entry.symmetric)
}

#[cfg(test)]
mod tests {
    use thalweg_core::learner::Setup;

    use super::*;

    #[test]
    fn a_score_of_zero_is_negative_unless_the_learner_takes_it_for_positive() {
        let of = |spec: &str, task| {
            Decision::by(learners::build(spec, &Setup { task, ..Setup::default() }).unwrap().as_ref())
        };
        let classes =
            |spec: &str| [-0.1, -0.0, 0.0, 1e-300].map(|score| of(spec, Task::Binary).class(&[score]));
        for spec in ["ssol", "arow:r=0.5", "arow:covariance=full", "aromma", "pa1", "dcd", "fsol"] {
            assert_eq!(classes(spec), [0, 0, 0, 1], "{spec}");
        }
        for spec in ["perceptron", "romma", "cpa", "sop"] {
            assert_eq!(classes(spec), [0, 1, 1, 1], "{spec}");
        }
        assert_eq!(of("perceptron", Task::Ovr), Decision::Highest);
    }

    #[test]
    fn the_first_of_equal_classes_wins() {
        assert_eq!(Decision::Highest.class(&[1.0, 3.0, 3.0]), 1);
        assert_eq!(Decision::Highest.class(&[]), 0);
    }

    #[test]
    fn a_batch_is_decided_as_its_examples_are() {
        let (mut two, mut many, mut classes) = (Outcomes::default(), Outcomes::default(), Vec::new());
        [-1.0, f64::NAN, 0.0].into_iter().for_each(|score| two.push_score(score));
        Decision::Above(0.0).decide(&two, &mut classes);
        assert_eq!(classes, [0, 0, 0]);
        Decision::AtLeast(0.0).decide(&two, &mut classes);
        assert_eq!(classes, [0, 1, 1]);
        many.push_scores(&[0.5, 1.0]);
        many.push_scores(&[f64::INFINITY, 1.0, 2.0]);
        Decision::Highest.decide(&many, &mut classes);
        assert_eq!(classes, [1, 0]);
    }
}
