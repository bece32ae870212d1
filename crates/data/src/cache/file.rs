//! Cache files: written beside their source, mapped into memory.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::Path;
use std::sync::Arc;
use std::time::UNIX_EPOCH;

use memmap2::Mmap;
use serde::{Deserialize, Serialize};
use thalweg_core::Real;

use crate::error::{Error, Result};

const MAGIC: &[u8; 8] = b"thwcache";
const END: &[u8; 16] = b"\0\0\0\0\0\0\0\0thw end\n";
/// Counts up with every change of the form.
const VERSION: u32 = 1;

/// What a cache was made of.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Origin {
    version: u32,
    /// Bytes of a number.
    real: usize,
    /// The source's size, and when it was changed last (nanoseconds since 1970).
    size: u64,
    modified: u128,
    /// How it was read.
    how: String,
}

impl Origin {
    /// The source as it is now; nothing if it is not a file.
    pub(crate) fn of(source: &Path, how: &str) -> Option<Self> {
        let found = std::fs::metadata(source).ok().filter(std::fs::Metadata::is_file)?;
        let modified = found.modified().ok()?.duration_since(UNIX_EPOCH).ok()?.as_nanos();
        Some(Self { version: VERSION, real: size_of::<Real>(), size: found.len(), modified, how: how.into() })
    }

    /// Has the source not changed?
    pub(crate) fn is_still(&self, source: &Path) -> bool {
        Self::of(source, &self.how).as_ref() == Some(self)
    }
}

/// A cache in the making. It takes its name when it is finished; before that, nobody sees it.
pub(crate) struct CacheWriter {
    file: BufWriter<tempfile::NamedTempFile>,
    path: std::path::PathBuf,
}

impl CacheWriter {
    pub(crate) fn create(path: &Path, origin: &Origin) -> Result<Self> {
        let mut builder = tempfile::Builder::new();
        builder.prefix(".thalweg-").suffix(".tmp");
        #[cfg(unix)]
        builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666)); // less the umask, as any new file
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
        let file = builder.tempfile_in(folder.unwrap_or(Path::new("."))).map_err(|e| failed(path, e))?;
        let mut writer = Self { file: BufWriter::with_capacity(1 << 20, file), path: path.to_path_buf() };
        let header = postcard::to_stdvec(origin).unwrap_or_default();
        writer.put(MAGIC)?;
        writer.block(&header)?;
        Ok(writer)
    }

    /// Adds a portion that has been encoded.
    pub(crate) fn block(&mut self, bytes: &[u8]) -> Result<()> {
        self.put(&(bytes.len() as u32).to_le_bytes())?;
        self.put(&crc32fast::hash(bytes).to_le_bytes())?;
        self.put(bytes)
    }

    pub(crate) fn finish(mut self) -> Result<()> {
        self.put(END)?;
        let Self { file, path } = self;
        let file = file.into_inner().map_err(|e| failed(&path, e.into_error()))?;
        file.persist(&path).map_err(|e| failed(&path, e.error))?;
        Ok(())
    }

    fn put(&mut self, bytes: &[u8]) -> Result<()> {
        self.file.write_all(bytes).map_err(|e| failed(&self.path, e))
    }
}

fn failed(path: &Path, cause: std::io::Error) -> Error {
    Error::Io { file: path.display().to_string(), cause }
}

/// The blocks of a cache file.
pub(crate) struct Blocks {
    map: Arc<Mmap>,
    at: usize,
    name: Arc<str>,
}

/// A block of a cache file.
#[derive(Clone)]
pub(crate) struct Block {
    map: Arc<Mmap>,
    start: usize,
    length: usize,
    checksum: u32,
    name: Arc<str>,
}

impl Blocks {
    /// Opens a cache if it is whole and of this origin; with none, of whatever origin, as long as it is readable.
    pub(crate) fn open(path: &Path, origin: Option<&Origin>) -> Option<Self> {
        let file = File::open(path).ok()?;
        // SAFETY: a map must not change while it is in use. Nothing here writes into a cache under its own name: a new one replaces
        // the old file, whose map stays what it was. What others may do to the file, the checksum of each block notices, unless
        // they cut it off, which ends the program.
        #[allow(unsafe_code)]
        let map = unsafe { Mmap::map(&file) }.ok()?;
        if !map.starts_with(MAGIC) || !map.ends_with(END) {
            return None;
        }
        let mut blocks =
            Self { map: Arc::new(map), at: MAGIC.len(), name: path.display().to_string().into() };
        let header = blocks.next().ok()??;
        let found: Origin = postcard::from_bytes(header.bytes().ok()?).ok()?;
        let usable = match origin {
            Some(origin) => found == *origin,
            None => (found.version, found.real) == (VERSION, size_of::<Real>()),
        };
        usable.then_some(blocks)
    }

    /// How much of the file is through.
    pub(crate) fn share(&self) -> f64 {
        self.at as f64 / self.map.len() as f64
    }

    /// The next block; none at the end.
    pub(crate) fn next(&mut self) -> Result<Option<Block>> {
        let broken = || damaged(&self.name);
        let rest = &self.map[self.at..];
        if rest == END {
            return Ok(None);
        }
        let (length, rest) = rest.split_first_chunk().ok_or_else(broken)?;
        let (checksum, rest) = rest.split_first_chunk().ok_or_else(broken)?;
        let length = u32::from_le_bytes(*length) as usize;
        if length > rest.len() {
            return Err(broken());
        }
        let start = self.at + 8;
        self.at = start + length;
        let checksum = u32::from_le_bytes(*checksum);
        Ok(Some(Block { map: Arc::clone(&self.map), start, length, checksum, name: Arc::clone(&self.name) }))
    }
}

impl Block {
    /// What was stored.
    pub(crate) fn bytes(&self) -> Result<&[u8]> {
        let bytes = &self.map[self.start..self.start + self.length];
        if crc32fast::hash(bytes) == self.checksum { Ok(bytes) } else { Err(self.damaged()) }
    }

    pub(crate) fn damaged(&self) -> Error {
        damaged(&self.name)
    }
}

fn damaged(name: &str) -> Error {
    let cause = std::io::Error::other("the cache is damaged: remove it, and it is made anew");
    Error::Io { file: name.into(), cause }
}

/// Does the file begin like a cache?
pub(crate) fn is_cache(first: &[u8]) -> bool {
    first.starts_with(MAGIC)
}
