//! Processes and what they used.

use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Instant;

use wait4::Wait4;

/// What a process used.
#[derive(Clone, Copy, Default)]
pub struct Usage {
    /// Seconds from its start to its end.
    pub wall: f64,
    /// Seconds of processors, in the program and in the system on its behalf.
    pub cpu: f64,
    /// Megabytes at most in memory.
    pub peak: f64,
}

/// Runs a command to its end. Its output goes nowhere; a failure ends the benchmark, since its figures would be of nothing.
pub fn run(program: &Path, arguments: &[String]) -> Usage {
    let began = Instant::now();
    let mut child = Command::new(program)
        .args(arguments)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap_or_else(|error| panic!("{}: {error}", program.display()));
    let used = child.wait4().unwrap();
    let wall = began.elapsed().as_secs_f64();
    assert!(used.status.success(), "failed: {} {}", program.display(), arguments.join(" "));
    let cpu = (used.rusage.utime + used.rusage.stime).as_secs_f64();
    Usage { wall, cpu, peak: used.rusage.maxrss as f64 / 1e6 }
}

/// Runs a command to its end and gives what it wrote; nothing if it cannot be run or fails.
pub fn output(program: &Path, arguments: &[String]) -> Option<String> {
    let output = Command::new(program).args(arguments).stdin(Stdio::null()).output().ok()?;
    output.status.success().then(|| String::from_utf8_lossy(&output.stdout).into_owned())
}

/// Can it be run?
pub fn succeeds(program: &Path, arguments: &[&str]) -> bool {
    output(program, &words(arguments)).is_some()
}

/// Arguments as a child takes them.
pub fn words(words: &[&str]) -> Vec<String> {
    words.iter().map(|word| (*word).to_string()).collect()
}
