//! The Python package of Thalweg: what is fast is here, what scikit-learn and river expect is in `python/thalweg`.

// What Python hands over to a function is its own.
#![allow(clippy::needless_pass_by_value)]

mod errors;
mod experiments;
mod features;
mod inputs;
mod merging;
mod models;
mod registry;
mod row_scorer;
mod rows;
mod stream;
mod tables;
mod watcher;

use pyo3::prelude::*;

/// The part of the package that is compiled. Use `thalweg` instead.
#[pymodule(gil_used = false)]
fn _native(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add("__version__", env!("CARGO_PKG_VERSION"))?;
    module.add("DEFAULT_LEARNER", thalweg::DEFAULT_LEARNER)?;
    module.add("CONFIG_FIELDS", thalweg::Config::FIELDS.to_vec())?;
    module.add("CONFIG_DOCS", thalweg::Config::DOCS.to_vec())?;
    module.add_class::<stream::Stream>()?;
    module.add_class::<row_scorer::RowScorer>()?;
    module.add_function(wrap_pyfunction!(registry::learners, module)?)?;
    module.add_function(wrap_pyfunction!(tables::numbers, module)?)?;
    module.add_function(wrap_pyfunction!(inputs::too_many_bad, module)?)?;
    merging::register(module)?;
    models::register(module)?;
    experiments::register(module)?;
    errors::register(module)
}
