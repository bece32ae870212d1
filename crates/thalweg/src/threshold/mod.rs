//! Where the line between the classes is drawn: a threshold that is steered towards a [`Target`] on the way through a stream.
//!
//! Two things work together. A sketch of the scores of late says which threshold would have met the target. A level, which falls with every error
//! that should not have been made, makes up for what the sketch gets wrong. docs/design/2026-11-18-thresholds.md has the theory and the figures.

mod cuts;
mod level;
pub(crate) mod score_sketch;
mod target;
mod tuner;

pub use target::{Target, TargetError};
pub use tuner::{TargetStatus, ThresholdTuner};

#[cfg(test)]
mod tests;
