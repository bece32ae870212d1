//! A trainer that Python holds: it learns from arrays and dictionaries, and any number of threads score with it at once.
//!
//! Whoever waits for the lock, learns or scores has let go of Python's own lock, so nobody waits for somebody who waits for him.

use std::sync::{Arc, Mutex, RwLock, RwLockReadGuard, RwLockWriteGuard};

use numpy::{IntoPyArray, PyArray1, PyReadonlyArray1};
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use serde::Serialize;
use thalweg::{Config, Decision, Model, Predictions, Predictor, Trainer};
use thalweg_core::batch::{Rows, RowsError};
use thalweg_core::{BIAS, Batch};
use thalweg_data::FeatureNames;
use thalweg_data::stream::PassOrder;

use crate::errors::{ModelError, broken, raise, wrong};
use crate::features::Features;
use crate::merging;
use crate::rows::{no_examples, with_rows};
use crate::watcher::{Signals, Watcher};

/// So many rows become a batch: few enough to stay in the processor's cache between reading and learning.
const ROWS: usize = 256;

/// Scores (one for each example, or one for each class), the class of each example, and probabilities laid out as the scores, if the model has
/// them.
pub(crate) type Scores<'py> =
    (Bound<'py, PyArray1<f64>>, Bound<'py, PyArray1<u32>>, Option<Bound<'py, PyArray1<f64>>>);

/// Weights as arrays: features, classes, values.
type Weights<'py> = (Bound<'py, PyArray1<u32>>, Bound<'py, PyArray1<u32>>, Bound<'py, PyArray1<f64>>);

/// A model that learns.
#[pyclass(module = "thalweg._native", frozen)]
pub(crate) struct Stream {
    trainer: RwLock<Trainer>,
    /// What scores records: made when it is needed, until something is learned.
    predictor: Mutex<Option<Arc<Predictor>>>,
}

/// A configuration as JSON.
pub(crate) fn config(json: &str) -> PyResult<Config> {
    serde_json::from_str(json).map_err(|error| {
        let words = error.to_string();
        wrong(words.split(" at line ").next().unwrap_or(&words))
    })
}

/// What Python gets as JSON.
pub(crate) fn json(value: &impl Serialize) -> PyResult<String> {
    serde_json::to_string(value).map_err(wrong)
}

impl Stream {
    pub(crate) fn of(trainer: Trainer) -> Self {
        Self { trainer: RwLock::new(trainer), predictor: Mutex::default() }
    }

    pub(crate) fn read(&self) -> PyResult<RwLockReadGuard<'_, Trainer>> {
        self.trainer.read().map_err(|_| broken())
    }

    fn write(&self) -> PyResult<RwLockWriteGuard<'_, Trainer>> {
        self.trainer.write().map_err(|_| broken())
    }

    /// The trainer, for something that is learned.
    pub(crate) fn to_learn(&self) -> PyResult<RwLockWriteGuard<'_, Trainer>> {
        let trainer = self.write()?;
        *self.predictor.lock().map_err(|_| broken())? = None;
        Ok(trainer)
    }

    /// The trainer, for scores: learners that wait for a full batch make do with what they have.
    fn to_score(&self) -> PyResult<RwLockReadGuard<'_, Trainer>> {
        let trainer = self.read()?;
        if !trainer.is_unfinished() {
            return Ok(trainer);
        }
        drop(trainer);
        self.write()?.end_of_data().map_err(raise)?;
        self.read()
    }

    /// The model as it is now.
    pub(crate) fn model(&self) -> PyResult<Model> {
        self.write()?.model().map_err(raise)
    }

    /// What scores records with the model as it is now.
    pub(crate) fn predictor(&self) -> PyResult<Arc<Predictor>> {
        // In this order, as whoever learns takes the two.
        let mut trainer = self.write()?;
        let mut kept = self.predictor.lock().map_err(|_| broken())?;
        if let Some(predictor) = &*kept {
            return Ok(Arc::clone(predictor));
        }
        let predictor = Arc::new(Predictor::new(Arc::new(trainer.model().map_err(raise)?)));
        Ok(Arc::clone(kept.insert(predictor)))
    }

    fn score_all(&self, rows: &(dyn Rows + Sync)) -> PyResult<Found> {
        let mut trainer = self.to_score()?;
        let mut signals = Signals::default();
        let (mut batch, mut predictions, mut found) =
            (Batch::default(), Predictions::default(), Found::default());
        for start in (0..rows.len()).step_by(ROWS) {
            batch.clear();
            let end = (start + ROWS).min(rows.len());
            rows.push_rows(start..end, None, None, &mut batch).map_err(no_examples)?;
            trainer.score_batch(&batch, &mut predictions).map_err(raise)?;
            found.add(&predictions);
            trainer = signals.check_between(trainer, || self.to_score())?;
        }
        Ok(found)
    }

    /// What the model says of itself, as it is now.
    fn told<T: Send>(&self, py: Python<'_>, read: impl FnOnce(&Model) -> PyResult<T> + Send) -> PyResult<T> {
        py.detach(|| read(self.predictor()?.model()))
    }
}

#[pymethods]
impl Stream {
    /// A model that has learned nothing.
    #[new]
    fn new(settings: &str) -> PyResult<Self> {
        Ok(Self::of(Trainer::new(config(settings)?).map_err(raise)?))
    }

    /// The model of a file's bytes, to go on with.
    #[staticmethod]
    #[pyo3(signature = (bytes, settings="{}"))]
    fn from_bytes(py: Python<'_>, bytes: &[u8], settings: &str) -> PyResult<Self> {
        let config = config(settings)?;
        py.detach(|| {
            let model = Model::from_bytes(bytes).map_err(|error| ModelError::new_err(error.to_string()))?;
            Ok(Self::of(Trainer::resume_with(model, config).map_err(raise)?))
        })
    }

    /// The bytes of a model file.
    fn to_bytes<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        let bytes = py.detach(|| Ok::<_, PyErr>(self.model()?.to_bytes()))?;
        Ok(PyBytes::new(py, &bytes))
    }

    /// What each of so many shards starts from.
    fn shared(&self, py: Python<'_>, shards: u32) -> PyResult<Self> {
        merging::shared(py, self, shards)
    }

    /// The bytes of what was learned since a base, by one of so many shards.
    fn delta<'py>(
        &self,
        py: Python<'py>,
        base: &Bound<'py, Self>,
        shards: u32,
    ) -> PyResult<Bound<'py, PyBytes>> {
        merging::delta(py, self, base.get(), shards)
    }

    /// This model with what was learned since by others.
    fn apply(&self, py: Python<'_>, delta: &[u8]) -> PyResult<Self> {
        merging::apply(py, self, delta)
    }

    /// Writes a model file, which is replaced as a whole or not at all.
    fn save(&self, py: Python<'_>, path: std::path::PathBuf) -> PyResult<u64> {
        py.detach(|| self.model()?.save(path).map_err(raise))
    }

    /// Learns from rows, so many times, in random orders if there is a seed. Returns how many examples were learned from.
    #[pyo3(signature = (rows, classes, importances=None, passes=1, seed=None))]
    fn learn(
        &self,
        py: Python<'_>,
        rows: &Bound<'_, PyAny>,
        classes: PyReadonlyArray1<'_, u32>,
        importances: Option<PyReadonlyArray1<'_, f32>>,
        passes: u64,
        seed: Option<u64>,
    ) -> PyResult<()> {
        let classes = classes.as_slice()?;
        let importances = importances.as_ref().map(PyReadonlyArray1::as_slice).transpose()?;
        with_rows(rows, |rows: &(dyn Rows + Sync)| {
            let examples = Examples { rows, classes, importances };
            rows.fit(Some(classes), importances).map_err(wrong)?;
            py.detach(|| examples.learn(self, passes, seed))
        })
    }

    /// Scores rows.
    fn score<'py>(&self, py: Python<'py>, rows: &Bound<'py, PyAny>) -> PyResult<Scores<'py>> {
        let found = with_rows(rows, |rows: &(dyn Rows + Sync)| py.detach(|| self.score_all(rows)))?;
        Ok(found.into_arrays(py))
    }

    /// Every weight that is not zero: its feature, its class and its value. The bias is the feature 4294967295.
    fn weights<'py>(&self, py: Python<'py>) -> PyResult<Weights<'py>> {
        let weights = py.detach(|| Ok::<_, PyErr>(self.to_score()?.tracks()[0].learner().weights()))?;
        let features: Vec<u32> = weights.iter().map(|weight| weight.feature).collect();
        let classes: Vec<u32> = weights.iter().map(|weight| weight.class.unwrap_or(0)).collect();
        let values: Vec<f64> = weights.iter().map(|weight| weight.value).collect();
        Ok((features.into_pyarray(py), classes.into_pyarray(py), values.into_pyarray(py)))
    }

    /// The names of features.
    fn feature_names(&self, py: Python<'_>, features: Vec<u32>) -> PyResult<Vec<String>> {
        self.told(py, |model| {
            let name = |feature: &u32| {
                if *feature == BIAS { "bias".into() } else { model.feature_names().name(*feature) }
            };
            Ok(features.iter().map(name).collect())
        })
    }

    /// The variances of weights, if the learner has them.
    fn variances(
        &self,
        py: Python<'_>,
        features: Vec<u32>,
        classes: Option<Vec<u32>>,
    ) -> PyResult<Vec<Option<f64>>> {
        py.detach(|| {
            let trainer = self.to_score()?;
            let learner = trainer.tracks()[0].learner();
            let class = |i: usize| classes.as_ref().map(|classes| classes[i]);
            Ok(features.iter().enumerate().map(|(i, feature)| learner.variance(*feature, class(i))).collect())
        })
    }

    /// The labels of the classes.
    fn labels(&self, py: Python<'_>) -> PyResult<Vec<String>> {
        py.detach(|| Ok(self.read()?.labels().names().to_vec()))
    }

    /// Do features have names?
    fn has_names(&self, py: Python<'_>) -> PyResult<bool> {
        self.told(py, |model| Ok(!matches!(model.feature_names(), FeatureNames::Numbers)))
    }

    /// The readable part of the model file, as JSON.
    fn header(&self, py: Python<'_>) -> PyResult<String> {
        self.told(py, |model| json(&model.header()))
    }

    /// The configuration that the model was trained with, as JSON.
    fn config(&self, py: Python<'_>) -> PyResult<String> {
        self.told(py, |model| json(&model.config()))
    }

    /// What was achieved since the model was made or read, as JSON.
    fn report(&self, py: Python<'_>) -> PyResult<String> {
        py.detach(|| json(&self.read()?.report()))
    }

    /// The scores from here on that are positive, where there are two classes.
    fn threshold(&self, py: Python<'_>) -> PyResult<Option<f64>> {
        py.detach(|| {
            Ok(match self.to_score()?.decision() {
                Decision::Above(threshold) | Decision::AtLeast(threshold) => Some(threshold),
                Decision::Highest => None,
            })
        })
    }

    /// Goes through files and other inputs.
    #[pyo3(signature = (inputs, tell=None))]
    fn learn_inputs(
        &self,
        py: Python<'_>,
        inputs: &Bound<'_, PyAny>,
        tell: Option<Py<PyAny>>,
    ) -> PyResult<()> {
        let inputs = crate::inputs::inputs(inputs)?;
        let mut watcher = Watcher::new(tell);
        py.detach(|| {
            let mut trainer = self.to_learn()?;
            trainer.interrupt_by(watcher.interrupt());
            let result = trainer.run(&inputs, &mut watcher);
            drop(trainer);
            watcher.end()?;
            result.map_err(raise)
        })
    }

    /// An exception that says why nothing has been learned, if that is so.
    fn check_learned(&self, py: Python<'_>) -> PyResult<()> {
        py.detach(|| self.read()?.check_learned().map_err(raise))
    }

    /// The class of a label; a new label is a new class where there are many.
    fn class_of(&self, py: Python<'_>, label: &str) -> PyResult<u32> {
        py.detach(|| self.to_learn()?.class_of(label).map_err(raise))
    }

    /// Learns from one example whose features have names, and its class by its number.
    #[pyo3(signature = (features, number, importance=1.0))]
    fn learn_one(
        &self,
        py: Python<'_>,
        features: &Bound<'_, PyAny>,
        number: u32,
        importance: f32,
    ) -> PyResult<()> {
        Features::with(features, |features| {
            py.detach(|| {
                let mut trainer = self.to_learn()?;
                features.learn(&mut trainer, number, importance)
            })
        })
    }

    /// Scores one example whose features have names: its scores, its class and its probabilities, if the model has them.
    fn score_one(
        &self,
        py: Python<'_>,
        features: &Bound<'_, PyAny>,
    ) -> PyResult<(Vec<f64>, u32, Option<Vec<f64>>)> {
        Features::with(features, |features| {
            py.detach(|| {
                let trainer = self.to_score()?;
                let mut predictions = Predictions::default();
                features.score(&trainer, &mut predictions)?;
                let probabilities = predictions.probabilities(0).filter(|all| !all.is_empty());
                Ok((predictions.scores(0).to_vec(), predictions.class(0), probabilities.map(<[f64]>::to_vec)))
            })
        })
    }
}

/// Rows with their classes and importances.
struct Examples<'a> {
    rows: &'a (dyn Rows + Sync),
    classes: &'a [u32],
    importances: Option<&'a [f32]>,
}

impl Examples<'_> {
    fn learn(&self, stream: &Stream, passes: u64, seed: Option<u64>) -> PyResult<()> {
        let mut trainer = stream.to_learn()?;
        trainer.expect_features(self.rows.columns());
        let mut signals = Signals::default();
        let mut order = seed.map(|seed| PassOrder::new(self.rows.len(), Some(seed)));
        let mut batch = Batch::default();
        for pass in 0..passes {
            if pass > 0 {
                order.iter_mut().for_each(PassOrder::next_pass);
            }
            for start in (0..self.rows.len()).step_by(ROWS) {
                let end = (start + ROWS).min(self.rows.len());
                batch.clear();
                self.fill(&mut batch, start..end, order.as_ref()).map_err(no_examples)?;
                let learned =
                    if pass == 0 { trainer.learn_batch(&batch) } else { trainer.learn_batch_again(&batch) };
                learned.map_err(raise)?;
                trainer = signals.check_between(trainer, || stream.to_learn())?;
            }
            // A learner that waits for a full batch must not mix two passes.
            if pass + 1 < passes {
                trainer.end_of_data().map_err(raise)?;
            }
        }
        Ok(())
    }

    fn fill(
        &self,
        batch: &mut Batch,
        places: std::ops::Range<usize>,
        order: Option<&PassOrder>,
    ) -> Result<(), RowsError> {
        let Some(order) = order else {
            return self.rows.push_rows(places, Some(self.classes), self.importances, batch);
        };
        for &row in &order.rows()[places] {
            let importance = self.importances.map_or(1.0, |all| all[row]);
            self.rows.push_row(row, Some(self.classes[row]), importance, batch)?;
        }
        Ok(())
    }
}

/// What is said of examples.
#[derive(Default)]
pub(crate) struct Found {
    pub(crate) scores: Vec<f64>,
    pub(crate) classes: Vec<u32>,
    pub(crate) probabilities: Vec<f64>,
}

impl Found {
    pub(crate) fn into_arrays(self, py: Python<'_>) -> Scores<'_> {
        let probabilities = (!self.probabilities.is_empty()).then(|| self.probabilities.into_pyarray(py));
        (self.scores.into_pyarray(py), self.classes.into_pyarray(py), probabilities)
    }

    pub(crate) fn add(&mut self, predictions: &Predictions) {
        for i in 0..predictions.len() {
            self.scores.extend_from_slice(predictions.scores(i));
            self.classes.push(predictions.class(i));
            self.probabilities.extend_from_slice(predictions.probabilities(i).unwrap_or_default());
        }
    }
}
