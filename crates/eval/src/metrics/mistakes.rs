//! How many examples there were, and how many were predicted wrongly.

use crate::metric::{Better, Entry, Format, Measure, Place, Scope};

pub(super) const EXAMPLES: Entry = Entry {
    name: "examples",
    title: "examples",
    doc: "Number of labelled examples, whatever their importance",
    format: Format::Count,
    better: Better::Neither,
    scope: Scope::Any,
    place: Place::JsonOnly,
    measure: Measure::Totals(|totals, _| Some(totals.examples as f64)),
};

pub(super) const MISTAKES: Entry = Entry {
    name: "mistakes",
    title: "mistakes",
    doc: "Wrong predictions",
    format: Format::Count,
    better: Better::Lower,
    scope: Scope::Any,
    place: Place::Line,
    measure: Measure::Totals(|totals, _| Some(totals.confusion.mistakes())),
};

pub(super) const ERROR: Entry = Entry {
    name: "error",
    title: "error",
    doc: "Share of wrong predictions",
    format: Format::Share,
    better: Better::Lower,
    scope: Scope::Any,
    place: Place::Line,
    measure: Measure::Totals(|totals, _| totals.confusion.error()),
};

pub(super) const ACCURACY: Entry = Entry {
    name: "accuracy",
    title: "accuracy",
    doc: "On request: share of right predictions",
    format: Format::Share,
    better: Better::Higher,
    scope: Scope::Any,
    place: Place::OnRequest,
    measure: Measure::Totals(|totals, _| totals.confusion.accuracy()),
};
