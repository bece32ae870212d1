//! The examples of a data set, in memory.

use std::collections::HashSet;
use std::path::Path;

use rand::seq::SliceRandom;
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64;
use thalweg::{Batch, Class, Input, Task};
use thalweg_data::{self as data, Norm, Prepare, Settings, open};
use thalweg_generate::{Generator, Shape};

use super::ReproduceError;
use super::sets::{Labels, Set, Source};
use crate::Order;

pub(super) const GERMAN: &[u8] = include_bytes!("../../../../data/german.numer.svm.zst");
pub(super) const GERMAN_ORDERS: &str = include_str!("../../../../data/german.permutations.txt");

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
        let (train, test) = match set.source {
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
        let orders = match set.source {
            Source::Bundled => Order::parse(GERMAN_ORDERS, "german.permutations.txt", train.len())?,
            _ => Vec::new(),
        };
        Ok(Self::new(set, train, test, orders))
    }

    /// A few made-up examples that are read and prepared like those of the set: what a learner says of them is its fingerprint.
    pub fn made_up(set: &Set) -> Result<Self, ReproduceError> {
        let text = |seed| made_up_text(set, seed).into_bytes();
        let read = |seed| read(set, &[Input::bytes("made-up.svm", text(seed))]);
        Ok(Self::new(set, read(1)?, read(2)?, Vec::new()))
    }

    fn new(set: &Set, read: Batch, test: Batch, orders: Vec<Order>) -> Self {
        let train = match set.labels {
            Labels::RarePositive(_) => with_rare_positives(&read),
            Labels::Cycled(_, times) => cycled(&read, times),
            Labels::Positive(_) | Labels::Classes(..) => read,
        };
        let classes = match set.labels {
            Labels::Classes(labels, _) => labels.len(),
            _ => 2,
        };
        let task = if classes > 2 { Task::Hinge } else { Task::Binary };
        let features = features(&train);
        Self { train, test, task, classes, features, orders }
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

/// Rows of made-up examples, and their features.
const MADE_UP: (usize, u32) = (240, 60);

/// Examples as LIBSVM text, with the labels of the set. Some features tell the classes apart, some are rare, some rows are long.
fn made_up_text(set: &Set, seed: u64) -> String {
    let labels: &[&str] = match &set.labels {
        Labels::Positive(label) | Labels::RarePositive(label) | Labels::Cycled(label, _) => &[*label, "7"],
        Labels::Classes(labels, _) => labels,
    };
    let mut random = Pcg64::seed_from_u64(seed);
    let mut text = String::new();
    for _ in 0..MADE_UP.0 {
        let class = random.random_range(0..labels.len());
        text += labels[class];
        for feature in 1..=MADE_UP.1 {
            let tells = feature as usize % (2 * labels.len()) == class;
            let share = if tells { 0.5 } else { 3.0 / f64::from(feature + 9) };
            if random.random_bool(share) {
                text += &format!(" {feature}:{}", random.random_range(1..=4));
            }
        }
        text.push('\n');
    }
    text
}

/// The synthetic set of Wang et al. 2015.
fn made(skip: u64, examples: u64) -> Batch {
    let mut generator = Generator::new(Shape::SparseGaussian, SEED, skip, None);
    let mut batch = Batch::default();
    (0..examples).for_each(|_| generator.push(&mut batch));
    batch
}

/// What tells one way of making the synthetic set from another.
pub(super) fn beginning_of_synthetic() -> Vec<u8> {
    let beginning = made(0, 20);
    let row = |i| {
        let row = beginning.row(i);
        format!("{:?} {:?} {:?};", beginning.labels()[i], row.indices, row.values)
    };
    (0..beginning.len()).map(row).collect::<String>().into_bytes()
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
