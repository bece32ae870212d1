//! What one piece of the data turned out to be, before it takes its place in the stream.
//!
//! Pieces are read by several threads, none of which knows what came before. So a portion numbers its labels by itself and counts its
//! lines from 1; the stream, which sees the portions in order, gives both their meaning.

use std::sync::Arc;

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
        self.names.begin(Arc::default());
        self.header_fault = None;
        (self.input, self.lines, self.sorted, self.failure, self.destination) = (0, 0, 0, None, None);
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
        number(&self.familiar, &mut self.new, Key::of(name), name)
    }

    /// Takes note of a name, to be looked up with others: one after the other without anything in between, the processor waits
    /// for many of them at the same time.
    #[inline]
    pub(crate) fn note(&mut self, name: &[u8], value: Real) {
        if name.len() > SHORT {
            self.long.extend_from_slice(name);
        }
        self.noted.push((Key::of(name), value));
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
