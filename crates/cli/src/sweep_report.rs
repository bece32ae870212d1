//! What a sweep found: for people, as a table, and as a page.

use thalweg::{Input, Saved};
use thalweg_eval::metric::Format;
use thalweg_eval::{Better, Figure, bytes, counted, grouped};
use thalweg_experiments::csv_line;
use thalweg_experiments::sweep::{CandidateReport, SweepReport, WAITING};
use thalweg_figures::{Axis, Plot, Point, Scale, Series, Spread, Unit};
use thalweg_page::{Experiment, Note, Part, Row, Severity, experiment_html};

use crate::escape::visible;
use crate::run_page;
use crate::spelling::with_flags;

/// The report for people: the best candidates, what the race did, and how to train the best again.
pub(crate) fn text(report: &SweepReport, top: usize, retrain: &str, saved: Option<&Saved>) -> String {
    let mut text = columns(&table(report, top));
    let more = report.candidates.len().saturating_sub(top);
    if more > 0 {
        text += &format!("and {more} more (--top, --csv)\n");
    }
    text += &format!("\n{}\n", explained(report));
    if report.candidates.iter().any(|one| !one.is_measured()) {
        text += &format!("- not measured: {}\n", with_flags(WAITING));
    }
    if report.candidates.iter().any(|one| one.pareto) {
        text += &format!("* {PARETO}\n");
    }
    if let Some(saved) = saved {
        text += &format!("model    {}, {}\n", visible(&saved.file), bytes(saved.bytes));
    }
    text + &format!("retrain  {}\n", visible(retrain))
}

const PARETO: &str = "no other setting is as good in objective, non-zeros and time, and better in one";

/// What was done, and how settings were measured.
fn explained(report: &SweepReport) -> String {
    let measured = match report.validation {
        "folds" => "mean and deviation over the folds",
        "holdout" => "on held-out examples",
        _ => "each example was scored before it was learned from",
    };
    let ended = if report.interrupted { ", interrupted" } else { "" };
    let settings = counted(report.candidates.len() as u64, "setting", "settings");
    let examples = counted(report.examples, "example", "examples");
    let bad = match report.bad_lines {
        0 => String::new(),
        bad => format!(" ({} skipped)", counted(bad, "bad line", "bad lines")),
    };
    format!("{settings}, {examples}{bad} in {:.1} seconds{ended}; {measured}", report.seconds)
}

/// A heading, and a row for each of the best candidates.
fn table(report: &SweepReport, top: usize) -> Vec<Vec<String>> {
    let metrics = metrics(report);
    let mut head = vec![String::new(), "settings".to_string()];
    head.extend(metrics.iter().map(|metric| title(metric)));
    head.extend(["non-zero weights", "ns/example", "Pareto"].map(Into::into));
    let has_race = report.candidates.iter().any(|one| one.eliminated.is_some());
    if has_race {
        head.push("left the race".into());
    }
    let mut rows = vec![head];
    for (rank, one) in report.candidates.iter().take(top).enumerate() {
        let mut row = vec![(rank + 1).to_string(), one.candidate.label()];
        row.extend(metrics.iter().map(|metric| value(one, metric)));
        row.push(grouped(one.nonzeros as u64));
        row.push(format!("{:.0}", one.nanoseconds));
        row.push(if one.pareto { "*".into() } else { String::new() });
        if has_race {
            row.push(left(report, one));
        }
        rows.push(row);
    }
    rows
}

/// The report as a page: all settings, and the best value that each learner reaches with so many weights.
pub(crate) fn page(report: &SweepReport, inputs: &[Input], retrain: &str) -> String {
    let name = inputs.iter().map(Input::name).collect::<Vec<_>>().join(", ");
    let fact = |name: &str, value: String| Row { name: name.into(), value };
    let settings = table(report, usize::MAX).into_iter().map(|row| row[1..].to_vec()).collect();
    let note = "The best setting was chosen by the figures that are shown here; on new data it will be a little worse.";
    let mut notes = vec![Note { severity: Severity::Remark, text: note.into() }];
    if report.interrupted {
        let text = "The run was interrupted: not all of the data was seen.".into();
        notes.push(Note { severity: Severity::Warning, text });
    }
    if report.candidates.iter().any(|one| !one.is_measured()) {
        let text = format!("Not all settings were measured: {}.", with_flags(WAITING));
        notes.push(Note { severity: Severity::Warning, text });
    }
    experiment_html(&Experiment {
        kind: "Sweep".into(),
        title: name.clone(),
        command: run_page::command(),
        made_at: run_page::now(),
        version: run_page::VERSION.into(),
        notes,
        parts: vec![
            Part {
                name: "Best values by size".into(),
                figures: figure_of_sizes(report, &name),
                ..Part::default()
            },
            Part {
                name: "Settings".into(),
                explanation: format!("{}. Pareto: {PARETO}.", explained(report)),
                table: settings,
                ..Part::default()
            },
        ],
        facts: vec![
            fact("Examples", grouped(report.examples)),
            fact("Bad lines", grouped(report.bad_lines)),
            fact("Objective", report.objective.clone()),
            fact("To train the best alone", retrain.into()),
        ],
    })
}

/// The best value of each learner with at most so many weights.
fn figure_of_sizes(report: &SweepReport, name: &str) -> Vec<Plot> {
    let Ok(objective) = thalweg_eval::find(&report.objective) else { return Vec::new() };
    let better = objective.entry.better;
    let mut lines: Vec<(String, Vec<Point>)> = Vec::new();
    let mut by_size: Vec<&CandidateReport> =
        report.candidates.iter().filter(|one| one.eliminated.is_none() && one.value.is_some()).collect();
    by_size.sort_by_key(|one| one.nonzeros);
    for one in by_size {
        let learner = one.candidate.learner.split(':').next().unwrap_or_default();
        let at = lines.iter().position(|(name, _)| name == learner).unwrap_or_else(|| {
            lines.push((learner.into(), Vec::new()));
            lines.len() - 1
        });
        let (points, value) = (&mut lines[at].1, one.value.unwrap_or_default());
        let is_better = points.last().is_none_or(|last| match better {
            Better::Higher => value > last.y,
            Better::Lower | Better::Neither => value < last.y,
        });
        if is_better {
            points.push(Point::new(one.nonzeros as f64, value));
        }
    }
    let all = || lines.iter().flat_map(|(_, points)| points);
    let unit = if objective.entry.format == Format::Share { Unit::Share } else { Unit::Number };
    let plot = Plot {
        title: format!("Best {} by number of weights", objective.title()),
        subtitle: name.into(),
        x: Axis::counts("non-zero weights", Scale::Logarithmic, all().map(|point| point.x)),
        y: Axis::around(&objective.title(), unit, all().map(|point| point.y)),
        series: Series::of_learners(lines.clone()),
        spread: Spread::Bars,
    };
    vec![plot]
}

/// The metrics that are shown: the objective and those that were asked for.
fn metrics(report: &SweepReport) -> Vec<String> {
    std::iter::once(&report.objective).chain(&report.metrics).cloned().collect()
}

fn title(metric: &str) -> String {
    thalweg_eval::find(metric).map_or_else(|_| metric.into(), |metric| metric.title())
}

/// The value of a metric, which may be a mean over folds.
fn value(one: &CandidateReport, metric: &str) -> String {
    let (Ok(metric), Some(summary)) = (thalweg_eval::find(metric), one.summary(metric)) else {
        return "-".into();
    };
    let shown = |value: f64| Figure { metric, value: Some(value), within: None }.text();
    let mean = shown(summary.mean).unwrap_or_else(|| "-".into());
    match shown(summary.deviation).filter(|_| summary.count > 1) {
        Some(deviation) => format!("{mean} ± {deviation}"),
        None => mean,
    }
}

/// When a candidate left the race, and who was better.
fn left(report: &SweepReport, one: &CandidateReport) -> String {
    let Some(eliminated) = &one.eliminated else { return String::new() };
    let by = report.candidates.iter().find(|other| other.number == eliminated.by);
    let by = by.map_or_else(String::new, |by| format!(", worse than {}", by.candidate.label()));
    // Nobody needs to know how many zeros it has.
    let odds = match eliminated.odds {
        odds if odds < 1e6 => grouped(odds as u64),
        _ => "over a million".into(),
    };
    format!("after {}{by}, odds {odds} to 1", grouped(eliminated.at_examples))
}

/// Columns that are as wide as they need: the first texts to the left, numbers to the right.
fn columns(rows: &[Vec<String>]) -> String {
    let count = rows.iter().map(Vec::len).max().unwrap_or(0);
    let width = |column: usize| {
        rows.iter().filter_map(|row| row.get(column)).map(|cell| cell.chars().count()).max().unwrap_or(0)
    };
    let widths: Vec<usize> = (0..count).map(width).collect();
    let is_text =
        |column: usize| column == 1 || rows[0].get(column).is_some_and(|head| head == "left the race");
    let line = |row: &Vec<String>| {
        let cells = row.iter().enumerate().map(|(column, cell)| {
            let room = " ".repeat(widths[column] - cell.chars().count());
            if is_text(column) { format!("{cell}{room}") } else { format!("{room}{cell}") }
        });
        visible(cells.collect::<Vec<_>>().join("  ").trim_end()).into_owned() + "\n"
    };
    rows.iter().map(line).collect()
}

/// All candidates as a table with commas.
pub(crate) fn csv(report: &SweepReport) -> String {
    let metrics = metrics(report);
    let mut knobs: Vec<&str> = Vec::new();
    for (knob, _) in report.candidates.iter().flat_map(|one| &one.candidate.settings) {
        if !knobs.contains(&knob.as_str()) {
            knobs.push(knob);
        }
    }
    let mut head: Vec<String> = ["rank", "number", "learner"].map(Into::into).into();
    head.extend(knobs.iter().map(ToString::to_string));
    head.extend(metrics.iter().cloned());
    head.extend(
        ["deviation", "nonzeros", "nanoseconds", "pareto", "eliminated_at", "eliminated_by"].map(Into::into),
    );
    let mut text = csv_line(head);
    let number = |value: Option<f64>| value.map_or_else(String::new, |value| value.to_string());
    for (rank, one) in report.candidates.iter().enumerate() {
        let setting = |knob: &&str| one.candidate.settings.iter().find(|(name, _)| name == knob);
        let mut row = vec![(rank + 1).to_string(), one.number.to_string(), one.candidate.learner.clone()];
        row.extend(
            knobs.iter().map(|knob| setting(knob).map_or_else(String::new, |(_, value)| value.clone())),
        );
        row.extend(metrics.iter().map(|metric| number(one.summary(metric).map(|summary| summary.mean))));
        row.push(number(one.deviation));
        row.push(one.nonzeros.to_string());
        row.push(format!("{:.1}", one.nanoseconds));
        row.push(one.pareto.to_string());
        row.push(one.eliminated.as_ref().map_or_else(String::new, |gone| gone.at_examples.to_string()));
        row.push(one.eliminated.as_ref().map_or_else(String::new, |gone| gone.by.to_string()));
        text += &csv_line(row);
    }
    text
}
