//! Where bytes come from: files and standard input, plain or compressed (told by their first bytes, not their names).

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::cache::{self, Blocks};
use crate::error::{Error, Result};
use crate::files::regular_file::RegularFile;
use crate::formats::Format;
use crate::source::compression::Compression;

const CHUNK: usize = 1 << 18;

/// Something to read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Input {
    /// Standard input.
    Stdin,
    /// A file.
    File(PathBuf),
}

/// What an input turned out to be.
pub(crate) enum Opened {
    /// Text, decompressed.
    Text(Box<dyn Read + Send>),
    /// A plain file.
    Plain(RegularFile),
    /// What was read before.
    Cache(Blocks),
}

impl Opened {
    /// Its first bytes, which stay there to be read.
    pub(crate) fn beginning(&mut self) -> io::Result<Vec<u8>> {
        const ENOUGH: usize = 1 << 16;
        let mut first = Vec::new();
        match self {
            Opened::Cache(_) => {}
            Opened::Plain(file) => {
                first.resize(ENOUGH, 0);
                let count = file.read(0, &mut first)?;
                first.truncate(count);
            }
            Opened::Text(source) => {
                let mut buffer = [0; 4096];
                while first.len() < ENOUGH && Format::needs_more(&first) {
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
    /// Its name in messages.
    pub fn name(&self) -> String {
        match self {
            Input::Stdin => "<stdin>".into(),
            Input::File(path) => path.display().to_string(),
        }
    }

    /// Its size on disk, if it is a file that has one.
    pub fn size(&self) -> Option<u64> {
        match self {
            Input::Stdin => None,
            Input::File(path) => {
                std::fs::metadata(path).ok().filter(std::fs::Metadata::is_file).map(|m| m.len())
            }
        }
    }

    /// Opens it. `consumed` counts the bytes read from it, before decompression.
    pub(crate) fn open(&self, consumed: &Arc<AtomicU64>) -> Result<Opened> {
        self.try_open(consumed).map_err(|cause| Error::Io { file: self.name(), cause })
    }

    fn try_open(&self, consumed: &Arc<AtomicU64>) -> io::Result<Opened> {
        let raw: Box<dyn Read + Send> = match self {
            Input::Stdin => Box::new(io::stdin()),
            Input::File(path) => {
                let file = File::open(path)?;
                if file.metadata()?.is_dir() {
                    return Err(io::Error::other("it is a directory"));
                }
                Box::new(file)
            }
        };
        let mut raw = BufReader::with_capacity(CHUNK, Counted { raw, consumed: Arc::clone(consumed) });
        let first = raw.fill_buf()?;
        if let Input::File(path) = self
            && cache::is_cache(first)
        {
            let unusable = "the cache is damaged, or was made by another version or build";
            return Blocks::open(path, None).map(Opened::Cache).ok_or_else(|| io::Error::other(unusable));
        }
        if let Some(compression) = Compression::of_bytes(first) {
            return Ok(Opened::Text(compression.read(raw)?));
        }
        let plain = match self {
            Input::File(path) => RegularFile::open(path),
            Input::Stdin => None,
        };
        Ok(plain.map_or_else(|| Opened::Text(Box::new(raw)), Opened::Plain))
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
