//! The reader of all data: parsed pieces, in order, become batches of one stream.

use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use thalweg_core::keyed::Map;
use thalweg_core::{Batch, Class};

use super::bad_lines::{BadLine, BadLinePolicy, BadLines};
use super::in_order::{InOrderSteps, PendingExamples};
use super::reader::{ExampleUse, ReadCounts, Reader};
use crate::cache::piece_reader::ReadPiece;
use crate::cache::upkeep::CacheUpkeep;
use crate::error::{Error, Place, Result};
use crate::examples::parsed_piece::{BadRecord, ParsedPiece};
use crate::feature_state::FeatureState;
use crate::labels::classes::{Labels, Refusal};
use crate::labels::settled::SettledLabels;
use crate::labels::unexpected::UnexpectedLabels;
use crate::names::eviction::NewNumbers;
use crate::ordered_map::OrderedMap;
use crate::registry::Format;
use crate::source::input::Input;

/// Begins a pass over the data; or goes on with an input whose cache is damaged.
pub(crate) type Begin = Box<dyn Fn(Option<usize>) -> Pieces + Send>;

/// Pieces in order.
type Pieces = OrderedMap<'static, ReadPiece, Error>;

/// All examples of several inputs.
pub(crate) struct ExampleStream {
    inputs: Arc<[Input]>,
    format: Format,
    begin: Begin,
    pieces: Option<Pieces>,
    consumed: Arc<AtomicU64>,
    labels: Labels,
    /// For those who read pieces.
    settled_labels: Arc<SettledLabels>,
    /// Lines whose labels are refused.
    unexpected: UnexpectedLabels,
    bad: BadLines,
    counts: ReadCounts,
    /// Bad lines are dealt with in the first pass; later passes pass over them in silence.
    first_pass: bool,
    piece: ReadPiece,
    /// Examples that were read, and how many of the first batch have been handed out.
    ready: VecDeque<PendingExamples>,
    given: usize,
    /// Records that were skipped among the examples handed out last, and those behind which no example was seen yet.
    skipped: Vec<usize>,
    carried: usize,
    /// The input that the last piece was from, and how many of its lines came before.
    lines_before: (usize, u64),
    /// Is it certain which label is which class?
    settled: bool,
    /// What is done to them before they are handed out.
    steps: InOrderSteps,
    caches: CacheUpkeep,
}

/// The classes of the labels of a piece.
#[derive(Default)]
struct PieceClasses {
    classes: Vec<Option<Class>>,
    /// Those that are refused, and why.
    refused: Map<Class, String>,
    /// The line and the error that end the run.
    end: Option<(u64, Error)>,
}

impl ExampleStream {
    /// Opens the data, and holds examples back until it is known which label is which class: only all labels together tell.
    pub(crate) fn open(
        inputs: Arc<[Input]>,
        format: Format,
        (labels, settled_labels): (Labels, Arc<SettledLabels>),
        steps: InOrderSteps,
        policy: BadLinePolicy,
        consumed: Arc<AtomicU64>,
        begin: Begin,
    ) -> Result<Self> {
        let mut stream = Self {
            inputs,
            format,
            begin,
            pieces: None,
            consumed,
            labels,
            settled_labels,
            unexpected: UnexpectedLabels::default(),
            bad: BadLines::new(policy)?,
            counts: ReadCounts::default(),
            first_pass: true,
            piece: ReadPiece::default(),
            ready: VecDeque::new(),
            given: 0,
            skipped: Vec::new(),
            carried: 0,
            lines_before: (0, 0),
            settled: false,
            steps,
            caches: CacheUpkeep::default(),
        };
        stream.settled_labels.publish(&stream.labels);
        while stream.labels.look_ahead(stream.held_back()) > 0 {
            if !stream.next_piece()? {
                stream.end_of_pass()?;
                break;
            }
        }
        stream.settle_labels(&mut []);
        stream.settled_labels.publish(&stream.labels);
        Ok(stream)
    }

    /// The next piece as it comes; `false` at the end.
    fn next_of_pass(&mut self) -> Result<bool> {
        let pieces = self.pieces.get_or_insert_with(|| (self.begin)(None));
        let more = pieces.next(&mut self.piece)?;
        match self.piece.failure.take_if(|failure| matches!(failure, Error::DamagedCache { .. })) {
            Some(damage) if more => Err(damage),
            _ => Ok(more),
        }
    }

    /// If the error is that a cache beside its source is damaged, goes on with the source.
    fn read_source_instead(&mut self, error: Error) -> Result<()> {
        let (last, lines) = self.lines_before;
        let input = self.caches.repair(error, &self.inputs, last, lines)?;
        if input == last {
            self.lines_before.1 = 0;
        }
        self.pieces = Some((self.begin)(Some(input)));
        Ok(())
    }

    /// Did the data end before its end?
    fn is_interrupted(&self) -> bool {
        self.pieces.as_ref().is_some_and(OrderedMap::is_interrupted)
    }

    fn held_back(&self) -> usize {
        self.ready.iter().map(|waiting| waiting.batch.len()).sum()
    }

    /// From now on it is certain which label is which class, for the examples held back and for these classes too.
    fn settle_labels(&mut self, classes: &mut [Option<Class>]) {
        self.settled = true;
        if let Some(new) = self.labels.settle() {
            let renamed = |class: Class| Some(new[class as usize]);
            self.ready.iter_mut().for_each(|waiting| waiting.batch.relabel(renamed));
            classes.iter_mut().for_each(|class| *class = class.and_then(renamed));
        }
    }

    /// Takes the next piece; `false` at the end.
    fn next_piece(&mut self) -> Result<bool> {
        if self.pieces.is_none() && !self.first_pass && self.inputs.contains(&Input::Stdin) {
            return Err(Error::StdinTwice);
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
        if self.lines_before.0 != self.piece.input {
            self.lines_before = (self.piece.input, 0);
            self.caches.begin_input();
        }
        let already_read = self.caches.skip_already_read(&mut self.piece);
        if self.first_pass {
            // They have been counted.
            self.counts.lines -= already_read;
        }
        let skipped = self.settle()?;
        self.settled_labels.publish(&self.labels);
        self.lines_before.1 += self.piece.parsed.lines;
        self.caches.store(&mut self.piece)?;
        if self.piece.parsed.batch.is_empty() {
            self.carried += skipped.len();
        } else {
            let ParsedPiece { batch, names, .. } = &mut self.piece.parsed;
            let mut all = vec![0; std::mem::take(&mut self.carried)];
            all.extend(skipped);
            self.ready.push_back(PendingExamples::new(std::mem::take(batch), std::mem::take(names), all));
        }
        Ok(true)
    }

    /// Gives labels and lines their meaning in the stream. Returns how many examples come before each record that is skipped.
    fn settle(&mut self) -> Result<Vec<usize>> {
        if let Some(fault) = self.piece.parsed.header_fault.take() {
            let place = Place { line: 1, ..self.place(1, fault.column) };
            return Err(Error::Line { place, message: fault.message });
        }
        let PieceClasses { classes, refused, end } = self.classes();
        self.unexpected.begin_piece(&self.piece.parsed.batch);
        let mut bad = std::mem::take(&mut self.piece.parsed.bad);
        let mut skipped: Vec<usize> = bad.iter().map(|record| record.before).collect();
        let last = end.as_ref().map_or(u64::MAX, |(line, _)| *line);
        if !refused.is_empty() {
            self.refuse(&refused, last, &mut bad, &mut skipped)?;
        }
        bad.into_iter()
            .filter(|record| record.line < last)
            .try_for_each(|record| self.report_bad_line(record))?;
        if let Some((_, error)) = end {
            return Err(error);
        }
        if self.first_pass {
            self.counts.lines += self.piece.parsed.lines;
            self.counts.sorted += self.piece.parsed.sorted;
        }
        if let Some(failure) = self.piece.failure.take() {
            return Err(failure);
        }
        self.piece.parsed.batch.relabel(|local| classes[local as usize]);
        Ok(skipped)
    }

    /// The classes of the piece's labels.
    fn classes(&mut self) -> PieceClasses {
        let labels = std::mem::take(&mut self.piece.parsed.labels);
        let held_back = if self.settled { 0 } else { self.held_back() };
        let mut found = PieceClasses::default();
        for (local, label) in labels.iter().enumerate() {
            // How far ahead is looked must not depend on how the data was cut into pieces.
            if !self.settled && self.labels.look_ahead(held_back + label.before) == 0 {
                self.settle_labels(&mut found.classes);
            }
            let class = match self.labels.class(&label.text) {
                Ok(class) => class,
                Err(Refusal::Unexpected(message)) => {
                    found.refused.insert(local as Class, message);
                    None
                }
                Err(Refusal::Wrong(message)) => {
                    let place = self.place(label.line, label.column);
                    found.end = Some((label.line, Error::Line { place, message }));
                    break;
                }
            };
            found.classes.push(class);
        }
        self.piece.parsed.labels = labels;
        found
    }

    /// Examples with labels that are refused turn out to be bad lines. These and the `bad` ones before them are dealt with in the order of the
    /// lines, up to the line that ends the run.
    fn refuse(
        &mut self,
        refused: &Map<Class, String>,
        last: u64,
        bad: &mut Vec<BadRecord>,
        skipped: &mut Vec<usize>,
    ) -> Result<()> {
        let refused = self.piece.parsed.refuse(refused);
        // Of those before a record, some are gone.
        let gone = |before: usize| refused.partition_point(|record| record.before < before);
        skipped.extend(refused.iter().map(|record| record.before));
        skipped.iter_mut().for_each(|before| *before -= gone(*before));
        skipped.sort_unstable();
        let mut others = std::mem::take(bad).into_iter().peekable();
        for record in refused.into_iter().take_while(|record| record.line < last) {
            while let Some(other) = others.next_if(|other| other.line < record.line) {
                self.report_bad_line(other)?;
            }
            if self.first_pass {
                let place = self.place(record.line, record.fault.column);
                let (before, message) = (record.before, record.fault.message.clone());
                self.report_bad_line(record)?;
                self.unexpected.add(before, place, message)?;
            }
        }
        bad.extend(others);
        Ok(())
    }

    fn place(&self, line: u64, column: usize) -> Place {
        let (input, before) = self.lines_before;
        Place { file: self.inputs[input].name(), line: before + line, column }
    }

    fn report_bad_line(&mut self, BadRecord { line, fault, text, .. }: BadRecord) -> Result<()> {
        if !self.first_pass {
            return Ok(());
        }
        let place = self.place(line, fault.column);
        self.bad.add(place, fault.message, &text, self.counts.lines + line)
    }

    fn end_of_pass(&mut self) -> Result<()> {
        if !self.first_pass {
            return Ok(());
        }
        self.bad.check_at_end(self.counts.lines)?;
        let file = || self.inputs.first().map_or_else(String::new, Input::name);
        // Of data that did not come to its end, labels may yet have come.
        if !self.is_interrupted() {
            self.unexpected.check_at_end()?;
            let learning = self.steps.used_for == ExampleUse::Learning;
            if let Some(message) = self.labels.problem().filter(|_| learning) {
                return Err(Error::Labels { file: file(), message });
            }
        }
        match self.bad.first() {
            Some(first) if self.counts.examples == 0 && self.ready.is_empty() => Err(Error::NothingRead {
                file: file(),
                format: self.format.title(),
                lines: self.counts.lines,
                place: first.place.clone(),
                message: first.message.clone(),
            }),
            _ => Ok(()),
        }
    }
}

impl Reader for ExampleStream {
    fn read(&mut self, batch: &mut Batch) -> Result<bool> {
        while self.ready.is_empty() {
            if !self.next_piece()? {
                batch.clear();
                self.skipped = vec![0; std::mem::take(&mut self.carried)];
                self.end_of_pass()?;
                return Ok(false);
            }
        }
        let first = &mut self.ready[0];
        let left = first.batch.len() - self.given;
        // Batches end at powers of two, so that progress can be shown there.
        let examples = self.counts.examples;
        let wanted = ((examples + 1).next_power_of_two() - examples).min(left as u64) as usize;
        let wanted = self.steps.until_full(first, self.given..self.given + wanted);
        if self.given == 0 && wanted == left {
            std::mem::swap(batch, &mut first.batch);
        } else {
            batch.clear();
            batch.extend_from(&first.batch, self.given..self.given + wanted);
        }
        let (start, end) = (self.given, self.given + wanted);
        let last = if wanted == left { usize::MAX } else { end };
        let here = first.skipped.iter().filter(|before| (start..last).contains(before));
        self.skipped.clear();
        self.skipped.extend(here.map(|before| before - start));
        self.steps.apply(batch, first);
        self.given += wanted;
        if wanted == left {
            // Its memory is used again for the next piece.
            let through = self.ready.pop_front().unwrap_or_default();
            (self.piece.parsed.batch, self.piece.parsed.names) = (through.batch, through.names);
            self.given = 0;
        }
        self.counts.examples += wanted as u64;
        Ok(true)
    }

    fn rewind(&mut self) -> Result<()> {
        self.pieces = None;
        self.caches.begin_pass();
        self.ready.clear();
        self.skipped.clear();
        self.carried = 0;
        (self.given, self.lines_before, self.first_pass) = (0, (0, 0), false);
        Ok(())
    }

    fn skipped(&self) -> &[usize] {
        &self.skipped
    }

    fn labels(&self) -> &Labels {
        &self.labels
    }

    fn feature_state(&self) -> &FeatureState {
        &self.steps.feature_state
    }

    fn evict_features(&mut self, weighted: &dyn Fn() -> Vec<u32>) -> Option<NewNumbers> {
        let new = self.steps.evict_features(weighted);
        if new.is_some() {
            self.ready.iter_mut().for_each(PendingExamples::forget_numbers);
        }
        new
    }

    fn format(&self) -> Format {
        self.format
    }

    fn counts(&self) -> ReadCounts {
        ReadCounts {
            bad: self.bad.count,
            consumed: self.consumed.load(Ordering::Relaxed),
            unknown: self.steps.unknown,
            ..self.counts
        }
    }

    fn warnings(&mut self) -> Vec<String> {
        self.caches.take_warnings()
    }

    fn take_bad_lines(&mut self) -> Vec<BadLine> {
        self.bad.take_unshown()
    }
}

#[cfg(test)]
mod tests;

#[cfg(test)]
mod careless;
