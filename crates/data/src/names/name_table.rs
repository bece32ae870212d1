//! What other threads see of a vocabulary.

use super::name_slots::NameSlots;
use super::name_store::{Place, SealedNames};

/// The names of a vocabulary as they were when they were published: 0, 1, 2, ... The hash table is that of the vocabulary itself.
#[derive(Debug, Default)]
pub(crate) struct NameTable {
    slots: NameSlots,
    names: SealedNames,
    len: u32,
}

impl NameTable {
    pub(super) fn new(slots: NameSlots, names: SealedNames, len: u32) -> Self {
        Self { slots, names, len }
    }

    /// How many names there are.
    pub(crate) fn len(&self) -> usize {
        self.len as usize
    }

    /// The number of a name, whose hash is known, if it is here.
    #[inline(always)]
    pub(crate) fn find(&self, name: &[u8], hash: u64) -> Option<u32> {
        self.slots.find(hash, |place| self.names.number_if(place, name))
    }

    /// The name of a number. Nothing tells where it is but the names before it.
    pub(crate) fn name(&self, number: u32) -> Option<&[u8]> {
        self.names.name(number)
    }

    /// Looks at all memory that is needed to find names with these hashes. Nothing here waits for what was found before, so the processor waits for
    /// many of them at the same time. The result says nothing; it is there so that none of this is left out.
    #[inline]
    pub(super) fn touch(&self, hashes: impl Iterator<Item = u64>, places: &mut Vec<Option<Place>>) -> u8 {
        places.clear();
        places.extend(hashes.map(|hash| self.slots.guess(hash)));
        places.iter().flatten().fold(0, |all, place| all ^ self.names.touch(*place))
    }
}
