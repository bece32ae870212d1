//! `thalweg train`: the main loop, source to sink.

use std::path::PathBuf;
use std::time::{Duration, Instant};

use anyhow::anyhow;
use clap::Args;
use thalweg_core::model::Model;
use thalweg_core::{Batch, Learner, Outcomes, TooLarge};
use thalweg_data::model_file::{self, Options};
use thalweg_data::names::Eviction;
use thalweg_data::{FileId, InMemory, Input, Labels, MemoryLimit, OutputFile, Reader, is_stdout, open};
use thalweg_eval::{Prequential, Sink};

use crate::args::{DataArgs, inputs, show_complaints, without_rejects};
use crate::files::Files;
use crate::options::{ModelArgs, Start};
use crate::output::Predictions;
use crate::progress::{self, say_all};
use crate::report::{self, EvalReport, Saved, Seconds, TrainReport};
use crate::{eval, interrupt, usage};

#[derive(Args)]
pub(crate) struct Train {
    #[command(flatten)]
    data: DataArgs,

    #[command(flatten)]
    model_args: ModelArgs,

    /// Write the model here (- is standard output)
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
    max_memory: u64,
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
        let tests = self.test_data()?;
        let files = self.files(&inputs, &tests)?;
        // Before the model is read: from now on no other run can replace it.
        let model_file = self.model.as_deref().map(|path| files.create(path)).transpose()?;
        let start = self.start(&inputs)?;
        let predictions = self.predictions.as_deref().map(|path| files.create(path)).transpose()?;
        interrupt::listen()?;
        let before = start.learner.counts();
        let mut options = start.options.clone();
        let mut run = Run {
            learner: start.learner.fork(),
            max_memory: self.data.max_memory,
            figures: Prequential::default(),
            predictions: predictions.map(Predictions::new),
            sink: progress::sink(self.quiet, self.json, &inputs),
            shown: 0,
            show_next: 1,
            reading: Duration::ZERO,
            learning: Duration::ZERO,
        };
        let mut reader = run.timed_reading(|| self.open(&inputs, start))?;
        run.learner.limit_memory(self.data.max_memory);
        run.learner.declare_classes(reader.labels().names().len());
        let learned = run.all_passes(reader.as_mut(), self.passes);
        run.show_end(reader.labels());
        drop(run.sink);

        options.rest = reader.labels().is_rest();
        let format = reader.format();
        options.reading.table =
            options.reading.table.or_else(|| format.is_table().then(|| format.name().to_string()));
        options.reading.naming = reader.names().naming();
        let labels = reader.labels().names().to_vec();
        let sections = reader.feature_state().write();
        let model = Model { learner: run.learner, options: options.to_map(), labels, sections };
        // What was refused at the end of the data, for the time being, may have been learned from after all.
        let counts = model.learner.counts();
        let rejected = counts.rejected.saturating_sub(before.rejected);
        let something = run.figures.examples() > 0 && (rejected == 0 || counts.examples > before.examples);
        let saved = match learned.and_then(|()| self.save(&model, model_file, something)) {
            Ok(saved) => saved,
            Err(error) => return Err(if something { self.rescue(&model, &files, &error) } else { error }),
        };
        run.predictions.map_or(Ok(()), Predictions::finish)?;
        let seconds = Seconds {
            total: began.elapsed().as_secs_f64(),
            reading: run.reading.as_secs_f64(),
            learning: run.learning.as_secs_f64(),
        };
        let test = self.test(&model, &tests, reader.as_ref(), options)?;
        if self.quiet && !self.json {
            return interrupt::check();
        }
        let learner = &model.learner;
        let (nonzeros, features) = (learner.nonzeros(), learner.features());
        let census = reader.counts();
        let report = TrainReport {
            learner: learner.spec(),
            passes: self.passes,
            interrupted: interrupt::has_come(),
            bad_lines: census.bad,
            sorted_examples: census.sorted,
            rejected,
            seconds,
            figures: report::figures(&run.figures, learner.as_ref(), reader.labels()),
            updates: run.figures.updates(),
            nonzeros,
            features,
            classes: learner.classes(),
            memory: learner.memory(),
            shared_numbers: reader.names().collisions(),
            evicted: reader.feature_state().eviction.as_ref().map(Eviction::evicted),
            sparsity: report::sparsity(learner.as_ref(), nonzeros, features),
            model: saved,
            test,
        };
        if files.takes_stdout() {
            say_all(&report.text());
        } else {
            report::print(self.json, &report, || report.text())?;
        }
        interrupt::check()
    }

    fn files(&self, inputs: &[Input], tests: &[Input]) -> anyhow::Result<Files> {
        let read = Files::default().reading("test data", tests).resuming(self.resume.as_ref());
        self.data
            .files(read, inputs)?
            .writing_model(self.model.as_ref())?
            .writing("predictions", self.predictions.as_ref())
    }

    /// Writes the model. Where nothing was learned there is none, and an old one stays; one that was resumed is as good as before.
    fn save(
        &self,
        model: &Model,
        file: Option<OutputFile>,
        something: bool,
    ) -> anyhow::Result<Option<Saved>> {
        if !something && self.resume.is_none() {
            interrupt::check()?;
            let why = match model.learner.counts().rejected {
                0 => "there was not one example to learn from".into(),
                refused => format!("all {refused} examples were refused, their updates would not be finite"),
            };
            anyhow::bail!("nothing was learned: {why}; no model is written");
        }
        let Some(file) = file else { return Ok(None) };
        let name = file.name().to_string();
        let bytes = model_file::save(model, file)?;
        Ok(Some(Saved { file: name, bytes }))
    }

    /// Keeps what was learned before an error, beside the model that it cannot be, and says so.
    fn rescue(&self, model: &Model, files: &Files, error: &anyhow::Error) -> anyhow::Error {
        let is_file = |path: &&PathBuf| !is_stdout(path) && FileId::of(path).is_some();
        let Some(path) = self.model.as_ref().filter(is_file) else { return anyhow!("{error:#}") };
        let mut rescued = path.clone().into_os_string();
        rescued.push(".rescued");
        let rescued = PathBuf::from(rescued);
        let save = || Ok::<_, anyhow::Error>(model_file::save(model, files.create(&rescued)?)?);
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

    fn start(&self, inputs: &[Input]) -> anyhow::Result<Start> {
        let mut start = match &self.resume {
            Some(path) => self.model_args.resume(path)?,
            None => self.model_args.fresh()?,
        };
        start.options.reading.headless |= self.data.is_headless();
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
        let reader = open(inputs, self.data.settings(&start.options, start.labels, start.feature_state))?;
        let keep = self.keeps_all(inputs);
        let seed = self.shuffle.then_some(self.seed);
        Ok(if keep {
            Box::new(InMemory::read_all(reader, seed, interrupt::get(), MemoryLimit(self.data.max_memory))?)
        } else {
            reader
        })
    }

    fn test(
        &self,
        model: &Model,
        inputs: &[Input],
        reader: &dyn Reader,
        options: Options,
    ) -> anyhow::Result<Option<EvalReport>> {
        if inputs.is_empty() || interrupt::has_come() {
            return Ok(None);
        }
        let settings = self.data.settings_for_scoring(model, options, reader.feature_state().clone());
        eval::measure(model, inputs, without_rejects(settings), self.quiet).map(Some)
    }
}

impl Run {
    fn timed_reading<T, E>(&mut self, read: impl FnOnce() -> Result<T, E>) -> Result<T, E> {
        let began = Instant::now();
        let result = read();
        self.reading += began.elapsed();
        result
    }

    fn all_passes(&mut self, reader: &mut dyn Reader, passes: u64) -> anyhow::Result<()> {
        for pass in 0..passes {
            if interrupt::has_come() {
                break;
            }
            if pass > 0 {
                self.timed_reading(|| reader.rewind())?;
            }
            self.one_pass(reader)?;
        }
        Ok(())
    }

    fn one_pass(&mut self, reader: &mut dyn Reader) -> anyhow::Result<()> {
        let (mut batch, mut outcomes, mut lines) = (Batch::default(), Outcomes::default(), Vec::new());
        loop {
            let more = self.timed_reading(|| reader.read(&mut batch));
            show_complaints(reader, |line| self.sink.note(line));
            if !more? {
                if let Some(predictions) = &mut self.predictions {
                    predictions.write_skipped(reader.skipped())?;
                }
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
                Predictions::lines(&outcomes, &batch, reader.skipped(), reader.labels(), &mut lines);
                predictions.write(&lines)?;
            }
            let weighted = || self.learner.weights().iter().map(|weight| weight.feature).collect();
            if let Some(new) = reader.evict_features(&weighted) {
                self.learner.renumber(&|feature| new.of(feature));
            }
            self.check_memory(reader)?;
            self.sink.consumed(reader.counts().consumed);
            if self.figures.examples() >= self.show_next {
                self.show_progress(reader.labels());
                self.show_next = (self.figures.examples() + 1).next_power_of_two();
            }
        }
    }

    /// A model that grows beyond all bounds ends with an error, and not with the death of the process.
    fn check_memory(&self, reader: &dyn Reader) -> Result<(), TooLarge> {
        let needed = (self.learner.memory() + reader.feature_state().memory()) as u64;
        if needed <= self.max_memory {
            return Ok(());
        }
        let count = self.learner.features() as u64;
        Err(TooLarge { what: "the model", count, of: "features", needed, allowed: self.max_memory })
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

    /// The last line of the table.
    fn show_end(&mut self, labels: &Labels) {
        if self.figures.examples() > self.shown {
            self.show_progress(labels);
        }
    }
}
