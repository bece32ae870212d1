//! What mistakes cost.

use crate::metric::{Entry, Format, Place, Scope};
use crate::totals::Totals;

pub(super) const COST: Entry = Entry {
    name: "cost",
    title: "cost",
    doc: "Two classes, declared costs: what the mistakes cost",
    format: Format::Number,
    scope: Scope::Costs,
    place: Place::Line,
    start: |context| {
        let costs = context.costs;
        Box::new(move |totals: &Totals| Some(totals.confusion.cost(&costs)))
    },
};
