//! Which features matter, and data with only these.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use thalweg_core::{BIAS, Batch, Weight};
use thalweg_data::{
    Dictionary, ExampleUse, FeatureNames, FeatureState, Format, Input, Interrupt, Labels, Naming, OutputFile,
    Reading, Settings, Writer, open,
};

use crate::config::Config;
use crate::error::{Error, Result};
use crate::model::Model;

/// A feature that a model has chosen.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ChosenFeature {
    /// Its name.
    pub feature: String,
    /// What it promised when it was chosen, or the magnitude of its weight.
    pub score: f64,
    /// Its weight; of many classes the strongest.
    pub weight: f64,
    /// The class that the weight speaks for, where there are many.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub class: Option<String>,
    /// Its number.
    #[serde(skip)]
    pub number: u32,
}

/// The features that a model has chosen, and how to read data so that they are found in it. That is enough to reduce other data to them.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(try_from = "StoredSelection")]
pub struct Selection {
    /// The learner that has chosen.
    pub learner: String,
    /// How records become features.
    #[serde(skip_serializing_if = "is_plain")]
    pub reading: Reading,
    /// The features, best first.
    pub features: Vec<ChosenFeature>,
    /// What they are called.
    #[serde(skip)]
    known: Arc<FeatureState>,
}

/// What a file says of a selection.
#[derive(Deserialize)]
struct StoredSelection {
    #[serde(default)]
    learner: String,
    #[serde(default)]
    reading: Reading,
    features: Vec<ChosenFeature>,
}

impl TryFrom<StoredSelection> for Selection {
    type Error = Error;

    fn try_from(stored: StoredSelection) -> Result<Self> {
        Self::new(stored.learner, stored.reading, stored.features)
    }
}

/// Features that are simply numbers need no explanation.
fn is_plain(reading: &Reading) -> bool {
    *reading == Reading { naming: Some(Naming::Numbers), ..Reading::default() }
}

/// What was made of the data.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Reduced {
    /// The examples that were written.
    pub examples: u64,
    /// Those that have none of the features.
    pub empty: u64,
}

impl Selection {
    /// The best features of a model, at most so many. The constant is not one of them.
    pub fn of(model: &Model, count: usize) -> Self {
        let mut reading = model.examples().reading_of_model();
        reading.max_features = None;
        let FeatureState { names, .. } = model.features().as_ref();
        let known = Arc::new(FeatureState { names: names.clone(), ..FeatureState::default() });
        Self { learner: model.learner().spec(), reading, features: choose(model, count), known }
    }

    /// Features that are known by their names. If it is not said how features are numbered, they are numbers where all names are.
    pub fn new(learner: String, mut reading: Reading, mut features: Vec<ChosenFeature>) -> Result<Self> {
        let numbers = features.iter().all(|chosen| chosen.feature.parse::<u32>().is_ok());
        let naming = *reading.naming.get_or_insert(if numbers { Naming::Numbers } else { Naming::Names });
        let Some(mut names) = FeatureNames::new(naming) else {
            return Err(Error::NotAFeature {
                name: format!("{naming:?}"),
                must: "a number of bits that a hash can have",
            });
        };
        for ChosenFeature { feature, number, .. } in &mut features {
            let wrong = |must| Error::NotAFeature { name: feature.clone(), must };
            *number = match &mut names {
                FeatureNames::Numbers => feature.parse().map_err(|_| wrong("the number of a feature"))?,
                FeatureNames::Names(vocabulary) => vocabulary.number(feature.as_bytes()),
                FeatureNames::Hashed(_) => {
                    let hash = feature.strip_prefix('#').and_then(|number| number.parse().ok());
                    hash.ok_or_else(|| wrong("the hash of a feature, such as #7"))?
                }
            };
        }
        let known = Arc::new(FeatureState { names, ..FeatureState::default() });
        Ok(Self { learner, reading, features, known })
    }

    /// Are its features simply numbers, and read as every format has them?
    pub fn is_plain(&self) -> bool {
        is_plain(&self.reading)
    }

    /// Only the best so many.
    #[must_use]
    pub fn first(mut self, count: usize) -> Self {
        self.features.truncate(count);
        self
    }

    /// Writes data with only these features. Values and labels stay as they are. An interrupt ends the data, and the file does not appear.
    pub fn reduce(
        &self,
        inputs: &[Input],
        config: &Config,
        file: OutputFile,
        interrupt: &Interrupt,
    ) -> Result<Reduced> {
        let mut reading = self.reading.clone();
        config.adjust(&mut reading);
        let settings = Settings {
            reading,
            feature_state: Arc::clone(&self.known),
            used_for: ExampleUse::Scoring,
            labels: Labels::many().at_most(usize::MAX),
            unlabelled: true,
            interrupt: interrupt.clone(),
            ..config.input_settings()
        };
        let mut reader = open(inputs, settings)?;
        let format = Format::of_name(file.name()).unwrap_or_default();
        let wanted: BTreeSet<u32> = self.features.iter().map(|chosen| chosen.number).collect();
        let mut writer = Writer::new(file, format, reader.names(), Some(wanted.clone()))?;
        let (mut batch, mut reduced) = (Batch::default(), Reduced::default());
        while reader.read(&mut batch)? {
            writer.write(&batch, Dictionary { labels: reader.labels(), names: reader.names() })?;
            let is_empty = |i: &usize| !batch.row(*i).indices.iter().any(|feature| wanted.contains(feature));
            reduced.examples += batch.len() as u64;
            reduced.empty += (0..batch.len()).filter(is_empty).count() as u64;
        }
        if !interrupt.has_come() {
            writer.finish()?;
        }
        Ok(reduced)
    }
}

fn choose(model: &Model, count: usize) -> Vec<ChosenFeature> {
    let (learner, labels, names) = (model.learner(), model.labels(), model.feature_names());
    let mut strongest: BTreeMap<u32, Weight> = BTreeMap::new();
    for weight in learner.weights() {
        let held = strongest.entry(weight.feature).or_insert(weight);
        if weight.value.abs() > held.value.abs() {
            *held = weight;
        }
    }
    // With many classes a feature may be chosen for several.
    let mut seen = BTreeSet::from([BIAS]);
    let once = learner.chosen().into_iter().filter(|chosen| seen.insert(chosen.feature));
    let describe = |chosen: thalweg_core::learner::Chosen| {
        let weight = strongest.get(&chosen.feature);
        ChosenFeature {
            feature: names.name(chosen.feature),
            score: chosen.score,
            weight: weight.map_or(0.0, |weight| weight.value),
            class: weight.and_then(|weight| Some(labels.name(weight.class?).to_string())),
            number: chosen.feature,
        }
    };
    once.take(count).map(describe).collect()
}
