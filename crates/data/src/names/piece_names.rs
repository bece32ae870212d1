//! The names of one piece of the data.

use std::sync::Arc;

use thalweg_core::{BIAS, Real};

use super::shared_names::{Key, NameTable, SHORT};
use super::vocabulary::Vocabulary;

/// The names of the features of a piece. Shared names have their numbers in the stream; the others are numbered after them, as they
/// come.
#[derive(Debug, Default)]
pub(crate) struct PieceNames {
    shared: Arc<NameTable>,
    new: Vocabulary,
    /// Names with a value each that have not been looked up yet, and the long ones among them, one after the other.
    noted: Vec<(Key, Real)>,
    long: Vec<u8>,
    guesses: Vec<u32>,
}

impl PieceNames {
    /// No names but those that have no number in the stream yet.
    pub(crate) fn all_new(new: Vocabulary) -> Self {
        Self { new, ..Self::default() }
    }

    /// A piece begins, of a stream that shares these names.
    pub(crate) fn begin(&mut self, shared: Arc<NameTable>) {
        self.shared = shared;
        self.new.clear();
    }

    /// The first number that a name has in this piece alone.
    pub(crate) fn first_new(&self) -> u32 {
        self.shared.len() as u32
    }

    /// Names that are not shared. Their numbers are positions here, after the shared ones.
    pub(crate) fn new_names(&self) -> &Vocabulary {
        &self.new
    }

    /// The number of a name.
    #[inline]
    pub(crate) fn number(&mut self, name: &[u8]) -> u32 {
        let key = Key::of(name, self.new.secret());
        number(&self.shared, &mut self.new, key, name)
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
        let Self { shared, new, noted, long, guesses } = self;
        guesses.clear();
        guesses.extend(noted.iter().map(|(key, _)| shared.guess(*key)));
        let mut long_names = &long[..];
        for ((key, value), guess) in noted.drain(..).zip(guesses) {
            let number = if key.length() > SHORT {
                let (name, others) = long_names.split_at(key.length());
                long_names = others;
                number(shared, new, key, name)
            } else if *guess != BIAS {
                *guess
            } else {
                number(shared, new, key, &key.short_name()[..key.length()])
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
            None => Some(self.shared.name(number)),
        }
    }
}

/// The number of a name: that in the stream if it is shared, else one after those.
#[inline]
fn number(shared: &NameTable, new: &mut Vocabulary, key: Key, name: &[u8]) -> u32 {
    shared.find(key, name).unwrap_or_else(|| shared.len() as u32 + new.number(name))
}
