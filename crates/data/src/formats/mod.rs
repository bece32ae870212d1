//! The formats, one file each.

#[cfg(feature = "columns")]
pub(crate) mod arrow;
#[cfg(feature = "columns")]
mod arrow_faults;
#[cfg(feature = "columns")]
mod arrow_sparse;
#[cfg(feature = "columns")]
mod arrow_values;
#[cfg(feature = "columns")]
mod arrow_vectors;
#[cfg(feature = "columns")]
mod arrow_writer;
pub(crate) mod columnar;
mod csv;
mod csv_writer;
pub(crate) mod dates;
mod decimal;
mod decimal_comma;
mod header;
mod json_string;
pub(crate) mod jsonl;
mod jsonl_writer;
pub(crate) mod libsvm;
pub(crate) mod listing;
pub(crate) mod missing;
mod plain;
pub(crate) mod record;
pub(crate) mod roles;
pub(crate) mod sink;
pub(crate) mod table;
#[cfg(test)]
mod testing;
pub(crate) mod vw;
pub(crate) mod written;
