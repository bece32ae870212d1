//! What is done with a model besides learning: predictions, figures and explanations of files, and the features that it has chosen.

use std::path::PathBuf;
use std::sync::Arc;

use pyo3::prelude::*;
use thalweg::{Interrupt, OutputFile, Predictor, Scored, Selection};
use thalweg_data::Access;

use crate::errors::{raise, wrong};
use crate::inputs::inputs;
use crate::stream::{Found, Scores, Stream, config};
use crate::watcher::Watcher;

/// The predictor of a model for a run of its own.
fn predictor(stream: &Stream, settings: &str, watcher: &Watcher) -> PyResult<Predictor> {
    let model = Arc::clone(stream.predictor()?.model());
    let predictor = Predictor::new(model).configured(config(settings)?).map_err(raise)?;
    Ok(predictor.interrupted_by(watcher.interrupt()))
}

/// Scores files and other inputs.
#[pyfunction]
#[pyo3(signature = (stream, data, settings="{}", tell=None))]
fn predict_inputs<'py>(
    py: Python<'py>,
    stream: &Bound<'py, Stream>,
    data: &Bound<'py, PyAny>,
    settings: &str,
    tell: Option<Py<PyAny>>,
) -> PyResult<Scores<'py>> {
    let (stream, data, mut watcher) = (stream.get(), inputs(data)?, Watcher::new(tell));
    let found = py.detach(|| {
        let predictor = predictor(stream, settings, &watcher)?;
        let mut found = Found::default();
        let result = predictor.run(
            &data,
            &mut watcher,
            |_: &mut Scored<()>| {},
            |scored, _| {
                let seen = scored.seen(predictor.model());
                found.scores.extend_from_slice(&seen.outcomes.scores);
                found.classes.extend_from_slice(seen.predicted);
                found.probabilities.extend_from_slice(seen.probabilities);
                Ok(true)
            },
        );
        watcher.end()?;
        result.map_err(raise)?;
        Ok::<_, PyErr>(found)
    })?;
    Ok(found.into_arrays(py))
}

/// Measures a model on labelled data: a report as JSON.
#[pyfunction]
#[pyo3(signature = (stream, data, settings="{}", tell=None))]
fn evaluate(
    py: Python<'_>,
    stream: &Bound<'_, Stream>,
    data: &Bound<'_, PyAny>,
    settings: &str,
    tell: Option<Py<PyAny>>,
) -> PyResult<String> {
    let (stream, data, mut watcher) = (stream.get(), inputs(data)?, Watcher::new(tell));
    py.detach(|| {
        let report = predictor(stream, settings, &watcher)?.evaluate(&data, &mut watcher);
        watcher.end()?;
        serde_json::to_string(&report.map_err(raise)?).map_err(wrong)
    })
}

/// What the features of every example add to its score, as JSON.
#[pyfunction]
#[pyo3(signature = (stream, data, settings="{}", of_class=None))]
fn explain(
    py: Python<'_>,
    stream: &Bound<'_, Stream>,
    data: &Bound<'_, PyAny>,
    settings: &str,
    of_class: Option<&str>,
) -> PyResult<String> {
    let (stream, data, mut watcher) = (stream.get(), inputs(data)?, Watcher::new(None));
    py.detach(|| {
        let mut all = Vec::new();
        let predictor = predictor(stream, settings, &watcher)?;
        let result = predictor.explain(&data, of_class, &mut watcher, |some| {
            all.extend(some);
            Ok(())
        });
        watcher.end()?;
        result.map_err(raise)?;
        serde_json::to_string(&all).map_err(wrong)
    })
}

/// The best features of a model, at most so many, as JSON.
#[pyfunction]
fn select(py: Python<'_>, stream: &Bound<'_, Stream>, count: usize) -> PyResult<String> {
    let stream = stream.get();
    py.detach(|| {
        let selection = Selection::of(stream.predictor()?.model(), count);
        serde_json::to_string(&selection).map_err(wrong)
    })
}

/// Writes data with only the best features of a model: what was made of it, as JSON.
#[pyfunction]
fn reduce(
    py: Python<'_>,
    stream: &Bound<'_, Stream>,
    count: usize,
    data: &Bound<'_, PyAny>,
    path: PathBuf,
    settings: &str,
) -> PyResult<String> {
    let (stream, data, config) = (stream.get(), inputs(data)?, config(settings)?);
    py.detach(|| {
        let selection = Selection::of(stream.predictor()?.model(), count);
        let file = OutputFile::create(&path, Access::default())
            .map_err(|error| raise(thalweg::Error::from(error)))?;
        let reduced = selection.reduce(&data, &config, file, &Interrupt::default()).map_err(raise)?;
        serde_json::to_string(&reduced).map_err(wrong)
    })
}

pub(crate) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(predict_inputs, module)?)?;
    module.add_function(wrap_pyfunction!(evaluate, module)?)?;
    module.add_function(wrap_pyfunction!(explain, module)?)?;
    module.add_function(wrap_pyfunction!(select, module)?)?;
    module.add_function(wrap_pyfunction!(reduce, module)?)
}
