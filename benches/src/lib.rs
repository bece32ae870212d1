//! What the benchmarks share.
#![allow(clippy::missing_panics_doc, clippy::unwrap_used)]

pub mod child;

use std::io::Write;
use std::path::{Path, PathBuf};

use thalweg_core::cost::Costs;
use thalweg_core::{Batch, Learner, Outcomes, Setup, Task, learners};
use thalweg_data::prepare::{Norm, Prepare};
use thalweg_data::stream::Milestones;
use thalweg_data::{InMemory, Input, Interrupt, Labels, MemoryLimit, Reader, Settings, open};
use thalweg_generate::{Generator, Shape};

/// All examples of a file, in its order or in that of the seed.
pub fn all_batches(path: PathBuf, prepare: Prepare, labels: Labels, seed: Option<u64>) -> Vec<Batch> {
    let settings = Settings { prepare, labels, ..Settings::default() };
    let reader = open(&[Input::File(path)], settings).unwrap();
    let mut reader = InMemory::read_all(
        reader,
        Prepare::default(),
        seed,
        Milestones::default(),
        Interrupt::default(),
        MemoryLimit(u64::MAX),
        &mut |_| {},
    )
    .unwrap();
    let (mut all, mut batch) = (Vec::new(), Batch::default());
    while reader.read(&mut batch).unwrap() {
        all.push(batch.clone());
    }
    all
}

/// A data set in two parts.
pub struct Set {
    /// What it is called.
    pub name: &'static str,
    /// What is learned from.
    pub train: Vec<Batch>,
    /// What is not.
    pub test: Vec<Batch>,
}

/// Reads a data set. Rows are divided by their length and get a constant feature; where there is no test file, a tenth is
/// held out at random.
pub fn load(folder: &Path, (name, train, test): (&'static str, &str, Option<&str>), task: Task) -> Set {
    let prepare = Prepare { normalize: Some(Norm::L2), bias: true, ..Prepare::default() };
    let read = |file: &str, seed| {
        let labels = if task == Task::Binary { Labels::default() } else { Labels::many() };
        all_batches(folder.join(file), prepare, labels, seed)
    };
    let all = read(train, Some(7));
    if let Some(test) = test {
        return Set { name, train: all, test: read(test, None) };
    }
    // Every tenth example: the order is random already.
    let (mut train, mut test) = (Vec::new(), Vec::new());
    for batch in all {
        let (mut kept, mut held_out) = (Batch::default(), Batch::default());
        for i in 0..batch.len() {
            if i % 10 == 9 { &mut held_out } else { &mut kept }.push_from(&batch, i);
        }
        train.push(kept);
        test.push(held_out);
    }
    Set { name, train, test }
}

/// A learner after one pass, the end of the data included; nothing if it would need more than 4 GiB.
pub fn train(spec: &str, costs: Costs, task: Task, batches: &[Batch]) -> Option<Box<dyn Learner>> {
    let setup = Setup { costs, task, max_memory: 4 << 30, ..Setup::default() };
    let mut learner = learners::build(spec, &setup).unwrap();
    let mut outcomes = Outcomes::default();
    for batch in batches {
        learner.learn(batch, &mut outcomes).ok()?;
    }
    learner.finish();
    Some(learner)
}

/// The middle one.
pub fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

/// Texts with the shape of news, as LIBSVM text.
pub fn libsvm(examples: usize) -> Vec<u8> {
    let mut generator = Generator::new(Shape::Rcv1Like, 1, 0, None);
    let mut batch = Batch::default();
    (0..examples).for_each(|_| generator.push(&mut batch));
    let mut text = Vec::new();
    for i in 0..batch.len() {
        write!(text, "{}", batch.labels()[i].unwrap()).unwrap();
        batch.row(i).iter().for_each(|(feature, value)| write!(text, " {feature}:{value}").unwrap());
        text.push(b'\n');
    }
    text
}
