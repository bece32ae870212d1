//! Examples as dictionaries, the way river has them: names of features, and their values.

use std::cell::RefCell;

use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyDict, PyFloat, PyString};
use thalweg::{Predictions, Trainer};
use thalweg_core::{Batch, Real};

use crate::errors::{raise, wrong};

/// The features of one example: their names one after the other, where each name ends, and their values.
#[derive(Default)]
pub(crate) struct Features {
    names: Vec<u8>,
    ends: Vec<usize>,
    values: Vec<f64>,
    /// The numbers of names, where the value is not zero and the name is known.
    numbers: Vec<Option<u32>>,
    batch: Batch,
}

thread_local! {
    /// Memory that is used again.
    static KEPT: RefCell<Features> = RefCell::default();
}

fn not_a_dictionary(found: &Bound<'_, PyAny>) -> PyErr {
    let kind = found.get_type();
    PyTypeError::new_err(format!("the features of an example must be a dictionary, got {kind}"))
}

/// The exception for a value that cannot be read. What reading it has raised is passed on, unless it only says that there is no number.
fn not_a_value(name: &Bound<'_, PyAny>, value: &Bound<'_, PyAny>, cause: PyErr) -> PyErr {
    if !cause.is_instance_of::<PyTypeError>(value.py()) {
        return cause;
    }
    let kind = value.get_type();
    PyTypeError::new_err(format!("feature {name}: must be a number or a string, got {kind}"))
}

impl Features {
    /// Reads a dictionary and does something with it.
    pub(crate) fn with<T>(
        dictionary: &Bound<'_, PyAny>,
        work: impl FnOnce(&mut Self) -> PyResult<T>,
    ) -> PyResult<T> {
        let dictionary = dictionary.cast::<PyDict>().map_err(|_| not_a_dictionary(dictionary))?;
        // Taken out, since a destructor or a signal handler may score something else meanwhile.
        let mut features = KEPT.take();
        features.names.clear();
        features.ends.clear();
        features.values.clear();
        // A copy, since keys and values may run code when they are read, and other threads may change the dictionary.
        let result =
            dictionary.copy().and_then(|copy| features.read(&copy)).and_then(|()| work(&mut features));
        KEPT.set(features);
        result
    }

    /// Numbers are values. A word is a feature of its own, `name=word`, with the value 1; nothing is the lack of the feature.
    fn read(&mut self, dictionary: &Bound<'_, PyDict>) -> PyResult<()> {
        for (name, value) in dictionary.iter() {
            match name.cast::<PyString>() {
                Ok(name) => self.names.extend_from_slice(name.to_str()?.as_bytes()),
                Err(_) => self.names.extend_from_slice(name.str()?.to_str()?.as_bytes()),
            }
            let value = if let Ok(number) = value.cast::<PyFloat>() {
                number.value()
            } else if let Ok(word) = value.cast::<PyString>() {
                self.names.push(b'=');
                self.names.extend_from_slice(word.to_str()?.as_bytes());
                1.0
            } else if let Ok(truth) = value.cast::<PyBool>() {
                f64::from(u8::from(truth.is_true()))
            } else if value.is_none() {
                0.0
            } else {
                value.extract().map_err(|cause| not_a_value(&name, &value, cause))?
            };
            if !(value as Real).is_finite() {
                return Err(wrong(format!("feature {name}: must be a finite number, got {value:?}")));
            }
            self.ends.push(self.names.len());
            self.values.push(value);
        }
        Ok(())
    }

    /// The names of its features that are not zero, with their places.
    fn used(&self) -> impl Iterator<Item = (usize, &[u8])> {
        let starts = std::iter::once(0).chain(self.ends.iter().copied());
        let names = starts.zip(&self.ends).map(|(start, end)| &self.names[start..*end]);
        names.enumerate().filter(|(place, _)| self.values[*place] != 0.0)
    }

    /// Finds the numbers of the names that are known.
    fn look_up(&mut self, trainer: &Trainer) {
        let mut numbers = std::mem::take(&mut self.numbers);
        numbers.clear();
        numbers.resize(self.values.len(), None);
        self.used().for_each(|(place, name)| numbers[place] = trainer.known_feature(name));
        self.numbers = numbers;
    }

    /// Numbers the names that are new, by the alphabet: the order of a dictionary must not matter, and sums depend on the order of numbers.
    fn number_new(&mut self, trainer: &mut Trainer) -> PyResult<()> {
        let mut new: Vec<_> = self.used().filter(|(place, _)| self.numbers[*place].is_none()).collect();
        new.sort_unstable_by_key(|(_, name)| *name);
        let numbered: PyResult<Vec<_>> = new
            .into_iter()
            .map(|(place, name)| Ok((place, trainer.feature_number(name).map_err(raise)?)))
            .collect();
        numbered?.into_iter().for_each(|(place, number)| self.numbers[place] = Some(number));
        Ok(())
    }

    /// Makes an example of the features that have numbers.
    fn fill(&mut self) -> PyResult<()> {
        self.batch.clear();
        let mut builder = self.batch.row_builder();
        for (number, value) in self.numbers.iter().zip(&self.values) {
            if let Some(feature) = number {
                builder.feature(*feature, *value as Real);
            }
        }
        builder.commit(None, 1.0).map(|_| ()).map_err(wrong)
    }

    /// Learns from it.
    pub(crate) fn learn(&mut self, trainer: &mut Trainer, class: u32, importance: f32) -> PyResult<()> {
        if !(importance.is_finite() && importance >= 0.0) {
            return Err(wrong(format!("a weight must be a finite number of at least 0, got {importance}")));
        }
        self.look_up(trainer);
        self.number_new(trainer)?;
        self.fill()?;
        self.batch.set_labels(|_| Some(class));
        self.batch.weigh(|_| f64::from(importance));
        trainer.learn_named(&self.batch).map_err(raise)
    }

    /// Scores it. A feature that is not known says nothing.
    pub(crate) fn score(&mut self, trainer: &Trainer, out: &mut Predictions) -> PyResult<()> {
        self.look_up(trainer);
        self.fill()?;
        trainer.score_named(&self.batch, out);
        Ok(())
    }
}
