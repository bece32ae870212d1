//! Cache files: written beside their source, read a block at a time.

use std::io::{ErrorKind, IoSlice, Write};
use std::path::Path;
use std::sync::Arc;

use super::origin::{CacheDestination, Origin};
use crate::error::{Error, Result};
use crate::files::output_file::OutputFile;
use crate::files::regular_file::RegularFile;

/// The first byte is one that no text begins with.
const MAGIC: &[u8; 8] = b"\xfethwcach";
const END: &[u8; 16] = b"\0\0\0\0\0\0\0\0thw end\n";
/// A cache in the making. It takes its name when it is finished; before that, nobody sees it.
pub(crate) struct CacheWriter {
    file: OutputFile,
    path: std::path::PathBuf,
    /// The first of these are blocks that wait to be written; the others are memory to be used again.
    waiting: Vec<Vec<u8>>,
    blocks: usize,
    bytes: usize,
}

/// So many bytes are written together. Systems divide files into parts as large as what is written at once, and files of large parts are written
/// and read in less time (Linux, ext4: 0.6 of the processor time of writing). No buffer, because blocks would be copied once more.
const ENOUGH: usize = 1 << 19;

impl CacheWriter {
    pub(crate) fn create(destination: &CacheDestination) -> Result<Self> {
        let CacheDestination { path, origin, .. } = destination;
        let file = destination.create()?;
        let mut writer = Self { file, path: path.clone(), waiting: Vec::new(), blocks: 0, bytes: 0 };
        let mut header = Vec::new();
        begin(&mut header);
        header.extend(postcard::to_stdvec(origin).unwrap_or_default());
        seal(&mut header);
        writer.add(&mut MAGIC.to_vec())?;
        writer.add(&mut header)?;
        Ok(writer)
    }

    /// Adds a block that has been sealed, in exchange for memory that can be used again.
    pub(crate) fn add(&mut self, block: &mut Vec<u8>) -> Result<()> {
        if self.blocks == self.waiting.len() {
            self.waiting.push(Vec::new());
        }
        self.bytes += block.len();
        std::mem::swap(&mut self.waiting[self.blocks], block);
        self.blocks += 1;
        if self.bytes >= ENOUGH { self.write() } else { Ok(()) }
    }

    /// Writes what waits.
    fn write(&mut self) -> Result<()> {
        let mut slices: Vec<IoSlice> =
            self.waiting[..self.blocks].iter().map(|block| IoSlice::new(block)).collect();
        let mut rest = &mut slices[..];
        while !rest.is_empty() {
            let written = match self.file.write_vectored(rest) {
                Err(e) if e.kind() == ErrorKind::Interrupted => continue,
                Ok(0) => Err(ErrorKind::WriteZero.into()),
                other => other,
            };
            IoSlice::advance_slices(&mut rest, written.map_err(|e| failed(&self.path, e))?);
        }
        (self.blocks, self.bytes) = (0, 0);
        Ok(())
    }

    pub(crate) fn finish(mut self) -> Result<()> {
        self.add(&mut END.to_vec())?;
        self.write()?;
        self.file.finish_soon()
    }
}

/// Before the content of a block: its length and its checksum.
pub(super) const HEAD: usize = 8;

/// Begins a block, whose content is to be appended.
pub(super) fn begin(block: &mut Vec<u8>) {
    block.clear();
    block.resize(HEAD, 0);
}

/// Says how long the content is, and its checksum.
pub(super) fn seal(block: &mut [u8]) {
    let (head, content) = block.split_at_mut(HEAD);
    head[..4].copy_from_slice(&(content.len() as u32).to_le_bytes());
    head[4..].copy_from_slice(&crc32fast::hash(content).to_le_bytes());
}

fn failed(path: &Path, cause: std::io::Error) -> Error {
    Error::Io { file: path.display().to_string(), cause }
}

/// The blocks of a cache file.
pub(crate) struct Blocks {
    file: RegularFile,
    size: u64,
    /// Where the next block begins, and its first bytes.
    at: u64,
    head: [u8; END.len()],
    name: Arc<str>,
    /// How its source was read.
    how: String,
}

/// A block of a cache file.
#[derive(Clone)]
pub(crate) struct Block {
    length: usize,
    checksum: u32,
    name: Arc<str>,
}

impl Blocks {
    /// Opens a cache if it is whole and of this origin; with none, of whatever origin, as long as it is readable.
    pub(crate) fn open(path: &Path, origin: Option<&Origin>) -> Option<Self> {
        let mut file = RegularFile::open(path)?;
        let size = file.size().ok()?;
        let mut part = |at, part: &mut [u8]| file.read(at, part).is_ok_and(|count| count == part.len());
        let (mut magic, mut end, mut head) = ([0; MAGIC.len()], [0; END.len()], [0; END.len()]);
        let at = MAGIC.len() as u64;
        let whole =
            part(0, &mut magic) && part(size.checked_sub(END.len() as u64)?, &mut end) && part(at, &mut head);
        if !whole || (&magic, &end) != (MAGIC, END) {
            return None;
        }
        let name = path.display().to_string().into();
        let mut blocks = Self { file, size, at, head, name, how: String::new() };
        let mut bytes = Vec::new();
        let header = blocks.next(&mut bytes).ok()??;
        let found: Origin = postcard::from_bytes(header.bytes(&bytes).ok()?).ok()?;
        let usable = match origin {
            Some(origin) => found == *origin,
            None => found.is_readable(),
        };
        blocks.how = found.into_how();
        usable.then_some(blocks)
    }

    /// The name of the format that its source had.
    pub(crate) fn format(&self) -> &str {
        self.how.split(' ').next().unwrap_or_default()
    }

    /// How much of the file is through.
    pub(crate) fn share(&self) -> f64 {
        self.at as f64 / self.size as f64
    }

    /// The next block, whose bytes begin the buffer then; none at the end.
    pub(crate) fn next(&mut self, buffer: &mut Vec<u8>) -> Result<Option<Block>> {
        if self.head == *END && self.at + END.len() as u64 == self.size {
            return Ok(None);
        }
        let (name, broken) = (Arc::clone(&self.name), || damaged(&self.name));
        let (length, rest) = self.head.split_first_chunk().ok_or_else(broken)?;
        let (checksum, _) = rest.split_first_chunk().ok_or_else(broken)?;
        let (length, checksum) = (u32::from_le_bytes(*length), u32::from_le_bytes(*checksum));
        // With the head of what comes next: another block, or the end.
        let (start, wanted) = (self.at + HEAD as u64, u64::from(length) + END.len() as u64);
        if start + wanted > self.size {
            return Err(broken());
        }
        let (length, wanted) = (length as usize, wanted as usize);
        buffer.resize(buffer.len().max(wanted), 0);
        let count =
            self.file.read(start, &mut buffer[..wanted]).map_err(|cause| failed(Path::new(&*name), cause))?;
        if count < wanted {
            return Err(broken());
        }
        self.head.copy_from_slice(&buffer[length..wanted]);
        self.at = start + length as u64;
        Ok(Some(Block { length, checksum, name }))
    }
}

impl Block {
    /// What was stored, if it is what the buffer begins with.
    pub(crate) fn bytes<'a>(&self, buffer: &'a [u8]) -> Result<&'a [u8]> {
        let bytes = &buffer[..self.length];
        if crc32fast::hash(bytes) == self.checksum { Ok(bytes) } else { Err(self.damaged()) }
    }

    pub(crate) fn damaged(&self) -> Error {
        damaged(&self.name)
    }

    pub(crate) fn failed(&self, why: &str) -> Error {
        failed(Path::new(&*self.name), std::io::Error::other(why))
    }
}

fn damaged(name: &str) -> Error {
    Error::DamagedCache { file: name.into() }
}

/// Does the file begin like a cache?
pub(crate) fn is_cache(first: &[u8]) -> bool {
    first.starts_with(MAGIC)
}
