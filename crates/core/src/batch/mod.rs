//! Examples in one flat buffer (compressed sparse rows) that the caller owns and reuses.
//!
//! Every row that a [`Batch`] holds keeps three promises, so that no learner has to check them: indices strictly
//! increase, values are finite, and no value is zero (an explicit zero is an absent feature).

mod columns;
mod csr;
mod matrix;
mod row_builder;
mod row_mut;
mod rows;
mod unsorted;

use std::ops::Range;

use crate::Real;

use unsorted::Unsorted;

pub use columns::{Columns, Malformed, Numbers};
pub use csr::Csr;
pub use matrix::Matrix;
pub use row_builder::{RowBuilder, Tidied};
pub use row_mut::RowMut;
pub use rows::{Rows, RowsError};

/// A class: 0 and 1 are the negative and the positive class of a two-class task.
pub type Class = u32;

/// The index of the bias, the feature that is always 1. Readers refuse it as an index of the data's own.
pub const BIAS: u32 = u32::MAX;

/// One example's features.
#[derive(Clone, Copy, Debug)]
pub struct Row<'a> {
    /// Feature indices, strictly increasing.
    pub indices: &'a [u32],
    /// Their values: finite and not zero.
    pub values: &'a [Real],
}

impl Row<'_> {
    /// Features and values side by side.
    pub fn iter(&self) -> impl Iterator<Item = (u32, f64)> + '_ {
        self.indices.iter().zip(self.values).map(|(&i, &x)| (i, f64::from(x)))
    }
}

/// Examples, one after the other.
#[derive(Clone, Debug)]
pub struct Batch {
    indices: Vec<u32>,
    values: Vec<Real>,
    /// `ends[i]` is where row i begins, `ends[i + 1]` where it ends.
    ends: Vec<usize>,
    labels: Vec<Option<Class>>,
    importances: Vec<f32>,
    /// What an error on each example costs; nothing as long as all cost 1.
    costs: Vec<f32>,
    /// The examples' ids, one after the other, and where each of them ends; nothing as long as none has one.
    ids: Vec<u8>,
    id_ends: Vec<usize>,
    /// Memory to sort with.
    unsorted: Unsorted,
}

impl Default for Batch {
    fn default() -> Self {
        Self {
            indices: Vec::new(),
            values: Vec::new(),
            ends: vec![0],
            labels: Vec::new(),
            importances: Vec::new(),
            costs: Vec::new(),
            ids: Vec::new(),
            id_ends: Vec::new(),
            unsorted: Unsorted::default(),
        }
    }
}

impl Batch {
    /// Forgets the examples and keeps the memory.
    pub fn clear(&mut self) {
        self.indices.clear();
        self.values.clear();
        self.ends.truncate(1);
        self.labels.clear();
        self.importances.clear();
        self.costs.clear();
        self.ids.clear();
        self.id_ends.clear();
    }

    /// Bytes of memory that the examples take.
    pub fn memory(&self) -> usize {
        let each = size_of::<usize>() + size_of::<Option<Class>>() + size_of::<f32>();
        self.nonzeros() * (size_of::<u32>() + size_of::<Real>()) + self.len() * each
    }

    /// Number of examples.
    pub fn len(&self) -> usize {
        self.labels.len()
    }

    /// No examples?
    pub fn is_empty(&self) -> bool {
        self.labels.is_empty()
    }

    /// Number of non-zero values in all examples.
    pub fn nonzeros(&self) -> usize {
        self.indices.len()
    }

    /// The features of example `i`.
    pub fn row(&self, i: usize) -> Row<'_> {
        let range = self.ends[i]..self.ends[i + 1];
        Row { indices: &self.indices[range.clone()], values: &self.values[range] }
    }

    /// The class of every example; `None` where the label is not known.
    pub fn labels(&self) -> &[Option<Class>] {
        &self.labels
    }

    /// Of two classes, is example `i` of the positive one, and how important is it? Nothing if its label is not known.
    #[inline]
    pub(crate) fn known(&self, i: usize) -> Option<(bool, f64)> {
        self.labels[i].map(|class| (class == 1, f64::from(self.importances[i])))
    }

    /// The importance of every example; 1 unless the data says otherwise.
    pub fn importances(&self) -> &[f32] {
        &self.importances
    }

    /// What an error on example `i` costs, besides what an error on its class does; 1 unless the data says otherwise.
    pub fn cost(&self, i: usize) -> f32 {
        self.costs.get(i).copied().unwrap_or(1.0)
    }

    /// What errors on all examples cost; empty if all cost 1.
    pub fn costs(&self) -> &[f32] {
        &self.costs
    }

    /// Says what an error on the example that was added last costs.
    pub fn set_cost(&mut self, cost: f32) {
        if cost == 1.0 && self.costs.is_empty() {
            return;
        }
        self.costs.resize(self.len() - 1, 1.0);
        self.costs.push(cost);
    }

    /// Says what errors on all examples cost; with no costs, all cost 1.
    pub fn set_costs(&mut self, costs: &[f32]) {
        self.costs.clear();
        self.costs.extend_from_slice(&costs[..costs.len().min(self.len())]);
    }

    /// The name of example `i` itself; empty if it has none.
    pub fn id(&self, i: usize) -> &[u8] {
        let Some(end) = self.id_ends.get(i) else { return &[] };
        let start = if i == 0 { 0 } else { self.id_ends[i - 1] };
        &self.ids[start..*end]
    }

    /// Gives the example that was added last an id.
    pub fn set_id(&mut self, id: &[u8]) {
        if id.is_empty() && self.id_ends.is_empty() {
            return;
        }
        // Those before it have none.
        let so_far = self.ids.len();
        self.id_ends.resize(self.len() - 1, so_far);
        self.ids.extend_from_slice(id);
        self.id_ends.push(self.ids.len());
    }

    /// Gives all examples names of their own; with no names, none has one.
    pub fn set_ids<'a>(&mut self, ids: impl Iterator<Item = &'a [u8]>) {
        self.ids.clear();
        self.id_ends.clear();
        for id in ids.take(self.len()) {
            self.ids.extend_from_slice(id);
            self.id_ends.push(self.ids.len());
        }
    }

    /// Gives every feature from `first` on, except the bias, another number that is not below `first` either. Features that get the
    /// same one are summed.
    pub fn renumber(&mut self, first: u32, mut number: impl FnMut(u32) -> u32) {
        let Self { indices, values, ends, unsorted, .. } = self;
        let (mut start, mut kept) = (0, 0);
        for end in ends.iter_mut().skip(1) {
            let low = indices[start..*end].partition_point(|feature| *feature < first);
            if kept < start {
                indices.copy_within(start..start + low, kept);
                values.copy_within(start..start + low, kept);
            }
            start += low;
            kept += low;
            let mut new = |feature| if feature == BIAS { BIAS } else { number(feature) };
            let row = indices[start..*end].iter().zip(&values[start..*end]);
            unsorted.fill(row.map(|(feature, x)| (new(*feature), *x)));
            unsorted.sums(|feature, sum| {
                debug_assert!(feature >= first);
                let sum = sum.clamp(f64::from(Real::MIN), f64::from(Real::MAX)) as Real;
                if sum != 0.0 {
                    (indices[kept], values[kept]) = (feature, sum);
                    kept += 1;
                }
            });
            (start, *end) = (*end, kept);
        }
        indices.truncate(kept);
        values.truncate(kept);
    }

    /// Renames the classes, for readers that learn only later which label is which.
    pub fn relabel(&mut self, class: impl Fn(Class) -> Option<Class>) {
        self.labels.iter_mut().for_each(|label| *label = label.and_then(&class));
    }

    /// Gives the examples other labels, by their position.
    pub fn set_labels(&mut self, label: impl Fn(usize) -> Option<Class>) {
        self.labels.iter_mut().enumerate().for_each(|(i, home)| *home = label(i));
    }

    /// Multiplies the importance of examples, by their position.
    pub fn weigh(&mut self, weight: impl Fn(usize) -> f64) {
        let weighed =
            |importance: f32, i| (f64::from(importance) * weight(i)).min(f64::from(f32::MAX)) as f32;
        self.importances.iter_mut().enumerate().for_each(|(i, home)| *home = weighed(*home, i));
    }

    /// Begins an example. It joins the batch when it is [committed](RowBuilder::commit); a builder that is dropped
    /// leaves no trace, so that a line that turns out to be bad half-way is as if it had never been there.
    pub fn row_builder(&mut self) -> RowBuilder<'_> {
        RowBuilder::new(self)
    }

    /// Adds a whole example of importance 1, in any order of features.
    pub fn push(
        &mut self,
        features: impl IntoIterator<Item = (u32, f64)>,
        label: Option<Class>,
    ) -> Result<Tidied, NotFinite> {
        self.push_with_importance(features, label, 1.0)
    }

    /// Adds a whole example with its importance.
    pub fn push_with_importance(
        &mut self,
        features: impl IntoIterator<Item = (u32, f64)>,
        label: Option<Class>,
        importance: f32,
    ) -> Result<Tidied, NotFinite> {
        let mut builder = self.row_builder();
        for (index, value) in features {
            builder.feature(index, value as Real);
        }
        builder.commit(label, importance)
    }

    /// Adds example `i` of another batch.
    pub fn push_from(&mut self, other: &Batch, i: usize) {
        self.extend_from(other, i..i + 1);
    }

    /// Adds some examples of another batch.
    pub fn extend_from(&mut self, other: &Batch, examples: Range<usize>) {
        let values = other.ends[examples.start]..other.ends[examples.end];
        let offset = self.indices.len();
        let ends = &other.ends[examples.start + 1..=examples.end];
        self.ends.extend(ends.iter().map(|end| end - values.start + offset));
        self.indices.extend_from_slice(&other.indices[values.clone()]);
        self.values.extend_from_slice(&other.values[values]);
        self.extend_tags(other, examples);
    }

    /// Adds all examples of another batch, each with the bias, which comes after all other features.
    pub fn extend_with_bias(&mut self, other: &Batch) {
        let more = other.nonzeros() + other.len();
        self.indices.reserve(more);
        self.values.reserve(more);
        for i in 0..other.len() {
            let Row { indices, values } = other.row(i);
            self.indices.extend_from_slice(indices);
            self.values.extend_from_slice(values);
            if indices.last() != Some(&BIAS) {
                self.indices.push(BIAS);
                self.values.push(1.0);
            }
            self.ends.push(self.indices.len());
        }
        self.extend_tags(other, 0..other.len());
    }

    /// Adds all but the features of some examples.
    fn extend_tags(&mut self, other: &Batch, examples: Range<usize>) {
        self.labels.extend_from_slice(&other.labels[examples.clone()]);
        self.importances.extend_from_slice(&other.importances[examples.clone()]);
        if !other.costs.is_empty() || !self.costs.is_empty() {
            self.costs.resize(self.len() - examples.len(), 1.0);
            self.costs.extend(examples.clone().map(|i| other.cost(i)));
        }
        if !other.id_ends.is_empty() || !self.id_ends.is_empty() {
            let before = self.len() - examples.len();
            let so_far = self.ids.len();
            self.id_ends.resize(before, so_far);
            for i in examples {
                self.ids.extend_from_slice(other.id(i));
                self.id_ends.push(self.ids.len());
            }
        }
    }

    pub(crate) fn into_parts(self) -> Parts {
        (self.indices, self.values, self.ends, self.labels, self.importances)
    }
}

/// A batch taken apart: indices, values, where rows begin and end, labels, importances.
pub(crate) type Parts = (Vec<u32>, Vec<Real>, Vec<usize>, Vec<Option<Class>>, Vec<f32>);

/// A value, or a sum of duplicates, that is not a finite number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("feature {0} has a value that is not a finite number")]
pub struct NotFinite(pub u32);

#[cfg(test)]
mod tests {
    use super::*;

    fn only_row(batch: &Batch) -> Vec<(u32, f64)> {
        batch.row(0).iter().collect()
    }

    #[test]
    fn features_are_sorted_summed_and_stripped_of_zeros() {
        let mut batch = Batch::default();
        let tidied = batch.push([(9, 1.0), (2, 0.5), (9, 2.0), (4, 0.0), (7, 1.0), (7, -1.0)], Some(1));
        assert_eq!(tidied, Ok(Tidied::Sorted));
        assert_eq!(only_row(&batch), [(2, 0.5), (9, 3.0)]);
        assert_eq!(batch.push([(1, 1.0), (2, 2.0)], None), Ok(Tidied::AsWritten));
    }

    #[test]
    fn values_that_become_zero_are_dropped() {
        let mut batch = Batch::default();
        let mut builder = batch.row_builder();
        builder.features(&[1, 2, 3], &[5.0, 6.0, 7.0]);
        builder.tidy().unwrap();
        builder.values_mut()[0] = 0.0;
        builder.bias();
        builder.commit(None, 1.0).unwrap();
        batch.push([(4, 1.0)], None).unwrap();
        assert_eq!(batch.row(0).indices, [2, 3, BIAS]);

        assert_eq!(batch.row_mut(0).next, [4]);
        assert!(batch.row_mut(1).next.is_empty());
        batch.row_mut(0).without_bias().values.copy_from_slice(&[0.0, 8.0]);
        batch.row_mut(1).without_bias().values.copy_from_slice(&[0.0]);
        batch.drop_zeros();
        assert_eq!(batch.row(0).iter().collect::<Vec<_>>(), [(3, 8.0), (BIAS, 1.0)]);
        assert_eq!((batch.row(1).indices, batch.nonzeros()), (&[][..], 2));
    }

    #[test]
    fn tags_stay_with_their_examples() {
        let mut batch = Batch::default();
        for id in ["", "b", "", "dd"] {
            batch.push([(1, 1.0)], None).unwrap();
            batch.set_id(id.as_bytes());
        }
        batch.push([(1, 1.0)], None).unwrap();
        let mut other = Batch::default();
        other.push([(1, 1.0)], None).unwrap();
        other.extend_from(&batch, 1..5);
        let ids = |batch: &Batch| (0..batch.len()).map(|i| batch.id(i).to_vec()).collect::<Vec<_>>();
        assert_eq!(ids(&batch), [&b""[..], b"b", b"", b"dd", b""]);
        assert_eq!(ids(&other), [&b""[..], b"b", b"", b"dd", b""]);
    }

    #[test]
    fn the_bias_joins_every_example_once() {
        let mut batch = Batch::default();
        batch.push([(3, 2.0)], Some(1)).unwrap();
        batch.set_id(b"a");
        batch.push_with_importance([(4, 5.0), (BIAS, 7.0)], None, 0.5).unwrap();
        batch.set_cost(3.0);
        let mut with_bias = Batch::default();
        with_bias.extend_with_bias(&batch);
        let rows: Vec<Vec<_>> = (0..2).map(|i| with_bias.row(i).iter().collect()).collect();
        assert_eq!(rows, [[(3, 2.0), (BIAS, 1.0)], [(4, 5.0), (BIAS, 7.0)]]);
        assert_eq!((with_bias.labels(), with_bias.importances()), (&[Some(1), None][..], &[1.0, 0.5][..]));
        assert_eq!(
            (with_bias.costs(), with_bias.id(0), with_bias.id(1)),
            (&[1.0, 3.0][..], &b"a"[..], &b""[..])
        );
    }

    #[test]
    fn new_numbers_are_in_order_again() {
        let mut batch = Batch::default();
        batch.push([(0, 1.0), (1, 2.0), (BIAS, 3.0)], None).unwrap();
        batch.push([(2, 5.0)], None).unwrap();
        batch.renumber(0, |feature| 10 - feature);
        assert_eq!((batch.row(0).indices, batch.row(0).values), (&[9, 10, BIAS][..], &[2.0, 1.0, 3.0][..]));
        assert_eq!(batch.row(1).indices, [8]);
        batch.renumber(0, |feature| feature / 10);
        assert_eq!((batch.row(0).indices, batch.row(0).values), (&[0, 1, BIAS][..], &[2.0, 1.0, 3.0][..]));
        batch.push([(1, 2.0), (2, -2.0), (3, 1.0), (4, 1.5)], None).unwrap();
        batch.renumber(0, |feature| feature / 3);
        assert_eq!((batch.row(0).indices, batch.row(0).values), (&[0, BIAS][..], &[3.0, 3.0][..]));
        assert_eq!((batch.row(2).indices, batch.row(2).values), (&[1][..], &[2.5][..]));
        assert_eq!(batch.nonzeros(), 4);
    }

    #[test]
    fn an_abandoned_draft_leaves_no_trace() {
        let mut batch = Batch::default();
        batch.push([(1, 1.0)], Some(0)).unwrap();
        let mut builder = batch.row_builder();
        builder.feature(5, 2.0);
        drop(builder);
        assert_eq!((batch.len(), batch.nonzeros()), (1, 1));
    }

    #[test]
    fn a_value_that_is_not_finite_is_refused_and_leaves_no_trace() {
        let mut batch = Batch::default();
        for bad in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
            assert_eq!(batch.push([(1, 1.0), (3, bad)], Some(0)), Err(NotFinite(3)));
        }
        assert_eq!(
            batch.push([(3, f64::from(Real::MAX)), (3, f64::from(Real::MAX))], Some(0)),
            Err(NotFinite(3))
        );
        assert_eq!((batch.len(), batch.nonzeros()), (0, 0));
    }
}
