//! Thalweg against its peers, and against reading the data at all, in one run:
//!
//! `bench-peers THALWEG FOLDER REPORT [EXAMPLES] [ROUNDS]` makes the data sets with the program THALWEG in FOLDER (what is
//! there is kept), lets all contenders take turns in at least five rounds, and writes the tables to REPORT. `PYTHON` names a
//! Python with vowpalwabbit, scikit-learn and river; `liblinear-train` must be on the path. What is missing is left out, and
//! said so.
//!
//! Every contender is a process of its own; processor time is user and system time of that process.
#![allow(clippy::print_stdout, clippy::print_stderr, clippy::unwrap_used)]

mod contenders;
mod floor;
mod quality;
mod report;
mod sets;
mod slow;

use std::path::{Path, PathBuf};

use contenders::Contender;
use sets::Set;
use thalweg_benches::child;

/// What a run needs to know.
struct Setting {
    thalweg: PathBuf,
    /// A Python with Vowpal Wabbit.
    python: Option<PathBuf>,
    examples: u64,
    rounds: usize,
}

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match words[..] {
        ["floor", "read", file] => floor::read(file.as_ref()),
        ["floor", "parse", file] => floor::parse(file.as_ref()),
        [thalweg, folder, report, ref numbers @ ..] if numbers.len() <= 2 => {
            let number =
                |i: usize, default: u64| numbers.get(i).map_or(default, |text| text.parse().unwrap());
            let setting = Setting {
                thalweg: thalweg.into(),
                python: python(),
                examples: number(0, 360_000),
                rounds: number(1, 5).max(5) as usize,
            };
            compare(&setting, folder.as_ref(), report.as_ref());
        }
        _ => println!("usage: bench-peers THALWEG FOLDER REPORT [EXAMPLES] [ROUNDS]"),
    }
}

/// The Python that has the peers, if it has.
fn python() -> Option<PathBuf> {
    let python = PathBuf::from(std::env::var_os("PYTHON")?);
    child::succeeds(&python, &["-m", "vowpalwabbit", "--version"]).then_some(python)
}

fn compare(setting: &Setting, folder: &Path, report: &Path) {
    std::fs::create_dir_all(folder).unwrap();
    if setting.python.is_none() {
        eprintln!(
            "left out, since PYTHON names no Python with vowpalwabbit: Vowpal Wabbit, scikit-learn, river"
        );
    }
    let sets = sets::make(setting, folder);
    let start_up = contenders::start_up(setting);
    let mut parts = Vec::new();
    for set in sets.iter().filter(|set| !set.unbalanced) {
        let mut contenders = contenders::all(setting, set);
        take_turns(set, &mut contenders, setting.rounds);
        contenders.iter_mut().filter(|c| c.starts_python).for_each(|c| c.subtract(start_up));
        parts.push((set, contenders));
    }
    let slow: Vec<_> =
        sets.iter().filter(|set| !set.unbalanced).map(|set| (set, slow::measure(setting, set))).collect();
    let quality: Vec<_> = sets.iter().map(|set| (set, quality::measure(setting, set))).collect();
    let text = report::write(setting, start_up, &parts, &quality, &slow);
    print!("{text}");
    std::fs::write(report, text).unwrap();
}

/// Every contender runs once in every round, so that a busy minute harms all alike.
fn take_turns(set: &Set, contenders: &mut [Contender], rounds: usize) {
    for round in 1..=rounds {
        for contender in contenders.iter_mut() {
            eprint!("\r\x1b[K{}: round {round} of {rounds}, {}", set.name, contender.name);
            contender.run();
        }
    }
    eprintln!("\r\x1b[K{}: {rounds} rounds", set.name);
}
