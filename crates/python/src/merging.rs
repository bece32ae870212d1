//! Models that merge, in Python.

use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyList};
use thalweg::{Config, Delta, Input, Model, Trainer};

use crate::errors::raise;
use crate::inputs::inputs;
use crate::stream::{Stream, config};

/// A stream that goes on with a model.
fn resumed(model: Model) -> PyResult<Stream> {
    Ok(Stream::of(Trainer::resume(model).map_err(raise)?))
}

/// What each of so many shards starts from.
pub(crate) fn shared(py: Python<'_>, base: &Stream, shards: u32) -> PyResult<Stream> {
    py.detach(|| resumed(base.model()?.shared(shards).map_err(raise)?))
}

/// The bytes of what was learned since a base, by one of so many shards.
pub(crate) fn delta<'py>(
    py: Python<'py>,
    stream: &Stream,
    base: &Stream,
    shards: u32,
) -> PyResult<Bound<'py, PyBytes>> {
    let bytes = py.detach(|| {
        let delta = stream.model()?.delta(&base.model()?, shards).map_err(raise)?;
        Ok::<_, PyErr>(delta.to_bytes())
    })?;
    Ok(PyBytes::new(py, &bytes))
}

/// The base with what a delta's bytes say that was learned.
pub(crate) fn apply(py: Python<'_>, base: &Stream, delta: &[u8]) -> PyResult<Stream> {
    py.detach(|| {
        let delta = Delta::from_bytes(delta).map_err(raise)?;
        resumed(Model::apply(&base.model()?, &delta).map_err(raise)?)
    })
}

/// What several models have learned that went on with the same base, or that began with nothing.
#[pyfunction]
#[pyo3(signature = (streams, base=None))]
fn merge(
    py: Python<'_>,
    streams: Vec<Bound<'_, Stream>>,
    base: Option<&Bound<'_, Stream>>,
) -> PyResult<Stream> {
    let streams: Vec<&Stream> = streams.iter().map(Bound::get).collect();
    let base = base.map(Bound::get);
    py.detach(|| {
        let models = streams.iter().map(|stream| stream.model()).collect::<PyResult<Vec<_>>>()?;
        let base = base.map(Stream::model).transpose()?;
        let models: Vec<&Model> = models.iter().collect();
        resumed(Model::merge(base.as_ref(), &models).map_err(raise)?)
    })
}

/// The sum of deltas, as bytes: neighbours in pairs, and their sums in pairs.
#[pyfunction]
fn merge_deltas(py: Python<'_>, deltas: Vec<Vec<u8>>) -> PyResult<Bound<'_, PyBytes>> {
    let bytes = py.detach(|| {
        let deltas = deltas.iter().map(|bytes| Delta::from_bytes(bytes));
        let deltas = deltas.collect::<thalweg::Result<Vec<_>>>().map_err(raise)?;
        Ok::<_, PyErr>(thalweg::merge_deltas(&deltas).map_err(raise)?.to_bytes())
    })?;
    Ok(PyBytes::new(py, &bytes))
}

/// Learns from shards side by side: for each a list with what it reads in every round.
#[pyfunction]
#[pyo3(signature = (settings, shards, base=None))]
fn train_shards(
    py: Python<'_>,
    settings: &str,
    shards: &Bound<'_, PyList>,
    base: Option<&Bound<'_, Stream>>,
) -> PyResult<Stream> {
    let config: Config = config(settings)?;
    let rounds = |shard: Bound<'_, PyAny>| {
        let rounds: PyResult<Vec<Vec<Input>>> =
            shard.cast::<PyList>()?.iter().map(|round| inputs(&round)).collect();
        rounds
    };
    let shards = shards.iter().map(rounds).collect::<PyResult<Vec<_>>>()?;
    let base = base.map(Bound::get);
    py.detach(|| {
        let base = base.map(Stream::model).transpose()?;
        resumed(thalweg::train_shards(&config, base, &shards).map_err(raise)?)
    })
}

pub(crate) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(merge, module)?)?;
    module.add_function(wrap_pyfunction!(merge_deltas, module)?)?;
    module.add_function(wrap_pyfunction!(train_shards, module)?)
}
