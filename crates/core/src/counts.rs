//! What a learner has done so far, as numbers.

use serde::{Deserialize, Serialize};

/// What a learner has done so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Counts {
    /// Examples learned from.
    pub examples: u64,
    /// Examples that moved the weights.
    pub updates: u64,
    /// Examples refused because their update would not have been finite.
    pub rejected: u64,
}
