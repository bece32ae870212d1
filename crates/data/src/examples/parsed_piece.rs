//! A piece of the data after it was parsed, and before it takes its place in the stream.
//!
//! Pieces are parsed by several threads, none of which knows what came before. So a piece numbers its labels by itself and counts its
//! lines from 1. The stream sees the pieces in order, and turns these into classes and lines of files.

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use thalweg_core::keyed_hash::KeyedMap;
use thalweg_core::{Batch, Class};

use super::uncertain::{UncertainExample, UncertainExamples};
use crate::error::Fault;
use crate::labels::piece_labels::PieceLabels;
use crate::names::piece_names::PieceNames;

/// The examples of a piece, and what was wrong with it.
#[derive(Debug, Default)]
pub(crate) struct ParsedPiece {
    /// The examples; classes are places in `labels`.
    pub(crate) batch: Batch,
    /// The labels as written.
    pub(crate) labels: PieceLabels,
    /// The names of its features, if they have names: these are their numbers.
    pub(crate) names: PieceNames,
    /// Bad lines, in order.
    pub(crate) bad: Vec<BadRecord>,
    /// Examples whose label may yet be refused, in order.
    pub(crate) uncertain: UncertainExamples,
    /// Which line an example is: from an example on, so much is added to its number. Only where that changes.
    pub(crate) shifts: Vec<(u32, u64)>,
    /// How many lines there are.
    pub(crate) lines: u64,
    /// Examples whose features had to be sorted or summed.
    pub(crate) sorted: u64,
    /// What is wrong with the first line of its input, which names the columns.
    pub(crate) header_fault: Option<Fault>,
    /// What is to be said of its input, besides bad lines.
    pub(crate) notes: Vec<Note>,
    /// What separates the fields of its input, if that is a table of text.
    pub(crate) delimiter: Option<u8>,
    /// Are records with rare labels kept, because the piece is to be stored in a cache?
    pub(crate) keeps_rare_labels: bool,
}

impl ParsedPiece {
    /// Forgets everything and keeps the memory.
    pub(crate) fn clear(&mut self) {
        self.batch.clear();
        self.labels.clear();
        self.bad.clear();
        self.uncertain.clear();
        self.shifts.clear();
        self.notes.clear();
        self.names.begin(Arc::default());
        (self.header_fault, self.delimiter, self.keeps_rare_labels) = (None, None, false);
        (self.lines, self.sorted) = (0, 0);
    }

    /// Lets go of the examples that have one of these labels: they turn out to be bad lines.
    pub(crate) fn refuse(&mut self, refused: &KeyedMap<Class, String>) -> Vec<BadRecord> {
        let mut uncertain = self.uncertain.iter().peekable();
        let (mut bad, mut kept, mut from) = (Vec::new(), Batch::default(), 0);
        for (example, class) in self.batch.labels().iter().enumerate() {
            let Some((class, message)) = class.and_then(|class| Some((class, refused.get(&class)?))) else {
                continue;
            };
            kept.extend_from(&self.batch, from..example);
            from = example + 1;
            while uncertain.next_if(|uncertain| (uncertain.example as usize) < example).is_some() {}
            // A cache does not know more than the label and where in a line it was first.
            let label = || self.labels.get(class).map_or((0, &[][..]), |label| (label.column, &label.text));
            let found = uncertain.next_if(|uncertain| uncertain.example as usize == example);
            let (column, text) = found.map_or_else(label, |found| (found.column, found.text));
            let line = self.line(example);
            let fault = Fault { column, message: message.clone() };
            bad.push(BadRecord { line, before: example, fault, text: text.to_vec() });
        }
        kept.extend_from(&self.batch, from..self.batch.len());
        self.batch = kept;
        bad
    }

    /// Lets go of its first lines, which hold so many examples. The lines keep their numbers.
    pub(crate) fn pass_over(&mut self, lines: u64, examples: usize) {
        let mut rest = Batch::default();
        rest.extend_from(&self.batch, examples..self.batch.len());
        self.batch = rest;
        self.bad.retain(|bad| bad.line > lines);
        self.bad.iter_mut().for_each(|bad| bad.before = bad.before.saturating_sub(examples));
        self.uncertain = self.uncertain.without_first(examples);
        let mut shifts = vec![(0, 1 + examples as u64)];
        for (first, shift) in &self.shifts {
            let first = first.saturating_sub(examples as u32);
            if first == 0 {
                shifts.clear();
            }
            shifts.push((first, shift + examples as u64));
        }
        self.shifts = shifts;
        if lines == self.lines {
            self.sorted = 0;
        }
    }

    /// Takes note that the example is in the line that was read last.
    #[inline]
    pub(crate) fn note_line(&mut self, example: usize) {
        let shift = self.lines - example as u64;
        if self.shifts.last().is_none_or(|(_, last)| *last != shift) {
            self.shifts.push((example as u32, shift));
        }
    }

    /// The line of an example, counted from 1 in the piece.
    fn line(&self, example: usize) -> u64 {
        let after = self.shifts.partition_point(|(first, _)| *first as usize <= example);
        let shift = after.checked_sub(1).map_or(1, |i| self.shifts[i].1);
        (example as u64).saturating_add(shift)
    }

    /// The uncertain examples that a cache holds: those with labels that few examples of the piece have, as far as they take little room.
    /// Of the others it knows no more than the label.
    pub(crate) fn rare(&self) -> UncertainExamples {
        const FEW: usize = 8;
        const ROOM: usize = 1 << 12;
        let few = FEW.max(self.batch.len() / 50);
        let label =
            |example: u32| self.batch.labels()[example as usize].and_then(|class| self.labels.get(class));
        let mut rare = UncertainExamples::default();
        for UncertainExample { example, column, text } in self.uncertain.iter() {
            let fits = rare.text_length() + text.len() <= ROOM;
            if fits && label(example).is_some_and(|label| label.count <= few) {
                rare.add(example as usize, column, |out| out.extend_from_slice(text));
            }
        }
        rare
    }
}

/// Something that whoever reads the data should know.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Note {
    /// Counted from 1 in its piece.
    pub(crate) line: u64,
    pub(crate) message: String,
}

/// A line that could not be read.
#[derive(Debug)]
pub(crate) struct BadRecord {
    /// Counted from 1 in its piece.
    pub(crate) line: u64,
    /// How many examples of the piece came before it.
    pub(crate) before: usize,
    pub(crate) fault: Fault,
    pub(crate) text: Vec<u8>,
}
