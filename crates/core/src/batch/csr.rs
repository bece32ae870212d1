//! Batches from compressed sparse rows, as numerical programs hold them.

use std::ops::Range;

use super::rows::{counts, same_length};
use super::{BIAS, Batch, Class, Numbers, RowBuilder, Rows, RowsError};
use crate::Real;

/// So many indices are looked at twice while the processor has them at hand.
const PART: usize = 1024;

/// Compressed sparse rows that somebody else holds: row i has the features `indices[indptr[i]..indptr[i + 1]]` with the values at the same places.
/// Rows may be unsorted, duplicates are summed, zeros are left out.
///
/// Nothing is taken for granted that was checked before, since other programs may change their arrays at any time.
#[derive(Clone, Copy, Debug)]
pub struct Csr<'a, P, I, X> {
    indptr: &'a [P],
    indices: &'a [I],
    values: &'a [X],
    /// Features are below.
    columns: u32,
}

impl<'a, P: Copy + Into<i64>, I: Copy + Into<i64>, X: Copy + Into<f64>> Csr<'a, P, I, X> {
    /// Rows that lie within the arrays.
    pub fn new(indptr: &'a [P], indices: &'a [I], values: &'a [X]) -> Result<Self, RowsError> {
        same_length("values", indices.len(), values.len())?;
        for (row, ends) in indptr.windows(2).enumerate() {
            let [start, end] = [ends[0].into(), ends[1].into()];
            if start < 0 || end < start || end as u64 > indices.len() as u64 {
                return Err(RowsError::RowEnd { row, end });
            }
        }
        Ok(Self { indptr, indices, values, columns: BIAS })
    }

    /// The same rows, of a matrix with so many columns.
    #[must_use]
    pub fn with_columns(self, columns: usize) -> Self {
        Self { columns: u32::try_from(columns).unwrap_or(BIAS), ..self }
    }

    fn places(&self, row: usize) -> Range<usize> {
        self.indptr[row].into() as usize..self.indptr[row + 1].into() as usize
    }
}

impl<P: Copy + Into<i64>, I: Copy + Into<i64>, X: Copy + Into<f64>> Rows for Csr<'_, P, I, X> {
    fn len(&self) -> usize {
        self.indptr.len().saturating_sub(1)
    }

    fn columns(&self) -> u32 {
        self.columns
    }

    fn features(&self, row: usize, example: &mut RowBuilder<'_>) -> Result<(), RowsError> {
        let places = self.places(row);
        let end = self.indptr[row + 1].into();
        let indices = self.indices.get(places.clone()).ok_or(RowsError::RowEnd { row, end })?;
        for (index, value) in indices.iter().zip(&self.values[places]) {
            let index = (*index).into();
            let Some(feature) = u32::try_from(index).ok().filter(|feature| *feature < self.columns) else {
                return Err(RowsError::Index { row, index, last: self.columns.saturating_sub(1) });
            };
            example.feature(feature, (*value).into() as Real);
        }
        Ok(())
    }

    /// A few loops over all rows.
    fn copy_rows(
        &self,
        rows: Range<usize>,
        labels: Option<&[Class]>,
        importances: Option<&[f32]>,
        batch: &mut Batch,
    ) -> Option<()> {
        if rows.is_empty() {
            return None;
        }
        let ones;
        let importances = if let Some(importances) = importances {
            &importances[rows.clone()]
        } else {
            ones = vec![1.0; rows.len()];
            &ones[..]
        };
        importances.iter().copied().all(counts).then_some(())?;
        let places = self.places(rows.start).start..self.places(rows.end - 1).end;
        let features = self.indices.get(places.clone())?;
        let lengths: Vec<u32> = rows.clone().map(|row| self.places(row).len() as u32).collect();
        let copy = |indices: &mut Vec<u32>, values: &mut Vec<Real>| {
            let start = indices.len();
            let mut high_bits = 0;
            for part in features.chunks(PART) {
                high_bits = part.iter().fold(high_bits, |all, index| all | ((*index).into() >> u32::BITS));
                indices.extend(part.iter().map(|index| (*index).into() as u32));
            }
            values.extend(self.values[places].iter().map(|value| (*value).into() as Real));
            // It is checked that features increase, so the last one of each row is the largest.
            let mut rest = &indices[start..];
            for length in &lengths {
                let (row, after) = rest.split_at_checked(*length as usize)?;
                row.last().is_none_or(|last| *last < self.columns).then_some(())?;
                rest = after;
            }
            (high_bits == 0).then_some(Numbers::Features)
        };
        let labels: Vec<Option<Class>> = rows.map(|row| labels.map(|labels| labels[row])).collect();
        batch.append(&lengths, labels.into_iter(), importances, copy).ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_tidied() {
        let (indptr, indices) = ([0i32, 3, 3, 5], [5i64, 2, 5, 9, 1]);
        let rows = Csr::new(&indptr, &indices, &[1.0f32, 0.0, 2.0, -1.0, 4.0]).unwrap();
        let batch = Batch::from_rows(&rows, Some(&[1, 0, 1]), Some(&[1.0, 0.0, 2.5])).unwrap();
        let rows: Vec<Vec<(u32, f64)>> = (0..3).map(|i| batch.row(i).iter().collect()).collect();
        assert_eq!(rows, [vec![(5, 3.0)], vec![], vec![(1, 4.0), (9, -1.0)]]);
        assert_eq!(batch.labels(), [Some(1), Some(0), Some(1)]);
        assert_eq!(batch.importances(), [1.0, 0.0, 2.5]);
        let empty = Csr::<i64, i64, f64>::new(&[], &[], &[]).unwrap();
        assert!(Batch::from_rows(&empty, None, None).unwrap().is_empty());
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
            let batch =
                Csr::new(indptr, indices, values).and_then(|rows| Batch::from_rows(&rows, None, importances));
            batch.unwrap_err().to_string()
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
        let rows = Csr::new(&[0i64, 0], &[0i64; 0], &[0f64; 0]).unwrap();
        let labels = Batch::from_rows(&rows, Some(&[1, 1]), None).unwrap_err();
        assert_eq!(labels.to_string(), "labels has 2 entries, but should have 1");
    }

    #[test]
    fn features_are_below_the_number_of_columns() {
        let rows = Csr::new(&[0i32, 2, 3], &[0i32, 3, 4], &[1.0f32; 3]).unwrap();
        assert!(Batch::from_rows(&rows.with_columns(5), None, None).is_ok());
        let error = Batch::from_rows(&rows.with_columns(4), None, None).unwrap_err();
        assert_eq!(error.to_string(), "row 1 has the feature 4; features are numbered from 0 to 3");
        assert!(Batch::from_rows(&rows.with_columns(usize::MAX), None, None).is_ok());
    }

    #[test]
    fn arrays_may_have_changed_since_they_were_checked() {
        let (indices, values) = ([1i32, 2], [1.0f32; 2]);
        for indptr in [[0i64, 9, 2], [0, -1, 2], [2, 1, 0], [0, 2, i64::MAX]] {
            let rows = Csr { indptr: &indptr, indices: &indices, values: &values, columns: BIAS };
            let mut batch = Batch::default();
            assert!(matches!(rows.push_rows(0..2, None, None, &mut batch), Err(RowsError::RowEnd { .. })));
        }
    }
}
