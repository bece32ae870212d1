//! How numbers are written.

use serde::{Deserialize, Serialize};

/// How the values of a metric, and the marks of an axis, are written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Unit {
    /// As percentages: 0.125 is `12.5 %`.
    #[default]
    Share,
    /// As they are.
    Number,
}
