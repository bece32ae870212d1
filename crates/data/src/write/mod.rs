//! Batches back to files of every format.

pub(crate) mod compressed_file;
pub(crate) mod writer;

pub use writer::{Dictionary, Writer};
