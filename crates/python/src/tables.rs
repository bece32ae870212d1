//! Numeric columns of a table as a matrix.

use arrow_array::types::{
    ArrowPrimitiveType, Float32Type, Float64Type, Int8Type, Int16Type, Int32Type, Int64Type, UInt8Type,
    UInt16Type, UInt32Type, UInt64Type,
};
use arrow_array::{Array, BooleanArray, PrimitiveArray, RecordBatchReader};
use arrow_schema::DataType;
use numpy::{IntoPyArray, PyArray2, PyArrayMethods};
use pyo3::prelude::*;

use crate::errors::wrong;
use crate::inputs::stream;

/// A table with numeric columns as a matrix of float64 and the names of its columns. A missing value is NaN.
#[pyfunction]
pub(crate) fn numbers<'py>(
    py: Python<'py>,
    table: &Bound<'py, PyAny>,
) -> PyResult<(Bound<'py, PyArray2<f64>>, Vec<String>)> {
    let reader = stream(table)?;
    let names: Vec<String> = reader.schema().fields().iter().map(|field| field.name().clone()).collect();
    let width = names.len();
    let values = py.detach(|| {
        let mut values = Vec::new();
        for batch in reader {
            let batch = batch.map_err(wrong)?;
            let start = values.len();
            values.resize(start + batch.num_rows() * width, f64::NAN);
            for (place, (column, name)) in batch.columns().iter().zip(&names).enumerate() {
                fill(column.as_ref(), name, values[start..].iter_mut().skip(place).step_by(width))?;
            }
        }
        Ok::<_, PyErr>(values)
    })?;
    let rows = values.len().checked_div(width).unwrap_or(0);
    Ok((values.into_pyarray(py).reshape([rows, width])?, names))
}

fn fill<'a>(column: &dyn Array, name: &str, out: impl Iterator<Item = &'a mut f64>) -> PyResult<()> {
    match column.data_type() {
        DataType::Float64 => copy::<Float64Type>(column, out, |x| x),
        DataType::Float32 => copy::<Float32Type>(column, out, f64::from),
        DataType::Int8 => copy::<Int8Type>(column, out, f64::from),
        DataType::Int16 => copy::<Int16Type>(column, out, f64::from),
        DataType::Int32 => copy::<Int32Type>(column, out, f64::from),
        DataType::Int64 => copy::<Int64Type>(column, out, |x| x as f64),
        DataType::UInt8 => copy::<UInt8Type>(column, out, f64::from),
        DataType::UInt16 => copy::<UInt16Type>(column, out, f64::from),
        DataType::UInt32 => copy::<UInt32Type>(column, out, f64::from),
        DataType::UInt64 => copy::<UInt64Type>(column, out, |x| x as f64),
        DataType::Boolean => {
            if let Some(column) = column.as_any().downcast_ref::<BooleanArray>() {
                let value = |x: Option<bool>| x.map_or(f64::NAN, |x| f64::from(u8::from(x)));
                out.zip(column).for_each(|(home, x)| *home = value(x));
            }
        }
        other => {
            return Err(wrong(format!(
                "column \"{name}\" is of type {other} and no number: `learn_file` reads texts, dates and codes (`text`, `date`, `category`)"
            )));
        }
    }
    Ok(())
}

fn copy<'a, T: ArrowPrimitiveType>(
    column: &dyn Array,
    out: impl Iterator<Item = &'a mut f64>,
    number: impl Fn(T::Native) -> f64,
) {
    if let Some(column) = column.as_any().downcast_ref::<PrimitiveArray<T>>() {
        out.zip(column).for_each(|(home, value)| *home = value.map_or(f64::NAN, &number));
    }
}
