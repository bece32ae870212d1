//! Scores tables batch after batch with a model that is made ready once.

use std::sync::Arc;

use arrow_array::ffi_stream::RecordBatchStreamReader;
use pyo3::prelude::*;
use thalweg::{Predictions, Predictor};

use crate::errors::{raise, wrong};
use crate::inputs::stream;
use crate::stream::{Found, Scores, Stream, config};

/// A model as it was when this was made. Any number of threads may score with it at once.
#[pyclass(module = "thalweg._native", frozen)]
pub(crate) struct RowScorer(Predictor);

/// What is said of the rows that could be read, and of every other row its number and what is wrong with it.
type ScoredRows<'py> = (Scores<'py>, Vec<(u64, String)>);

#[pymethods]
impl RowScorer {
    /// Settings are those of how rows are read.
    #[new]
    #[pyo3(signature = (stream, settings="{}"))]
    fn new(py: Python<'_>, stream: &Bound<'_, Stream>, settings: &str) -> PyResult<Self> {
        let (stream, config) = (stream.get(), config(settings)?);
        py.detach(|| {
            let predictor = Predictor::new(Arc::clone(stream.predictor()?.model()));
            Ok(Self(predictor.configured(config).map_err(raise)?))
        })
    }

    /// Scores the rows of a table; rows are counted from 0.
    fn score<'py>(&self, py: Python<'py>, table: &Bound<'py, PyAny>) -> PyResult<ScoredRows<'py>> {
        let reader = stream(table)?;
        let (found, bad) = py.detach(|| self.score_all(reader))?;
        Ok((found.into_arrays(py), bad))
    }
}

impl RowScorer {
    fn score_all(&self, reader: RecordBatchStreamReader) -> PyResult<(Found, Vec<(u64, String)>)> {
        let (mut found, mut bad, mut before) = (Found::default(), Vec::new(), 0);
        let mut predictions = Predictions::default();
        for batch in reader {
            let batch = batch.map_err(wrong)?;
            let rows = batch.num_rows() as u64;
            self.0.score_rows(batch, &mut predictions).map_err(raise)?;
            found.add(&predictions);
            let lines = predictions.bad_lines().iter();
            bad.extend(lines.map(|bad| (before + bad.place.line - 1, bad.message.clone())));
            before += rows;
        }
        Ok((found, bad))
    }
}
