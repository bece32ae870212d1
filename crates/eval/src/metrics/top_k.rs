//! How often the true class is among those with the highest scores.

use crate::examples::{Example, Examples};
use crate::metric::{Better, Entry, Format, Measure, Metric, Parameter, Place, Scope};
use crate::totals::Totals;

pub(super) const TOP_K: Entry = Entry {
    name: "top_<k>",
    title: "top-<k> accuracy",
    doc: "Many classes, on request: share of the examples whose class is among the k with the highest scores, as in `top_3`; of equal scores, the first is higher",
    format: Format::Share,
    better: Better::Higher,
    scope: Scope::ManyClasses,
    place: Place::OnRequest,
    measure: Measure::ExamplesFor(Parameter::Whole, |k| Box::new(TopK { k, found: 0.0 })),
};

struct TopK {
    k: f64,
    found: f64,
}

impl Metric for TopK {
    fn observe(&mut self, examples: Examples) {
        let found =
            examples.iter().filter(|example| rank(example).is_some_and(|rank| (rank as f64) < self.k));
        self.found += found.map(|example| example.importance).sum::<f64>();
    }

    fn value(&self, totals: &Totals) -> Option<f64> {
        totals.mean(self.found)
    }
}

/// How many classes have higher scores than the true one; none if the class was not known by then.
fn rank(example: &Example) -> Option<usize> {
    let (scores, truth) = (example.scores(), example.truth as usize);
    let own = *scores.get(truth)?;
    let first = scores[..truth].iter().filter(|score| **score >= own).count();
    Some(first + scores[truth..].iter().filter(|score| **score > own).count())
}
