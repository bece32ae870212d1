//! The papers' figures of a comparison: error against sparsity, time against sparsity, online curves.

use thalweg_eval::metric::Format;
use thalweg_figures::{Axis, Plot, Point, Series, Spread, Unit};

use super::outcome::{CurveSummary, LearnerOutcome, Outcome, SettingOutcome};
use super::path::SPARSITY_KNOBS;
use crate::summary::Summary;

/// The figures with the names of their files, without endings.
pub fn figures(outcome: &Outcome) -> Vec<(&'static str, Plot)> {
    let all = [
        ("sparsity", against_sparsity(outcome)),
        ("time", time(outcome)),
        ("knob", against_knobs(outcome)),
        ("online", online(outcome)),
    ];
    all.into_iter().filter(|(_, plot)| plot.series.iter().any(|series| !series.points.is_empty())).collect()
}

/// The metric against sparsity.
fn against_sparsity(outcome: &Outcome) -> Plot {
    let (title, unit) = metric(outcome);
    let series = along_paths(outcome, |setting| outcome.first(setting));
    Plot {
        title: format!("{} against sparsity", capitalized(&title)),
        subtitle: what_was_measured(outcome),
        x: sparsity_axis(&series),
        y: Axis::fitting(&title, unit, ys(&series)),
        spread: Spread::Bars,
        series,
    }
}

/// The metric against the values of knobs that are not about sparsity, of the learners that went along one.
fn against_knobs(outcome: &Outcome) -> Plot {
    let (title, unit) = metric(outcome);
    let knob = |learner: &LearnerOutcome| {
        learner.knob.clone().filter(|knob| !SPARSITY_KNOBS.contains(&knob.as_str()))
    };
    let path = |learner: &LearnerOutcome| {
        knob(learner)?;
        let point = |setting: &SettingOutcome| Some(summarized(setting.value?, outcome.first(setting)?));
        let mut points: Vec<Point> = learner.settings.iter().filter_map(point).collect();
        points.sort_by(|a, b| a.x.total_cmp(&b.x));
        Some((learner.learner.clone(), points))
    };
    let series = Series::of_learners(outcome.learners.iter().filter_map(path));
    let mut knobs: Vec<String> = outcome.learners.iter().filter_map(knob).collect();
    knobs.sort();
    knobs.dedup();
    let named = |learner: &LearnerOutcome| Some(format!("{} of {}", knob(learner)?, learner.learner));
    let label = match &knobs[..] {
        [one] => one.clone(),
        _ => outcome.learners.iter().filter_map(named).collect::<Vec<_>>().join(", "),
    };
    let xs: Vec<f64> = series.iter().flat_map(|one| one.points.iter().map(|point| point.x)).collect();
    Plot {
        title: format!("{} against {}", capitalized(&title), if knobs.len() == 1 { &label } else { "knobs" }),
        subtitle: what_was_measured(outcome),
        x: Axis::fitting(&label, Unit::Number, xs.into_iter()),
        y: Axis::fitting(&title, unit, ys(&series)),
        spread: Spread::Bars,
        series,
    }
}

/// The time of learning against sparsity.
fn time(outcome: &Outcome) -> Plot {
    let most = outcome.learners.iter().flat_map(|learner| &learner.settings).filter_map(|one| one.seconds);
    let (unit, times) = match most.map(|seconds| seconds.mean).fold(0.0, f64::max) {
        ..0.5 => ("milliseconds", 1e3),
        _ => ("seconds", 1.0),
    };
    let shown = |seconds: Summary| Summary {
        mean: times * seconds.mean,
        deviation: times * seconds.deviation,
        ..seconds
    };
    let series = along_paths(outcome, |setting| setting.seconds.map(shown));
    let examples = thalweg_eval::grouped(outcome.data.examples as u64);
    Plot {
        title: "Time against sparsity".into(),
        subtitle: format!("{}, learning from {examples} examples, {}", outcome.data.name, repeats(outcome)),
        x: sparsity_axis(&series),
        y: Axis::fitting(&format!("processor time of learning ({unit})"), Unit::Number, ys(&series)),
        spread: Spread::Bars,
        series,
    }
}

/// The metric as examples come, at the best setting of each learner.
fn online(outcome: &Outcome) -> Plot {
    // Also where there is test data, it is of the examples that are learned from.
    let (_, unit) = metric(outcome);
    let title = outcome.chosen.first().map_or_else(String::new, thalweg_eval::Chosen::title);
    let curve = |learner: &LearnerOutcome| {
        let best = learner.best()?;
        let point = |point: &CurveSummary| summarized(point.examples as f64, point.value);
        Some((learner.learner.clone(), best.curve.iter().map(point).collect()))
    };
    let series = Series::of_learners(outcome.learners.iter().filter_map(curve));
    let xs = series.iter().flat_map(|series| series.points.iter().map(|point| point.x)).collect::<Vec<_>>();
    // What the first examples do is chance, and would press the rest together.
    let settled = |point: &&Point| point.x >= 0.1 * outcome.data.examples as f64;
    let late: Vec<f64> =
        series.iter().flat_map(|s| s.points.iter().filter(settled).map(|point| point.y)).collect();
    Plot {
        title: format!("{} as examples come", capitalized(&title)),
        subtitle: format!(
            "{}, all examples so far, best setting of each, {}",
            outcome.data.name,
            repeats(outcome)
        ),
        x: Axis::counts("examples", thalweg_figures::Scale::Linear, xs.into_iter()),
        y: Axis::fitting(&title, unit, late.into_iter()),
        spread: Spread::Band,
        series,
    }
}

/// The settings of every learner, by sparsity.
fn along_paths(outcome: &Outcome, value: impl Fn(&SettingOutcome) -> Option<Summary>) -> Vec<Series> {
    let path = |learner: &LearnerOutcome| {
        let point = |setting: &SettingOutcome| Some(summarized(setting.sparsity?.mean, value(setting)?));
        let mut points: Vec<Point> = learner.settings.iter().filter_map(point).collect();
        points.sort_by(|a, b| a.x.total_cmp(&b.x));
        (learner.learner.clone(), points)
    };
    Series::of_learners(outcome.learners.iter().map(path))
}

fn summarized(x: f64, value: Summary) -> Point {
    Point::new(x, value.mean).within(value.deviation)
}

fn sparsity_axis(series: &[Series]) -> Axis {
    Axis::sparsity(
        "sparsity (weights that are zero)",
        series.iter().flat_map(|series| series.points.iter().map(|point| point.x)),
    )
}

/// The values with the ends of their bars. Where a bar goes far down, on a logarithmic axis its end would only squeeze the rest.
fn ys(series: &[Series]) -> impl Iterator<Item = f64> + Clone {
    let ends = |point: &Point| [(point.y - point.spread).max(0.5 * point.y), point.y + point.spread];
    series.iter().flat_map(move |series| series.points.iter().flat_map(ends))
}

/// The first metric's name, and how its values are written.
fn metric(outcome: &Outcome) -> (String, Unit) {
    let Some(metric) = outcome.chosen.first() else { return (String::new(), Unit::Number) };
    let title = if outcome.test.is_some() { format!("test {}", metric.title()) } else { metric.title() };
    (title, if metric.entry.format == Format::Share { Unit::Share } else { Unit::Number })
}

fn what_was_measured(outcome: &Outcome) -> String {
    let examples = match &outcome.test {
        Some(test) => format!("{} test examples", thalweg_eval::grouped(test.examples as u64)),
        None => "each example before it was learned from".into(),
    };
    format!("{}, {examples}, {}", outcome.data.name, repeats(outcome))
}

fn repeats(outcome: &Outcome) -> String {
    match outcome.orders {
        1 => "one order".into(),
        orders => format!("mean and deviation of {orders} orders"),
    }
}

fn capitalized(text: &str) -> String {
    let mut characters = text.chars();
    characters.next().map_or_else(String::new, |first| first.to_uppercase().chain(characters).collect())
}
