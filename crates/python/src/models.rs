//! What is done with a model besides learning: predictions, figures and explanations of files, and the features that it has chosen.

use std::path::PathBuf;
use std::sync::Arc;

use pyo3::prelude::*;
use thalweg::{Input, Interrupt, OutputFile, Predictor, Scored, Selection};
use thalweg_data::Access;

use crate::errors::raise;
use crate::inputs::inputs;
use crate::stream::{Found, Scores, Stream, config, json};
use crate::watcher::Watcher;

/// Goes through data with the model as it is now, until Python wants the run to end.
fn go_through<T: Send>(
    py: Python<'_>,
    stream: &Bound<'_, Stream>,
    data: &Bound<'_, PyAny>,
    settings: &str,
    tell: Option<Py<PyAny>>,
    work: impl FnOnce(&Predictor, &[Input], &mut Watcher) -> Result<T, thalweg::Error> + Send,
) -> PyResult<T> {
    let (stream, data, mut watcher) = (stream.get(), inputs(data)?, Watcher::new(tell));
    py.detach(|| {
        let model = Arc::clone(stream.predictor()?.model());
        let predictor = Predictor::new(model).configured(config(settings)?).map_err(raise)?;
        let result = work(&predictor.interrupted_by(watcher.interrupt()), &data, &mut watcher);
        watcher.end()?;
        result.map_err(raise)
    })
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
    let found = go_through(py, stream, data, settings, tell, |predictor, data, watcher| {
        let mut found = Found::default();
        let keep = |scored: &Scored<()>, _: &mut Watcher| {
            let seen = scored.seen(predictor.model());
            found.scores.extend_from_slice(&seen.outcomes.scores);
            found.classes.extend_from_slice(seen.predicted);
            found.probabilities.extend_from_slice(seen.probabilities);
            Ok(true)
        };
        predictor.run(data, watcher, |_: &mut Scored<()>| {}, keep).map(|_| found)
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
    let evaluate =
        |predictor: &Predictor, data: &[Input], watcher: &mut Watcher| predictor.evaluate(data, watcher);
    json(&go_through(py, stream, data, settings, tell, evaluate)?)
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
    let all = go_through(py, stream, data, settings, None, |predictor, data, watcher| {
        let mut all = Vec::new();
        let keep = |some| {
            all.extend(some);
            Ok(())
        };
        predictor.explain(data, of_class, watcher, keep).map(|_| all)
    })?;
    json(&all)
}

/// The best features of a model, at most so many, as JSON.
#[pyfunction]
fn select(py: Python<'_>, stream: &Bound<'_, Stream>, count: usize) -> PyResult<String> {
    let stream = stream.get();
    py.detach(|| json(&Selection::of(stream.predictor()?.model(), count)))
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
        json(&reduced)
    })
}

pub(crate) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(predict_inputs, module)?)?;
    module.add_function(wrap_pyfunction!(evaluate, module)?)?;
    module.add_function(wrap_pyfunction!(explain, module)?)?;
    module.add_function(wrap_pyfunction!(select, module)?)?;
    module.add_function(wrap_pyfunction!(reduce, module)?)
}
