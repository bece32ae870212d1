//! What the tests over the registry share: the golden traces, and streams to try laws on.
//!
//! See `tests/laws.rs` (sentences that are true of every learner) and `tests/traces.rs` (what each learner must say).
#![allow(clippy::missing_panics_doc, clippy::unwrap_used)]

pub mod data_sets;

use std::collections::{BTreeMap, BTreeSet};

use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64;
use serde::Deserialize;
use thalweg_core::cost::Costs;
use thalweg_core::learners::{self, Entry, LEARNERS, with_knob};
use thalweg_core::model::{ModelFile, Sections};
use thalweg_core::{Batch, Learner, Outcomes, Setup, Task};

/// Golden traces.
#[derive(Deserialize)]
pub struct Traces {
    /// The examples.
    #[serde(default)]
    pub tasks: BTreeMap<String, Examples>,
    /// What learners made of them.
    pub runs: Vec<Run>,
}

/// Examples, features counted from 0.
#[derive(Deserialize)]
pub struct Examples {
    /// Number of features.
    pub d: u32,
    /// Features of every example.
    pub indices: Vec<Vec<u32>>,
    /// Their values.
    pub values: Vec<Vec<f64>>,
    /// Labels: +1 or −1, or the class.
    pub y: Vec<i32>,
}

/// One learner on one task: what it said before every round, and its weights in the end.
#[derive(Deserialize)]
#[allow(missing_docs)]
pub struct Run {
    pub learner: String,
    pub options: Options,
    pub task: String,
    #[serde(default)]
    pub score: Vec<Numbers>,
    #[serde(default)]
    pub predicted: Vec<i32>,
    #[serde(default)]
    pub loss: Vec<f64>,
    #[serde(default)]
    pub updated: Vec<bool>,
    #[serde(default)]
    pub per_batch: Vec<AfterBatch>,
    pub weights: Vec<Numbers>,
}

/// What a learner that takes its examples by the batch knows after one.
#[derive(Deserialize)]
#[allow(missing_docs)]
pub struct AfterBatch {
    pub weights: Vec<f64>,
    pub variances: Option<Vec<f64>>,
    pub features: Option<Vec<u32>>,
}

/// One number, or one per class (scores) or per feature (weights).
#[derive(Deserialize)]
#[serde(untagged)]
#[allow(missing_docs)]
pub enum Numbers {
    One(f64),
    Many(Vec<f64>),
}

impl Numbers {
    /// All of them.
    pub fn as_slice(&self) -> &[f64] {
        match self {
            Numbers::One(number) => std::slice::from_ref(number),
            Numbers::Many(numbers) => numbers,
        }
    }
}

/// The options of a run, as the command line spells them.
#[derive(Deserialize)]
#[allow(missing_docs)]
pub struct Options {
    pub cost_fn: Option<f64>,
    pub cost_fp: Option<f64>,
    #[serde(default)]
    pub balanced: bool,
    pub classes: Option<usize>,
    pub batch: Option<usize>,
}

impl Traces {
    /// The traces of two-class learners.
    pub fn binary() -> Self {
        serde_json::from_str(include_str!("../traces/binary.json")).unwrap()
    }

    /// The traces of the default learner, made by `traces/sarow.py`.
    pub fn sarow() -> Self {
        serde_json::from_str(include_str!("../traces/sarow.json")).unwrap()
    }

    /// The traces of a learner that is in none of the five papers, made by `traces/ftrl.py`.
    pub fn ftrl() -> Self {
        serde_json::from_str(include_str!("../traces/ftrl.json")).unwrap()
    }

    /// The traces of variants that a knob chooses, made by `traces/variants.py` on the tasks of two-class learners.
    pub fn variants() -> Self {
        let runs: Self = serde_json::from_str(include_str!("../traces/variants.json")).unwrap();
        Self { tasks: Self::binary().tasks, ..runs }
    }

    /// The traces of acog's mean and of the knobs of the sketches, made by `traces/sketches.py`.
    pub fn sketches() -> Self {
        serde_json::from_str(include_str!("../traces/sketches.json")).unwrap()
    }

    /// The traces of the race of learners before its first look, made by `traces/auto.py`.
    pub fn auto() -> Self {
        serde_json::from_str(include_str!("../traces/auto.json")).unwrap()
    }

    /// The traces of learners that take their examples by the batch.
    pub fn batch() -> Self {
        serde_json::from_str(include_str!("../traces/batch.json")).unwrap()
    }

    /// The traces of more knobs of BCW and SBCW, made by `traces/bcw.py`.
    pub fn bcw() -> Self {
        serde_json::from_str(include_str!("../traces/bcw.json")).unwrap()
    }

    /// The traces of learners of many classes.
    pub fn multiclass() -> Self {
        serde_json::from_str(include_str!("../traces/multiclass.json")).unwrap()
    }
}

impl Run {
    /// The registered learner that the run is of, if it offers the variant: some traces are of a full covariance, and
    /// a learner's own knobs say whether it has one.
    pub fn entry(&self) -> Option<&'static Entry> {
        let entry = LEARNERS.iter().find(|e| self.learner.split(':').next() == Some(e.name))?;
        let full = self.learner.contains("covariance=full");
        let offers_full =
            || (entry.knobs)().iter().any(|k| k.name == "covariance" && k.kind.contains("full"));
        (!full || offers_full()).then_some(entry)
    }

    /// The learner with the options that are knobs of its own.
    pub fn spec(&self) -> String {
        self.options.batch.map_or(self.learner.clone(), |size| with_knob(&self.learner, "batch", size))
    }

    /// A fresh learner as the run's spelling and options ask for.
    pub fn build(&self) -> Box<dyn Learner> {
        let task = if self.options.classes.is_some() { Task::Hinge } else { Task::Binary };
        let classes = self.options.classes.unwrap_or(2);
        let setup = Setup { costs: self.costs(), task, classes, ..Setup::default() };
        learners::build(&self.spec(), &setup).unwrap()
    }

    /// The run's costs.
    pub fn costs(&self) -> Costs {
        Costs {
            missed: self.options.cost_fn.unwrap_or(1.0),
            false_alarm: self.options.cost_fp.unwrap_or(1.0),
            balanced: self.options.balanced,
            // The traces begin with one made-up example of each class.
            balance_prior: 1.0,
            ..Costs::default()
        }
    }
}

impl Examples {
    /// The examples as learners take them: features counted from 1, as in LIBSVM text; −1 and +1 are classes 0 and 1.
    pub fn batch(&self) -> Batch {
        let mut batch = Batch::default();
        for ((indices, values), y) in self.indices.iter().zip(&self.values).zip(&self.y) {
            let features = indices.iter().map(|i| i + 1).zip(values.iter().copied());
            batch.push(features, Some((*y).max(0) as u32)).unwrap();
        }
        batch
    }
}

/// A learner in one of its variants.
pub struct Candidate {
    /// Its entry in the registry.
    pub entry: &'static Entry,
    /// Its name and knobs.
    pub spec: String,
    /// Two classes, or many and how.
    pub task: Task,
}

impl Candidate {
    /// A fresh learner, errors costing the same.
    pub fn build(&self) -> Box<dyn Learner> {
        learners::build(&self.spec, &Setup { task: self.task, ..Setup::default() }).unwrap()
    }

    /// The same learner with steps that do not follow the costs.
    pub fn with_steps_set(&self) -> String {
        let knobs = (self.entry.knobs)();
        let is_set = |name: &str| self.spec.contains(&format!("{name}="));
        // The r of a covariance is no step.
        let is_step = |name: &str| name != "r";
        let unset = knobs
            .iter()
            .filter(|knob| knob.kind == "auto|number" && is_step(knob.name) && !is_set(knob.name));
        unset.fold(self.spec.clone(), |spec, knob| with_knob(&spec, knob.name, 2))
    }

    /// Is it the learner as one gets it without saying more?
    pub fn is_default(&self) -> bool {
        self.spec == usual(self.entry) && self.task == Task::Binary
    }

    /// How many classes its examples have.
    pub fn classes(&self) -> u32 {
        if self.task == Task::Binary { 2 } else { 4 }
    }

    /// A stream with the right number of classes.
    pub fn stream(&self, examples: usize, seed: u64) -> Vec<Example> {
        let mut all = stream(examples, seed);
        if self.task != Task::Binary {
            all.iter_mut().for_each(|(x, y)| *y += 2 * u32::from(x.len() % 3 == 0));
        }
        all
    }
}

impl std::fmt::Display for Candidate {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} ({:?})", self.spec, self.task)
    }
}

/// A learner as one gets it without saying more, except that it must not wait for the end of the data.
fn usual(entry: &'static Entry) -> String {
    if entry.has_knob("batch") { with_knob(entry.name, "batch", 50) } else { entry.name.to_string() }
}

/// Every registered learner with its defaults, for two classes and many, and in every variant that has a trace.
pub fn candidates() -> Vec<Candidate> {
    let entry = |spec: &str| learners::find(spec.split(':').next().unwrap()).unwrap();
    let candidate = |spec: String, task| Candidate { entry: entry(&spec), spec, task };
    let names = || LEARNERS.iter().map(usual);
    let specs = |traces: Traces| {
        let known = traces.runs.into_iter().filter(|run| run.entry().is_some());
        known.map(|run| run.spec()).collect::<BTreeSet<String>>()
    };
    let mut all: Vec<Candidate> = Vec::new();
    let traced = [Traces::binary(), Traces::variants(), Traces::batch(), Traces::bcw(), Traces::sketches()];
    let two_classes = names().chain(traced.into_iter().flat_map(specs));
    all.extend(two_classes.map(|spec| candidate(spec, Task::Binary)));
    all.extend(names().map(|spec| candidate(spec, Task::Ovr)));
    all.extend(names().chain(specs(Traces::multiclass())).map(|spec| candidate(spec, Task::Hinge)));
    all.retain(|c| c.task != Task::Hinge || c.entry.one_of_k);
    all
}

/// One example of a made-up stream.
pub type Example = (Vec<(u32, f64)>, u32);

/// A noisy, sparse, unbalanced stream; the same seed gives the same stream.
pub fn stream(examples: usize, seed: u64) -> Vec<Example> {
    let mut random = Pcg64::seed_from_u64(seed);
    (0..examples)
        .map(|_| {
            let mut features = BTreeMap::new();
            for _ in 0..random.random_range(1..12) {
                let u: f64 = random.random();
                let feature = (60.0 * u * u) as u32; // low features are frequent
                features.insert(feature, (random.random_range(-2.0..2.0f64) * 64.0).round() / 64.0);
            }
            let score: f64 = features.iter().map(|(&f, x)| x * f64::from(f % 5).mul_add(0.5, -1.0)).sum();
            let positive = score + random.random_range(-1.0..1.0) > 0.8;
            (features.into_iter().filter(|(_, x)| *x != 0.0).collect(), u32::from(positive))
        })
        .collect()
}

/// The examples as one batch.
pub fn batch(examples: &[Example]) -> Batch {
    let mut batch = Batch::default();
    for (features, class) in examples {
        batch.push(features.iter().copied(), Some(*class)).unwrap();
    }
    batch
}

/// Learns from the examples; what it said of each before it learned.
pub fn learn(learner: &mut dyn Learner, examples: &[Example]) -> Outcomes {
    let mut outcomes = Outcomes::default();
    learner.learn(&batch(examples), &mut outcomes).unwrap();
    outcomes
}

/// Everything that a learner is, as a model file.
pub fn bytes(learner: &dyn Learner) -> Vec<u8> {
    let (options, labels) = (serde_json::Map::new(), Vec::new());
    ModelFile { learner: learner.fork(), options, labels, sections: Sections::new() }.to_bytes()
}
