//! `thalweg select`: which features matter.

use std::io::Write;
use std::path::PathBuf;
use std::time::Instant;

use anyhow::Context;
use clap::Args;
use thalweg::learners::{self, with_knob};
use thalweg::{ChosenFeature, Config, Input, Model, Trainer, choose_features, write_selected};
use thalweg_eval::counted;

use crate::args::DataArgs;
use crate::escape::field;
use crate::files::Files;
use crate::options::ModelArgs;
use crate::progress::say;
use crate::watch::Watch;
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

    /// Write the chosen features to this file as well
    ///
    /// The file is JSON if its name ends in .json, else text.
    #[arg(short, long, value_name = "FILE", value_hint = clap::ValueHint::FilePath)]
    output: Option<PathBuf>,

    /// Write the data with only these features to this file
    ///
    /// The end of the name tells the format, else it is LIBSVM text; .gz, .zst, .bz2 and .xz are compressed.
    #[arg(long, value_name = "FILE", value_hint = clap::ValueHint::FilePath)]
    reduced: Option<PathBuf>,

    /// No progress bar and no messages
    #[arg(short, long)]
    quiet: bool,

    /// Print JSON
    #[arg(long)]
    json: bool,
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
        if self.reduced.is_some() && inputs.iter().any(Input::is_read_once) {
            return Err(usage("--reduced reads the data twice and cannot use standard input: give a file"));
        }
        let model = self.learn(&inputs)?;
        let (choices, learner) = (choose_features(&model, self.features as usize), model.learner().spec());
        interrupt::check()?;
        if let Some(mut file) = output {
            let json =
                self.output.as_ref().is_some_and(|path| path.extension().is_some_and(|end| end == "json"));
            let text = if json { as_json(&learner, &choices)? } else { as_text(&choices) };
            file.write_all(text.as_bytes()).with_context(|| file.name().to_string())?;
            file.finish()?;
        }
        if let Some(file) = reduced {
            let config = self.data.add_to(Config::default());
            write_selected(&inputs, &model, &config, &choices, file, &interrupt::get())?;
            interrupt::check()?;
        }
        if !self.quiet && !self.json {
            if choices.len() < self.features as usize {
                let chosen = counted(choices.len() as u64, "feature has", "features have");
                say(&format!("only {chosen} a weight"));
            }
            let seconds = began.elapsed().as_secs_f64();
            let chosen = counted(choices.len() as u64, "feature", "features");
            say(&format!("{chosen} chosen by {learner} in {seconds:.3} seconds"));
        }
        if files.takes_stdout() {
            return Ok(());
        }
        output::print(&if self.json { as_json(&learner, &choices)? } else { as_text(&choices) })
    }

    /// A model that has seen all of the data.
    fn learn(&self, inputs: &[Input]) -> anyhow::Result<Model> {
        let mut config = self.data.add_to(self.model_args.config());
        let spec = config.learner.take().unwrap_or_else(|| DEFAULT_LEARNER.into());
        // Learners that choose are told how many; of the others the strongest weights are taken.
        let name = spec.split(':').next().unwrap_or_default().trim();
        let told = spec.split([':', ',']).any(|part| part.trim().starts_with("features="));
        let chooses = learners::find(name).is_ok_and(|entry| entry.has_knob("features"));
        let spec = if chooses && !told { with_knob(&spec, "features", self.features) } else { spec };
        let mut trainer = Trainer::new(config.learner(spec))?;
        trainer.interrupt_by(interrupt::get());
        let mut watch = Watch::bar(inputs, self.quiet, self.json);
        let learned = trainer.run(inputs, &mut watch);
        drop(watch);
        learned?;
        Ok(trainer.into_model()?)
    }
}

/// One line per feature: feature, score, weight, and class where there are many.
fn as_text(choices: &[ChosenFeature]) -> String {
    let line = |choice: &ChosenFeature| {
        let class = choice.class.as_ref().map_or_else(String::new, |class| format!("\t{}", field(class)));
        format!("{}\t{:?}\t{:?}{class}\n", field(&choice.feature), choice.score, choice.weight)
    };
    std::iter::once("feature\tscore\tweight\n".to_string()).chain(choices.iter().map(line)).collect()
}

fn as_json(learner: &str, choices: &[ChosenFeature]) -> anyhow::Result<String> {
    output::json_line(&serde_json::json!({ "learner": learner, "features": choices }))
}
