//! The reader of all data: portions, in order, become batches of one stream.

use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use thalweg_core::{Batch, Class};

use crate::bad::{BadLine, BadLines, Policy};
use crate::cache::{CacheWriter, Destination};
use crate::error::{Error, Place, Result};
use crate::finish::{Finish, Waiting};
use crate::known::Known;
use crate::labels::Labels;
use crate::pipeline::Feed;
use crate::portion::{BadRecord, Portion};
use crate::reader::{Census, Reader};
use crate::room::NewNumbers;
use crate::source::Input;

/// Begins a pass over the data.
pub(crate) type Begin = Box<dyn Fn() -> Box<dyn Feed> + Send>;

pub(crate) struct Stream {
    inputs: Arc<[Input]>,
    format: &'static str,
    begin: Begin,
    feed: Option<Box<dyn Feed>>,
    consumed: Arc<AtomicU64>,
    labels: Labels,
    bad: BadLines,
    census: Census,
    /// Bad lines are dealt with in the first pass; later passes pass over them in silence.
    first_pass: bool,
    portion: Portion,
    /// Examples that were read, and how many of the first batch have been handed out.
    ready: VecDeque<Waiting>,
    given: usize,
    /// The input that the last portion was from, and how many of its lines came before.
    lines_before: (usize, u64),
    /// Is it certain which label is which class?
    settled: bool,
    /// What is done to them before they are handed out.
    finish: Finish,
    /// The cache of an input, as far as it has been read.
    storing: Option<Storing>,
}

struct Storing {
    input: usize,
    destination: Arc<Destination>,
    writer: CacheWriter,
}

impl Stream {
    /// Opens the data, and holds examples back until it is known which label is which class: only all labels together tell.
    pub(crate) fn open(
        inputs: Arc<[Input]>,
        format: &'static str,
        labels: Labels,
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
            bad: BadLines::new(policy)?,
            census: Census::default(),
            first_pass: true,
            portion: Portion::default(),
            ready: VecDeque::new(),
            given: 0,
            lines_before: (0, 0),
            settled: false,
            finish,
            storing: None,
        };
        while stream.labels.look_ahead(stream.held_back()) > 0 {
            if !stream.next_portion()? {
                stream.end_of_pass()?;
                break;
            }
        }
        stream.settle_labels(&mut []);
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
        let feed = self.feed.get_or_insert_with(&self.begin);
        if !feed.next(&mut self.portion)? {
            if feed.is_interrupted() {
                // A cache of a part would be taken for the whole.
                self.storing = None;
            }
            self.finish_storing(None)?;
            return Ok(false);
        }
        self.finish_storing(Some(self.portion.input))?;
        if self.lines_before.0 != self.portion.input {
            self.lines_before = (self.portion.input, 0);
        }
        self.settle()?;
        self.lines_before.1 += self.portion.lines;
        self.store()?;
        if !self.portion.batch.is_empty() {
            let Portion { batch, names, .. } = &mut self.portion;
            self.ready.push_back(Waiting::new(std::mem::take(batch), std::mem::take(names)));
        }
        Ok(true)
    }

    /// Gives labels and lines their meaning in the stream.
    fn settle(&mut self) -> Result<()> {
        if let Some(fault) = self.portion.header_fault.take() {
            let place = Place { line: 1, ..self.place(1, fault.column) };
            return Err(Error::Line { place, message: fault.message });
        }
        let labels = std::mem::take(&mut self.portion.labels);
        let held_back = if self.settled { 0 } else { self.held_back() };
        let mut bad = std::mem::take(&mut self.portion.bad).into_iter().peekable();
        let mut classes: Vec<Option<Class>> = Vec::new();
        for label in labels.iter() {
            while let Some(record) = bad.next_if(|record| record.line < label.line) {
                self.complain(record)?;
            }
            // How far ahead is looked must not depend on how the data was cut into pieces.
            if !self.settled && self.labels.look_ahead(held_back + label.before) == 0 {
                self.settle_labels(&mut classes);
            }
            let class = self.labels.class(&label.text);
            let wrong = |message| Error::Line { place: self.place(label.line, label.column), message };
            classes.push(class.map_err(wrong)?);
        }
        bad.try_for_each(|record| self.complain(record))?;
        self.portion.labels = labels;
        if self.first_pass {
            self.census.lines += self.portion.lines;
            self.census.sorted += self.portion.sorted;
        }
        if let Some(failure) = self.portion.failure.take() {
            return Err(failure);
        }
        self.portion.batch.relabel(|local| classes[local as usize]);
        Ok(())
    }

    fn place(&self, line: u64, column: usize) -> Place {
        let (input, before) = self.lines_before;
        Place { file: self.inputs[input].name(), line: before + line, column }
    }

    fn complain(&mut self, BadRecord { line, fault, text }: BadRecord) -> Result<()> {
        if !self.first_pass {
            return Ok(());
        }
        let place = self.place(line, fault.column);
        self.bad.add(place, fault.message, &text, self.census.lines + line)
    }

    /// Adds the portion to the cache of its input, if it is to have one.
    fn store(&mut self) -> Result<()> {
        let Some(destination) = self.portion.destination.take() else { return Ok(()) };
        if self.storing.is_none() {
            let writer = CacheWriter::create(&destination)?;
            self.storing = Some(Storing { input: self.portion.input, destination, writer });
        }
        self.storing.as_mut().map_or(Ok(()), |storing| storing.writer.add(&mut self.portion.encoded))
    }

    /// The cache of an input is complete when the next one begins. It is of no use if the source has changed in the
    /// meantime.
    fn finish_storing(&mut self, next: Option<usize>) -> Result<()> {
        let Some(storing) = self.storing.take_if(|storing| next != Some(storing.input)) else {
            return Ok(());
        };
        match &self.inputs[storing.input] {
            Input::File(path) if storing.destination.origin.is_still(path) => storing.writer.finish(),
            _ => Ok(()),
        }
    }

    fn end_of_pass(&mut self) -> Result<()> {
        if !self.first_pass {
            return Ok(());
        }
        self.bad.check_at_end(self.census.lines)?;
        match self.bad.first() {
            Some(first) if self.census.examples == 0 && self.ready.is_empty() => Err(Error::NothingRead {
                file: self.inputs.first().map_or_else(String::new, Input::name),
                format: self.format,
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
                self.end_of_pass()?;
                return Ok(false);
            }
        }
        let first = &mut self.ready[0];
        let left = first.batch.len() - self.given;
        // Batches end at powers of two, so that progress can be shown there.
        let examples = self.census.examples;
        let wanted = ((examples + 1).next_power_of_two() - examples).min(self.finish.until_look());
        let wanted = wanted.min(left as u64) as usize;
        if self.given == 0 && wanted == left {
            std::mem::swap(batch, &mut first.batch);
        } else {
            batch.clear();
            batch.extend_from(&first.batch, self.given..self.given + wanted);
        }
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
        (self.feed, self.storing) = (None, None);
        self.ready.clear();
        (self.given, self.lines_before, self.first_pass) = (0, (0, 0), false);
        Ok(())
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

    fn census(&self) -> Census {
        Census { bad: self.bad.count, consumed: self.consumed.load(Ordering::Relaxed), ..self.census }
    }

    fn complaints(&mut self) -> Vec<BadLine> {
        self.bad.take_unshown()
    }
}

#[cfg(test)]
mod tests;

#[cfg(test)]
mod careless;
