//! What is done to every example before it is learned from.

mod merging;
mod norm;
pub(crate) mod preparation;
pub(crate) mod scales;
pub(crate) mod typical;
mod unit_length;

pub(crate) use merging::ScaleGain;
pub use norm::Norm;
pub use preparation::Prepare;
pub use scales::{Scale, Scales};
