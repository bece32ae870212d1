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

    /// Asks for the memory that tells where a name with this hash is.
    #[inline(always)]
    pub(super) fn fetch(&self, hash: u64) {
        self.slots.fetch(hash);
    }

    /// Where a name with this hash is stored, if it is: another name with a similar hash may be there. Asks for the memory of that place.
    #[inline(always)]
    pub(super) fn candidate(&self, hash: u64) -> Option<Place> {
        let place = self.slots.find(hash, Some)?;
        self.names.fetch(place);
        Some(place)
    }

    /// The number of a name, if it is at this place.
    #[inline(always)]
    pub(super) fn number_at(&self, place: Place, name: &[u8]) -> Option<u32> {
        self.names.number_if(place, name)
    }
}
