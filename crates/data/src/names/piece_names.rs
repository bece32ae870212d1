//! The names of one piece of the data.

use std::sync::Arc;

use thalweg_core::{BIAS, Real};

use super::shared_names::{Key, NameTable, SHORT};
use super::vocabulary::Vocabulary;

/// The names of the features of a piece. Names that are familiar have their numbers in the stream; the others are numbered behind
/// them, as they come.
#[derive(Debug, Default)]
pub(crate) struct PieceNames {
    familiar: Arc<NameTable>,
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

    /// A piece begins, of a stream in which these are familiar.
    pub(crate) fn begin(&mut self, familiar: Arc<NameTable>) {
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
fn number(familiar: &NameTable, new: &mut Vocabulary, key: Key, name: &[u8]) -> u32 {
    familiar.find(key, name).unwrap_or_else(|| familiar.len() as u32 + new.number(name))
}
