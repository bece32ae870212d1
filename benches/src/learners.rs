//! What one example costs: every learner of the registry with its default knobs, in nanoseconds per non-zero value,
//! and how that grows with the dimension when the number of non-zeros stays the same.
//!
//! Machines are noisy: learners take turns, medians are shown, and the figures to compare are the ratios of one run.
//!
//! `bench-learners [EXAMPLES [LEARNER...]]`
#![allow(clippy::print_stdout, clippy::unwrap_used)]

use std::time::Instant;

use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64;
use thalweg_benches::median;
use thalweg_core::learners::{self, Entry, LEARNERS};
use thalweg_core::{Batch, Outcomes, Setup};

const ROUNDS: usize = 7;
const NONZEROS: usize = 75;

const FEATURES: u32 = 100_000;

/// Unit-length examples over 10^5 features, low ones more frequent, labels from a hidden sparse line with noise. Features
/// are numbered `stride` apart: the same stream in a larger space.
fn batches(examples: usize, stride: u32, seed: u64) -> Vec<Batch> {
    let mut random = Pcg64::seed_from_u64(seed);
    let mut all = Vec::new();
    let mut batch = Batch::default();
    for _ in 0..examples {
        let mut row = Vec::with_capacity(NONZEROS);
        let mut score = 0.0;
        for _ in 0..NONZEROS {
            let u: f64 = random.random();
            let feature = (f64::from(FEATURES).powf(u) - 1.0) as u32;
            let x = random.random_range(0.1..1.0) / (NONZEROS as f64).sqrt();
            score += if feature.is_multiple_of(7) { x } else { -0.17 * x };
            row.push((feature * stride, x));
        }
        batch.push(row, Some(u32::from(score + random.random_range(-0.1..0.1) > 0.0))).unwrap();
        if batch.len() == 500 {
            all.push(std::mem::take(&mut batch));
        }
    }
    all
}

/// Nanoseconds per non-zero value of one pass.
fn pass(name: &str, batches: &[Batch]) -> f64 {
    let mut learner = learners::build(name, &Setup::default()).unwrap();
    let mut outcomes = Outcomes::default();
    let began = Instant::now();
    batches.iter().for_each(|batch| learner.learn(batch, &mut outcomes).unwrap());
    let nonzeros: usize = batches.iter().map(Batch::nonzeros).sum();
    began.elapsed().as_nanos() as f64 / nonzeros as f64
}

/// SACOG walks through all features seen for every example; SSACOG says the same in less time.
const TOO_SLOW: [&str; 2] = ["sacog1", "sacog2"];

/// Those that are asked for, or all. Learners of batches do nothing until theirs is full: see bench-batches.
fn entries(wanted: &[String]) -> Vec<&'static Entry> {
    let all = LEARNERS.iter().filter(|entry| !TOO_SLOW.contains(&entry.name) && !entry.has_knob("batch"));
    all.filter(|entry| wanted.is_empty() || wanted.iter().any(|name| name == entry.name)).collect()
}

/// Every learner, taking turns.
fn measure(entries: &[&Entry], batches: &[Batch]) -> Vec<f64> {
    let mut times = vec![Vec::new(); entries.len()];
    for _ in 0..ROUNDS {
        for (entry, times) in entries.iter().zip(&mut times) {
            times.push(pass(entry.name, batches));
        }
    }
    times.into_iter().map(median).collect()
}

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let examples = arguments.first().map_or(8_000, |number| number.parse().unwrap());
    let entries = entries(arguments.get(1..).unwrap_or_default());
    let columns = [1, 10, 100].map(|stride| measure(&entries, &batches(examples, stride, 1)));
    println!("ns per non-zero, median of {ROUNDS} rounds, {examples} examples of {NONZEROS} non-zeros\n");
    println!(
        "{:<18}{:>10}{:>10}{:>10}{:>14}{:>14}",
        "learner", "d=10^5", "10^6", "10^7", "10^7 / 10^5", "/ perceptron"
    );
    for (i, entry) in entries.iter().enumerate() {
        let [small, middle, large] = [columns[0][i], columns[1][i], columns[2][i]];
        println!(
            "{:<18}{small:>10.1}{middle:>10.1}{large:>10.1}{:>14.2}{:>14.2}",
            entry.name,
            large / small,
            small / columns[0][0]
        );
    }
}
