//! Learners that are not per feature: what they remember does not fall apart into cells.

mod full;
pub(crate) mod sketch;
mod symmetric;

pub use full::{Full, FullRule, FullStep, WithCovariance};
