//! The tables of docs/guide/which-learner.md: every learner with its default knobs on real data.
//!
//! `measure-learners FOLDER [LEARNER ...]` reads the data sets from the folder and prints Markdown, for all learners or for those
//! named. Rows are divided by their length and get a constant feature; a9a has its own test set, of the others a tenth, chosen at random,
//! is held out. One pass.
#![allow(clippy::print_stdout, clippy::unwrap_used)]

use std::path::Path;
use std::time::Instant;

use thalweg::Decision;
use thalweg_benches::{Set, load, train};
use thalweg_core::cost::{CostUse, Costs};
use thalweg_core::learners::LEARNERS;
use thalweg_core::{Batch, Outcomes, Task};
use thalweg_eval::{ProgressiveFigures, grouped, percent};

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

struct Result {
    error: Option<f64>,
    balanced_accuracy: Option<f64>,
    nonzeros: usize,
    nanoseconds: f64,
}

fn measure(name: &str, costs: Costs, set: &Set) -> Option<Result> {
    let values: usize = set.train.iter().map(Batch::nonzeros).sum();
    let mut best = f64::INFINITY;
    let mut learner = None;
    for _ in 0..ROUNDS {
        let began = Instant::now();
        learner = Some(train(name, costs, Task::Binary, &set.train)?);
        best = best.min(began.elapsed().as_nanos() as f64 / values as f64);
    }
    let learner = learner?;
    let mut outcomes = Outcomes::default();
    let mut figures = ProgressiveFigures::default();
    for batch in &set.test {
        learner.score(batch, &mut outcomes);
        let predicted = Decision::of(learner.task()).classes(&outcomes);
        figures.observe(batch, &outcomes, &predicted);
    }
    let confusion = figures.confusion();
    Some(Result {
        error: confusion.error(),
        balanced_accuracy: confusion.balanced_accuracy(),
        nonzeros: learner.nonzeros(),
        nanoseconds: best,
    })
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
        println!("usage: measure-learners FOLDER [LEARNER ...]");
        return;
    };
    let wanted: Vec<String> = std::env::args().skip(2).collect();
    let is_wanted = |name: &str| wanted.is_empty() || wanted.iter().any(|wanted| wanted == name);
    let sets: Vec<Set> = SETS.into_iter().map(|set| load(Path::new(&folder), set, Task::Binary)).collect();
    let all: Vec<&Set> = sets.iter().collect();
    println!("Test error / balanced accuracy / non-zero weights / ns per non-zero value:\n");
    // What a batch buys is another table: see measure-covariances.
    let entries = || {
        LEARNERS.iter().filter(|e| !TOO_SLOW.contains(&e.name) && !e.has_knob("batch") && is_wanted(e.name))
    };
    table(&all, entries().map(|e| e.name), |name, set| {
        let Some(r) = measure(name, Costs::default(), set) else { return "too large".into() };
        let nonzeros = grouped(r.nonzeros as u64);
        format!("{} / {} / {nonzeros} / {:.0}", percent(r.error), percent(r.balanced_accuracy), r.nanoseconds)
    });
    let rare: Vec<&Set> = sets.iter().filter(|set| RARE.contains(&set.name)).collect();
    let takers = entries().filter(|e| !matches!(e.costs, CostUse::Refused(_)));
    println!("Balanced accuracy without and with `--balanced`, where positives are rare:\n");
    table(&rare, takers.map(|e| e.name), |name, set| {
        let accuracy = |costs| measure(name, costs, set).and_then(|result| result.balanced_accuracy);
        let balanced = Costs { balanced: true, ..Costs::default() };
        format!("{} → {}", percent(accuracy(Costs::default())), percent(accuracy(balanced)))
    });
}
