//! Parquet and Arrow as formats; their rows are read by `arrow.rs` and written by `arrow_writer.rs`.

#[cfg(feature = "columns")]
use super::arrow_writer::ColumnWriter;
use super::listing::{ColumnarFormat, ListedFormat, Recognition, WriterSettings};
use super::written::{FormatWriter, WriteFault};
#[cfg(not(feature = "columns"))]
use crate::split::row_batches::unsupported;
use crate::split::row_format::{ARROW, ARROW_STREAM, PARQUET, RowFormat};

/// Columns, compressed, in groups of rows.
pub(crate) struct Parquet;

/// Columns as Arrow has them in memory: a file or a stream.
pub(crate) struct Arrow;

impl ListedFormat for Parquet {
    const NAME: &'static str = "parquet";
    const TITLE: &'static str = RowFormat::Parquet.title();
    const ENDINGS: &'static [&'static str] = &["parquet", "pq"];

    fn recognize(beginning: &[u8]) -> Recognition {
        Recognition::certain_if(beginning.starts_with(PARQUET))
    }

    fn writer(settings: &WriterSettings) -> Result<Box<dyn FormatWriter>, WriteFault> {
        column_writer(RowFormat::Parquet, false, settings)
    }
}

impl ColumnarFormat for Parquet {
    const ROWS: RowFormat = RowFormat::Parquet;
}

impl ListedFormat for Arrow {
    const NAME: &'static str = "arrow";
    const TITLE: &'static str = RowFormat::Arrow.title();
    const ENDINGS: &'static [&'static str] = &["arrow", "ipc", "feather", STREAM];

    fn recognize(beginning: &[u8]) -> Recognition {
        Recognition::certain_if(beginning.starts_with(ARROW) || beginning.starts_with(ARROW_STREAM))
    }

    fn writer(settings: &WriterSettings) -> Result<Box<dyn FormatWriter>, WriteFault> {
        let name = settings.file.to_ascii_lowercase();
        let is_stream = name.split('.').skip(1).any(|part| part == STREAM);
        column_writer(RowFormat::Arrow, is_stream, settings)
    }
}

impl ColumnarFormat for Arrow {
    const ROWS: RowFormat = RowFormat::Arrow;
}

/// How the names of streams end.
const STREAM: &str = "arrows";

#[cfg(feature = "columns")]
fn column_writer(
    format: RowFormat,
    is_stream: bool,
    settings: &WriterSettings,
) -> Result<Box<dyn FormatWriter>, WriteFault> {
    Ok(Box::new(ColumnWriter::new(format, is_stream, settings)?))
}

#[cfg(not(feature = "columns"))]
fn column_writer(
    format: RowFormat,
    _: bool,
    _: &WriterSettings,
) -> Result<Box<dyn FormatWriter>, WriteFault> {
    Err(WriteFault::Encoder(unsupported(format)))
}
