//! Models that merge: what several have learned from shards of a stream becomes one model.
//!
//! docs/design/2026-11-19-merging.md has the algebra, docs/guide/scaling.md the figures.

mod delta;
mod delta_error;
mod model;
mod pooled;
mod shards;
mod side_by_side;
mod tree;

pub use delta::Delta;
pub use delta_error::DeltaError;
pub use shards::{learn_shard, train_shards};
pub(crate) use side_by_side::side_by_side;
pub use tree::merge_deltas;
