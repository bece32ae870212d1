//! The mean of a figure of each example.

use crate::examples::{Example, Examples};
use crate::metric::Metric;
use crate::totals::Totals;

/// The mean of a figure of each example, weighted by importance.
pub(super) struct Mean {
    figure: fn(&Example) -> f64,
    sum: f64,
}

impl Mean {
    pub(super) fn of(figure: fn(&Example) -> f64) -> Self {
        Self { figure, sum: 0.0 }
    }
}

impl Metric for Mean {
    fn observe(&mut self, examples: Examples) {
        for example in examples.iter() {
            self.sum += example.importance * (self.figure)(&example);
        }
    }

    fn value(&self, totals: &Totals) -> Option<f64> {
        totals.mean(self.sum)
    }
}
