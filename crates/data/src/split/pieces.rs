//! The inputs in pieces: chunks of whole lines, batches of rows, or blocks of a cache.

use std::io::Read;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use arrow_array::RecordBatch;
use thalweg_core::Batch;

use crate::cache::{self, Block, Blocks, Cache, Destination, Origin};
use crate::error::{Error, Result};
use crate::examples::piece_parser::Buffers;
use crate::files::regular_file::RegularFile;
use crate::formats::Format;
use crate::formats::record::Quoting;
use crate::limit::MemoryLimit;
use crate::ordered_map::Pieces;
use crate::source::input::{Input, Opened};
use crate::split::record_ends::{Splitter, first_line};
use crate::split::row_batches::RowBatches;

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
    /// Where the whole lines end. What comes after them is of no interest.
    end: usize,
    /// Where the records end, if they are not lines.
    ends: Vec<usize>,
    /// Rows of a format that has no text.
    rows: Option<RecordBatch>,
    /// The block that is there instead of the text.
    block: Option<Block>,
    /// Where the portion is to be stored.
    pub(crate) destination: Option<Arc<Destination>>,
    /// The first record of the input, where that names the columns, and how many lines of it come before this piece.
    pub(crate) header: Option<Arc<[u8]>>,
    pub(crate) lines_before: u64,
    /// Bytes of the text that belong to the header.
    skipped: usize,
    pub(crate) scratch: cache::Scratch,
    buffers: Buffers,
    /// Examples before they are prepared.
    pub(crate) raw: Batch,
}

impl Piece {
    /// The rows, and memory to read them with.
    pub(crate) fn rows(&mut self) -> (Option<&RecordBatch>, &mut Buffers) {
        (self.rows.as_ref(), &mut self.buffers)
    }

    /// The block that the piece is, if it is one, with its bytes and memory to read it with.
    pub(crate) fn block(&mut self) -> Option<(&Block, &[u8], &mut cache::Scratch)> {
        self.block.as_ref().map(|block| (block, &self.text[..], &mut self.scratch))
    }

    /// The text, and memory to read it with.
    pub(crate) fn parts(&mut self) -> (Records<'_>, &mut Buffers) {
        let header = usize::from(self.skipped > 0 && !self.ends.is_empty());
        let ends = (!self.ends.is_empty()).then(|| self.ends[header..].iter());
        (Records { text: &self.text[..self.end], start: self.skipped, ends }, &mut self.buffers)
    }
}

/// Whole records; only the last one of an input may lack its line end.
pub(crate) struct Records<'a> {
    text: &'a [u8],
    /// Where the next one begins.
    start: usize,
    /// Where they end, if they are not lines.
    ends: Option<std::slice::Iter<'a, usize>>,
}

impl<'a> Iterator for Records<'a> {
    /// The text from the record on, and the length of the record without its line end.
    type Item = (&'a [u8], usize);

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        let rest = &self.text[self.start..];
        if rest.is_empty() {
            return None;
        }
        let length = match &mut self.ends {
            None => first_line(rest).len(),
            Some(ends) => ends.next()? - self.start,
        };
        self.start += length;
        Some((rest, without_line_end(&rest[..length]).len()))
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
    /// Which caches are to be used, and how examples are read.
    cache: Cache,
    how: String,
    destination: Option<Arc<Destination>>,
    /// Where records end.
    splitter: Splitter,
    /// Does the first record of an input name the columns, or say how many there are?
    table: bool,
    /// Is the first record an example, and not the names of the columns?
    headless: bool,
    header: Option<Arc<[u8]>>,
    /// What was opened to look at it.
    first: Option<Opened>,
    /// The format, if it is one of columns.
    columnar: Option<Format>,
    limit: MemoryLimit,
    /// The input whose cache is damaged.
    distrusted: Option<usize>,
}

enum Current {
    Nothing,
    Text(Box<dyn Read + Send>),
    /// A plain file, and where the next chunk begins.
    File(RegularFile, u64),
    /// A cache, the size of what is read, and how much of it was read before.
    Cache(Blocks, u64, u64),
    /// Columns, the size of what is read, and how much of it was read before.
    Rows(RowBatches, u64, u64),
}

impl Chunks {
    /// `consumed` counts the bytes read, before decompression.
    pub(crate) fn new(inputs: Arc<[Input]>, consumed: Arc<AtomicU64>) -> Self {
        consumed.store(0, Ordering::Relaxed);
        Self {
            inputs,
            current: Current::Nothing,
            opened: 0,
            consumed,
            rest: Vec::new(),
            cache: Cache::No,
            how: String::new(),
            destination: None,
            splitter: Splitter::default(),
            table: false,
            headless: false,
            header: None,
            first: None,
            columnar: None,
            limit: MemoryLimit::default(),
            distrusted: None,
        }
    }

    /// The same, but only from this input on, whose cache is damaged.
    pub(crate) fn without_cache_of(self, input: usize) -> Self {
        let before = self.inputs[..input].iter().filter_map(Input::size).sum();
        self.consumed.store(before, Ordering::Relaxed);
        Self { opened: input, distrusted: Some(input), ..self }
    }

    /// The same with caches; `how` says how examples are read.
    pub(crate) fn cached(self, cache: Cache, how: String) -> Self {
        Self { cache, how, ..self }
    }

    /// The same for formats of columns.
    pub(crate) fn of_columns(self, format: Format, limit: MemoryLimit) -> Self {
        Self { columnar: Some(format), limit, ..self }
    }

    /// The same for tables.
    pub(crate) fn of_table(self, quoting: Option<Quoting>, headless: bool) -> Self {
        Self { splitter: Splitter::new(quoting), table: true, headless, ..self }
    }

    /// The same, with the first input open already.
    pub(crate) fn opened(self, first: Option<Opened>) -> Self {
        Self { first, ..self }
    }

    fn open_next(&mut self) -> Result<bool> {
        let Some(input) = self.inputs.get(self.opened) else { return Ok(false) };
        (self.destination, self.header) = (None, None);
        self.splitter.begin_input();
        let before = self.consumed.load(Ordering::Relaxed);
        let size = input.size().unwrap_or_default();
        let failed = |cause| Error::Io { file: input.name(), cause };
        // It is this input, or none: also if a cache is read instead.
        let first = self.first.take();
        let mut stored = None;
        if self.cache != Cache::No
            && let Input::File(source) = input
            && let Some(origin) = Origin::of(source, &self.how)
        {
            let path = match &self.cache {
                Cache::At(path) => path.clone(),
                Cache::No | Cache::Beside => {
                    let path = cache::path_of(source);
                    let trusted = self.distrusted != Some(self.opened);
                    stored = trusted.then(|| Blocks::open(&path, Some(&origin))).flatten();
                    path
                }
            };
            let required = self.cache != Cache::Beside;
            let new = || Arc::new(Destination::new(path, source, origin, required));
            self.destination = stored.is_none().then(new);
        }
        self.current = match stored {
            Some(blocks) => Current::Cache(blocks, size, before),
            None => match first.map_or_else(|| input.open(&self.consumed), Ok)? {
                Opened::Text(source) => match self.columnar {
                    Some(format) => Current::Rows(
                        RowBatches::of_stream(source, format, self.limit).map_err(failed)?,
                        0,
                        0,
                    ),
                    None => Current::Text(source),
                },
                Opened::Plain(file) => {
                    self.consumed.store(before, Ordering::Relaxed);
                    match (self.columnar, input) {
                        (Some(format), Input::File(path)) => Current::Rows(
                            RowBatches::of_file(path, format, self.limit).map_err(failed)?,
                            size,
                            before,
                        ),
                        _ => Current::File(file, 0),
                    }
                }
                Opened::Cache(blocks) => {
                    self.destination = None;
                    self.consumed.store(before, Ordering::Relaxed);
                    Current::Cache(blocks, size, before)
                }
            },
        };
        self.opened += 1;
        Ok(true)
    }

    /// Reads until the chunk has a whole record and is full, or the input has nothing more to give for the moment: who
    /// types or pipes examples sees them learned at once. Where the last whole record ends; false at the end of the input.
    fn fill(&mut self, source: &mut dyn Read, text: &mut Vec<u8>) -> std::io::Result<(usize, bool)> {
        let mut filled = text.len();
        self.splitter.begin();
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
                return Ok((self.splitter.look(text, true), false));
            }
            if filled >= CHUNK || count < room {
                let whole = self.splitter.look(&text[..filled], false);
                if whole > 0 {
                    text.truncate(filled);
                    return Ok((whole, true));
                }
            }
            if filled >= LONGEST {
                return Err(endless());
            }
        }
    }

    /// Reads whole records from `at` on: those within a chunk's usual length, or else the next. Where they end; at the end of the file, nowhere.
    fn next_records(
        &mut self,
        file: &mut RegularFile,
        at: u64,
        text: &mut Vec<u8>,
    ) -> std::io::Result<usize> {
        let mut usual = CHUNK;
        self.splitter.begin();
        loop {
            text.resize(text.len().max(usual), 0);
            let count = file.read(at, &mut text[..usual])?;
            if count < usual {
                return Ok(self.splitter.look(&text[..count], true));
            }
            let whole = self.splitter.look(&text[..usual], false);
            if whole > 0 {
                return Ok(whole);
            }
            if usual >= LONGEST {
                return Err(endless());
            }
            usual *= 2;
        }
    }

    /// The piece ends with whole records. The first record of an input names the columns.
    fn finish(&mut self, piece: &mut Piece) {
        self.splitter.give_ends(&mut piece.ends);
        if !self.table {
            return;
        }
        if self.header.is_none() {
            let text = &piece.text[..piece.end];
            let length = piece.ends.first().copied().unwrap_or_else(|| first_line(text).len());
            let first: Arc<[u8]> = without_line_end(&text[..length]).into();
            if !self.headless {
                piece.lines_before = 1 + memchr::memchr_iter(b'\n', &first).count() as u64;
                piece.skipped = length;
            }
            self.header = Some(first);
        }
        piece.header.clone_from(&self.header);
    }
}

/// A record without the line end that it may have.
pub(crate) fn without_line_end(record: &[u8]) -> &[u8] {
    let record = record.strip_suffix(b"\n").unwrap_or(record);
    record.strip_suffix(b"\r").unwrap_or(record)
}

fn endless() -> std::io::Error {
    std::io::Error::other("a line without an end: is this text?")
}

impl Pieces for Chunks {
    type Piece = Piece;

    fn together(&self) -> usize {
        match self.current {
            Current::Cache(..) | Current::File(..) => 4,
            Current::Nothing | Current::Text(_) | Current::Rows(..) => 1,
        }
    }

    fn enough(&self, threads: usize) -> usize {
        match self.current {
            // Blocks are read in less time than it takes to learn from them.
            Current::Cache(..) => threads.div_ceil(2),
            Current::Nothing | Current::Text(_) | Current::File(..) | Current::Rows(..) => threads,
        }
    }

    fn next(&mut self, piece: &mut Piece) -> Result<bool> {
        loop {
            piece.input = self.opened.saturating_sub(1);
            piece.destination = self.destination.clone().filter(|destination| !destination.is_given_up());
            (piece.block, piece.rows, piece.header) = (None, None, None);
            (piece.end, piece.skipped, piece.lines_before) = (0, 0, 0);
            let inputs = Arc::clone(&self.inputs);
            let failed = |cause| Error::Io { file: inputs[piece.input].name(), cause };
            match std::mem::replace(&mut self.current, Current::Nothing) {
                Current::Nothing => {
                    if !self.open_next()? {
                        return Ok(false);
                    }
                }
                Current::Cache(mut blocks, size, before) => {
                    piece.block = blocks.next(&mut piece.text)?;
                    let consumed = before + (blocks.share() * size as f64) as u64;
                    self.consumed.store(consumed, Ordering::Relaxed);
                    if piece.block.is_some() {
                        self.current = Current::Cache(blocks, size, before);
                        return Ok(true);
                    }
                }
                Current::Rows(mut batches, size, before) => {
                    piece.rows = batches.next().map_err(failed)?;
                    if size > 0 {
                        let consumed = before + (batches.share() * size as f64) as u64;
                        self.consumed.store(consumed, Ordering::Relaxed);
                    }
                    if piece.rows.is_some() {
                        self.current = Current::Rows(batches, size, before);
                        return Ok(true);
                    }
                }
                Current::File(mut file, at) => {
                    piece.end = self.next_records(&mut file, at, &mut piece.text).map_err(failed)?;
                    if piece.end > 0 {
                        self.consumed.fetch_add(piece.end as u64, Ordering::Relaxed);
                        self.current = Current::File(file, at + piece.end as u64);
                        self.finish(piece);
                        return Ok(true);
                    }
                }
                Current::Text(mut source) => {
                    piece.text.clear();
                    piece.text.append(&mut self.rest);
                    let (end, more) = self.fill(source.as_mut(), &mut piece.text).map_err(failed)?;
                    piece.end = end;
                    self.rest.extend_from_slice(&piece.text[end..]);
                    if more {
                        self.current = Current::Text(source);
                    }
                    if end > 0 {
                        self.finish(piece);
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
        let mut chunks = Chunks::new(Arc::from([Input::Stdin]), Arc::default());
        chunks.opened = 1;
        chunks.current = Current::Text(Box::new(Trickle(text.to_vec(), pieces)));
        let (mut all, mut chunk) = (Vec::new(), Piece::default());
        while chunks.next(&mut chunk).unwrap() {
            all.push(chunk.text[..chunk.end].to_vec());
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
            let mut chunks = Chunks::new(Arc::from(inputs), Arc::clone(&consumed));
            let (mut all, mut piece) = ([Vec::new(), Vec::new()], Piece::default());
            while chunks.next(&mut piece).unwrap() {
                let so_far = &mut all[piece.input];
                assert!(so_far.is_empty() || so_far.ends_with(b"\n"));
                so_far.extend_from_slice(&piece.text[..piece.end]);
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
