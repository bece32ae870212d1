//! The report at the end of a run, for people or as JSON.

use std::fmt::Display;

use serde::Serialize;
use thalweg::{
    Contender, CostOfClass, DecisionReport, EvalReport, FiguresOf, LabelsUsed, Model, RaceReport, TrainReport,
};
use thalweg_eval::{Figure, Figures, TradeOff, bytes, counted, grouped, percent, trade_off_table};

use crate::escape::visible;
use crate::output;

type Lines = Vec<(String, String)>;

/// Said of data that came normalized.
pub(crate) const VALUES_LEFT_ALONE: &str = "left as they are, because the examples have length 1";

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
        ("learner".into(), report.learner.clone()),
        ("examples".into(), format!("{} in {passes}{remarks}", grouped(report.examples))),
        (
            "seconds".into(),
            format!(
                "{:.3} (waiting for data {:.3}, learning {:.3})",
                seconds.total, seconds.reading, seconds.learning
            ),
        ),
    ];
    lines.extend(report.race.iter().flat_map(race));
    lines.extend(figures_of(report).map(|of| ("figures".into(), of)));
    if report.figures_of != FiguresOf::Nothing {
        lines.extend(report.figures.lines());
    }
    lines.extend(decision(report.decision.as_ref()));
    lines.extend(costs_in_force(&report.class_costs).map(|costs| ("costs in force".into(), costs)));
    lines.extend(labels_used(report));
    lines.extend(report.drift_alarms.map(|alarms| ("drift alarms".into(), grouped(alarms))));
    lines.extend(report.unit_length.then(|| ("values".into(), VALUES_LEFT_ALONE.into())));
    lines.extend(size(report));
    lines.extend(report.model.as_ref().map(|m| ("model".into(), format!("{}, {}", m.file, bytes(m.bytes)))));
    let test = report.test.as_ref().map_or_else(String::new, |test| format!("\n{}", of_evaluation(test)));
    table(&lines) + &test
}

/// Who has won a race of learners, or leads.
pub(crate) fn winner(report: &RaceReport) -> String {
    let after = format!("after {}", counted(report.examples, "example", "examples"));
    if report.decided {
        return format!("won by {} {after}", report.leader);
    }
    let left = report.contenders.iter().filter(|one| one.eliminated_at.is_none()).count();
    format!("undecided {after}, {left} are left; {} leads", report.leader)
}

/// How the race of learners went: who has won or leads, and who was eliminated when.
fn race(report: &RaceReport) -> Lines {
    let told = |contender: &Contender| {
        let loss = percent(contender.loss);
        let fate = match (contender.eliminated_at, contender.learner == report.leader) {
            (Some(at), _) => format!(", eliminated after {}", grouped(at)),
            (None, false) if report.decided => ", left when time was up".into(),
            (None, _) => String::new(),
        };
        (String::new(), format!("{} {loss}{fate}", contender.learner))
    };
    let mut out: Vec<&Contender> = report.contenders.iter().collect();
    out.sort_by_key(|contender| std::cmp::Reverse(contender.eliminated_at.unwrap_or(u64::MAX)));
    std::iter::once(("race".into(), winner(report))).chain(out.into_iter().map(told)).collect()
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

/// The threshold, if it is not simply 0.
fn decision(decision: Option<&DecisionReport>) -> Option<(String, String)> {
    let DecisionReport { threshold, target, status } = decision?;
    let target = target.map_or_else(String::new, |target| format!(" for {target}"));
    let status = status.as_ref().map_or_else(String::new, |status| format!(" ({status})"));
    Some(("threshold".into(), format!("{threshold:.6}{target}{status}")))
}

/// What errors on each class cost in the end.
pub(crate) fn costs_in_force(costs: &[CostOfClass]) -> Option<String> {
    // Of many classes, the report as JSON has all.
    let shown = costs.iter().take(8);
    let shown: Vec<String> = shown.map(|cost| format!("{} {}", cost.label, rounded(cost.cost))).collect();
    let more = if costs.len() > 8 { ", ..." } else { "" };
    (!shown.is_empty()).then(|| format!("{}{more}", shown.join(", ")))
}

/// A number with four digits that matter.
fn rounded(number: f64) -> String {
    let digits = 3 - number.abs().max(1e-300).log10().floor() as i32;
    let scale = 10f64.powi(digits.clamp(0, 12));
    ((number * scale).round() / scale).to_string()
}

/// What few labels cost.
fn labels_used(report: &TrainReport) -> Option<(String, String)> {
    let LabelsUsed { asked, of, with_all_labels } = report.label_budget.as_ref()?;
    let share = percent((*of > 0).then(|| *asked as f64 / *of as f64));
    // What was declared to matter is what is compared.
    let metric = if report.figures.get("cost").is_some() { "cost" } else { "error" };
    let value = |figures: &Figures| figures.get(metric).and_then(Figure::text).unwrap_or_else(|| "-".into());
    let (few, all) = (value(&report.figures), value(with_all_labels));
    let (asked, of) = (grouped(*asked), grouped(*of));
    let used = format!("{asked} of {of} ({share}); {metric} {few}, with all labels {all}");
    Some(("labels used".into(), used))
}

/// What other thresholds would give: about twenty of them.
pub(crate) fn trade_offs(report: &EvalReport, model: &Model) -> String {
    let thresholds = report.curves.as_ref().and_then(|curves| curves.thresholds.as_ref());
    let Some(thresholds) = thresholds else {
        let classes = model.labels().names().len();
        return format!("\nthere is no threshold: the model has {classes} classes\n");
    };
    let all = thresholds.trade_offs(&report.costs);
    let step = all.len().div_ceil(SHOWN_THRESHOLDS).max(1);
    let last = all.len().saturating_sub(1);
    let some: Vec<TradeOff> = all
        .into_iter()
        .enumerate()
        .filter(|(i, _)| i % step == 0 || *i == last)
        .map(|(_, trade_off)| trade_off)
        .collect();
    format!("\n{}", trade_off_table(&some))
}

/// How many thresholds are shown.
const SHOWN_THRESHOLDS: usize = 20;

/// How large the model is.
fn size(report: &TrainReport) -> Lines {
    let sparsity = report.sparsity.map_or_else(String::new, |s| format!(" ({} zero)", percent(Some(s))));
    let classes = if report.classes == 2 && report.figures.confusion().is_none() {
        String::new()
    } else {
        format!(" and {} classes", report.classes)
    };
    let (nonzeros, features) =
        (grouped(report.nonzeros as u64), counted(report.features as u64, "feature", "features"));
    let each = report.memory as f64 / report.features.max(1) as f64;
    let mut lines = vec![
        ("non-zero weights".into(), format!("{nonzeros} of {features}{classes}{sparsity}")),
        ("memory".into(), format!("{}, {each:.1} bytes per feature", bytes(report.memory as u64))),
    ];
    lines.extend(report.shared_numbers.map(|(used, shared)| {
        let (used, shared) = (counted(used, "number", "numbers"), grouped(shared));
        ("hashed features".into(), format!("{used} in use, about {shared} of them shared by several names"))
    }));
    lines.extend(report.evicted.map(|evicted| ("evicted".into(), counted(evicted, "feature", "features"))));
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
        ("test data".into(), report.data.join(" ")),
        ("examples".into(), format!("{}{remarks}", grouped(report.figures.examples()))),
        ("seconds".into(), format!("{:.3}", report.seconds)),
    ];
    lines.extend(decision(report.decision.as_ref()));
    lines.extend(report.figures.lines());
    let matrix = report.figures.matrix().map_or_else(String::new, |matrix| format!("\n{matrix}"));
    let classes = report.figures.per_class_table().map_or_else(String::new, |table| format!("\n{table}"));
    table(&lines) + &matrix + &classes
}

pub(crate) fn table<N: Display>(lines: &[(N, String)]) -> String {
    lines
        .iter()
        .map(|(name, value)| (name.to_string(), value))
        .map(|(name, value)| format!("{name:<18} {}\n", visible(value)))
        .collect()
}

/// Prints a report: one JSON object on one line, or text.
pub(crate) fn print(json: bool, report: &impl Serialize, text: impl Fn() -> String) -> anyhow::Result<()> {
    output::print(&if json { output::json_line(report)? } else { text() })
}
