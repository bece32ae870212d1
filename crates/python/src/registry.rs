//! What the registry says of every learner.

use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};
use thalweg::learners::{Entry, Forgets, LEARNERS};

/// All learners with their knobs.
#[pyfunction]
pub(crate) fn learners(py: Python<'_>) -> PyResult<Bound<'_, PyList>> {
    let all: PyResult<Vec<_>> = LEARNERS.iter().map(|entry| described(py, entry)).collect();
    PyList::new(py, all?)
}

fn described<'py>(py: Python<'py>, entry: &Entry) -> PyResult<Bound<'py, PyDict>> {
    let learner = PyDict::new(py);
    learner.set_item("name", entry.name)?;
    learner.set_item("family", entry.family.title())?;
    learner.set_item("paper", entry.paper)?;
    learner.set_item("when", entry.when)?;
    learner.set_item("doc", entry.doc)?;
    learner.set_item("costs", entry.costs.describe())?;
    learner.set_item("forgets", entry.forgets == Forgets::OnRequest)?;
    learner.set_item("takes_costs", !matches!(entry.costs, thalweg_core::cost::CostUse::Refused(_)))?;
    let knobs = PyList::empty(py);
    for knob in (entry.knobs)() {
        knobs.append((knob.name, knob.kind, knob.default, knob.doc.trim()))?;
    }
    learner.set_item("knobs", knobs)?;
    Ok(learner)
}
