//! Progress on standard error: a table whose lines come at powers of two, and a bar on a terminal.

use std::io::{IsTerminal, Write};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use serde::Serialize;
use serde_json::json;
use thalweg::BadLine;
use thalweg_data::{Input, Place};
use thalweg_eval::Progress;

use crate::escape::{safe_json, visible};
use crate::spelling;

/// Shows progress and messages during a run.
pub(crate) trait Screen {
    /// Whether progress is looked at at all. Computing it takes time.
    fn is_watched(&self) -> bool {
        true
    }

    /// Shows a line of the progress table.
    fn progress(&mut self, progress: &Progress);

    /// Shows a line that could not be read.
    fn bad_line(&mut self, bad: &BadLine) {
        self.note(&spelling::with_flags(&format!("{}: {} (line skipped)", bad.place, bad.message)));
    }

    /// Shows a warning.
    fn warn(&mut self, warning: &str) {
        self.note(&format!("warning: {}", spelling::with_flags(warning)));
    }

    /// Shows a line of text.
    fn note(&mut self, line: &str);

    /// Shows that a pass begins.
    fn pass(&mut self, _pass: u64, _of: u64) {}

    /// Shows how many bytes of the inputs have been read in this pass.
    fn consumed(&mut self, bytes: u64);
}

/// How progress is shown.
pub(crate) fn screen(quiet: bool, json: bool, inputs: &[Input]) -> Box<dyn Screen> {
    match (quiet, json) {
        (quiet, true) => Box::new(JsonLines { shows_progress: !quiet }),
        (true, false) => Box::new(Quiet),
        (false, false) => Box::new(Table::new(bar(inputs, false), true)),
    }
}

/// A bar with speed and remaining time; hidden unless standard error is a terminal.
pub(crate) fn bar(inputs: &[Input], quiet: bool) -> ProgressBar {
    if quiet || !std::io::stderr().is_terminal() {
        return ProgressBar::with_draw_target(None, ProgressDrawTarget::hidden());
    }
    let size: Option<u64> = inputs.iter().map(Input::size).sum();
    let (bar, template) = match size {
        Some(size) => (
            ProgressBar::new(size),
            "{prefix}{bar:20} {binary_bytes}/{binary_total_bytes}, {binary_bytes_per_sec}, {eta} left",
        ),
        None => {
            (ProgressBar::no_length(), "{prefix}{spinner} {binary_bytes}, {binary_bytes_per_sec}, {elapsed}")
        }
    };
    bar.set_style(ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_bar()));
    bar
}

/// A bar that counts what is done, such as examples.
pub(crate) fn counter(total: u64, what: &str, quiet: bool) -> ProgressBar {
    if quiet || !std::io::stderr().is_terminal() {
        return ProgressBar::hidden();
    }
    let template = format!("{{bar:30}} {{human_pos}}/{{human_len}} {what}, {{eta}} left");
    let style = ProgressStyle::with_template(&template).unwrap_or_else(|_| ProgressStyle::default_bar());
    ProgressBar::new(total).with_style(style)
}

struct Table {
    bar: ProgressBar,
    /// Bytes of one pass, and of all passes before this one.
    size: u64,
    before: u64,
    headed: bool,
    /// The pass that begins, until a line of it is shown.
    new_pass: Option<String>,
    is_watched: bool,
}

impl Table {
    fn new(bar: ProgressBar, is_watched: bool) -> Self {
        let size = bar.length().unwrap_or(0);
        Self { bar, size, before: 0, headed: false, new_pass: None, is_watched }
    }
}

impl Screen for Table {
    fn is_watched(&self) -> bool {
        self.is_watched
    }

    fn progress(&mut self, progress: &Progress) {
        self.bar.suspend(|| {
            if !self.headed {
                progress.heading().lines().for_each(say);
            }
            self.new_pass.take().iter().for_each(|pass| say(pass));
            say(&progress.to_string());
        });
        self.headed = true;
    }

    fn note(&mut self, line: &str) {
        self.bar.suspend(|| say(line));
    }

    fn pass(&mut self, pass: u64, of: u64) {
        if of > 1 {
            self.bar.set_prefix(format!("pass {pass}/{of} "));
        }
        self.new_pass = (pass > 1).then(|| format!("pass {pass} of {of}"));
        if pass == 1 {
            // What was read into memory before is no measure of how fast the passes are.
            self.bar.reset();
        }
        // The time that is left is that of all passes.
        self.before = self.size.saturating_mul(pass - 1);
        if self.size > 0 {
            self.bar.set_length(self.size.saturating_mul(of));
        }
    }

    fn consumed(&mut self, bytes: u64) {
        self.bar.set_position(self.before.saturating_add(bytes));
    }
}

impl Drop for Table {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}

/// Only messages.
pub(crate) fn messages_only(json: bool) -> Box<dyn Screen> {
    if json { Box::new(JsonLines { shows_progress: false }) } else { Box::new(Quiet) }
}

/// A bar, and messages. Programs are shown messages only.
pub(crate) fn bar_only(inputs: &[Input], quiet: bool, json: bool) -> Box<dyn Screen> {
    if json {
        return messages_only(true);
    }
    Box::new(Table::new(bar(inputs, quiet), false))
}

/// Progress, bad lines and warnings as JSON lines.
struct JsonLines {
    shows_progress: bool,
}

impl Screen for JsonLines {
    fn is_watched(&self) -> bool {
        self.shows_progress
    }

    fn bad_line(&mut self, bad: &BadLine) {
        let Place { file, line, column } = &bad.place;
        let message = spelling::with_flags(&bad.message);
        let bad = json!({ "file": file, "line": line, "column": column, "message": message });
        say_json(&json!({ "bad_line": bad }));
    }

    fn warn(&mut self, warning: &str) {
        say_json(&json!({ "warning": spelling::with_flags(warning) }));
    }

    fn progress(&mut self, progress: &Progress) {
        say_json(progress);
    }

    fn note(&mut self, line: &str) {
        say_json(&json!({ "note": line }));
    }

    fn consumed(&mut self, _: u64) {}
}

/// Only what the user must know.
struct Quiet;

impl Screen for Quiet {
    fn is_watched(&self) -> bool {
        false
    }

    fn progress(&mut self, _: &Progress) {}

    fn note(&mut self, line: &str) {
        say(line);
    }

    fn consumed(&mut self, _: u64) {}
}

/// A line on standard error. If nobody can read it, training goes on all the same.
pub(crate) fn say(line: &str) {
    let _ = writeln!(std::io::stderr(), "{}", visible(line));
}

/// A line of JSON on standard error.
fn say_json(value: &impl Serialize) {
    if let Ok(json) = serde_json::to_string(value) {
        say_all(&format!("{}\n", safe_json(&json)));
    }
}

/// Several lines on standard error, whose parts have been made safe to print.
pub(crate) fn say_all(lines: &str) {
    let _ = std::io::stderr().write_all(lines.as_bytes());
}
