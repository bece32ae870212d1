//! Are labels mixed, or does the data come sorted by them?
//!
//! A learner that takes one example at a time forgets one class while it sees only the other, and its progressive figures look good: the last label is
//! always the right guess. So the runs of equal labels are counted and compared with what random order would give (the test of Wald and Wolfowitz,
//! for any number of classes). Rare classes raise no alarm by being rare: few runs are expected then.

use std::fmt;

use serde::Serialize;
use thalweg_core::{Batch, Class, learners};
use thalweg_eval::grouped;

/// Labels come in long runs: in far fewer runs than random order would give.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct LongRuns {
    /// Labelled examples that were looked at.
    pub examples: u64,
    /// Runs of one label.
    pub runs: u64,
    /// Runs that are expected in random order.
    pub expected: f64,
}

impl fmt::Display for LongRuns {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [runs, examples, expected] =
            [self.runs, self.examples, self.expected.round() as u64].map(grouped);
        write!(
            f,
            "labels come in long runs: {runs} in {examples} examples, random order would have about {expected}. \
             Learning needs mixed labels, and its progressive figures mean little without them"
        )
    }
}

/// Counts the runs of equal labels, in memory for one number per class.
#[derive(Clone, Debug, Default)]
pub(crate) struct LabelOrder {
    classes: Vec<u64>,
    last: Option<Class>,
    examples: u64,
    runs: u64,
    /// What was clear before the end.
    early: Option<LongRuns>,
}

/// Fewer runs than this share of what is expected are long. Data that is in fact mixed has about 1, streams with some memory have more than a half.
const FEW: f64 = 0.25;
/// Below this share there is no doubt, also of the beginning of the data.
const VERY_FEW: f64 = 0.02;
/// So many standard deviations fewer than expected are no accident.
const DEVIATIONS: f64 = 6.0;
/// The beginning is looked at from so many examples on, and whenever there are twice as many.
const BEGINNING: u64 = 1 << 10;

impl LabelOrder {
    pub(crate) fn observe(&mut self, batch: &Batch) {
        for class in batch.labels().iter().flatten() {
            if self.last.replace(*class) != Some(*class) {
                self.runs += 1;
            }
            let class = *class as usize;
            if class >= self.classes.len() {
                self.classes.resize(class + 1, 0);
            }
            self.classes[class] += 1;
            self.examples += 1;
            if self.early.is_none() && self.examples >= BEGINNING && self.examples.is_power_of_two() {
                self.early = self.fewer_than(VERY_FEW);
            }
        }
    }

    /// What is clear before the data has ended.
    pub(crate) fn early(&self) -> Option<LongRuns> {
        self.early
    }

    /// What was found in all of the data.
    pub(crate) fn found(&self) -> Option<LongRuns> {
        self.fewer_than(FEW)
    }

    /// The runs, if they are fewer than this share of what is expected, and that is no accident.
    fn fewer_than(&self, share: f64) -> Option<LongRuns> {
        if self.examples < 2 {
            return None;
        }
        let n = self.examples as f64;
        let power =
            |power: i32| self.classes.iter().map(|count| (*count as f64 / n).powi(power)).sum::<f64>();
        // As shares of n, so that no sum is beyond what an f64 holds exactly enough.
        let (squares, cubes) = (power(2), power(3));
        let expected = n * (1.0 - squares) + 1.0;
        let variance = n * (squares * (squares + 1.0 + 1.0 / n) - 2.0 * cubes - 1.0 / n) * (n / (n - 1.0));
        let missing = expected - self.runs as f64;
        let few = (self.runs as f64) < share * expected && missing > DEVIATIONS * variance.max(0.0).sqrt();
        few.then_some(LongRuns { examples: self.examples, runs: self.runs, expected })
    }
}

/// Does a learner care for the order of the data? Not if it takes all of it as one batch.
pub(crate) fn matters_to(learner: &str) -> bool {
    let (name, knobs) = learner.split_once(':').unwrap_or((learner, ""));
    let of_batches = learners::find(name).is_ok_and(|entry| entry.has_knob("batch"));
    let sized = knobs.split(',').any(|knob| knob.starts_with("batch=") && knob != "batch=auto");
    !of_batches || sized
}

#[cfg(test)]
mod tests {
    use super::*;

    fn order(labels: impl IntoIterator<Item = Class>) -> LabelOrder {
        let (mut order, mut batch) = (LabelOrder::default(), Batch::default());
        for class in labels {
            batch.push([(1, 1.0)], Some(class)).unwrap();
        }
        order.observe(&batch);
        order
    }

    /// Labels that follow no pattern; one of `rare` is 1.
    fn mixed(examples: u64, rare: u64) -> impl Iterator<Item = Class> {
        let mut random = 88_172_645_463_325_252_u64;
        (0..examples).map(move |_| {
            random ^= random << 13;
            random ^= random >> 7;
            random ^= random << 17;
            Class::from((random >> 11).is_multiple_of(rare))
        })
    }

    #[test]
    fn sorted_labels_are_noticed_whatever_their_shares() {
        for (first, second) in [(1000, 1000), (1000, 20), (20, 1000), (30, 30), (200_000, 300), (1, 40)] {
            let labels = std::iter::repeat_n(0, first).chain(std::iter::repeat_n(1, second));
            let found = order(labels).found();
            assert_eq!(
                found.map(|found| found.runs),
                (first.min(second) > 1).then_some(2),
                "{first} {second}"
            );
        }
        let blocks = (0..10_000).map(|i| i / 50 % 7);
        assert!(order(blocks).found().is_some());
    }

    #[test]
    fn mixed_labels_raise_no_alarm_however_rare_one_is() {
        for rare in [2, 3, 10, 100, 1_000, 50_000] {
            for examples in [10, 100, 3_000, 100_000] {
                let order = order(mixed(examples, rare));
                assert_eq!((order.early(), order.found()), (None, None), "{rare} {examples}");
            }
        }
        assert_eq!(order((0..5_000).map(|i| i % 3)).found(), None);
        // Streams with some memory: every label comes twice.
        let twice = mixed(20_000, 2).flat_map(|class| [class, class]);
        assert_eq!(order(twice).found(), None);
        assert_eq!(order(std::iter::repeat_n(0, 100_000)).found(), None, "there is nothing to mix");
        assert_eq!(order([]).found(), None);
    }

    #[test]
    fn the_expected_number_is_that_of_two_classes() {
        let runs = order(std::iter::repeat_n(0, 60).chain(std::iter::repeat_n(1, 40))).found().unwrap();
        assert!((runs.expected - (1.0 + 2.0 * 60.0 * 40.0 / 100.0)).abs() < 1e-9);
    }

    #[test]
    fn the_beginning_of_sorted_data_is_enough() {
        let labels = std::iter::repeat_n(0, 1_500).chain(std::iter::repeat_n(1, 100_000));
        assert_eq!(order(labels).early().map(|found| found.examples), Some(2_048));
        // Long runs, but not for long.
        let labels = std::iter::repeat_n(0, 500).chain(mixed(100_000, 2));
        let order = order(labels);
        assert_eq!((order.early(), order.found()), (None, None));
    }

    #[test]
    fn order_does_not_matter_to_one_batch() {
        for (learner, matters) in
            [("ssol", true), ("dcd", false), ("dcd:c=2", false), ("bcw1:c=1,batch=50", true), ("own", true)]
        {
            assert_eq!(matters_to(learner), matters, "{learner}");
        }
    }
}
