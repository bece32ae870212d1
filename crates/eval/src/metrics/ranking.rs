//! How well scores put positives above negatives, whatever the threshold.

use crate::curves::Scores;
use crate::metric::{Better, Entry, Format, Measure, Place, Scope};

pub(super) const ROC_AUC: Entry = Entry {
    name: "roc_auc",
    title: "ROC AUC",
    doc: "Two classes, on request: area under the ROC curve, the share of the pairs of a positive and a negative in which the positive has the higher score (a tie counts half)",
    format: Format::Decimal,
    better: Better::Higher,
    scope: Scope::TwoClasses,
    place: Place::OnRequest,
    measure: Measure::Scores(Scores::roc_auc),
};

pub(super) const AVERAGE_PRECISION: Entry = Entry {
    name: "average_precision",
    title: "average precision",
    doc: "Two classes, on request: mean over the positives of the precision at their score, which is the area under the precision-recall curve",
    format: Format::Decimal,
    better: Better::Higher,
    scope: Scope::TwoClasses,
    place: Place::OnRequest,
    measure: Measure::Scores(Scores::average_precision),
};
