//! Batches back to files.

pub(crate) mod writer;
