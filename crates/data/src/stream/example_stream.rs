//! The reader of all data: the pieces of several inputs, in order, become batches of one stream.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use thalweg_core::Batch;

use super::assembler::{Assembler, PiecePlace};
use super::bad_lines::BadLine;
use super::position::{PieceStart, Position};
use super::reader::{ReadCounts, Reader};
use crate::cache::piece_reader::ReadPiece;
use crate::cache::upkeep::CacheUpkeep;
use crate::error::{Error, Result};
use crate::feature_state::FeatureState;
use crate::labels::classes::Labels;
use crate::names::eviction::NewNumbers;
use crate::ordered_map::OrderedMap;
use crate::registry::Format;
use crate::source::input::Input;

/// Begins a pass over the data, from where it says.
pub(crate) type Begin = Box<dyn Fn(PassStart) -> Pieces + Send>;

/// Pieces in order.
type Pieces = OrderedMap<'static, ReadPiece, Error>;

/// Where a pass begins.
#[derive(Clone, Debug)]
pub(crate) enum PassStart {
    Beginning,
    /// With this input, whose cache is damaged.
    WithoutCacheOf(usize),
    /// Where another reader stopped.
    At(Position),
}

/// All examples of several inputs.
pub(crate) struct ExampleStream {
    inputs: Arc<[Input]>,
    format: Format,
    begin: Begin,
    pieces: Option<Pieces>,
    consumed: Arc<AtomicU64>,
    assembler: Assembler,
    /// Is this the first pass?
    first_pass: bool,
    piece: ReadPiece,
    /// Where the next piece begins, if it is of the same input as the last.
    next_start: PieceStart,
    /// Where the first pass begins, until it has begun.
    resumed_at: Option<Position>,
    caches: CacheUpkeep,
}

impl ExampleStream {
    /// Opens the data, and holds examples back until it is known which label is which class: only all labels together tell.
    pub(crate) fn open(
        inputs: Arc<[Input]>,
        format: Format,
        assembler: Assembler,
        consumed: Arc<AtomicU64>,
        begin: Begin,
        caches: CacheUpkeep,
        start: Option<Position>,
    ) -> Result<Self> {
        if let Some(start) = &start {
            start.check(&inputs)?;
        }
        let mut stream = Self {
            inputs,
            format,
            begin,
            pieces: None,
            consumed,
            assembler,
            first_pass: true,
            piece: ReadPiece::default(),
            next_start: PieceStart::default(),
            resumed_at: start,
            caches,
        };
        while stream.assembler.looks_ahead() {
            if !stream.next_piece()? {
                stream.check_at_end()?;
                break;
            }
        }
        stream.assembler.settle();
        Ok(stream)
    }

    /// The next piece as it comes; `false` at the end.
    fn next_of_pass(&mut self) -> Result<bool> {
        let begin = || {
            let start = self.resumed_at.clone().map_or(PassStart::Beginning, PassStart::At);
            (self.begin)(start)
        };
        let pieces = self.pieces.get_or_insert_with(begin);
        self.assembler.give_back(&mut self.piece.parsed);
        let more = pieces.next(&mut self.piece)?;
        let damage = self.piece.failure.take_if(|failure| matches!(failure, Error::DamagedCache { .. }));
        if let Some(damage) = damage.filter(|_| more) {
            return Err(damage);
        }
        if more
            && let (Some(block), Some(names)) = (&self.piece.cached, self.piece.parsed.names.of_input())
            && !self.assembler.steps().take_names(self.piece.input, names)
        {
            return Err(block.damaged());
        }
        Ok(more)
    }

    /// The piece is to be stored: its names get the numbers that they have in its input.
    fn number_names(&mut self) {
        let input = self.piece.input;
        if self.caches.number_names(&mut self.piece) {
            self.assembler.steps().begin_names_of(input);
        }
        if let (None, Some(names)) = (&self.piece.cached, self.piece.parsed.names.of_input()) {
            let taken = self.assembler.steps().take_names(input, names);
            debug_assert!(taken, "they were numbered one after the other");
        }
    }

    /// If the error is that a cache beside its source is damaged, goes on with the source.
    fn read_source_instead(&mut self, error: Error) -> Result<()> {
        let last = self.next_start;
        let input = self.caches.repair(error, &self.inputs, last.input, last.lines)?;
        if input == last.input {
            self.next_start = PieceStart { input, ..PieceStart::default() };
        }
        self.pieces = Some((self.begin)(PassStart::WithoutCacheOf(input)));
        Ok(())
    }

    /// Did the data end before its end?
    fn is_interrupted(&self) -> bool {
        self.pieces.as_ref().is_some_and(OrderedMap::is_interrupted)
    }

    /// Takes the next piece; `false` at the end.
    fn next_piece(&mut self) -> Result<bool> {
        if self.pieces.is_none()
            && !self.first_pass
            && let Some(gone) = self.inputs.iter().find(|input| input.is_read_once())
        {
            return Err(Error::ReadTwice { file: gone.name() });
        }
        let more = loop {
            match self.next_of_pass() {
                Err(error) => self.read_source_instead(error)?,
                Ok(more) => break more,
            }
        };
        if !more {
            if self.is_interrupted() {
                self.caches.discard();
            }
            self.caches.finish_input(&self.inputs, None)?;
            return Ok(false);
        }
        self.caches.finish_input(&self.inputs, Some(self.piece.input))?;
        if self.next_start.input != self.piece.input {
            self.next_start = PieceStart { input: self.piece.input, ..PieceStart::default() };
            self.caches.begin_input();
        }
        self.number_names();
        self.go_on_from_position();
        self.assembler.uncount_lines(self.caches.skip_already_read(&mut self.piece));
        let start = PieceStart { offset: self.piece.offset, ..self.next_start };
        let place = PiecePlace { input: &self.inputs[start.input], start };
        self.next_start.lines += self.piece.parsed.lines;
        let examples = self.assembler.add(&mut self.piece.parsed, &mut self.piece.failure, place)?;
        self.next_start.examples += examples as u64;
        self.caches.store(&mut self.piece)?;
        Ok(true)
    }

    /// The first piece after a restart: what was handed out of it before is passed over.
    fn go_on_from_position(&mut self) {
        let Some(position) = self.resumed_at.take() else { return };
        if position.offset.is_some() && position.offset == self.piece.offset {
            (self.next_start.lines, self.next_start.examples) = (position.lines, position.examples_before);
            self.assembler.pass_over(position.examples);
        } else {
            self.assembler.pass_over(position.examples_before + position.examples);
        }
    }

    fn check_at_end(&mut self) -> Result<()> {
        let whole = !self.is_interrupted();
        let file = || self.inputs.first().map_or_else(String::new, Input::name);
        self.assembler.check_at_end(file, self.format.title(), whole)
    }
}

impl Reader for ExampleStream {
    fn read(&mut self, batch: &mut Batch) -> Result<bool> {
        while !self.assembler.next(batch) {
            if !self.next_piece()? {
                self.assembler.skip_rest();
                self.check_at_end()?;
                return Ok(false);
            }
        }
        Ok(true)
    }

    fn rewind(&mut self) -> Result<()> {
        (self.pieces, self.resumed_at) = (None, None);
        self.caches.begin_pass();
        self.assembler.rewind();
        (self.next_start, self.first_pass) = (PieceStart::default(), false);
        Ok(())
    }

    fn would_wait(&mut self) -> bool {
        !self.assembler.has_next() && self.pieces.as_mut().is_some_and(|pieces| !pieces.is_ready())
    }

    fn position(&self) -> Option<Position> {
        let (start, examples) = self.assembler.last_piece()?;
        Some(Position::new(&self.inputs, start, examples)).filter(|position| position.fingerprint.is_some())
    }

    fn skipped(&self) -> &[usize] {
        self.assembler.skipped()
    }

    fn labels(&self) -> &Labels {
        self.assembler.labels()
    }

    fn labels_so_far(&self) -> Labels {
        self.assembler.labels_so_far()
    }

    fn feature_state(&self) -> &FeatureState {
        self.assembler.feature_state()
    }

    fn into_state(self: Box<Self>) -> (Labels, Arc<FeatureState>) {
        self.assembler.into_state()
    }

    fn ordinal(&self, i: usize) -> u64 {
        self.assembler.before_batch() + i as u64
    }

    fn feature_name(&self, feature: u32) -> String {
        self.assembler.name(feature)
    }

    fn evict_features(&mut self, weighted: &dyn Fn() -> Vec<u32>) -> Option<NewNumbers> {
        self.assembler.evict_features(weighted)
    }

    fn format(&self) -> Format {
        self.format
    }

    fn delimiter(&self) -> Option<char> {
        self.assembler.delimiter()
    }

    fn counts(&self) -> ReadCounts {
        ReadCounts { consumed: self.consumed.load(Ordering::Relaxed), ..self.assembler.counts() }
    }

    fn warnings(&mut self) -> Vec<String> {
        let mut all = self.assembler.take_warnings();
        all.append(&mut self.caches.take_warnings());
        all
    }

    fn take_bad_lines(&mut self) -> Vec<BadLine> {
        self.assembler.take_bad_lines()
    }
}

#[cfg(test)]
mod tests;

#[cfg(test)]
mod careless;
