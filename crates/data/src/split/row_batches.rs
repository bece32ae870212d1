//! Parquet and Arrow files as batches of rows, a few thousand at a time.
//!
//! Both are read as they lie on the disk, a batch after the other. Parquet, and Arrow files unlike Arrow streams, say at their end
//! what is where: from a pipe or a compressed file they are read into memory as a whole first, if it is not too much.

use std::cell::Cell;
use std::fs::File;
use std::io::{self, BufReader, Cursor, Read, Seek};
use std::panic::{AssertUnwindSafe, catch_unwind, set_hook, take_hook};
use std::path::Path;
use std::sync::Once;

pub(crate) use arrow_array::RecordBatch;
use arrow_array::{RecordBatchIterator, RecordBatchReader};
use arrow_schema::{ArrowError, DataType, Field};
use bytes::Bytes;
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use parquet::file::reader::ChunkReader;

use super::arrow_messages::Messages;
use super::parquet_pages::Pages;
use super::row_format::{ARROW, RowFormat};
use crate::limit::MemoryLimit;

/// The most rows of a batch: enough that work per batch does not show.
const ROWS: usize = 4096;
/// Tables with many columns are cut into batches of fewer rows, so that these take about as much memory.
const CELLS: usize = 1 << 19;
const FEWEST_ROWS: usize = 128;

/// Batches of rows, one after the other.
pub(crate) struct RowBatches {
    batches: Box<dyn RecordBatchReader + Send>,
    format: RowFormat,
    /// What is left of a batch that was too large.
    rest: Option<RecordBatch>,
    most: usize,
    progress: Progress,
}

/// How far reading has come.
enum Progress {
    Unknown,
    /// Rows or batches, and how many there are.
    Count(usize, usize),
    /// The file that is being read, and its size.
    File(File, u64),
}

impl RowBatches {
    /// Reads a plain file where it lies.
    pub(crate) fn of_file(path: &Path, format: RowFormat, limit: MemoryLimit) -> io::Result<Self> {
        let mut file = File::open(path)?;
        if format == RowFormat::Parquet {
            return parquet(file, limit);
        }
        let mut beginning = Vec::new();
        (&mut file).take(ARROW.len() as u64).read_to_end(&mut beginning)?;
        file.rewind()?;
        if beginning == ARROW {
            return arrow_file(BufReader::new(file), limit);
        }
        // Both know the same place in the file.
        let (watched, size) = (file.try_clone()?, file.metadata()?.len());
        arrow_stream(Box::new(file), Progress::File(watched, size), limit)
    }

    /// Reads what can be read only once, from its beginning on.
    pub(crate) fn of_stream(
        mut source: Box<dyn Read + Send>,
        format: RowFormat,
        limit: MemoryLimit,
    ) -> io::Result<Self> {
        let mut bytes = Vec::new();
        if format == RowFormat::Arrow {
            (&mut source).take(ARROW.len() as u64).read_to_end(&mut bytes)?;
            if bytes != ARROW {
                return arrow_stream(Box::new(Cursor::new(bytes).chain(source)), Progress::Unknown, limit);
            }
        }
        source.take(limit.0.saturating_add(1)).read_to_end(&mut bytes)?;
        if bytes.len() as u64 > limit.0 {
            return Err(io::Error::other(format!(
                "{} that is compressed or comes from a pipe is read into memory as a whole, and this is more than {limit}: \
                 make it a file that is not compressed",
                format.title()
            )));
        }
        match format {
            RowFormat::Parquet => parquet(Bytes::from(bytes), limit),
            RowFormat::Arrow => arrow_file(Cursor::new(bytes), limit),
        }
    }

    /// Reads what another library decodes.
    pub(crate) fn of_batches(batches: Box<dyn RecordBatchReader + Send>) -> Self {
        Self::new(batches, RowFormat::Arrow, Progress::Unknown)
    }

    /// Cuts a batch that is already there.
    pub(crate) fn of_batch(batch: RecordBatch) -> Self {
        let schema = batch.schema();
        Self::of_batches(Box::new(RecordBatchIterator::new([Ok(batch)], schema)))
    }

    fn new(batches: Box<dyn RecordBatchReader + Send>, format: RowFormat, progress: Progress) -> Self {
        let columns = batches.schema().fields().iter().map(|field| leaves(field)).sum();
        Self { batches, format, rest: None, most: rows_of(columns), progress }
    }

    /// The next rows; nothing at the end.
    pub(crate) fn next(&mut self) -> io::Result<Option<RecordBatch>> {
        let Some(batch) = self.rest.take().map_or_else(|| self.decode(), |rest| Ok(Some(rest)))? else {
            return Ok(None);
        };
        let (rows, count) = (batch.num_rows(), batch.num_rows().min(self.most));
        self.rest = (rows > count).then(|| batch.slice(count, rows - count));
        Ok(Some(batch.slice(0, count)))
    }

    fn decode(&mut self) -> io::Result<Option<RecordBatch>> {
        let (batches, format) = (&mut self.batches, self.format);
        let batch = guarded(format, || batches.next().transpose())?;
        if let (Progress::Count(done, _), Some(batch)) = (&mut self.progress, &batch) {
            *done += if format == RowFormat::Parquet { batch.num_rows() } else { 1 };
        }
        Ok(batch)
    }

    /// The share that was read, from 0 to 1, as far as it is known.
    pub(crate) fn share(&self) -> f64 {
        match &self.progress {
            Progress::Unknown => 0.0,
            Progress::Count(done, all) => *done as f64 / (*all).max(1) as f64,
            Progress::File(file, size) => {
                let mut file: &File = file;
                file.stream_position().map_or(0.0, |at| at as f64 / (*size).max(1) as f64)
            }
        }
    }
}

fn parquet(source: impl ChunkReader + 'static, limit: MemoryLimit) -> io::Result<RowBatches> {
    let (reader, rows) = guarded(RowFormat::Parquet, || {
        let builder = ParquetRecordBatchReaderBuilder::try_new(Pages { source, limit })?;
        let rows = usize::try_from(builder.metadata().file_metadata().num_rows()).unwrap_or(0);
        let columns = builder.parquet_schema().num_columns();
        Ok::<_, ArrowError>((builder.with_batch_size(rows_of(columns)).build()?, rows))
    })?;
    Ok(RowBatches::new(Box::new(reader), RowFormat::Parquet, Progress::Count(0, rows)))
}

fn arrow_file(source: impl Read + Seek + Send + 'static, limit: MemoryLimit) -> io::Result<RowBatches> {
    let (reader, batches) = guarded(RowFormat::Arrow, || Messages::of_file(source, limit))?;
    Ok(RowBatches::new(Box::new(reader), RowFormat::Arrow, Progress::Count(0, batches)))
}

fn arrow_stream(
    source: Box<dyn Read + Send>,
    progress: Progress,
    limit: MemoryLimit,
) -> io::Result<RowBatches> {
    let reader = guarded(RowFormat::Arrow, || Messages::of_stream(BufReader::new(source), limit))?;
    Ok(RowBatches::new(Box::new(reader), RowFormat::Arrow, progress))
}

thread_local! {
    /// Is this thread about to deal with a panic itself?
    static GUARDED: Cell<bool> = const { Cell::new(false) };
}

/// A damaged file must end in an error that says so: the decoders check most of what they read, but not all of it, and panic then. Who
/// is told of the error need not hear of the panic.
fn guarded<T>(format: RowFormat, decode: impl FnOnce() -> Result<T, ArrowError>) -> io::Result<T> {
    static QUIET: Once = Once::new();
    QUIET.call_once(|| {
        let told = take_hook();
        set_hook(Box::new(move |panic| {
            if !GUARDED.get() {
                told(panic);
            }
        }));
    });
    GUARDED.set(true);
    let decoded = catch_unwind(AssertUnwindSafe(decode));
    GUARDED.set(false);
    let cause = match decoded {
        Ok(Ok(done)) => return Ok(done),
        Ok(Err(cause)) => cause.to_string(),
        Err(_) => "it is damaged".into(),
    };
    Err(io::Error::other(format!("it cannot be read as {}: {cause}", format.title())))
}

fn rows_of(columns: usize) -> usize {
    (CELLS / columns.max(1)).clamp(FEWEST_ROWS, ROWS)
}

/// Columns without columns of their own.
fn leaves(field: &Field) -> usize {
    match field.data_type() {
        DataType::Struct(fields) => fields.iter().map(|field| leaves(field)).sum(),
        _ => 1,
    }
}

#[cfg(test)]
mod tests;
