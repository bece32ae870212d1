//! The labels of one piece of the data.

use thalweg_core::Class;
use thalweg_core::keyed_hash::KeyedMap;

/// A label as written, and where it was seen first.
#[derive(Debug)]
pub(crate) struct PieceLabel {
    pub(crate) text: Vec<u8>,
    /// Counted from 1 in its piece.
    pub(crate) line: u64,
    pub(crate) column: usize,
    /// How many examples of the piece came before it.
    pub(crate) before: usize,
    /// May it be refused?
    pub(crate) uncertain: bool,
    /// How many examples of the piece have it, if they are counted.
    pub(crate) count: usize,
}

impl PieceLabel {
    /// May it turn out to be rare in its piece, so that a cache holds its records?
    pub(crate) fn may_be_rare(&self) -> bool {
        const MOST: usize = 512;
        self.count <= MOST
    }
}

/// The labels of a piece, numbered as they come.
#[derive(Debug, Default)]
pub(crate) struct PieceLabels {
    all: Vec<PieceLabel>,
    /// Are examples counted, because some labels are uncertain or the piece is to be stored?
    pub(crate) are_watched: bool,
    /// Their numbers, where there are more than a few.
    numbers: KeyedMap<Vec<u8>, Class>,
}

impl PieceLabels {
    /// Looking through so many is faster than anything else.
    const FEW: usize = 16;

    pub(crate) fn clear(&mut self) {
        self.all.clear();
        self.numbers.clear();
        self.are_watched = false;
    }

    /// In the order of their numbers, which is that of the lines.
    pub(crate) fn iter(&self) -> std::slice::Iter<'_, PieceLabel> {
        self.all.iter()
    }

    /// The label of a number.
    pub(crate) fn get(&self, number: Class) -> Option<&PieceLabel> {
        self.all.get(number as usize)
    }

    /// One more example has the label of this number: the label.
    #[inline]
    pub(crate) fn count(&mut self, number: Class) -> &PieceLabel {
        let label = &mut self.all[number as usize];
        label.count += 1;
        label
    }

    /// Adds a label that is not there yet.
    pub(crate) fn push(&mut self, label: PieceLabel) {
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
