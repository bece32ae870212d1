//! The reader of all data: portions, in order, become batches of one stream.

use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use thalweg_core::keyed_hash::KeyedMap;
use thalweg_core::{Batch, Class};

use crate::bad::{BadLine, BadLines, Policy};
use crate::error::{Error, Place, Result};
use crate::finish::{Finish, Waiting};
use crate::formats::Format;
use crate::known::Known;
use crate::labels::{Expected, Labels, Refusal};
use crate::pipeline::Feed;
use crate::portion::{BadRecord, Portion};
use crate::reader::{Census, Purpose, Reader};
use crate::room::NewNumbers;
use crate::source::Input;
use strangers::Strangers;

mod strangers;

mod storing;

use storing::{Mended, Storing};

/// Begins a pass over the data; or goes on with an input whose cache is damaged.
pub(crate) type Begin = Box<dyn Fn(Option<usize>) -> Box<dyn Feed> + Send>;

pub(crate) struct Stream {
    inputs: Arc<[Input]>,
    format: Format,
    begin: Begin,
    feed: Option<Box<dyn Feed>>,
    consumed: Arc<AtomicU64>,
    labels: Labels,
    /// For those who read pieces.
    expected: Arc<Expected>,
    /// Lines whose labels are refused.
    strangers: Strangers,
    bad: BadLines,
    census: Census,
    /// Bad lines are dealt with in the first pass; later passes pass over them in silence.
    first_pass: bool,
    portion: Portion,
    /// Examples that were read, and how many of the first batch have been handed out.
    ready: VecDeque<Waiting>,
    given: usize,
    /// Records that were skipped among the examples handed out last, and those behind which no example was seen yet.
    skipped: Vec<usize>,
    carried: usize,
    /// The input that the last portion was from, and how many of its lines came before.
    lines_before: (usize, u64),
    /// Is it certain which label is which class?
    settled: bool,
    /// What is done to them before they are handed out.
    finish: Finish,
    /// The cache of an input, as far as it has been read.
    storing: Option<Storing>,
    /// What is known from a cache that turned out to be damaged.
    mended: Mended,
    warnings: Vec<String>,
}

/// What the labels of a portion are.
#[derive(Default)]
struct Meanings {
    classes: Vec<Option<Class>>,
    /// Those that are refused, and why.
    refused: KeyedMap<Class, String>,
    /// The line and the error that end the run.
    end: Option<(u64, Error)>,
}

impl Stream {
    /// Opens the data, and holds examples back until it is known which label is which class: only all labels together tell.
    pub(crate) fn open(
        inputs: Arc<[Input]>,
        format: Format,
        (labels, expected): (Labels, Arc<Expected>),
        finish: Finish,
        policy: Policy,
        consumed: Arc<AtomicU64>,
        begin: Begin,
    ) -> Result<Self> {
        let mut stream = Self {
            inputs,
            format,
            begin,
            feed: None,
            consumed,
            labels,
            expected,
            strangers: Strangers::default(),
            bad: BadLines::new(policy)?,
            census: Census::default(),
            first_pass: true,
            portion: Portion::default(),
            ready: VecDeque::new(),
            given: 0,
            skipped: Vec::new(),
            carried: 0,
            lines_before: (0, 0),
            settled: false,
            finish,
            storing: None,
            mended: Mended::default(),
            warnings: Vec::new(),
        };
        stream.expected.post(&stream.labels);
        while stream.labels.look_ahead(stream.held_back()) > 0 {
            if !stream.next_portion()? {
                stream.end_of_pass()?;
                break;
            }
        }
        stream.settle_labels(&mut []);
        stream.expected.post(&stream.labels);
        Ok(stream)
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

    /// Takes the next portion; `false` at the end.
    fn next_portion(&mut self) -> Result<bool> {
        if self.feed.is_none() && !self.first_pass && self.inputs.contains(&Input::Stdin) {
            return Err(Error::StdinTwice);
        }
        let more = loop {
            match self.next_of_feed() {
                Err(error) => self.mend(error)?,
                Ok(more) => break more,
            }
        };
        if !more {
            if self.feed.as_ref().is_some_and(|feed| feed.is_interrupted()) {
                // A cache of a part would be taken for the whole.
                self.storing = None;
            }
            self.finish_storing(None)?;
            return Ok(false);
        }
        self.finish_storing(Some(self.portion.input))?;
        if self.lines_before.0 != self.portion.input {
            (self.lines_before, self.mended.examples_before) = ((self.portion.input, 0), 0);
        }
        self.pass_over_known();
        self.mended.examples_before += self.portion.batch.len();
        let skipped = self.settle()?;
        self.expected.post(&self.labels);
        self.lines_before.1 += self.portion.lines;
        self.store()?;
        if self.portion.batch.is_empty() {
            self.carried += skipped.len();
        } else {
            let Portion { batch, names, .. } = &mut self.portion;
            let mut all = vec![0; std::mem::take(&mut self.carried)];
            all.extend(skipped);
            self.ready.push_back(Waiting::new(std::mem::take(batch), std::mem::take(names), all));
        }
        Ok(true)
    }

    /// Gives labels and lines their meaning in the stream. Returns how many examples come before each record that is skipped.
    fn settle(&mut self) -> Result<Vec<usize>> {
        if let Some(fault) = self.portion.header_fault.take() {
            let place = Place { line: 1, ..self.place(1, fault.column) };
            return Err(Error::Line { place, message: fault.message });
        }
        let Meanings { classes, refused, end } = self.classes();
        self.strangers.come_to(&self.portion.batch);
        let mut bad = std::mem::take(&mut self.portion.bad);
        let mut skipped: Vec<usize> = bad.iter().map(|record| record.before).collect();
        let last = end.as_ref().map_or(u64::MAX, |(line, _)| *line);
        if !refused.is_empty() {
            self.refuse(&refused, last, &mut bad, &mut skipped)?;
        }
        bad.into_iter().filter(|record| record.line < last).try_for_each(|record| self.complain(record))?;
        if let Some((_, error)) = end {
            return Err(error);
        }
        if self.first_pass {
            self.census.lines += self.portion.lines;
            self.census.sorted += self.portion.sorted;
        }
        if let Some(failure) = self.portion.failure.take() {
            return Err(failure);
        }
        self.portion.batch.relabel(|local| classes[local as usize]);
        Ok(skipped)
    }

    /// The classes of the portion's labels.
    fn classes(&mut self) -> Meanings {
        let labels = std::mem::take(&mut self.portion.labels);
        let held_back = if self.settled { 0 } else { self.held_back() };
        let mut found = Meanings::default();
        for (local, label) in labels.iter().enumerate() {
            // How far ahead is looked must not depend on how the data was cut into pieces.
            if !self.settled && self.labels.look_ahead(held_back + label.before) == 0 {
                self.settle_labels(&mut found.classes);
            }
            let class = match self.labels.class(&label.text) {
                Ok(class) => class,
                Err(Refusal::Stranger(message)) => {
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
        self.portion.labels = labels;
        found
    }

    /// Examples with labels that are refused turn out to be bad lines. These and the `bad` ones before them are dealt with in the order of the
    /// lines, up to the line that ends the run.
    fn refuse(
        &mut self,
        refused: &KeyedMap<Class, String>,
        last: u64,
        bad: &mut Vec<BadRecord>,
        skipped: &mut Vec<usize>,
    ) -> Result<()> {
        let refused = self.portion.refuse(refused);
        // Of those before a record, some are gone.
        let gone = |before: usize| refused.partition_point(|record| record.before < before);
        skipped.extend(refused.iter().map(|record| record.before));
        skipped.iter_mut().for_each(|before| *before -= gone(*before));
        skipped.sort_unstable();
        let mut others = std::mem::take(bad).into_iter().peekable();
        for record in refused.into_iter().take_while(|record| record.line < last) {
            while let Some(other) = others.next_if(|other| other.line < record.line) {
                self.complain(other)?;
            }
            if self.first_pass {
                let place = self.place(record.line, record.fault.column);
                let (before, message) = (record.before, record.fault.message.clone());
                self.complain(record)?;
                self.strangers.add(before, place, message)?;
            }
        }
        bad.extend(others);
        Ok(())
    }

    fn place(&self, line: u64, column: usize) -> Place {
        let (input, before) = self.lines_before;
        Place { file: self.inputs[input].name(), line: before + line, column }
    }

    fn complain(&mut self, BadRecord { line, fault, text, .. }: BadRecord) -> Result<()> {
        if !self.first_pass {
            return Ok(());
        }
        let place = self.place(line, fault.column);
        self.bad.add(place, fault.message, &text, self.census.lines + line)
    }

    fn end_of_pass(&mut self) -> Result<()> {
        if !self.first_pass {
            return Ok(());
        }
        self.bad.check_at_end(self.census.lines)?;
        let file = || self.inputs.first().map_or_else(String::new, Input::name);
        // Of data that did not come to its end, labels may yet have come.
        if !self.feed.as_ref().is_some_and(|feed| feed.is_interrupted()) {
            self.strangers.check_at_end()?;
            let learning = self.finish.purpose == Purpose::Learning;
            if let Some(message) = self.labels.complaint().filter(|_| learning) {
                return Err(Error::Labels { file: file(), message });
            }
        }
        match self.bad.first() {
            Some(first) if self.census.examples == 0 && self.ready.is_empty() => Err(Error::NothingRead {
                file: file(),
                format: self.format.title(),
                lines: self.census.lines,
                place: first.place.clone(),
                message: first.message.clone(),
            }),
            _ => Ok(()),
        }
    }
}

impl Reader for Stream {
    fn read(&mut self, batch: &mut Batch) -> Result<bool> {
        while self.ready.is_empty() {
            if !self.next_portion()? {
                batch.clear();
                self.skipped = vec![0; std::mem::take(&mut self.carried)];
                self.end_of_pass()?;
                return Ok(false);
            }
        }
        let first = &mut self.ready[0];
        let left = first.batch.len() - self.given;
        // Batches end at powers of two, so that progress can be shown there.
        let examples = self.census.examples;
        let wanted = ((examples + 1).next_power_of_two() - examples).min(left as u64) as usize;
        let wanted = self.finish.until_full(first, self.given..self.given + wanted);
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
        self.finish.finish(batch, first);
        self.given += wanted;
        if wanted == left {
            // Its memory is used again for the next portion.
            let through = self.ready.pop_front().unwrap_or_default();
            (self.portion.batch, self.portion.names) = (through.batch, through.names);
            self.given = 0;
        }
        self.census.examples += wanted as u64;
        Ok(true)
    }

    fn rewind(&mut self) -> Result<()> {
        (self.feed, self.storing, self.mended) = (None, None, Mended::default());
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

    fn known(&self) -> &Known {
        &self.finish.known
    }

    fn make_room(&mut self, weighted: &dyn Fn() -> Vec<u32>) -> Option<NewNumbers> {
        let new = self.finish.make_room(weighted);
        if new.is_some() {
            self.ready.iter_mut().for_each(Waiting::forget_numbers);
        }
        new
    }

    fn format(&self) -> Format {
        self.format
    }

    fn census(&self) -> Census {
        Census {
            bad: self.bad.count,
            consumed: self.consumed.load(Ordering::Relaxed),
            unknown: self.finish.unknown,
            ..self.census
        }
    }

    fn warnings(&mut self) -> Vec<String> {
        std::mem::take(&mut self.warnings)
    }

    fn complaints(&mut self) -> Vec<BadLine> {
        self.bad.take_unshown()
    }
}

#[cfg(test)]
mod tests;

#[cfg(test)]
mod careless;
