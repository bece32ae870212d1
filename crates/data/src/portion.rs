//! What one piece of the data turned out to be, before it takes its place in the stream.
//!
//! Pieces are read by several threads, none of which knows what came before. So a portion numbers its labels by itself and counts its
//! lines from 1; the stream, which sees the portions in order, gives both their meaning.

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use thalweg_core::keyed_hash::KeyedMap;
use thalweg_core::{BIAS, Batch, Class, Real};

use crate::cache::Destination;
use crate::error::{Error, Fault};
use crate::familiar::{Familiar, Key, SHORT};
use crate::names::Vocabulary;

/// The examples of a piece, and what was wrong with it.
#[derive(Debug, Default)]
pub(crate) struct Portion {
    /// The examples; classes are places in `labels`.
    pub(crate) batch: Batch,
    /// The labels as written.
    pub(crate) labels: LocalLabels,
    /// The names of its features, if they have names: these are their numbers.
    pub(crate) names: LocalNames,
    /// Bad lines, in order.
    pub(crate) bad: Vec<BadRecord>,
    /// Examples whose label may yet be refused, in order.
    pub(crate) doubtful: Doubtfuls,
    /// Which line an example is: from an example on, so much is added to its number. Only where that changes.
    pub(crate) shifts: Vec<(u32, u64)>,
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
    pub(crate) to_be_stored: bool,
    pub(crate) destination: Option<Arc<Destination>>,
}

impl Portion {
    /// Forgets everything and keeps the memory.
    pub(crate) fn clear(&mut self) {
        self.batch.clear();
        self.labels.clear();
        self.bad.clear();
        self.doubtful.clear();
        self.shifts.clear();
        self.encoded.clear();
        self.names.begin(Arc::default());
        (self.header_fault, self.to_be_stored) = (None, false);
        (self.input, self.lines, self.sorted, self.failure, self.destination) = (0, 0, 0, None, None);
    }

    /// Lets go of the examples that have one of these labels: they turn out to be bad lines.
    pub(crate) fn refuse(&mut self, refused: &KeyedMap<Class, String>) -> Vec<BadRecord> {
        let mut doubtful = self.doubtful.iter().peekable();
        let (mut bad, mut kept, mut from) = (Vec::new(), Batch::default(), 0);
        for (example, class) in self.batch.labels().iter().enumerate() {
            let Some((class, message)) = class.and_then(|class| Some((class, refused.get(&class)?))) else {
                continue;
            };
            kept.extend_from(&self.batch, from..example);
            from = example + 1;
            while doubtful.next_if(|doubtful| (doubtful.example as usize) < example).is_some() {}
            // A cache does not know more than the label and where in a line it was first.
            let label = || self.labels.get(class).map_or((0, &[][..]), |label| (label.column, &label.text));
            let found = doubtful.next_if(|doubtful| doubtful.example as usize == example);
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
        self.doubtful = self.doubtful.without_first(examples);
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

    /// The doubtful examples that a cache holds: those with labels that few examples of the piece have, as far as they take little room.
    /// Of the others it knows no more than the label.
    pub(crate) fn rare(&self) -> Doubtfuls {
        const FEW: usize = 8;
        const ROOM: usize = 1 << 12;
        let few = FEW.max(self.batch.len() / 50);
        let label =
            |example: u32| self.batch.labels()[example as usize].and_then(|class| self.labels.get(class));
        let mut rare = Doubtfuls::default();
        for Doubtful { example, column, text } in self.doubtful.iter() {
            let fits = rare.text.len() + text.len() <= ROOM;
            if fits && label(example).is_some_and(|label| label.count <= few) {
                rare.add(example as usize, column, |out| out.extend_from_slice(text));
            }
        }
        rare
    }
}

/// The names of the features of a piece. Names that are familiar have their numbers in the stream; the others are numbered behind
/// them, as they come.
#[derive(Debug, Default)]
pub(crate) struct LocalNames {
    familiar: Arc<Familiar>,
    new: Vocabulary,
    /// Names with a value each that have not been looked up yet, and the long ones among them, one after the other.
    noted: Vec<(Key, Real)>,
    long: Vec<u8>,
    guesses: Vec<u32>,
}

impl LocalNames {
    /// No names but those that have no number in the stream yet.
    pub(crate) fn strangers(new: Vocabulary) -> Self {
        Self { new, ..Self::default() }
    }

    /// A piece begins, of a stream in which these are familiar.
    pub(crate) fn begin(&mut self, familiar: Arc<Familiar>) {
        self.familiar = familiar;
        self.new.clear();
    }

    /// The first number that a name has in this piece alone.
    pub(crate) fn first_new(&self) -> u32 {
        self.familiar.len() as u32
    }

    /// Those that are not familiar: their numbers are places here, behind the familiar ones.
    pub(crate) fn new_names(&self) -> &Vocabulary {
        &self.new
    }

    /// The number of a name.
    #[inline]
    pub(crate) fn number(&mut self, name: &[u8]) -> u32 {
        let key = Key::of(name, self.new.secret());
        number(&self.familiar, &mut self.new, key, name)
    }

    /// Takes note of a name, to be looked up with others: one after the other without anything in between, the processor waits
    /// for many of them at the same time.
    #[inline]
    pub(crate) fn note(&mut self, name: &[u8], value: Real) {
        if name.len() > SHORT {
            self.long.extend_from_slice(name);
        }
        self.noted.push((Key::of(name, self.new.secret()), value));
    }

    /// The numbers of all names that were noted, with their values.
    pub(crate) fn look_up(&mut self, mut found: impl FnMut(u32, Real)) {
        let Self { familiar, new, noted, long, guesses } = self;
        guesses.clear();
        guesses.extend(noted.iter().map(|(key, _)| familiar.guess(*key)));
        let mut long_names = &long[..];
        for ((key, value), guess) in noted.drain(..).zip(guesses) {
            let number = if key.length() > SHORT {
                let (name, others) = long_names.split_at(key.length());
                long_names = others;
                number(familiar, new, key, name)
            } else if *guess != BIAS {
                *guess
            } else {
                number(familiar, new, key, &key.short_name()[..key.length()])
            };
            found(number, value);
        }
        long.clear();
    }

    /// Forgets what was noted.
    pub(crate) fn forget_noted(&mut self) {
        self.noted.clear();
        self.long.clear();
    }

    /// The name of a number.
    pub(crate) fn name(&self, number: u32) -> Option<&[u8]> {
        match number.checked_sub(self.first_new()) {
            Some(place) => self.new.name(place),
            None => Some(self.familiar.name(number)),
        }
    }
}

/// The number of a name: its own if it is familiar, else one behind those.
#[inline]
fn number(familiar: &Familiar, new: &mut Vocabulary, key: Key, name: &[u8]) -> u32 {
    familiar.find(key, name).unwrap_or_else(|| familiar.len() as u32 + new.number(name))
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

/// An example whose label may yet be refused.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Doubtful<'a> {
    /// Which example of the piece.
    pub(crate) example: u32,
    /// Where in its line the label is.
    pub(crate) column: usize,
    /// The record.
    pub(crate) text: &'a [u8],
}

/// Examples whose labels may yet be refused, in order.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(crate) struct Doubtfuls {
    /// Example, column, and where its text ends.
    all: Vec<(u32, usize, usize)>,
    text: Vec<u8>,
}

impl Doubtfuls {
    pub(crate) fn clear(&mut self) {
        self.all.clear();
        self.text.clear();
    }

    /// Adds the next one; `text` appends its record.
    pub(crate) fn add(&mut self, example: usize, column: usize, text: impl FnOnce(&mut Vec<u8>)) {
        text(&mut self.text);
        self.all.push((example as u32, column, self.text.len()));
    }

    /// Could these be some of so many examples? Bytes of a file could be anything.
    pub(crate) fn are_sound(&self, examples: usize) -> bool {
        let ends = self.all.iter().map(|(.., end)| *end).chain([self.text.len()]);
        ends.is_sorted() && self.all.iter().all(|(example, ..)| (*example as usize) < examples)
    }

    /// Those behind the first examples, whose numbers begin there.
    fn without_first(&self, examples: usize) -> Self {
        let mut rest = Self::default();
        for Doubtful { example, column, text } in self.iter() {
            if let Some(example) = (example as usize).checked_sub(examples) {
                rest.add(example, column, |out| out.extend_from_slice(text));
            }
        }
        rest
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = Doubtful<'_>> {
        let mut start = 0;
        self.all.iter().map(move |&(example, column, end)| {
            let text = &self.text[start..end];
            start = end;
            Doubtful { example, column, text }
        })
    }
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
    /// May it be refused?
    pub(crate) doubtful: bool,
    /// How many examples of the piece have it, if they are counted.
    pub(crate) count: usize,
}

impl LocalLabel {
    /// May it turn out to be rare in its piece, so that a cache holds its records?
    pub(crate) fn may_be_rare(&self) -> bool {
        const MOST: usize = 512;
        self.count <= MOST
    }
}

/// The labels of a piece, numbered as they come.
#[derive(Debug, Default)]
pub(crate) struct LocalLabels {
    all: Vec<LocalLabel>,
    /// Are examples counted, because some labels are doubtful or the piece is to be stored?
    pub(crate) are_watched: bool,
    /// Their numbers, where there are more than a few.
    numbers: KeyedMap<Vec<u8>, Class>,
}

impl LocalLabels {
    /// Looking through so many is faster than anything else.
    const FEW: usize = 16;

    pub(crate) fn clear(&mut self) {
        self.all.clear();
        self.numbers.clear();
        self.are_watched = false;
    }

    /// In the order of their numbers, which is that of the lines.
    pub(crate) fn iter(&self) -> std::slice::Iter<'_, LocalLabel> {
        self.all.iter()
    }

    /// The label of a number.
    pub(crate) fn get(&self, number: Class) -> Option<&LocalLabel> {
        self.all.get(number as usize)
    }

    /// One more example has the label of this number: the label.
    #[inline]
    pub(crate) fn count(&mut self, number: Class) -> &LocalLabel {
        let label = &mut self.all[number as usize];
        label.count += 1;
        label
    }

    /// Adds a label that is not there yet.
    pub(crate) fn push(&mut self, label: LocalLabel) {
        if self.all.len() >= Self::FEW {
            self.numbers.insert(label.text.clone(), self.all.len() as Class);
        }
        self.all.push(label);
    }

    /// The number of a label that was seen before.
    #[inline]
    pub(crate) fn find(&self, text: &[u8]) -> Option<Class> {
        let few = &self.all[..self.all.len().min(Self::FEW)];
        let found = few.iter().position(|known| known.text == text).map(|number| number as Class);
        if self.all.len() <= Self::FEW { found } else { found.or_else(|| self.numbers.get(text).copied()) }
    }
}
