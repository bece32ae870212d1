//! A batch as a matrix: features become columns, numbered without gaps in the order of the features.

use crate::Real;
use crate::batch::Batch;
use crate::cost::RunningCosts;

/// A sparse vector.
#[derive(Clone, Copy, Debug)]
pub struct Sparse<'a> {
    /// Columns, increasing.
    pub columns: &'a [u32],
    /// Their values.
    pub values: &'a [Real],
}

impl Sparse<'_> {
    /// Columns and values side by side.
    #[inline]
    pub fn iter(&self) -> impl Iterator<Item = (usize, f64)> + '_ {
        self.columns.iter().zip(self.values).map(|(&column, &x)| (column as usize, f64::from(x)))
    }

    /// x · v.
    #[inline(always)]
    pub fn dot(&self, v: &[f64]) -> f64 {
        // Four at a time, so that an addition need not wait for the one before.
        let (columns, rest) = self.columns.as_chunks::<4>();
        let (values, others) = self.values.as_chunks::<4>();
        let mut sum = 0.0;
        for (columns, values) in columns.iter().zip(values) {
            let [a, b, c, d] = columns.map(|column| v[column as usize]);
            let [xa, xb, xc, xd] = values.map(f64::from);
            sum += (a * xa + b * xb) + (c * xc + d * xd);
        }
        let rest = rest.iter().zip(others);
        rest.fold(sum, |sum, (&column, &x)| sum + v[column as usize] * f64::from(x))
    }

    /// x · x.
    pub fn norm2(&self) -> f64 {
        self.values.iter().fold(0.0, |sum, &x| sum + f64::from(x) * f64::from(x))
    }

    /// v ← v + along · x.
    #[inline]
    pub fn add_to(&self, v: &mut [f64], along: f64) {
        self.iter().for_each(|(column, x)| v[column] += along * x);
    }
}

/// Sparse rows.
#[derive(Clone, Debug)]
pub struct Rows {
    ends: Vec<usize>,
    columns: Vec<u32>,
    values: Vec<Real>,
}

impl Default for Rows {
    fn default() -> Self {
        Self { ends: vec![0], columns: Vec::new(), values: Vec::new() }
    }
}

impl Rows {
    /// How many.
    pub fn len(&self) -> usize {
        self.ends.len() - 1
    }

    /// None?
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// How many values are not zero.
    pub fn nonzeros(&self) -> usize {
        self.columns.len()
    }

    /// Row `i`.
    #[inline]
    pub fn row(&self, i: usize) -> Sparse<'_> {
        let range = self.ends[i]..self.ends[i + 1];
        Sparse { columns: &self.columns[range.clone()], values: &self.values[range] }
    }

    /// All rows.
    pub fn iter(&self) -> impl Iterator<Item = Sparse<'_>> {
        (0..self.len()).map(|i| self.row(i))
    }

    /// Adds a row; columns must increase.
    pub fn push(&mut self, row: impl Iterator<Item = (u32, Real)>) {
        for (column, x) in row {
            self.columns.push(column);
            self.values.push(x);
        }
        self.ends.push(self.columns.len());
    }

    /// The same values by column: row j of the result is column j, its columns are the rows.
    #[must_use]
    pub fn transposed(&self, width: usize) -> Rows {
        let mut ends = vec![0; width + 1];
        self.columns.iter().for_each(|&column| ends[column as usize + 1] += 1);
        for j in 0..width {
            ends[j + 1] += ends[j];
        }
        let mut next = ends.clone();
        let mut columns = vec![0; self.columns.len()];
        let mut values = vec![0.0; self.values.len()];
        for i in 0..self.len() {
            for at in self.ends[i]..self.ends[i + 1] {
                let home = &mut next[self.columns[at] as usize];
                columns[*home] = i as u32;
                values[*home] = self.values[at];
                *home += 1;
            }
        }
        Rows { ends, columns, values }
    }
}

/// A batch, ready to be learned from.
#[derive(Clone, Debug)]
pub struct Examples {
    /// The feature of every column, increasing.
    pub features: Vec<u32>,
    /// The examples' features, by column.
    pub rows: Rows,
    /// +1 or −1.
    pub y: Vec<f64>,
    /// What is at stake: cost times importance.
    pub stake: Vec<f64>,
}

impl Examples {
    /// The labelled examples of a batch; features that are `known` get a column too.
    pub(super) fn of(batch: Batch, known: &[u32], costs: &RunningCosts) -> Self {
        let (mut indices, values, ends, labels, importances) = batch.into_parts();
        let features = number(&mut indices, known);
        let positive = |label: &Option<u32>| *label == Some(1);
        let y = labels.iter().map(|label| if positive(label) { 1.0 } else { -1.0 }).collect();
        let costs = labels.iter().map(|label| costs.of(positive(label)));
        let stake = costs.zip(importances).map(|(cost, importance)| cost * f64::from(importance)).collect();
        Self { features, rows: Rows { ends, columns: indices, values }, y, stake }
    }

    /// How many.
    pub fn len(&self) -> usize {
        self.y.len()
    }

    /// None?
    pub fn is_empty(&self) -> bool {
        self.y.is_empty()
    }

    /// How many columns.
    pub fn width(&self) -> usize {
        self.features.len()
    }
}

/// Replaces features by columns, in the order of the features; says which feature each column is.
fn number(indices: &mut [u32], known: &[u32]) -> Vec<u32> {
    // Features below a limit are looked up in an array, the rare ones above it by bisection.
    let limit = (4 * (indices.len() + known.len()) + 1024).min(FAR as usize) as u32;
    let highest = |features: &[u32]| features.iter().fold(0, |most, feature| most.max(*feature));
    let highest = highest(indices).max(highest(known));
    let mut column_of = vec![FAR; limit.min(highest.saturating_add(1)) as usize];
    let mut far = Vec::new();
    for &feature in indices.iter().chain(known) {
        match column_of.get_mut(feature as usize) {
            Some(column) => *column = 0,
            None => far.push(feature),
        }
    }
    far.sort_unstable();
    far.dedup();
    let mut features = Vec::new();
    for (feature, column) in column_of.iter_mut().enumerate().filter(|(_, column)| **column == 0) {
        *column = features.len() as u32;
        features.push(feature as u32);
    }
    for index in indices {
        *index = match column_of.get(*index as usize) {
            Some(column) => *column,
            None => (features.len() + far.partition_point(|f| f < index)) as u32,
        };
    }
    features.extend(far);
    features
}

/// No column.
const FAR: u32 = u32::MAX;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_follow_the_features_wherever_they_are() {
        let mut indices = vec![7, u32::MAX, 3, 2_000_000_000, 7];
        let features = number(&mut indices, &[5, 3, u32::MAX - 1]);
        assert_eq!(features, [3, 5, 7, 2_000_000_000, u32::MAX - 1, u32::MAX]);
        assert_eq!(indices, [2, 5, 0, 3, 2]);
    }

    #[test]
    fn transposing_twice_changes_nothing() {
        let mut rows = Rows::default();
        rows.push([(0, 1.0), (2, 2.0)].into_iter());
        rows.push([].into_iter());
        rows.push([(1, 3.0), (2, 4.0)].into_iter());
        let columns = rows.transposed(3);
        assert_eq!((columns.row(2).columns, columns.row(2).values), (&[0, 2][..], &[2.0, 4.0][..]));
        let back = columns.transposed(3);
        assert_eq!((back.ends, back.columns, back.values), (rows.ends, rows.columns, rows.values));
    }
}
