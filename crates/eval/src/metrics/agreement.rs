//! How far predictions agree with the truth beyond chance.

use crate::metric::{Better, Entry, Format, Measure, Place, Scope};

pub(super) const MATTHEWS_CORRCOEF: Entry = Entry {
    name: "matthews_corrcoef",
    title: "correlation (MCC)",
    doc: "On request: correlation of the true and the predicted class; 0 if one class is always predicted",
    format: Format::Decimal,
    better: Better::Higher,
    scope: Scope::Any,
    place: Place::OnRequest,
    measure: Measure::Totals(|totals, _| totals.confusion.matthews_corrcoef()),
};

pub(super) const COHEN_KAPPA: Entry = Entry {
    name: "cohen_kappa",
    title: "Cohen's kappa",
    doc: "On request: 1 − mistakes / mistakes of the same predictions given to random examples",
    format: Format::Decimal,
    better: Better::Higher,
    scope: Scope::Any,
    place: Place::OnRequest,
    measure: Measure::Totals(|totals, _| totals.confusion.cohen_kappa()),
};
