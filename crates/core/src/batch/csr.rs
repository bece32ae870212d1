//! Batches from compressed sparse rows, as numerical programs hold them.

use std::ops::Range;

use super::{BIAS, Batch, Class, Numbers};
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

/// Compressed sparse rows that somebody else holds: row i has the features `indices[indptr[i]..indptr[i + 1]]` with the values at the same places.
/// Rows may be unsorted, duplicates are summed, zeros are left out.
#[derive(Clone, Copy, Debug)]
pub struct Csr<'a, P, I, X> {
    indptr: &'a [P],
    indices: &'a [I],
    values: &'a [X],
}

impl<'a, P: Copy + Into<i64>, I: Copy + Into<i64>, X: Copy + Into<f64>> Csr<'a, P, I, X> {
    /// Rows that lie within the arrays.
    pub fn new(indptr: &'a [P], indices: &'a [I], values: &'a [X]) -> Result<Self, CsrError> {
        check_length("values", indices.len(), values.len())?;
        for (row, ends) in indptr.windows(2).enumerate() {
            let [start, end] = [ends[0].into(), ends[1].into()];
            if start < 0 || end < start || end as u64 > indices.len() as u64 {
                return Err(CsrError::RowEnd { row, end });
            }
        }
        Ok(Self { indptr, indices, values })
    }

    /// Number of rows.
    pub fn len(&self) -> usize {
        self.indptr.len().saturating_sub(1)
    }

    /// No rows?
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    fn places(&self, row: usize) -> Range<usize> {
        self.indptr[row].into() as usize..self.indptr[row + 1].into() as usize
    }

    /// Adds a row to a batch.
    pub fn push_row(
        &self,
        row: usize,
        label: Option<Class>,
        importance: f32,
        batch: &mut Batch,
    ) -> Result<(), CsrError> {
        if !(importance.is_finite() && importance >= 0.0) {
            return Err(CsrError::Importance { row });
        }
        let mut builder = batch.row_builder();
        let places = self.places(row);
        for (index, value) in self.indices[places.clone()].iter().zip(&self.values[places]) {
            let index = (*index).into();
            let Some(feature) = u32::try_from(index).ok().filter(|feature| *feature != BIAS) else {
                return Err(CsrError::Index { row, index });
            };
            builder.feature(feature, (*value).into() as Real);
        }
        let committed = builder.commit(label, importance);
        committed.map(|_| ()).map_err(|fault| CsrError::NotFinite { row, feature: fault.0 })
    }

    /// Adds rows to a batch, with the labels and importances of all rows of these arrays.
    pub fn push_rows(
        &self,
        rows: Range<usize>,
        labels: Option<&[Class]>,
        importances: Option<&[f32]>,
        batch: &mut Batch,
    ) -> Result<(), CsrError> {
        let label = |row: usize| labels.map(|labels| labels[row]);
        if !rows.is_empty() && self.copy_rows(rows.clone(), label, importances, batch).is_some() {
            return Ok(());
        }
        for row in rows {
            let importance = importances.map_or(1.0, |importances| importances[row]);
            self.push_row(row, label(row), importance, batch)?;
        }
        Ok(())
    }

    /// Adds rows as they are, in a few loops over all of them. Nothing is added if one of them has to be put right, or is wrong.
    fn copy_rows(
        &self,
        rows: Range<usize>,
        label: impl Fn(usize) -> Option<Class>,
        importances: Option<&[f32]>,
        batch: &mut Batch,
    ) -> Option<()> {
        let ones;
        let importances = if let Some(importances) = importances {
            &importances[rows.clone()]
        } else {
            ones = vec![1.0; rows.len()];
            &ones[..]
        };
        importances.iter().all(|importance| importance.is_finite() && *importance >= 0.0).then_some(())?;
        let places = self.places(rows.start).start..self.places(rows.end - 1).end;
        let lengths: Vec<u32> = rows.clone().map(|row| self.places(row).len() as u32).collect();
        let copy = |indices: &mut Vec<u32>, values: &mut Vec<Real>| {
            let (mut bits, mut any_bias) = (0, false);
            indices.extend(self.indices[places.clone()].iter().map(|index| {
                let index: i64 = (*index).into();
                bits |= index;
                any_bias |= index == i64::from(BIAS);
                index as u32
            }));
            values.extend(self.values[places].iter().map(|value| (*value).into() as Real));
            (u32::try_from(bits).is_ok() && !any_bias).then_some(Numbers::Features)
        };
        let labels: Vec<Option<Class>> = rows.map(label).collect();
        batch.append(&lengths, labels.into_iter(), importances, copy).ok()
    }
}

fn check_length(what: &'static str, expected: usize, found: usize) -> Result<(), CsrError> {
    if expected == found { Ok(()) } else { Err(CsrError::Length { what, expected, found }) }
}

impl Batch {
    /// Examples from compressed sparse rows: see [`Csr`]. Without labels all examples are unlabelled, without importances each has an
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
        let csr = Csr::new(indptr, indices, values)?;
        labels.map_or(Ok(()), |labels| check_length("labels", csr.len(), labels.len()))?;
        importances.map_or(Ok(()), |given| check_length("importances", csr.len(), given.len()))?;
        let mut batch = Self::default();
        csr.push_rows(0..csr.len(), labels, importances, &mut batch)?;
        Ok(batch)
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
    fn rows_that_need_no_tidying_are_copied_as_they_would_be_built() {
        let (indptr, indices, values) = ([0i64, 2, 2, 4], [1i32, 4, 0, 7], [1.5f64, 2.0, -1.0, 4.0]);
        let csr = Csr::new(&indptr, &indices, &values).unwrap();
        let (mut copied, mut built) = (Batch::default(), Batch::default());
        csr.push_rows(1..3, Some(&[1, 0, 1]), Some(&[9.0, 0.5, 2.0]), &mut copied).unwrap();
        csr.push_row(1, Some(0), 0.5, &mut built).unwrap();
        csr.push_row(2, Some(1), 2.0, &mut built).unwrap();
        assert_eq!(format!("{copied:?}"), format!("{built:?}"));
        assert_eq!((copied.len(), copied.row(1).indices), (2, &[0, 7][..]));
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
