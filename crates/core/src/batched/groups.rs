//! Features chosen a group at a time, those first whose weighted sum over the batch is largest (Tan et al. 2016, equation 14).

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use crate::Real;
use crate::learner::Chosen;

use super::examples::{Examples, Rows, Sparse};
use super::size::Auto;
use super::square::Square;

/// When neither the size of a group nor a number of features is given.
const USUAL_GROUP: usize = 10;

/// Room for rounding in a bound.
const SURELY: f64 = 1.0 - 1e-9;

/// Some columns of a batch.
#[derive(Clone, Debug)]
pub(crate) struct Group {
    /// The columns, increasing.
    pub columns: Vec<u32>,
    /// The examples, by position in the group.
    pub rows: Rows,
}

/// The groups chosen so far, and the columns that are left.
pub(crate) struct Groups<'a> {
    examples: &'a Examples,
    /// The batch by column.
    columns: Rows,
    size: usize,
    most: usize,
    /// Σ |x| of every column.
    reach: Vec<f64>,
    taken: Vec<bool>,
    pub(crate) all: Vec<Group>,
    pub(crate) chosen: Vec<Chosen>,
}

/// How many features make a group, if so many are to be chosen in so many iterations.
fn group_size(size: Auto, features: Auto, iterations: u64) -> usize {
    let share = || features.given().map(|most| most.div_ceil(iterations.max(1) as usize));
    size.given().or_else(share).unwrap_or(USUAL_GROUP)
}

/// Bytes of the groups' covariances, if there are so many features to choose from.
pub(crate) fn covariances(size: Auto, features: Auto, iterations: u64, width: usize) -> u64 {
    let size = group_size(size, features, iterations).clamp(1, width.max(1));
    let groups = (features.given().unwrap_or(usize::MAX).min(width).div_ceil(size) as u64).min(iterations);
    Square::bytes(size).saturating_mul(groups)
}

impl<'a> Groups<'a> {
    /// Groups of `size`, at most `features` columns in all, to be chosen in so many iterations; what is not given
    /// follows.
    pub(crate) fn new(examples: &'a Examples, size: Auto, features: Auto, iterations: u64) -> Self {
        let columns = examples.rows.transposed(examples.width());
        let reach =
            columns.iter().map(|column| column.values.iter().fold(0.0, |sum, x| sum + f64::from(x.abs())));
        Self {
            examples,
            reach: reach.collect(),
            columns,
            size: group_size(size, features, iterations),
            most: features.given().unwrap_or(usize::MAX),
            taken: vec![false; examples.width()],
            all: Vec::new(),
            chosen: Vec::new(),
        }
    }

    /// Chooses the next group by the magnitude of Σ stake α y x, of equal ones the lower; false if there is nothing left to
    /// choose.
    pub(crate) fn choose(&mut self, alpha: impl Fn(usize) -> f64) -> bool {
        let count = self.size.min(self.most.saturating_sub(self.chosen.len()));
        if count == 0 {
            return false;
        }
        let Examples { stake, y, .. } = self.examples;
        let weights: Vec<f64> = (0..y.len()).map(|i| stake[i] * alpha(i) * y[i]).collect();
        let largest = weights.iter().fold(0.0, |most: f64, weight| most.max(weight.abs()));
        // The best so far, the worst of them on top. (The bits of numbers that are not negative are in their order.)
        let mut best: BinaryHeap<Reverse<(u64, Reverse<u32>)>> = BinaryHeap::new();
        let mut enough = 0.0;
        for column in (0..self.taken.len()).filter(|&column| !self.taken[column]) {
            // Most columns cannot be among the best, whatever their signs.
            if best.len() == count && self.reach[column] * largest < enough {
                continue;
            }
            let promise = self.columns.row(column).dot(&weights).abs();
            best.push(Reverse((promise.to_bits(), Reverse(column as u32))));
            if best.len() > count {
                best.pop();
                enough = best.peek().map_or(0.0, |Reverse((bits, _))| f64::from_bits(*bits) * SURELY);
            }
        }
        let mut best: Vec<(u32, f64)> =
            best.into_iter().map(|Reverse((bits, Reverse(column)))| (column, f64::from_bits(bits))).collect();
        best.sort_unstable_by_key(|(column, _)| *column);
        let (columns, promises): (Vec<u32>, Vec<f64>) = best.into_iter().unzip();
        if !columns.is_empty() {
            self.add(columns, &promises);
            return true;
        }
        false
    }

    /// Makes a group of these columns.
    pub(crate) fn add(&mut self, columns: Vec<u32>, scores: &[f64]) {
        let mut entries: Vec<(usize, u32, Real)> = Vec::new();
        for (position, &column) in columns.iter().enumerate() {
            self.taken[column as usize] = true;
            let Sparse { columns: examples, values } = self.columns.row(column as usize);
            entries.extend(examples.iter().zip(values).map(|(&i, &x)| (i as usize, position as u32, x)));
        }
        // Stable: positions of the same example stay in order.
        entries.sort_by_key(|(i, _, _)| *i);
        let mut rows = Rows::default();
        let mut rest = entries.as_slice();
        for i in 0..self.examples.len() {
            let (row, others) = rest.split_at(rest.iter().take_while(|entry| entry.0 == i).count());
            rows.push(row.iter().map(|&(_, position, x)| (position, x)));
            rest = others;
        }
        let features = columns.iter().map(|&column| self.examples.features[column as usize]);
        self.chosen.extend(features.zip(scores).map(|(feature, &score)| Chosen { feature, score }));
        self.all.push(Group { columns, rows });
    }

    /// All groups side by side: the positions of each begin where those of the one before end.
    pub(crate) fn joined(&self) -> Rows {
        let mut joined = Rows::default();
        for i in 0..self.examples.len() {
            let mut start = 0;
            let mut row = Vec::new();
            for group in &self.all {
                let part = group.rows.row(i);
                row.extend(part.columns.iter().map(|column| column + start).zip(part.values.iter().copied()));
                start += group.columns.len() as u32;
            }
            joined.push(row.into_iter());
        }
        joined
    }

    /// The features of a group, increasing.
    pub(crate) fn features(&self, group: usize) -> Vec<u32> {
        self.all[group].columns.iter().map(|&column| self.examples.features[column as usize]).collect()
    }

    /// All features that have a weight, with it, given the weights of each group.
    pub(crate) fn weights<'w>(&self, weights: impl Iterator<Item = &'w [f64]>) -> (Vec<u32>, Vec<f64>) {
        let features = (0..self.all.len()).flat_map(|group| self.features(group));
        let mut both: Vec<(u32, f64)> = features.zip(weights.flatten().copied()).collect();
        both.sort_unstable_by_key(|(feature, _)| *feature);
        both.into_iter().unzip()
    }
}
