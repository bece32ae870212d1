//! Parsed pieces, in order, become batches of one stream: labels become classes, lines become places, bad lines are dealt with.

use std::collections::VecDeque;
use std::sync::Arc;

use thalweg_core::keyed_hash::KeyedMap;
use thalweg_core::{Batch, Class};

use super::bad_lines::{BadLine, BadLinePolicy, BadLines};
use super::in_order::{InOrderSteps, NewLabels, PendingExamples};
use super::milestones::Milestones;
use super::position::PieceStart;
use super::reader::{ExampleUse, ReadCounts};
use crate::error::{Error, Place, Result};
use crate::examples::parsed_piece::{BadRecord, Note, ParsedPiece};
use crate::feature_state::FeatureState;
use crate::labels::classes::{Labels, Refusal};
use crate::labels::settled::SettledLabels;
use crate::labels::unexpected::UnexpectedLabels;
use crate::names::eviction::NewNumbers;
use crate::source::input::Input;

/// What a stream has found out so far, and the examples that wait to be handed out.
pub(crate) struct Assembler {
    labels: Labels,
    /// For those who parse pieces.
    settled_labels: Arc<SettledLabels>,
    /// Lines whose labels are refused.
    unexpected: UnexpectedLabels,
    bad: BadLines,
    counts: ReadCounts,
    /// Where batches end, in every pass.
    milestones: Milestones,
    /// Examples of this pass up to the batch that was handed out last, and with it.
    before_batch: u64,
    in_pass: u64,
    /// Bad lines are dealt with in the first pass; later passes ignore them.
    first_pass: bool,
    /// Examples that were read, and how many of the first piece have been handed out.
    ready: VecDeque<PendingExamples>,
    given: usize,
    /// Examples of all these pieces, as long as labels are looked ahead for.
    held_back: usize,
    /// The piece whose last examples were handed out last.
    used: Option<PendingExamples>,
    /// Records that were skipped among the examples handed out last, and those behind which no example was seen yet.
    skipped: Vec<usize>,
    carried: usize,
    /// Is it certain which label is which class?
    settled: bool,
    /// The piece that the last batch was from, and how many of its examples have been handed out.
    last_piece: Option<(PieceStart, usize)>,
    /// Examples to pass over, because they were handed out before a restart.
    pass_over: u64,
    resumed: bool,
    /// What was to be said, each thing once, and how much of it has been.
    notes: Vec<String>,
    warnings: Vec<String>,
    /// What separates the fields of the first table.
    delimiter: Option<u8>,
    /// What is done to examples before they are handed out.
    steps: InOrderSteps,
}

/// The classes of the labels of a piece.
#[derive(Default)]
struct PieceClasses {
    classes: Vec<Option<Class>>,
    /// Those that are refused, and why.
    refused: KeyedMap<Class, String>,
    /// The line and the error that end the run.
    end: Option<(u64, Error)>,
    /// How many examples of the piece come before each label that is new to the stream, in the order of their classes.
    new: Vec<usize>,
}

/// Where the lines of a piece are.
#[derive(Clone, Copy)]
pub(crate) struct PiecePlace<'a> {
    pub(crate) input: &'a Input,
    pub(crate) start: PieceStart,
}

impl PiecePlace<'_> {
    pub(crate) fn of(self, line: u64, column: usize) -> Place {
        Place { file: self.input.name(), line: self.start.lines + line, column }
    }

    /// A record that could not be read, for people.
    pub(crate) fn bad_line(self, bad: BadRecord) -> BadLine {
        BadLine { place: self.of(bad.line, bad.fault.column), message: bad.fault.message }
    }
}

impl Assembler {
    pub(crate) fn new(
        labels: Labels,
        settled_labels: Arc<SettledLabels>,
        steps: InOrderSteps,
        policy: BadLinePolicy,
        milestones: Milestones,
    ) -> Result<Self> {
        settled_labels.publish(&labels);
        Ok(Self {
            labels,
            settled_labels,
            unexpected: UnexpectedLabels::default(),
            bad: BadLines::new(policy)?,
            counts: ReadCounts::default(),
            milestones,
            before_batch: 0,
            in_pass: 0,
            first_pass: true,
            ready: VecDeque::new(),
            given: 0,
            held_back: 0,
            used: None,
            skipped: Vec::new(),
            carried: 0,
            settled: false,
            last_piece: None,
            pass_over: 0,
            resumed: false,
            notes: Vec::new(),
            warnings: Vec::new(),
            delimiter: None,
            steps,
        })
    }

    /// Does this to examples, before the first has come.
    pub(crate) fn begin_with(&mut self, steps: InOrderSteps) {
        self.steps = steps;
    }

    /// Begins again, for the next pass.
    pub(crate) fn rewind(&mut self) {
        self.ready.clear();
        self.skipped.clear();
        (self.given, self.carried, self.pass_over, self.first_pass) = (0, 0, 0, false);
        self.in_pass = 0;
    }

    /// The next examples are passed over.
    pub(crate) fn pass_over(&mut self, examples: u64) {
        (self.pass_over, self.resumed) = (examples, true);
    }

    /// Should more pieces be looked at before it is decided which label is which class? Only all labels together tell.
    pub(crate) fn looks_ahead(&self) -> bool {
        !self.settled && self.labels.look_ahead(self.held_back) > 0
    }

    /// From now on it is certain which label is which class.
    pub(crate) fn settle(&mut self) {
        self.settle_labels(&mut []);
        self.settled_labels.publish(&self.labels);
    }

    /// The same also for these classes, which belong to a piece that is not there yet.
    fn settle_labels(&mut self, classes: &mut [Option<Class>]) {
        self.settled = true;
        if let Some(new) = self.labels.settle() {
            let renamed = |class: Class| Some(new[class as usize]);
            self.ready.iter_mut().for_each(|pending| pending.batch.relabel(renamed));
            classes.iter_mut().for_each(|class| *class = class.and_then(renamed));
        }
    }

    /// Memory that can be used for the next piece, if there is some.
    pub(crate) fn give_back(&mut self, parsed: &mut ParsedPiece) {
        if let Some(used) = self.used.take() {
            (parsed.batch, parsed.names) = (used.batch, used.names);
        }
    }

    pub(crate) fn steps(&mut self) -> &mut InOrderSteps {
        &mut self.steps
    }

    /// So many lines of the next piece have been counted before.
    pub(crate) fn uncount_lines(&mut self, lines: u64) {
        if self.first_pass {
            self.counts.lines -= lines;
        }
    }

    /// Adds the examples of the next piece, and returns how many they are without those whose labels are refused. Fails with the first line that
    /// must not be passed over, or with `failure`, if the lines before that are all right.
    pub(crate) fn add(
        &mut self,
        parsed: &mut ParsedPiece,
        failure: &mut Option<Error>,
        place: PiecePlace<'_>,
    ) -> Result<usize> {
        if let Some(fault) = parsed.header_fault.take() {
            return Err(Error::Line {
                place: Place { line: 1, ..place.of(1, fault.column) },
                message: fault.message,
            });
        }
        self.take_notes(parsed, place);
        let PieceClasses { classes, refused, end, new } = self.classes(parsed, place);
        self.unexpected.begin_piece(&parsed.batch);
        let mut bad = std::mem::take(&mut parsed.bad);
        let mut skipped: Vec<usize> = bad.iter().map(|record| record.before).collect();
        let last = end.as_ref().map_or(u64::MAX, |(line, _)| *line);
        if !refused.is_empty() {
            self.refuse(parsed, &refused, last, &mut bad, &mut skipped, place)?;
        }
        let mut reported = bad.into_iter().filter(|record| record.line < last);
        reported.try_for_each(|record| self.report_bad_line(record, place))?;
        if let Some((_, error)) = end {
            return Err(error);
        }
        if self.first_pass {
            self.counts.lines += parsed.lines;
            self.counts.sorted += parsed.sorted;
        }
        if let Some(failure) = failure.take() {
            return Err(failure);
        }
        parsed.batch.relabel(|local| classes[local as usize]);
        self.settled_labels.publish(&self.labels);
        let examples = parsed.batch.len();
        self.push(parsed, skipped, place.start, NewLabels { new });
        Ok(examples)
    }

    /// Adds a piece as [`Self::add`] does. The labels of a piece that is refused as a whole are as if they had never come.
    pub(crate) fn add_if_whole(
        &mut self,
        parsed: &mut ParsedPiece,
        failure: &mut Option<Error>,
        place: PiecePlace<'_>,
    ) -> Result<usize> {
        // Where one label is told from all others, labels that did not come do no harm; there may be many of them.
        let is_new = || parsed.labels.iter().any(|label| !self.labels.has_spelling(&label.text));
        let before = (!self.labels.is_rest() && is_new()).then(|| self.labels.clone());
        let settled = self.settled;
        let added = self.add(parsed, failure, place);
        if let (Err(_), Some(before)) = (&added, before)
            && self.settled == settled
        {
            self.labels = before;
        }
        added
    }

    fn push(&mut self, parsed: &mut ParsedPiece, skipped: Vec<usize>, start: PieceStart, labels: NewLabels) {
        if parsed.batch.is_empty() {
            self.carried += skipped.len();
            return;
        }
        let mut all = vec![0; std::mem::take(&mut self.carried)];
        all.extend(skipped);
        let (batch, names) = (std::mem::take(&mut parsed.batch), std::mem::take(&mut parsed.names));
        let known = self.pass_over.min(batch.len() as u64);
        self.pass_over -= known;
        if known == batch.len() as u64 {
            return;
        }
        if self.ready.is_empty() && known > 0 {
            self.given = known as usize;
        }
        self.held_back += batch.len();
        let mut pending = PendingExamples::new(batch, names, all, start, labels);
        self.steps.find_names(&mut pending);
        self.ready.push_back(pending);
    }

    /// The classes of the piece's labels.
    fn classes(&mut self, parsed: &ParsedPiece, place: PiecePlace<'_>) -> PieceClasses {
        let held_back = if self.settled { 0 } else { self.held_back };
        let mut found = PieceClasses::default();
        for (local, label) in parsed.labels.iter().enumerate() {
            // How far ahead is looked must not depend on how the data was cut into pieces.
            if !self.settled && self.labels.look_ahead(held_back + label.before) == 0 {
                self.settle_labels(&mut found.classes);
            }
            let known = self.labels.seen();
            let class = match self.labels.class(&label.text) {
                Ok(class) => class,
                Err(Refusal::Unexpected(message)) => {
                    found.refused.insert(local as Class, message);
                    None
                }
                Err(Refusal::Wrong(message)) => {
                    let place = place.of(label.line, label.column);
                    found.end = Some((label.line, Error::Line { place, message }));
                    break;
                }
            };
            if self.labels.seen() > known {
                found.new.push(label.before);
            }
            found.classes.push(class);
        }
        found
    }

    /// Examples with labels that are refused turn out to be bad lines. These and the `bad` ones before them are dealt with in the order of the
    /// lines, up to the line that ends the run.
    fn refuse(
        &mut self,
        parsed: &mut ParsedPiece,
        refused: &KeyedMap<Class, String>,
        last: u64,
        bad: &mut Vec<BadRecord>,
        skipped: &mut Vec<usize>,
        place: PiecePlace<'_>,
    ) -> Result<()> {
        let refused = parsed.refuse(refused);
        // Of those before a record, some are gone.
        let gone = |before: usize| refused.partition_point(|record| record.before < before);
        skipped.extend(refused.iter().map(|record| record.before));
        skipped.iter_mut().for_each(|before| *before -= gone(*before));
        skipped.sort_unstable();
        let mut others = std::mem::take(bad).into_iter().peekable();
        for record in refused.into_iter().take_while(|record| record.line < last) {
            while let Some(other) = others.next_if(|other| other.line < record.line) {
                self.report_bad_line(other, place)?;
            }
            if self.first_pass {
                let at = place.of(record.line, record.fault.column);
                let (before, message) = (record.before, record.fault.message.clone());
                self.report_bad_line(record, place)?;
                self.unexpected.add(before, at, message)?;
            }
        }
        bad.extend(others);
        Ok(())
    }

    fn report_bad_line(&mut self, bad: BadRecord, place: PiecePlace<'_>) -> Result<()> {
        if !self.first_pass {
            return Ok(());
        }
        let BadRecord { line, fault, text, .. } = bad;
        self.bad.add(place.of(line, fault.column), fault.message, &text, self.counts.lines + line)
    }

    /// The data has ended: what must be said of all of it together. `whole` unless it was ended from outside.
    pub(crate) fn check_at_end(
        &mut self,
        file: impl Fn() -> String,
        format: &'static str,
        whole: bool,
    ) -> Result<()> {
        if !self.first_pass {
            return Ok(());
        }
        self.bad.check_at_end(self.counts.lines)?;
        // Of data that did not come to its end, labels may yet have come.
        if whole {
            self.unexpected.check_at_end()?;
            let learning = self.steps.used_for == ExampleUse::Learning;
            if let Some(message) = self.labels.problem().filter(|_| learning) {
                return Err(Error::Labels { file: file(), message });
            }
        }
        match self.bad.first() {
            Some(first) if self.counts.examples == 0 && self.ready.is_empty() && !self.resumed => {
                Err(Error::NothingRead {
                    file: file(),
                    format,
                    lines: self.counts.lines,
                    place: first.place.clone(),
                    message: first.message.clone(),
                })
            }
            _ => Ok(()),
        }
    }

    /// Are there examples to be handed out?
    pub(crate) fn has_next(&self) -> bool {
        !self.ready.is_empty()
    }

    /// Fills the batch with the next examples; `false` if there are none for now.
    pub(crate) fn next(&mut self, batch: &mut Batch) -> bool {
        let Some(first) = self.ready.front_mut() else {
            batch.clear();
            return false;
        };
        let left = first.batch.len() - self.given;
        let until_milestone = self.milestones.after(self.in_pass) - self.in_pass;
        let wanted = until_milestone.min(left as u64) as usize;
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
        self.last_piece = Some((first.start, self.given));
        if wanted == left {
            self.used = self.ready.pop_front();
            self.given = 0;
        }
        self.counts.examples += wanted as u64;
        self.before_batch = self.in_pass;
        self.in_pass += wanted as u64;
        true
    }

    /// Examples of this pass before the batch that was handed out last.
    pub(crate) fn before_batch(&self) -> u64 {
        self.before_batch
    }

    /// The records behind the last example were skipped.
    pub(crate) fn skip_rest(&mut self) {
        self.skipped = vec![0; std::mem::take(&mut self.carried)];
    }

    pub(crate) fn skipped(&self) -> &[usize] {
        &self.skipped
    }

    pub(crate) fn labels(&self) -> &Labels {
        &self.labels
    }

    pub(crate) fn feature_state(&self) -> &Arc<FeatureState> {
        &self.steps.feature_state
    }

    /// What is known of labels and features.
    pub(crate) fn into_state(self) -> (Labels, Arc<FeatureState>) {
        (self.labels, self.steps.feature_state)
    }

    /// The name of a feature of the batch that was handed out last.
    pub(crate) fn name(&self, feature: u32) -> String {
        // Some of a piece, unless all of it.
        let piece = if self.given == 0 { self.used.as_ref() } else { self.ready.front() };
        self.steps.name(feature, piece)
    }

    pub(crate) fn evict_features(&mut self, weighted: &dyn Fn() -> Vec<u32>) -> Option<NewNumbers> {
        let new = self.steps.evict_features(weighted);
        if new.is_some() {
            self.ready.iter_mut().for_each(PendingExamples::forget_numbers);
        }
        new
    }

    pub(crate) fn counts(&self) -> ReadCounts {
        ReadCounts { bad: self.bad.count, unknown: self.steps.unknown, ..self.counts }
    }

    pub(crate) fn take_bad_lines(&mut self) -> Vec<BadLine> {
        self.bad.take_unshown()
    }

    /// Takes what is to be said of a piece. Of several inputs of which the same is to be said, the first is enough.
    fn take_notes(&mut self, parsed: &mut ParsedPiece, place: PiecePlace<'_>) {
        // Data without an example decides nothing.
        self.delimiter = self.delimiter.or(parsed.delimiter.filter(|_| !parsed.batch.is_empty()));
        for Note { line, message } in parsed.notes.drain(..) {
            if !self.notes.contains(&message) {
                let Place { file, line, .. } = place.of(line, 1);
                self.warnings.push(format!("{file}:{line}: {message}"));
                self.notes.push(message);
            }
        }
    }

    /// What was found since the last call that whoever reads the data should know.
    pub(crate) fn take_warnings(&mut self) -> Vec<String> {
        std::mem::take(&mut self.warnings)
    }

    pub(crate) fn delimiter(&self) -> Option<char> {
        self.delimiter.map(char::from)
    }

    pub(crate) fn last_piece(&self) -> Option<(PieceStart, usize)> {
        self.last_piece
    }

    /// The labels as of the batch that was handed out last. Those of examples that wait are not among them, unless they were looked ahead for.
    pub(crate) fn labels_so_far(&self) -> Labels {
        let mut unseen = 0;
        for (i, piece) in self.ready.iter().enumerate() {
            let given = if i == 0 { self.given } else { 0 };
            unseen += piece.labels.new.iter().filter(|before| **before >= given).count();
        }
        self.labels.without_newest(unseen)
    }
}
