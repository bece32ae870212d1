//! What most metrics follow from, summed once for all of them.

use crate::confusion::Confusion;
use crate::examples::Examples;

/// Sums over all examples so far.
#[derive(Clone, Debug, Default)]
pub struct Totals {
    /// Number of labelled examples, whatever their importance.
    pub examples: u64,
    /// The confusion matrix, in which each example counts as much as its importance says.
    pub confusion: Confusion,
    /// The same where each example counts as much as its importance times what an error on it costs; nothing if all cost 1.
    pub priced: Option<Confusion>,
    /// Sum of importance × loss; infinite if it is too large for a number.
    pub loss: f64,
    /// Number of weights that are not zero, as the caller said last.
    pub nonzeros: Option<u64>,
}

impl Totals {
    /// Adds the examples of a batch.
    pub(crate) fn observe(&mut self, examples: Examples) {
        if examples.have_costs() || self.priced.is_some() {
            self.observe_costs(examples);
        }
        for example in examples.iter() {
            self.examples += 1;
            self.confusion.add(example.truth, example.predicted, example.importance);
            self.loss += example.importance * example.loss();
        }
    }

    fn observe_costs(&mut self, examples: Examples) {
        let priced = self.priced.get_or_insert_with(|| self.confusion.clone());
        for (example, cost) in examples.with_costs() {
            priced.add(example.truth, example.predicted, example.importance * cost);
        }
    }

    /// The confusion matrix from which costs follow.
    pub fn priced(&self) -> &Confusion {
        self.priced.as_ref().unwrap_or(&self.confusion)
    }

    /// Mean loss; none before the first example that has importance.
    pub fn average_loss(&self) -> Option<f64> {
        self.mean(self.loss)
    }

    /// The mean that belongs to a sum of importance × value; none before the first example that has importance, and none of a sum that
    /// is not a number.
    pub fn mean(&self, sum: f64) -> Option<f64> {
        let importance = self.confusion.total();
        (importance > 0.0 && !sum.is_nan()).then(|| (sum / importance).min(f64::MAX))
    }
}
