//! The mean recall of the classes.

use crate::metric::{Better, Entry, Format, Measure, Place, Scope};

pub(super) const BALANCED_ACCURACY: Entry = Entry {
    name: "balanced_accuracy",
    title: "balanced accuracy",
    doc: "Mean of the recalls of the classes; with two classes, of sensitivity and specificity",
    format: Format::Share,
    better: Better::Higher,
    scope: Scope::Any,
    place: Place::Line,
    measure: Measure::Totals(|totals, _| totals.confusion.balanced_accuracy()),
};
