//! One cell per feature, for feature indices that nobody declared.
//!
//! Most data numbers its features from 0 or 1 without large gaps: an array is the right home. But one line with
//! index 4,000,000,000 must not cost sixteen gigabytes. So the low indices are places in an array, and for the far ones a
//! hash map says the place; the array's low part grows over far indices as soon as enough of the new part would be in
//! use. Where a cell lives has no influence on what is learned or written.
//!
//! The constant feature has the highest number of all, and every example may have it: its place is the array's first, and
//! all others come one later than their number.

use rustc_hash::FxHashMap;

use crate::batch::BIAS;
use crate::cell::Cell;

/// Cells by feature index.
#[derive(Clone, Debug)]
pub struct Table<C> {
    fresh: C,
    /// The low part: `near` cells, by feature. Then those of far features, as they came.
    cells: Vec<C>,
    near: usize,
    far: FxHashMap<u32, u32>,
    /// Look whether the low part should grow when there are this many far features.
    review_at: usize,
}

/// Where a feature's cell is, as long as no other feature is added.
#[derive(Clone, Copy, Debug)]
pub struct Place(usize);

impl Place {
    const NOWHERE: Place = Place(usize::MAX);

    /// Where a feature of the low part is.
    #[inline]
    pub(crate) fn near(feature: u32) -> Self {
        Self(feature.wrapping_add(1) as usize)
    }

    /// The feature at a place of the low part.
    fn feature(self) -> u32 {
        (self.0 as u32).wrapping_sub(1)
    }
}

/// Bytes that fit into a processor's second cache.
const LARGE: usize = 1 << 18;

/// Asks the processor to fetch what is there into its cache.
#[inline]
fn fetch<T>(address: *const T) {
    #[cfg(target_arch = "x86_64")]
    {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        // SAFETY: a hint. It reads nothing that the program could see, and an address where nothing is does no harm.
        #[allow(unsafe_code)]
        unsafe {
            _mm_prefetch::<_MM_HINT_T0>(address.cast());
        }
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = address;
}

/// Far features are left alone below this number.
const FIRST_REVIEW: usize = 64;
/// One in this many cells of the low part's new part must be in use for it to grow.
const SPARSEST: u64 = 4;
/// A low part of no more bytes than this is worth its memory as soon as one in so many is in use: an array is several times
/// faster than a map that no longer fits into the processor's cache.
const SMALL: (usize, u64) = (32 << 20, 32);

impl<C: Cell> Table<C> {
    /// An empty table; a feature that was never stored reads as `fresh`.
    pub fn new(fresh: C) -> Self {
        Self { fresh, cells: Vec::new(), near: 0, far: FxHashMap::default(), review_at: FIRST_REVIEW }
    }

    /// Where the feature's cell is.
    #[inline]
    pub fn find(&self, feature: u32) -> Place {
        let place = Place::near(feature);
        if place.0 < self.near { place } else { self.find_far(feature) }
    }

    /// Are all of these features, which increase, in the low part?
    #[inline]
    pub fn is_near(&self, features: &[u32]) -> bool {
        let (last, others) =
            features.split_last().map_or((None, &[][..]), |(last, others)| (Some(last), others));
        // The constant comes last in a row, and first here.
        let farthest = if last == Some(&BIAS) { others.last() } else { last };
        farthest.or(last).is_none_or(|&feature| Place::near(feature).0 < self.near)
    }

    /// Is the table too large for the processor to have it at hand?
    pub(crate) fn is_large(&self) -> bool {
        self.cells.len() * size_of::<C>() > LARGE
    }

    /// Lets the processor fetch the cells of features that will be needed soon.
    #[inline]
    pub(crate) fn fetch(&self, features: &[u32]) {
        for &feature in features {
            fetch(self.cells.as_ptr().wrapping_add(Place::near(feature).0));
        }
    }

    /// The cell at a place.
    #[inline]
    pub fn at(&self, place: Place) -> &C {
        self.cells.get(place.0).unwrap_or(&self.fresh)
    }

    /// Stores the cell of a feature whose place was found before. After the last one, [`Self::tidy`].
    #[inline]
    pub fn put(&mut self, place: Place, feature: u32, cell: C) {
        match self.cells.get_mut(place.0) {
            Some(home) => *home = cell,
            None => self.put_far(feature, cell),
        }
    }

    /// Lets the low part grow if that is due. Places found before are no longer valid.
    #[inline]
    pub fn tidy(&mut self) {
        if self.far.len() >= self.review_at {
            self.review();
        }
    }

    /// The cell of a feature.
    #[inline]
    pub fn get(&self, feature: u32) -> &C {
        self.at(self.find(feature))
    }

    /// Stores the cell of a feature.
    pub fn set(&mut self, feature: u32, cell: C) {
        self.put(self.find(feature), feature, cell);
        self.tidy();
    }

    /// Gives every feature but the constant another number; those that get none are as if they had never been stored.
    pub fn renumber(&mut self, new: impl Fn(u32) -> Option<u32>) {
        let mut table = Self::new(self.fresh);
        for (feature, cell) in self.live() {
            let number = if feature == BIAS { Some(BIAS) } else { new(feature) };
            if let Some(number) = number {
                table.set(number, *cell);
            }
        }
        *self = table;
    }

    /// The features that have something to remember, in increasing order.
    pub fn live(&self) -> impl Iterator<Item = (u32, &C)> {
        let constant = self.cells[..self.near].first().map(|cell| (BIAS, cell));
        let near = self.cells[..self.near].iter().enumerate().skip(1);
        let near = near.map(|(place, cell)| (Place(place).feature(), cell));
        let mut far: Vec<(u32, &C)> =
            self.far.iter().map(|(&f, &place)| (f, &self.cells[place as usize])).collect();
        far.sort_unstable_by_key(|&(feature, _)| feature);
        near.chain(far).chain(constant).filter(|&(_, cell)| *cell != self.fresh)
    }

    /// Changes every cell, the fresh ones included.
    pub fn for_each_mut(&mut self, change: impl Fn(&mut C)) {
        self.cells.iter_mut().for_each(change);
    }

    /// Bytes that the cells occupy in memory.
    pub fn memory(&self) -> usize {
        self.cells.capacity() * size_of::<C>() + self.far.capacity() * (size_of::<(u32, u32)>() + 1)
    }

    fn find_far(&self, feature: u32) -> Place {
        self.far.get(&feature).map_or(Place::NOWHERE, |&place| Place(place as usize))
    }

    #[cold]
    fn put_far(&mut self, feature: u32, cell: C) {
        self.far.insert(feature, self.cells.len() as u32);
        self.cells.push(cell);
    }

    /// Grows the low part to the largest power of two whose new part would be full enough.
    #[cold]
    fn review(&mut self) {
        let mut within = [0u64; 33]; // within[b]: far places below 2^b but not below 2^(b-1)
        for feature in self.far.keys() {
            within[(usize::BITS - Place::near(*feature).0.leading_zeros()) as usize] += 1;
        }
        let mut best = self.near;
        let mut absorbed = 0;
        for (bits, count) in within.iter().enumerate() {
            absorbed += count;
            let length = 1u64 << bits;
            let new = length.saturating_sub(self.near as u64);
            let small = length <= (SMALL.0 / size_of::<C>()) as u64;
            if new > 0 && absorbed * (if small { SMALL.1 } else { SPARSEST }) >= new {
                best = length as usize;
            }
        }
        if best > self.near {
            self.grow(best);
        }
        self.review_at = FIRST_REVIEW.max(2 * self.far.len());
    }

    fn grow(&mut self, near: usize) {
        let far_cells = self.cells.split_off(self.near);
        self.cells.resize(near, self.fresh);
        let moved_from = std::mem::replace(&mut self.near, near);
        for (feature, place) in std::mem::take(&mut self.far) {
            let cell = far_cells[place as usize - moved_from];
            match self.cells[..near].get_mut(Place::near(feature).0) {
                Some(home) => *home = cell,
                None => self.put_far(feature, cell),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use proptest::prelude::*;

    use super::*;
    use crate::cell::Plain;

    fn plain(w: f64) -> Plain {
        Plain { w: w as crate::Real }
    }

    #[test]
    fn a_feature_never_seen_is_fresh_and_not_live() {
        let mut table = Table::new(plain(1.0));
        assert_eq!(*table.get(u32::MAX), plain(1.0));
        table.set(5, plain(1.0));
        assert_eq!(table.live().count(), 0);
    }

    #[test]
    fn memory_grows_with_the_features_and_not_with_their_numbers() {
        let mut scattered = Table::new(plain(0.0));
        for i in 0..10_000u32 {
            scattered.set(i.wrapping_mul(2_654_435_761), plain(1.0));
        }
        assert!(scattered.memory() < 10_000 * 64, "{} bytes", scattered.memory());
        let mut dense = Table::new(plain(0.0));
        for i in 0..100_000 {
            dense.set(i, plain(1.0));
        }
        assert!(dense.far.len() < dense.near / 4);
        assert!(dense.memory() < 100_000 * 4 * size_of::<Plain>());
    }

    proptest! {
        #[test]
        fn a_table_is_a_map(writes in prop::collection::vec((prop_oneof![0..3000u32, any::<u32>()], 1..9u32), 0..600)) {
            let (mut table, mut map) = (Table::new(plain(0.0)), BTreeMap::new());
            for (feature, value) in writes {
                table.set(feature, plain(f64::from(value)));
                map.insert(feature, plain(f64::from(value)));
            }
            prop_assert_eq!(table.live().map(|(i, c)| (i, *c)).collect::<Vec<_>>(), map.into_iter().collect::<Vec<_>>());
        }
    }
}
