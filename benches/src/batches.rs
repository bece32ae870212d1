//! Learners that are not per feature, as ratios of one run:
//!
//! - BCW against AROW with a full covariance, on the same rows (covtype);
//! - the covariance of a dense batch against OpenBLAS's syrk, on one thread each;
//! - SBCW's choice of 500 features against LIBLINEAR's L1 solver until it converges (news20.binary).
//!
//! `bench-batches FOLDER` reads the data sets from the folder. `PYTHON` names a Python with NumPy, and `liblinear-train` must
//! be on the path; what is missing is left out, and said so.
#![allow(clippy::print_stdout, clippy::unwrap_used)]

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;

use thalweg_benches::{all_batches, median, train};
use thalweg_core::batched::{Rows, Square};
use thalweg_core::cost::Costs;
use thalweg_core::{Batch, Real, Task};
use thalweg_data::Labels;
use thalweg_data::prepare::Prepare;

const ROUNDS: usize = 5;

/// Seconds of one pass, the end of the data included.
fn pass(spec: &str, batches: &[Batch]) -> f64 {
    let began = Instant::now();
    train(spec, Costs::default(), Task::Binary, batches).unwrap();
    began.elapsed().as_secs_f64()
}

/// The medians of passes that take turns.
fn compare(specs: &[&str], batches: &[Batch]) -> Vec<f64> {
    let mut times = vec![Vec::new(); specs.len()];
    for _ in 0..ROUNDS {
        specs.iter().zip(&mut times).for_each(|(spec, times)| times.push(pass(spec, batches)));
    }
    times.into_iter().map(median).collect()
}

fn whole_batch_against_full_covariance(folder: &Path) {
    let path = folder.join("covtype.libsvm.binary.scale.zst");
    let batches = all_batches(path, Prepare::default(), Labels::default(), None);
    let specs = ["arow:covariance=full", "bcw1", "bcw2"];
    let times = compare(&specs, &batches);
    println!("covtype, {} examples, one pass from memory", batches.iter().map(Batch::len).sum::<usize>());
    for (spec, time) in specs.iter().zip(&times) {
        println!("  {spec:<24}{time:>8.3} s{:>8.1} times faster than full AROW", times[0] / time);
    }
}

const GRAM: (usize, usize) = (20_000, 2_000);

fn dense_covariance() {
    let (examples, features) = GRAM;
    let value = |i: usize, j: usize| ((i * 7919 + j * 104_729) % 1000) as f64 / 1000.0 - 0.4995;
    let mut rows = Rows::default();
    for i in 0..examples {
        rows.push((0..features).map(|j| (j as u32, value(i, j) as Real)));
    }
    let operations = (examples * features * features) as f64;
    let ours = || {
        let mut matrix = Square::identity(features);
        let began = Instant::now();
        matrix.add_gram(&rows, 1.0);
        operations / began.elapsed().as_secs_f64() / 1e9
    };
    let mut pairs = Vec::new();
    for _ in 0..ROUNDS {
        pairs.push((ours(), openblas()));
    }
    let speed = median(pairs.iter().map(|pair| pair.0).collect());
    println!("\nX'X of a dense {examples} x {features} batch, one thread");
    println!("  thalweg{speed:>33.1} GFLOP/s");
    if pairs.iter().any(|pair| pair.1.is_none()) {
        println!("  OpenBLAS syrk: left out, since PYTHON names no Python with NumPy and SciPy");
        return;
    }
    let theirs = median(pairs.iter().filter_map(|pair| pair.1).collect());
    let share = median(pairs.iter().filter_map(|pair| Some(pair.0 / pair.1?)).collect());
    println!("  OpenBLAS syrk{theirs:>27.1} GFLOP/s; ours is {:.0} % of it", 100.0 * share);
}

/// GFLOP/s of OpenBLAS's dsyrk (NumPy calls it for X'X).
fn openblas() -> Option<f64> {
    let python = std::env::var("PYTHON").ok()?;
    let script = format!(
        "import numpy, time\n\
         x = numpy.random.default_rng(1).normal(size={GRAM:?})\n\
         began = time.perf_counter()\n\
         x.T @ x\n\
         print({} / (time.perf_counter() - began) / 1e9)",
        GRAM.0 * GRAM.1 * GRAM.1
    );
    let output = Command::new(python).env("OPENBLAS_NUM_THREADS", "1").args(["-c", &script]).output().ok()?;
    String::from_utf8(output.stdout).ok()?.trim().parse().ok()
}

fn selection_against_liblinear(folder: &Path) {
    let batches =
        all_batches(folder.join("news20.binary.rebuilt.zst"), Prepare::default(), Labels::default(), None);
    let text = std::env::temp_dir().join("thalweg-bench-news20.svm");
    write_libsvm(&batches, &text);
    println!("\nnews20.binary, {} examples", batches.iter().map(Batch::len).sum::<usize>());
    let ours = compare(&["sbcw1:features=500", "sbcw2:features=500"], &batches);
    println!("  sbcw1, 500 features{:>21.2} s", ours[0]);
    println!("  sbcw2, 500 features{:>21.2} s", ours[1]);
    match liblinear(&text) {
        Some((seconds, iterations)) => println!(
            "  liblinear -s 5{seconds:>26.2} s to converge ({iterations} iterations, reading left out): {:.1} times sbcw1",
            seconds / ours[0]
        ),
        None => println!("  liblinear-train: left out, since it is not on the path"),
    }
    let _ = std::fs::remove_file(text);
}

fn write_libsvm(batches: &[Batch], path: &Path) {
    let mut file = std::io::BufWriter::new(std::fs::File::create(path).unwrap());
    for batch in batches {
        for i in 0..batch.len() {
            write!(file, "{}", if batch.labels()[i] == Some(1) { "+1" } else { "-1" }).unwrap();
            batch.row(i).iter().for_each(|(feature, x)| write!(file, " {feature}:{x}").unwrap());
            writeln!(file).unwrap();
        }
    }
}

/// Seconds from the end of reading to the end, and the number of iterations; a dot is shown every ten iterations, so a run
/// that stops at once tells how long reading takes.
fn liblinear(data: &Path) -> Option<(f64, usize)> {
    let model = std::env::temp_dir().join("thalweg-bench.liblinear");
    let run = |tolerance: &str| {
        let began = Instant::now();
        let mut command = Command::new("liblinear-train");
        let output = command.args(["-s", "5", "-e", tolerance]).arg(data).arg(&model).output().ok()?;
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        let iterations = text.split("#iter = ").nth(1)?.split_whitespace().next()?.parse().ok()?;
        Some((began.elapsed().as_secs_f64(), iterations))
    };
    let (reading, _) = run("1e9")?;
    let mut rounds = Vec::new();
    let mut iterations = 0;
    for _ in 0..3 {
        let (seconds, count) = run("0.01")?;
        rounds.push(seconds - reading);
        iterations = count;
    }
    let _ = std::fs::remove_file(model);
    Some((median(rounds), iterations))
}

fn main() {
    let Some(folder) = std::env::args().nth(1).map(PathBuf::from) else {
        println!("usage: bench-batches FOLDER");
        return;
    };
    whole_batch_against_full_covariance(&folder);
    dense_covariance();
    selection_against_liblinear(&folder);
}
