//! `thalweg predict`: score, tab, predicted label.

use std::path::PathBuf;
use std::sync::Arc;

use clap::Args;
use thalweg::{Config, Model, Predictor, Scored};
use thalweg_data::is_stdout;
use thalweg_eval::counted;

use crate::args::DataArgs;
use crate::files::Files;
use crate::output::{Predictions, lines_of};
use crate::watch::{Watch, refusal, unknown_examples};
use crate::{interrupt, progress};

#[derive(Args)]
pub(crate) struct Predict {
    #[command(flatten)]
    data: DataArgs,

    /// The model
    #[arg(short = 'i', long = "model", value_name = "FILE", value_hint = clap::ValueHint::FilePath)]
    model: PathBuf,

    /// Write the predictions to this file
    #[arg(short = 'p', long, value_name = "FILE", default_value = "-", value_hint = clap::ValueHint::FilePath)]
    predictions: PathBuf,

    /// No progress bar
    #[arg(short, long)]
    quiet: bool,

    /// Write one JSON object per record
    ///
    /// It has "predicted" (null if there is no prediction), "score" (with many classes "scores", by label), and "id" if there is one. Bad lines and
    /// warnings are JSON lines on standard error. Files whose names end in .jsonl are written like this, too.
    #[arg(long)]
    json: bool,
}

impl Predict {
    pub(crate) fn run(&self) -> anyhow::Result<()> {
        let inputs = self.data.inputs()?;
        let files = self.data.files(Files::of_model(&self.model), &inputs)?;
        let files = files.writing("predictions", Some(&self.predictions))?;
        let predictions = Predictions::new(files.create(&self.predictions)?, self.json);
        let form = predictions.form();
        // A bar would come between predictions on the screen.
        let hidden = self.quiet || is_stdout(&self.predictions);
        interrupt::listen()?;
        let model = Arc::new(Model::load(&self.model)?);
        let predictor = Predictor::new(Arc::clone(&model)).configured(self.data.add_to(Config::default()))?;
        let predictor = predictor.interrupted_by(interrupt::get());
        let mut watch = Watch {
            predictions: Some(predictions),
            ends_with_reader: true,
            ..Watch::on(progress::bar_only(&inputs, hidden, self.json))
        };
        let (mut examples, mut unscored) = (0, 0);
        let lines = |scored: &mut Scored<Vec<u8>>| {
            let mut made = std::mem::take(&mut scored.made);
            lines_of(&scored.seen(&model), form, &mut made);
            scored.made = made;
        };
        let counts = predictor.run(&inputs, &mut watch, lines, |scored, watch| {
            examples += scored.batch.len() as u64;
            unscored += scored.outcomes.unscored().len() as u64;
            let Some(predictions) = &mut watch.predictions else { return Ok(false) };
            predictions.write(&scored.made).map_err(refusal)?;
            Ok(!predictions.is_closed())
        })?;
        interrupt::check()?;
        unknown_examples(counts.unknown, examples).iter().for_each(|warning| watch.screen.warn(warning));
        if unscored > 0 {
            let unscored = counted(unscored, "example has", "examples have");
            watch.screen.warn(&format!("{unscored} no finite score"));
        }
        watch.predictions.map_or(Ok(()), Predictions::finish)
    }
}
