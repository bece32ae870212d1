//! The examples of a data set, in memory.

use std::collections::HashSet;
use std::path::Path;

use rand::SeedableRng;
use rand::seq::SliceRandom;
use rand_pcg::Pcg64;
use thalweg::{Batch, Class, Input, Task};
use thalweg_data::{self as data, Norm, Prepare, Settings, open};
use thalweg_generate::{Generator, Shape};

use super::ReproduceError;
use super::sets::{Labels, Set, Source};
use crate::Order;

const GERMAN: &[u8] = include_bytes!("../../../../data/german.numer.svm.zst");
const GERMAN_ORDERS: &str = include_str!("../../../../data/german.permutations.txt");

/// The seed of what is drawn once for a set.
const SEED: u64 = 7;

/// The examples of a data set, in memory.
#[derive(Debug)]
pub struct Examples {
    /// All that may be learned from.
    pub train: Batch,
    /// What is only tested on, where the set has it.
    pub test: Batch,
    /// Two classes, or many.
    pub task: Task,
    /// How many classes.
    pub classes: usize,
    /// How many features occur.
    pub features: usize,
    /// The orders that were published.
    orders: Vec<Order>,
}

impl Examples {
    /// Reads or makes the set.
    pub fn of(set: &Set, folder: Option<&Path>) -> Result<Self, ReproduceError> {
        let files = set.files(folder).map_err(ReproduceError::Missing)?;
        let inputs =
            |paths: &[std::path::PathBuf]| paths.iter().cloned().map(Input::File).collect::<Vec<_>>();
        let (mut train, test) = match set.source {
            Source::Bundled => {
                (read(set, &[Input::bytes("german.numer.svm.zst", GERMAN)])?, Batch::default())
            }
            Source::Files { .. } => (read(set, &inputs(&files.train))?, read(set, &inputs(&files.test))?),
            Source::Synthetic { train, test } => (made(0, train), made(train, test)),
            Source::Unavailable => return Err(ReproduceError::Missing(set.remark.into())),
        };
        if let Some(rows) = set.rows.filter(|rows| *rows != train.len()) {
            return Err(ReproduceError::OtherRows { set: set.name, rows, found: train.len() });
        }
        match set.labels {
            Labels::RarePositive(_) => train = with_rare_positives(&train),
            Labels::Cycled(_, times) => train = cycled(&train, times),
            Labels::Positive(_) | Labels::Classes(..) => {}
        }
        let classes = match set.labels {
            Labels::Classes(labels, _) => labels.len(),
            _ => 2,
        };
        let task = if classes > 2 { Task::Hinge } else { Task::Binary };
        let features = features(&train);
        let orders = match set.source {
            Source::Bundled => Order::parse(GERMAN_ORDERS, "german.permutations.txt", train.len())?,
            _ => Vec::new(),
        };
        Ok(Self { train, test, task, classes, features, orders })
    }

    /// The order of a repetition: the published one, or a random one.
    pub fn order(&self, repetition: usize) -> Order {
        let random = || Order::shuffled(self.train.len(), repetition as u64);
        self.orders.get(repetition).cloned().unwrap_or_else(random)
    }

    /// Negatives for each positive.
    pub fn imbalance(&self) -> f64 {
        let positives = self.train.labels().iter().filter(|label| **label == Some(1)).count();
        (self.train.len() - positives) as f64 / positives.max(1) as f64
    }
}

fn read(set: &Set, inputs: &[Input]) -> Result<Batch, ReproduceError> {
    let mut all = Batch::default();
    if inputs.is_empty() {
        return Ok(all);
    }
    let labels = match set.labels {
        Labels::Positive(label) | Labels::RarePositive(label) | Labels::Cycled(label, _) => {
            data::Labels::positive(label)
        }
        Labels::Classes(..) => data::Labels::many(),
    };
    let norm = set.unit_rows.then_some(Norm::L2);
    let prepare = Prepare { normalize: norm, ..Prepare::default() };
    let mut reader = open(inputs, Settings { prepare, labels, ..Settings::default() })?;
    let mut batch = Batch::default();
    while reader.read(&mut batch)? {
        all.extend_from(&batch, 0..batch.len());
    }
    let Labels::Classes(wanted, of_each) = set.labels else { return Ok(all) };
    let names = reader.labels().names();
    let class =
        |class: Class| wanted.iter().position(|label| names[class as usize] == *label).map(|i| i as Class);
    let mut counts = vec![0; wanted.len()];
    let mut chosen = Batch::default();
    for i in 0..all.len() {
        let Some(class) = all.labels()[i].and_then(class) else { continue };
        let count = &mut counts[class as usize];
        if *count < of_each {
            *count += 1;
            chosen.push_from(&all, i);
        }
    }
    chosen.relabel(class);
    Ok(chosen)
}

/// The synthetic set of Wang et al. 2015.
fn made(skip: u64, examples: u64) -> Batch {
    let mut generator = Generator::new(Shape::SparseGaussian, SEED, skip, None);
    let mut batch = Batch::default();
    (0..examples).for_each(|_| generator.push(&mut batch));
    batch
}

/// All negatives, and one positive for 99 of them.
fn with_rare_positives(all: &Batch) -> Batch {
    let positive = |i: &usize| all.labels()[*i] == Some(1);
    let mut positives: Vec<usize> = (0..all.len()).filter(positive).collect();
    let kept = (all.len() - positives.len()) / 99;
    positives.shuffle(&mut Pcg64::seed_from_u64(SEED));
    let kept: HashSet<usize> = positives.into_iter().take(kept).collect();
    let mut rare = Batch::default();
    for i in 0..all.len() {
        if !positive(&i) || kept.contains(&i) {
            rare.push_from(all, i);
        }
    }
    rare
}

fn cycled(all: &Batch, times: usize) -> Batch {
    let mut cycled = Batch::default();
    (0..times).for_each(|_| cycled.extend_from(all, 0..all.len()));
    cycled
}

/// How many features occur.
fn features(batch: &Batch) -> usize {
    let mut seen = Vec::new();
    let mut count = 0;
    for i in 0..batch.len() {
        for feature in batch.row(i).indices {
            let feature = *feature as usize;
            if feature >= seen.len() {
                seen.resize(feature + 1, false);
            }
            count += usize::from(!seen[feature]);
            seen[feature] = true;
        }
    }
    count
}
