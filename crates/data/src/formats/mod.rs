//! The formats, one file each.

pub(crate) mod arrow;
mod arrow_sparse;
mod arrow_values;
pub(crate) mod arrow_writer;
pub(crate) mod csv;
pub(crate) mod csv_writer;
mod decimal;
mod json_string;
pub(crate) mod jsonl;
pub(crate) mod jsonl_writer;
pub(crate) mod libsvm;
mod plain;
pub(crate) mod record;
pub(crate) mod roles;
pub(crate) mod sink;
#[cfg(test)]
mod testing;
pub(crate) mod vw;
pub(crate) mod written;
