//! How often the weights changed.

use crate::examples::{Example, Examples};
use crate::metric::{Entry, Format, Metric, Place, Scope};
use crate::totals::Totals;

pub(super) const UPDATES: Entry = Entry {
    name: "updates",
    title: "updates",
    doc: "Learning: number of examples that changed the weights, whatever their importance",
    format: Format::Count,
    scope: Scope::Learning,
    place: Place::LastLine,
    start: |_| Box::new(Updates { examples: 0 }),
};

/// A plain count, as that of a model.
struct Updates {
    examples: usize,
}

impl Metric for Updates {
    fn observe(&mut self, examples: Examples) {
        self.examples += examples.iter().filter(Example::updated).count();
    }

    fn value(&self, _: &Totals) -> Option<f64> {
        Some(self.examples as f64)
    }
}
