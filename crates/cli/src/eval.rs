//! `thalweg eval`: how good a model is on labelled data.

use std::path::PathBuf;
use std::sync::Arc;

use clap::Args;
use thalweg::{Config, EvalReport, Input, Model, Predictor};

use crate::args::DataArgs;
use crate::files::Files;
use crate::measuring::MeasuringArgs;
use crate::output::json_line;
use crate::progress::say_all;
use crate::watch::{Watch, unknown_examples};
use crate::{interrupt, report, run_page};

#[derive(Args)]
pub(crate) struct Eval {
    #[command(flatten)]
    data: DataArgs,

    /// The model
    #[arg(short = 'i', long = "model", value_name = "FILE", value_hint = clap::ValueHint::FilePath)]
    model: PathBuf,

    /// Use this threshold instead of the model's
    #[arg(long, value_name = "SCORE", allow_negative_numbers = true)]
    threshold: Option<f64>,

    #[command(flatten)]
    measuring: MeasuringArgs,

    /// Print what other thresholds would give
    #[arg(long)]
    curve: bool,

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
        let files = self.data.files(Files::of_model(&self.model), &inputs)?;
        let files = files.writing("the report", self.measuring.report.as_ref())?;
        let page = self.measuring.report.as_deref().map(|path| files.create(path)).transpose()?;
        interrupt::listen()?;
        let model = Arc::new(Model::load(&self.model)?);
        let config = self.measuring.add_to(self.data.add_to(Config::default()));
        let curves = config.curves.or(self.curve.then_some(true));
        let config = Config { threshold: self.threshold, curves, ..config };
        let predictor = Predictor::new(Arc::clone(&model)).configured(config)?;
        let mut report =
            measure(&predictor.interrupted_by(interrupt::get()), &inputs, self.quiet, self.json)?;
        if let Some(page) = page {
            run_page::of_evaluation(&report, &model).write(page)?;
        }
        if !self.curve {
            report.curves = None;
        }
        let curve = if self.curve { report::trade_offs(&report, &model) } else { String::new() };
        if files.takes_stdout() {
            let text = report::of_evaluation(&report) + &curve;
            say_all(&if self.json { json_line(&report)? } else { text });
            return Ok(());
        }
        report::print(self.json, &report, || report::of_evaluation(&report) + &curve)
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
