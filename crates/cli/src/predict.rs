//! `thalweg predict`: score, tab, predicted label.

use std::io::{self, BufWriter, Write};
use std::path::PathBuf;
use std::sync::Arc;

use clap::Args;
use thalweg::{Config, Decision, Model, Predictor, Scored};
use thalweg_data::is_stdout;
use thalweg_eval::counted;

use crate::args::DataArgs;
use crate::files::Files;
use crate::output::{Doubt, Predictions, lines_and_doubts};
use crate::prediction_line::Form;
use crate::watch::{Watch, refusal, unknown_examples};
use crate::{interrupt, progress, usage};

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

    /// Use this threshold instead of the model's
    #[arg(long, value_name = "SCORE", allow_negative_numbers = true)]
    threshold: Option<f64>,

    /// Print how certain each score is: its standard deviation
    ///
    /// For learners that keep variances, such as sarow and arow. It is in the unit of the score.
    #[arg(long)]
    confidence: bool,

    /// Make no prediction that is less probable than this
    ///
    /// The label of such a record is ?. The probability is the model's, or without --probabilities follows from the distance of the score from
    /// the threshold in standard deviations.
    #[arg(long, value_name = "P", value_parser = probability)]
    abstain_below: Option<f64>,

    /// Write doubtful records to this file
    ///
    /// One line for each: its number in the data, a tab, and what would have been predicted.
    #[arg(long, value_name = "FILE", requires = "abstain_below", value_hint = clap::ValueHint::FilePath)]
    review: Option<PathBuf>,

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
        let files = files.writing("the records to review", self.review.as_ref())?;
        let predictions = Predictions::new(files.create(&self.predictions)?, self.json);
        let form = predictions.form();
        // A bar would come between predictions on the screen.
        let hidden = self.quiet || is_stdout(&self.predictions);
        interrupt::listen()?;
        let model = Arc::new(Model::load(&self.model)?);
        self.check_doubt(&model)?;
        let predictor = Predictor::new(Arc::clone(&model)).configured(self.config(&model))?;
        let predictor = predictor.interrupted_by(interrupt::get());
        let doubt = self.doubt(&predictor);
        let mut review =
            self.review.as_deref().map(|path| files.create(path)).transpose()?.map(BufWriter::new);
        let (mut records, mut doubtful) = (0, 0);
        let mut watch = Watch {
            predictions: Some(predictions),
            ends_with_reader: true,
            ..Watch::on(progress::bar_only(&inputs, hidden, self.json))
        };
        let (mut examples, mut unscored) = (0, 0);
        let lines = |scored: &mut Scored<Lines>| {
            let Lines { mut lines, mut doubtful } = std::mem::take(&mut scored.made);
            doubtful.clear();
            let mut keep = |place: usize, line: &[u8]| doubtful.push((place, line.to_vec()));
            lines_and_doubts(&scored.seen(&model), form, doubt, &mut lines, &mut keep);
            scored.made = Lines { lines, doubtful };
        };
        let counts = predictor.run(&inputs, &mut watch, lines, |scored, watch| {
            examples += scored.batch.len() as u64;
            unscored += scored.outcomes().unscored().len() as u64;
            for (place, line) in &scored.made.doubtful {
                let number = records + *place as u64 + 1;
                let written = review.as_mut().map_or(Ok(()), |file| write_review(file, number, line, form));
                written.map_err(|error| refusal(error.into()))?;
            }
            doubtful += scored.made.doubtful.len() as u64;
            records += (scored.batch.len() + scored.skipped.len()) as u64;
            let Some(predictions) = &mut watch.predictions else { return Ok(false) };
            predictions.write(&scored.made.lines).map_err(refusal)?;
            Ok(!predictions.is_closed())
        })?;
        interrupt::check()?;
        unknown_examples(counts.unknown, examples).iter().for_each(|warning| watch.screen.warn(warning));
        if unscored > 0 {
            let unscored = counted(unscored, "example has", "examples have");
            watch.screen.warn(&format!("{unscored} no finite score"));
        }
        if doubtful > 0 {
            let doubtful = counted(doubtful, "record was", "records were");
            watch.screen.note(&format!("{doubtful} too doubtful to predict"));
        }
        if let Some(review) = review {
            review.into_inner().map_err(io::IntoInnerError::into_error)?.finish()?;
        }
        watch.predictions.map_or(Ok(()), Predictions::finish)
    }

    fn config(&self, model: &Model) -> Config {
        // Where the model has no probabilities, doubt follows from the variances of scores.
        let needed = self.confidence || (self.abstain_below.is_some() && !model.has_probabilities());
        Config {
            threshold: self.threshold,
            confidence: needed.then_some(true),
            ..self.data.add_to(Config::default())
        }
    }

    /// Doubt needs to be known in some way.
    fn check_doubt(&self, model: &Model) -> anyhow::Result<()> {
        let knows = model.has_probabilities()
            || (model.decision() != Decision::Highest && model.learner().has_variance());
        if self.abstain_below.is_some() && !knows {
            return Err(usage(
                "--abstain-below needs a model with probabilities: train it with --probabilities",
            ));
        }
        Ok(())
    }

    fn doubt(&self, predictor: &Predictor) -> Option<Doubt> {
        let threshold = match predictor.decision() {
            Decision::Above(threshold) | Decision::AtLeast(threshold) => threshold,
            // There are probabilities.
            Decision::Highest => 0.0,
        };
        self.abstain_below.map(|least| Doubt { least, threshold })
    }
}

/// What is made of a batch.
#[derive(Default)]
struct Lines {
    lines: Vec<u8>,
    /// Doubtful records: their place in the batch, and what would have been predicted.
    doubtful: Vec<(usize, Vec<u8>)>,
}

/// Writes a doubtful record with its number.
fn write_review(file: &mut impl Write, number: u64, line: &[u8], form: Form) -> io::Result<()> {
    match form {
        Form::Text => write!(file, "{number}\t")?,
        // The line is an object, which gets one more field.
        Form::Json => write!(file, "{{\"record\":{number},")?,
    }
    file.write_all(if form == Form::Json { &line[1..] } else { line })
}

fn probability(text: &str) -> Result<f64, String> {
    let probability = text.parse().ok().filter(|p| (0.5..=1.0).contains(p));
    probability.ok_or_else(|| "must be a probability from 0.5 to 1".into())
}
