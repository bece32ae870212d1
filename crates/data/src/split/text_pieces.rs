//! Text in pieces of whole records.

use std::io::{self, Read};
use std::sync::Arc;

use super::array_items::ArrayItems;
use super::line::{ClosingQuote, Line};
use super::record_ends::{Quoting, RecordEnds, RecordSplitter, first_line, without_line_end};
use super::table_start::{Delimiter, TableStart, has_quotes};
use crate::files::regular_file::RegularFile;

/// Large enough that work per piece does not show, small enough that a few of them stay in the cache.
pub(crate) const PIECE: usize = 1 << 18;
/// No line of text data is this long; a binary file without line ends is.
const LONGEST: usize = 256 << 20;

/// Some programs begin UTF-8 with a mark that is no part of the text. Where inputs are opened it is passed over.
pub(crate) const MARK: &[u8] = b"\xef\xbb\xbf";

/// How the records of a text are laid out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Layout {
    /// Every line is a record.
    Lines,
    /// Every line is a record, or every item of one array if the text begins with a bracket.
    LinesOrArray,
    /// The first record names the columns, or says how many there are.
    Table {
        /// What separates the fields.
        delimiter: Delimiter,
        /// Is the first record the names of the columns, and not an example?
        header: bool,
    },
}

/// Whole records of one input. Its memory is used again for the next piece.
#[derive(Default)]
pub(crate) struct TextPiece {
    text: Vec<u8>,
    /// Where the whole records end. What comes after them is of no interest.
    end: usize,
    /// Where the records end, if they are not lines.
    ends: RecordEnds,
    /// The beginning of the input, if it is a table, and how many lines of it come before this piece.
    pub(crate) table: Option<Arc<TableStart>>,
    pub(crate) lines_before: u64,
    /// Are the records items of an array?
    pub(crate) is_array: bool,
    /// Bytes of the text that belong to the header.
    skipped: usize,
    /// Where the piece begins in the text.
    pub(crate) offset: u64,
}

impl TextPiece {
    /// All of it.
    pub(crate) fn text(&self) -> &[u8] {
        &self.text[..self.end]
    }

    /// The records, the header apart.
    pub(crate) fn records(&self) -> Records<'_> {
        let RecordEnds { records, quotes } = &self.ends;
        let header = usize::from(self.skipped > 0 && !records.is_empty());
        let ends = (!records.is_empty()).then(|| records[header..].iter());
        Records { text: &self.text[..self.end], start: self.skipped, ends, quotes }
    }
}

/// Whole records; only the last one of an input may lack its line end.
pub(crate) struct Records<'a> {
    text: &'a [u8],
    /// Where the next one begins.
    start: usize,
    /// Where they end, if they are not lines.
    ends: Option<std::slice::Iter<'a, usize>>,
    /// Where fields in quotes end, from the next record on.
    quotes: &'a [ClosingQuote],
}

impl<'a> Iterator for Records<'a> {
    type Item = Line<'a>;

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        let rest = &self.text[self.start..];
        if rest.is_empty() {
            return None;
        }
        let Some(ends) = &mut self.ends else {
            let length = first_line(rest).len();
            self.start += length;
            return Some(Line::new(rest, without_line_end(&rest[..length]).len()));
        };
        let (start, end) = (self.start, *ends.next()?);
        let quotes_before = |at: usize| self.quotes.iter().take_while(|quote| quote.at < at).count();
        // Those of the header are of no interest.
        let (first, last) = (quotes_before(start), quotes_before(end));
        let quotes = &self.quotes[first..last];
        (self.start, self.quotes) = (end, &self.quotes[last..]);
        Some(Line::new(rest, without_line_end(&rest[..end - start]).len()).with_quotes(quotes, start))
    }
}

/// The pieces of one text.
pub(crate) struct TextPieces {
    source: TextSource,
    layout: Layout,
    /// Where records end, or the items of an array if it is one.
    splitter: RecordSplitter,
    items: Option<ArrayItems>,
    /// The beginning of a table, once it was seen, and how much of the text was looked at for it.
    table: Option<Arc<TableStart>>,
    undecided: usize,
    /// Where the next piece begins in the text.
    at: u64,
}

enum TextSource {
    /// What can be read only once, and the beginning of the next record.
    Stream(Box<dyn Read + Send>, Vec<u8>),
    /// A plain file.
    File(RegularFile),
    /// All has been read.
    Nothing,
}

impl TextPieces {
    /// Of what can be read only once.
    pub(crate) fn of_stream(source: Box<dyn Read + Send>, layout: Layout) -> Self {
        Self::new(TextSource::Stream(source, Vec::new()), layout)
    }

    /// Of a plain file.
    pub(crate) fn of_file(file: RegularFile, layout: Layout) -> Self {
        Self::new(TextSource::File(file), layout)
    }

    fn new(source: TextSource, layout: Layout) -> Self {
        Self {
            source,
            layout,
            splitter: RecordSplitter::new(None),
            items: None,
            table: None,
            undecided: 0,
            at: 0,
        }
    }

    /// Need the next pieces not be waited for?
    pub(crate) fn is_file(&self) -> bool {
        matches!(self.source, TextSource::File(_))
    }

    /// How many bytes of a plain file are through.
    pub(crate) fn position(&self) -> Option<u64> {
        match self.source {
            TextSource::File(_) => Some(self.at),
            TextSource::Stream(..) | TextSource::Nothing => None,
        }
    }

    /// The next piece; `false` when there is none.
    pub(crate) fn next(&mut self, piece: &mut TextPiece) -> io::Result<bool> {
        (piece.table, piece.skipped, piece.lines_before, piece.offset) = (None, 0, 0, self.at);
        match std::mem::replace(&mut self.source, TextSource::Nothing) {
            TextSource::Nothing => return Ok(false),
            TextSource::File(mut file) => {
                piece.end = self.read_file(&mut file, self.at, &mut piece.text)?;
                if piece.end == 0 {
                    return Ok(false);
                }
                self.source = TextSource::File(file);
            }
            TextSource::Stream(mut source, mut rest) => {
                piece.text.clear();
                piece.text.append(&mut rest);
                let (end, more) = self.read_stream(source.as_mut(), &mut piece.text)?;
                piece.end = end;
                rest.extend_from_slice(&piece.text[end..]);
                if more {
                    self.source = TextSource::Stream(source, rest);
                }
                if end == 0 {
                    return Ok(false);
                }
            }
        }
        self.at += piece.end as u64;
        self.finish(piece);
        Ok(true)
    }

    /// Goes to where a piece began when the text was read before. The header is read first, which every piece needs.
    pub(crate) fn go_to(&mut self, offset: u64) -> io::Result<()> {
        if offset == 0 {
            return Ok(());
        }
        let mut first = TextPiece::default();
        if self.layout != Layout::Lines {
            self.next(&mut first)?;
        }
        match std::mem::replace(&mut self.source, TextSource::Nothing) {
            TextSource::File(file) => self.source = TextSource::File(file),
            other => {
                let (mut source, rest): (Box<dyn Read + Send>, _) = match other {
                    TextSource::Stream(source, rest) => (source, rest),
                    TextSource::File(_) | TextSource::Nothing => (Box::new(io::empty()), Vec::new()),
                };
                // What follows the header, as far as it is in memory, may be cut into other pieces than before.
                let mut held = first.text[..first.end].to_vec();
                held.extend_from_slice(&rest);
                let in_memory = offset.min(held.len() as u64);
                held.drain(..in_memory as usize);
                io::copy(&mut (&mut source).take(offset - in_memory), &mut io::sink())?;
                self.source = TextSource::Stream(source, held);
            }
        }
        self.at = offset;
        Ok(())
    }

    /// A whole text as one piece; `false` if there is nothing in it.
    pub(crate) fn whole(layout: Layout, text: &[u8], piece: &mut TextPiece) -> bool {
        let mut pieces = Self::new(TextSource::Nothing, layout);
        (piece.table, piece.skipped, piece.lines_before, piece.offset) = (None, 0, 0, 0);
        piece.text.clear();
        piece.text.extend_from_slice(text);
        piece.end = pieces.look(&piece.text, true);
        pieces.finish(piece);
        piece.end > 0
    }

    /// A piece begins.
    fn begin(&mut self) {
        self.splitter.begin();
        if let Some(items) = &mut self.items {
            items.begin();
        }
    }

    /// Says where the records of a piece end.
    fn finish(&mut self, piece: &mut TextPiece) {
        self.splitter.give_ends(&mut piece.ends);
        if let Some(items) = &mut self.items {
            items.give_ends(&mut piece.ends.records);
        }
        piece.is_array = self.items.is_some();
        self.note_header(piece);
    }

    /// Where the last whole record of a text ends that has grown since the last time. Of a table, its beginning must be seen first.
    fn look(&mut self, text: &[u8], at_end: bool) -> usize {
        if let (Layout::Table { delimiter, header }, None) = (self.layout, &self.table) {
            let new = &text[self.undecided.min(text.len())..];
            self.undecided = text.len();
            // Only a line that ends can decide anything.
            if !at_end && memchr::memchr(b'\n', new).is_none() {
                return 0;
            }
            let Some(start) = TableStart::of(text, delimiter, header, at_end) else { return 0 };
            let delimiter = start.delimiter;
            self.splitter = RecordSplitter::new(has_quotes(delimiter).then_some(Quoting { delimiter }));
            self.splitter.begin();
            self.table = Some(Arc::new(start));
        }
        if self.layout == Layout::LinesOrArray && self.undecided == 0 {
            let Some(first) = text.iter().find(|byte| !byte.is_ascii_whitespace()) else {
                return if at_end { text.len() } else { 0 };
            };
            self.undecided = text.len();
            self.items = (*first == b'[').then(ArrayItems::default);
        }
        match &mut self.items {
            Some(items) => items.look(text, at_end),
            None => self.splitter.look(text, at_end),
        }
    }

    /// Reads until the piece has a whole record and is full, or the input has nothing more to give for the moment: who
    /// types or pipes examples sees them learned at once. Where the last whole record ends; false at the end of the input.
    fn read_stream(&mut self, source: &mut dyn Read, text: &mut Vec<u8>) -> io::Result<(usize, bool)> {
        let mut filled = text.len();
        self.begin();
        loop {
            if text.len() < filled + PIECE / 2 {
                text.resize((filled + PIECE / 2).max(PIECE), 0);
            }
            let room = text.len() - filled;
            let count = match source.read(&mut text[filled..]) {
                Err(e) if e.kind() == io::ErrorKind::Interrupted => continue,
                other => other?,
            };
            filled += count;
            if count == 0 {
                text.truncate(filled);
                return Ok((self.look(text, true), false));
            }
            if filled >= PIECE || count < room {
                let whole = self.look(&text[..filled], false);
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

    /// Reads whole records from `at` on: those within a piece's usual length, or else the next. Where they end; at the end of the file, nowhere.
    fn read_file(&mut self, file: &mut RegularFile, at: u64, text: &mut Vec<u8>) -> io::Result<usize> {
        let mut usual = PIECE;
        self.begin();
        loop {
            text.resize(text.len().max(usual), 0);
            let count = file.read(at, &mut text[..usual])?;
            if count < usual {
                return Ok(self.look(&text[..count], true));
            }
            let whole = self.look(&text[..usual], false);
            if whole > 0 {
                return Ok(whole);
            }
            if usual >= LONGEST {
                return Err(endless());
            }
            usual *= 2;
        }
    }

    /// The first record of a table may name the columns.
    fn note_header(&mut self, piece: &mut TextPiece) {
        let Layout::Table { header, .. } = self.layout else { return };
        if header && piece.offset == 0 && piece.end > 0 {
            let text = &piece.text[..piece.end];
            let length = piece.ends.records.first().copied().unwrap_or_else(|| first_line(text).len());
            piece.lines_before =
                1 + memchr::memchr_iter(b'\n', without_line_end(&text[..length])).count() as u64;
            piece.skipped = length;
        }
        piece.table.clone_from(&self.table);
    }
}

fn endless() -> io::Error {
    io::Error::other("a line is too long: is this text?")
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

    fn pieces(text: &[u8], sizes: Vec<usize>) -> Vec<Vec<u8>> {
        let source = Box::new(Trickle(text.to_vec(), sizes));
        let mut pieces = TextPieces::of_stream(source, Layout::Lines);
        let (mut all, mut piece) = (Vec::new(), TextPiece::default());
        while pieces.next(&mut piece).unwrap() {
            all.push(piece.text[..piece.end].to_vec());
        }
        all
    }

    #[test]
    fn pieces_end_with_lines() {
        assert_eq!(pieces(b"a\r\nb\n\nc", Vec::new()), [&b"a\r\nb\n\n"[..], b"c"]);
        assert_eq!(pieces(b"a\n", Vec::new()), [b"a\n"]);
        assert!(pieces(b"", Vec::new()).is_empty());
    }

    #[test]
    fn a_line_longer_than_a_piece() {
        let long = [&vec![b'x'; 3 * PIECE + 5][..], b"\n"].concat();
        assert_eq!(pieces(&[&long[..], b"y"].concat(), Vec::new()), [&long[..], b"y"]);
    }

    #[test]
    fn files_are_cut_in_the_same_way() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a");
        let long = "x".repeat(3 * PIECE);
        for text in ["a\r\nb\n\nc", "a\n", "", &format!("a\n{long}\nb\n"), &long, &"abc\n".repeat(PIECE)] {
            std::fs::write(&path, text).unwrap();
            let mut pieces = TextPieces::of_file(RegularFile::open(&path).unwrap(), Layout::Lines);
            let (mut all, mut piece, mut position) = (Vec::new(), TextPiece::default(), 0);
            while pieces.next(&mut piece).unwrap() {
                assert!(all.is_empty() || all.ends_with(b"\n"));
                all.extend_from_slice(&piece.text[..piece.end]);
                position = pieces.position().unwrap();
            }
            assert!(all == text.as_bytes());
            assert_eq!(position, text.len() as u64);
        }
    }

    #[test]
    fn a_line_that_comes_is_not_kept_waiting() {
        assert_eq!(pieces(b"a\nb\nc\n", vec![2, 1, 3]), [b"a\n", b"b\n", b"c\n"]);
    }

    proptest! {
        #[test]
        fn sizes_do_not_matter(text in "[ab\n]{0,60}", sizes in prop::collection::vec(1..9usize, 0..20)) {
            let all = pieces(text.as_bytes(), sizes);
            prop_assert_eq!(all.concat(), text.as_bytes());
            let (last, others) = all.split_last().map_or((None, &[][..]), |(last, others)| (Some(last), others));
            prop_assert!(others.iter().all(|piece| piece.ends_with(b"\n")));
            prop_assert!(last.is_none_or(|last| !last.is_empty()));
        }
    }
}
