//! The mean hinge loss.

use crate::examples::Example;
use crate::metric::{Better, Entry, Format, Measure, Place, Scope};
use crate::metrics::mean::Mean;

pub(super) const HINGE_LOSS: Entry = Entry {
    name: "hinge_loss",
    title: "hinge loss",
    doc: "On request: mean of the hinge losses of the scores, whatever loss the learner saw",
    format: Format::Decimal,
    better: Better::Lower,
    scope: Scope::Any,
    place: Place::OnRequest,
    measure: Measure::Examples(|| Box::new(Mean::of(hinge_loss))),
};

fn hinge_loss(example: &Example) -> f64 {
    example.hinge_loss()
}
