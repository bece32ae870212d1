//! How what several learners have learned becomes one learner.
//!
//! Shards of a stream are learned side by side, each from a copy of the same base ([`share`](crate::learner::Merge::share)). What each has gained since
//! ([`gain`](crate::learner::Merge::gain)) is a table of sums, so gains add up in any order, and nothing is the gain of an untouched copy. The base with the sum of all gains
//! ([`take_in`](crate::learner::Merge::take_in)) is what they have learned together. How a cell becomes sums is its learner's [`Merging`]:
//!
//! ```text
//! beliefs   each of n shards begins with the base's precision, divided by n^⅝
//!           λ ← λ + Σ (λᵢ − λ/n^⅝)                 what they gain in precision adds up
//!           μ ← μ + α Σ λᵢ (μᵢ − μ) / λ            and so do precisions times means; α is 1, and less
//!                                                  where shards have made the same corrections
//! means     x ← x + Σ nᵢ (xᵢ − x) / Σ nᵢ           over the shards that changed the feature, nᵢ examples each
//! ```
//!
//! Means are over those shards only that have changed a feature: others have nothing to say of it, and would shrink what is rare. What a rule keeps in
//! common for all cells (a clock, a ledger of penalties) is averaged as its weights are. docs/design/2026-11-19-merging.md has the reasons.

mod cells;
mod gain;
mod linear;
mod merging;

pub(crate) use cells::{Cells, CellsByFeature, gain_of_common, join_common};
pub use gain::{DamagedGain, Gain};
pub use merging::{Merging, Numbering, SameNumbers, Unmergeable};
