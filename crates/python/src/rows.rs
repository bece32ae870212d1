//! Examples that Python holds: compressed sparse rows and dense matrices, read where they are.

use std::ops::Range;

use numpy::{Element, PyArray1, PyArray2, PyArrayMethods, PyReadonlyArray1, PyReadonlyArray2};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::PyTuple;
use thalweg_core::batch::{Csr, CsrError};
use thalweg_core::{Batch, Real};

use crate::errors::wrong;

/// Rows that become examples.
pub(crate) trait Rows: Sync {
    fn len(&self) -> usize;

    /// Adds rows to a batch, with the labels and importances of all rows.
    fn push_rows(
        &self,
        rows: Range<usize>,
        labels: Option<&[u32]>,
        importances: Option<&[f32]>,
        batch: &mut Batch,
    ) -> Result<(), CsrError>;

    /// Adds a row.
    fn push_row(&self, row: usize, label: u32, importance: f32, batch: &mut Batch) -> Result<(), CsrError>;
}

impl<P, I, X> Rows for Csr<'_, P, I, X>
where
    P: Copy + Into<i64> + Sync,
    I: Copy + Into<i64> + Sync,
    X: Copy + Into<f64> + Sync,
{
    fn len(&self) -> usize {
        self.len()
    }

    fn push_rows(
        &self,
        rows: Range<usize>,
        labels: Option<&[u32]>,
        importances: Option<&[f32]>,
        batch: &mut Batch,
    ) -> Result<(), CsrError> {
        self.push_rows(rows, labels, importances, batch)
    }

    fn push_row(&self, row: usize, label: u32, importance: f32, batch: &mut Batch) -> Result<(), CsrError> {
        self.push_row(row, Some(label), importance, batch)
    }
}

/// A matrix, row by row.
struct Dense<'a, X> {
    values: &'a [X],
    columns: usize,
    rows: usize,
}

impl<X: Copy + Into<f64>> Dense<'_, X> {
    fn push(
        &self,
        row: usize,
        label: Option<u32>,
        importance: f32,
        batch: &mut Batch,
    ) -> Result<(), CsrError> {
        if !(importance.is_finite() && importance >= 0.0) {
            return Err(CsrError::Importance { row });
        }
        let mut builder = batch.row_builder();
        let values = &self.values[row * self.columns..(row + 1) * self.columns];
        for (column, value) in values.iter().enumerate() {
            let value: f64 = (*value).into();
            if value != 0.0 {
                builder.feature(column as u32, value as Real);
            }
        }
        let committed = builder.commit(label, importance);
        committed.map(|_| ()).map_err(|fault| CsrError::NotFinite { row, feature: fault.0 })
    }
}

impl<X: Copy + Into<f64> + Sync> Rows for Dense<'_, X> {
    fn len(&self) -> usize {
        self.rows
    }

    fn push_rows(
        &self,
        rows: Range<usize>,
        labels: Option<&[u32]>,
        importances: Option<&[f32]>,
        batch: &mut Batch,
    ) -> Result<(), CsrError> {
        for row in rows {
            let importance = importances.map_or(1.0, |importances| importances[row]);
            self.push(row, labels.map(|labels| labels[row]), importance, batch)?;
        }
        Ok(())
    }

    fn push_row(&self, row: usize, label: u32, importance: f32, batch: &mut Batch) -> Result<(), CsrError> {
        self.push(row, Some(label), importance, batch)
    }
}

/// The exception for rows that are no examples. scikit-learn wants it to say NaN or inf where that is what is wrong.
pub(crate) fn no_examples(error: CsrError) -> PyErr {
    match error {
        CsrError::NotFinite { .. } => wrong(format!("{error} (NaN or infinity)")),
        other => wrong(other),
    }
}

/// What is done with rows, whatever they are made of.
pub(crate) trait WithRows<T> {
    fn call(self, rows: &dyn Rows) -> PyResult<T>;
}

impl<T, F: FnOnce(&dyn Rows) -> PyResult<T>> WithRows<T> for F {
    fn call(self, rows: &dyn Rows) -> PyResult<T> {
        self(rows)
    }
}

/// Reads a matrix, or the three arrays of compressed sparse rows (where rows end, features, values), and does something with the rows.
pub(crate) fn with_rows<T>(data: &Bound<'_, PyAny>, work: impl WithRows<T>) -> PyResult<T> {
    if let Ok(arrays) = data.cast::<PyTuple>() {
        let (ends, features, values) = (arrays.get_item(0)?, arrays.get_item(1)?, arrays.get_item(2)?);
        return match (is::<i32>(&features), is::<f32>(&values)) {
            (true, true) => csr::<i32, f32, T>(&ends, &features, &values, work),
            (true, false) => csr::<i32, f64, T>(&ends, &features, &values, work),
            (false, true) => csr::<i64, f32, T>(&ends, &features, &values, work),
            (false, false) => csr::<i64, f64, T>(&ends, &features, &values, work),
        };
    }
    if let Ok(matrix) = data.cast::<PyArray2<f32>>() {
        return dense(&matrix.try_readonly().map_err(wrong)?, work);
    }
    let matrix = data.cast::<PyArray2<f64>>().map_err(|_| not_arrays("a matrix of float32 or float64"))?;
    dense(&matrix.try_readonly().map_err(wrong)?, work)
}

fn dense<X: Element + Copy + Into<f64> + Sync, T>(
    matrix: &PyReadonlyArray2<'_, X>,
    work: impl WithRows<T>,
) -> PyResult<T> {
    let view = matrix.as_array();
    let (rows, columns) = view.dim();
    let values = matrix.as_slice().map_err(|_| not_arrays("a matrix whose rows lie one after the other"))?;
    work.call(&Dense { values, columns, rows })
}

fn csr<I, X, T>(
    ends: &Bound<'_, PyAny>,
    features: &Bound<'_, PyAny>,
    values: &Bound<'_, PyAny>,
    work: impl WithRows<T>,
) -> PyResult<T>
where
    I: Element + Copy + Into<i64> + Sync,
    X: Element + Copy + Into<f64> + Sync,
{
    let (ends, features, values) = (read::<I>(ends)?, read::<I>(features)?, read::<X>(values)?);
    let rows = Csr::new(slice(&ends)?, slice(&features)?, slice(&values)?).map_err(wrong)?;
    work.call(&rows)
}

fn is<T: Element>(array: &Bound<'_, PyAny>) -> bool {
    array.cast::<PyArray1<T>>().is_ok()
}

fn read<'py, T: Element>(array: &Bound<'py, PyAny>) -> PyResult<PyReadonlyArray1<'py, T>> {
    let array = array.cast::<PyArray1<T>>();
    let array = array.map_err(|_| not_arrays("int32 or int64 indices and float32 or float64 values"))?;
    array.try_readonly().map_err(wrong)
}

fn slice<'a, T: Element>(array: &'a PyReadonlyArray1<'_, T>) -> PyResult<&'a [T]> {
    array.as_slice().map_err(|_| not_arrays("arrays without gaps"))
}

fn not_arrays(wanted: &str) -> PyErr {
    PyTypeError::new_err(format!("expected {wanted}"))
}
