//! How many instructions a non-zero value costs in the learning loop: valgrind counts them, so other work on the machine
//! has no influence. Reading is not counted.
//!
//! `bench-instructions` runs itself under valgrind once for every learner; `bench-instructions LEARNER` is one such run.
#![allow(clippy::print_stdout, clippy::unwrap_used)]

use std::collections::HashMap;
use std::process::Command;

use thalweg_core::{Batch, Outcomes, Setup, learners};
use thalweg_generate::{Generator, Shape};

const LEARNERS: [&str; 9] =
    ["perceptron", "ssol", "arow", "sgft", "fobos", "ada-fobos", "rda", "ada-rda", "acog2"];
const EXAMPLES: usize = 3_000;

/// Features are numbered as they come: a short stream with scattered numbers would measure how the table grows.
fn batch() -> Batch {
    let mut generator = Generator::new(Shape::Rcv1Like, 0, 0, None);
    let (mut made, mut batch) = (Batch::default(), Batch::default());
    (0..EXAMPLES).for_each(|_| generator.push(&mut made));
    let mut numbers: HashMap<u32, u32> = HashMap::new();
    for i in 0..made.len() {
        let row = made.row(i);
        let numbered = row.iter().map(|(feature, x)| {
            let next = numbers.len() as u32;
            (*numbers.entry(feature).or_insert(next), x)
        });
        batch.push(numbered, made.labels()[i]).unwrap();
    }
    batch
}

fn one_pass(learner: &str) {
    let batch = batch();
    let mut learner = learners::build(learner, &Setup::default()).unwrap();
    let mut outcomes = Outcomes::default();
    // The table grows to its size in the first pass.
    learner.learn(&batch, &mut outcomes).unwrap();
    counted(learner.as_mut(), &batch, &mut outcomes);
}

/// Where valgrind counts.
#[inline(never)]
fn counted(learner: &mut dyn thalweg_core::Learner, batch: &Batch, outcomes: &mut Outcomes) {
    learner.learn(batch, outcomes).unwrap();
}

fn instructions(learner: &str) -> Option<f64> {
    let mut command = Command::new("valgrind");
    command.args(["--tool=callgrind", "--callgrind-out-file=/dev/null", "--toggle-collect=*::counted*"]);
    let output = command.arg(std::env::current_exe().ok()?).arg(learner).output().ok()?;
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    said.split("Collected : ").nth(1)?.split_whitespace().next()?.parse().ok()
}

fn main() {
    if let Some(learner) = std::env::args().nth(1) {
        one_pass(&learner);
        return;
    }
    let nonzeros = batch().nonzeros() as f64;
    println!("instructions per non-zero of learning, rcv1-like, second pass over {EXAMPLES} examples");
    let mut perceptron = None;
    for learner in LEARNERS {
        let Some(count) = instructions(learner) else {
            println!("valgrind is not there, or counted nothing");
            return;
        };
        let each = count / nonzeros;
        let base = *perceptron.get_or_insert(each);
        println!("  {learner:<12}{each:>8.1}{:>8.2} of perceptron", each / base);
    }
}
