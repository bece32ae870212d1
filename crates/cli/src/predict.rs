//! `thalweg predict`: score, tab, predicted label.

use std::path::PathBuf;

use clap::Args;
use thalweg_core::{Batch, Outcomes};
use thalweg_data::{model_file, open};

use crate::args::{DataArgs, show_complaints, without_need_of_labels};
use crate::output::Predictions;
use crate::progress::say;

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
        self.data.check_outputs(&inputs, [&self.predictions])?;
        let (model, known) = model_file::load(&self.model)?;
        let settings = without_need_of_labels(self.data.settings_of(&model, known));
        let mut reader = open(&inputs, settings)?;
        let mut predictions = Predictions::create(&self.predictions)?;
        let (mut batch, mut outcomes) = (Batch::default(), Outcomes::default());
        while !predictions.is_closed() {
            let more = reader.read(&mut batch);
            show_complaints(reader.as_mut(), say);
            if !more? {
                break;
            }
            model.learner.score_batch(&batch, &mut outcomes);
            predictions.write(&outcomes, &batch, reader.labels())?;
        }
        predictions.finish()
    }
}
