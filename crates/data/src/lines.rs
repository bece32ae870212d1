//! Chunks of text whose every line is an example.

use thalweg_core::batch::{Draft, NotFinite, Tidied};
use thalweg_core::{Batch, Real};

use crate::cache::{decode, encode};
use crate::chunks::Piece;
use crate::error::Fault;
use crate::features::Prepare;
use crate::formats::{Line, LineFormat, Sink};
use crate::pipeline::Digest;
use crate::portion::{BadRecord, LocalLabel, Portion};

/// Reads chunks of a format.
pub(crate) struct LineReader<F> {
    pub(crate) format: F,
    /// What is done to every example.
    pub(crate) prepare: Prepare,
    /// May examples lack a label?
    pub(crate) unlabelled: bool,
}

impl<F: LineFormat> Digest<Piece> for LineReader<F> {
    fn digest(&self, piece: &mut Piece, portion: &mut Portion) {
        if let Some(block) = &piece.block {
            let read = block.bytes();
            let decoded = read
                .and_then(|bytes| decode(bytes, &mut piece.scratch, portion).ok_or_else(|| block.damaged()));
            portion.failure = decoded.err();
            self.prepare_all(&mut piece.raw, portion);
        } else if piece.origin.is_some() {
            // What is stored has not been prepared.
            self.read_all(piece.text(), Prepare::default(), portion);
            let mut encoded = std::mem::take(&mut portion.encoded);
            encode(portion, &mut piece.scratch, &mut encoded);
            portion.encoded = encoded;
            portion.origin.clone_from(&piece.origin);
            self.prepare_all(&mut piece.raw, portion);
        } else {
            self.read_all(piece.text(), self.prepare, portion);
        }
        portion.input = piece.input;
    }
}

impl<F: LineFormat> LineReader<F> {
    /// What influences how examples are read, besides their source.
    pub(crate) fn how(&self) -> String {
        format!("{} unlabelled={}", F::NAME, self.unlabelled)
    }

    fn prepare_all(&self, raw: &mut Batch, portion: &mut Portion) {
        if self.prepare == Prepare::default() {
            return;
        }
        raw.clear();
        std::mem::swap(raw, &mut portion.batch);
        portion.batch.clear();
        for i in 0..raw.len() {
            let mut draft = portion.batch.draft();
            let row = raw.row(i);
            row.indices.iter().zip(row.values).for_each(|(feature, x)| draft.feature(*feature, *x));
            let (label, weight) = (raw.labels()[i], raw.weights()[i]);
            let prepared = self.prepare.apply(&mut draft).and_then(|_| draft.commit(label, weight));
            prepared.expect("no value grows when a row is divided by its length");
        }
    }

    fn read_all(&self, text: &[u8], prepare: Prepare, portion: &mut Portion) {
        portion.clear();
        let mut start = 0;
        while start < text.len() {
            let rest = &text[start..];
            let end = memchr::memchr(b'\n', rest).unwrap_or(rest.len());
            let length = if end > 0 && rest[end - 1] == b'\r' { end - 1 } else { end };
            start += end + 1;
            portion.lines += 1;
            match self.read(Line::new(rest, length), prepare, portion) {
                Ok(Some(Tidied::Sorted)) => portion.sorted += 1,
                Ok(_) => {}
                Err(fault) => {
                    let (line, text) = (portion.lines, rest[..length].to_vec());
                    portion.bad.push(BadRecord { line, fault, text });
                }
            }
        }
    }

    fn read(&self, line: Line, prepare: Prepare, portion: &mut Portion) -> Result<Option<Tidied>, Fault> {
        let Portion { batch, labels, lines, label: text, .. } = portion;
        text.clear();
        let before = batch.len();
        let mut example = Example { draft: batch.draft(), text, label_at: None };
        if !self.format.parse(line, &mut example)? {
            return Ok(None);
        }
        let Example { mut draft, text, label_at } = example;
        let overflow = |e: NotFinite| Fault { column: 1, message: e.to_string() };
        let tidied = prepare.apply(&mut draft).map_err(overflow)?;
        let class = match label_at {
            Some(at) if is_not_finite(text) => {
                return Err(Fault::at(at, "a label must be a word or a finite number", text));
            }
            Some(at) => {
                let seen = || LocalLabel { text: text.clone(), line: *lines, column: at + 1, before };
                Some(labels.number(text, seen))
            }
            None if self.unlabelled => None,
            None => return Err(Fault { column: 1, message: "the line has no label".into() }),
        };
        draft.commit(class, 1.0).map_err(overflow)?;
        Ok(Some(tidied))
    }
}

/// An example in the making.
struct Example<'a> {
    draft: Draft<'a>,
    /// The label as written, and where it stands if there is one.
    text: &'a mut Vec<u8>,
    label_at: Option<usize>,
}

impl Sink for Example<'_> {
    #[inline]
    fn number(&mut self, feature: u32, value: Real) {
        self.draft.feature(feature, value);
    }

    fn label(&mut self, text: &[u8], at: usize) {
        self.text.clear();
        self.text.extend_from_slice(text);
        self.label_at = Some(at);
    }
}

/// `nan` and `inf` in the place of a label are numbers that went wrong, not words.
fn is_not_finite(label: &[u8]) -> bool {
    // Both have an n, and no other number has; so have numbers that are too long to be finite.
    let suspicious = label.len() > 8 || label.iter().any(|byte| matches!(byte, b'n' | b'N'));
    let number = || std::str::from_utf8(label).ok()?.parse::<f64>().ok();
    suspicious && number().is_some_and(|value| !value.is_finite())
}
