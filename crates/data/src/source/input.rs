//! Where data comes from: files, standard input, memory or any reader, plain or compressed (told by their first bytes, not their names); or rows
//! of a table that another library makes.

use std::fmt;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

use super::compression::Compression;
use super::encoding::{Encoding, FirstBytes};
use crate::error::{Error, Result};
use crate::files::regular_file::RegularFile;
use crate::split::row_batches::RowBatches;

const BUFFER: usize = 1 << 18;
/// So many bytes tell how a file is compressed, or that it is a cache.
const FIRST: usize = 16;

/// Something to read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Input {
    /// Standard input.
    Stdin,
    /// A file.
    File(PathBuf),
    /// Bytes in memory, with a name for messages.
    Bytes(String, Arc<[u8]>),
    /// Anything that can be read, once: bytes, or rows of a table.
    Reader(ReadOnce),
}

/// Something that can be read once, with a name for messages. Its copies are the same thing.
#[derive(Clone)]
pub struct ReadOnce {
    name: String,
    source: Arc<Mutex<Option<Source>>>,
    is_rows: bool,
}

/// What can be read once.
enum Source {
    Bytes(Box<dyn Read + Send>),
    #[cfg_attr(not(feature = "columns"), expect(dead_code, reason = "there are no rows then"))]
    Rows(RowBatches),
}

impl fmt::Debug for ReadOnce {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("ReadOnce").field(&self.name).finish()
    }
}

impl PartialEq for ReadOnce {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.source, &other.source)
    }
}

impl Eq for ReadOnce {}

impl ReadOnce {
    fn new(name: impl Into<String>, source: Source) -> Self {
        let is_rows = matches!(source, Source::Rows(_));
        Self { name: name.into(), source: Arc::new(Mutex::new(Some(source))), is_rows }
    }

    fn take(&self) -> io::Result<Source> {
        let source = self.source.lock().ok().and_then(|mut source| source.take());
        source.ok_or_else(|| io::Error::other("it can be read only once"))
    }
}

/// An input that is open.
pub(crate) struct OpenedInput {
    /// Its first bytes, before decompression.
    pub(crate) first: Vec<u8>,
    pub(crate) content: Content,
    consumed: Arc<AtomicU64>,
    /// Is its content text in UTF-8, without a mark?
    decoded: bool,
}

/// How the bytes of an input can be read.
pub(crate) enum Content {
    /// Once, from the beginning on, decompressed.
    Stream(Box<dyn Read + Send>),
    /// Any part at any time.
    File(RegularFile),
    /// No bytes, but rows.
    Rows(RowBatches),
}

impl OpenedInput {
    /// Makes its content UTF-8 without a mark: its first bytes tell how it is encoded, or else `encoding` does.
    pub(crate) fn decode(&mut self, encoding: Option<Encoding>) -> io::Result<()> {
        if std::mem::replace(&mut self.decoded, true) {
            return Ok(());
        }
        let mut first = self.beginning(FirstBytes::needs_more)?;
        first.truncate(4);
        let told = FirstBytes::of(&first, encoding);
        let content = std::mem::replace(&mut self.content, Content::Stream(Box::new(io::empty())));
        self.content = match content {
            Content::File(file) if told.is_utf8() => Content::File(file.without_first(told.mark)),
            Content::File(file) => {
                let file = file.without_first(told.mark);
                let source = FromBeginning { file, at: 0, consumed: Arc::clone(&self.consumed) };
                Content::Stream(told.decoded(Box::new(source)))
            }
            Content::Stream(mut source) => {
                source.read_exact(&mut vec![0; told.mark])?;
                Content::Stream(told.decoded(source))
            }
            Content::Rows(rows) => Content::Rows(rows),
        };
        Ok(())
    }

    /// The beginning of its text, which stays there to be read. Of a stream it is as long as `needs_more` says.
    pub(crate) fn beginning(&mut self, needs_more: impl Fn(&[u8]) -> bool) -> io::Result<Vec<u8>> {
        const ENOUGH: usize = 1 << 16;
        let mut first = Vec::new();
        match &mut self.content {
            Content::File(file) => {
                first.resize(ENOUGH, 0);
                let count = file.read(0, &mut first)?;
                first.truncate(count);
            }
            Content::Stream(source) => {
                let mut buffer = [0; 4096];
                while first.len() < ENOUGH && needs_more(&first) {
                    match source.read(&mut buffer) {
                        Ok(0) => break,
                        Ok(count) => first.extend_from_slice(&buffer[..count]),
                        Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
                        Err(e) => return Err(e),
                    }
                }
                let rest = std::mem::replace(source, Box::new(io::empty()));
                *source = Box::new(io::Cursor::new(first.clone()).chain(rest));
            }
            Content::Rows(_) => {}
        }
        Ok(first)
    }
}

impl From<&str> for Input {
    /// `-` is standard input.
    fn from(name: &str) -> Self {
        if name == "-" { Input::Stdin } else { Input::File(name.into()) }
    }
}

impl Input {
    /// Bytes in memory. The name is for messages; its end may tell the format.
    pub fn bytes(name: impl Into<String>, bytes: impl Into<Arc<[u8]>>) -> Self {
        Input::Bytes(name.into(), bytes.into())
    }

    /// Anything that can be read. The name is for messages; its end may tell the format.
    pub fn reader(name: impl Into<String>, source: impl Read + Send + 'static) -> Self {
        Input::Reader(ReadOnce::new(name, Source::Bytes(Box::new(source))))
    }

    /// Rows of a table, batch after batch, read as an Arrow file would be but for the bytes. The name is for messages.
    #[cfg(feature = "columns")]
    pub fn rows(
        name: impl Into<String>,
        batches: impl arrow_array::RecordBatchReader + Send + 'static,
    ) -> Self {
        Input::Reader(ReadOnce::new(name, Source::Rows(RowBatches::of_batches(Box::new(batches)))))
    }

    /// Its name in messages.
    pub fn name(&self) -> String {
        match self {
            Input::Stdin => "<stdin>".into(),
            Input::File(path) => path.display().to_string(),
            Input::Bytes(name, _) | Input::Reader(ReadOnce { name, .. }) => name.clone(),
        }
    }

    /// Does it hold rows of a table, whatever its name?
    pub(crate) fn is_rows(&self) -> bool {
        matches!(self, Input::Reader(reader) if reader.is_rows)
    }

    /// The name that may tell its format.
    pub(crate) fn file_name(&self) -> Option<String> {
        match self {
            Input::Stdin => None,
            Input::File(_) | Input::Bytes(..) | Input::Reader(_) => Some(self.name()),
        }
    }

    /// Is it gone once it was read? So are pipes that have a name, such as `/dev/stdin`.
    pub fn is_read_once(&self) -> bool {
        match self {
            Input::Stdin | Input::Reader(_) => true,
            Input::Bytes(..) => false,
            Input::File(path) => {
                std::fs::metadata(path).is_ok_and(|found| !found.is_file() && !found.is_dir())
            }
        }
    }

    /// Its size, if it is known before it is read.
    pub fn size(&self) -> Option<u64> {
        match self {
            Input::Stdin | Input::Reader(_) => None,
            Input::Bytes(_, bytes) => Some(bytes.len() as u64),
            Input::File(path) => {
                std::fs::metadata(path).ok().filter(std::fs::Metadata::is_file).map(|m| m.len())
            }
        }
    }

    /// Opens it. `consumed` counts the bytes read from it, before decompression.
    pub(crate) fn open(&self, consumed: &Arc<AtomicU64>) -> Result<OpenedInput> {
        self.try_open(consumed).map_err(|cause| Error::Io { file: self.name(), cause })
    }

    fn try_open(&self, consumed: &Arc<AtomicU64>) -> io::Result<OpenedInput> {
        let raw: Box<dyn Read + Send> = match self {
            Input::Stdin => Box::new(io::stdin()),
            Input::File(path) => {
                let file = File::open(path)?;
                if file.metadata()?.is_dir() {
                    return Err(io::Error::other("it is a directory"));
                }
                Box::new(file)
            }
            Input::Bytes(_, bytes) => Box::new(io::Cursor::new(Arc::clone(bytes))),
            Input::Reader(reader) => match reader.take()? {
                Source::Bytes(source) => source,
                Source::Rows(rows) => {
                    let (first, content) = (Vec::new(), Content::Rows(rows));
                    return Ok(OpenedInput { first, content, consumed: Arc::clone(consumed), decoded: true });
                }
            },
        };
        let mut raw = BufReader::with_capacity(BUFFER, Counted { raw, consumed: Arc::clone(consumed) });
        let first = raw.fill_buf()?;
        let first = first[..first.len().min(FIRST)].to_vec();
        let content = match (Compression::of_bytes(&first), self) {
            (Some(compression), _) => Content::Stream(compression.read(raw)?),
            (None, Input::Stdin | Input::Bytes(..) | Input::Reader(_)) => Content::Stream(Box::new(raw)),
            (None, Input::File(path)) => {
                RegularFile::open(path).map_or_else(|| Content::Stream(Box::new(raw)), Content::File)
            }
        };
        Ok(OpenedInput { first, content, consumed: Arc::clone(consumed), decoded: false })
    }
}

/// A plain file, from its beginning on.
struct FromBeginning {
    file: RegularFile,
    at: u64,
    consumed: Arc<AtomicU64>,
}

impl Read for FromBeginning {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.file.read(self.at, buffer)?;
        self.at += count as u64;
        self.consumed.fetch_add(count as u64, Ordering::Relaxed);
        Ok(count)
    }
}

struct Counted {
    raw: Box<dyn Read + Send>,
    consumed: Arc<AtomicU64>,
}

impl Read for Counted {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.raw.read(buffer)?;
        self.consumed.fetch_add(count as u64, Ordering::Relaxed);
        Ok(count)
    }
}
