//! What errors cost where there are many classes.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::cost::{ClassCost, CostRange, Costs, kept, read_count, stored_count};

/// The weight of each class: what an error on an example of it costs. Classes that have none, such as those that come later, have 1.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct ClassWeights(Vec<f64>);

impl ClassWeights {
    /// The weights of classes 0, 1, 2 and so on.
    pub fn new(weights: Vec<f64>) -> Self {
        Self(weights)
    }

    /// The weight of a class.
    #[inline]
    pub fn of(&self, class: usize) -> f64 {
        self.0.get(class).copied().unwrap_or(1.0)
    }

    /// From the least to the greatest, with the 1 of classes that have none.
    pub fn range(&self) -> CostRange {
        CostRange::of(self.0.iter().copied().chain([1.0]))
    }

    /// Is it 1 for all of them?
    pub fn are_equal(&self) -> bool {
        self.0.iter().all(|weight| *weight == 1.0)
    }
}

/// The costs of errors at this point of a stream of many classes.
///
/// If they are balanced, the cost of a class is its weight times total / (classes × count), from *past* rounds and with the prior of
/// [`Costs`] in every count.
#[derive(Clone, Debug)]
pub(crate) struct RunningClassCosts {
    pub(crate) declared: Costs,
    pub(crate) weights: ClassWeights,
    weight_range: CostRange,
    /// Examples of each class; only counted if costs are balanced.
    counts: Vec<f64>,
    total: f64,
    /// Classes that have examples.
    seen: f64,
    kept: f64,
}

impl RunningClassCosts {
    /// Before the first example.
    pub(crate) fn new(declared: Costs, weights: ClassWeights) -> Self {
        let (weight_range, kept) = (weights.range(), kept(declared.balance_half_life));
        Self { declared, weights, weight_range, counts: Vec::new(), total: 0.0, seen: 0.0, kept }
    }

    fn count_of(&self, class: usize) -> f64 {
        self.counts.get(class).copied().unwrap_or_default()
    }

    /// The cost of an error on an example of this class.
    pub(crate) fn of(&self, class: usize) -> f64 {
        let weight = self.weights.of(class);
        if !self.declared.balanced {
            return weight;
        }
        let (prior, count) = (self.declared.balance_prior, self.count_of(class));
        // A class that was never seen is one of them now.
        let classes = if count == 0.0 { self.seen + 1.0 } else { self.seen };
        let average = self.total / classes + prior;
        (weight * (average / (count + prior))).min(f64::MAX)
    }

    /// The costs of errors on examples of this class and of all that were seen.
    pub(crate) fn range(&self, class: usize, known: usize) -> CostRange {
        if !self.declared.balanced {
            return self.weight_range;
        }
        let seen = (0..known).filter(|&other| other == class || self.count_of(other) > 0.0);
        CostRange::of(seen.map(|class| self.of(class)))
    }

    /// Counts an example that was learned from.
    pub(crate) fn count(&mut self, class: usize) {
        if !self.declared.balanced {
            return;
        }
        self.counts.resize(self.counts.len().max(class + 1), 0.0);
        if self.kept < 1.0 {
            self.counts.iter_mut().for_each(|count| *count *= self.kept);
            self.counts[class] += 1.0;
            self.sum_up();
            return;
        }
        self.seen += f64::from(u8::from(self.counts[class] == 0.0));
        self.counts[class] += 1.0;
        self.total += 1.0;
    }

    /// Examples of each class, if they are counted.
    pub(crate) fn counts(&self) -> &[f64] {
        &self.counts
    }

    /// Other counts.
    pub(crate) fn set_counts(&mut self, counts: Vec<f64>) {
        if self.declared.balanced {
            self.counts = counts;
            self.sum_up();
        }
    }

    /// Do old examples count less?
    pub(crate) fn fade(&self) -> bool {
        self.kept < 1.0
    }

    /// What follows from the counts.
    fn sum_up(&mut self) {
        self.total = self.counts.iter().sum();
        self.seen = self.counts.iter().filter(|count| **count > 0.0).count() as f64;
    }

    /// What errors on each class cost.
    pub(crate) fn all(&self, known: usize) -> Vec<ClassCost> {
        let cost =
            |class| ClassCost { class: class as u32, cost: self.of(class), count: self.count_of(class) };
        (0..known).map(cost).collect()
    }

    /// The counts for a readable state, if there are any.
    pub(crate) fn state(&self) -> Option<Value> {
        let stored = || self.counts.iter().map(|count| stored_count(*count, &self.declared)).collect();
        self.declared.balanced.then(stored)
    }

    /// Takes over what [`Self::state`] gave, and says whether it could.
    pub(crate) fn restore(&mut self, state: &Value) -> bool {
        if !self.declared.balanced {
            return true;
        }
        let counts = state.as_array().and_then(|counts| counts.iter().map(read_count).collect());
        let Some(counts): Option<Vec<f64>> = counts else { return false };
        self.counts = counts;
        self.sum_up();
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rare_classes_are_dear_and_weights_multiply() {
        let declared = Costs { balanced: true, balance_prior: 1.0, ..Costs::default() };
        let mut costs = RunningClassCosts::new(declared, ClassWeights::new(vec![1.0, 3.0]));
        assert_eq!((costs.of(0), costs.of(1), costs.of(7)), (1.0, 3.0, 1.0));
        (0..5).for_each(|_| costs.count(0));
        costs.count(1);
        // Two classes were seen: (6/2 + 1) / (count + 1).
        assert_eq!((costs.of(0), costs.of(1)), (4.0 / 6.0, 3.0 * 4.0 / 2.0));
        // A third makes it (6/3 + 1) / 1; the range is of those that were seen.
        assert_eq!(costs.of(2), 3.0);
        assert_eq!(costs.range(0, 9), CostRange { least: 4.0 / 6.0, greatest: 6.0 });
        let mut same = RunningClassCosts::new(declared, costs.weights.clone());
        assert!(same.restore(&costs.state().unwrap()) && !same.restore(&Value::Null));
        assert_eq!(same.all(3), costs.all(3));
    }
}
