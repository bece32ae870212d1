//! What the tests over the registry share: the golden traces, and streams to try laws on.
//!
//! See `tests/laws.rs` (sentences that are true of every learner) and `tests/traces.rs` (what each learner must say).
#![allow(clippy::missing_panics_doc, clippy::unwrap_used)]

use std::collections::{BTreeMap, BTreeSet};

use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64;
use serde::Deserialize;
use thalweg_core::cost::Costs;
use thalweg_core::learners::{self, Entry, LEARNERS};
use thalweg_core::model::Model;
use thalweg_core::{Batch, Learner, Outcomes};

/// Golden traces of two-class learners.
#[derive(Deserialize)]
pub struct Traces {
    /// The examples.
    pub tasks: BTreeMap<String, Task>,
    /// What learners made of them.
    pub runs: Vec<Run>,
}

/// Examples, features counted from 0.
#[derive(Deserialize)]
pub struct Task {
    /// Number of features.
    pub d: u32,
    /// Features of every example.
    pub indices: Vec<Vec<u32>>,
    /// Their values.
    pub values: Vec<Vec<f64>>,
    /// Labels, +1 or −1.
    pub y: Vec<i32>,
}

/// One learner on one task: what it said before every round, and its weights in the end.
#[derive(Deserialize)]
#[allow(missing_docs)]
pub struct Run {
    pub learner: String,
    pub options: Options,
    pub task: String,
    pub score: Vec<f64>,
    pub predicted: Vec<i32>,
    pub loss: Vec<f64>,
    pub updated: Vec<bool>,
    pub weights: Vec<f64>,
}

/// The options of a run, as the command line spells them.
#[derive(Deserialize)]
#[allow(missing_docs)]
pub struct Options {
    pub cost_fn: Option<f64>,
    pub cost_fp: Option<f64>,
    #[serde(default)]
    pub balanced: bool,
}

impl Traces {
    /// The traces of two-class learners.
    pub fn binary() -> Self {
        serde_json::from_str(include_str!("../traces/binary.json")).unwrap()
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

    /// The run's costs.
    pub fn costs(&self) -> Costs {
        Costs {
            missed: self.options.cost_fn.unwrap_or(1.0),
            false_alarm: self.options.cost_fp.unwrap_or(1.0),
            balanced: self.options.balanced,
        }
    }
}

impl Task {
    /// The examples as learners take them.
    pub fn batch(&self) -> Batch {
        let mut batch = Batch::default();
        for ((indices, values), y) in self.indices.iter().zip(&self.values).zip(&self.y) {
            batch.push(indices.iter().copied().zip(values.iter().copied()), Some(u32::from(*y > 0))).unwrap();
        }
        batch
    }
}

/// A learner in one of its variants.
pub struct Candidate {
    /// Its entry in the registry.
    pub entry: &'static Entry,
    /// How to build it.
    pub spec: String,
}

impl Candidate {
    /// A fresh learner, errors costing the same.
    pub fn build(&self) -> Box<dyn Learner> {
        learners::build(&self.spec, Costs::default()).unwrap()
    }
}

/// Every registered learner with its defaults and in every variant that has a trace.
pub fn candidates() -> Vec<Candidate> {
    let mut specs: BTreeSet<String> = LEARNERS.iter().map(|e| e.name.to_string()).collect();
    specs.extend(Traces::binary().runs.iter().filter(|r| r.entry().is_some()).map(|r| r.learner.clone()));
    let entry = |spec: &str| learners::find(spec.split(':').next().unwrap()).unwrap();
    specs.into_iter().map(|spec| Candidate { entry: entry(&spec), spec }).collect()
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
    learner.learn_batch(&batch(examples), &mut outcomes);
    outcomes
}

/// Everything that a learner is, as a model file.
pub fn bytes(learner: &dyn Learner) -> Vec<u8> {
    Model { learner: learner.fork(), options: serde_json::Map::new(), labels: Vec::new() }.to_bytes()
}
