//! Learners that take their examples by the batch: they look at all of one before they move.
//!
//! [`Batched`] gathers the examples and is the [`Learner`](crate::Learner); a [`Solver`] turns a batch and what is known
//! from the batches before into what is known after it.

mod estimate;
mod examples;
mod group_penalty;
mod groups;
mod learner;
mod size;
mod square;
mod svm_loss;

pub use estimate::{Block, Estimate};
pub use examples::{Examples, Rows, Sparse};
pub(crate) use group_penalty::{GroupFactors, shrink_groups};
pub(crate) use groups::{Groups, covariances};
pub use learner::{Batched, Solver};
pub use size::Auto;
pub use square::Square;
pub use svm_loss::SvmLoss;
