//! What mistakes cost.

use crate::metric::{Better, Declared, Entry, Format, Measure, Place, Scope};

pub(super) const COST: Entry = Entry {
    name: "cost",
    title: "cost",
    doc: "Two classes, declared costs or on request: what the mistakes cost",
    format: Format::Amount,
    better: Better::Lower,
    scope: Scope::TwoClasses,
    place: Place::LineIf(Declared::Costs),
    measure: Measure::Totals(|totals, context| Some(totals.priced().cost(&context.costs))),
};

pub(super) const OF_FLAGGING_NOTHING: Entry = Entry {
    name: "cost_of_flagging_nothing",
    title: "flagging nothing",
    doc: "Beside `cost`: what it would cost to predict every example as negative",
    format: Format::Amount,
    better: Better::Neither,
    scope: Scope::TwoClasses,
    place: Place::Beside("cost"),
    measure: Measure::Totals(|totals, context| {
        Some(totals.priced().cost_of_flagging_nothing(&context.costs))
    }),
};

pub(super) const OF_FLAGGING_EVERYTHING: Entry = Entry {
    name: "cost_of_flagging_everything",
    title: "flagging everything",
    doc: "Beside `cost`: what it would cost to predict every example as positive",
    format: Format::Amount,
    better: Better::Neither,
    scope: Scope::TwoClasses,
    place: Place::Beside("cost"),
    measure: Measure::Totals(|totals, context| {
        Some(totals.priced().cost_of_flagging_everything(&context.costs))
    }),
};
