//! Metrics of a positive and a negative class.

use crate::metric::{Better, Declared, Entry, Format, Measure, Parameter, Place, Scope};

const POSITIVE: u32 = 1;

pub(super) const MISSED: Entry = Entry {
    name: "missed",
    title: "missed",
    doc: "Two classes: positives predicted as negative (false negatives)",
    format: Format::Count,
    better: Better::Lower,
    scope: Scope::TwoClasses,
    place: Place::Beside("mistakes"),
    measure: Measure::Totals(|totals, _| Some(totals.confusion.missed())),
};

pub(super) const FALSE_ALARMS: Entry = Entry {
    name: "false_alarms",
    title: "false alarms",
    doc: "Two classes: negatives predicted as positive (false positives)",
    format: Format::Count,
    better: Better::Lower,
    scope: Scope::TwoClasses,
    place: Place::Beside("mistakes"),
    measure: Measure::Totals(|totals, _| Some(totals.confusion.false_alarms())),
};

pub(super) const SENSITIVITY: Entry = Entry {
    name: "sensitivity",
    title: "sensitivity",
    doc: "Two classes: share of the positives that were predicted as positive",
    format: Format::Share,
    better: Better::Higher,
    scope: Scope::TwoClasses,
    place: Place::Line,
    measure: Measure::Totals(|totals, _| totals.confusion.sensitivity()),
};

pub(super) const SPECIFICITY: Entry = Entry {
    name: "specificity",
    title: "specificity",
    doc: "Two classes: share of the negatives that were predicted as negative",
    format: Format::Share,
    better: Better::Higher,
    scope: Scope::TwoClasses,
    place: Place::Line,
    measure: Measure::Totals(|totals, _| totals.confusion.specificity()),
};

pub(super) const SUM: Entry = Entry {
    name: "sum",
    title: "sum",
    doc: "Two classes, declared weight or on request: weight · sensitivity + (1 − weight) · specificity, with a weight of 0.5 unless another is declared",
    format: Format::Share,
    better: Better::Higher,
    scope: Scope::TwoClasses,
    place: Place::LineIf(Declared::SumWeight),
    measure: Measure::Totals(|totals, context| totals.confusion.sum(context.sum_weight.unwrap_or(0.5))),
};

pub(super) const PRECISION: Entry = Entry {
    name: "precision",
    title: "precision",
    doc: "Two classes, on request: share of the predicted positives that are positive",
    format: Format::Share,
    better: Better::Higher,
    scope: Scope::TwoClasses,
    place: Place::OnRequest,
    measure: Measure::Totals(|totals, _| totals.confusion.precision(POSITIVE)),
};

pub(super) const RECALL: Entry = Entry {
    name: "recall",
    title: "recall",
    doc: "Two classes, on request: the same as `sensitivity`",
    format: Format::Share,
    better: Better::Higher,
    scope: Scope::TwoClasses,
    place: Place::OnRequest,
    measure: Measure::Totals(|totals, _| totals.confusion.recall(POSITIVE)),
};

pub(super) const F1: Entry = Entry {
    name: "f1",
    title: "F1",
    doc: "Two classes, on request: harmonic mean of precision and recall",
    format: Format::Share,
    better: Better::Higher,
    scope: Scope::TwoClasses,
    place: Place::OnRequest,
    measure: Measure::Totals(|totals, _| totals.confusion.f1(POSITIVE)),
};

pub(super) const F_BETA: Entry = Entry {
    name: "f<beta>",
    title: "F<beta>",
    doc: "Two classes, on request: the same with recall counting beta times as much as precision, for any beta, as in `f2` and `f0.5`",
    format: Format::Share,
    better: Better::Higher,
    scope: Scope::TwoClasses,
    place: Place::OnRequest,
    measure: Measure::TotalsFor(Parameter::Positive, |totals, beta| totals.confusion.f_beta(POSITIVE, beta)),
};

pub(super) const GEOMETRIC_MEAN: Entry = Entry {
    name: "geometric_mean",
    title: "geometric mean",
    doc: "Two classes, on request: geometric mean of sensitivity and specificity",
    format: Format::Share,
    better: Better::Higher,
    scope: Scope::TwoClasses,
    place: Place::OnRequest,
    measure: Measure::Totals(|totals, _| totals.confusion.geometric_mean()),
};
