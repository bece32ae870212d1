//! Learners that take their examples by the batch: they look at all of one before they move.
//!
//! [`Batched`] gathers the examples and is the [`Learner`](crate::Learner); a [`Solver`] turns a batch and what is known
//! from the batches before into what is known after it.

mod examples;
mod groups;
mod knowledge;
mod learner;
mod levels;
mod size;
mod slack;
mod square;

pub use examples::{Examples, Rows, Sparse};
pub use groups::Group;
pub(crate) use groups::{Groups, covariances};
pub use knowledge::{Block, Knowledge};
pub use learner::{Batched, Solver};
pub(crate) use levels::{Levels, shrink_groups};
pub use size::Auto;
pub use slack::Slack;
pub use square::Square;
