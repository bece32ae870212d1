//! Metrics of a positive and a negative class.

use crate::confusion::Confusion;
use crate::metric::{Entry, Format, Metric, Place, Scope};
use crate::totals::Totals;

const POSITIVE: u32 = 1;

fn share(value: impl Fn(&Confusion) -> Option<f64> + Send + 'static) -> Box<dyn Metric> {
    Box::new(move |totals: &Totals| value(&totals.confusion))
}

pub(super) const MISSED: Entry = Entry {
    name: "missed",
    title: "missed",
    doc: "Two classes: positives predicted as negative (false negatives)",
    format: Format::Count,
    scope: Scope::TwoClasses,
    place: Place::Beside("mistakes"),
    start: |_| Box::new(|totals: &Totals| Some(totals.confusion.missed())),
};

pub(super) const FALSE_ALARMS: Entry = Entry {
    name: "false_alarms",
    title: "false alarms",
    doc: "Two classes: negatives predicted as positive (false positives)",
    format: Format::Count,
    scope: Scope::TwoClasses,
    place: Place::Beside("mistakes"),
    start: |_| Box::new(|totals: &Totals| Some(totals.confusion.false_alarms())),
};

pub(super) const SENSITIVITY: Entry = Entry {
    name: "sensitivity",
    title: "sensitivity",
    doc: "Two classes: share of the positives that were predicted as positive",
    format: Format::Share,
    scope: Scope::TwoClasses,
    place: Place::Line,
    start: |_| share(Confusion::sensitivity),
};

pub(super) const SPECIFICITY: Entry = Entry {
    name: "specificity",
    title: "specificity",
    doc: "Two classes: share of the negatives that were predicted as negative",
    format: Format::Share,
    scope: Scope::TwoClasses,
    place: Place::Line,
    start: |_| share(Confusion::specificity),
};

pub(super) const PRECISION: Entry = Entry {
    name: "precision",
    title: "precision",
    doc: "Two classes, on request: share of the predicted positives that are positive",
    format: Format::Share,
    scope: Scope::TwoClasses,
    place: Place::OnRequest,
    start: |_| share(|confusion| confusion.precision(POSITIVE)),
};

pub(super) const RECALL: Entry = Entry {
    name: "recall",
    title: "recall",
    doc: "Two classes, on request: the same as `sensitivity`",
    format: Format::Share,
    scope: Scope::TwoClasses,
    place: Place::OnRequest,
    start: |_| share(|confusion| confusion.recall(POSITIVE)),
};

pub(super) const F1: Entry = Entry {
    name: "f1",
    title: "F1",
    doc: "Two classes, on request: harmonic mean of precision and recall",
    format: Format::Share,
    scope: Scope::TwoClasses,
    place: Place::OnRequest,
    start: |_| share(|confusion| confusion.f1(POSITIVE)),
};
