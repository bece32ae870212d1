use std::sync::Arc;

use arrow_array::{ArrayRef, Float64Array, LargeListArray, NullArray};
use arrow_buffer::{OffsetBuffer, ScalarBuffer};
use arrow_ipc::CompressionType;
use arrow_ipc::writer::{FileWriter, IpcWriteOptions, StreamWriter};

use super::*;

/// With checksums, which not every program writes: made by Arrow's own library.
const CHECKSUMS: &[u8] = include_bytes!("../../../../../fuzz/corpus/parquet/checksums");

fn rows(column: ArrayRef) -> RecordBatch {
    RecordBatch::try_from_iter([("x", column)]).unwrap()
}

/// The rows as a file, and as a stream.
fn written(rows: &RecordBatch, compression: Option<CompressionType>) -> [Vec<u8>; 2] {
    let options = || IpcWriteOptions::default().try_with_compression(compression).unwrap();
    let schema = rows.schema();
    let mut file = FileWriter::try_new_with_options(Vec::new(), &schema, options()).unwrap();
    let mut stream = StreamWriter::try_new_with_options(Vec::new(), &schema, options()).unwrap();
    file.write(rows).unwrap();
    stream.write(rows).unwrap();
    [file.into_inner().unwrap(), stream.into_inner().unwrap()]
}

/// How many rows there are; each is at least looked at.
fn read(bytes: &[u8], format: RowFormat, limit: u64) -> Result<usize, String> {
    let bytes = bytes.to_vec();
    let source: Box<dyn Read + Send> = Box::new(Cursor::new(bytes));
    let mut batches =
        RowBatches::of_stream(source, format, MemoryLimit(limit)).map_err(|error| error.to_string())?;
    let mut count = 0;
    while let Some(batch) = batches.next().map_err(|error| error.to_string())? {
        count += batch.num_rows();
    }
    Ok(count)
}

/// Replaces bytes that are there only once.
fn replaced(bytes: &[u8], old: &[u8], new: &[u8]) -> Vec<u8> {
    let places: Vec<usize> = memchr::memmem::find_iter(bytes, old).collect();
    assert_eq!(places.len(), 1, "{places:?}");
    [&bytes[..places[0]], new, &bytes[places[0] + old.len()..]].concat()
}

#[test]
fn what_says_that_it_decompresses_to_more_than_can_be_is_refused() {
    let rows = rows(Arc::new(Float64Array::from_iter_values((0..1234).map(|i| f64::from(i % 7)))));
    for compression in [CompressionType::LZ4_FRAME, CompressionType::ZSTD] {
        for bytes in written(&rows, Some(compression)) {
            assert_eq!(read(&bytes, RowFormat::Arrow, 1 << 20), Ok(1234));
            let length = (8 * 1234u64).to_le_bytes();
            let liar = replaced(&bytes, &length, &(1u64 << 50).to_le_bytes());
            let error = read(&liar, RowFormat::Arrow, u64::MAX).unwrap_err();
            assert!(error.contains("decompress to 1125899906842624, which cannot be"), "{error}");
            let liar = replaced(&bytes, &length, &(-2i64).to_le_bytes());
            assert!(read(&liar, RowFormat::Arrow, u64::MAX).unwrap_err().contains("which cannot be"));
            let error = read(&bytes, RowFormat::Arrow, 10_000).unwrap_err();
            assert!(error.contains("and the limit is 9.8 KiB"), "{error}");
        }
    }
}

/// A list of nothing takes no room in a file, however long it is.
#[test]
fn nothing_is_not_without_its_price() {
    let nothing: ArrayRef = Arc::new(NullArray::new(1 << 40));
    let field = Arc::new(Field::new_list_field(DataType::Null, true));
    let offsets = OffsetBuffer::new(ScalarBuffer::from(vec![0, 1i64 << 40]));
    for column in [Arc::new(LargeListArray::new(field, offsets, Arc::clone(&nothing), None)), nothing] {
        for bytes in written(&rows(column), None) {
            let error = read(&bytes, RowFormat::Arrow, 4 << 30).unwrap_err();
            assert!(error.contains("TiB, and the limit is 4 GiB"), "{error}");
        }
    }
}

#[test]
fn what_must_be_read_as_a_whole_must_not_be_too_much() {
    let endless = |first: &'static [u8], format| {
        let source = Box::new(first.chain(io::repeat(0)));
        RowBatches::of_stream(source, format, MemoryLimit(1 << 20)).err().unwrap().to_string()
    };
    let error = endless(b"PAR1", RowFormat::Parquet);
    assert!(error.starts_with("Parquet that is compressed or comes from a pipe"), "{error}");
    assert!(error.ends_with("more than 1 MiB: make it a file that is not compressed"), "{error}");
    assert!(endless(ARROW, RowFormat::Arrow).contains("more than 1 MiB"));
    // A stream is read message by message, and one of them is too large.
    let error = endless(b"\xff\xff\xff\xff\xff\xff\xff\x00", RowFormat::Arrow);
    assert!(error.contains("take 16.0 MiB, and the limit is 1 MiB"), "{error}");
}

#[test]
fn pages_of_parquet_are_looked_at() {
    assert_eq!(read(CHECKSUMS, RowFormat::Parquet, 1 << 20), Ok(40));
    let file = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(file.path(), CHECKSUMS).unwrap();
    let mut batches = RowBatches::of_file(file.path(), RowFormat::Parquet, MemoryLimit(100)).unwrap();
    let error = batches.next().unwrap_err().to_string();
    assert!(error.contains("a page takes") && error.ends_with("the limit is 100 bytes"), "{error}");
}

#[test]
fn a_page_that_does_not_fit_its_checksum_is_an_error() {
    let other = replaced(CHECKSUMS, &1240.5f64.to_le_bytes(), &1241.5f64.to_le_bytes());
    let error = read(&other, RowFormat::Parquet, 1 << 20).unwrap_err();
    assert!(error.contains("checksum"), "{error}");
}

/// The decoder looks at the header of the next page before it has to, to see where a list ends.
#[test]
fn lists_may_be_in_many_pages() {
    use parquet::arrow::ArrowWriter;
    use parquet::file::properties::WriterProperties;

    let values: ArrayRef =
        Arc::new((0..100_000).map(|i| f64::from(i * 7919 % 10_007)).collect::<Float64Array>());
    let starts = OffsetBuffer::new(ScalarBuffer::from((0..=5_000).map(|row| row * 20).collect::<Vec<i64>>()));
    let field = Arc::new(Field::new_list_field(DataType::Float64, false));
    let rows = rows(Arc::new(LargeListArray::new(field, starts, values, None)));
    let properties =
        WriterProperties::builder().set_dictionary_enabled(false).set_data_page_row_count_limit(100).build();
    let mut writer = ArrowWriter::try_new(Vec::new(), rows.schema(), Some(properties)).unwrap();
    // Pages are cut between what is written together.
    (0..50).for_each(|i| writer.write(&rows.slice(100 * i, 100)).unwrap());
    assert_eq!(read(&writer.into_inner().unwrap(), RowFormat::Parquet, 1 << 20), Ok(5_000));
}
