//! A model: a learner with all that is needed to score data with it, or to go on learning. On disk it is never half-written and never half-read.

use std::fs;
use std::io::Write;
use std::path::Path;
use std::sync::{Arc, OnceLock};

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};
use thalweg_core::learner::StateError;
use thalweg_core::model::{Header, ModelError, ModelFile};
use thalweg_core::{Learner, Task};
use thalweg_data::{
    Access, FeatureNames, FeatureState, Labels, Naming, Norm, OutputFile, Prepare, Reading, Scale,
};

use crate::config::{Config, Multiclass};
use crate::decision::Decision;
use crate::error::{ConfigError, Error, Result};
use crate::report::{self, CostOfClass, RaceReport};
use crate::score_use::{ScoreUse, checked_threshold};
use crate::threshold::{Target, TargetStatus, ThresholdTuner};

/// A learner with the labels, the names and scales of features, and how its data is read.
pub struct Model {
    learner: Box<dyn Learner>,
    labels: Labels,
    features: Arc<FeatureState>,
    examples: ExampleConfig,
    score_use: ScoreUse,
    decision: Decision,
    /// Of its bytes, once somebody has asked: they take long to make.
    checksum: OnceLock<u32>,
}

/// How records become examples: what a model remembers of its configuration, besides learner, task and costs.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub(crate) struct ExampleConfig {
    /// How examples are prepared.
    #[serde(flatten)]
    pub(crate) prepare: Prepare,
    /// Is every label but the positive one negative?
    pub(crate) rest: bool,
    /// How records become features.
    #[serde(skip_serializing_if = "is_default")]
    pub(crate) reading: Reading,
}

fn is_default(reading: &Reading) -> bool {
    *reading == Reading::default()
}

impl ExampleConfig {
    /// Reads what a model keeps. An unknown field is an error: without it, data would be read in another way than the model learned it.
    pub(crate) fn read(mut fields: Map<String, Value>) -> Result<Self, ModelError> {
        let rest = fields.remove("rest").map_or(Ok(false), part)?;
        let reading = fields.remove("reading").map_or_else(|| Ok(Reading::default()), part)?;
        Ok(Self { prepare: part(fields.into())?, rest, reading })
    }

    pub(crate) fn write(&self) -> Map<String, Value> {
        match serde_json::to_value(self) {
            Ok(Value::Object(fields)) => fields,
            _ => Map::new(),
        }
    }

    /// That of two models that have read examples alike, unless one of them has read none; if not, what differs.
    pub(crate) fn joined(&self, other: &Self) -> Result<Self, String> {
        let (mut ours, mut theirs) = (self.clone(), other.clone());
        for (to, from) in [(&mut ours, other), (&mut theirs, self)] {
            let (to, from) = (&mut to.reading, &from.reading);
            to.naming = to.naming.or(from.naming);
            to.table = to.table.take().or_else(|| from.table.clone());
            to.delimiter = to.delimiter.or(from.delimiter);
        }
        if ours == theirs {
            return Ok(ours);
        }
        let (ours, theirs) = (ours.flat(), theirs.flat());
        let differs = |name: &&String| ours.get(*name) != theirs.get(*name);
        let name = ours.keys().chain(theirs.keys()).find(differs).map_or("rest", String::as_str);
        let is_hashed = [self, other].map(|config| matches!(config.reading.naming, Some(Naming::Hashed(_))));
        Err(setting_of(name, is_hashed.contains(&true)).to_string())
    }

    /// All fields by name.
    fn flat(&self) -> Map<String, Value> {
        let mut fields = self.write();
        if let Some(Value::Object(reading)) = fields.remove("reading") {
            fields.extend(reading);
        }
        fields
    }

    /// How a model's data is read once it has learned: features that it knows by numbers are numbers in every format.
    pub(crate) fn reading_of_model(&self) -> Reading {
        let mut reading = self.reading.clone();
        reading.naming.get_or_insert(Naming::Numbers);
        reading
    }
}

/// The setting that a part of a model's options follows from.
fn setting_of(option: &str, is_hashed: bool) -> &str {
    match option {
        "rest" => "positive",
        "naming" if is_hashed => "hash_bits",
        "naming" => "names",
        "headless" => "no_header",
        "label" => "label_col",
        "weight" => "importance_col",
        "cost" => "cost_col",
        "id" => "id_col",
        "words" => "ngrams",
        "characters" => "chars",
        "values" => "text_values",
        same => same,
    }
}

/// A part of what a model keeps in readable form.
fn part<T: DeserializeOwned>(value: Value) -> Result<T, ModelError> {
    serde_json::from_value(value).map_err(|cause| ModelError::Options(cause.to_string()))
}

/// Under this name a model keeps what is made of scores.
const SCORE_USE: &str = "score_use";

impl Model {
    pub(crate) fn new(
        learner: Box<dyn Learner>,
        labels: Labels,
        features: Arc<FeatureState>,
        examples: ExampleConfig,
        score_use: ScoreUse,
    ) -> Self {
        Self {
            decision: score_use.decision(learner.as_ref()),
            learner,
            labels,
            features,
            examples,
            score_use,
            checksum: OnceLock::new(),
        }
    }

    /// The checksum of its bytes.
    pub(crate) fn checksum(&self) -> u32 {
        let of_bytes = || self.to_bytes().last_chunk().map_or(0, |checksum| u32::from_le_bytes(*checksum));
        *self.checksum.get_or_init(of_bytes)
    }

    /// The same model with another learner of the kind.
    pub(crate) fn with_learner(&self, learner: Box<dyn Learner>) -> Self {
        let (labels, features) = (self.labels.clone(), Arc::clone(&self.features));
        Self::new(learner, labels, features, self.examples.clone(), self.score_use.clone())
    }

    pub(crate) fn into_parts(self) -> (Box<dyn Learner>, Labels, Arc<FeatureState>, ExampleConfig, ScoreUse) {
        (self.learner, self.labels, self.features, self.examples, self.score_use)
    }

    /// Reads a model file.
    pub fn load(path: impl AsRef<Path>) -> Result<Self> {
        let path = path.as_ref();
        let file = || path.display().to_string();
        let bytes = fs::read(path).map_err(|cause| thalweg_data::Error::Io { file: file(), cause })?;
        Self::from_bytes(&bytes).map_err(|cause| Error::Model { file: file(), cause })
    }

    /// Reads what [`Self::to_bytes`] wrote.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, ModelError> {
        let ModelFile { learner, mut options, labels, sections } = ModelFile::from_bytes(bytes)?;
        let score_use: ScoreUse = options.remove(SCORE_USE).map_or_else(|| Ok(ScoreUse::default()), part)?;
        if learner.task() != Task::Binary && (score_use.tuner.is_some() || score_use.threshold.is_some()) {
            return Err(ModelError::Options("many classes have no threshold".into()));
        }
        let examples = ExampleConfig::read(options)?;
        let features = FeatureState::read(&examples.reading, examples.prepare, &sections);
        let features = features.map_err(|cause| StateError::new(cause.to_string()))?;
        let labels = match learner.task() {
            Task::Binary => Labels::of_two(&labels, examples.rest),
            Task::Hinge | Task::Ovr => Labels::of_many(&labels),
        };
        Ok(Self::new(learner, labels, Arc::new(features), examples, score_use))
    }

    /// The bytes of a model file. The same state always has the same bytes.
    pub fn to_bytes(&self) -> Vec<u8> {
        self.file().to_bytes()
    }

    /// What the readable part of the model file says. What is made of scores is told by [`Self::decision`], [`Self::target`] and
    /// [`Self::has_probabilities`].
    pub fn header(&self) -> Header {
        let mut header = self.file().header();
        header.options.remove(SCORE_USE);
        header
    }

    /// What is written to a file.
    fn file(&self) -> ModelFile<&dyn Learner> {
        let mut options = self.examples.write();
        if self.score_use != ScoreUse::default()
            && let Ok(score_use) = serde_json::to_value(&self.score_use)
        {
            options.insert(SCORE_USE.into(), score_use);
        }
        ModelFile {
            learner: self.learner(),
            options,
            labels: self.labels.names().to_vec(),
            sections: self.features.write(),
        }
    }

    /// Writes the model to a file, which is replaced as a whole or not at all. Returns the number of bytes.
    pub fn save(&self, path: impl AsRef<Path>) -> Result<u64> {
        self.save_to(OutputFile::create(path.as_ref(), Access::default())?)
    }

    /// Writes the model to a file that was begun before. The bytes are read back first: a model that could not be read never replaces one that
    /// can.
    pub fn save_to(&self, mut file: OutputFile) -> Result<u64> {
        let bytes = self.to_bytes();
        Self::from_bytes(&bytes).map_err(|cause| Error::Unreadable { file: file.name().into(), cause })?;
        file.write_all(&bytes)
            .map_err(|cause| thalweg_data::Error::Io { file: file.name().into(), cause })?;
        file.finish()?;
        Ok(bytes.len() as u64)
    }

    /// The learner.
    pub fn learner(&self) -> &dyn Learner {
        self.learner.as_ref()
    }

    /// How the race of its learners stands, if it has several.
    pub fn race(&self) -> Option<RaceReport> {
        self.learner.standings().as_ref().map(RaceReport::of)
    }

    /// Which label is which class.
    pub fn labels(&self) -> &Labels {
        &self.labels
    }

    /// What features are called.
    pub fn feature_names(&self) -> &FeatureNames {
        &self.features.names
    }

    /// What is known of features besides their weights: names, scales, how often they occur.
    pub fn features(&self) -> &Arc<FeatureState> {
        &self.features
    }

    /// What errors on each class cost at the moment; nothing if all cost 1.
    pub fn class_costs(&self) -> Vec<CostOfClass> {
        report::class_costs(self.learner(), &self.labels)
    }

    /// Does it turn scores into probabilities?
    pub fn has_probabilities(&self) -> bool {
        self.score_use.calibrator.is_some()
    }

    /// What the threshold is steered towards, and whether that succeeded.
    pub fn target(&self) -> Option<(Target, TargetStatus)> {
        self.score_use.tuner.as_ref().map(|tuner| (tuner.target(), tuner.status()))
    }

    /// Which class a score means with another threshold, if there is one.
    pub(crate) fn decision_at(&self, threshold: Option<f64>) -> Result<Decision, ConfigError> {
        let checked = threshold.map(|threshold| checked_threshold(threshold, self.learner.task()));
        Ok(self.decision.at(checked.transpose()?))
    }

    pub(crate) fn score_use(&self) -> &ScoreUse {
        &self.score_use
    }

    /// Which class a score means.
    pub fn decision(&self) -> Decision {
        self.decision
    }

    /// The configuration that the model was trained with.
    pub fn config(&self) -> Config {
        let (costs, Reading { naming, headless, .. }) = (self.learner.costs(), &self.examples.reading);
        let Prepare { binary, scale, normalize, bias } = self.examples.prepare;
        let reading = self.examples.reading.clone();
        let hash_bits = match naming {
            Some(Naming::Hashed(bits)) => Some(*bits),
            Some(Naming::Names | Naming::Numbers) | None => None,
        };
        let is_binary = self.learner.task() == Task::Binary;
        Config {
            learner: Some(self.learner.spec()),
            multiclass: Multiclass::of(self.learner.task()),
            labels: if self.examples.rest { Vec::new() } else { self.labels.names().to_vec() },
            positive: (is_binary && self.examples.rest).then(|| self.labels.name(1).to_string()),
            cost_fn: Some(costs.missed),
            cost_fp: Some(costs.false_alarm),
            balanced: Some(costs.balanced),
            forget: self.learner.half_life(),
            threshold: self.score_use.threshold,
            target: self.score_use.tuner.as_ref().map(ThresholdTuner::target),
            probabilities: Some(self.has_probabilities()),
            balance_half_life: costs.balance_half_life,
            class_weight: self.class_weight(),
            format: reading.table.and_then(|name| name.parse().ok()),
            no_header: Some(*headless),
            encoding: reading.encoding,
            delimiter: reading.delimiter,
            decimal_comma: Some(reading.decimal_comma),
            label_col: reading.label,
            importance_col: reading.importance,
            cost_col: reading.cost,
            id_col: reading.id,
            ignore: reading.ignore,
            category: reading.category,
            date: reading.date,
            text: reading.text,
            url: reading.url,
            ngrams: reading.words,
            chars: reading.characters,
            text_values: reading.values,
            interact: reading.interact,
            names: Some(*naming == Some(Naming::Names)),
            hash_bits,
            max_features: reading.max_features,
            binary: Some(binary),
            scale: scale.or(Some(Scale::None)),
            normalize: normalize.or(Some(Norm::None)),
            bias: Some(bias),
            ..Config::default()
        }
    }

    /// The weights of many classes that are not 1.
    fn class_weight(&self) -> Vec<String> {
        let weights = self.learner.class_weights();
        let weights = self.labels.names().iter().enumerate().map(|(class, name)| (name, weights.of(class)));
        weights
            .filter(|(_, weight)| *weight != 1.0)
            .map(|(name, weight)| format!("{name}={weight}"))
            .collect()
    }

    pub(crate) fn examples(&self) -> &ExampleConfig {
        &self.examples
    }
}
