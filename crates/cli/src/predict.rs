//! `thalweg predict`: score, tab, predicted label.

use std::path::PathBuf;
use std::sync::Arc;

use clap::Args;
use thalweg::{Config, Model, Predictor, Scored};
use thalweg_eval::counted;

use crate::args::DataArgs;
use crate::files::Files;
use crate::output::{Predictions, lines_of};
use crate::progress::say;
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
}

impl Predict {
    pub(crate) fn run(&self) -> anyhow::Result<()> {
        let inputs = self.data.inputs()?;
        let files = self.data.files(Files::of_model(&self.model), &inputs)?;
        let files = files.writing("predictions", Some(&self.predictions))?;
        let predictions = Predictions::new(files.create(&self.predictions)?);
        interrupt::listen()?;
        let model = Arc::new(Model::load(&self.model)?);
        let predictor = Predictor::new(Arc::clone(&model)).configured(self.data.add_to(Config::default()))?;
        let predictor = predictor.interrupted_by(interrupt::get());
        let mut watch = Watch {
            predictions: Some(predictions),
            screen: progress::messages_only(),
            ends_with_reader: true,
        };
        let (mut examples, mut unscored) = (0, 0);
        let lines = |scored: &mut Scored<Vec<u8>>| {
            let mut made = std::mem::take(&mut scored.made);
            lines_of(&scored.seen(&model), &mut made);
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
        unknown_examples(counts.unknown, examples).iter().for_each(|warning| say(warning));
        if unscored > 0 {
            let unscored = counted(unscored, "example has", "examples have");
            say(&format!("warning: {unscored} no finite score"));
        }
        watch.predictions.map_or(Ok(()), Predictions::finish)
    }
}
