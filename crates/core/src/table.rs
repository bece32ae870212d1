//! One cell per feature, for feature indices that nobody declared.
//!
//! Most data numbers its features from 0 or 1 without large gaps: an array is the right home. But one line with
//! index 4,000,000,000 must not cost sixteen gigabytes. So the low indices live in an array and the far ones in a
//! hash map; the array grows over indices of the map as soon as a quarter of the new part would be in use.
//! Where a cell lives has no influence on what is learned or written.

use rustc_hash::FxHashMap;

use crate::cell::Cell;

/// Cells by feature index.
#[derive(Clone, Debug)]
pub struct Table<C> {
    fresh: C,
    near: Vec<C>,
    far: FxHashMap<u32, C>,
    /// Look whether the array should grow when the map has this many cells.
    review_at: usize,
}

/// The map is left alone below this size.
const FIRST_REVIEW: usize = 64;
/// One in this many cells of the array's new part must be in use for it to grow.
const SPARSEST: u64 = 4;

impl<C: Cell> Table<C> {
    /// An empty table; a feature that was never stored reads as `fresh`.
    pub fn new(fresh: C) -> Self {
        Self { fresh, near: Vec::new(), far: FxHashMap::default(), review_at: FIRST_REVIEW }
    }

    /// The cell of a feature.
    #[inline]
    pub fn get(&self, feature: u32) -> &C {
        match self.near.get(feature as usize) {
            Some(cell) => cell,
            None => self.get_far(feature),
        }
    }

    /// Stores the cell of a feature.
    #[inline]
    pub fn set(&mut self, feature: u32, cell: C) {
        match self.near.get_mut(feature as usize) {
            Some(home) => *home = cell,
            None => self.set_far(feature, cell),
        }
    }

    /// The features that have something to remember, in increasing order.
    pub fn live(&self) -> impl Iterator<Item = (u32, &C)> {
        let near = self.near.iter().enumerate().map(|(i, cell)| (i as u32, cell));
        let mut far: Vec<(u32, &C)> = self.far.iter().map(|(&i, cell)| (i, cell)).collect();
        far.sort_unstable_by_key(|&(i, _)| i);
        near.chain(far).filter(|&(_, cell)| *cell != self.fresh)
    }

    /// Changes every cell, the fresh ones included.
    pub fn for_each_mut(&mut self, change: impl Fn(&mut C)) {
        self.near.iter_mut().chain(self.far.values_mut()).for_each(change);
    }

    /// Bytes that the cells occupy in memory.
    pub fn memory(&self) -> usize {
        self.near.capacity() * size_of::<C>() + self.far.capacity() * (size_of::<(u32, C)>() + 1)
    }

    #[cold]
    fn get_far(&self, feature: u32) -> &C {
        self.far.get(&feature).unwrap_or(&self.fresh)
    }

    #[cold]
    fn set_far(&mut self, feature: u32, cell: C) {
        self.far.insert(feature, cell);
        if self.far.len() >= self.review_at {
            self.review();
        }
    }

    /// Grows the array to the largest power of two whose new part would be a quarter full.
    fn review(&mut self) {
        let mut within = [0u64; 33]; // within[b]: far features below 2^b
        for feature in self.far.keys() {
            within[(u32::BITS - feature.leading_zeros()) as usize] += 1;
        }
        let mut best = self.near.len();
        let mut absorbed = 0;
        for (bits, count) in within.iter().enumerate() {
            absorbed += count;
            let length = 1u64 << bits;
            let new = length.saturating_sub(self.near.len() as u64);
            if new > 0 && absorbed * SPARSEST >= new {
                best = length as usize;
            }
        }
        if best > self.near.len() {
            self.near.resize(best, self.fresh);
            let near = &mut self.near;
            self.far.retain(|&feature, cell| match near.get_mut(feature as usize) {
                Some(home) => {
                    *home = *cell;
                    false
                }
                None => true,
            });
        }
        self.review_at = FIRST_REVIEW.max(2 * self.far.len());
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
        assert!(dense.far.len() < dense.near.len() / 4);
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
