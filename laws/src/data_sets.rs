//! Tests on data sets that may not be bundled. Where their files are not there, they are ignored, and said to be.
//!
//! They stand in a folder `../shared/data` beside the repository, or where `THALWEG_DATA` says. Such tests are programs of their own
//! (`harness = false`), because the usual harness must know before they run which ones are ignored.

use std::panic::catch_unwind;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Instant;

/// A test on data sets.
pub struct DataTest {
    /// Its name.
    pub name: &'static str,
    /// The files that it needs.
    pub files: &'static [&'static str],
    /// Gets the folder with the files.
    pub run: fn(&Path),
}

/// Runs the tests, or those whose names contain one of the words that the command line has, and reports as `cargo test` does.
#[allow(clippy::print_stdout)]
pub fn run_all(tests: &[DataTest]) -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&String> = arguments.iter().filter(|argument| !argument.starts_with('-')).collect();
    let chosen = |test: &&DataTest| words.is_empty() || words.iter().any(|word| test.name.contains(*word));
    if arguments.iter().any(|argument| argument == "--list") {
        tests.iter().filter(chosen).for_each(|test| println!("{}: test", test.name));
        return ExitCode::SUCCESS;
    }
    let (began, folder) = (Instant::now(), folder());
    let (mut passed, mut failed, mut ignored) = (0, 0, 0);
    println!("\nrunning {} tests", tests.iter().filter(chosen).count());
    for test in tests.iter().filter(chosen) {
        let outcome = match test.files.iter().find(|file| !folder.join(file).is_file()) {
            Some(file) => {
                ignored += 1;
                format!("ignored, there is no {}", folder.join(file).display())
            }
            None if catch_unwind(|| (test.run)(&folder)).is_ok() => {
                passed += 1;
                "ok".into()
            }
            None => {
                failed += 1;
                "FAILED".into()
            }
        };
        println!("test {} ... {outcome}", test.name);
    }
    let others = tests.len() - passed - failed - ignored;
    let (result, seconds) = (if failed == 0 { "ok" } else { "FAILED" }, began.elapsed().as_secs_f64());
    println!(
        "\ntest result: {result}. {passed} passed; {failed} failed; {ignored} ignored; 0 measured; {others} filtered out; \
         finished in {seconds:.2}s\n"
    );
    if failed == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

fn folder() -> PathBuf {
    let beside = || Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shared/data");
    std::env::var_os("THALWEG_DATA").map_or_else(beside, PathBuf::from)
}
