//! The confusion matrix, from which most metrics follow.

use thalweg_core::Class;
use thalweg_core::cost::Costs;

/// How often each class was predicted for the examples of each class.
///
/// Each example counts as much as its importance says. Sums are exact as long as importances are whole numbers, as 1 is.
/// A class whose examples have no importance counts as one that never came.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Confusion {
    /// `rows[truth][predicted]`, square, with as many classes as have come or were predicted, and at least two.
    rows: Vec<Vec<f64>>,
}

impl Confusion {
    /// Adds an example.
    #[inline]
    pub fn add(&mut self, truth: Class, predicted: Class, importance: f64) {
        let (truth, predicted) = (truth as usize, predicted as usize);
        if truth.max(predicted) >= self.rows.len() {
            self.grow(truth.max(predicted) + 1);
        }
        self.rows[truth][predicted] += importance;
    }

    #[cold]
    fn grow(&mut self, classes: usize) {
        let classes = classes.max(2);
        self.rows.resize(classes, Vec::new());
        self.rows.iter_mut().for_each(|row| row.resize(classes, 0.0));
    }

    /// The matrix: a row for each true class, a column for each predicted class.
    pub fn rows(&self) -> &[Vec<f64>] {
        &self.rows
    }

    fn at(&self, truth: usize, predicted: usize) -> f64 {
        self.rows.get(truth).map_or(0.0, |row| row[predicted])
    }

    fn classes(&self) -> std::ops::Range<usize> {
        0..self.rows.len()
    }

    fn of_class(&self, class: usize) -> f64 {
        self.rows.get(class).map_or(0.0, |row| row.iter().sum())
    }

    fn predicted_as(&self, class: usize) -> f64 {
        self.rows.iter().map(|row| row[class]).sum()
    }

    /// What is in the row of a class, but for the class itself. Summed, as the mistakes are.
    fn missed_of(&self, class: usize) -> f64 {
        let others = self.rows[class].iter().enumerate().filter(|(predicted, _)| *predicted != class);
        others.fold(0.0, |sum, (_, importance)| sum + importance)
    }

    /// What is in the column of a class, but for the class itself.
    fn false_alarms_of(&self, class: usize) -> f64 {
        let others = self.rows.iter().enumerate().filter(|(truth, _)| *truth != class);
        others.fold(0.0, |sum, (_, row)| sum + row[class])
    }

    /// Importance of all examples.
    pub fn total(&self) -> f64 {
        self.rows.iter().flatten().sum()
    }

    /// Importance of the wrong predictions.
    pub fn mistakes(&self) -> f64 {
        // What is off the diagonal is summed: a difference of two sums would not be exactly 0 where there are none.
        let off_diagonal = self.rows.iter().enumerate().flat_map(|(truth, row)| {
            row.iter().enumerate().filter(move |(predicted, _)| *predicted != truth)
        });
        // The sum of nothing would be -0.
        off_diagonal.fold(0.0, |sum, (_, importance)| sum + importance)
    }

    /// Share of wrong predictions.
    pub fn error(&self) -> Option<f64> {
        ratio(self.mistakes(), self.total())
    }

    /// Share of right predictions.
    pub fn accuracy(&self) -> Option<f64> {
        ratio(self.classes().map(|class| self.at(class, class)).sum(), self.total())
    }

    /// Two classes: positives predicted as negative.
    pub fn missed(&self) -> f64 {
        self.at(1, 0)
    }

    /// Two classes: negatives predicted as positive.
    pub fn false_alarms(&self) -> f64 {
        self.at(0, 1)
    }

    /// Share of the examples of a class that were predicted as such; none if the class never came.
    pub fn recall(&self, class: Class) -> Option<f64> {
        ratio(self.at(class as usize, class as usize), self.of_class(class as usize))
    }

    /// Share of the predictions of a class that were right; none if it was never predicted.
    pub fn precision(&self, class: Class) -> Option<f64> {
        let class = class as usize;
        self.classes().contains(&class).then(|| ratio(self.at(class, class), self.predicted_as(class)))?
    }

    /// Weighted harmonic mean of a class's precision and recall, in which recall counts beta times as much as precision; none
    /// if the class never came and was never predicted.
    pub fn f_beta(&self, class: Class, beta: f64) -> Option<f64> {
        let class = class as usize;
        let found = self.at(class, class);
        // The share of the false alarms in the errors. 1 + beta² may be infinite.
        let alarms = (1.0 + beta * beta).recip();
        self.classes().contains(&class).then(|| {
            let (missed, false_alarms) = (self.missed_of(class), self.false_alarms_of(class));
            let whole = found + (1.0 - alarms) * missed + alarms * false_alarms;
            // Nothing was found, and the errors may be of the kind that does not count.
            if found == 0.0 && missed + false_alarms > 0.0 { Some(0.0) } else { ratio(found, whole) }
        })?
    }

    /// Harmonic mean of a class's precision and recall; none if the class never came and was never predicted.
    pub fn f1(&self, class: Class) -> Option<f64> {
        let class = class as usize;
        self.classes()
            .contains(&class)
            .then(|| ratio(2.0 * self.at(class, class), self.of_class(class) + self.predicted_as(class)))?
    }

    /// Two classes: share of the positives that were found.
    pub fn sensitivity(&self) -> Option<f64> {
        self.recall(1)
    }

    /// Two classes: share of the negatives that were predicted as such.
    pub fn specificity(&self) -> Option<f64> {
        self.recall(0)
    }

    /// Mean of the recalls of the classes: with two classes, of sensitivity and specificity (the papers' *sum* with equal
    /// weights), and none until both have come; with more, of the classes that have come.
    pub fn balanced_accuracy(&self) -> Option<f64> {
        if self.rows.len() == 2 {
            return Some(f64::midpoint(self.recall(0)?, self.recall(1)?));
        }
        mean(self.classes().filter_map(|class| self.recall(class as Class)))
    }

    /// Mean of the precisions of the classes that have come; 0 for a class that was never predicted.
    pub fn macro_precision(&self) -> Option<f64> {
        mean(self.present().map(|class| self.precision(class).unwrap_or(0.0)))
    }

    /// Mean of the F1 of the classes that have come.
    pub fn macro_f1(&self) -> Option<f64> {
        mean(self.present().filter_map(|class| self.f1(class)))
    }

    /// Mean of the F1 of the classes, each counting as much as its examples.
    pub fn weighted_f1(&self) -> Option<f64> {
        let of = |class: Class| Some(self.of_class(class as usize) * self.f1(class)?);
        ratio(self.present().filter_map(of).sum(), self.total())
    }

    /// Correlation of the true and the predicted class: 1 if all predictions are right, 0 if they have nothing to do with the truth
    /// or are always the same. None without examples.
    pub fn matthews_corrcoef(&self) -> Option<f64> {
        let total = self.total();
        let (mut shared, mut predicted, mut came) = (0.0, 0.0, 0.0);
        for class in self.classes() {
            let found = self.at(class, class);
            let (missed, false_alarms) = (self.missed_of(class), self.false_alarms_of(class));
            // The others are right to be elsewhere. These products lose fewer digits than the square of the total minus squares.
            let others = (total - found - missed - false_alarms).max(0.0);
            shared += found * others - missed * false_alarms;
            predicted += (found + false_alarms) * (missed + others);
            came += (found + missed) * (false_alarms + others);
        }
        let both = predicted.sqrt() * came.sqrt();
        (total > 0.0).then(|| if both > 0.0 { (shared / both).clamp(-1.0, 1.0) } else { 0.0 })
    }

    /// By how much the predictions are better than the same predictions given to random examples, as a share of what is possible;
    /// none if there is only one class, and it is always predicted.
    pub fn cohen_kappa(&self) -> Option<f64> {
        let total = self.total();
        let by_chance: f64 = self
            .classes()
            .map(|class| self.of_class(class) * (total - self.predicted_as(class)).max(0.0))
            .sum();
        ratio(self.mistakes() * total, by_chance).map(|share| 1.0 - share)
    }

    /// Two classes: geometric mean of sensitivity and specificity; none until both classes have come.
    pub fn geometric_mean(&self) -> Option<f64> {
        Some((self.sensitivity()? * self.specificity()?).sqrt())
    }

    /// Two classes: weight · sensitivity + (1 − weight) · specificity (the papers' *sum*); none until both classes have come.
    pub fn sum(&self, weight: f64) -> Option<f64> {
        Some(weight * self.sensitivity()? + (1.0 - weight) * self.specificity()?)
    }

    /// Two classes: what it would cost to predict every example as negative.
    pub fn cost_of_flagging_nothing(&self, costs: &Costs) -> f64 {
        costs.missed * self.of_class(1)
    }

    /// Two classes: what it would cost to predict every example as positive.
    pub fn cost_of_flagging_everything(&self, costs: &Costs) -> f64 {
        costs.false_alarm * self.of_class(0)
    }

    /// Importance of the examples of a class.
    pub fn support(&self, class: Class) -> f64 {
        self.of_class(class as usize)
    }

    /// The classes that have come.
    fn present(&self) -> impl Iterator<Item = Class> {
        self.classes().filter(|&class| self.of_class(class) > 0.0).map(|class| class as Class)
    }

    /// Two classes: what the mistakes cost (the papers' *cost*).
    pub fn cost(&self, costs: &Costs) -> f64 {
        costs.missed * self.missed() + costs.false_alarm * self.false_alarms()
    }
}

fn ratio(part: f64, whole: f64) -> Option<f64> {
    (whole > 0.0).then(|| part / whole)
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
            (0..times).for_each(|_| confusion.add(truth, predicted, 1.0));
        }
        confusion
    }

    #[track_caller]
    fn close(value: Option<f64>, expected: f64) {
        assert!((value.unwrap() - expected).abs() < 1e-15, "{value:?}, not {expected}");
    }

    #[test]
    fn figures_of_two_classes_follow_from_the_counts() {
        let confusion = confusion(&[(1, 1, 3), (1, 0, 1), (0, 0, 90), (0, 1, 10)]);
        assert_eq!((confusion.total(), confusion.mistakes()), (104.0, 11.0));
        assert_eq!((confusion.sensitivity(), confusion.specificity()), (Some(0.75), Some(0.9)));
        assert_eq!(confusion.balanced_accuracy(), Some(0.825));
        assert_eq!(confusion.cost(&Costs { missed: 9.0, ..Costs::default() }), 19.0);
        close(confusion.precision(1), 3.0 / 13.0);
        close(confusion.f1(1), 2.0 * (3.0 / 13.0 * 0.75) / (3.0 / 13.0 + 0.75));
    }

    #[test]
    fn figures_of_many_classes_follow_from_the_counts() {
        let confusion = confusion(&[(0, 0, 8), (0, 2, 2), (1, 1, 5), (1, 0, 5), (2, 2, 10)]);
        assert_eq!((confusion.total(), confusion.mistakes()), (30.0, 7.0));
        close(confusion.balanced_accuracy(), (0.8 + 0.5 + 1.0) / 3.0);
        close(confusion.macro_precision(), (8.0 / 13.0 + 1.0 + 10.0 / 12.0) / 3.0);
        close(confusion.macro_f1(), (16.0 / 23.0 + 10.0 / 15.0 + 20.0 / 22.0) / 3.0);
    }

    #[test]
    fn examples_count_as_much_as_they_are_important() {
        let mut weighted = Confusion::default();
        for (truth, predicted, importance) in [(1, 1, 3.0), (1, 0, 1.0), (0, 0, 90.0), (0, 1, 10.0)] {
            weighted.add(truth, predicted, importance);
        }
        assert_eq!(weighted, confusion(&[(1, 1, 3), (1, 0, 1), (0, 0, 90), (0, 1, 10)]));
        weighted.add(1, 0, 0.5);
        weighted.add(1, 0, 0.0);
        assert_eq!((weighted.missed(), weighted.mistakes(), weighted.total()), (1.5, 11.5, 104.5));
        close(weighted.sensitivity(), 3.0 / 4.5);
    }

    #[test]
    fn no_mistakes_are_exactly_none_whatever_the_importance() {
        assert!(Confusion::default().mistakes().is_sign_positive(), "not -0");
        let mut confusion = Confusion::default();
        (0..1000).for_each(|i| confusion.add(i % 3, i % 3, 0.1 * f64::from(i)));
        assert_eq!((confusion.mistakes(), confusion.error()), (0.0, Some(0.0)));
    }

    #[test]
    fn a_class_that_never_came_has_no_rate() {
        assert_eq!(Confusion::default().error(), None);
        assert_eq!((Confusion::default().precision(1), Confusion::default().f1(1)), (None, None));
        let one = confusion(&[(0, 0, 1)]);
        assert_eq!((one.sensitivity(), one.balanced_accuracy()), (None, None));
        assert_eq!((one.precision(1), one.f1(1)), (None, None));
        // It was predicted, so that its precision is known to be bad.
        let predicted = confusion(&[(0, 0, 1), (0, 1, 1)]);
        assert_eq!((predicted.precision(1), predicted.f1(1)), (Some(0.0), Some(0.0)));
        let mut unimportant = one.clone();
        unimportant.add(1, 1, 0.0);
        assert_eq!((unimportant.sensitivity(), unimportant.balanced_accuracy()), (None, None));
        // Of many classes, those that came count: class 1 did not.
        let many = confusion(&[(0, 0, 1), (2, 1, 1)]);
        assert_eq!((many.balanced_accuracy(), many.macro_precision()), (Some(0.5), Some(0.5)));
        assert_eq!(many.macro_f1(), Some(0.5));
    }
}
