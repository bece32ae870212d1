//! `thalweg sweep`: many settings learn from one reading of the data.

use std::path::PathBuf;

use clap::Args;
use thalweg::{Config, DEFAULT_LEARNER, Saved};
use thalweg_experiments::grid::{Range, candidates};
use thalweg_experiments::sweep::{Objective, Sweep, SweepError, Validation};

use crate::args::{DataArgs, share};
use crate::files::Files;
use crate::measuring::MetricArgs;
use crate::options::SetupArgs;
use crate::retraining::command_to_retrain;
use crate::watch::Watch;
use crate::{interrupt, output, sweep_report, usage};

#[derive(Args)]
// Flags are either there or not.
#[allow(clippy::struct_excessive_bools)]
pub(crate) struct SweepArgs {
    #[command(flatten)]
    data: DataArgs,

    /// A learner to try, NAME or NAME:KNOB=VALUE,...; may be repeated
    ///
    /// `thalweg learners` lists them, `thalweg learners NAME` describes one. [default: sarow]
    #[arg(short = 'a', long = "learner", value_name = "LEARNER")]
    learner: Vec<String>,

    /// Settings of a knob to try, KNOB=RANGE; may be repeated
    ///
    /// A range is a list (0.1,1,10), powers (2^-1..2^9), or so many numbers, each a constant factor from the next (1e-8..1e-2:9). Every learner
    /// that has the knob gets it; LEARNER.KNOB=RANGE is for one of them. All combinations are tried.
    #[arg(long, value_name = "KNOB=RANGE")]
    grid: Vec<Range>,

    #[command(flatten)]
    setup: SetupArgs,

    /// Measure every example before it is learned from (the default)
    #[arg(long, conflicts_with_all = ["folds", "holdout"])]
    progressive: bool,

    /// Cross-validate: this many folds, in one reading of the data
    ///
    /// Each setting has a learner for each fold, which does not learn from it, and one that learns from everything. An example's place in the data
    /// decides its fold.
    #[arg(long, value_name = "N", conflicts_with = "holdout", value_parser = clap::value_parser!(u32).range(2..=100))]
    folds: Option<u32>,

    /// Hold out this share of the examples, such as 10%
    #[arg(long, value_name = "SHARE", value_parser = share)]
    holdout: Option<f64>,

    /// Drop settings as soon as another is clearly better
    ///
    /// The value is the probability that any setting is dropped wrongly. It holds however often one looks, also on a stream that changes.
    #[arg(long, value_name = "LEVEL", num_args = 0..=1, require_equals = true, default_missing_value = "0.05", value_parser = share)]
    race: Option<f64>,

    /// The metric to choose by
    ///
    /// Any metric that reports have. [default: error; cost if costs are declared, balanced_accuracy with --balanced]
    #[arg(long, value_name = "METRIC")]
    objective: Option<String>,

    #[command(flatten)]
    metrics: MetricArgs,

    /// How often to go through the data
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u64).range(1..))]
    passes: u64,

    /// Learn in random order, a new one in each pass
    ///
    /// All data is read into memory first.
    #[arg(long)]
    shuffle: bool,

    /// The seed of the random order
    #[arg(long, value_name = "N", default_value_t = 0, requires = "shuffle")]
    seed: u64,

    /// Write the best model to this file (- is standard output)
    #[arg(short = 'f', long = "model", value_name = "FILE", value_hint = clap::ValueHint::FilePath)]
    model: Option<PathBuf>,

    /// Write all settings to this file, as a table with commas
    #[arg(long, value_name = "FILE", value_hint = clap::ValueHint::FilePath)]
    csv: Option<PathBuf>,

    /// Write a page with a table and a chart to this HTML file
    #[arg(long, value_name = "FILE", value_hint = clap::ValueHint::FilePath)]
    report: Option<PathBuf>,

    /// Show this many settings
    #[arg(long, value_name = "N", default_value_t = 20)]
    top: usize,

    /// Print no progress and no report
    #[arg(short, long)]
    quiet: bool,

    /// Print the report as JSON
    #[arg(long)]
    json: bool,
}

impl SweepArgs {
    pub(crate) fn run(&self) -> anyhow::Result<()> {
        let inputs = self.data.inputs()?;
        let sweep = self.sweep()?;
        sweep.check().map_err(refused)?;
        let files = self
            .data
            .files(Files::default(), &inputs)?
            .writing_model(self.model.as_ref())?
            .writing("the table", self.csv.as_ref())?
            .writing("the report", self.report.as_ref())?;
        let [model_file, csv, page] = [&self.model, &self.csv, &self.report]
            .map(|path| path.as_deref().map(|path| files.create(path)).transpose());
        let (model_file, csv, page) = (model_file?, csv?, page?);
        interrupt::listen()?;
        let mut watch = Watch::bar(&inputs, self.quiet, self.json);
        let swept = sweep.run(&inputs, &interrupt::get(), &mut watch);
        drop(watch);
        let swept = swept.map_err(refused)?;
        let retrain = command_to_retrain(&swept, sweep.config.prepare);
        // A file that cannot be written is no reason to keep what was found from the others, and from the screen.
        let mut written = Ok(());
        let saved = model_file.and_then(|file| {
            let name = file.name().to_string();
            match swept.model.save_to(file) {
                Ok(bytes) => Some(Saved { bytes, file: name }),
                Err(error) => {
                    written = Err(error.into());
                    None
                }
            }
        });
        if let Some(file) = csv {
            written = written.and(output::write_all(file, &sweep_report::csv(&swept.report)));
        }
        if let Some(file) = page {
            let page = sweep_report::page(&swept.report, &inputs, &retrain);
            written = written.and(output::write_all(file, &page));
        }
        if self.json {
            let mut json = serde_json::to_value(&swept.report)?;
            json["retrain"] = retrain.into();
            json["model"] = serde_json::to_value(&saved)?;
            if !files.takes_stdout() {
                output::print(&output::json_line(&json)?)?;
            }
        } else if !self.quiet {
            let text = sweep_report::text(&swept.report, self.top, &retrain, saved.as_ref());
            if files.takes_stdout() {
                crate::progress::say_all(&text);
            } else {
                output::print(&text)?;
            }
        }
        written?;
        interrupt::check()
    }

    fn sweep(&self) -> anyhow::Result<Sweep> {
        let learners =
            if self.learner.is_empty() { vec![DEFAULT_LEARNER.to_string()] } else { self.learner.clone() };
        for learner in &learners {
            Config::parse(learner)?;
        }
        let candidates = candidates(&learners, &self.grid).map_err(|error| usage(error.to_string()))?;
        if candidates.len() < 2 {
            return Err(usage(
                "there is only one setting, so nothing to compare: give --grid KNOB=RANGE, or several learners (-a)",
            ));
        }
        let config = Config {
            passes: Some(self.passes),
            shuffle: self.shuffle.then_some(true),
            seed: Some(self.seed),
            ..self.metrics.add_to(self.data.add_to(self.setup.config()))
        };
        let objective = match &self.objective {
            Some(name) => Objective::new(name).map_err(|error| usage(format!("--objective: {error}")))?,
            None => Objective::of(&config).map_err(refused)?,
        };
        let validation = match (self.folds, self.holdout) {
            (Some(folds), _) => Validation::Folds(folds),
            (None, Some(share)) => Validation::Holdout(share),
            (None, None) => Validation::Progressive,
        };
        Ok(Sweep { candidates, validation, objective, race: self.race, config })
    }
}

/// What is wrong with the flags is a usage error; what happens on the way is not.
fn refused(error: SweepError) -> anyhow::Error {
    match error {
        SweepError::Run(error) => error.into(),
        SweepError::NothingMeasured | SweepError::NothingToMeasureOn { .. } | SweepError::Undefined(_) => {
            anyhow::anyhow!("{error}")
        }
        SweepError::UnknownObjective(_)
        | SweepError::NoObjective(_)
        | SweepError::NoRace(_)
        | SweepError::RaceOfUnequals
        | SweepError::Folds(_)
        | SweepError::Level(_) => usage(error.to_string()),
    }
}
