//! Which examples are kept, and which of several parts they go to.
//!
//! The examples of each class are counted in a first pass. In the second one each of them draws a lot, without replacement: so counts are exact, every
//! choice with these counts is equally likely, and nothing is held in memory.

mod apportion;
mod class_counts;
mod lots;
mod wanted;

pub use class_counts::ClassCounts;
pub use lots::Lots;
pub use wanted::{Amount, Subset};
