//! `thalweg predict`: score, tab, predicted label.

use std::path::PathBuf;

use clap::Args;
use thalweg_data::{model_file, open};
use thalweg_eval::grouped;

use crate::args::{DataArgs, show_complaints, warn_of_unknown, without_need_of_labels};
use crate::files::Files;
use crate::interrupt;
use crate::output::Predictions;
use crate::progress::say;
use crate::scoring::{score_all, scorers};

#[derive(Args)]
pub(crate) struct Predict {
    #[command(flatten)]
    data: DataArgs,

    /// The model
    #[arg(short = 'i', long = "model", value_name = "FILE")]
    model: PathBuf,

    /// Write the predictions here
    #[arg(short = 'p', long, value_name = "FILE", default_value = "-")]
    predictions: PathBuf,
}

impl Predict {
    pub(crate) fn run(&self) -> anyhow::Result<()> {
        let inputs = self.data.inputs()?;
        let files = self.data.files(Files::of_model(&self.model), &inputs)?;
        let files = files.writing("predictions", Some(&self.predictions))?;
        let mut predictions = Predictions::new(files.create(&self.predictions)?);
        interrupt::listen()?;
        let (model, settings) = self.data.settings_of(model_file::load(&self.model)?);
        let settings = without_need_of_labels(settings);
        let threads = scorers(settings.threads);
        let mut reader = open(&inputs, settings)?;
        let mut unscored = 0;
        // What a model calls its classes does not change any more.
        let labels = reader.labels().clone();
        let all = score_all(
            model.learner.as_ref(),
            threads,
            |batch, skipped| {
                let more = reader.read(batch);
                show_complaints(reader.as_mut(), say);
                skipped.clear();
                skipped.extend_from_slice(reader.skipped());
                Ok(more?)
            },
            |batch, outcomes, skipped, lines| Predictions::lines(outcomes, batch, skipped, &labels, lines),
            |scored| {
                unscored += scored.outcomes.unscored().len() as u64;
                predictions.write(&scored.made)?;
                Ok(!predictions.is_closed())
            },
        );
        all?;
        interrupt::check()?;
        warn_of_unknown(reader.counts(), say);
        if unscored > 0 {
            say(&format!("warning: {} examples have no finite score", grouped(unscored)));
        }
        predictions.write_skipped(reader.skipped())?;
        predictions.finish()
    }
}
