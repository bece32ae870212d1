//! The inputs in pieces: chunks of whole lines, or blocks of a cache.

use std::io::Read;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use thalweg_core::Batch;

use crate::cache::{self, Block, Blocks, Origin};
use crate::error::{Error, Result};
use crate::mapped::{MappedFile, Slice};
use crate::pipeline::Pieces;
use crate::source::{Input, Opened};

/// Large enough that work per chunk does not show, small enough that a few of them stay in the cache.
const CHUNK: usize = 1 << 18;
/// No line of text data is this long; a binary file without line ends is.
const LONGEST: usize = 256 << 20;

/// A part of one input. Whatever it is, its memory is used again.
#[derive(Default)]
pub(crate) struct Piece {
    /// Which input.
    pub(crate) input: usize,
    text: Vec<u8>,
    /// Where the whole lines end.
    end: usize,
    /// Lines that need not be copied, instead of the text.
    mapped: Option<Slice>,
    /// What to read instead of the text.
    pub(crate) block: Option<Block>,
    /// What the portion is to be stored under.
    pub(crate) origin: Option<Arc<Origin>>,
    pub(crate) scratch: cache::Scratch,
    /// Examples before they are prepared.
    pub(crate) raw: Batch,
}

impl Piece {
    /// Whole lines; only the last one of an input may lack its line end.
    pub(crate) fn text(&self) -> &[u8] {
        self.mapped.as_deref().unwrap_or(&self.text[..self.end])
    }
}

/// The pieces of several inputs, one after the other.
pub(crate) struct Chunks {
    inputs: Arc<[Input]>,
    /// The input that is being read, and those that are through.
    current: Current,
    opened: usize,
    consumed: Arc<AtomicU64>,
    /// The beginning of the next line.
    rest: Vec<u8>,
    /// How examples are read, if caches are to be used.
    cached: Option<String>,
    origin: Option<Arc<Origin>>,
}

enum Current {
    Nothing,
    Text(Box<dyn Read + Send>),
    /// A plain file, and where the next chunk begins.
    Mapped(MappedFile, u64),
    /// A cache, the size of what is read, and how much of it was read before.
    Cache(Blocks, u64, u64),
}

impl Chunks {
    /// `consumed` counts the bytes read, before decompression; `cached` says how examples are read, if caches are to be
    /// used.
    pub(crate) fn new(inputs: Arc<[Input]>, consumed: Arc<AtomicU64>, cached: Option<String>) -> Self {
        consumed.store(0, Ordering::Relaxed);
        Self {
            inputs,
            current: Current::Nothing,
            opened: 0,
            consumed,
            rest: Vec::new(),
            cached,
            origin: None,
        }
    }

    fn open_next(&mut self) -> Result<bool> {
        let Some(input) = self.inputs.get(self.opened) else { return Ok(false) };
        self.origin = None;
        let before = self.consumed.load(Ordering::Relaxed);
        let size = input.size().unwrap_or_default();
        let mut stored = None;
        if let (Input::File(path), Some(how)) = (input, &self.cached)
            && let Some(origin) = Origin::of(path, how)
        {
            stored = Blocks::open(&cache::path_of(path), Some(&origin));
            self.origin = stored.is_none().then(|| Arc::new(origin));
        }
        self.current = match stored {
            Some(blocks) => Current::Cache(blocks, size, before),
            None => match input.open(&self.consumed)? {
                Opened::Text(source) => Current::Text(source),
                Opened::Plain(file) => {
                    self.consumed.store(before, Ordering::Relaxed);
                    Current::Mapped(file, 0)
                }
                Opened::Cache(blocks) => {
                    self.origin = None;
                    self.consumed.store(before, Ordering::Relaxed);
                    Current::Cache(blocks, size, before)
                }
            },
        };
        self.opened += 1;
        Ok(true)
    }

    /// Reads until the chunk has a whole line and is full, or the input has nothing more to give for the moment: who
    /// types or pipes examples sees them learned at once. False at the end of the input.
    fn fill(source: &mut dyn Read, text: &mut Vec<u8>) -> std::io::Result<(usize, bool)> {
        let mut filled = text.len();
        let mut searched = 0;
        let mut whole = None;
        loop {
            if text.len() < filled + CHUNK / 2 {
                text.resize((filled + CHUNK / 2).max(CHUNK), 0);
            }
            let room = text.len() - filled;
            let count = match source.read(&mut text[filled..]) {
                Err(e) if e.kind() == std::io::ErrorKind::Interrupted => continue,
                other => other?,
            };
            filled += count;
            if count == 0 {
                text.truncate(filled);
                return Ok((filled, false));
            }
            whole = memchr::memrchr(b'\n', &text[searched..filled]).map(|at| searched + at + 1).or(whole);
            searched = filled;
            if let Some(whole) = whole
                && (filled >= CHUNK || count < room)
            {
                text.truncate(filled);
                return Ok((whole, true));
            }
            if whole.is_none() && filled >= LONGEST {
                return Err(endless());
            }
        }
    }
}

/// Whole lines from `at` on: up to the last line end within a chunk's usual length, or else up to the next.
fn next_lines(file: &mut MappedFile, at: u64) -> std::io::Result<Slice> {
    let mut least = CHUNK;
    loop {
        let rest = file.from(at, least as u64)?;
        let usual = &rest[..least.min(rest.len())];
        let whole = memchr::memrchr(b'\n', usual).map(|last| last + 1);
        if at + usual.len() as u64 == file.size() {
            let length = usual.len();
            return Ok(rest.first(length));
        }
        if let Some(whole) = whole {
            return Ok(rest.first(whole));
        }
        if least >= LONGEST {
            return Err(endless());
        }
        least *= 2;
    }
}

fn endless() -> std::io::Error {
    std::io::Error::other("a line without an end: is this text?")
}

impl Pieces for Chunks {
    type Piece = Piece;

    fn next(&mut self, piece: &mut Piece) -> Result<bool> {
        loop {
            piece.input = self.opened.saturating_sub(1);
            piece.origin.clone_from(&self.origin);
            (piece.block, piece.mapped) = (None, None);
            piece.text.clear();
            match &mut self.current {
                Current::Nothing => {
                    if !self.open_next()? {
                        return Ok(false);
                    }
                }
                Current::Cache(blocks, size, before) => {
                    piece.end = 0;
                    piece.block = blocks.next()?;
                    let consumed = *before + (blocks.share() * *size as f64) as u64;
                    self.consumed.store(consumed, Ordering::Relaxed);
                    if piece.block.is_some() {
                        return Ok(true);
                    }
                    self.current = Current::Nothing;
                }
                Current::Mapped(file, at) if *at < file.size() => {
                    let failed = |cause| Error::Io { file: self.inputs[piece.input].name(), cause };
                    let lines = next_lines(file, *at).map_err(failed)?;
                    *at += lines.len() as u64;
                    self.consumed.fetch_add(lines.len() as u64, Ordering::Relaxed);
                    piece.mapped = Some(lines);
                    return Ok(true);
                }
                Current::Mapped(..) => self.current = Current::Nothing,
                Current::Text(source) => {
                    piece.text.append(&mut self.rest);
                    let failed = |cause| Error::Io { file: self.inputs[piece.input].name(), cause };
                    let (end, more) = Self::fill(source.as_mut(), &mut piece.text).map_err(failed)?;
                    piece.end = end;
                    self.rest.extend_from_slice(&piece.text[end..]);
                    if !more {
                        self.current = Current::Nothing;
                    }
                    if end > 0 {
                        return Ok(true);
                    }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Gives its bytes in pieces of the sizes asked for.
    struct Trickle(Vec<u8>, Vec<usize>);

    impl Read for Trickle {
        fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
            let count = self.1.pop().unwrap_or(usize::MAX).min(self.0.len()).min(buffer.len());
            buffer[..count].copy_from_slice(&self.0[..count]);
            self.0.drain(..count);
            Ok(count)
        }
    }

    fn chunks(text: &[u8], pieces: Vec<usize>) -> Vec<Vec<u8>> {
        let mut chunks = Chunks::new(Arc::from([Input::Stdin]), Arc::default(), None);
        chunks.opened = 1;
        chunks.current = Current::Text(Box::new(Trickle(text.to_vec(), pieces)));
        let (mut all, mut chunk) = (Vec::new(), Piece::default());
        while chunks.next(&mut chunk).unwrap() {
            all.push(chunk.text().to_vec());
        }
        all
    }

    #[test]
    fn chunks_end_with_lines() {
        assert_eq!(chunks(b"a\r\nb\n\nc", Vec::new()), [&b"a\r\nb\n\n"[..], b"c"]);
        assert_eq!(chunks(b"a\n", Vec::new()), [b"a\n"]);
        assert!(chunks(b"", Vec::new()).is_empty());
    }

    #[test]
    fn a_line_longer_than_a_chunk() {
        let long = [&vec![b'x'; 3 * CHUNK + 5][..], b"\n"].concat();
        assert_eq!(chunks(&[&long[..], b"y"].concat(), Vec::new()), [&long[..], b"y"]);
    }

    #[test]
    fn files_are_cut_in_the_same_way() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a");
        let long = "x".repeat(3 * CHUNK);
        for text in ["a\r\nb\n\nc", "a\n", "", &format!("a\n{long}\nb\n"), &long, &"abc\n".repeat(CHUNK)] {
            std::fs::write(&path, text).unwrap();
            let consumed = Arc::default();
            let inputs = [Input::File(path.clone()), Input::File(path.clone())];
            let mut chunks = Chunks::new(Arc::from(inputs), Arc::clone(&consumed), None);
            let (mut all, mut piece) = ([Vec::new(), Vec::new()], Piece::default());
            while chunks.next(&mut piece).unwrap() {
                let so_far = &mut all[piece.input];
                assert!(so_far.is_empty() || so_far.ends_with(b"\n"));
                so_far.extend_from_slice(piece.text());
            }
            assert!(all.iter().all(|all| all == text.as_bytes()));
            assert_eq!(consumed.load(Ordering::Relaxed), 2 * text.len() as u64);
        }
    }

    #[test]
    fn a_line_that_comes_is_not_kept_waiting() {
        assert_eq!(chunks(b"a\nb\nc\n", vec![2, 1, 3]), [b"a\n", b"b\n", b"c\n"]);
    }

    proptest! {
        #[test]
        fn pieces_do_not_matter(text in "[ab\n]{0,60}", pieces in prop::collection::vec(1..9usize, 0..20)) {
            let all = chunks(text.as_bytes(), pieces);
            prop_assert_eq!(all.concat(), text.as_bytes());
            let (last, others) = all.split_last().map_or((None, &[][..]), |(last, others)| (Some(last), others));
            prop_assert!(others.iter().all(|chunk| chunk.ends_with(b"\n")));
            prop_assert!(last.is_none_or(|last| !last.is_empty()));
        }
    }
}
