//! `thalweg train`: the main loop, source to sink.

use std::path::PathBuf;
use std::time::{Duration, Instant};

use clap::Args;
use thalweg_core::model::Model;
use thalweg_core::{Batch, Learner, Outcomes};
use thalweg_data::room::Room;
use thalweg_data::{Input, Known, Labels, Memory, Reader, model_file, open};
use thalweg_eval::{Prequential, Sink};

use crate::args::{DataArgs, inputs, show_complaints, size, without_rejects};
use crate::eval;
use crate::options::{ModelArgs, Start};
use crate::output::{Predictions, is_stdout};
use crate::progress::{self, say};
use crate::report::{self, EvalReport, Saved, Seconds, TrainReport};
use crate::usage;

#[derive(Args)]
pub(crate) struct Train {
    #[command(flatten)]
    data: DataArgs,

    #[command(flatten)]
    model_args: ModelArgs,

    /// Write the model here
    #[arg(short = 'f', long = "model", value_name = "FILE")]
    model: Option<PathBuf>,

    /// Go on with this model, exactly as if training had never stopped
    #[arg(short = 'i', long = "resume", value_name = "FILE")]
    resume: Option<PathBuf>,

    /// Write the score before learning and the predicted label of every example (- is standard output)
    #[arg(short = 'p', long, value_name = "FILE")]
    predictions: Option<PathBuf>,

    /// Measure the model on this data afterwards
    #[arg(short = 't', long = "test", value_name = "DATA")]
    test: Vec<String>,

    /// How often to go through the data
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u64).range(1..))]
    passes: u64,

    /// Read everything into memory and go through it in a random order, another one in every pass
    #[arg(long)]
    shuffle: bool,

    /// The seed of the random order
    #[arg(long, default_value_t = 0, requires = "shuffle")]
    seed: u64,

    /// The most memory that a covariance matrix or a batch may take, such as 512M or 8G
    #[arg(long, default_value = "4G", value_name = "SIZE", value_parser = size)]
    max_memory: u64,

    /// The most features to keep names and weights of; beyond it the rarest leave, those without a weight first, and begin anew
    /// if they come again
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..), conflicts_with_all = ["hash_bits", "shuffle"])]
    max_features: Option<u64>,

    /// No progress and no report
    #[arg(short, long)]
    quiet: bool,

    /// The report as JSON, progress as JSON lines
    #[arg(long)]
    json: bool,
}

/// Everything that one run carries through its loop.
struct Run {
    learner: Box<dyn Learner>,
    figures: Prequential,
    predictions: Option<Predictions>,
    sink: Box<dyn Sink>,
    /// Examples at the last line of the table, and at the next.
    shown: u64,
    show_next: u64,
    reading: Duration,
    learning: Duration,
}

impl Train {
    pub(crate) fn run(&self) -> anyhow::Result<()> {
        let began = Instant::now();
        let inputs = self.data.inputs()?;
        self.data.check_outputs(&inputs, self.model.iter().chain(&self.predictions))?;
        let start = self.start(&inputs)?;
        if let Some(path) = &self.model {
            model_file::check_writable(path)?;
        }
        let predictions = self.predictions.as_deref().map(Predictions::create).transpose()?;
        let before = start.learner.counts();
        let mut options = start.options.clone();
        let mut run = Run {
            learner: start.learner.fork(),
            figures: Prequential::default(),
            predictions,
            sink: progress::sink(self.quiet, self.json, &inputs),
            shown: 0,
            show_next: 1,
            reading: Duration::ZERO,
            learning: Duration::ZERO,
        };
        let mut reader = run.timed_reading(|| self.open(&inputs, start))?;
        run.learner.limit_memory(self.max_memory);
        run.learner.declare_classes(reader.labels().names().len());
        for pass in 0..self.passes {
            if pass > 0 {
                run.timed_reading(|| reader.rewind())?;
            }
            run.one_pass(reader.as_mut())?;
        }
        run.finish(reader.labels())?;
        drop(run.sink);

        options.rest = reader.labels().is_rest();
        options.reading.naming = reader.names().naming();
        let labels = reader.labels().names().to_vec();
        let sections = reader.known().write();
        let model = Model { learner: run.learner, options: options.to_map(), labels, sections };
        let saved = match &self.model {
            Some(path) => {
                Some(Saved { file: path.display().to_string(), bytes: model_file::save(&model, path)? })
            }
            None => None,
        };
        let seconds = Seconds {
            total: began.elapsed().as_secs_f64(),
            reading: run.reading.as_secs_f64(),
            learning: run.learning.as_secs_f64(),
        };
        let test = self.test(&model, reader.known())?;
        if self.quiet && !self.json {
            return Ok(());
        }
        let learner = &model.learner;
        let (nonzeros, features) = (learner.nonzeros(), learner.features());
        let census = reader.census();
        let report = TrainReport {
            learner: learner.spec(),
            passes: self.passes,
            bad_lines: census.bad,
            sorted_examples: census.sorted,
            rejected: learner.counts().rejected - before.rejected,
            seconds,
            figures: report::figures(&run.figures, learner.as_ref(), reader.labels()),
            updates: run.figures.updates(),
            nonzeros,
            features,
            classes: learner.classes(),
            memory: learner.memory(),
            shared_numbers: reader.names().collisions(),
            evicted: reader.known().room.as_ref().map(Room::evicted),
            sparsity: report::sparsity(learner.as_ref(), nonzeros, features),
            model: saved,
            test,
        };
        if self.predictions.as_deref().is_some_and(is_stdout) {
            // Standard output belongs to the predictions.
            say(report.text().trim_end());
            return Ok(());
        }
        report::print(self.json, &report, || report.text())
    }

    fn start(&self, inputs: &[Input]) -> anyhow::Result<Start> {
        let mut start = match &self.resume {
            Some(path) => self.model_args.resume(path)?,
            None => self.model_args.fresh()?,
        };
        let known = &mut start.options.reading.max_features;
        if let (Some(path), Some(given)) = (&self.resume, self.max_features)
            && *known != Some(given)
        {
            let was =
                known.map_or_else(|| "no --max-features".into(), |known| format!("--max-features {known}"));
            return Err(usage(format!(
                "{} was trained with {was}, but --max-features {given} was given",
                path.display()
            )));
        }
        *known = known.or(self.max_features);
        if known.is_none() {
            return Ok(start);
        }
        if !start.learner.can_renumber() {
            let learner = start.learner.spec();
            return Err(usage(format!("--max-features: {learner} cannot let go of single features")));
        }
        if self.keeps_all(inputs) {
            return Err(usage(
                "--max-features: several passes over standard input are kept in memory, with all features",
            ));
        }
        Ok(start)
    }

    /// What can be read only once must be kept for another pass.
    fn keeps_all(&self, inputs: &[Input]) -> bool {
        self.shuffle || (self.passes > 1 && inputs.contains(&Input::Stdin))
    }

    fn open(&self, inputs: &[Input], start: Start) -> anyhow::Result<Box<dyn Reader>> {
        let reader = open(inputs, self.data.settings(&start.options, start.labels, start.known))?;
        let keep = self.keeps_all(inputs);
        Ok(if keep { Box::new(Memory::read_all(reader, self.shuffle.then_some(self.seed))?) } else { reader })
    }

    fn test(&self, model: &Model, known: &Known) -> anyhow::Result<Option<EvalReport>> {
        if self.test.is_empty() {
            return Ok(None);
        }
        let inputs = inputs(&self.test)?;
        if inputs.contains(&Input::Stdin) {
            return Err(usage("test data must be files"));
        }
        let settings = without_rejects(self.data.settings_of(model, known.clone()));
        eval::measure(model, &inputs, settings, self.quiet).map(Some)
    }
}

impl Run {
    fn timed_reading<T, E>(&mut self, read: impl FnOnce() -> Result<T, E>) -> Result<T, E> {
        let began = Instant::now();
        let result = read();
        self.reading += began.elapsed();
        result
    }

    fn one_pass(&mut self, reader: &mut dyn Reader) -> anyhow::Result<()> {
        let (mut batch, mut outcomes, mut lines) = (Batch::default(), Outcomes::default(), Vec::new());
        loop {
            let more = self.timed_reading(|| reader.read(&mut batch));
            show_complaints(reader, |line| self.sink.note(line));
            if !more? {
                let began = Instant::now();
                self.learner.finish();
                self.learning += began.elapsed();
                return Ok(());
            }
            self.learner.check(&batch)?;
            let began = Instant::now();
            self.learner.learn_batch(&batch, &mut outcomes);
            self.learning += began.elapsed();
            self.figures.observe(&batch, &outcomes);
            if let Some(predictions) = &mut self.predictions {
                Predictions::lines(&outcomes, &batch, reader.labels(), &mut lines);
                predictions.write(&lines)?;
            }
            let weighted = || self.learner.weights().iter().map(|weight| weight.feature).collect();
            if let Some(new) = reader.make_room(&weighted) {
                self.learner.renumber(&|feature| new.of(feature));
            }
            self.sink.consumed(reader.census().consumed);
            if self.figures.examples() >= self.show_next {
                self.show_progress(reader.labels());
                self.show_next = (self.figures.examples() + 1).next_power_of_two();
            }
        }
    }

    fn show_progress(&mut self, labels: &Labels) {
        let name = |class| labels.name(class).to_string();
        if self.sink.is_watched()
            && let Some(progress) = self.figures.progress(self.learner.nonzeros(), name)
        {
            self.sink.progress(&progress);
        }
        self.shown = self.figures.examples();
    }

    /// The last line of the table, and the last predictions.
    fn finish(&mut self, labels: &Labels) -> anyhow::Result<()> {
        if self.figures.examples() > self.shown {
            self.show_progress(labels);
        }
        self.predictions.as_mut().map_or(Ok(()), Predictions::finish)
    }
}
