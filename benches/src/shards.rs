//! The tables of docs/guide/scaling.md: what shards that learn side by side make of data, against learning it in order.
//!
//! `measure-shards FOLDER [LEARNER ...]` prints Markdown. Made-up sets are as `thalweg generate` makes them; of the files in the folder a fifth is held out. Every number is of one
//! pass over the same examples, in one order, on a test set that nobody has learned from.
#![allow(clippy::print_stdout, clippy::unwrap_used)]

use std::path::Path;
use std::time::Instant;

use thalweg::{Config, Delta, Norm, Predictions, Trainer, merge_deltas};
use thalweg_benches::all_batches;
use thalweg_core::Batch;
use thalweg_data::Labels;
use thalweg_data::prepare::Prepare;
use thalweg_eval::{grouped, percent};
use thalweg_generate::{Generator, Shape};

/// The learners that merging is meant for.
const FIRST: [&str; 2] = ["sarow", "arow"];
/// One or two of each other family.
const OTHERS: [&str; 10] =
    ["scw1", "narow", "acog2", "ssol", "ftrl", "ada-rda", "ada-fobos", "fobos", "ogd", "pa1"];
const SHARDS: [u32; 4] = [2, 4, 8, 16];
const ROUNDS: [u32; 3] = [1, 3, 10];

/// Examples as they are in the data, to learn from and to test.
struct Set {
    name: &'static str,
    train: Batch,
    test: Batch,
}

impl Set {
    fn made_up(name: &'static str, shape: Shape, examples: usize) -> Self {
        let mut generator = Generator::new(shape, 1, 0, None);
        let mut batch = |count: usize| {
            let mut batch = Batch::default();
            (0..count).for_each(|_| generator.push(&mut batch));
            batch
        };
        Self { name, train: batch(examples), test: batch(examples / 4) }
    }

    fn of_file(name: &'static str, path: &Path) -> Self {
        let all = all_batches(path.to_path_buf(), Prepare::default(), Labels::default(), Some(7));
        let (mut train, mut test, mut i) = (Batch::default(), Batch::default(), 0);
        for batch in &all {
            for row in 0..batch.len() {
                i += 1;
                if i % 5 == 0 { &mut test } else { &mut train }.push_from(batch, row);
            }
        }
        Self { name, train, test }
    }

    /// Are positives rare in it?
    fn is_rare(&self) -> bool {
        self.test.labels().iter().flatten().filter(|class| **class == 1).count() * 10 < self.test.len()
    }

    /// What its errors are.
    fn figure(&self) -> &'static str {
        if self.is_rare() { "balanced error" } else { "error" }
    }
}

/// How good a model is.
#[derive(Clone, Copy)]
struct Outcome {
    error: f64,
    /// The mean of the errors on either class.
    balanced: f64,
    nonzeros: usize,
}

/// A learner with what it wants done to examples: sarow its own preparation, others examples of length 1 and a constant.
fn config(learner: &str) -> Config {
    let config = Config::parse(learner).unwrap();
    if learner.starts_with("sarow") { config } else { config.normalize(Norm::L2).bias(true) }
}

fn outcome(trainer: &Trainer, test: &Batch) -> Outcome {
    let mut predictions = Predictions::default();
    trainer.score_batch(test, &mut predictions).unwrap();
    let mut wrong = [0.0; 2];
    let mut all = [0.0; 2];
    for (i, label) in test.labels().iter().enumerate() {
        let class = label.unwrap();
        all[class as usize] += 1.0;
        wrong[class as usize] += f64::from(u8::from(predictions.class(i) != class));
    }
    let balanced = f64::midpoint(wrong[0] / all[0], wrong[1] / all[1]);
    let error = (wrong[0] + wrong[1]) / (all[0] + all[1]);
    Outcome { error, balanced, nonzeros: trainer.tracks()[0].learner().nonzeros() }
}

/// The error and the non-zeros that come of so many shards and rounds; one shard is learning in order.
fn learned(learner: &str, set: &Set, shards: u32, rounds: u32) -> (f64, usize) {
    let mut trainer = Trainer::new(config(learner)).unwrap();
    if shards == 1 {
        trainer.learn_batch(&set.train).unwrap();
    } else {
        trainer.learn_batch_in_shards(&set.train, shards, rounds).unwrap();
    }
    let Outcome { error, balanced, nonzeros } = outcome(&trainer, &set.test);
    (if set.is_rare() { balanced } else { error }, nonzeros)
}

fn shown(errors: &[f64], nonzeros: usize) -> String {
    let errors: Vec<String> = errors.iter().map(|error| percent(Some(*error))).collect();
    format!("{} ({})", errors.join(" / "), grouped(nonzeros as u64))
}

/// A learner's errors after each number of rounds, with its non-zeros after three.
fn in_shards(learner: &str, set: &Set, shards: u32) -> String {
    let learned = ROUNDS.map(|rounds| learned(learner, set, shards, rounds));
    shown(&learned.map(|(error, _)| error), learned[1].1)
}

/// The first learners, with all numbers of shards.
fn table(set: &Set) {
    println!("### {}\n", set.name);
    println!("Test {} in %, after 1 / 3 / 10 rounds, and non-zero weights after 3:\n", set.figure());
    println!("| learner | in order | {} |", SHARDS.map(|shards| format!("{shards} shards")).join(" | "));
    println!("| --- | ---{} |", " | ---".repeat(SHARDS.len()));
    for learner in FIRST {
        let began = Instant::now();
        let (error, nonzeros) = learned(learner, set, 1, 1);
        let cells = SHARDS.map(|shards| in_shards(learner, set, shards));
        println!("| {learner} | {} | {} |", shown(&[error], nonzeros), cells.join(" | "));
        say_how_long(set.name, learner, began);
    }
    println!();
}

/// Learners of the other families, with eight shards.
fn families(set: &Set, learners: &[String]) {
    const SHARDS: u32 = 8;
    println!("### {}: other families, {SHARDS} shards\n", set.name);
    println!("Test {} in %, after 1 / 3 / 10 rounds, and non-zero weights after 3:\n", set.figure());
    println!("| learner | in order | {SHARDS} shards |\n| --- | --- | --- |");
    for learner in learners {
        let began = Instant::now();
        let (error, nonzeros) = learned(learner, set, 1, 1);
        let cell = in_shards(learner, set, SHARDS);
        println!("| {learner} | {} | {cell} |", shown(&[error], nonzeros));
        say_how_long(set.name, learner, began);
    }
    println!();
}

#[allow(clippy::print_stderr)]
fn say_how_long(set: &str, learner: &str, began: Instant) {
    eprintln!("{set} {learner}: {:.1} s", began.elapsed().as_secs_f64());
}

/// What is sent and how long it takes: a base that has learned half of the examples, and eight shards that learn the rest.
fn sent(set: &Set, learners: &[&str]) {
    const SHARDS: usize = 8;
    println!("### {}: what is sent\n", set.name);
    println!(
        "| learner | non-zero weights | model, MB | changed features of a shard | delta of a shard, MB | bytes per change | sum of 8, MB | adding two, ns per change |"
    );
    println!("| --- | --- | --- | --- | --- | --- | --- | --- |");
    let half = set.train.len() / 2;
    let part = |from: usize, step: usize| {
        let mut part = Batch::default();
        (from..set.train.len()).step_by(step).for_each(|i| part.push_from(&set.train, i));
        part
    };
    let mut first = Batch::default();
    first.extend_from(&set.train, 0..half);
    for learner in learners {
        let mut trainer = Trainer::new(config(learner)).unwrap();
        trainer.learn_batch(&first).unwrap();
        let base = trainer.into_model().unwrap();
        let delta = |shard: usize| {
            let mut trainer = Trainer::resume(base.shared(SHARDS as u32).unwrap()).unwrap();
            trainer.learn_batch(&part(half + shard, SHARDS)).unwrap();
            trainer.into_model().unwrap().delta(&base, SHARDS as u32).unwrap()
        };
        let deltas: Vec<Delta> = (0..SHARDS).map(delta).collect();
        let began = Instant::now();
        _ = deltas[0].plus(&deltas[1]).unwrap();
        let changes = deltas[0].changed() + deltas[1].changed();
        let nanoseconds = began.elapsed().as_nanos() as f64 / changes as f64;
        let (one, all) =
            (deltas[0].to_bytes().len() as f64, merge_deltas(&deltas).unwrap().to_bytes().len() as f64);
        println!(
            "| {learner} | {} | {:.1} | {} | {:.2} | {:.1} | {:.2} | {nanoseconds:.0} |",
            grouped(base.learner().nonzeros() as u64),
            base.to_bytes().len() as f64 / 1e6,
            grouped(deltas[0].changed() as u64),
            one / 1e6,
            one / deltas[0].changed() as f64,
            all / 1e6,
        );
    }
    println!();
}

/// How far it goes: many more shards than anybody has cores.
fn many_shards(set: &Set) {
    println!("### {}: many shards\n", set.name);
    println!("Test error of sarow in % after 3 / 10 / 30 rounds:\n");
    println!("| shards | examples of a shard | error |\n| --- | --- | --- |");
    for shards in [1, 8, 32, 128, 512] {
        let error = |rounds: u32| percent(Some(learned("sarow", set, shards, rounds).0));
        let errors = if shards == 1 { error(1) } else { [3, 10, 30].map(error).join(" / ") };
        println!("| {shards} | {} | {errors} |", grouped(set.train.len() as u64 / u64::from(shards)));
    }
    println!();
}

fn main() {
    let mut arguments = std::env::args().skip(1);
    let Some(folder) = arguments.next() else {
        println!("usage: measure-shards FOLDER [LEARNER ...]");
        return;
    };
    let given: Vec<String> = arguments.collect();
    let learners = if given.is_empty() { OTHERS.map(String::from).to_vec() } else { given };
    let folder = Path::new(&folder);
    let texts = Set::made_up("rcv1-like", Shape::Rcv1Like, 100_000);
    table(&texts);
    families(&texts, &learners);
    for (name, file) in [
        ("news20.binary", "news20.binary.rebuilt.zst"),
        ("reuters crude, 2.9 % positive", "reuters21578.crude.zst"),
    ] {
        let set = Set::of_file(name, &folder.join(file));
        table(&set);
        families(&set, &learners);
    }
    let sparser =
        ["sarow", "sarow:kappa=1", "arow", "ftrl", "ftrl:lambda=10", "fobos", "fobos:lambda=1e-4", "ogd"];
    sent(&texts, &sparser);
    let addresses = Set::made_up("url-like", Shape::UrlLike, 60_000);
    sent(&addresses, &sparser);
    // Its tables of three million features take their time: the other families are measured elsewhere.
    table(&addresses);
    many_shards(&texts);
}
