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
//! A feature that every example has (a temperature, a year) is centred and is as large afterwards as it was before. What is absent from most examples
//! must stay 0 there, so it is not centred, and its mean is not even worked out: most features of sparse data are rare, and remember
//! two numbers. docs/design/2026-11-18-defaults.md has the measurements.

use thalweg_core::batch::{Row, RowMut};
use thalweg_core::cell::Cell;
use thalweg_core::codec::{split_block, write_block};
use thalweg_core::learner::StateError;
use thalweg_core::table::Table;
use thalweg_core::{Real, cell};

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
/// The loops do so many features at a time.
const LANES: usize = 8;

/// What is typical of all features so far.
#[derive(Clone, Debug)]
pub struct TypicalValues {
    sizes: Table<Size>,
    /// Of common features.
    moments: Table<Moments>,
    examples: u64,
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
    pub(crate) fn learn_from(&mut self, row: &mut RowMut) {
        self.examples += 1;
        let Self { sizes, moments, example, common, examples } = self;
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
        bytes.extend_from_slice(&self.examples.to_le_bytes());
        write_block(bytes, |bytes| self.moments.write(bytes));
        self.sizes.write(bytes);
    }

    /// Reads what [`Self::write`] wrote.
    pub(crate) fn read(bytes: &[u8]) -> Result<Self, StateError> {
        let no_examples = || StateError::new("there is no number of examples");
        let (examples, bytes) = bytes.split_first_chunk().ok_or_else(no_examples)?;
        let (moments, sizes) = split_block(bytes)?;
        let (moments, sizes): (Table<Moments>, Table<Size>) =
            (Table::read(NOTHING, moments)?, Table::read(NEVER, sizes)?);
        if !sizes.live().all(|(_, size)| size.is_possible())
            || !moments.live().all(|(_, moments)| moments.is_possible())
        {
            return Err(StateError::new("no values have such scales"));
        }
        Ok(Self { examples: u64::from_le_bytes(*examples), moments, sizes, ..Self::new() })
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
    pub(crate) fn scale(&mut self, row: &mut RowMut) {
        let TypicalValues { sizes, moments, examples, .. } = self.typical;
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

#[cfg(test)]
mod tests {
    use thalweg_core::Batch;

    use super::*;

    fn learned(rows: &[&[(u32, f64)]]) -> (TypicalValues, Vec<Vec<Real>>) {
        let mut typical = TypicalValues::new();
        let mut batch = Batch::default();
        rows.iter().for_each(|row| _ = batch.push(row.iter().copied(), None).unwrap());
        (0..batch.len()).for_each(|i| typical.learn_from(&mut batch.row_mut(i)));
        let all = (0..batch.len()).map(|i| batch.row(i).values.to_vec()).collect();
        (typical, all)
    }

    /// A value of a feature, scaled.
    fn scaled(typical: &TypicalValues, feature: u32, x: Real) -> Real {
        let mut values = [x];
        let row = &mut RowMut { indices: &[feature], values: &mut values, importance: 1.0, next: &[] };
        typical.known().scale(row);
        values[0]
    }

    #[test]
    fn what_is_always_1_and_rare_stays_1() {
        let rare: &[(u32, f64)] = &[(7, 1.0)];
        let other: &[(u32, f64)] = &[(8, 1.0)];
        let (typical, all) = learned(&[rare, other, other, other, other, rare]);
        assert!((f64::from(all[5][0]) - 1.0).abs() < 1e-3, "{all:?}");
        assert_eq!(scaled(&typical, 9, 5.0), 0.0, "never seen");
    }

    #[test]
    fn units_do_not_matter() {
        let values = [1.0, 3.0, -2.0, 40.0, 0.5, 7.0];
        let scaled = |unit: f64| {
            let rows: Vec<[(u32, f64); 1]> = values.iter().map(|x| [(1, x * unit)]).collect();
            learned(&rows.iter().map(|row| &row[..]).collect::<Vec<_>>()).1.concat()
        };
        for unit in [1e-30, 1e-3, 1e3, 1e30] {
            let pairs = scaled(1.0).into_iter().zip(scaled(unit));
            assert!(pairs.into_iter().all(|(a, b)| (a - b).abs() < 1e-4), "{unit}");
        }
    }

    #[test]
    fn what_every_example_has_is_centred() {
        let rows: Vec<[(u32, f64); 1]> = (0..2000).map(|i| [(1, 2000.0 + f64::from(i % 11))]).collect();
        let (typical, _) = learned(&rows.iter().map(|row| &row[..]).collect::<Vec<_>>());
        let [low, middle, high] = [2000.0, 2005.0, 2010.0].map(|x| scaled(&typical, 1, x));
        assert!(low < -0.5 && middle.abs() < 0.2 && high > 0.5, "{low} {middle} {high}");
    }

    #[test]
    fn extremes_stay_finite() {
        let extremes =
            [Real::MAX, Real::MIN, Real::MIN_POSITIVE, Real::MIN_POSITIVE / 4.0, -1.0].map(f64::from);
        for a in extremes {
            for b in extremes {
                let (typical, all) = learned(&[&[(1, a)], &[(1, b)], &[(1, a)], &[(2, b)], &[(1, b)]]);
                assert!(all.iter().flatten().all(|x| x.is_finite()), "{a} {b} {all:?}");
                assert!(extremes.iter().all(|x| scaled(&typical, 1, *x as Real).is_finite()));
            }
        }
    }

    #[test]
    fn what_is_written_reads_back() {
        let (typical, _) = learned(&[&[(1, 3.0), (2, 1.0)], &[(1, -4.0)]]);
        let mut bytes = Vec::new();
        typical.write(&mut bytes);
        let mut again = TypicalValues::read(&bytes).unwrap();
        assert_eq!(scaled(&again, 1, 5.0), scaled(&typical, 1, 5.0));
        again.renumber(|feature| (feature == 1).then_some(5));
        assert_eq!((scaled(&again, 5, 5.0), scaled(&again, 1, 5.0)), (scaled(&typical, 1, 5.0), 0.0));
        assert!(TypicalValues::read(b"short").is_err());
        let impossible = |size, moments| {
            let mut typical = TypicalValues::new();
            typical.sizes.set(1, size);
            typical.moments.set(1, moments);
            let mut bytes = Vec::new();
            typical.write(&mut bytes);
            TypicalValues::read(&bytes).is_err()
        };
        assert!(impossible(Size { occurrences: u32::MAX, size: 1.0 }, NOTHING));
        assert!(impossible(Size { occurrences: 1, size: -1.0 }, NOTHING));
        assert!(impossible(NEVER, Moments { occurrences: 1, mean: Real::MAX, spread: 1.0 }));
        assert!(impossible(NEVER, Moments { occurrences: 1, mean: 1.0, spread: -1.0 }));
    }
}
