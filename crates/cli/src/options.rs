//! The options that a model remembers: taken from the flags of a first run, from the model ever after.

use std::path::Path;

use clap::{Args, ValueEnum};
use thalweg_core::cost::Costs;
use thalweg_core::learners::{self, LEARNERS, with_knob};
use thalweg_core::{Learner, Setup, Task};
use thalweg_data::labels::MOST_CLASSES;
use thalweg_data::model_file::{self, Loaded, Options};
use thalweg_data::prepare::Scale;
use thalweg_data::prepare::{Norm, Prepare};
use thalweg_data::{FeatureState, Labels};

use crate::args::{Normalize, ScaleBy};
use crate::reading::ReadingArgs;
use crate::usage;

const DEFAULT_LEARNER: &str = "ssol";

/// What is learned and how examples are prepared.
#[derive(Args)]
pub(crate) struct ModelArgs {
    /// The learner and its knobs, such as ssol:eta=1,lambda=1e-4 (see `thalweg learners`) [default: ssol]
    #[arg(short = 'a', long = "learner", value_name = "NAME:KNOB=VALUE,...")]
    learner: Option<String>,

    /// How many examples make a batch, for learners that take them by the batch (see `thalweg learners`) [default: all
    /// of the data]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    batch: Option<u64>,

    #[command(flatten)]
    reading: ReadingArgs,

    /// Make every value 1
    #[arg(long)]
    binary: bool,

    /// Divide every value by what is typical of its feature so far (before --normalize)
    #[arg(long, value_enum, value_name = "HOW")]
    scale: Option<ScaleBy>,

    /// Divide every example by its length
    #[arg(long, value_enum, value_name = "NORM")]
    normalize: Option<Normalize>,

    /// Add a constant feature of value 1
    #[arg(long)]
    bias: bool,

    /// The label of the positive class; all others are negative [default: the greater of two labels]
    #[arg(long, value_name = "LABEL", allow_hyphen_values = true)]
    positive: Option<String>,

    /// Learn any number of classes: hinge (the true class against its strongest rival) or ovr (each class against
    /// all others); without a value, hinge where the learner can, else ovr
    #[arg(long, value_enum, value_name = "HOW", num_args = 0..=1, default_missing_value = "any", conflicts_with = "positive")]
    multiclass: Option<Multiclass>,

    /// With --multiclass: the most classes that there may be [default: 4096, or as many as the model has]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(2..))]
    max_classes: Option<u32>,

    /// Cost of a missed positive (false negative) [default: 1]
    #[arg(long, value_name = "COST", value_parser = cost, allow_negative_numbers = true)]
    cost_fn: Option<f64>,

    /// Cost of a false alarm (false positive) [default: 1]
    #[arg(long, value_name = "COST", value_parser = cost, allow_negative_numbers = true)]
    cost_fp: Option<f64>,

    /// Multiply the cost of a missed positive by the stream's imbalance so far, (negatives+1)/(positives+1)
    #[arg(long)]
    balanced: bool,
}

/// How many classes are told apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Multiclass {
    /// The true class must beat its strongest rival by 1
    Hinge,
    /// Each class against all others
    Ovr,
    #[value(hide = true)]
    Any,
}

impl Multiclass {
    fn task(self, learner: &str) -> anyhow::Result<Task> {
        let name = learner.split(':').next().unwrap_or_default().trim();
        Ok(match self {
            Multiclass::Hinge => Task::Hinge,
            Multiclass::Any if learners::find(name).map_err(usage)?.one_of_k => Task::Hinge,
            Multiclass::Ovr | Multiclass::Any => Task::Ovr,
        })
    }
}

fn show_task(task: Task) -> &'static str {
    match task {
        Task::Binary => "no --multiclass",
        Task::Hinge => "--multiclass hinge",
        Task::Ovr => "--multiclass ovr",
    }
}

fn cost(text: &str) -> Result<f64, String> {
    let cost = text.parse().ok().filter(|c: &f64| *c > 0.0 && c.is_finite());
    cost.ok_or_else(|| "a cost must be a number greater than 0".into())
}

/// What training begins with.
pub(crate) struct Start {
    pub(crate) learner: Box<dyn Learner>,
    pub(crate) options: Options,
    pub(crate) labels: Labels,
    pub(crate) feature_state: FeatureState,
}

impl ModelArgs {
    /// A learner that has seen nothing.
    pub(crate) fn fresh(&self) -> anyhow::Result<Start> {
        self.fresh_or(DEFAULT_LEARNER, str::to_string)
    }

    /// A learner that has seen nothing; another default, and its spelling adjusted.
    pub(crate) fn fresh_or(&self, default: &str, adjust: impl Fn(&str) -> String) -> anyhow::Result<Start> {
        let costs = Costs {
            missed: self.cost_fn.unwrap_or(1.0),
            false_alarm: self.cost_fp.unwrap_or(1.0),
            balanced: self.balanced,
        };
        let spec = self.with_batch(&adjust(self.learner.as_deref().unwrap_or(default)))?;
        let task = self.multiclass.map_or(Ok(Task::Binary), |multiclass| multiclass.task(&spec))?;
        let learner = learners::build(&spec, &Setup { costs, task, ..Setup::default() }).map_err(usage)?;
        let labels = match (task, &self.positive) {
            (Task::Hinge | Task::Ovr, _) => self.limited(Labels::many()),
            (Task::Binary, Some(positive)) => Labels::positive(positive),
            (Task::Binary, None) => Labels::default(),
        };
        let options = Options {
            prepare: Prepare {
                binary: self.binary,
                scale: self.scale.map(Scale::from),
                normalize: self.normalize.map(Norm::from),
                bias: self.bias,
            },
            rest: labels.is_rest(),
            reading: self.reading.reading(),
        };
        Ok(Start { learner, options, labels, feature_state: FeatureState::default() })
    }

    fn limited(&self, labels: Labels) -> Labels {
        labels.at_most(self.max_classes.map_or(MOST_CLASSES, |most| most as usize))
    }

    /// The learner with the size of its batches, if that is given.
    fn with_batch(&self, spec: &str) -> anyhow::Result<String> {
        let Some(size) = self.batch else { return Ok(spec.to_string()) };
        let name = spec.split(':').next().unwrap_or_default();
        if !learners::find(name.trim()).map_err(usage)?.has_knob("batch") {
            let takers: Vec<&str> =
                LEARNERS.iter().filter(|entry| entry.has_knob("batch")).map(|entry| entry.name).collect();
            let takers = takers.join(", ");
            return Err(usage(format!("{name} takes its examples one by one; --batch is for {takers}")));
        }
        Ok(with_knob(spec, "batch", size))
    }

    /// A model to go on with. Flags may repeat what it knows, but not contradict it.
    pub(crate) fn resume(&self, path: &Path) -> anyhow::Result<Start> {
        let Loaded { model, options, feature_state } = model_file::load(path)?;
        let was = |known: String, given: String| {
            usage(format!("{} was trained with {known}, but {given} was given", path.display()))
        };
        self.check_learner(&model.learner.spec(), &was)?;
        let task = model.learner.task();
        let agrees = match self.multiclass {
            None => true,
            Some(Multiclass::Any) => task != Task::Binary,
            Some(Multiclass::Hinge) => task == Task::Hinge,
            Some(Multiclass::Ovr) => task == Task::Ovr,
        };
        if !agrees {
            let given = self
                .multiclass
                .map_or(Ok(Task::Binary), |multiclass| multiclass.task(&model.learner.spec()))?;
            return Err(was(show_task(task).into(), show_task(given).into()));
        }
        let flag = |on: bool, name: &str| if on { name.to_string() } else { format!("no {name}") };
        let show = |norm: Option<Norm>| {
            norm.map_or_else(
                || "no --normalize".into(),
                |norm| format!("--normalize {}", format!("{norm:?}").to_lowercase()),
            )
        };
        let costs = model.learner.costs();
        let labels = self.limited(options.labels(&model));
        if let Some(given) = self.normalize.map(Norm::from)
            && options.prepare.normalize != Some(given)
        {
            return Err(was(show(options.prepare.normalize), show(Some(given))));
        }
        if let Some(given) = self.scale.map(Scale::from)
            && options.prepare.scale != Some(given)
        {
            let show = |scale: Scale| format!("--scale {}", format!("{scale:?}").to_lowercase());
            let known = options.prepare.scale.map_or_else(|| "no --scale".into(), show);
            return Err(was(known, show(given)));
        }
        for (given, known, name) in [
            (self.bias, options.prepare.bias, "--bias"),
            (self.binary, options.prepare.binary, "--binary"),
            (self.balanced, costs.balanced, "--balanced"),
        ] {
            if given && !known {
                return Err(was(flag(false, name), flag(true, name)));
            }
        }
        for (given, known, name) in
            [(self.cost_fn, costs.missed, "--cost-fn"), (self.cost_fp, costs.false_alarm, "--cost-fp")]
        {
            if let Some(given) = given
                && given != known
            {
                return Err(was(format!("{name} {known}"), format!("{name} {given}")));
            }
        }
        if let Some(given) = &self.positive
            && (task != Task::Binary || Labels::positive(given).names()[1] != labels.names()[1])
        {
            let known = match task {
                Task::Binary => format!("positive label \"{}\"", labels.name(1)),
                Task::Hinge | Task::Ovr => show_task(task).into(),
            };
            return Err(was(known, format!("--positive {given}")));
        }
        let options = options.told();
        if let Some((known, given)) = self.reading.contradiction(&options.reading) {
            return Err(was(known, given));
        }
        Ok(Start { options, labels, feature_state, learner: model.learner })
    }

    fn check_learner(
        &self,
        known: &str,
        was: &dyn Fn(String, String) -> anyhow::Error,
    ) -> anyhow::Result<()> {
        if self.learner.is_none() && self.batch.is_none() {
            return Ok(());
        }
        let name = known.split(':').next().unwrap_or_default();
        let given = &self.with_batch(self.learner.as_deref().unwrap_or(name))?;
        // Built once, so that a wrong knob is an error and 1e0 is the same as 1.
        let canonical = learners::build(given, &Setup::default()).map_err(usage)?.spec();
        let parts = |spec: &str| {
            let (name, knobs) = spec.split_once(':').unwrap_or((spec, ""));
            (name.trim().to_string(), knobs.split(',').map(|k| k.trim().to_string()).collect::<Vec<_>>())
        };
        let knob_name = |knob: &String| knob.split('=').next().unwrap_or_default().trim().to_string();
        let ((known_name, known_knobs), (name, knobs)) = (parts(known), parts(&canonical));
        if name != known_name {
            return Err(was(format!("-a {known_name}"), format!("-a {name}")));
        }
        let typed: Vec<String> = parts(given).1.iter().map(knob_name).collect();
        for (ours, theirs) in knobs.iter().zip(&known_knobs) {
            if ours != theirs && typed.contains(&knob_name(ours)) {
                return Err(was(format!("{name}:{theirs}"), format!("{name}:{ours}")));
            }
        }
        Ok(())
    }
}
