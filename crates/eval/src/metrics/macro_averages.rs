//! Averages over many classes.

use crate::metric::{Better, Entry, Format, Measure, Place, Scope};

pub(super) const MACRO_PRECISION: Entry = Entry {
    name: "macro_precision",
    title: "macro precision",
    doc: "Many classes: mean of the precisions of the classes that came; 0 for a class that was never predicted",
    format: Format::Share,
    better: Better::Higher,
    scope: Scope::ManyClasses,
    place: Place::Line,
    measure: Measure::Totals(|totals, _| totals.confusion.macro_precision()),
};

pub(super) const MACRO_RECALL: Entry = Entry {
    name: "macro_recall",
    title: "macro recall",
    doc: "Many classes: mean of the recalls of the classes that came, the same as `balanced_accuracy`",
    format: Format::Share,
    better: Better::Higher,
    scope: Scope::ManyClasses,
    place: Place::JsonOnly,
    measure: Measure::Totals(|totals, _| totals.confusion.balanced_accuracy()),
};

pub(super) const MACRO_F1: Entry = Entry {
    name: "macro_f1",
    title: "macro F1",
    doc: "Many classes: mean of the F1 of the classes that came",
    format: Format::Share,
    better: Better::Higher,
    scope: Scope::ManyClasses,
    place: Place::Line,
    measure: Measure::Totals(|totals, _| totals.confusion.macro_f1()),
};

// Summed over all classes, false positives and false negatives are both the mistakes, so that the micro averages of
// precision, recall and F1 are one number.
pub(super) const MICRO_PRECISION: Entry = Entry {
    name: "micro_precision",
    title: "micro precision",
    doc: "Many classes, on request: the same as `micro_f1`",
    format: Format::Share,
    better: Better::Higher,
    scope: Scope::ManyClasses,
    place: Place::OnRequest,
    measure: Measure::Totals(|totals, _| totals.confusion.accuracy()),
};

pub(super) const MICRO_RECALL: Entry = Entry {
    name: "micro_recall",
    title: "micro recall",
    doc: "Many classes, on request: the same as `micro_f1`",
    format: Format::Share,
    better: Better::Higher,
    scope: Scope::ManyClasses,
    place: Place::OnRequest,
    measure: Measure::Totals(|totals, _| totals.confusion.accuracy()),
};

pub(super) const MICRO_F1: Entry = Entry {
    name: "micro_f1",
    title: "micro F1",
    doc: "Many classes: F1 of the sums over all classes, which is 1 − `error`",
    format: Format::Share,
    better: Better::Higher,
    scope: Scope::ManyClasses,
    place: Place::JsonOnly,
    measure: Measure::Totals(|totals, _| totals.confusion.error().map(|error| 1.0 - error)),
};

pub(super) const WEIGHTED_F1: Entry = Entry {
    name: "weighted_f1",
    title: "weighted F1",
    doc: "Many classes, on request: mean of the F1 of the classes, each counting as much as its examples",
    format: Format::Share,
    better: Better::Higher,
    scope: Scope::ManyClasses,
    place: Place::OnRequest,
    measure: Measure::Totals(|totals, _| totals.confusion.weighted_f1()),
};
