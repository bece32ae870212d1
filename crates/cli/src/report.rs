//! The report at the end of a run, for people or as JSON.

use serde::Serialize;
use thalweg::{EvalReport, FiguresOf, TrainReport};
use thalweg_eval::{bytes, counted, grouped, percent};

use crate::escape::visible;
use crate::output;

type Lines = Vec<(&'static str, String)>;

/// The report of training, for people.
pub(crate) fn of_training(report: &TrainReport) -> String {
    let passes = match (report.interrupted, report.passes) {
        (true, _) => "an interrupted run".into(),
        (false, 1) => "1 pass".into(),
        (false, passes) => format!("{passes} passes"),
    };
    let remarks = remarks(&[
        (report.bad_lines, "bad line skipped", "bad lines skipped"),
        (report.sorted_examples, "with features sorted or summed", "with features sorted or summed"),
        (
            report.rejected,
            "refused, its update would not be finite",
            "refused, their updates would not be finite",
        ),
    ]);
    let seconds = report.seconds;
    let mut lines: Lines = vec![
        ("learner", report.learner.clone()),
        ("examples", format!("{} in {passes}{remarks}", grouped(report.examples))),
        (
            "seconds",
            format!(
                "{:.3} (waiting for data {:.3}, learning {:.3})",
                seconds.total, seconds.reading, seconds.learning
            ),
        ),
    ];
    lines.extend(figures_of(report).map(|of| ("figures", of)));
    if report.figures_of != FiguresOf::Nothing {
        lines.extend(report.figures.lines());
    }
    lines.extend(size(report));
    lines.extend(report.model.as_ref().map(|m| ("model", format!("{}, {}", m.file, bytes(m.bytes)))));
    let test = report.test.as_ref().map_or_else(String::new, |test| format!("\n{}", of_evaluation(test)));
    table(&lines) + &test
}

/// Which examples the figures are of, unless they are of all.
fn figures_of(report: &TrainReport) -> Option<String> {
    match report.figures_of {
        FiguresOf::AllExamples => None,
        FiguresOf::FirstPass => Some("of the first pass; later passes see examples again".into()),
        FiguresOf::HeldOut => {
            let held_out = counted(report.figures.examples(), "example", "examples");
            Some(format!("of {held_out} held out, in the last pass"))
        }
        FiguresOf::Nothing => {
            Some("none, the learner saw all of the data at once; use -t for test data".into())
        }
    }
}

/// How large the model is.
fn size(report: &TrainReport) -> Lines {
    let sparsity = report.sparsity.map_or_else(String::new, |s| format!(" ({} zero)", percent(Some(s))));
    let classes =
        if report.classes == 2 { String::new() } else { format!(" and {} classes", report.classes) };
    let (nonzeros, features) =
        (grouped(report.nonzeros as u64), counted(report.features as u64, "feature", "features"));
    let each = report.memory as f64 / report.features.max(1) as f64;
    let mut lines = vec![
        ("non-zero weights", format!("{nonzeros} of {features}{classes}{sparsity}")),
        ("memory", format!("{}, {each:.1} bytes per feature", bytes(report.memory as u64))),
    ];
    lines.extend(report.shared_numbers.map(|(used, shared)| {
        let (used, shared) = (counted(used, "number", "numbers"), grouped(shared));
        ("hashed features", format!("{used} in use, {shared} of them shared by several names"))
    }));
    lines.extend(report.evicted.map(|evicted| ("evicted", counted(evicted, "feature", "features"))));
    lines
}

/// What there is any of, in brackets: one, or many.
fn remarks(all: &[(u64, &str, &str)]) -> String {
    let told = all.iter().filter(|(n, ..)| *n > 0).map(|(n, one, many)| counted(*n, one, many));
    let told: Vec<String> = told.collect();
    if told.is_empty() { String::new() } else { format!(" ({})", told.join("; ")) }
}

/// The report of an evaluation, for people.
pub(crate) fn of_evaluation(report: &EvalReport) -> String {
    let remarks = remarks(&[
        (report.bad_lines, "bad line skipped", "bad lines skipped"),
        (report.unscored, "without a finite score", "without a finite score"),
    ]);
    let mut lines: Lines = vec![
        ("test data", report.data.join(" ")),
        ("examples", format!("{}{remarks}", grouped(report.figures.examples()))),
        ("seconds", format!("{:.3}", report.seconds)),
    ];
    lines.extend(report.figures.lines());
    let matrix = report.figures.matrix().map_or_else(String::new, |matrix| format!("\n{matrix}"));
    table(&lines) + &matrix
}

pub(crate) fn table(lines: &[(&str, String)]) -> String {
    lines.iter().map(|(name, value)| format!("{name:<18} {}\n", visible(value))).collect()
}

/// Prints a report: one JSON object on one line, or text.
pub(crate) fn print(json: bool, report: &impl Serialize, text: impl Fn() -> String) -> anyhow::Result<()> {
    output::print(&if json { output::json_line(report)? } else { text() })
}
