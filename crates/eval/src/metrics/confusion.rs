//! How often each class was taken for each class.

use thalweg_core::Class;
use thalweg_core::cost::Costs;

/// Counts of truth against prediction in a two-class task.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Confusion {
    /// `counts[truth][predicted]`.
    counts: [[u64; 2]; 2],
}

impl Confusion {
    /// Counts one example.
    pub fn add(&mut self, truth: Class, predicted: Class) {
        self.counts[truth as usize & 1][predicted as usize & 1] += 1;
    }

    /// All examples.
    pub fn examples(&self) -> u64 {
        self.counts.iter().flatten().sum()
    }

    /// Positives taken for negatives.
    pub fn missed(&self) -> u64 {
        self.counts[1][0]
    }

    /// Negatives taken for positives.
    pub fn false_alarms(&self) -> u64 {
        self.counts[0][1]
    }

    /// Wrong predictions.
    pub fn mistakes(&self) -> u64 {
        self.missed() + self.false_alarms()
    }

    /// Share of wrong predictions.
    pub fn error(&self) -> Option<f64> {
        ratio(self.mistakes(), self.examples())
    }

    /// Share of the positives that were found; none if there were no positives.
    pub fn sensitivity(&self) -> Option<f64> {
        ratio(self.counts[1][1], self.counts[1][0] + self.counts[1][1])
    }

    /// Share of the negatives that were left alone; none if there were no negatives.
    pub fn specificity(&self) -> Option<f64> {
        ratio(self.counts[0][0], self.counts[0][0] + self.counts[0][1])
    }

    /// The mean of sensitivity and specificity (the papers' *sum* with equal weights).
    pub fn balanced_accuracy(&self) -> Option<f64> {
        Some(f64::midpoint(self.sensitivity()?, self.specificity()?))
    }

    /// What the mistakes cost (the papers' *cost*).
    pub fn cost(&self, costs: &Costs) -> f64 {
        costs.missed * self.missed() as f64 + costs.false_alarm * self.false_alarms() as f64
    }
}

fn ratio(part: u64, whole: u64) -> Option<f64> {
    (whole > 0).then(|| part as f64 / whole as f64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_follow_from_the_counts() {
        let mut confusion = Confusion::default();
        for (truth, predicted, times) in [(1, 1, 3), (1, 0, 1), (0, 0, 90), (0, 1, 10)] {
            (0..times).for_each(|_| confusion.add(truth, predicted));
        }
        assert_eq!((confusion.examples(), confusion.mistakes()), (104, 11));
        assert_eq!((confusion.sensitivity(), confusion.specificity()), (Some(0.75), Some(0.9)));
        assert_eq!(confusion.balanced_accuracy(), Some(0.825));
        assert_eq!(confusion.cost(&Costs { missed: 9.0, ..Costs::default() }), 19.0);
    }

    #[test]
    fn a_class_that_never_came_has_no_rate() {
        let mut confusion = Confusion::default();
        assert_eq!(confusion.error(), None);
        confusion.add(0, 0);
        assert_eq!((confusion.sensitivity(), confusion.balanced_accuracy()), (None, None));
    }
}
