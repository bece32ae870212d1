//! The pieces of all inputs, one after the other: parts of the source that are to be parsed, or blocks of a cache.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use super::file::{Block, Blocks, is_cache};
use super::location::{Cache, path_of};
use super::origin::{CacheDestination, Origin};
use crate::error::{Error, Result};
use crate::limit::MemoryLimit;
use crate::ordered_map::Source;
use crate::source::encoding::Encoding;
use crate::source::input::{Content, Input, OpenedInput};
use crate::split::row_batches::RowBatches;
use crate::split::row_format::RowFormat;
use crate::split::text_pieces::{TextPiece, TextPieces};
use crate::split::{Piece, Splitting};

/// A part of one input. Its memory is used again.
pub(crate) struct InputPiece {
    /// Which input.
    pub(crate) input: usize,
    pub(crate) content: PieceContent,
}

/// What a part of an input is.
pub(crate) enum PieceContent {
    /// Records that are to be parsed, and then stored there if anywhere.
    Unparsed(Piece, Option<Arc<CacheDestination>>),
    /// What was parsed before, and its bytes.
    Cached(Block, Vec<u8>),
}

impl Default for InputPiece {
    fn default() -> Self {
        Self { input: 0, content: PieceContent::Unparsed(Piece::Text(TextPiece::default()), None) }
    }
}

impl PieceContent {
    /// Memory for a text: that of the last, if it was one.
    pub(crate) fn take_text(&mut self) -> TextPiece {
        match self {
            PieceContent::Unparsed(Piece::Text(text), _) => std::mem::take(text),
            PieceContent::Unparsed(Piece::Rows(_), _) | PieceContent::Cached(..) => TextPiece::default(),
        }
    }

    /// Memory for a block: that of the last, if it was one.
    fn take_bytes(&mut self) -> Vec<u8> {
        match self {
            PieceContent::Cached(_, bytes) => std::mem::take(bytes),
            PieceContent::Unparsed(..) => Vec::new(),
        }
    }
}

/// How inputs are read, pass after pass.
pub(crate) struct InputSettings {
    pub(crate) inputs: Arc<[Input]>,
    /// Counts the bytes read, before decompression.
    pub(crate) consumed: Arc<AtomicU64>,
    pub(crate) splitting: Splitting,
    /// How text is encoded that does not tell it.
    pub(crate) encoding: Option<Encoding>,
    /// How much memory a file may take that is read as a whole or in large parts.
    pub(crate) limit: MemoryLimit,
    /// Which caches are used.
    pub(crate) cache: Cache,
    /// How examples are read: a cache that was made in another way is of no use.
    pub(crate) how: String,
}

/// The pieces of one pass over the inputs.
pub(crate) struct InputPieces {
    settings: Arc<InputSettings>,
    /// What was opened to look at it.
    first: Option<OpenedInput>,
    /// The input that is being read; those up to `opened` have been opened.
    current: Option<OpenPieces>,
    opened: usize,
    /// Bytes of the inputs before it, and its own size.
    before: u64,
    size: u64,
    destination: Option<Arc<CacheDestination>>,
    /// The input whose cache is damaged.
    distrusted: Option<usize>,
    /// Where in the text of the first input that is opened the first piece begins.
    offset: Option<u64>,
}

enum OpenPieces {
    Text(Box<TextPieces>),
    Rows(RowBatches),
    Cache(Blocks),
}

impl InputPieces {
    /// All inputs, the first of which may be open already.
    pub(crate) fn new(settings: Arc<InputSettings>, first: Option<OpenedInput>) -> Self {
        settings.consumed.store(0, Ordering::Relaxed);
        let (current, opened, destination, distrusted) = (None, 0, None, None);
        Self { settings, first, current, opened, before: 0, size: 0, destination, distrusted, offset: None }
    }

    /// Only from this input on; if that is read as text, from this byte of it on.
    pub(crate) fn from_input(settings: Arc<InputSettings>, input: usize, offset: Option<u64>) -> Self {
        let before = settings.inputs[..input].iter().filter_map(Input::size).sum();
        let new = Self::new(settings, None);
        new.settings.consumed.store(before, Ordering::Relaxed);
        Self { opened: input, offset, ..new }
    }

    /// Only from this input on, whose cache is damaged.
    pub(crate) fn without_cache_of(settings: Arc<InputSettings>, input: usize) -> Self {
        Self { distrusted: Some(input), ..Self::from_input(settings, input, None) }
    }

    fn open_next(&mut self) -> Result<bool> {
        let settings = Arc::clone(&self.settings);
        let Some(input) = settings.inputs.get(self.opened) else { return Ok(false) };
        self.before = settings.consumed.load(Ordering::Relaxed);
        self.size = input.size().unwrap_or_default();
        // It is this input, or none: also if a cache is read instead.
        let first = self.first.take();
        let mut pieces = match self.find_cache(input) {
            Some(blocks) => OpenPieces::Cache(blocks),
            None => self.open(input, first)?,
        };
        if let (OpenPieces::Text(text), Some(offset)) = (&mut pieces, self.offset.take()) {
            text.go_to(offset).map_err(|cause| Error::Io { file: input.name(), cause })?;
            // A part would be taken for the whole.
            self.destination = None;
        }
        self.current = Some(pieces);
        self.opened += 1;
        Ok(true)
    }

    /// The blocks of the cache of an input, if that is to be read. If it is to be written, its destination is noted.
    fn find_cache(&mut self, input: &Input) -> Option<Blocks> {
        self.destination = None;
        let settings = &self.settings;
        if settings.cache == Cache::No {
            return None;
        }
        let Input::File(source) = input else { return None };
        let origin = Origin::of(source, &settings.how)?;
        let path = match &settings.cache {
            Cache::At(path) => path.clone(),
            Cache::No | Cache::Beside => {
                let path = path_of(source);
                let trusted = self.distrusted != Some(self.opened);
                if let Some(blocks) = trusted.then(|| Blocks::open(&path, Some(&origin))).flatten() {
                    return Some(blocks);
                }
                path
            }
        };
        let required = settings.cache != Cache::Beside;
        self.destination = Some(Arc::new(CacheDestination::new(path, source, origin, required)));
        None
    }

    fn open(&mut self, input: &Input, opened: Option<OpenedInput>) -> Result<OpenPieces> {
        let InputSettings { consumed, splitting, encoding, limit, .. } = &*self.settings;
        let failed = |cause| Error::Io { file: input.name(), cause };
        let mut opened = opened.map_or_else(|| input.open(consumed), Ok)?;
        if let Some(blocks) = given_cache(input, &opened)? {
            self.destination = None;
            consumed.store(self.before, Ordering::Relaxed);
            return Ok(OpenPieces::Cache(blocks));
        }
        if matches!(opened.content, Content::File(_)) {
            // It is read anew.
            consumed.store(self.before, Ordering::Relaxed);
        }
        if matches!(splitting, Splitting::Text(_)) {
            opened.decode(*encoding).map_err(failed)?;
        }
        Ok(match (opened.content, *splitting) {
            (Content::Stream(source), Splitting::Text(layout)) => {
                OpenPieces::Text(Box::new(TextPieces::of_stream(source, layout)))
            }
            (Content::Stream(source), Splitting::Rows(format)) => {
                // What is read is counted as it is read.
                self.size = 0;
                OpenPieces::Rows(RowBatches::of_stream(source, format, *limit).map_err(failed)?)
            }
            (Content::File(file), Splitting::Text(layout)) => {
                OpenPieces::Text(Box::new(TextPieces::of_file(file, layout)))
            }
            (Content::File(_), Splitting::Rows(format)) => {
                let Input::File(path) = input else { unreachable!("only a path leads to a regular file") };
                OpenPieces::Rows(RowBatches::of_file(path, format, *limit).map_err(failed)?)
            }
            (Content::Rows(rows), Splitting::Rows(RowFormat::Arrow)) => {
                self.size = 0;
                OpenPieces::Rows(rows)
            }
            (Content::Rows(_), Splitting::Rows(RowFormat::Parquet) | Splitting::Text(_)) => {
                return Err(failed(io::Error::other("it holds rows of a table: `format` can only be arrow")));
            }
        })
    }

    /// The next piece of the current input; nothing at its end.
    fn next_of_current(&mut self, piece: &mut InputPiece) -> Result<Option<PieceContent>> {
        let failed = |cause| Error::Io { file: self.settings.inputs[piece.input].name(), cause };
        let destination = || self.destination.clone().filter(|destination| !destination.is_given_up());
        let share = |share: f64| (share * self.size as f64) as u64;
        let (found, consumed) = match &mut self.current {
            None => (None, None),
            Some(OpenPieces::Text(pieces)) => {
                let mut text = piece.content.take_text();
                let more = pieces.next(&mut text).map_err(failed)?;
                let found = more.then(|| PieceContent::Unparsed(Piece::Text(text), destination()));
                (found, pieces.position())
            }
            Some(OpenPieces::Rows(batches)) => {
                let rows = batches.next().map_err(failed)?;
                let found = rows.map(|rows| PieceContent::Unparsed(Piece::Rows(rows), destination()));
                (found, (self.size > 0).then(|| share(batches.share())))
            }
            Some(OpenPieces::Cache(blocks)) => {
                let mut bytes = piece.content.take_bytes();
                let block = blocks.next(&mut bytes)?;
                (block.map(|block| PieceContent::Cached(block, bytes)), Some(share(blocks.share())))
            }
        };
        if let Some(consumed) = consumed {
            self.settings.consumed.store(self.before + consumed, Ordering::Relaxed);
        }
        Ok(found)
    }
}

/// The blocks of an input that is itself a cache.
pub(crate) fn given_cache(input: &Input, opened: &OpenedInput) -> Result<Option<Blocks>> {
    match input {
        Input::File(path) if is_cache(&opened.first) => {
            let unusable = "the cache is damaged, or was made by another version or build";
            let failed = || Error::Io { file: input.name(), cause: io::Error::other(unusable) };
            Blocks::open(path, None).map(Some).ok_or_else(failed)
        }
        Input::File(_) | Input::Stdin | Input::Bytes(..) | Input::Reader(_) => Ok(None),
    }
}

impl Source for InputPieces {
    type Item = InputPiece;
    type Error = Error;

    fn group_size(&self) -> usize {
        match &self.current {
            Some(OpenPieces::Text(text)) if !text.is_file() => 1,
            Some(OpenPieces::Cache(..) | OpenPieces::Text(_)) => 4,
            Some(OpenPieces::Rows(..)) | None => 1,
        }
    }

    fn threads_needed(&self, threads: usize) -> usize {
        match &self.current {
            // Blocks are read in less time than it takes to learn from them.
            Some(OpenPieces::Cache(..)) => threads.div_ceil(2),
            Some(OpenPieces::Text(_) | OpenPieces::Rows(..)) | None => threads,
        }
    }

    fn next(&mut self, piece: &mut InputPiece) -> Result<bool> {
        loop {
            if self.current.is_none() && !self.open_next()? {
                return Ok(false);
            }
            piece.input = self.opened - 1;
            match self.next_of_current(piece)? {
                Some(content) => {
                    piece.content = content;
                    return Ok(true);
                }
                None => self.current = None,
            }
        }
    }
}
