//! What is done to every example before it is learned from.

pub(crate) mod preparation;
pub(crate) mod scales;
pub(crate) mod typical;
mod unit_length;

pub use preparation::{Norm, Prepare};
pub use scales::{Scale, Scales};
