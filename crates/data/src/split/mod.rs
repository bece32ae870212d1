//! An input in pieces: whole records of text, or batches of rows.

pub(crate) mod array_items;
#[cfg(feature = "columns")]
pub(crate) mod arrow_messages;
pub(crate) mod line;
#[cfg(not(feature = "columns"))]
pub(crate) mod no_row_batches;
#[cfg(feature = "columns")]
mod parquet_pages;
pub(crate) mod record_ends;
#[cfg(feature = "columns")]
pub(crate) mod row_batches;
pub(crate) mod row_format;
pub(crate) mod table_start;
pub(crate) mod text_pieces;

#[cfg(not(feature = "columns"))]
pub(crate) use no_row_batches as row_batches;

use row_batches::RecordBatch;
use row_format::RowFormat;
use text_pieces::{Layout, TextPiece};

/// How an input becomes pieces.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Splitting {
    /// It is text with records of this layout.
    Text(Layout),
    /// It is columns.
    Rows(RowFormat),
}

/// A part of one input that is to be parsed.
pub(crate) enum Piece {
    /// Records of text.
    Text(TextPiece),
    /// Rows of a format that has no text.
    Rows(RecordBatch),
}
