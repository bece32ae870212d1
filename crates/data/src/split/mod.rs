//! An input in pieces: whole records of text, or batches of rows.

mod arrow_messages;
mod parquet_pages;
pub(crate) mod pieces;
pub(crate) mod record_ends;
pub(crate) mod row_batches;
