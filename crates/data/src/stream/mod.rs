//! Pieces back in order: the stream of examples that a learner reads.

pub(crate) mod assembler;
pub(crate) mod bad_lines;
pub(crate) mod example_stream;
pub(crate) mod in_memory;
pub(crate) mod in_order;
pub(crate) mod milestones;
pub(crate) mod pass_order;
pub(crate) mod position;
pub(crate) mod reader;

pub use bad_lines::{BadLine, BadLineLimit, BadLinePolicy, SHOWN};
pub use milestones::{Milestones, NoMilestones};
pub use pass_order::PassOrder;
