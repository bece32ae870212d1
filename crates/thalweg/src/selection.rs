//! Which features matter.

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;
use thalweg_core::{Batch, Weight};
use thalweg_data::stream::BadLinePolicy;
use thalweg_data::{Cache, Dictionary, Format, Input, Interrupt, OutputFile, Settings, Writer, open};

use crate::config::Config;
use crate::error::Result;
use crate::model::Model;

/// A feature that a model has chosen.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ChosenFeature {
    /// Its name.
    pub feature: String,
    /// What it promised when it was chosen, or the magnitude of its weight.
    pub score: f64,
    /// Its weight; of many classes the strongest.
    pub weight: f64,
    /// The class that the weight speaks for, where there are many.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub class: Option<String>,
    /// Its number.
    #[serde(skip)]
    pub number: u32,
}

/// The best features of a model, best first, at most so many.
pub fn choose_features(model: &Model, count: usize) -> Vec<ChosenFeature> {
    let (learner, labels, names) = (model.learner(), model.labels(), model.feature_names());
    let mut strongest: BTreeMap<u32, Weight> = BTreeMap::new();
    for weight in learner.weights() {
        let held = strongest.entry(weight.feature).or_insert(weight);
        if weight.value.abs() > held.value.abs() {
            *held = weight;
        }
    }
    // With many classes a feature may be chosen for several.
    let mut seen = BTreeSet::new();
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

/// Writes data with only these features, as it was read for the model but not as it was prepared. An interrupt ends the data, and the file does not
/// appear.
pub fn write_selected(
    inputs: &[Input],
    model: &Model,
    config: &Config,
    features: &[ChosenFeature],
    file: OutputFile,
    interrupt: &Interrupt,
) -> Result<()> {
    let settings = Settings {
        reading: model.examples().reading_of_model(),
        feature_state: model.features().clone(),
        labels: model.labels().clone().lenient(),
        unlabelled: true,
        interrupt: interrupt.clone(),
        // The file of rejected lines, and the cache, belong to the first reading.
        bad_lines: BadLinePolicy::default(),
        cache: Cache::No,
        ..config.input_settings()
    };
    let mut reader = open(inputs, settings)?;
    let format = Format::of_name(file.name()).unwrap_or_default();
    let wanted = features.iter().map(|chosen| chosen.number).collect();
    let mut writer = Writer::new(file, format, reader.names(), Some(wanted))?;
    let mut batch = Batch::default();
    while reader.read(&mut batch)? {
        writer.write(&batch, Dictionary { labels: reader.labels(), names: reader.names() })?;
    }
    if interrupt.has_come() {
        return Ok(());
    }
    Ok(writer.finish()?)
}
