//! What is known of features and labels by several who read side by side, as what one knows.

mod features;
mod labels;
mod names;

pub use features::{FeatureGain, NewNumbers};
pub use labels::{LabelConflict, join_many, join_two};
pub use names::{GainNumbers, NewNames};
