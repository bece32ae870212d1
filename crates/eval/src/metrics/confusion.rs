//! How often each class was taken for each class.

use thalweg_core::Class;
use thalweg_core::cost::Costs;

/// Counts of truth against prediction, for as many classes as have been met.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Confusion {
    /// `counts[truth][predicted]`, square.
    counts: Vec<Vec<u64>>,
}

impl Confusion {
    /// Counts one example.
    pub fn add(&mut self, truth: Class, predicted: Class) {
        let (truth, predicted) = (truth as usize, predicted as usize);
        let classes = self.counts.len().max(truth + 1).max(predicted + 1).max(2);
        if classes > self.counts.len() {
            self.counts.resize(classes, Vec::new());
            self.counts.iter_mut().for_each(|row| row.resize(classes, 0));
        }
        self.counts[truth][predicted] += 1;
    }

    /// The counts: truth by prediction.
    pub fn counts(&self) -> &[Vec<u64>] {
        &self.counts
    }

    fn at(&self, truth: usize, predicted: usize) -> u64 {
        self.counts.get(truth).map_or(0, |row| row[predicted])
    }

    fn classes(&self) -> std::ops::Range<usize> {
        0..self.counts.len()
    }

    fn of_class(&self, class: usize) -> u64 {
        self.counts.get(class).map_or(0, |row| row.iter().sum())
    }

    fn predicted_as(&self, class: usize) -> u64 {
        self.counts.iter().map(|row| row[class]).sum()
    }

    /// All examples.
    pub fn examples(&self) -> u64 {
        self.counts.iter().flatten().sum()
    }

    /// Wrong predictions.
    pub fn mistakes(&self) -> u64 {
        self.examples() - self.classes().map(|class| self.at(class, class)).sum::<u64>()
    }

    /// Share of wrong predictions.
    pub fn error(&self) -> Option<f64> {
        ratio(self.mistakes(), self.examples())
    }

    /// Two classes: positives taken for negatives.
    pub fn missed(&self) -> u64 {
        self.at(1, 0)
    }

    /// Two classes: negatives taken for positives.
    pub fn false_alarms(&self) -> u64 {
        self.at(0, 1)
    }

    /// Share of a class's examples that were found; none if there were none.
    pub fn recall(&self, class: usize) -> Option<f64> {
        ratio(self.at(class, class), self.of_class(class))
    }

    /// Share of right predictions among those of a class; none if it was never predicted.
    pub fn precision(&self, class: usize) -> Option<f64> {
        ratio(self.at(class, class), self.predicted_as(class))
    }

    /// Two classes: share of the positives that were found.
    pub fn sensitivity(&self) -> Option<f64> {
        self.recall(1)
    }

    /// Two classes: share of the negatives that were left alone.
    pub fn specificity(&self) -> Option<f64> {
        self.recall(0)
    }

    /// The mean of the classes' recalls: of two classes, the mean of sensitivity and specificity (the papers' *sum* with
    /// equal weights). None while one of two classes has not come; of many, those that came count.
    pub fn balanced_accuracy(&self) -> Option<f64> {
        if self.counts.len() == 2 {
            return Some(f64::midpoint(self.recall(0)?, self.recall(1)?));
        }
        mean(self.classes().filter_map(|class| self.recall(class)))
    }

    /// The mean of the classes' precisions; a class that came but was never predicted counts as 0.
    pub fn macro_precision(&self) -> Option<f64> {
        let present = self.classes().filter(|&class| self.of_class(class) > 0);
        mean(present.map(|class| self.precision(class).unwrap_or(0.0)))
    }

    /// The mean of the classes' F1.
    pub fn macro_f1(&self) -> Option<f64> {
        let present = self.classes().filter(|&class| self.of_class(class) > 0);
        mean(present.map(|class| {
            2.0 * self.at(class, class) as f64 / (self.of_class(class) + self.predicted_as(class)) as f64
        }))
    }

    /// Two classes: what the mistakes cost (the papers' *cost*).
    pub fn cost(&self, costs: &Costs) -> f64 {
        costs.missed * self.missed() as f64 + costs.false_alarm * self.false_alarms() as f64
    }
}

fn ratio(part: u64, whole: u64) -> Option<f64> {
    (whole > 0).then(|| part as f64 / whole as f64)
}

fn mean(values: impl Iterator<Item = f64>) -> Option<f64> {
    let (count, sum) = values.fold((0, 0.0), |(count, sum), value| (count + 1, sum + value));
    (count > 0).then(|| sum / f64::from(count))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn confusion(counts: &[(Class, Class, usize)]) -> Confusion {
        let mut confusion = Confusion::default();
        for &(truth, predicted, times) in counts {
            (0..times).for_each(|_| confusion.add(truth, predicted));
        }
        confusion
    }

    #[test]
    fn figures_of_two_classes_follow_from_the_counts() {
        let confusion = confusion(&[(1, 1, 3), (1, 0, 1), (0, 0, 90), (0, 1, 10)]);
        assert_eq!((confusion.examples(), confusion.mistakes()), (104, 11));
        assert_eq!((confusion.sensitivity(), confusion.specificity()), (Some(0.75), Some(0.9)));
        assert_eq!(confusion.balanced_accuracy(), Some(0.825));
        assert_eq!(confusion.cost(&Costs { missed: 9.0, ..Costs::default() }), 19.0);
    }

    #[test]
    fn figures_of_many_classes_follow_from_the_counts() {
        let confusion = confusion(&[(0, 0, 8), (0, 2, 2), (1, 1, 5), (1, 0, 5), (2, 2, 10)]);
        assert_eq!((confusion.examples(), confusion.mistakes()), (30, 7));
        let close = |value: Option<f64>, expected: f64| {
            assert!((value.unwrap() - expected).abs() < 1e-15, "{value:?}");
        };
        close(confusion.balanced_accuracy(), (0.8 + 0.5 + 1.0) / 3.0);
        close(confusion.macro_precision(), (8.0 / 13.0 + 1.0 + 10.0 / 12.0) / 3.0);
        close(confusion.macro_f1(), (16.0 / 23.0 + 10.0 / 15.0 + 20.0 / 22.0) / 3.0);
    }

    #[test]
    fn a_class_that_never_came_has_no_rate() {
        assert_eq!(Confusion::default().error(), None);
        let one = confusion(&[(0, 0, 1)]);
        assert_eq!((one.sensitivity(), one.balanced_accuracy()), (None, None));
    }
}
