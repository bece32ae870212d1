//! Where bytes come from: files and standard input, plain or compressed.

pub(crate) mod compression;
pub(crate) mod encoding;
pub(crate) mod input;
