//! `thalweg eval`: how good a model is on labelled data.

use std::path::PathBuf;
use std::time::Instant;

use clap::Args;
use thalweg_core::model::Model;
use thalweg_data::{Input, Settings, model_file, open};
use thalweg_eval::ProgressiveFigures;

use crate::args::{DataArgs, show_complaints, warn_of_unknown};
use crate::files::Files;
use crate::interrupt;
use crate::progress::{self, say};
use crate::report::{self, EvalReport};
use crate::scoring::{score_all, scorers};

#[derive(Args)]
pub(crate) struct Eval {
    #[command(flatten)]
    data: DataArgs,

    /// The model
    #[arg(short = 'i', long = "model", value_name = "FILE")]
    model: PathBuf,

    /// No progress bar
    #[arg(short, long)]
    quiet: bool,

    /// The report as JSON
    #[arg(long)]
    json: bool,
}

impl Eval {
    pub(crate) fn run(&self) -> anyhow::Result<()> {
        let inputs = self.data.inputs()?;
        self.data.files(Files::of_model(&self.model), &inputs)?;
        interrupt::listen()?;
        let (model, settings) = self.data.settings_of(model_file::load(&self.model)?);
        let report = measure(&model, &inputs, settings, self.quiet)?;
        report::print(self.json, &report, || report.text())
    }
}

/// Scores labelled data with a model that does not change.
pub(crate) fn measure(
    model: &Model,
    inputs: &[Input],
    settings: Settings,
    quiet: bool,
) -> anyhow::Result<EvalReport> {
    let (began, threads) = (Instant::now(), scorers(settings.threads));
    let mut reader = open(inputs, settings)?;
    let context = report::context(model.learner.as_ref(), false);
    let (mut figures, mut unscored) = (ProgressiveFigures::new(context), 0);
    let bar = progress::bar(inputs, quiet);
    let all = score_all(
        model.learner.as_ref(),
        threads,
        |batch, _| {
            let more = reader.read(batch);
            show_complaints(reader.as_mut(), |line| bar.suspend(|| say(line)));
            bar.set_position(reader.counts().consumed);
            Ok(more?)
        },
        |_, _, _, ()| {},
        |scored| {
            unscored += scored.outcomes.unscored().len() as u64;
            let predicted: Vec<_> =
                (0..scored.outcomes.len()).map(|i| scored.outcomes.predicted(i)).collect();
            figures.observe(&scored.batch, &scored.outcomes, &predicted);
            Ok(true)
        },
    );
    bar.finish_and_clear();
    all?;
    interrupt::check()?;
    warn_of_unknown(reader.counts(), say);
    let names = inputs.iter().map(Input::name).collect();
    let figures = report::figures(&figures, reader.labels());
    Ok(EvalReport::new(names, reader.counts(), unscored, began.elapsed().as_secs_f64(), figures))
}
