//! Examples that Python holds: compressed sparse rows and dense matrices, read where they are.

use numpy::{Element, PyArray1, PyArray2, PyArrayMethods, PyReadonlyArray1, PyReadonlyArray2};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::PyTuple;
use thalweg_core::batch::{Csr, Matrix, Rows, RowsError};

use crate::errors::wrong;

/// The exception for rows that are no examples. scikit-learn wants it to say NaN or inf where that is what is wrong.
pub(crate) fn no_examples(error: RowsError) -> PyErr {
    match error {
        RowsError::NotFinite { .. } => wrong(format!("{error} (NaN, infinity, or more than float32 holds)")),
        other => wrong(other),
    }
}

/// What is done with rows, whatever they are made of.
pub(crate) trait WithRows<T> {
    fn call(self, rows: &(dyn Rows + Sync)) -> PyResult<T>;
}

impl<T, F: FnOnce(&(dyn Rows + Sync)) -> PyResult<T>> WithRows<T> for F {
    fn call(self, rows: &(dyn Rows + Sync)) -> PyResult<T> {
        self(rows)
    }
}

/// Reads a matrix, or the three arrays of compressed sparse rows (where rows end, features, values) and the number of columns, and does something
/// with the rows.
pub(crate) fn with_rows<T>(data: &Bound<'_, PyAny>, work: impl WithRows<T>) -> PyResult<T> {
    if let Ok(arrays) = data.cast::<PyTuple>() {
        let (features, values) = (arrays.get_item(1)?, arrays.get_item(2)?);
        return match (is::<i32>(&features), is::<f32>(&values)) {
            (true, true) => csr::<i32, f32, T>(arrays, work),
            (true, false) => csr::<i32, f64, T>(arrays, work),
            (false, true) => csr::<i64, f32, T>(arrays, work),
            (false, false) => csr::<i64, f64, T>(arrays, work),
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
    work.call(&Matrix::new(values, rows, columns).map_err(wrong)?)
}

fn csr<I, X, T>(arrays: &Bound<'_, PyTuple>, work: impl WithRows<T>) -> PyResult<T>
where
    I: Element + Copy + Into<i64> + Sync,
    X: Element + Copy + Into<f64> + Sync,
{
    let (ends, features) = (read::<I>(&arrays.get_item(0)?)?, read::<I>(&arrays.get_item(1)?)?);
    let values = read::<X>(&arrays.get_item(2)?)?;
    let rows = Csr::new(slice(&ends)?, slice(&features)?, slice(&values)?).map_err(wrong)?;
    work.call(&rows.with_columns(arrays.get_item(3)?.extract()?))
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
