//! The names of one piece of the data.

use std::sync::Arc;

use thalweg_core::Real;

use super::input_names::NamesOfInput;
use super::name_store::Place;
use super::name_table::NameTable;
use super::vocabulary::Vocabulary;

/// The names of the features of a piece. Shared names have their numbers in the stream; the others are numbered after them, as they
/// come.
#[derive(Debug, Default)]
pub(crate) struct PieceNames {
    shared: Arc<NameTable>,
    new: Vocabulary,
    /// Instead of both: the names that come first with this piece, of an input whose names have numbers of their own.
    of_input: Option<NamesOfInput>,
    /// Names that have not been looked up yet, one after the other.
    noted: Vec<Noted>,
    bytes: Vec<u8>,
    places: Vec<Option<Place>>,
}

/// A name that is to be looked up.
#[derive(Clone, Copy, Debug)]
struct Noted {
    hash: u64,
    /// Where it ends.
    end: usize,
    value: Real,
}

impl PieceNames {
    /// No names but those that have no number in the stream yet.
    pub(crate) fn all_new(new: Vocabulary) -> Self {
        Self { new, ..Self::default() }
    }

    /// The numbers are those of the names of its input, of which these come first with this piece.
    pub(crate) fn are_of_input(&mut self, names: NamesOfInput) {
        self.begin(Arc::default());
        self.of_input = Some(names);
    }

    /// The names that come first with this piece, if numbers are those of the names of its input.
    pub(crate) fn of_input(&self) -> Option<&NamesOfInput> {
        self.of_input.as_ref()
    }

    /// A piece begins, of a stream that shares these names.
    pub(crate) fn begin(&mut self, shared: Arc<NameTable>) {
        self.shared = shared;
        self.of_input = None;
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
        let hash = self.new.secret().hash_bytes(name);
        number(&self.shared, &mut self.new, name, hash)
    }

    /// Takes note of a name, to be looked up with others: one after the other without anything in between, the processor waits
    /// for many of them at the same time.
    #[inline]
    pub(crate) fn note(&mut self, name: &[u8], value: Real) {
        self.note_with(|bytes| bytes.extend_from_slice(name), value);
    }

    /// Takes note of the name that is appended.
    #[inline]
    pub(crate) fn note_with(&mut self, append: impl FnOnce(&mut Vec<u8>), value: Real) {
        let start = self.bytes.len();
        append(&mut self.bytes);
        let hash = self.new.secret().hash_bytes(&self.bytes[start..]);
        self.shared.fetch(hash);
        self.new.fetch_hash(hash);
        self.noted.push(Noted { hash, end: self.bytes.len(), value });
    }

    /// The numbers of all names that were noted, with their values.
    pub(crate) fn look_up(&mut self, mut found: impl FnMut(u32, Real)) {
        let Self { shared, new, noted, bytes, places, .. } = self;
        places.clear();
        places.extend(noted.iter().map(|noted| shared.candidate(noted.hash)));
        let mut start = 0;
        for (Noted { hash, end, value }, place) in noted.drain(..).zip(&*places) {
            let name = &bytes[start..end];
            let known = place.and_then(|place| shared.number_at(place, name));
            found(known.unwrap_or_else(|| number(shared, new, name, hash)), value);
            start = end;
        }
        bytes.clear();
    }

    /// Forgets what was noted.
    pub(crate) fn forget_noted(&mut self) {
        self.noted.clear();
        self.bytes.clear();
    }

    /// The name of a number. It takes some time for names that are shared.
    pub(crate) fn name(&self, number: u32) -> Option<&[u8]> {
        match number.checked_sub(self.first_new()) {
            Some(place) => self.new.name(place),
            None => self.shared.name(number),
        }
    }
}

/// The number of a name: that in the stream if it is shared, else one after those.
#[inline]
fn number(shared: &NameTable, new: &mut Vocabulary, name: &[u8], hash: u64) -> u32 {
    shared.find(name, hash).unwrap_or_else(|| shared.len() as u32 + new.number_of_hash(name, hash))
}
