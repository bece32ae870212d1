//! The table of docs/guide/covariance.md: what a full covariance, a sketch or a batch buys, and what it costs.
//!
//! `measure-covariances FOLDER` reads the data sets from the folder and prints Markdown.
#![allow(clippy::print_stdout, clippy::unwrap_used)]

use std::collections::BTreeSet;
use std::path::Path;
use std::time::Instant;

use thalweg::Decision;
use thalweg_benches::{Set, load, median, train};
use thalweg_core::cost::Costs;
use thalweg_core::{Outcomes, Task};
use thalweg_eval::{ProgressiveFigures, grouped, percent};

/// Name in the table, training file, test file if it has one of its own, two classes or each against all others.
type Source = (&'static str, &'static str, Option<&'static str>);
const SETS: [(Source, Task); 6] = [
    (("mushrooms", "mushrooms.zst", None), Task::Binary),
    (("usps", "usps.zst", Some("usps.t.zst")), Task::Ovr),
    (("dna", "dna.scale.zst", Some("dna.scale.t.zst")), Task::Ovr),
    (("covtype", "covtype.libsvm.binary.scale.zst", None), Task::Binary),
    (("pcmac", "pcmac.zst", None), Task::Binary),
    (("news20.binary", "news20.binary.rebuilt.zst", None), Task::Binary),
];
const LEARNERS: [&str; 14] = [
    "arow",
    "acog2",
    "arow:covariance=full",
    "acog2:covariance=full",
    "ssacog2",
    "ssacog2:sketch=20,every=20",
    "bcw1",
    "bcw2",
    "bcw2 --batch 1000",
    "sbcw2:features=500,c=1,r=auto,passes=1",
    "sbcw2:features=500,c=1,r=auto,passes=1,step=printed,sigma=10",
    "fgm:features=100,tolerance=1e-4",
    "dcd:tolerance=0.1,sweeps=100",
    "l1svm:tolerance=0.1,sweeps=100",
];
const ROUNDS: usize = 3;
/// A full covariance of this many classes and features would take minutes.
const TOO_SLOW: u64 = 300_000_000_000;

fn cell(spelling: &str, set: &Set, task: Task) -> String {
    let spec = spelling.replace(" --batch ", ":batch=");
    if spec.contains("covariance=full") && full_operations(set, task) > TOO_SLOW {
        return "too slow".into();
    }
    let mut times = Vec::new();
    let mut learner = None;
    for _ in 0..ROUNDS {
        let began = Instant::now();
        learner = train(&spec, Costs::default(), task, &set.train);
        times.push(began.elapsed().as_secs_f64());
        if times[0] > 20.0 {
            break;
        }
    }
    let Some(learner) = learner else { return "too large".into() };
    let (mut outcomes, mut figures) = (Outcomes::default(), ProgressiveFigures::default());
    for batch in &set.test {
        learner.score(batch, &mut outcomes);
        let predicted = Decision::of(learner.task()).classes(&outcomes);
        figures.observe(batch, &outcomes, &predicted);
    }
    let (error, nonzeros) = (figures.confusion().error(), learner.nonzeros());
    format!("{} / {} / {:.2} s", percent(error), grouped(nonzeros as u64), median(times))
}

/// Classes · examples · features².
fn full_operations(set: &Set, task: Task) -> u64 {
    let mut features: BTreeSet<u32> = BTreeSet::new();
    let (mut examples, mut classes) = (0, 1);
    for batch in &set.train {
        examples += batch.len() as u64;
        (0..batch.len()).for_each(|i| features.extend(batch.row(i).indices));
        if task != Task::Binary {
            classes = classes.max(1 + u64::from(batch.labels().iter().flatten().copied().max().unwrap_or(0)));
        }
    }
    classes * examples * (features.len() as u64).pow(2)
}

fn main() {
    let Some(folder) = std::env::args().nth(1) else {
        println!("usage: measure-covariances FOLDER");
        return;
    };
    let head: Vec<&str> = SETS.iter().map(|((name, _, _), _)| *name).collect();
    let mut rows: Vec<String> = LEARNERS.iter().map(|spec| format!("| {spec} |")).collect();
    for (source, task) in SETS {
        let set = load(Path::new(&folder), source, task);
        for (spec, row) in LEARNERS.iter().zip(&mut rows) {
            row.push_str(&format!(" {} |", cell(spec, &set, task)));
        }
    }
    println!("Test error / non-zero weights / seconds of learning:\n");
    println!("| learner | {} |", head.join(" | "));
    println!("| --- |{}", " --- |".repeat(head.len()));
    rows.iter().for_each(|row| println!("{row}"));
}
