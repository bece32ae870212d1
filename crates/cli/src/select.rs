//! `thalweg select`: which features matter.

use std::path::{Path, PathBuf};
use std::time::Instant;

use clap::Args;
use thalweg::learners::{self, with_knob};
use thalweg::{
    Config, CurvePoint, FeatureCurve, Input, Model, OutputFile, Selection, Trainer, feature_curve,
};
use thalweg_eval::{counted, grouped, percent};

use crate::args::{DataArgs, inputs, share};
use crate::files::Files;
use crate::options::ModelArgs;
use crate::progress::say;
use crate::watch::Watch;
use crate::{interrupt, output, selection_file, usage};

/// Chosen by measurement, on prepared values: docs/design/2026-11-18-selection.md.
const DEFAULT_LEARNER: &str = "arow";

/// How many features are chosen if nobody says.
const USUAL: usize = 100;

#[derive(Args)]
pub(crate) struct Select {
    #[command(flatten)]
    data: DataArgs,

    #[command(flatten)]
    model_args: ModelArgs,

    /// How many features to choose [default: 100]
    ///
    /// With --from, only the best so many of the file are used. By default all are.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    features: Option<u64>,

    /// Use the features of this file instead of choosing
    ///
    /// A file that -o wrote, which also says how the data has to be read. With --reduced, this gives test data the features of the training data.
    #[arg(long, value_name = "FILE", value_hint = clap::ValueHint::FilePath, requires = "reduced",
        conflicts_with_all = ["output", "curve", "test", "holdout", "judge"])]
    from: Option<PathBuf>,

    /// Write the chosen features to this file as well
    ///
    /// The file is JSON if its name ends in .json, else text. --from reads both.
    #[arg(short, long, value_name = "FILE", value_hint = clap::ValueHint::FilePath)]
    output: Option<PathBuf>,

    /// Write the data with only these features to this file
    ///
    /// The end of the name tells the format, else it is LIBSVM text; .gz, .zst, .bz2 and .xz are compressed.
    #[arg(long, value_name = "FILE", value_hint = clap::ValueHint::FilePath)]
    reduced: Option<PathBuf>,

    /// Print how good a model is with 1, 2, 5, 10, 20, ... features
    ///
    /// Features are chosen, and models trained, without the examples that they are measured on: those of -t, or those that --holdout holds out.
    #[arg(long)]
    curve: bool,

    /// Measure --curve on this data
    #[arg(short = 't', long = "test", value_name = "DATA", value_hint = clap::ValueHint::FilePath, requires = "curve")]
    test: Vec<String>,

    /// Measure --curve on this share of the examples, such as 20%
    ///
    /// They are spread over the data, and are used neither to choose features nor to train models.
    #[arg(long, value_name = "SHARE", value_parser = share, requires = "curve", conflicts_with = "test")]
    holdout: Option<f64>,

    /// The learner of the models of --curve [default: sarow]
    ///
    /// NAME or NAME:KNOB=VALUE,... As in `train`, values are prepared for sarow only, unless a flag says otherwise.
    #[arg(long, value_name = "LEARNER", requires = "curve")]
    judge: Option<String>,

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
        let tests = self.test_data()?;
        let from = self.from.iter().map(|path| Input::File(path.clone())).collect::<Vec<_>>();
        let files = self.data.files(Files::default().reading("the features", &from), &inputs)?;
        let files = files.reading("test data", &tests);
        let files = files.writing("the chosen features", self.output.as_ref())?;
        let files = files.writing("the reduced data", self.reduced.as_ref())?;
        let create = |path: &Option<PathBuf>| path.as_deref().map(|path| files.create(path)).transpose();
        let (output, mut reduced) = (create(&self.output)?, create(&self.reduced)?);
        interrupt::listen()?;
        if let Some(from) = &self.from
            && let Some(reduced) = reduced.take()
        {
            return self.apply(from, &inputs, reduced, files.takes_stdout());
        }
        self.check_twice(&inputs)?;
        let config = self.config();
        let model = self.learn(&inputs, config.clone())?;
        let selection = Selection::of(&model, self.features.map_or(USUAL, |features| features as usize));
        interrupt::check()?;
        if let (Some(file), Some(path)) = (output, &self.output) {
            output::write_all(file, &selection_file::for_file(&selection, path)?)?;
        }
        if let Some(file) = reduced {
            // Bad lines were told, and the cache was made, when the data was read for the first time.
            let again =
                Config { strict: None, max_bad: None, reject_file: None, cache: None, ..config.clone() };
            selection.reduce(&inputs, &again, file, &interrupt::get())?;
            interrupt::check()?;
        }
        let curve = self.curve(&model, &selection, [&inputs, &tests], &config)?;
        if !self.quiet && !self.json {
            self.remark(&selection, &config, began);
        }
        if files.takes_stdout() {
            return Ok(());
        }
        output::print(&match (self.json, &curve) {
            (true, curve) => selection_file::as_json(&selection, curve.as_ref())?,
            (false, Some(curve)) => as_table(curve),
            (false, None) => selection_file::as_text(&selection),
        })
    }

    /// Reduces data to the features of a file.
    fn apply(
        &self,
        from: &Path,
        inputs: &[Input],
        file: OutputFile,
        takes_stdout: bool,
    ) -> anyhow::Result<()> {
        let given = self.model_args.config();
        if given != Config::default() {
            return Err(usage(format!(
                "--from: {} says which features there are and how they are read; flags for learners, columns, features, values and classes cannot be given",
                from.display()
            )));
        }
        let count = self.features.map_or(usize::MAX, |features| features as usize);
        let selection = selection_file::read(from)?.first(count);
        let done = selection.reduce(inputs, &self.data.add_to(given), file, &interrupt::get())?;
        interrupt::check()?;
        if !self.quiet && !self.json {
            let features = counted(selection.features.len() as u64, "feature", "features");
            say(&format!("{} written with {features}", counted(done.examples, "example", "examples")));
            if done.empty == done.examples {
                say("none of the features is in the data");
            } else if done.empty > 0 {
                say(&format!("{} none of them", counted(done.empty, "example has", "examples have")));
            }
        }
        if self.json && !takes_stdout {
            let features = selection.features.len();
            let summary =
                serde_json::json!({ "features": features, "examples": done.examples, "empty": done.empty });
            output::print(&output::json_line(&summary)?)?;
        }
        Ok(())
    }

    fn test_data(&self) -> anyhow::Result<Vec<Input>> {
        let tests = inputs(&self.test)?;
        if tests.contains(&Input::Stdin) {
            return Err(usage("test data must be files"));
        }
        if self.curve && tests.is_empty() && self.holdout.is_none() {
            return Err(usage("--curve needs examples to measure on: -t FILE, or --holdout 20%"));
        }
        Ok(tests)
    }

    fn check_twice(&self, inputs: &[Input]) -> anyhow::Result<()> {
        for (set, flag) in [(self.reduced.is_some(), "--reduced"), (self.curve, "--curve")] {
            if set && inputs.iter().any(Input::is_read_once) {
                return Err(usage(format!(
                    "{flag} reads the data twice and cannot use standard input: give a file"
                )));
            }
        }
        Ok(())
    }

    /// What the flags say. Without a learner, it is that of [`DEFAULT_LEARNER`] on prepared values.
    fn config(&self) -> Config {
        let mut config = self.data.add_to(self.model_args.config());
        config.holdout = self.holdout;
        if config.learner.is_none() {
            config.prepare.get_or_insert(true);
        }
        let spec = config.learner.take().unwrap_or_else(|| DEFAULT_LEARNER.into());
        // Learners that choose are told how many; of the others the strongest weights are taken.
        let name = spec.split(':').next().unwrap_or_default().trim();
        let told = spec.split([':', ',']).any(|part| part.trim().starts_with("features="));
        let chooses = learners::find(name).is_ok_and(|entry| entry.has_knob("features"));
        let count = self.features.unwrap_or(USUAL as u64);
        config.learner(if chooses && !told { with_knob(&spec, "features", count) } else { spec })
    }

    /// A model that has seen all of the data but what is held out.
    fn learn(&self, inputs: &[Input], config: Config) -> anyhow::Result<Model> {
        let mut trainer = Trainer::new(config)?;
        trainer.interrupt_by(interrupt::get());
        let mut watch = Watch::bar(inputs, self.quiet, self.json);
        let learned = trainer.run(inputs, &mut watch);
        drop(watch);
        learned?;
        interrupt::check()?;
        trainer.check_learned()?;
        Ok(trainer.into_model()?)
    }

    fn curve(
        &self,
        model: &Model,
        selection: &Selection,
        data: [&[Input]; 2],
        config: &Config,
    ) -> anyhow::Result<Option<FeatureCurve>> {
        if !self.curve {
            return Ok(None);
        }
        // The preparation that suits the learner that chose need not suit the judge.
        let own = self.data.add_to(self.model_args.config());
        let config = Config { prepare: own.prepare, ..config.clone() };
        let curve = feature_curve(model, selection, data, &config, self.judge.as_deref(), &interrupt::get())?;
        interrupt::check()?;
        Ok(Some(curve))
    }

    fn remark(&self, selection: &Selection, config: &Config, began: Instant) {
        let chosen = selection.features.len() as u64;
        if chosen < self.features.unwrap_or(USUAL as u64) {
            say(&format!("only {} a weight", counted(chosen, "feature has", "features have")));
        }
        let prepared = if config.prepare == Some(true) { " on prepared values" } else { "" };
        let (chosen, seconds) = (counted(chosen, "feature", "features"), began.elapsed().as_secs_f64());
        say(&format!("{chosen} chosen by {}{prepared} in {seconds:.3} seconds", selection.learner));
    }
}

/// A line for each number of features.
fn as_table(curve: &FeatureCurve) -> String {
    let line = |point: &CurvePoint| {
        let features = grouped(point.features as u64);
        let features = if point.all { format!("all {features}") } else { features };
        format!("{features:>13}  {:>8}  {:>17}\n", percent(point.error), percent(point.balanced_accuracy))
    };
    let examples = curve.points.first().map_or(0.0, |point| point.examples);
    format!(
        "{:>13}  {:>8}  {:>17}\n{}\nmeasured on {examples} examples, trained by {}\n",
        "features",
        "error",
        "balanced accuracy",
        curve.points.iter().map(line).collect::<String>(),
        curve.judge
    )
}
