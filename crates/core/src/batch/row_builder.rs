//! An example in the making.

use super::columns::are_sound;
use super::{BIAS, Batch, Class, NotFinite};
use crate::Real;

/// What had to be put right in a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tidied {
    /// Nothing.
    AsWritten,
    /// Indices were out of order or repeated: they were sorted, duplicates summed.
    Sorted,
}

/// An example in the making.
#[derive(Debug)]
pub struct RowBuilder<'a> {
    batch: &'a mut Batch,
    start: usize,
    /// Up to here everything is in order.
    checked: Option<usize>,
    committed: bool,
}

impl<'a> RowBuilder<'a> {
    pub(super) fn new(batch: &'a mut Batch) -> Self {
        Self { start: batch.indices.len(), checked: None, committed: false, batch }
    }
}

impl RowBuilder<'_> {
    /// Adds a feature.
    #[inline]
    pub fn feature(&mut self, index: u32, value: Real) {
        self.batch.indices.push(index);
        self.batch.values.push(value);
    }

    /// Adds features with their values.
    pub fn features(&mut self, indices: &[u32], values: &[Real]) {
        let both = indices.len().min(values.len());
        self.batch.indices.extend_from_slice(&indices[..both]);
        self.batch.values.extend_from_slice(&values[..both]);
    }

    /// Adds the bias, which comes after all other features.
    pub fn bias(&mut self) {
        let all_checked = self.checked == Some(self.batch.indices.len());
        self.feature(BIAS, 1.0);
        self.checked = all_checked.then_some(self.batch.indices.len());
    }

    /// The values so far.
    pub fn values(&self) -> &[Real] {
        &self.batch.values[self.start..]
    }

    /// The values so far, to be changed.
    pub fn values_mut(&mut self) -> &mut [Real] {
        self.checked = None;
        &mut self.batch.values[self.start..]
    }

    /// Puts the features in order, sums duplicates, drops zeros, and checks that all is finite.
    pub fn tidy(&mut self) -> Result<Tidied, NotFinite> {
        if self.checked == Some(self.batch.indices.len()) {
            return Ok(Tidied::AsWritten);
        }
        // Most rows are in order. Loops without a way out half-way find that out for several features at once.
        let values = &self.batch.values[self.start..];
        if !are_sound(values) {
            if !values.iter().all(|x| x.is_finite()) {
                return Err(self.not_finite());
            }
            self.drop_zeros();
        }
        let indices = &self.batch.indices[self.start..];
        let pairs = indices.iter().zip(indices.iter().skip(1));
        let tidied = if pairs.fold(true, |ascending, (a, b)| ascending & (a < b)) {
            Tidied::AsWritten
        } else {
            self.sort();
            if !self.batch.values[self.start..].iter().all(|x| x.is_finite()) {
                return Err(self.not_finite());
            }
            Tidied::Sorted
        };
        self.checked = Some(self.batch.indices.len());
        Ok(tidied)
    }

    /// The first value that is not finite.
    #[cold]
    fn not_finite(&self) -> NotFinite {
        let bad = self.batch.values[self.start..].iter().position(|x| !x.is_finite());
        NotFinite(self.batch.indices[self.start + bad.unwrap_or_default()])
    }

    #[cold]
    fn drop_zeros(&mut self) {
        let Batch { indices, values, .. } = &mut *self.batch;
        let mut kept = self.start;
        for at in self.start..values.len() {
            if values[at] != 0.0 {
                (indices[kept], values[kept]) = (indices[at], values[at]);
                kept += 1;
            }
        }
        indices.truncate(kept);
        values.truncate(kept);
    }

    /// Adds the example to the batch.
    pub fn commit(mut self, label: Option<Class>, importance: f32) -> Result<Tidied, NotFinite> {
        let tidied = self.tidy()?;
        self.batch.ends.push(self.batch.indices.len());
        self.batch.labels.push(label);
        self.batch.importances.push(importance);
        self.committed = true;
        Ok(tidied)
    }

    fn sort(&mut self) {
        let Batch { indices, values, unsorted, .. } = &mut *self.batch;
        unsorted.fill(indices[self.start..].iter().copied().zip(values[self.start..].iter().copied()));
        let mut kept = self.start;
        unsorted.sums(|index, sum| {
            let sum = sum as Real;
            if sum != 0.0 {
                (indices[kept], values[kept]) = (index, sum);
                kept += 1;
            }
        });
        indices.truncate(kept);
        values.truncate(kept);
    }
}

impl Drop for RowBuilder<'_> {
    fn drop(&mut self) {
        if !self.committed {
            self.batch.indices.truncate(self.start);
            self.batch.values.truncate(self.start);
        }
    }
}
