//! The messages that Arrow files and streams consist of. Each is looked at before it is decoded: the decoder believes what it says of
//! its own size, and a program that asks for more memory than there is is ended by the system.

use std::collections::HashMap;
use std::io::{self, ErrorKind, Read, Seek, SeekFrom};
use std::vec;

use arrow_array::{ArrayRef, RecordBatch, RecordBatchReader};
use arrow_buffer::Buffer;
use arrow_ipc::convert::try_fb_to_schema;
use arrow_ipc::reader::{RecordBatchDecoder, read_dictionary, read_footer_length};
use arrow_ipc::{
    Block, CompressionType, MessageHeader, MetadataVersion, Schema, root_as_footer, root_as_message,
};
use arrow_schema::{ArrowError, SchemaRef};

use super::row_format::{ARROW, ARROW_STREAM};
use crate::limit::{self, MemoryLimit};

/// What a byte can become at most when it is decompressed. LZ4 has a byte for every 255; the shortest block of Zstandard has 4 bytes
/// and stands for 128 KiB.
const LZ4: u64 = 256;
pub(crate) const ZSTD: u64 = 1 << 15;

/// A message: what it is, and its data.
struct Message {
    metadata: Vec<u8>,
    body: Buffer,
}

/// Where messages come from.
trait Source: Send {
    /// The next message, none of whose parts is larger than the limit; nothing at the end.
    fn next(&mut self, limit: MemoryLimit) -> Result<Option<Message>, ArrowError>;
}

/// Batches of rows, made of messages.
pub(crate) struct Messages {
    source: Box<dyn Source>,
    schema: SchemaRef,
    dictionaries: HashMap<i64, ArrayRef>,
    /// Bytes of memory that they take.
    taken: HashMap<i64, u64>,
    limit: MemoryLimit,
}

impl Messages {
    /// Of a file, and how many batches it has.
    pub(crate) fn of_file(
        mut source: impl Read + Seek + Send + 'static,
        limit: MemoryLimit,
    ) -> Result<(Self, usize), ArrowError> {
        let size = source.seek(SeekFrom::End(0))?;
        let end = size.checked_sub(10).filter(|end| *end >= ARROW.len() as u64).ok_or_else(cut_short)?;
        let mut last = [0; 10];
        source.seek(SeekFrom::Start(end))?;
        source.read_exact(&mut last)?;
        let length = read_footer_length(last)? as u64;
        source.seek(SeekFrom::Start(end.checked_sub(length).ok_or_else(cut_short)?))?;
        let footer = read(&mut source, length, limit)?;
        let footer = root_as_footer(&footer).map_err(|error| damaged(&error.to_string()))?;
        let schema = schema(footer.schema())?;
        let dictionaries = footer.dictionaries().into_iter().flatten();
        let batches = footer.recordBatches().ok_or_else(|| damaged("it does not say where its rows are"))?;
        let blocks: Vec<Block> = dictionaries.chain(batches).copied().collect();
        let source = Box::new(File { source, size, blocks: blocks.into_iter() });
        Ok((Self::new(source, schema, limit), batches.len()))
    }

    /// Of a stream.
    pub(crate) fn of_stream(
        source: impl Read + Send + 'static,
        limit: MemoryLimit,
    ) -> Result<Self, ArrowError> {
        let mut source = Stream(source);
        let first = source.next(limit)?.ok_or_else(cut_short)?;
        let schema = schema(message(&first.metadata)?.header_as_schema())?;
        Ok(Self::new(Box::new(source), schema, limit))
    }

    fn new(source: Box<dyn Source>, schema: SchemaRef, limit: MemoryLimit) -> Self {
        Self { source, schema, dictionaries: HashMap::new(), taken: HashMap::new(), limit }
    }

    fn next_batch(&mut self) -> Result<Option<RecordBatch>, ArrowError> {
        while let Some(Message { metadata, body }) = self.source.next(self.limit)? {
            let message = message(&metadata)?;
            let version = message.version();
            match message.header_type() {
                MessageHeader::RecordBatch => {
                    let batch = message.header_as_record_batch().ok_or_else(cut_short)?;
                    self.check(self.dictionary_size() + size(batch, &body)?)?;
                    return self.decode(batch, &body, version).map(Some);
                }
                MessageHeader::DictionaryBatch => {
                    let batch = message.header_as_dictionary_batch().ok_or_else(cut_short)?;
                    let new = batch.data().map_or(Ok(0), |data| size(data, &body))?;
                    let taken = self.taken.entry(batch.id()).or_default();
                    *taken = new + if batch.isDelta() { *taken } else { 0 };
                    self.check(self.dictionary_size())?;
                    read_dictionary(&body, batch, &self.schema, &mut self.dictionaries, &version)?;
                }
                other => {
                    return Err(damaged(&format!("it has a message of the kind {other:?} among its rows")));
                }
            }
        }
        Ok(None)
    }

    fn decode(
        &self,
        batch: arrow_ipc::RecordBatch,
        body: &Buffer,
        version: MetadataVersion,
    ) -> Result<RecordBatch, ArrowError> {
        let schema = SchemaRef::clone(&self.schema);
        RecordBatchDecoder::try_new(body, batch, schema, &self.dictionaries, &version)?.read_record_batch()
    }

    fn dictionary_size(&self) -> u64 {
        self.taken.values().sum()
    }

    fn check(&self, size: u64) -> Result<(), ArrowError> {
        if size <= self.limit.0 { Ok(()) } else { Err(too_large(size, self.limit)) }
    }
}

impl Iterator for Messages {
    type Item = Result<RecordBatch, ArrowError>;

    fn next(&mut self) -> Option<Self::Item> {
        self.next_batch().transpose()
    }
}

impl RecordBatchReader for Messages {
    fn schema(&self) -> SchemaRef {
        SchemaRef::clone(&self.schema)
    }
}

/// The bytes of memory that rows take, or will take once they are decompressed. A row of a column takes at least one, also where it is
/// nothing at all: whoever reads it must look at it.
fn size(batch: arrow_ipc::RecordBatch, body: &Buffer) -> Result<u64, ArrowError> {
    let ratio = batch.compression().map(|compression| match compression.codec() {
        CompressionType::LZ4_FRAME => LZ4,
        _ => ZSTD,
    });
    let count =
        |length: i64| u64::try_from(length).map_err(|_| damaged("it is damaged: a length is negative"));
    let mut size = (body.len() as u64).saturating_add(count(batch.length())?);
    for node in batch.nodes().into_iter().flatten() {
        size = size.saturating_add(count(node.length())?);
    }
    for buffer in batch.buffers().into_iter().flatten() {
        let (start, length) = (count(buffer.offset())? as usize, count(buffer.length())? as usize);
        let part = start.checked_add(length).and_then(|end| body.get(start..end)).ok_or_else(cut_short)?;
        if let Some(ratio) = ratio.filter(|_| !part.is_empty()) {
            size = size.saturating_add(decompressed(part, ratio)?);
        }
    }
    Ok(size)
}

/// What a part says that it becomes when it is decompressed, if that is possible.
fn decompressed(part: &[u8], ratio: u64) -> Result<u64, ArrowError> {
    let (claim, data) = part.split_first_chunk().ok_or_else(cut_short)?;
    match i64::from_le_bytes(*claim) {
        // It is not compressed.
        -1 => Ok(0),
        claim if claim >= 0 && claim as u64 <= ratio * data.len() as u64 => Ok(claim as u64),
        claim => {
            Err(damaged(&format!("it says that {} bytes decompress to {claim}, which cannot be", data.len())))
        }
    }
}

fn message(metadata: &[u8]) -> Result<arrow_ipc::Message<'_>, ArrowError> {
    root_as_message(metadata).map_err(|error| damaged(&error.to_string()))
}

fn schema(found: Option<Schema>) -> Result<SchemaRef, ArrowError> {
    let found = found.ok_or_else(|| damaged("it does not say what its columns are"))?;
    if !found.endianness().equals_to_target_endianness() {
        return Err(damaged("its byte order is not that of this machine"));
    }
    try_fb_to_schema(found).map(SchemaRef::new)
}

/// A stream: one message after the other.
struct Stream<R>(R);

impl<R: Read + Send> Source for Stream<R> {
    fn next(&mut self, limit: MemoryLimit) -> Result<Option<Message>, ArrowError> {
        let mut length = [0; 4];
        match self.0.read_exact(&mut length) {
            // A stream may end without saying so.
            Err(error) if error.kind() == ErrorKind::UnexpectedEof => return Ok(None),
            other => other?,
        }
        // Old streams do not have this mark.
        if length == ARROW_STREAM {
            self.0.read_exact(&mut length)?;
        }
        let length = u64::try_from(i32::from_le_bytes(length))
            .map_err(|_| damaged("it is damaged: a length is negative"))?;
        if length == 0 {
            return Ok(None);
        }
        let metadata = read(&mut self.0, length, limit)?;
        let length = message(&metadata)?.bodyLength();
        let length = u64::try_from(length).map_err(|_| damaged("it is damaged: a length is negative"))?;
        let body = Buffer::from_vec(read(&mut self.0, length, limit)?);
        Ok(Some(Message { metadata, body }))
    }
}

/// A file, which says at its end where its messages are.
struct File<R> {
    source: R,
    size: u64,
    blocks: vec::IntoIter<Block>,
}

impl<R: Read + Seek + Send> Source for File<R> {
    fn next(&mut self, limit: MemoryLimit) -> Result<Option<Message>, ArrowError> {
        let Some(block) = self.blocks.next() else { return Ok(None) };
        let at = u64::try_from(block.offset()).map_err(|_| cut_short())?;
        let metadata = u64::try_from(block.metaDataLength()).map_err(|_| cut_short())?;
        let body = u64::try_from(block.bodyLength()).map_err(|_| cut_short())?;
        let end = at.checked_add(metadata).and_then(|end| end.checked_add(body));
        if end.is_none_or(|end| end > self.size) {
            return Err(cut_short());
        }
        self.source.seek(SeekFrom::Start(at))?;
        let mut metadata = read(&mut self.source, metadata, limit)?;
        let body = Buffer::from_vec(read(&mut self.source, body, limit)?);
        // Its length comes first, behind a mark that old files do not have.
        let head = if metadata.starts_with(ARROW_STREAM) { 8 } else { 4 };
        metadata.drain(..head.min(metadata.len()));
        Ok(Some(Message { metadata, body }))
    }
}

/// Reads so many bytes. Memory is taken as they come, because they may not come.
fn read(source: &mut impl Read, length: u64, limit: MemoryLimit) -> Result<Vec<u8>, ArrowError> {
    if length > limit.0 {
        return Err(too_large(length, limit));
    }
    let mut bytes = Vec::with_capacity(length.min(1 << 20) as usize);
    source.take(length).read_to_end(&mut bytes)?;
    if bytes.len() as u64 == length {
        Ok(bytes)
    } else {
        Err(io::Error::from(ErrorKind::UnexpectedEof).into())
    }
}

fn too_large(size: u64, limit: MemoryLimit) -> ArrowError {
    let size = limit::bytes(size);
    ArrowError::MemoryError(format!("rows that come together take {size}, and the limit is {limit}"))
}

fn cut_short() -> ArrowError {
    damaged("it is damaged: an offset points outside the file")
}

fn damaged(why: &str) -> ArrowError {
    ArrowError::ParseError(format!("it is damaged: {why}"))
}
