//! `thalweg train`.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Instant;

use anyhow::anyhow;
use clap::{Args, ValueEnum};
use thalweg::{Config, DriftAction, EvalReport, Input, Milestones, Model, Predictor, Saved, Trainer};
use thalweg_data::{FileId, OutputFile, is_stdout};

use crate::args::{DataArgs, inputs, share};
use crate::files::Files;
use crate::measuring::MeasuringArgs;
use crate::options::{DecisionArgs, ModelArgs};
use crate::output::Predictions;
use crate::progress::{self, say_all};
use crate::progress_log::ProgressLog;
use crate::watch::Watch;
use crate::wrong_usage::contradicting;
use crate::{interrupt, report, run_page, usage};

#[derive(Args)]
pub(crate) struct Train {
    #[command(flatten)]
    data: DataArgs,

    #[command(flatten)]
    model_args: ModelArgs,

    #[command(flatten)]
    decisions: DecisionArgs,

    /// Write the model to this file (- is standard output)
    #[arg(short = 'f', long = "model", value_name = "FILE", value_hint = clap::ValueHint::FilePath)]
    model: Option<PathBuf>,

    /// Continue from this model
    ///
    /// The result is exactly that of a run that never stopped.
    #[arg(short = 'i', long = "resume", value_name = "FILE", value_hint = clap::ValueHint::FilePath)]
    resume: Option<PathBuf>,

    /// Write scores from before learning to this file
    ///
    /// One line per record: score, tab, predicted label; a tab and the id if there is one. With many classes, label:score of each class, separated by
    /// blanks, stands for the score. If the name ends in .jsonl, the lines are JSON objects. - is standard output.
    #[arg(short = 'p', long, value_name = "FILE", value_hint = clap::ValueHint::FilePath)]
    predictions: Option<PathBuf>,

    /// Evaluate the model on this data afterwards
    #[arg(short = 't', long = "test", value_name = "DATA", value_hint = clap::ValueHint::FilePath)]
    test: Vec<String>,

    /// How often to go through the data
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u64).range(1..))]
    passes: u64,

    /// Cut the data into N shards, learn from them side by side, and merge what they have learned
    ///
    /// Examples go to the shards in turn. The result depends on N, and not on the number of cores. All data is read into memory first.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=4096), conflicts_with_all = ["predictions", "passes", "holdout", "on_drift", "label_budget", "max_features"])]
    shards: Option<u32>,

    /// With --shards, merge so often, and go on from there [default: 1]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1_000_000), requires = "shards")]
    rounds: Option<u32>,

    /// Hold out this share of the examples, such as 10%
    ///
    /// One of every ten examples, say, is scored and never learned from. Figures and progress are of these examples alone, in the last pass: an
    /// honest estimate also with several passes.
    #[arg(long, value_name = "SHARE", value_parser = share)]
    holdout: Option<f64>,

    /// Report progress every N examples, or xF for every F times as many
    ///
    /// 1000 is every 1000 examples, x2 is at 1, 2, 4, 8 and so on. [default: x2]
    #[arg(long, value_name = "N")]
    progress: Option<Milestones>,

    /// Watch for a sudden rise of mistakes, and what to do then
    ///
    /// The watch is ADWIN on the mistakes of the stream.
    #[arg(long, value_enum, value_name = "ACTION")]
    on_drift: Option<OnDrift>,

    /// Ask for the labels of this share of the examples only
    ///
    /// Labels are used where the learner is unsure and a mistake is dear; the others are treated as missing. The report says what this costs
    /// against the use of all labels.
    #[arg(long, value_name = "SHARE", value_parser = share)]
    label_budget: Option<f64>,

    /// Learn in random order, a new one in each pass
    ///
    /// All data is read into memory first. For data that does not fit, see `thalweg convert --shuffle`.
    #[arg(long)]
    shuffle: bool,

    /// The seed of the random order
    #[arg(long, value_name = "N", default_value_t = 0, requires = "shuffle")]
    seed: u64,

    /// Keep at most this many features
    ///
    /// Beyond that the rarest are evicted, features with zero weight first. An evicted feature that returns starts from zero.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..), conflicts_with_all = ["hash_bits", "shuffle"])]
    max_features: Option<u64>,

    #[command(flatten)]
    measuring: MeasuringArgs,

    /// Write progress and the report to this file, as JSON lines
    #[arg(long, value_name = "FILE", value_hint = clap::ValueHint::FilePath)]
    log_json: Option<PathBuf>,

    /// Print no progress and no report
    #[arg(short, long)]
    quiet: bool,

    /// Print the report as JSON, progress as JSON lines
    #[arg(long)]
    json: bool,
}

/// What is done when mistakes become more frequent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum OnDrift {
    /// Say so
    Warn,
    /// Make the learner less certain of its weights, so that it learns faster
    Boost,
    /// Let the learner begin anew
    Reset,
}

impl From<OnDrift> for DriftAction {
    fn from(action: OnDrift) -> Self {
        match action {
            OnDrift::Warn => Self::Warn,
            OnDrift::Boost => Self::Boost,
            OnDrift::Reset => Self::Reset,
        }
    }
}

impl Train {
    pub(crate) fn run(&self) -> anyhow::Result<()> {
        let began = Instant::now();
        let inputs = self.data.inputs()?;
        let tests = self.test_data()?;
        let files = self.files(&inputs, &tests)?;
        // Before the model is read: from now on no other run can replace it.
        let model_file = self.model.as_deref().map(|path| files.create(path)).transpose()?;
        let mut trainer = self.trainer()?;
        let predictions = self.predictions.as_deref().map(|path| files.create(path)).transpose()?;
        let page = self.measuring.report.as_deref().map(|path| files.create(path)).transpose()?;
        let log = self.log_json.as_deref().map(ProgressLog::create).transpose()?;
        interrupt::listen()?;
        trainer.interrupt_by(interrupt::get());
        let mut watch = Watch {
            predictions: predictions.map(|file| Predictions::new(file, false)),
            log,
            kept_progress: page.is_some().then(Vec::new),
            ..Watch::on(progress::screen(self.quiet, self.json, &inputs))
        };
        let learned = trainer.run(&inputs, &mut watch).map_err(anyhow::Error::from);
        let Watch { predictions, screen, mut log, kept_progress, .. } = watch;
        drop(screen);

        let (something, nothing) = (trainer.has_learned(), trainer.check_learned());
        let mut report = trainer.report();
        let model = trainer.into_model()?;
        let saved = match learned.and_then(|()| self.save(&model, model_file, nothing)) {
            Ok(saved) => saved,
            Err(error) => return Err(if something { self.rescue(&model, &files, &error) } else { error }),
        };
        predictions.map_or(Ok(()), Predictions::finish)?;
        report.model = saved;
        report.seconds.total = began.elapsed().as_secs_f64();
        let model = Arc::new(model);
        report.test = self.test(&model, &tests)?;
        if let Some(page) = page {
            run_page::of_training(&report, &inputs, &kept_progress.unwrap_or_default(), &model)
                .write(page)?;
            // The page has the curves; other reports need not.
            report.curves = None;
            report.test.iter_mut().for_each(|test| test.curves = None);
        }
        log.as_mut().map_or(Ok(()), |log| log.add("report", &report))?;
        if self.quiet && !self.json {
            return interrupt::check();
        }
        if files.takes_stdout() {
            say_all(&report::of_training(&report));
        } else {
            report::print(self.json, &report, || report::of_training(&report))?;
        }
        interrupt::check()
    }

    fn config(&self) -> Config {
        Config {
            passes: Some(self.passes),
            shards: self.shards,
            rounds: self.rounds,
            shuffle: self.shuffle.then_some(true),
            seed: Some(self.seed),
            holdout: self.holdout,
            progress: self.progress,
            on_drift: self.on_drift.map(Into::into),
            label_budget: self.label_budget,
            max_features: self.max_features,
            ..self.decisions.add_to(self.measuring.add_to(self.data.add_to(self.model_args.config())))
        }
    }

    fn trainer(&self) -> anyhow::Result<Trainer> {
        Ok(match &self.resume {
            Some(path) => Trainer::resume_with(Model::load(path)?, self.config())
                .map_err(|error| contradicting(error, path))?,
            None => Trainer::new(self.config())?,
        })
    }

    fn files(&self, inputs: &[Input], tests: &[Input]) -> anyhow::Result<Files> {
        let read = Files::default().reading("test data", tests).resuming(self.resume.as_ref());
        self.data
            .files(read, inputs)?
            .writing_model(self.model.as_ref())?
            .writing("predictions", self.predictions.as_ref())?
            .writing("the log", self.log_json.as_ref())?
            .writing("the report", self.measuring.report.as_ref())
    }

    /// Writes the model. Where nothing was learned there is none, and an old one stays; one that was resumed is as good as before.
    fn save(
        &self,
        model: &Model,
        file: Option<OutputFile>,
        learned: thalweg::Result<()>,
    ) -> anyhow::Result<Option<Saved>> {
        if self.resume.is_none()
            && let Err(nothing) = learned
        {
            interrupt::check()?;
            return Err(anyhow!("{nothing}; no model is written"));
        }
        let Some(file) = file else { return Ok(None) };
        let name = file.name().to_string();
        let bytes = model.save_to(file)?;
        Ok(Some(Saved { file: name, bytes }))
    }

    /// Keeps what was learned before an error, beside the model that it cannot be, and says so.
    fn rescue(&self, model: &Model, files: &Files, error: &anyhow::Error) -> anyhow::Error {
        let is_file = |path: &&PathBuf| !is_stdout(path) && FileId::of(path).is_some();
        let Some(path) = self.model.as_ref().filter(is_file) else { return anyhow!("{error:#}") };
        let mut rescued = path.clone().into_os_string();
        rescued.push(".rescued");
        let rescued = PathBuf::from(rescued);
        let save = || Ok::<_, anyhow::Error>(model.save_to(files.create(&rescued)?)?);
        match save() {
            Ok(_) => anyhow!("{error:#}; what was learned before that is in {}", rescued.display()),
            Err(lost) => anyhow!("{error:#}; what was learned before that could not be saved: {lost}"),
        }
    }

    fn test_data(&self) -> anyhow::Result<Vec<Input>> {
        let inputs = inputs(&self.test)?;
        if inputs.contains(&Input::Stdin) {
            return Err(usage("test data must be files"));
        }
        Ok(inputs)
    }

    fn test(&self, model: &Arc<Model>, inputs: &[Input]) -> anyhow::Result<Option<EvalReport>> {
        if inputs.is_empty() || interrupt::has_come() {
            return Ok(None);
        }
        // The file of rejected lines belongs to the training data.
        let config =
            Config { reject_file: None, ..self.measuring.add_to(self.data.add_to(Config::default())) };
        let predictor = Predictor::new(Arc::clone(model)).configured(config)?;
        crate::eval::measure(&predictor, inputs, self.quiet, self.json).map(Some)
    }
}
