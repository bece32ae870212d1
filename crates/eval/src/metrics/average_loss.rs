//! The mean loss.

use crate::metric::{Entry, Format, Place, Scope};
use crate::totals::Totals;

pub(super) const AVERAGE_LOSS: Entry = Entry {
    name: "average_loss",
    title: "average loss",
    doc: "Mean of the losses that the learner saw; of the hinge losses, if examples were only scored",
    format: Format::Mean,
    scope: Scope::Any,
    place: Place::LastLine,
    start: |_| Box::new(Totals::average_loss),
};
