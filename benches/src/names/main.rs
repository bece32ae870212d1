//! What names cost: features that are called by names against the same features as numbers, and against peers on the same file.
//!
//! `bench-names THALWEG FOLDER REPORT [EXAMPLES] [ROUNDS]` makes the data with the program THALWEG in FOLDER (what is there is kept), lets all
//! take turns, and writes a table to REPORT. `PYTHON` names a Python with vowpalwabbit, `FW` fwumious_wabbit's program and `SOL` that of
//! LIBOL/SOL (`sol_train`). Who is not named is left out.
//!
//! Every contender is a process of its own; its time is user and system time.
#![allow(clippy::print_stdout, clippy::print_stderr, clippy::unwrap_used)]

mod data;
mod runs;

use std::fmt::Write;
use std::path::{Path, PathBuf};

use runs::Run;

/// Who takes part.
struct Programs {
    thalweg: PathBuf,
    /// A Python with Vowpal Wabbit.
    python: Option<PathBuf>,
    fwumious: Option<PathBuf>,
    sol: Option<PathBuf>,
}

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [thalweg, folder, report, numbers @ ..] = &arguments[..] else {
        println!("usage: bench-names THALWEG FOLDER REPORT [EXAMPLES] [ROUNDS]");
        return;
    };
    let number = |i: usize, default: u64| numbers.get(i).map_or(default, |text| text.parse().unwrap());
    let named = |variable: &str| {
        let path = std::env::var_os(variable).filter(|path| !path.is_empty());
        path.map(PathBuf::from)
    };
    let programs = Programs {
        thalweg: thalweg.into(),
        python: named("PYTHON"),
        fwumious: named("FW"),
        sol: named("SOL"),
    };
    let (examples, rounds) = (number(0, 60_000), number(1, 3));
    std::fs::create_dir_all(folder).unwrap();
    let mut text = format!(
        "# Benchmarks of names\n\nMade by `make bench`; do not edit. Processor seconds (user and system) of `arow` on {examples} made-up examples, \
         medians of {rounds} rounds in which all take turns; Vowpal Wabbit's with the start of Python. MB/s are those of the text.\n",
    );
    for subject in data::subjects(&programs, folder.as_ref(), examples) {
        let mut runs = runs::of(&programs, &subject);
        for round in 1..=rounds {
            for run in &mut runs {
                eprint!("\r\x1b[K{}: round {round} of {rounds}, {}", subject.name, run.name);
                run.run();
            }
        }
        eprintln!("\r\x1b[K{}: {rounds} rounds", subject.name);
        text += &table(subject.name, &subject.text, &runs);
    }
    print!("{text}");
    std::fs::write(report, text).unwrap();
}

fn table(name: &str, file: &Path, runs: &[Run]) -> String {
    let megabytes = std::fs::metadata(file).unwrap().len() as f64 / 1e6;
    let mut text = format!(
        "\n## {name}, {megabytes:.0} MB\n\n| run | CPU s | MB/s | CPU / first | peak MB |\n| --- | ---: | ---: | ---: | ---: |\n"
    );
    let first = runs[0].usage().cpu;
    for run in runs {
        let usage = run.usage();
        let (speed, share) = (megabytes / usage.cpu, usage.cpu / first);
        let peak = usage.peak;
        writeln!(text, "| {} | {:.2} | {speed:.0} | {share:.2} | {peak:.0} |", run.name, usage.cpu).unwrap();
    }
    text
}
