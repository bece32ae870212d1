//! Batches from compressed sparse rows, as numerical programs hold them.

use super::{BIAS, Batch, Class};
use crate::Real;

/// Why arrays are not examples.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CsrError {
    /// Lengths that do not fit together.
    #[error("{what} has {found} entries, but should have {expected}")]
    Length {
        /// Which array.
        what: &'static str,
        /// How many entries it should have.
        expected: usize,
        /// How many it has.
        found: usize,
    },
    /// A row that ends before it begins, or behind the last value.
    #[error("row {row} ends at {end}, which is before its beginning or behind the last value")]
    RowEnd {
        /// Which row, counted from 0.
        row: usize,
        /// Where it ends.
        end: i64,
    },
    /// An index that no feature can have.
    #[error("row {row} has the feature {index}; features are numbered from 0 to 4294967294")]
    Index {
        /// Which row, counted from 0.
        row: usize,
        /// The index.
        index: i64,
    },
    /// A value, or a sum of duplicates, that is not a finite number.
    #[error("row {row} has a value of feature {feature} that is not a finite number")]
    NotFinite {
        /// Which row, counted from 0.
        row: usize,
        /// The feature.
        feature: u32,
    },
    /// An importance that is negative or not a finite number.
    #[error("row {row} has an importance that is not a finite number of at least 0")]
    Importance {
        /// Which row, counted from 0.
        row: usize,
    },
}

impl Batch {
    /// Examples from compressed sparse rows: row i has the features `indices[indptr[i]..indptr[i + 1]]` with the values at the same places. Rows may
    /// be unsorted, duplicates are summed, zeros are left out. Without labels all examples are unlabelled, without importances each has an
    /// importance of 1.
    ///
    /// ```
    /// use thalweg_core::Batch;
    ///
    /// let batch = Batch::from_csr(&[0, 2, 3], &[7, 3, 4], &[0.5, 1.0, 2.0], Some(&[1, 0]), None)?;
    /// assert_eq!(batch.row(0).iter().collect::<Vec<_>>(), [(3, 1.0), (7, 0.5)]);
    /// # Ok::<(), thalweg_core::batch::CsrError>(())
    /// ```
    pub fn from_csr<P: Copy + Into<i64>, I: Copy + Into<i64>, X: Copy + Into<f64>>(
        indptr: &[P],
        indices: &[I],
        values: &[X],
        labels: Option<&[Class]>,
        importances: Option<&[f32]>,
    ) -> Result<Self, CsrError> {
        let rows = indptr.len().saturating_sub(1);
        let length = |what, expected, found| {
            if expected == found { Ok(()) } else { Err(CsrError::Length { what, expected, found }) }
        };
        length("values", indices.len(), values.len())?;
        labels.map_or(Ok(()), |labels| length("labels", rows, labels.len()))?;
        importances.map_or(Ok(()), |importances| length("importances", rows, importances.len()))?;
        let mut batch = Self::default();
        batch.indices.reserve(indices.len());
        batch.values.reserve(values.len());
        for row in 0..rows {
            let [start, end] = [indptr[row].into(), indptr[row + 1].into()];
            if start < 0 || end < start || end as u64 > indices.len() as u64 {
                return Err(CsrError::RowEnd { row, end });
            }
            let range = start as usize..end as usize;
            let importance = importances.map_or(1.0, |importances| importances[row]);
            if !(importance.is_finite() && importance >= 0.0) {
                return Err(CsrError::Importance { row });
            }
            let label = labels.map(|labels| labels[row]);
            batch.push_csr_row(row, &indices[range.clone()], &values[range], label, importance)?;
        }
        Ok(batch)
    }

    fn push_csr_row<I: Copy + Into<i64>, X: Copy + Into<f64>>(
        &mut self,
        row: usize,
        indices: &[I],
        values: &[X],
        label: Option<Class>,
        importance: f32,
    ) -> Result<(), CsrError> {
        let mut builder = self.row_builder();
        for (index, value) in indices.iter().zip(values) {
            let index = (*index).into();
            let Some(feature) = u32::try_from(index).ok().filter(|feature| *feature != BIAS) else {
                return Err(CsrError::Index { row, index });
            };
            builder.feature(feature, (*value).into() as Real);
        }
        let committed = builder.commit(label, importance);
        committed.map(|_| ()).map_err(|fault| CsrError::NotFinite { row, feature: fault.0 })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_tidied() {
        let (indptr, indices) = ([0i32, 3, 3, 5], [5i64, 2, 5, 9, 1]);
        let batch = Batch::from_csr(
            &indptr,
            &indices,
            &[1.0f32, 0.0, 2.0, -1.0, 4.0],
            Some(&[1, 0, 1]),
            Some(&[1.0, 0.0, 2.5]),
        );
        let batch = batch.unwrap();
        let rows: Vec<Vec<(u32, f64)>> = (0..3).map(|i| batch.row(i).iter().collect()).collect();
        assert_eq!(rows, [vec![(5, 3.0)], vec![], vec![(1, 4.0), (9, -1.0)]]);
        assert_eq!(batch.labels(), [Some(1), Some(0), Some(1)]);
        assert_eq!(batch.importances(), [1.0, 0.0, 2.5]);
        let empty = Batch::from_csr::<i64, i64, f64>(&[], &[], &[], None, None).unwrap();
        assert!(empty.is_empty());
    }

    #[test]
    fn what_is_wrong_is_named() {
        let error = |indptr: &[i64], indices: &[i64], values: &[f64], importances: Option<&[f32]>| {
            Batch::from_csr(indptr, indices, values, None, importances).unwrap_err().to_string()
        };
        assert_eq!(error(&[0, 1], &[1, 2], &[1.0], None), "values has 1 entries, but should have 2");
        assert!(error(&[0, 3], &[1, 2], &[1.0, 1.0], None).starts_with("row 0 ends at 3"));
        assert!(error(&[0, 2, 1], &[1, 2], &[1.0, 1.0], None).starts_with("row 1 ends at 1"));
        assert!(error(&[0, 1], &[-1], &[1.0], None).starts_with("row 0 has the feature -1"));
        assert!(
            error(&[0, 1], &[i64::from(BIAS)], &[1.0], None).starts_with("row 0 has the feature 4294967295")
        );
        assert!(error(&[0, 1], &[1], &[f64::NAN], None).contains("not a finite number"));
        assert!(error(&[0, 1], &[1], &[1.0], Some(&[-1.0])).contains("importance"));
        let labels = Batch::from_csr(&[0i64, 0], &[0i64; 0], &[0f64; 0], Some(&[1, 1]), None).unwrap_err();
        assert_eq!(labels.to_string(), "labels has 2 entries, but should have 1");
    }
}
