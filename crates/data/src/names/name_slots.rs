//! The hash table of a vocabulary. One thread adds to it, and others may look at it at the same time.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use thalweg_core::fetch::fetch;
use thalweg_core::large_pages::with_room;

use super::name_store::{PLACE_BITS, Place};

/// A slot is 0 as long as it is empty. Else it has one more than the place of a name, and some bits of its hash in front.
///
/// Slots are filled, and never changed again; a larger table takes the place of one that is two thirds full. Whoever looks while another thread adds sees
/// a name or does not see it yet. What he sees may be a place that he does not know: it says nothing of what is stored there.
#[derive(Debug, Default)]
pub(super) struct NameSlots {
    slots: Arc<Vec<AtomicU64>>,
    /// The first slot for a name is in the highest bits of its hash.
    shift: u32,
    used: usize,
}

const FEWEST: usize = 64;

impl Clone for NameSlots {
    /// Nobody sees in one what is added to the other.
    fn clone(&self) -> Self {
        let copy = |slot: &AtomicU64| AtomicU64::new(slot.load(Ordering::Relaxed));
        Self { slots: Arc::new(self.slots.iter().map(copy).collect()), ..*self }
    }
}

impl NameSlots {
    /// Room for so many names.
    pub(super) fn with_capacity(names: usize) -> Self {
        let count = (names + names / 2 + 1).next_power_of_two().max(FEWEST);
        let mut slots = with_room(count);
        slots.resize_with(count, AtomicU64::default);
        Self { slots: Arc::new(slots), shift: u64::BITS - count.ilog2(), used: 0 }
    }

    /// So many names have room.
    pub(super) fn capacity(&self) -> usize {
        2 * self.slots.len() / 3
    }

    /// Is there no room for another name?
    pub(super) fn is_full(&self) -> bool {
        self.used >= self.capacity()
    }

    /// The same table for those who only look.
    pub(super) fn for_others(&self) -> Self {
        Self { slots: Arc::clone(&self.slots), ..*self }
    }

    /// Adds a name that is not there yet.
    pub(super) fn insert(&mut self, hash: u64, place: Place) {
        debug_assert!(!self.is_full());
        let last = self.slots.len() - 1;
        let mut at = self.first(hash);
        while self.slots[at].load(Ordering::Relaxed) != 0 {
            at = (at + 1) & last;
        }
        self.slots[at].store(mark(hash) | (place.bits() + 1), Ordering::Relaxed);
        self.used += 1;
    }

    /// What `is` says of the first place of a name with this hash of which it says anything.
    #[inline(always)]
    pub(super) fn find<T>(&self, hash: u64, is: impl Fn(Place) -> Option<T>) -> Option<T> {
        let last = self.slots.len().checked_sub(1)?;
        let mut at = self.first(hash);
        loop {
            let slot = self.slots[at & last].load(Ordering::Relaxed);
            if slot == 0 {
                return None;
            }
            if let Some(place) = place_of(slot, hash)
                && let Some(said) = is(place)
            {
                return Some(said);
            }
            at += 1;
        }
    }

    /// Asks for the memory of the first slot for a name with this hash.
    #[inline(always)]
    pub(super) fn fetch(&self, hash: u64) {
        fetch(self.slots.as_ptr().wrapping_add(self.first(hash)));
    }

    #[inline(always)]
    fn first(&self, hash: u64) -> usize {
        (hash >> self.shift) as usize
    }

    /// Forgets all names and keeps the memory, unless others look at it.
    pub(super) fn clear(&mut self) {
        match Arc::get_mut(&mut self.slots) {
            Some(slots) => slots.iter_mut().for_each(|slot| *slot.get_mut() = 0),
            None => *self = Self::default(),
        }
        self.used = 0;
    }

    /// Bytes of memory that it holds.
    pub(super) fn memory(&self) -> usize {
        size_of_val(&self.slots[..])
    }
}

/// The bits of a hash that are stored with a place.
#[inline(always)]
fn mark(hash: u64) -> u64 {
    hash << PLACE_BITS
}

/// The place in a slot, if the bits of the hash are right.
#[inline(always)]
fn place_of(slot: u64, hash: u64) -> Option<Place> {
    let bits = slot ^ mark(hash);
    (bits.wrapping_sub(1) >> PLACE_BITS == 0).then(|| Place::from_bits(bits - 1))
}
