//! `thalweg select`: which features matter.

use std::collections::{BTreeMap, BTreeSet};
use std::io::Write;
use std::path::PathBuf;
use std::time::Instant;

use anyhow::Context;
use clap::Args;
use serde::Serialize;
use thalweg_core::learners::{self, with_knob};
use thalweg_core::{Batch, Learner, Outcomes, Weight};
use thalweg_data::FeatureNames;
use thalweg_data::Format;
use thalweg_data::model_file::Options;
use thalweg_data::prepare::Prepare;
use thalweg_data::{Dictionary, Input, Labels, OutputFile, Writer, open};

use crate::args::{DataArgs, show_complaints, without_need_of_labels, without_rejects};
use crate::escape::field;
use crate::files::Files;
use crate::options::{ModelArgs, Start};
use crate::progress::{self, say};
use crate::{interrupt, output, usage};

const DEFAULT_LEARNER: &str = "sbcw1";

#[derive(Args)]
pub(crate) struct Select {
    #[command(flatten)]
    data: DataArgs,

    #[command(flatten)]
    model_args: ModelArgs,

    /// How many features to choose
    #[arg(long, value_name = "N", default_value_t = 100, value_parser = clap::value_parser!(u64).range(1..))]
    features: u64,

    /// Write the chosen features here as well: JSON if the name ends in .json, else text
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,

    /// Write the data with only the chosen features here, in the format that the end of the name tells, else LIBSVM text
    /// (.gz, .zst, .bz2, .xz are compressed)
    #[arg(long, value_name = "FILE")]
    reduced: Option<PathBuf>,

    /// No progress bar and no remarks
    #[arg(short, long)]
    quiet: bool,

    /// As JSON
    #[arg(long)]
    json: bool,
}

/// A feature that was chosen.
#[derive(Serialize)]
struct Choice {
    feature: String,
    /// What it promised when it was chosen, or the magnitude of its weight.
    score: f64,
    weight: f64,
    /// Of many classes the one that the weight speaks for.
    #[serde(skip_serializing_if = "Option::is_none")]
    class: Option<String>,
}

impl Select {
    pub(crate) fn run(&self) -> anyhow::Result<()> {
        let began = Instant::now();
        let inputs = self.data.inputs()?;
        let files = self.data.files(Files::default(), &inputs)?;
        let files = files.writing("the chosen features", self.output.as_ref())?;
        let files = files.writing("the reduced data", self.reduced.as_ref())?;
        let [output, reduced] = [&self.output, &self.reduced]
            .map(|path| path.as_deref().map(|path| files.create(path)).transpose());
        let (output, reduced) = (output?, reduced?);
        interrupt::listen()?;
        if self.reduced.is_some() && inputs.contains(&Input::Stdin) {
            return Err(usage("--reduced reads the data a second time: name a file"));
        }
        let learned = self.learn(&inputs)?;
        let learner = learned.learner.as_ref();
        let chosen = self.choose(learner);
        let choices = describe(&chosen, learner, &learned.labels, &learned.feature_state.names);
        interrupt::check()?;
        if let Some(mut file) = output {
            let json =
                self.output.as_ref().is_some_and(|path| path.extension().is_some_and(|end| end == "json"));
            let text = if json { as_json(&learner.spec(), &choices)? } else { as_text(&choices) };
            file.write_all(text.as_bytes()).with_context(|| file.name().to_string())?;
            file.finish()?;
        }
        if let Some(file) = reduced {
            let features: BTreeSet<u32> = chosen.iter().map(|(feature, _)| *feature).collect();
            self.reduce(&inputs, &learned, file, features)?;
        }
        if !self.quiet {
            if choices.len() < self.features as usize {
                say(&format!("only {} features have a weight", choices.len()));
            }
            let seconds = began.elapsed().as_secs_f64();
            say(&format!("{} features chosen by {} in {seconds:.3} seconds", choices.len(), learner.spec()));
        }
        if files.takes_stdout() {
            return Ok(());
        }
        output::print(&if self.json { as_json(&learner.spec(), &choices)? } else { as_text(&choices) })
    }

    /// A learner that has seen all of the data.
    fn learn(&self, inputs: &[Input]) -> anyhow::Result<Start> {
        let start = self.model_args.fresh_or(DEFAULT_LEARNER, |spec| {
            // Learners that choose are told how many; of the others the strongest weights are taken.
            let name = spec.split(':').next().unwrap_or_default().trim();
            let told = spec.split([':', ',']).any(|part| part.trim().starts_with("features="));
            let chooses = learners::find(name).is_ok_and(|entry| entry.has_knob("features"));
            if chooses && !told { with_knob(spec, "features", self.features) } else { spec.into() }
        })?;
        let Start { mut learner, options, labels, feature_state } = start;
        let mut reader = open(inputs, self.data.settings(&options, labels, feature_state))?;
        learner.limit_memory(self.data.max_memory);
        learner.declare_classes(reader.labels().names().len());
        let (mut batch, mut outcomes) = (Batch::default(), Outcomes::default());
        let bar = progress::bar(inputs, self.quiet);
        loop {
            let more = reader.read(&mut batch);
            show_complaints(reader.as_mut(), |line| bar.suspend(|| say(line)));
            if !more? {
                break;
            }
            learner.check(&batch)?;
            learner.learn_batch(&batch, &mut outcomes);
            bar.set_position(reader.counts().consumed);
        }
        learner.finish();
        bar.finish_and_clear();
        Ok(Start {
            learner,
            options,
            labels: reader.labels().clone(),
            feature_state: reader.feature_state().clone(),
        })
    }

    /// The best features with their scores, best first.
    fn choose(&self, learner: &dyn Learner) -> Vec<(u32, f64)> {
        let mut seen = BTreeSet::new();
        // With many classes a feature may be chosen for several.
        let once = learner.chosen().into_iter().filter(|chosen| seen.insert(chosen.feature));
        once.take(self.features as usize).map(|chosen| (chosen.feature, chosen.score)).collect()
    }

    fn reduce(
        &self,
        inputs: &[Input],
        learned: &Start,
        file: OutputFile,
        wanted: BTreeSet<u32>,
    ) -> anyhow::Result<()> {
        // As it was read, but not as it was prepared.
        let options = Options { prepare: Prepare::default(), ..learned.options.clone() };
        let settings = self.data.settings(&options, learned.labels.clone(), learned.feature_state.clone());
        let settings = without_need_of_labels(settings);
        let mut reader = open(inputs, without_rejects(settings))?;
        let format = Format::of_name(file.name()).unwrap_or_default();
        let mut writer = Writer::new(file, format, reader.names(), Some(wanted))?;
        let mut batch = Batch::default();
        while reader.read(&mut batch)? {
            writer.write(&batch, Dictionary { labels: reader.labels(), names: reader.names() })?;
        }
        interrupt::check()?;
        Ok(writer.finish()?)
    }
}

/// The features with their weights; of many classes, with the strongest.
fn describe(
    chosen: &[(u32, f64)],
    learner: &dyn Learner,
    labels: &Labels,
    names: &FeatureNames,
) -> Vec<Choice> {
    let mut strongest: BTreeMap<u32, Weight> = BTreeMap::new();
    for weight in learner.weights() {
        let held = strongest.entry(weight.feature).or_insert(weight);
        if weight.value.abs() > held.value.abs() {
            *held = weight;
        }
    }
    let describe = |&(feature, score): &(u32, f64)| {
        let weight = strongest.get(&feature);
        Choice {
            feature: names.name(feature),
            score,
            weight: weight.map_or(0.0, |weight| weight.value),
            class: weight.and_then(|weight| Some(labels.name(weight.class?).to_string())),
        }
    };
    chosen.iter().map(describe).collect()
}

/// One line per feature: feature, score, weight, and class where there are many.
fn as_text(choices: &[Choice]) -> String {
    let line = |choice: &Choice| {
        let class = choice.class.as_ref().map_or_else(String::new, |class| format!("\t{}", field(class)));
        format!("{}\t{:?}\t{:?}{class}\n", field(&choice.feature), choice.score, choice.weight)
    };
    std::iter::once("feature\tscore\tweight\n".to_string()).chain(choices.iter().map(line)).collect()
}

fn as_json(learner: &str, choices: &[Choice]) -> anyhow::Result<String> {
    output::json_line(&serde_json::json!({ "learner": learner, "features": choices }))
}
