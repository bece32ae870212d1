//! How many examples there were, and how many were predicted wrongly.

use crate::metric::{Entry, Format, Place, Scope};
use crate::totals::Totals;

pub(super) const EXAMPLES: Entry = Entry {
    name: "examples",
    title: "examples",
    doc: "Number of labelled examples, whatever their importance",
    format: Format::Count,
    scope: Scope::Any,
    place: Place::JsonOnly,
    start: |_| Box::new(|totals: &Totals| Some(totals.examples as f64)),
};

pub(super) const MISTAKES: Entry = Entry {
    name: "mistakes",
    title: "mistakes",
    doc: "Wrong predictions",
    format: Format::Count,
    scope: Scope::Any,
    place: Place::Line,
    start: |_| Box::new(|totals: &Totals| Some(totals.confusion.mistakes())),
};

pub(super) const ERROR: Entry = Entry {
    name: "error",
    title: "error",
    doc: "Share of wrong predictions",
    format: Format::Share,
    scope: Scope::Any,
    place: Place::Line,
    start: |_| Box::new(|totals: &Totals| totals.confusion.error()),
};
