//! Pieces become examples, in whatever format they are.

use super::example_maker::{ExampleBuffers, ExampleBuilder, ExampleMaker};
use super::parsed_piece::{Note, ParsedPiece};
use crate::formats::record::{ParseBuffers, RecordFormat};
use crate::prepare::preparation::Prepare;
use crate::split::array_items::is_between_items;
use crate::split::line::Line;
use crate::split::text_pieces::{Layout, TextPiece};
use crate::split::{Piece, Splitting};

/// Makes examples of pieces, many at the same time.
pub(crate) trait PieceParser: Send + Sync {
    /// What it calls itself in caches.
    fn name(&self) -> &'static str;

    /// How inputs become pieces.
    fn splitting(&self) -> Splitting;

    /// Makes examples of all records of a piece.
    fn parse(
        &self,
        maker: &ExampleMaker,
        piece: &Piece,
        prepare: Prepare,
        buffers: &mut ExampleBuffers,
        parsed: &mut ParsedPiece,
    );
}

/// So much of an input is looked at to tell whether it is UTF-8. Who has another encoding most often has it from the beginning, and to look at
/// everything would cost time.
const LOOKED_AT: u64 = 4 << 20;

/// What is said of text that is not UTF-8.
fn not_utf8(piece: &TextPiece) -> Option<Note> {
    let text = piece.text();
    let wrong = std::str::from_utf8(text).err()?.valid_up_to();
    let line = 1 + memchr::memchr_iter(b'\n', &text[..wrong]).count() as u64;
    let message = "the text is not UTF-8; it looks like latin-1 (Windows-1252): use `encoding` latin-1";
    Some(Note { line, message: message.into() })
}

/// An item of an array, without what stands between items. Places count items there, because many may be on one line.
fn item(line: Line<'_>) -> Line<'_> {
    let record = line.bytes();
    let between = record.iter().take_while(|byte| is_between_items(**byte)).count();
    Line::from(record[between..].trim_ascii_end())
}

/// Parses text, record by record.
pub(crate) struct RecordParser<F>(pub(crate) F);

impl<F: RecordFormat> PieceParser for RecordParser<F> {
    fn name(&self) -> &'static str {
        F::NAME_IN_CACHES
    }

    fn splitting(&self) -> Splitting {
        Splitting::Text(self.0.layout())
    }

    fn parse(
        &self,
        maker: &ExampleMaker,
        piece: &Piece,
        prepare: Prepare,
        buffers: &mut ExampleBuffers,
        parsed: &mut ParsedPiece,
    ) {
        let Piece::Text(text) = piece else { return };
        parsed.lines = text.lines_before;
        let mut format = self.0.clone();
        if let Some(table) = &text.table {
            parsed.delimiter = Some(table.delimiter);
            if let Err(fault) = format.begin(table) {
                parsed.header_fault = Some(fault);
                return;
            }
            if text.offset == 0 {
                let notes = format.notes(table).into_iter();
                parsed.notes.extend(notes.map(|message| Note { line: 1, message }));
            }
        }
        if F::HAS_TEXT && text.offset < LOOKED_AT {
            parsed.notes.extend(not_utf8(text));
        }
        buffers.begin_piece();
        let several_lines = matches!(format.layout(), Layout::Table { .. });
        for line in text.records() {
            let line = if text.is_array { item(line) } else { line };
            let record = line.bytes();
            if text.is_array && record.is_empty() {
                continue;
            }
            let parse = |buffers: &mut ParseBuffers, example: &mut ExampleBuilder| {
                format.parse(line, buffers, example)
            };
            let keep = |out: &mut Vec<u8>| {
                let start = out.len();
                out.extend_from_slice(record);
                if text.is_array {
                    // Kept on one line, items of an array are JSON lines.
                    out[start..].iter_mut().filter(|byte| **byte == b'\n').for_each(|byte| *byte = b' ');
                }
            };
            maker.add(parse, keep, prepare, buffers, parsed);
            if several_lines {
                parsed.lines += memchr::memchr_iter(b'\n', record).count() as u64;
            }
        }
    }
}
