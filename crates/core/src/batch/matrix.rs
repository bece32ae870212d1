//! Batches from matrices that hold every value, row by row.

use super::rows::same_length;
use super::{BIAS, RowBuilder, Rows, RowsError};
use crate::Real;

/// A matrix that somebody else holds, one row after the other: feature j of a row is what stands in column j. Zeros are left out.
#[derive(Clone, Copy, Debug)]
pub struct Matrix<'a, X> {
    values: &'a [X],
    rows: usize,
    columns: usize,
}

impl<'a, X: Copy + Into<f64>> Matrix<'a, X> {
    /// A matrix with so many rows and columns.
    pub fn new(values: &'a [X], rows: usize, columns: usize) -> Result<Self, RowsError> {
        if columns > BIAS as usize {
            return Err(RowsError::Index { row: 0, index: i64::from(BIAS), last: BIAS - 1 });
        }
        same_length("values", rows.saturating_mul(columns), values.len())?;
        Ok(Self { values, rows, columns })
    }
}

impl<X: Copy + Into<f64>> Rows for Matrix<'_, X> {
    fn len(&self) -> usize {
        self.rows
    }

    fn columns(&self) -> u32 {
        self.columns as u32
    }

    fn features(&self, row: usize, example: &mut RowBuilder<'_>) -> Result<(), RowsError> {
        let values = &self.values[row * self.columns..(row + 1) * self.columns];
        for (column, value) in values.iter().enumerate() {
            let value: f64 = (*value).into();
            if value != 0.0 {
                example.feature(column as u32, value as Real);
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Batch;

    #[test]
    fn a_matrix_gives_the_examples_of_the_same_sparse_rows() {
        let matrix = Matrix::new(&[0.0f32, 2.5, 0.0, 0.0, 0.0, 0.0, -1.0, 0.0, 4.0], 3, 3).unwrap();
        let sparse = super::super::Csr::new(&[0i32, 1, 1, 3], &[1i32, 0, 2], &[2.5f32, -1.0, 4.0]).unwrap();
        let (labels, importances) = ([1, 0, 1], [1.0, 0.0, 2.5]);
        let dense = Batch::from_rows(&matrix, Some(&labels), Some(&importances)).unwrap();
        let sparse = Batch::from_rows(&sparse, Some(&labels), Some(&importances)).unwrap();
        assert_eq!(format!("{dense:?}"), format!("{sparse:?}"));
        let empty = Matrix::<f64>::new(&[], 2, 0).unwrap();
        assert_eq!(Batch::from_rows(&empty, None, None).unwrap().len(), 2);
    }

    #[test]
    fn what_is_wrong_is_named() {
        let error = |values: &[f64], rows, columns, importances: Option<&[f32]>| {
            let batch = Matrix::new(values, rows, columns)
                .and_then(|matrix| Batch::from_rows(&matrix, None, importances));
            batch.unwrap_err().to_string()
        };
        assert_eq!(error(&[1.0], 2, 2, None), "values has 1 entries, but should have 4");
        assert!(error(&[1.0], usize::MAX, 2, None).starts_with("values has 1 entries"));
        assert!(error(&[], 0, BIAS as usize + 1, None).starts_with("row 0 has the feature 4294967295"));
        assert_eq!(
            error(&[1.0, 2.0, 3.0, f64::NAN], 2, 2, None),
            "row 1 has a value of feature 1 that is not a finite number"
        );
        assert!(error(&[1.0, 2.0], 2, 1, Some(&[1.0, -1.0])).starts_with("row 1 has an importance"));
        assert!(error(&[1.0, 2.0], 2, 1, Some(&[1.0])).starts_with("importances has 1 entries"));
    }
}
