//! Values in units of what is typical of their feature so far, so that learners need not know the units of the data.
//!
//! For every value x of an example, in the order of the stream:
//!
//! ```text
//! n    ← n + 1                        occurrences of the feature; t counts examples
//! rate = max(1/n, 1/10000)            what was long ago is forgotten slowly
//! size ← size + (|x| − size) rate     the mean magnitude over the feature's own occurrences
//! v    = 4x / (3 size + |x|)          a value of typical size is 1, no value is beyond 4; 0/1 stays 0/1
//! z    = v                            if less than a quarter of all examples have the feature, else
//!
//! mean, spread                        mean and variance of v, with a rate of their own
//! d    = (n / (t + 1/t))⁸             near 1 if nearly every example has the feature, but ½⁸ in the first
//! z    = (v − d mean) √(whole / rest) where whole = spread + mean², rest = spread + (mean − d mean)² + whole / 10⁶
//! ```
//!
//! Sparse data whose examples all have length 1 is left as it is (`unit_length.rs`).
//!
//! A feature that every example has (a temperature, a year) is centred and is as large afterwards as it was before. What is absent from most examples
//! must stay 0 there, so it is not centred, and its mean is not even worked out: most features of sparse data are rare, and remember
//! two numbers. docs/design/2026-11-18-defaults.md has the measurements.

use thalweg_core::batch::{Row, RowMut};
use thalweg_core::cell::Cell;
use thalweg_core::codec::{split_block, write_block};
use thalweg_core::learner::StateError;
use thalweg_core::table::Table;
use thalweg_core::{Real, cell};

use super::unit_length::{LOOKED_AT, Lengths, Scaled, divide_by_length};

cell! {
    /// How large the values of a feature are.
    pub struct Size {
        /// How often the feature occurred.
        occurrences: u32,
        /// The mean of |x|.
        size: Real,
    }
}

cell! {
    /// What the values of a common feature are like, in units of their size.
    pub struct Moments {
        /// How many values were taken in.
        occurrences: u32,
        /// The mean of v.
        mean: Real,
        /// The variance of v.
        spread: Real,
    }
}

const NEVER: Size = Size { occurrences: 0, size: 0.0 };
const NOTHING: Moments = Moments { occurrences: 0, mean: 0.0, spread: 0.0 };

/// Occurrences and examples are counted up to here.
const MOST: u32 = i32::MAX as u32;
/// No occurrence counts for less.
const SLOWEST: Real = 1e-4;
/// A feature is common if more than one in so many examples has it.
const COMMON: u64 = 4;
/// What is left of the size of a value that never changes.
const LEAST_REST: Real = 1e-6;
/// A model keeps the number of examples in so many bits, and what is known of their lengths in the rest of 64.
const EXAMPLES_BITS: u32 = 48;
/// The loops do so many features at a time.
const LANES: usize = 8;

/// What is typical of all features so far.
#[derive(Clone, Debug)]
pub struct TypicalValues {
    sizes: Table<Size>,
    /// Of common features.
    moments: Table<Moments>,
    examples: u64,
    lengths: Lengths,
    example: Gathered<Size>,
    common: CommonFeatures,
}

/// The common features of an example.
#[derive(Clone, Debug, Default)]
struct CommonFeatures {
    /// Where they are in the example: so many places, of a vector that does not shrink.
    within: Vec<u32>,
    found: usize,
    features: Vec<u32>,
    values: Vec<Real>,
    shares: Vec<Real>,
    gathered: Gathered<Moments>,
}

/// What is known of some features of an example, padded to a multiple of [`LANES`].
#[derive(Clone, Debug)]
struct Gathered<C> {
    cells: Vec<C>,
    values: Vec<Real>,
    places: Vec<usize>,
    /// How many cells and values there are, and others to fill up. The vectors do not shrink.
    length: usize,
}

impl TypicalValues {
    /// Nothing seen so far.
    pub fn new() -> Self {
        Self {
            sizes: Table::new(NEVER),
            moments: Table::new(NOTHING),
            examples: 0,
            lengths: Lengths::UNTOLD,
            example: Gathered::default(),
            common: CommonFeatures::default(),
        }
    }

    /// Bytes of memory that it holds.
    pub(crate) fn memory(&self) -> usize {
        self.sizes.memory() + self.moments.memory()
    }

    /// Counts an example, and scales its values.
    #[inline(always)]
    pub(crate) fn learn_from(&mut self, row: &mut RowMut) -> Scaled {
        self.examples += 1;
        self.lengths = self.lengths.and(row.values);
        match self.lengths {
            Lengths::Any | Lengths::UNTOLD => {
                self.scale_each(row);
                Scaled::EachFeature
            }
            Lengths::One => {
                divide_by_length(row.values);
                Scaled::ToLengthOne
            }
            Lengths::Undecided(examples) => {
                self.look_at(row, examples);
                Scaled::ToLengthOne
            }
        }
    }

    #[inline(always)]
    fn scale_each(&mut self, row: &mut RowMut) {
        let Self { sizes, moments, example, common, examples, .. } = self;
        let n = row.indices.len();
        example.load(sizes, NEVER, row.row(), row.next);
        for (cell, x) in example.cells[..example.length].iter_mut().zip(&mut example.values[..example.length])
        {
            cell.measure(*x);
            *x = cell.in_units(*x);
        }
        let cells = &example.cells[..n];
        sizes.scatter(row.indices, cells, &example.places);
        row.values.copy_from_slice(&example.values[..n]);
        common.find(cells, *examples);
        if common.found > 0 {
            common.centre(moments, cells, row, part_of_each(*examples));
        }
    }

    /// Leaves an example as it is, but counts it, as it is not yet decided what becomes of the next.
    #[cold]
    fn look_at(&mut self, row: &mut RowMut, examples: u8) {
        let as_it_came = row.values.to_vec();
        self.scale_each(row);
        row.values.copy_from_slice(&as_it_came);
        if examples == LOOKED_AT {
            let (mut features, mut occurrences) = (0, 0);
            for (_, size) in self.sizes.live() {
                (features, occurrences) = (features + 1, occurrences + u64::from(size.occurrences));
            }
            // Data is sparse if the features of an example are a small part of all.
            if features * self.examples > COMMON * occurrences {
                self.lengths = Lengths::One;
                (self.sizes, self.moments) = (Table::new(NEVER), Table::new(NOTHING));
            } else {
                self.lengths = Lengths::Any;
            }
        }
    }

    /// Are examples left as they are, because they have length 1?
    pub(crate) fn leave_unit_length(&self) -> bool {
        self.lengths == Lengths::One
    }

    /// The same for examples that are scored: nothing is learned from them.
    pub(crate) fn known(&self) -> KnownValues<'_> {
        KnownValues { typical: self, example: Gathered::default() }
    }

    /// Gives features other numbers; those that get none are forgotten.
    pub(crate) fn renumber(&mut self, new: impl Fn(u32) -> Option<u32>) {
        self.sizes.renumber(&new);
        self.moments.renumber(&new);
    }

    /// The form that a model keeps.
    pub(crate) fn write(&self, bytes: &mut Vec<u8>) {
        // No stream has 2⁴⁸ examples.
        let lengths = u64::from(self.lengths.to_number()) << EXAMPLES_BITS;
        bytes.extend_from_slice(&(self.examples | lengths).to_le_bytes());
        write_block(bytes, |bytes| self.moments.write(bytes));
        self.sizes.write(bytes);
    }

    /// Reads what [`Self::write`] wrote.
    pub(crate) fn read(bytes: &[u8]) -> Result<Self, StateError> {
        let no_scales = || StateError::new("no values have such scales");
        let no_examples = || StateError::new("there is no number of examples");
        let (first, bytes) = bytes.split_first_chunk().ok_or_else(no_examples)?;
        let first = u64::from_le_bytes(*first);
        let lengths = Lengths::from_number((first >> EXAMPLES_BITS) as u16).ok_or_else(no_scales)?;
        let examples = first & ((1 << EXAMPLES_BITS) - 1);
        let (moments, sizes) = split_block(bytes)?;
        let (moments, sizes): (Table<Moments>, Table<Size>) =
            (Table::read(NOTHING, moments)?, Table::read(NEVER, sizes)?);
        if !sizes.live().all(|(_, size)| size.is_possible())
            || !moments.live().all(|(_, moments)| moments.is_possible())
        {
            return Err(no_scales());
        }
        Ok(Self { sizes, moments, examples, lengths, ..Self::new() })
    }
}

impl Default for TypicalValues {
    fn default() -> Self {
        Self::new()
    }
}

/// What is typical of features, for examples that are scored.
pub(crate) struct KnownValues<'a> {
    typical: &'a TypicalValues,
    example: Gathered<Size>,
}

impl KnownValues<'_> {
    /// Scales the values of an example. What was never learned from is left out.
    #[inline(always)]
    pub(crate) fn scale(&mut self, row: &mut RowMut) -> Scaled {
        let TypicalValues { sizes, moments, examples, lengths, .. } = self.typical;
        if !matches!(*lengths, Lengths::Any | Lengths::UNTOLD) {
            divide_by_length(row.values);
            return Scaled::ToLengthOne;
        }
        let (most, part_of_each) = (most_of_rare(*examples), part_of_each(*examples));
        self.example.load(sizes, NEVER, row.row(), row.next);
        let Gathered { cells, values, .. } = &self.example;
        for ((x, cell), scaled) in values.iter().zip(cells).zip(row.values.iter_mut()) {
            *scaled = if cell.occurrences == 0 { 0.0 } else { cell.in_units(*x) };
        }
        for ((feature, cell), v) in row.indices.iter().zip(cells).zip(row.values.iter_mut()) {
            if cell.occurrences > most {
                let known = moments.get(*feature);
                if known.occurrences > 0 {
                    *v = known.centred(*v, cell.share(part_of_each));
                }
            }
        }
        Scaled::EachFeature
    }
}

/// What one occurrence is of all examples; half in the first one, which must not be centred away.
fn part_of_each(examples: u64) -> Real {
    let examples = examples.min(u64::from(MOST)) as Real;
    1.0 / (examples + 1.0 / examples)
}

/// How often a feature may have occurred that is not common.
fn most_of_rare(examples: u64) -> u32 {
    ((examples.min(u64::from(MOST)) + 1) / COMMON) as u32
}

impl<C> Default for Gathered<C> {
    fn default() -> Self {
        Self { cells: Vec::new(), values: Vec::new(), places: Vec::new(), length: 0 }
    }
}

impl<C: Cell> Gathered<C> {
    /// Copies what is known of the features of an example. What is known of the next ones is fetched meanwhile.
    #[inline(always)]
    fn load(&mut self, table: &Table<C>, fresh: C, row: Row, next: &[u32]) {
        let n = row.indices.len();
        self.length = n.next_multiple_of(LANES);
        if self.cells.len() < self.length {
            self.cells.resize(self.length, fresh);
            self.values.resize(self.length, 0.0);
        }
        self.cells[n..self.length].fill(fresh);
        self.values[n..self.length].fill(0.0);
        let next = if table.is_large() { next } else { &[] };
        table.gather(row, next, &mut self.values[..n], &mut self.cells[..n], &mut self.places);
    }
}

impl CommonFeatures {
    /// Finds where they are. Which features are common is hard to guess for a processor, so there is nothing to guess.
    #[inline(always)]
    fn find(&mut self, cells: &[Size], examples: u64) {
        let most = most_of_rare(examples);
        if self.within.len() < cells.len() {
            self.within.resize(cells.len(), 0);
        }
        let within = &mut self.within[..cells.len()];
        self.found = 0;
        for (place, cell) in cells.iter().enumerate() {
            within[self.found] = place as u32;
            self.found += usize::from(cell.occurrences > most);
        }
    }

    /// Centres their values.
    #[inline(always)]
    fn centre(&mut self, moments: &mut Table<Moments>, sizes: &[Size], row: &mut RowMut, part_of_each: Real) {
        let Self { within, found, features, values, shares, gathered } = self;
        let within = &within[..*found];
        features.clear();
        values.clear();
        shares.clear();
        for place in within.iter().map(|place| *place as usize) {
            features.push(row.indices[place]);
            values.push(row.values[place]);
            shares.push(sizes[place].share(part_of_each));
        }
        shares.resize(found.next_multiple_of(LANES), 0.0);
        gathered.load(moments, NOTHING, Row { indices: features, values }, &[]);
        let length = gathered.length;
        let all = gathered.cells[..length].iter_mut().zip(&mut gathered.values[..length]);
        for ((cell, v), share) in all.zip(&*shares) {
            cell.observe(*v);
            *v = cell.centred(*v, *share);
        }
        moments.scatter(features, &gathered.cells[..*found], &gathered.places);
        for (place, z) in within.iter().zip(&gathered.values) {
            row.values[*place as usize] = *z;
        }
    }
}

/// How much the next occurrence counts, after so many; and how many there are then.
#[inline(always)]
fn next_rate(occurrences: u32) -> (Real, u32) {
    let n = (occurrences + 1).min(MOST);
    ((1.0 / (n.cast_signed() as Real)).max(SLOWEST), n)
}

impl Size {
    /// Can values be like this? Scaled values stay finite then.
    fn is_possible(&self) -> bool {
        self.occurrences <= MOST && self.size >= 0.0
    }

    /// Takes a value in.
    #[inline(always)]
    fn measure(&mut self, x: Real) {
        let (rate, n) = next_rate(self.occurrences);
        *self = Self { occurrences: n, size: self.size + (x.abs() - self.size) * rate };
    }

    /// v: written so that it cannot overflow.
    #[inline(always)]
    fn in_units(self, x: Real) -> Real {
        x / (0.75 * self.size + 0.25 * x.abs()).max(Real::MIN_POSITIVE)
    }

    /// How many of all examples have the feature.
    #[inline(always)]
    fn share(self, part_of_each: Real) -> Real {
        self.occurrences.cast_signed() as Real * part_of_each
    }
}

impl Moments {
    /// Can values be like this, none of which is beyond 4?
    fn is_possible(&self) -> bool {
        self.occurrences <= MOST && self.mean.abs() <= 5.0 && (0.0..=100.0).contains(&self.spread)
    }

    /// Takes a value in, which is in units of its size.
    #[inline(always)]
    fn observe(&mut self, v: Real) {
        let (rate, n) = next_rate(self.occurrences);
        let gap = v - self.mean;
        let mean = self.mean + gap * rate;
        *self = Self { occurrences: n, mean, spread: self.spread + (gap * (v - mean) - self.spread) * rate };
    }

    /// z, of a feature that this share of all examples has.
    #[inline(always)]
    fn centred(self, v: Real, share: Real) -> Real {
        let squared = share * share;
        let centre = (squared * squared) * (squared * squared) * self.mean;
        let whole = self.spread + self.mean * self.mean;
        let rest = self.spread + (self.mean - centre) * (self.mean - centre) + LEAST_REST * whole;
        (v - centre) * (whole / rest.max(Real::MIN_POSITIVE)).sqrt()
    }
}

mod merging;
#[cfg(test)]
mod tests;
