//! Batches back to files of every format.

pub(crate) mod compressed_file;
pub(crate) mod destination;
pub(crate) mod writer;

pub use destination::{Destination, RandomOrder, Written, part_path};
pub use writer::{Dictionary, Writer};
