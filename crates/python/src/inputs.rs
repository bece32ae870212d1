//! What is read by the pipeline of the library: files, bytes, and tables of other libraries.

use std::path::PathBuf;

use arrow_array::ffi_stream::{FFI_ArrowArrayStream, RecordBatchStreamReader};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyCapsule, PyList, PyString};
use thalweg::{BadLineLimit, Input};

use crate::errors::wrong;

/// What is in a list: paths, `(name, bytes)`, objects with the Arrow stream interface, or `(name, object)` of these.
pub(crate) fn inputs(list: &Bound<'_, PyAny>) -> PyResult<Vec<Input>> {
    list.cast::<PyList>()?.iter().map(|item| input(&item)).collect()
}

fn input(item: &Bound<'_, PyAny>) -> PyResult<Input> {
    if let Ok(name) = item.cast::<PyString>() {
        return Ok(Input::from(name.to_str()?));
    }
    if let Ok((name, bytes)) = item.extract::<(String, Bound<'_, PyBytes>)>() {
        return Ok(Input::bytes(name, bytes.as_bytes().to_vec()));
    }
    // Batch after batch, when they are needed: a table may be larger than memory, or not be there yet.
    if item.hasattr("__arrow_c_stream__")? {
        return Ok(Input::rows("table", stream(item)?));
    }
    if let Ok((name, table)) = item.extract::<(String, Bound<'_, PyAny>)>()
        && table.hasattr("__arrow_c_stream__")?
    {
        return Ok(Input::rows(name, stream(&table)?));
    }
    if let Ok(path) = item.extract::<PathBuf>() {
        return Ok(Input::File(path));
    }
    let kind = item.get_type().name()?;
    Err(PyTypeError::new_err(format!(
        "data must be a path, bytes, or a table with the Arrow stream interface, got {kind}"
    )))
}

/// Are so many bad rows of so many more than a limit, `100` or `1%`, allows?
#[pyfunction]
pub(crate) fn too_many_bad(limit: &str, bad: u64, rows: u64, at_end: bool) -> PyResult<bool> {
    let limit: BadLineLimit =
        limit.parse().map_err(|must| wrong(format!("`max_bad` {must}, got \"{limit}\"")))?;
    Ok(limit.is_exceeded(bad, rows, at_end))
}

/// The stream behind the capsule of an object with the Arrow stream interface.
#[allow(unsafe_code)]
pub(crate) fn stream(object: &Bound<'_, PyAny>) -> PyResult<RecordBatchStreamReader> {
    let capsule = object.call_method0("__arrow_c_stream__")?;
    let capsule = capsule.cast::<PyCapsule>()?;
    let pointer = capsule.pointer_checked(Some(c"arrow_array_stream"))?;
    // SAFETY: the name of the capsule promises a stream of the Arrow C interface, which nobody else reads as long as we hold the capsule. Its
    // content is moved out, and what is left says that it was released, as the interface wants it.
    let moved = unsafe { FFI_ArrowArrayStream::from_raw(pointer.cast().as_ptr()) };
    RecordBatchStreamReader::try_new(moved).map_err(wrong)
}
