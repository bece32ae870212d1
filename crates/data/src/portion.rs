//! What one piece of the data turned out to be, before it takes its place in the stream.
//!
//! Pieces are read by several threads, none of which knows what came before. So a portion numbers its labels by itself and counts its
//! lines from 1; the stream, which sees the portions in order, gives both their meaning.

use std::sync::Arc;

use thalweg_core::{Batch, Class};

use crate::cache::Destination;
use crate::error::{Error, Fault};
use crate::names::Vocabulary;

/// The examples of a piece, and what was wrong with it.
#[derive(Debug, Default)]
pub(crate) struct Portion {
    /// The examples; classes are places in `labels`.
    pub(crate) batch: Batch,
    /// The labels as written.
    pub(crate) labels: LocalLabels,
    /// The names of its features, if they have names: their numbers are places here.
    pub(crate) names: Vocabulary,
    /// Bad lines, in order.
    pub(crate) bad: Vec<BadRecord>,
    /// Which input the lines are from.
    pub(crate) input: usize,
    /// How many lines there are.
    pub(crate) lines: u64,
    /// Examples whose features had to be sorted or summed.
    pub(crate) sorted: u64,
    /// What is wrong with the first line of its input, which names the columns.
    pub(crate) header_fault: Option<Fault>,
    /// Why reading ends here.
    pub(crate) failure: Option<Error>,
    /// The same portion, to be stored there.
    pub(crate) encoded: Vec<u8>,
    pub(crate) destination: Option<Arc<Destination>>,
}

impl Portion {
    /// Forgets everything and keeps the memory.
    pub(crate) fn clear(&mut self) {
        self.batch.clear();
        self.labels.clear();
        self.bad.clear();
        self.encoded.clear();
        self.names.clear();
        self.header_fault = None;
        (self.input, self.lines, self.sorted, self.failure, self.destination) = (0, 0, 0, None, None);
    }
}

/// A line that could not be read.
#[derive(Debug)]
pub(crate) struct BadRecord {
    /// Counted from 1 in its piece.
    pub(crate) line: u64,
    pub(crate) fault: Fault,
    pub(crate) text: Vec<u8>,
}

/// A label as written, and where it was seen first.
#[derive(Debug)]
pub(crate) struct LocalLabel {
    pub(crate) text: Vec<u8>,
    /// Counted from 1 in its piece.
    pub(crate) line: u64,
    pub(crate) column: usize,
    /// How many examples of the piece came before it.
    pub(crate) before: usize,
}

/// The labels of a piece, numbered as they come.
#[derive(Debug, Default)]
pub(crate) struct LocalLabels(Vec<LocalLabel>);

impl LocalLabels {
    pub(crate) fn clear(&mut self) {
        self.0.clear();
    }

    /// In the order of their numbers, which is that of the lines.
    pub(crate) fn iter(&self) -> std::slice::Iter<'_, LocalLabel> {
        self.0.iter()
    }

    /// Adds a label that is not there yet.
    pub(crate) fn push(&mut self, label: LocalLabel) {
        self.0.push(label);
    }

    /// The number of a label. Pieces are short and labels few: looking through them is fastest.
    pub(crate) fn number(&mut self, text: &[u8], seen: impl FnOnce() -> LocalLabel) -> Class {
        let found = self.0.iter().position(|known| known.text == text);
        found.unwrap_or_else(|| {
            self.0.push(seen());
            self.0.len() - 1
        }) as Class
    }
}
