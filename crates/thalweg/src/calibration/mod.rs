//! What a score is worth as a probability: learned online from scores from before learning, and their labels.
//!
//! docs/design/2026-11-18-probabilities.md has the reasons and the figures.

mod many_classes;
mod sigmoid;
mod two_classes;

use serde::{Deserialize, Serialize};
use thalweg_core::{Class, Task};

use many_classes::ManyClasses;
use two_classes::TwoClasses;

/// Turns scores into probabilities.
///
/// They are those of the stream itself, whatever costs the learner was trained with. An example with an importance of 2 counts as two: if examples were
/// sampled and have one over their rate as importance, the probabilities are those of the stream before sampling.
///
/// In every round the caller first asks for the probability, if it wants one, then shows the example to [`Self::observe`], with its scores from
/// before learning. The same rounds give the same probabilities, also if the calibrator was stored and read back in between.
///
/// ```
/// # use thalweg::{Calibrator, Task};
/// let mut calibrator = Calibrator::new(Task::Binary);
/// for round in 0..3000 {
///     // Scores from −1 to 1; of examples with a score of 0.5, three of four are positive.
///     let score = f64::from(round * 7919 % 1000) / 500.0 - 1.0;
///     let positive = f64::from(round * 104_729 % 997) / 997.0 < (score + 1.0) / 2.0;
///     calibrator.observe(&[score], u32::from(positive), 1.0);
/// }
/// assert!((calibrator.probability(0.5) - 0.75).abs() < 0.05);
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Calibrator {
    classes: Classes,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
enum Classes {
    Two(TwoClasses),
    Many(ManyClasses),
}

impl Calibrator {
    /// A calibrator that has seen nothing.
    pub fn new(task: Task) -> Self {
        let classes = match task {
            Task::Binary => Classes::Two(TwoClasses::default()),
            Task::Hinge | Task::Ovr => Classes::Many(ManyClasses::default()),
        };
        Self { classes }
    }

    /// Shows a labelled example: one score, or one for every class known before it.
    pub fn observe(&mut self, scores: &[f64], class: Class, importance: f64) {
        match (&mut self.classes, scores) {
            (Classes::Two(two), [score]) => two.observe(*score, class == 1, importance),
            (Classes::Two(_), _) => {}
            (Classes::Many(many), scores) => many.observe(scores, class as usize, importance),
        }
    }

    /// What is learned from two streams of these weights, side by side; nothing if they have not the same task.
    pub(crate) fn pooled(&self, weight: f64, other: &Self, others: f64) -> Option<Self> {
        let classes = match (&self.classes, &other.classes) {
            (Classes::Two(a), Classes::Two(b)) => Classes::Two(a.pooled(weight, b, others)),
            (Classes::Many(a), Classes::Many(b)) => Classes::Many(a.pooled(weight, b, others)),
            _ => return None,
        };
        Some(Self { classes })
    }

    /// Without what all streams had counted in common, so many times too often.
    pub(crate) fn without(&mut self, common: Option<&Self>, times: u64) {
        match (&mut self.classes, common.map(|common| &common.classes)) {
            (Classes::Two(two), Some(Classes::Two(common))) => two.without(common, times),
            (Classes::Many(many), Some(Classes::Many(common))) => many.without(common, times),
            _ => {}
        }
    }

    /// The probability of the positive class, of two. With many classes a single score is that of a single class, which is certain.
    pub fn probability(&self, score: f64) -> f64 {
        match &self.classes {
            Classes::Two(two) => two.probability(score),
            Classes::Many(_) => 1.0,
        }
    }

    /// The probabilities of all classes: of the negative and the positive one, or one for every score. Their sum is 1.
    pub fn probabilities(&self, scores: &[f64], out: &mut Vec<f64>) {
        out.clear();
        match (&self.classes, scores) {
            (Classes::Two(two), [score]) => {
                let positive = two.probability(*score);
                out.extend([1.0 - positive, positive]);
            }
            (Classes::Two(_), _) => {}
            (Classes::Many(many), scores) => many.probabilities(scores, out),
        }
    }
}

#[cfg(test)]
mod tests;
