//! One example, copied to where the loops of [`Linear`](crate::Linear) work on it, and padded to a multiple of their width.
//!
//! Each loop does one thing, so that the compiler can turn it into vector instructions. They are loops and not closures: a closure may
//! become a function of its own, which is not compiled for the processor that the loop around it is compiled for.

use crate::Real;
use crate::batch::Row;
use crate::cell::Cell;
use crate::rule::Rule;
use crate::seen::Length;
use crate::table::Table;

/// So many features at a time. Sums are made in as many parts: an addition has to wait for the one before it.
const LANES: usize = 8;

/// Examples are filled up to multiples of this.
const FILL: usize = 2 * LANES;

/// So many products are summed in the precision of the cells: few enough that it does not matter.
const BLOCK: usize = 1024;

/// One example for loops that do [`LANES`] features at a time. All parts are padded with features of value 0.
#[derive(Clone)]
pub(crate) struct PaddedRow<C> {
    /// The features' memory.
    pub(crate) cells: Vec<C>,
    /// The features' values, x.
    values: Vec<Real>,
    /// Their weights, w.
    settled: Vec<Real>,
    /// Σx, for rules that have a Σ.
    spread: Vec<Real>,
    /// Where far features are in the table.
    pub(crate) places: Vec<usize>,
    /// The length of all but the places.
    length: usize,
    /// How many features the example has.
    loaded: usize,
}

impl<C> Default for PaddedRow<C> {
    fn default() -> Self {
        let [values, settled, spread] = [const { Vec::new() }; 3];
        Self { cells: Vec::new(), values, settled, spread, places: Vec::new(), length: 0, loaded: 0 }
    }
}

impl<C: Cell> PaddedRow<C> {
    /// Lays out an example. The cells of the `next` features are fetched meanwhile.
    #[inline(always)]
    pub(crate) fn load(&mut self, table: &Table<C>, row: Row, next: &[u32]) {
        let n = row.values.len();
        if self.values.len() < n + FILL {
            self.grow(n.next_multiple_of(FILL) + FILL, table.fresh());
        }
        self.length = n.next_multiple_of(FILL);
        table.gather(row, next, &mut self.values[..n], &mut self.cells[..n], &mut self.places);
        fill_up(&mut self.values[n..], 0.0);
        fill_up(&mut self.cells[n..], table.fresh());
    }

    /// Lays out the values of an example. Its cells are to be loaded to [`Self::cells_to_load`].
    #[inline(always)]
    pub(crate) fn load_values(&mut self, row: Row, fresh: C) {
        let n = row.values.len();
        if self.values.len() < n + FILL {
            self.grow(n.next_multiple_of(FILL) + FILL, fresh);
        }
        self.length = n.next_multiple_of(FILL);
        self.values[..n].copy_from_slice(row.values);
        fill_up(&mut self.values[n..], 0.0);
        self.loaded = n;
    }

    /// Where the cells of the features go whose values have been laid out. Behind them is this one, which is of no feature.
    #[inline(always)]
    pub(crate) fn cells_to_load(&mut self, fresh: C) -> &mut [C] {
        fill_up(&mut self.cells[self.loaded..], fresh);
        &mut self.cells[..self.loaded]
    }

    #[cold]
    fn grow(&mut self, length: usize, fresh: C) {
        self.cells.resize(length, fresh);
        for part in [&mut self.values, &mut self.settled, &mut self.spread] {
            part.resize(length, 0.0);
        }
    }

    /// Works out the weights.
    #[inline(always)]
    pub(crate) fn settle<R: Rule<Cell = C>>(&mut self, rule: &R) {
        for (settled, cell) in self.settled[..self.length].iter_mut().zip(&self.cells[..self.length]) {
            *settled = rule.weight(cell);
        }
    }

    /// x'Σx, for rules that have a Σ.
    #[inline(always)]
    pub(crate) fn variance<R: Rule<Cell = C>>(&mut self, rule: &R) -> f64 {
        if rule.variance(&rule.fresh()).is_none() {
            return 0.0;
        }
        let (spread, values) = (&mut self.spread[..self.length], &self.values[..self.length]);
        for ((spread, cell), x) in spread.iter_mut().zip(&self.cells[..self.length]).zip(values) {
            *spread = rule.variance(cell).unwrap_or(0.0) * *x;
        }
        dot(spread, values)
    }

    /// Both at once: reading whole cells is faster.
    #[inline(always)]
    pub(crate) fn settle_with_variance<R: Rule<Cell = C>>(&mut self, rule: &R) -> f64 {
        if rule.variance(&rule.fresh()).is_none() {
            self.settle(rule);
            return 0.0;
        }
        let (spread, values) = (&mut self.spread[..self.length], &self.values[..self.length]);
        let weights = self.settled[..self.length].iter_mut().zip(&self.cells[..self.length]);
        for (((settled, cell), spread), x) in weights.zip(&mut *spread).zip(values) {
            *settled = rule.weight(cell);
            *spread = rule.variance(cell).unwrap_or(0.0) * *x;
        }
        dot(spread, values)
    }

    /// x'Σx, where it is too long a number for the cells' precision.
    #[cold]
    pub(crate) fn long_variance<R: Rule<Cell = C>>(&self, rule: &R) -> f64 {
        let cells = self.cells[..self.length].iter().zip(&self.values[..self.length]);
        cells.fold(0.0, |sum, (cell, x)| {
            let x = f64::from(*x);
            sum + rule.variance(cell).map_or(0.0, f64::from) * x * x
        })
    }

    /// Works out the weights that there are with the example in the metric. The cells stay as they are.
    #[inline(always)]
    pub(crate) fn settle_folded<R: Rule<Cell = C>>(&mut self, rule: &R, variance: f64) {
        let weights = self.settled[..self.length].iter_mut().zip(&self.cells[..self.length]);
        for ((settled, cell), x) in weights.zip(&self.values[..self.length]) {
            *settled = rule.weight(&rule.fold(*cell, *x, variance));
        }
    }

    /// Brings the example into the metric. Not 0 if that non_finite a cell.
    #[inline(always)]
    pub(crate) fn fold<R: Rule<Cell = C>>(&mut self, rule: &R, variance: f64) -> u32 {
        let mut non_finite = 0;
        for (cell, x) in self.cells[..self.length].iter_mut().zip(&self.values[..self.length]) {
            *cell = rule.fold(*cell, *x, variance);
            non_finite |= cell.non_finite();
        }
        non_finite
    }

    /// w · x.
    #[inline(always)]
    pub(crate) fn score(&self) -> f64 {
        let score = dot(&self.settled[..self.length], &self.values[..self.length]);
        if score.is_finite() { score } else { self.long_score() }
    }

    /// w · x, where it is too long a number for the cells' precision.
    #[cold]
    fn long_score(&self) -> f64 {
        let products = self.settled[..self.length].iter().zip(&self.values[..self.length]);
        products.fold(0.0, |sum, (w, x)| sum + f64::from(*w) * f64::from(*x))
    }

    /// x · x of the features that count.
    #[inline(always)]
    pub(crate) fn norm2(&mut self, length: Length, features: &[u32]) -> f64 {
        if features.last().is_none_or(|last| length.counts(*last)) {
            return self.whole_norm2();
        }
        let bias = std::mem::take(&mut self.values[features.len() - 1]);
        let norm2 = self.whole_norm2();
        self.values[features.len() - 1] = bias;
        norm2
    }

    #[inline(always)]
    fn whole_norm2(&self) -> f64 {
        dot(&self.values[..self.length], &self.values[..self.length])
    }

    /// Moves all features. Not 0 if one of them is not finite then.
    #[inline(always)]
    pub(crate) fn step<R: Rule<Cell = C>>(&mut self, rule: &R, variance: f64, step: R::Step) -> u32 {
        let (values, settled) = (&self.values[..self.length], &self.settled[..self.length]);
        rule.step_all(&mut self.cells[..self.length], values, settled, variance, step)
    }
}

/// Fills the beginning, always as much: that is faster than to fill just what is missing.
#[inline(always)]
fn fill_up<T: Copy>(these: &mut [T], with: T) {
    if let Some(first) = these.first_chunk_mut::<FILL>() {
        *first = [with; FILL];
    }
}

/// a · b.
#[inline(always)]
fn dot(a: &[Real], b: &[Real]) -> f64 {
    if a.len() <= BLOCK { dot_block(a, b) } else { dot_blocks(a, b) }
}

#[cold]
fn dot_blocks(a: &[Real], b: &[Real]) -> f64 {
    a.chunks(BLOCK).zip(b.chunks(BLOCK)).map(|(a, b)| dot_block(a, b)).sum()
}

#[inline(always)]
fn dot_block(a: &[Real], b: &[Real]) -> f64 {
    let mut lanes = [0.0; LANES];
    for (a, b) in a.as_chunks::<LANES>().0.iter().zip(b.as_chunks::<LANES>().0) {
        for k in 0..LANES {
            lanes[k] += a[k] * b[k];
        }
    }
    let mut sum = 0.0;
    for lane in lanes {
        sum += f64::from(lane);
    }
    sum
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_examples_are_summed_as_short_ones_are() {
        let numbers = |n: usize| (0..n).map(|i| (i % 7) as Real - 2.5).collect::<Vec<_>>();
        for n in [0, 16, BLOCK, BLOCK + 16, 5 * BLOCK] {
            let exact: f64 = numbers(n).iter().map(|x| f64::from(*x) * f64::from(*x)).sum();
            assert!((dot(&numbers(n), &numbers(n)) - exact).abs() <= exact * 1e-6, "{n}");
        }
    }
}
