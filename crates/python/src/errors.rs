//! Errors of the library as exceptions of Python's kinds, with the library's words.

use pyo3::exceptions::{PyFileNotFoundError, PyMemoryError, PyOSError, PyPermissionError, PyRuntimeError};
use pyo3::prelude::*;
use pyo3::{PyErr, create_exception, exceptions::PyValueError};

create_exception!(
    thalweg,
    DataError,
    PyValueError,
    "Data could not be read: which file, which line, what is wrong and what would be right."
);
create_exception!(thalweg, ModelError, PyValueError, "A file is not a usable model.");

/// The exception for an error of the library.
pub(crate) fn raise(error: impl Into<thalweg::Error>) -> PyErr {
    let error = error.into();
    let words = error.to_string();
    match &error {
        thalweg::Error::Data(thalweg_data::Error::Io { cause, .. }) => match cause.kind() {
            std::io::ErrorKind::NotFound => PyFileNotFoundError::new_err(words),
            std::io::ErrorKind::PermissionDenied => PyPermissionError::new_err(words),
            _ => PyOSError::new_err(words),
        },
        thalweg::Error::Data(_) => DataError::new_err(words),
        thalweg::Error::Model { .. } | thalweg::Error::Unreadable { .. } => ModelError::new_err(words),
        thalweg::Error::TooLarge(_) => PyMemoryError::new_err(words),
        _ => PyValueError::new_err(words),
    }
}

/// The exception for whatever else has words.
pub(crate) fn wrong(error: impl std::fmt::Display) -> PyErr {
    PyValueError::new_err(error.to_string())
}

/// Something that only a defect can lead to.
pub(crate) fn broken() -> PyErr {
    PyRuntimeError::new_err("an earlier call failed half-way, so the model cannot be used any more")
}

pub(crate) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add("DataError", module.py().get_type::<DataError>())?;
    module.add("ModelError", module.py().get_type::<ModelError>())
}
