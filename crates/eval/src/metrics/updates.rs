//! How often the weights changed, and how many there are.

use crate::examples::{Example, Examples};
use crate::metric::{Better, Entry, Format, Measure, Metric, Place, Scope};
use crate::totals::Totals;

pub(super) const UPDATES: Entry = Entry {
    name: "updates",
    title: "updates",
    doc: "Learning: number of examples that changed the weights, whatever their importance",
    format: Format::Count,
    better: Better::Neither,
    scope: Scope::Learning,
    place: Place::LastLine,
    measure: Measure::Examples(|| Box::new(Updates { examples: 0 })),
};

pub(super) const NONZEROS: Entry = Entry {
    name: "nonzeros",
    title: "non-zero weights",
    doc: "Learning: number of weights that are not zero, as the caller says; lines of progress and reports of runs have it anyway",
    format: Format::Count,
    better: Better::Lower,
    scope: Scope::Learning,
    place: Place::Elsewhere,
    measure: Measure::Totals(|totals, _| totals.nonzeros.map(|nonzeros| nonzeros as f64)),
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
