//! The tables of docs/guide/which-learner.md: every learner with its default knobs on real data.
//!
//! `measure-learners FOLDER` reads the data sets from the folder and prints Markdown. Rows are divided by their length and
//! get a constant feature; a9a has its own test set, of the others a tenth, chosen at random, is held out. One pass.
#![allow(clippy::print_stdout, clippy::unwrap_used)]

use std::path::Path;
use std::time::Instant;

use thalweg_benches::all_batches;
use thalweg_core::cost::Costs;
use thalweg_core::learners::{self, LEARNERS};
use thalweg_core::rule::CostUse;
use thalweg_core::{Batch, Learner, Outcomes};
use thalweg_data::features::{Norm, Prepare};
use thalweg_eval::{Prequential, grouped, percent};

/// Name in the table, training file, test file if it has one of its own.
const SETS: [(&str, &str, Option<&str>); 7] = [
    ("a9a", "a9a.zst", Some("a9a.t.zst")),
    ("ijcnn1", "ijcnn1.zst", None),
    ("w8a", "w8a.zst", None),
    ("pcmac", "pcmac.zst", None),
    ("news20.binary", "news20.binary.rebuilt.zst", None),
    ("phishing URLs", "pdd_urls.zst", None),
    ("kddcup99 rare", "kddcup99.10pct.rare_u2r_r2l.zst", None),
];
/// Those in which positives are rare.
const RARE: [&str; 3] = ["ijcnn1", "w8a", "kddcup99 rare"];
/// SACOG walks through all features seen for every example; SSACOG says the same in less time.
const TOO_SLOW: [&str; 2] = ["sacog1", "sacog2"];
const ROUNDS: usize = 3;

struct Set {
    name: &'static str,
    train: Vec<Batch>,
    test: Vec<Batch>,
}

const PREPARE: Prepare = Prepare { normalize: Some(Norm::L2), bias: true };

fn load(folder: &Path, (name, train, test): (&'static str, &str, Option<&str>)) -> Set {
    let all = all_batches(folder.join(train), PREPARE, Some(7));
    if let Some(test) = test {
        return Set { name, train: all, test: all_batches(folder.join(test), PREPARE, None) };
    }
    // Every tenth example is held out: the order is random already.
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

struct Result {
    error: Option<f64>,
    balanced_accuracy: Option<f64>,
    nonzeros: usize,
    nanoseconds: f64,
}

fn measure(name: &str, costs: Costs, set: &Set) -> Result {
    let values: usize = set.train.iter().map(Batch::nonzeros).sum();
    let mut best = f64::INFINITY;
    let mut learner: Box<dyn Learner> = learners::build(name, costs).unwrap();
    let mut outcomes = Outcomes::default();
    for _ in 0..ROUNDS {
        learner = learners::build(name, costs).unwrap();
        let began = Instant::now();
        set.train.iter().for_each(|batch| learner.learn_batch(batch, &mut outcomes));
        best = best.min(began.elapsed().as_nanos() as f64 / values as f64);
    }
    let mut figures = Prequential::default();
    for batch in &set.test {
        learner.score_batch(batch, &mut outcomes);
        figures.observe(batch, &outcomes);
    }
    let confusion = &figures.confusion;
    Result {
        error: confusion.error(),
        balanced_accuracy: confusion.balanced_accuracy(),
        nonzeros: learner.nonzeros(),
        nanoseconds: best,
    }
}

/// One row per learner, one column per data set.
fn table<'a>(sets: &[&Set], names: impl Iterator<Item = &'a str>, cell: impl Fn(&str, &Set) -> String) {
    let head: Vec<&str> = sets.iter().map(|set| set.name).collect();
    println!("| learner | {} |", head.join(" | "));
    println!("| --- |{}", " --- |".repeat(sets.len()));
    for name in names {
        let cells: Vec<String> = sets.iter().map(|set| cell(name, set)).collect();
        println!("| {name} | {} |", cells.join(" | "));
    }
    println!();
}

fn main() {
    let Some(folder) = std::env::args().nth(1) else {
        println!("usage: measure-learners FOLDER");
        return;
    };
    let sets: Vec<Set> = SETS.into_iter().map(|set| load(Path::new(&folder), set)).collect();
    let all: Vec<&Set> = sets.iter().collect();
    println!("Test error / balanced accuracy / non-zero weights / ns per non-zero value:\n");
    let entries = || LEARNERS.iter().filter(|e| !TOO_SLOW.contains(&e.name));
    table(&all, entries().map(|e| e.name), |name, set| {
        let r = measure(name, Costs::default(), set);
        let nonzeros = grouped(r.nonzeros as u64);
        format!("{} / {} / {nonzeros} / {:.0}", percent(r.error), percent(r.balanced_accuracy), r.nanoseconds)
    });
    let rare: Vec<&Set> = sets.iter().filter(|set| RARE.contains(&set.name)).collect();
    let takers = entries().filter(|e| !matches!(e.costs, CostUse::Refused(_)));
    println!("Balanced accuracy without and with `--balanced`, where positives are rare:\n");
    table(&rare, takers.map(|e| e.name), |name, set| {
        let plain = measure(name, Costs::default(), set);
        let balanced = measure(name, Costs { balanced: true, ..Costs::default() }, set);
        format!("{} → {}", percent(plain.balanced_accuracy), percent(balanced.balanced_accuracy))
    });
}
