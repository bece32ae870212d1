//! Examples whose values are changed where they are.

use super::columns::are_sound;
use super::{BIAS, Batch, Row};
use crate::Real;

/// One example whose values may be changed.
#[derive(Debug)]
pub struct RowMut<'a> {
    /// Feature indices, strictly increasing.
    pub indices: &'a [u32],
    /// Their values.
    pub values: &'a mut [Real],
    /// How much the example counts.
    pub importance: f32,
    /// The features of the example after it.
    pub next: &'a [u32],
}

impl RowMut<'_> {
    /// The same without the bias.
    #[must_use]
    #[inline(always)]
    pub fn without_bias(self) -> Self {
        match self.indices.split_last() {
            Some((&BIAS, indices)) => Self { indices, values: &mut self.values[..indices.len()], ..self },
            _ => self,
        }
    }

    /// The features and values, to be read.
    #[inline(always)]
    pub fn row(&self) -> Row<'_> {
        Row { indices: self.indices, values: self.values }
    }
}

impl Batch {
    /// Example `i`, to give its features other values. They must stay finite. Where one may have become zero, [`Self::drop_zeros`] must follow.
    #[inline(always)]
    pub fn row_mut(&mut self, i: usize) -> RowMut<'_> {
        let (start, end) = (self.ends[i], self.ends[i + 1]);
        let next = self.ends.get(i + 2).map_or(&[][..], |after| &self.indices[end..*after]);
        let (indices, values) = (&self.indices[start..end], &mut self.values[start..end]);
        RowMut { indices, values, importance: self.importances[i], next }
    }

    /// Removes features whose value has become zero.
    pub fn drop_zeros(&mut self) {
        if !are_sound(&self.values) {
            self.drop_some_zeros();
        }
    }

    #[cold]
    fn drop_some_zeros(&mut self) {
        let Self { indices, values, ends, .. } = self;
        debug_assert!(values.iter().all(|x| x.is_finite()));
        let (mut start, mut kept) = (0, 0);
        for end in ends.iter_mut().skip(1) {
            for at in start..*end {
                if values[at] != 0.0 {
                    (indices[kept], values[kept]) = (indices[at], values[at]);
                    kept += 1;
                }
            }
            (start, *end) = (*end, kept);
        }
        indices.truncate(kept);
        values.truncate(kept);
    }
}
