//! Learners that are not per feature: what they remember does not fall apart into cells.

mod full;
pub mod sketch;
pub(crate) mod slots;
mod symmetric;

pub use full::{Full, Shift, Whole, WithCovariance};
