//! `thalweg eval`: how good a model is on labelled data.

use std::path::PathBuf;
use std::sync::Arc;

use clap::Args;
use thalweg::{Config, EvalReport, Input, Model, Predictor};

use crate::args::DataArgs;
use crate::files::Files;
use crate::watch::{Watch, unknown_examples};
use crate::{interrupt, report};

#[derive(Args)]
pub(crate) struct Eval {
    #[command(flatten)]
    data: DataArgs,

    /// The model
    #[arg(short = 'i', long = "model", value_name = "FILE", value_hint = clap::ValueHint::FilePath)]
    model: PathBuf,

    /// No progress bar
    #[arg(short, long)]
    quiet: bool,

    /// Print the report as JSON
    #[arg(long)]
    json: bool,
}

impl Eval {
    pub(crate) fn run(&self) -> anyhow::Result<()> {
        let inputs = self.data.inputs()?;
        self.data.files(Files::of_model(&self.model), &inputs)?;
        interrupt::listen()?;
        let model = Arc::new(Model::load(&self.model)?);
        let predictor = Predictor::new(model).configured(self.data.add_to(Config::default()))?;
        let report = measure(&predictor.interrupted_by(interrupt::get()), &inputs, self.quiet, self.json)?;
        report::print(self.json, &report, || report::of_evaluation(&report))
    }
}

/// Scores labelled data with a model that does not change.
pub(crate) fn measure(
    predictor: &Predictor,
    inputs: &[Input],
    quiet: bool,
    json: bool,
) -> anyhow::Result<EvalReport> {
    let mut watch = Watch::bar(inputs, quiet, json);
    let report = predictor.evaluate(inputs, &mut watch)?;
    interrupt::check()?;
    unknown_examples(report.unknown, report.read).iter().for_each(|warning| watch.screen.warn(warning));
    Ok(report)
}
