//! A comparison as text for people and as CSV for programs.

use thalweg_eval::Chosen;
use thalweg_eval::metric::Format;

use super::outcome::{LearnerOutcome, Outcome, SettingOutcome};
use crate::csv_line::csv_line;
use crate::summary::Summary;

/// The sparsities at which learners are compared.
const LEVELS: [f64; 6] = [0.5, 0.8, 0.9, 0.95, 0.99, 0.999];

/// The tables: the best setting of each learner, and what each of them gives from some sparsity on.
pub fn table(outcome: &Outcome) -> Vec<(String, Vec<Vec<String>>)> {
    let best = ("The best setting of each learner".to_string(), best_settings(outcome));
    let levels = (
        format!("{} of the best setting that is at least so sparse", first_title(outcome)),
        at_levels(outcome),
    );
    [best, levels].into_iter().filter(|(_, rows)| rows.len() > 1 && rows[0].len() > 1).collect()
}

/// The tables as text in columns.
pub fn shown(outcome: &Outcome) -> String {
    let tables = table(outcome);
    let text: Vec<String> =
        tables.iter().map(|(title, rows)| format!("{title}\n{}", in_columns(rows))).collect();
    text.join("\n")
}

fn in_columns(rows: &[Vec<String>]) -> String {
    let columns = rows.iter().map(Vec::len).max().unwrap_or(0);
    let width = |i: usize| rows.iter().filter_map(|row| row.get(i)).map(|cell| cell.chars().count()).max();
    let widths: Vec<usize> = (0..columns).map(|i| width(i).unwrap_or(0)).collect();
    let line = |row: &Vec<String>| {
        let cell = |(i, cell): (usize, &String)| {
            let room = " ".repeat(widths[i] - cell.chars().count());
            // Names begin alike, numbers end alike.
            if i < 2 && rows[0].get(1).is_some_and(|name| name == "setting") || i == 0 {
                format!("{cell}{room}")
            } else {
                format!("{room}{cell}")
            }
        };
        row.iter().enumerate().map(cell).collect::<Vec<_>>().join("  ").trim_end().to_string() + "\n"
    };
    rows.iter().map(line).collect()
}

fn best_settings(outcome: &Outcome) -> Vec<Vec<String>> {
    let mut heading = vec!["learner".to_string(), "setting".into()];
    heading.extend(outcome.chosen.iter().map(Chosen::title));
    heading.extend(["sparsity", "non-zeros", "seconds", "p"].map(String::from));
    let mut learners: Vec<&LearnerOutcome> =
        outcome.learners.iter().filter(|learner| learner.best().is_some()).collect();
    learners.sort_by(|a, b| match (a.best(), b.best()) {
        (Some(x), Some(y)) if outcome.is_better(x, y) => std::cmp::Ordering::Less,
        (Some(x), Some(y)) if outcome.is_better(y, x) => std::cmp::Ordering::Greater,
        _ => std::cmp::Ordering::Equal,
    });
    let row = |learner: &&LearnerOutcome| {
        let best = learner.best()?;
        let setting = match (&learner.knob, best.value) {
            (Some(knob), Some(value)) => format!("{knob}={}", short(value)),
            _ => String::new(),
        };
        let mut row = vec![learner.learner.clone(), setting];
        row.extend(outcome.chosen.iter().map(|metric| value_of(best, metric)));
        row.push(of(best.sparsity, |n| format!("{:.2} %", 100.0 * n.mean)));
        row.push(of(best.nonzeros, |n| thalweg_eval::grouped(n.mean.round() as u64)));
        row.push(of(best.seconds, |n| seconds(n.mean)));
        row.push(match learner.p_value {
            _ if learner.is_best => "best".into(),
            Some(p) if learner.is_worse() => format!("{} *", probability(p)),
            Some(p) => format!("{}  ", probability(p)),
            None => "-".into(),
        });
        Some(row)
    };
    std::iter::once(heading).chain(learners.iter().filter_map(row)).collect()
}

fn at_levels(outcome: &Outcome) -> Vec<Vec<String>> {
    let Some(metric) = outcome.chosen.first() else { return Vec::new() };
    let reached = |level: &&f64| outcome.learners.iter().any(|one| outcome.best_from(one, **level).is_some());
    let levels: Vec<f64> = LEVELS.iter().filter(reached).copied().collect();
    let name = |level: &f64| format!("{} %", 100.0 * level);
    let heading = std::iter::once("learner".to_string()).chain(levels.iter().map(name)).collect();
    let row = |learner: &LearnerOutcome| {
        let cell = |level: &f64| {
            outcome.best_from(learner, *level).map_or("-".into(), |setting| value_of(setting, metric))
        };
        std::iter::once(learner.learner.clone()).chain(levels.iter().map(cell)).collect()
    };
    std::iter::once(heading).chain(outcome.learners.iter().map(row)).collect()
}

fn first_title(outcome: &Outcome) -> String {
    outcome.chosen.first().map_or_else(String::new, Chosen::title)
}

/// Mean and deviation of a metric.
fn value_of(setting: &SettingOutcome, metric: &Chosen) -> String {
    of(setting.metrics.get(&metric.name()).copied(), |summary| written(summary, metric.entry.format))
}

fn written(summary: Summary, format: Format) -> String {
    let Summary { mean, deviation, count } = summary;
    let (times, decimals, unit) = match format {
        Format::Share => (100.0, 2, " %"),
        Format::Count | Format::Amount => (1.0, 1, ""),
        Format::Mean | Format::Decimal => (1.0, 4, ""),
    };
    let (mean, deviation) = (times * mean, times * deviation);
    if count < 2 {
        return format!("{mean:.decimals$}{unit}");
    }
    format!("{mean:.decimals$} ± {deviation:.decimals$}{unit}")
}

fn of(summary: Option<Summary>, text: impl Fn(Summary) -> String) -> String {
    summary.map_or("-".into(), text)
}

/// A number as one would write it by hand.
fn short(value: f64) -> String {
    if value == 0.0 || (1e-3..1e5).contains(&value) { format!("{value}") } else { format!("{value:e}") }
}

/// Three digits that count, or as many as there are before the point.
fn seconds(seconds: f64) -> String {
    match seconds {
        ..0.01 => format!("{seconds:.5}"),
        ..0.1 => format!("{seconds:.4}"),
        ..10.0 => format!("{seconds:.3}"),
        _ => format!("{seconds:.1}"),
    }
}

fn probability(p: f64) -> String {
    if p < 0.001 { "< 0.001".into() } else { format!("{p:.3}") }
}

/// [`rows`] as CSV.
pub fn csv(outcome: &Outcome) -> String {
    rows(outcome).into_iter().map(csv_line).collect()
}

/// The names of the columns, and a row for every setting of every learner: means and deviations.
pub fn rows(outcome: &Outcome) -> Vec<Vec<String>> {
    let mut head: Vec<String> = ["learner", "knob", "value", "setting", "repeats"].map(Into::into).into();
    let names: Vec<String> = outcome.metrics.iter().map(|metric| metric.name.clone()).collect();
    for name in names.iter().map(String::as_str).chain(["sparsity", "nonzeros", "seconds"]) {
        head.extend([name.into(), format!("{name}_deviation")]);
    }
    head.extend(["best", "p_value"].map(Into::into));
    let mut rows = vec![head];
    let number = |value: Option<f64>| value.map_or_else(String::new, |value| format!("{value:?}"));
    for learner in &outcome.learners {
        for (i, setting) in learner.settings.iter().enumerate() {
            let mut row = vec![
                learner.learner.clone(),
                learner.knob.clone().unwrap_or_default(),
                number(setting.value),
                setting.learner.clone(),
                setting.repeats.to_string(),
            ];
            let metrics = names.iter().map(|name| setting.metrics.get(name).copied());
            for summary in metrics.chain([setting.sparsity, setting.nonzeros, setting.seconds]) {
                row.extend([number(summary.map(|s: Summary| s.mean)), number(summary.map(|s| s.deviation))]);
            }
            let is_best = learner.best == Some(i);
            row.extend([is_best.to_string(), number(learner.p_value.filter(|_| is_best))]);
            rows.push(row);
        }
    }
    rows
}
