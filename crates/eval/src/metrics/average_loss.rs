//! The mean loss.

use crate::metric::{Better, Entry, Format, Measure, Place, Scope};

pub(super) const AVERAGE_LOSS: Entry = Entry {
    name: "average_loss",
    title: "average loss",
    doc: "Mean of the losses that the learner saw; of the hinge losses, if examples were only scored",
    format: Format::Mean,
    better: Better::Lower,
    scope: Scope::Any,
    place: Place::LastLine,
    measure: Measure::Totals(|totals, _| totals.average_loss()),
};
