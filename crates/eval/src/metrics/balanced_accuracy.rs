//! The mean recall of the classes.

use crate::metric::{Entry, Format, Place, Scope};
use crate::totals::Totals;

pub(super) const BALANCED_ACCURACY: Entry = Entry {
    name: "balanced_accuracy",
    title: "balanced accuracy",
    doc: "Mean of the recalls of the classes; with two classes, of sensitivity and specificity",
    format: Format::Share,
    scope: Scope::Any,
    place: Place::Line,
    start: |_| Box::new(|totals: &Totals| totals.confusion.balanced_accuracy()),
};
