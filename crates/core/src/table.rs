//! One cell per feature, for feature indices that nobody declared.
//!
//! Most data numbers its features from 0 or 1 without large gaps: an array is the right home. But one line with
//! index 4,000,000,000 must not cost sixteen gigabytes. So the low indices are places in an array, and for the far ones a
//! hash map says the place; the array's low part grows over far indices as soon as enough of the new part would be in
//! use. Where a cell lives has no influence on what is learned or written.
//!
//! The bias has the highest number of all, and every example may have it: its place is the last of the low part.
//! So a feature's place there is what remains of its number below the low part's length, which is a power of two.

use crate::Real;
use crate::batch::{BIAS, Row};
use crate::cell::{Cell, stays_finite};
use crate::codec::{read_cells, read_features, write_cells};
use crate::fetch::fetch;
use crate::keyed_hash::KeyedMap;
use crate::large_pages::with_room;
use crate::learner::StateError;

/// Cells by feature index.
#[derive(Clone, Debug)]
pub struct Table<C> {
    fresh: C,
    /// The low part: `near` cells (a power of two, or none), by feature. Then those of far features, as they came.
    cells: Vec<C>,
    near: usize,
    far: KeyedMap<u32, u32>,
    /// Look whether the low part should grow when there are this many far features.
    review_at: usize,
    /// All features have numbers below, as far as was said; 0 if nothing was.
    expected: u32,
}

/// How long the low part must be to have room for this feature. The last place is the bias's.
#[inline(always)]
fn length_for(feature: u32) -> usize {
    feature.wrapping_add(1) as usize + 1
}

/// Where a feature of the low part is. With the last place, which is one less than a power of two, as a mask, the compiler sees that
/// nothing else can be reached, and need not check.
#[inline(always)]
fn near_place(feature: u32, last: usize) -> usize {
    feature as usize & last
}

/// Copies four values and the cells of their features.
#[inline(always)]
fn gather_four<C: Copy>(
    near: &[C],
    last: usize,
    features: &[u32; 4],
    x: &[Real; 4],
    cells: &mut [C; 4],
    values: &mut [Real; 4],
) {
    *values = *x;
    for k in 0..4 {
        cells[k] = near[near_place(features[k], last)];
    }
}

/// Stores the cells of four features.
#[inline(always)]
fn scatter_four<C: Copy>(near: &mut [C], last: usize, features: &[u32; 4], cells: &[C; 4]) {
    for k in 0..4 {
        near[near_place(features[k], last)] = cells[k];
    }
}

/// The place of a feature that has none.
const NOWHERE: usize = usize::MAX;

/// More bytes than a processor has at hand, where asking ahead pays. Below that the loops over an example's features, which wait for
/// many cells at the same time, are faster without (measured with half a mebibyte: by a sixth).
const LARGE: usize = 1 << 21;

/// Far features are left alone below this number.
const FIRST_REVIEW: usize = 64;
/// One in this many cells of the low part's new part must be in use for it to grow.
const SPARSEST: u64 = 4;
/// A low part of no more bytes than this is worth its memory as soon as one in so many is in use: an array is several times
/// faster than a map that no longer fits into the processor's cache.
const SMALL: (usize, u64) = (64 << 20, 32);

impl<C: Cell> Table<C> {
    /// An empty table; a feature that was never stored reads as `fresh`.
    pub fn new(fresh: C) -> Self {
        Self {
            fresh,
            cells: Vec::new(),
            near: 0,
            far: KeyedMap::default(),
            review_at: FIRST_REVIEW,
            expected: 0,
        }
    }

    /// All features will have numbers below this, as far as is known. So the low part can have its final length as soon as there are a few features,
    /// if it is small then: growing step by step, most features are far ones first, and are moved again and again.
    pub fn expect(&mut self, below: u32) {
        self.expected = below;
    }

    /// What a feature reads as that was never stored.
    #[inline(always)]
    pub(crate) fn fresh(&self) -> C {
        self.fresh
    }

    /// Where the feature's cell is, if it has one.
    #[inline]
    fn find(&self, feature: u32) -> Option<usize> {
        if length_for(feature) <= self.near {
            Some(near_place(feature, self.near - 1))
        } else {
            self.far.get(&feature).map(|&place| place as usize)
        }
    }

    /// Are all of these features, which increase, in the low part? The last two tell: the bias comes last and has a place in any
    /// low part, so what counts may be the one before it.
    #[inline(always)]
    fn is_near(&self, features: &[u32]) -> bool {
        let near = |feature: &u32| length_for(*feature) <= self.near;
        match features {
            [.., before, last] => near(before) & near(last),
            [only] => near(only),
            [] => true,
        }
    }

    /// Is the table too large for the processor to have it at hand?
    pub fn is_large(&self) -> bool {
        self.cells.len() * size_of::<C>() > LARGE
    }

    /// Lets the processor fetch the cells of features that will be needed soon.
    #[inline(always)]
    fn fetch(&self, features: &[u32]) {
        let last = self.near.wrapping_sub(1);
        for &feature in features {
            fetch(self.cells.as_ptr().wrapping_add(near_place(feature, last)));
        }
    }

    /// Copies an example's values, and the cells of its features, to these parts of the same length. Places of cells are only noted where
    /// looking them up is dear. The cells of the `next` features are fetched meanwhile: all at once, they would keep the processor waiting.
    ///
    /// Four features at a time, the values among them: a loop for each, and one more for what is left after the last four, would be ends
    /// of loops that the processor guesses wrong. What is left is no loop but four that overlap those before them.
    #[inline(always)]
    // Places and not iterators, side by side as these are: for them the compiler keeps a count each.
    #[allow(clippy::needless_range_loop)]
    pub fn gather(
        &self,
        row: Row,
        next: &[u32],
        values: &mut [Real],
        cells: &mut [C],
        places: &mut Vec<usize>,
    ) {
        let Some(last) = self.near.checked_sub(1).filter(|_| self.is_near(row.indices)) else {
            self.fetch(next);
            values.copy_from_slice(row.values);
            self.gather_far(row.indices, cells, places);
            return;
        };
        places.clear();
        let near = &self.cells[..=last];
        let (features, x) = (row.indices.as_chunks().0, row.values.as_chunks().0);
        let fours = features.len();
        let (x, cells_of_four) = (&x[..fours], &mut cells.as_chunks_mut().0[..fours]);
        let values_of_four = &mut values.as_chunks_mut().0[..fours];
        let ahead = next.as_chunks::<4>().0;
        let both = ahead.len().min(fours);
        for i in 0..both {
            self.fetch(&ahead[i]);
            gather_four(near, last, &features[i], &x[i], &mut cells_of_four[i], &mut values_of_four[i]);
        }
        for i in both..fours {
            gather_four(near, last, &features[i], &x[i], &mut cells_of_four[i], &mut values_of_four[i]);
        }
        self.fetch(&next[4 * both..]);
        match (
            row.indices.last_chunk(),
            row.values.last_chunk(),
            cells.last_chunk_mut(),
            values.last_chunk_mut(),
        ) {
            (Some(features), Some(x), Some(cells), Some(values)) => {
                gather_four(near, last, features, x, cells, values);
            }
            _ => {
                for ((feature, x), (cell, value)) in
                    row.indices.iter().zip(row.values).zip(cells.iter_mut().zip(values))
                {
                    (*cell, *value) = (near[near_place(*feature, last)], *x);
                }
            }
        }
    }

    #[cold]
    fn gather_far(&self, features: &[u32], cells: &mut [C], places: &mut Vec<usize>) {
        places.clear();
        places.extend(features.iter().map(|&feature| self.find(feature).unwrap_or(NOWHERE)));
        for (cell, place) in cells.iter_mut().zip(places) {
            *cell = *self.cells.get(*place).unwrap_or(&self.fresh);
        }
    }

    /// Stores the cells of features that have just been gathered, in the same manner.
    #[inline(always)]
    pub fn scatter(&mut self, features: &[u32], cells: &[C], places: &[usize]) {
        let Some(last) = self.near.checked_sub(1).filter(|_| places.is_empty()) else {
            self.scatter_far(features, cells, places);
            return;
        };
        let near = &mut self.cells[..=last];
        for (features, cells) in features.as_chunks().0.iter().zip(cells.as_chunks().0) {
            scatter_four(near, last, features, cells);
        }
        match (features.last_chunk(), cells.last_chunk()) {
            (Some(features), Some(cells)) => scatter_four(near, last, features, cells),
            _ => {
                for (feature, cell) in features.iter().zip(cells) {
                    near[near_place(*feature, last)] = *cell;
                }
            }
        }
    }

    #[cold]
    fn scatter_far(&mut self, features: &[u32], cells: &[C], places: &[usize]) {
        for ((feature, cell), place) in features.iter().zip(cells).zip(places) {
            match self.cells.get_mut(*place) {
                Some(home) => *home = *cell,
                None => self.add_far(*feature, *cell),
            }
        }
        self.tidy();
    }

    fn add_far(&mut self, feature: u32, cell: C) {
        self.far.insert(feature, self.cells.len() as u32);
        self.cells.push(cell);
    }

    fn put(&mut self, feature: u32, cell: C) {
        match self.find(feature) {
            Some(place) => self.cells[place] = cell,
            None => self.add_far(feature, cell),
        }
    }

    /// Lets the low part grow if that is due.
    fn tidy(&mut self) {
        if self.far.len() >= self.review_at {
            self.review();
        }
    }

    /// The cell of a feature.
    #[inline]
    pub fn get(&self, feature: u32) -> &C {
        self.find(feature).map_or(&self.fresh, |place| &self.cells[place])
    }

    /// Stores the cell of a feature.
    pub fn set(&mut self, feature: u32, cell: C) {
        self.put(feature, cell);
        self.tidy();
    }

    /// Gives every feature but the bias another number; those that get none are as if they had never been stored.
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
        let (near, bias) = match self.cells[..self.near].split_last() {
            Some((bias, near)) => (near, Some((BIAS, bias))),
            None => (&[][..], None),
        };
        let near = near.iter().enumerate().map(|(feature, cell)| (feature as u32, cell));
        let mut far: Vec<(u32, &C)> =
            self.far.iter().map(|(&f, &place)| (f, &self.cells[place as usize])).collect();
        far.sort_unstable_by_key(|&(feature, _)| feature);
        near.chain(far).chain(bias).filter(|&(_, cell)| *cell != self.fresh)
    }

    /// How many features have something to remember, and are like this. Which ones is hard to guess for a processor, so there is nothing to
    /// guess.
    pub(crate) fn count(&self, is: impl Fn(&C) -> bool) -> usize {
        self.cells.iter().map(|cell| usize::from((*cell != self.fresh) & is(cell))).sum()
    }

    /// Changes every cell, the fresh ones included.
    pub fn for_each_mut(&mut self, change: impl Fn(&mut C)) {
        self.cells.iter_mut().for_each(change);
    }

    /// Would every cell still be finite after the change?
    #[cold]
    pub(crate) fn stays_finite(&self, change: &impl Fn(&mut C)) -> bool {
        self.cells.iter().all(|cell| stays_finite(cell, change))
    }

    /// Bytes that the cells occupy in memory.
    pub fn memory(&self) -> usize {
        self.cells.capacity() * size_of::<C>() + self.far.capacity() * (size_of::<(u32, u32)>() + 1)
    }

    /// Appends the features that have something to remember, and their cells.
    pub fn write(&self, out: &mut Vec<u8>) {
        write_cells(self.live().map(|(feature, cell)| (feature, std::slice::from_ref(cell))), out);
    }

    /// Reads what [`Self::write`] wrote.
    pub fn read(fresh: C, bytes: &[u8]) -> Result<Self, StateError> {
        let mut table = Self::new(fresh);
        // All at once: growing step by step would copy what was read again and again.
        let near = table.best_length(read_features(bytes)?);
        if near > 0 {
            table.grow(near);
        }
        read_cells(bytes, 1, |feature, cells| table.set(feature, cells[0]))?;
        Ok(table)
    }

    /// Grows the low part if its new part would be full enough.
    #[cold]
    fn review(&mut self) {
        let expected = self.expected.checked_sub(1).map_or(0, |last| length_for(last).next_power_of_two());
        let expected = if expected * size_of::<C>() <= SMALL.0 { expected } else { 0 };
        let best = self.best_length(self.far.keys().copied()).max(expected);
        if best > self.near {
            self.grow(best);
        }
        self.review_at = FIRST_REVIEW.max(2 * self.far.len());
    }

    /// The largest power of two for the length of the low part, whose new part would be full enough with these far features.
    fn best_length(&self, far: impl Iterator<Item = u32>) -> usize {
        let mut within = [0u64; 33]; // within[b]: far features for which the low part must be 2^b long
        for feature in far {
            within[length_for(feature).next_power_of_two().ilog2() as usize] += 1;
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
        best
    }

    fn grow(&mut self, near: usize) {
        debug_assert!(near.is_power_of_two());
        let far_cells = self.cells.split_off(self.near);
        let bias = self.cells.pop().unwrap_or(self.fresh);
        let mut cells = with_room(near + far_cells.len());
        cells.append(&mut self.cells);
        cells.resize(near - 1, self.fresh);
        cells.push(bias);
        self.cells = cells;
        let moved_from = std::mem::replace(&mut self.near, near);
        for (feature, place) in std::mem::take(&mut self.far) {
            let cell = far_cells[place as usize - moved_from];
            self.put(feature, cell);
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

    #[test]
    fn a_table_that_knows_what_to_expect_grows_once() {
        let mut table = Table::new(plain(0.0));
        table.expect(100_000);
        for feature in (0..100_000).step_by(1000) {
            table.set(feature, plain(1.0));
        }
        assert_eq!((table.near, table.far.len()), (1 << 17, 0));
        // Nobody has to keep the word, and what is not small grows as ever.
        table.set(5_000_000, plain(2.0));
        assert_eq!((table.far.len(), *table.get(5_000_000)), (1, plain(2.0)));
        for expected in [0, 50, BIAS] {
            let mut table = Table::new(plain(0.0));
            table.expect(expected);
            (0..100u32).for_each(|i| table.set(i << 20, plain(1.0)));
            assert!(table.memory() < 1 << 20, "{expected}: {} bytes", table.memory());
        }
    }

    proptest! {
        #[test]
        fn rows_find_their_cells_wherever_they_are(
            rows in prop::collection::vec(
                prop::collection::btree_set(prop_oneof![0..200u32, 0..200u32, 0..9000u32, any::<u32>(), Just(BIAS)], 0..20), 0..90),
        ) {
            let (mut table, mut map) = (Table::new(plain(0.0)), BTreeMap::new());
            let (mut cells, mut places) = (Vec::new(), Vec::new());
            for (i, row) in rows.into_iter().enumerate() {
                let features: Vec<u32> = row.into_iter().collect();
                cells.resize(features.len(), plain(0.0));
                let values: Vec<Real> = features.iter().map(|feature| *feature as Real + 0.5).collect();
                let mut copied = vec![0.0; values.len()];
                let row = Row { indices: &features, values: &values };
                table.gather(row, &features[i % 7 % (features.len() + 1)..], &mut copied, &mut cells, &mut places);
                prop_assert_eq!(&copied, &values);
                let expected: Vec<Plain> =
                    features.iter().map(|feature| *map.get(feature).unwrap_or(&plain(0.0))).collect();
                prop_assert_eq!(&cells, &expected);
                for (k, (feature, cell)) in features.iter().zip(&mut cells).enumerate() {
                    *cell = plain((100 * i + k + 1) as f64);
                    map.insert(*feature, *cell);
                }
                table.scatter(&features, &cells, &places);
            }
            prop_assert_eq!(table.live().map(|(i, c)| (i, *c)).collect::<Vec<_>>(), map.into_iter().collect::<Vec<_>>());
        }

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
