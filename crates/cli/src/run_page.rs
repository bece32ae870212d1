//! A run as a page: what a report says, with curves.

use thalweg::{DecisionReport, EvalReport, FiguresOf, Input, Labels, Model, OutputFile, TrainReport};
use thalweg_core::Costs;
use thalweg_eval::metric::Format;
use thalweg_eval::{Column, Figures, OperatingCurve, Progress, bytes, grouped, percent};
use thalweg_page::{
    Assessment, CalibrationBin, ClassFigures, Confusion, Curve, CurvePoint, CurveValue, Feature, Figure,
    Kind, Metric, Note, OperatingPoint, Page, Row, Severity, Thresholds, Unit, html,
};

use crate::escape::shell_quoted;
use crate::output;
use crate::report::winner;

/// So many of the strongest features are shown.
const FEATURES: usize = 50;

/// A page that is not written yet.
pub(crate) struct RunPage(Page);

impl RunPage {
    /// Writes the page.
    pub(crate) fn write(self, file: OutputFile) -> anyhow::Result<()> {
        output::write_all(file, &html(&self.0))
    }
}

/// The page of a training run.
pub(crate) fn of_training(
    report: &TrainReport,
    inputs: &[Input],
    progress: &[Progress],
    model: &Model,
) -> RunPage {
    let (name, explanation) = match report.figures_of {
        FiguresOf::AllExamples => {
            ("Progressive validation", "Each example was predicted before it was learned from.")
        }
        FiguresOf::FirstPass => {
            ("First pass", "Each example was predicted before it was learned from for the first time.")
        }
        FiguresOf::HeldOut => ("Held-out examples", "These examples were never learned from."),
        FiguresOf::Nothing => ("Training", "Nothing was measured: the learner saw all of the data at once."),
    };
    let progressive = Assessment {
        name: name.into(),
        explanation: explanation.into(),
        ..assessment(&report.figures, report.decision.as_ref(), report.curves.as_ref(), &report.costs, model)
    };
    // What counts most comes first.
    let assessments =
        report.test.as_ref().map(|test| of_test(test, model)).into_iter().chain([progressive]).collect();
    let seconds = format!("{:.3}", report.seconds.total);
    let size = format!("{} of {} features", grouped(report.nonzeros as u64), grouped(report.features as u64));
    let mut data = vec![
        row("Examples", grouped(report.examples)),
        row("Passes", report.passes.to_string()),
        row("Bad lines", grouped(report.bad_lines)),
        row("Features", grouped(report.features as u64)),
        row("Labels", shown_labels(model.labels())),
    ];
    data.extend(report.test.as_ref().map(|test| row("Test data", test.data.join(" "))));
    let mut options = vec![row("Learner", report.learner.clone())];
    options.extend(report.race.as_ref().map(|race| row("Race", winner(race))));
    options.extend(settings_of(model));
    options.push(row("Non-zero weights", format!("{size} ({} zero)", percent(report.sparsity))));
    options.push(row("Memory", bytes(report.memory as u64)));
    options.push(row("Seconds", seconds));
    let warnings =
        report.long_runs.iter().map(|runs| Note { severity: Severity::Warning, text: runs.to_string() });
    let headline = report.test.as_ref().map_or(&report.figures, |test| &test.figures);
    RunPage(Page {
        title: names_of(inputs),
        kind: Kind::Training,
        notes: warnings.collect(),
        figures: headline_figures(headline),
        cost: cost_sentence(headline),
        curve: curve(progress),
        assessments,
        data,
        options,
        ..page(model)
    })
}

/// The page of an evaluation.
pub(crate) fn of_evaluation(report: &EvalReport, model: &Model) -> RunPage {
    RunPage(Page {
        title: report.data.join(" "),
        kind: Kind::Evaluation,
        figures: headline_figures(&report.figures),
        cost: cost_sentence(&report.figures),
        assessments: vec![of_test(report, model)],
        data: vec![
            row("Data", report.data.join(" ")),
            row("Examples", grouped(report.figures.examples())),
            row("Bad lines", grouped(report.bad_lines)),
        ],
        options: [row("Learner", model.learner().spec())].into_iter().chain(settings_of(model)).collect(),
        ..page(model)
    })
}

/// What every page has.
fn page(model: &Model) -> Page {
    Page {
        command: command(),
        made_at: now(),
        version: VERSION.into(),
        features: strongest(model),
        ..Page::default()
    }
}

/// The program and its version.
pub(crate) const VERSION: &str = concat!("thalweg ", env!("CARGO_PKG_VERSION"));

/// The command as it was typed.
pub(crate) fn command() -> String {
    let words = std::env::args_os().map(|word| shell_quoted(&word.to_string_lossy()));
    words.collect::<Vec<_>>().join(" ")
}

/// The time, in UTC.
pub(crate) fn now() -> String {
    let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap_or_default();
    let (days, seconds) = (since.as_secs() / 86_400, since.as_secs() % 86_400);
    let (year, month, day) = civil(i64::try_from(days).unwrap_or_default());
    format!("{year:04}-{month:02}-{day:02} {:02}:{:02} UTC", seconds / 3600, seconds / 60 % 60)
}

/// Year, month and day of so many days after 1 January 1970 (Hinnant, `chrono`-compatible low-level date algorithms).
fn civil(days: i64) -> (i64, i64, i64) {
    let z = days + 719_468;
    let (era, of_era) = (z.div_euclid(146_097), z.rem_euclid(146_097));
    let year_of_era = (of_era - of_era / 1460 + of_era / 36_524 - of_era / 146_096) / 365;
    let day_of_year = of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let shifted = (5 * day_of_year + 2) / 153;
    let month = if shifted < 10 { shifted + 3 } else { shifted - 9 };
    let year = year_of_era + era * 400 + i64::from(month <= 2);
    (year, month, day_of_year - (153 * shifted + 2) / 5 + 1)
}

fn names_of(inputs: &[Input]) -> String {
    inputs.iter().map(Input::name).collect::<Vec<_>>().join(" ")
}

fn row(name: &str, value: String) -> Row {
    Row { name: name.into(), value }
}

fn shown_labels(labels: &Labels) -> String {
    match labels.names() {
        [negative, positive] => format!("{negative} (negative), {positive} (positive)"),
        many => format!("{} classes", many.len()),
    }
}

/// The settings that a model was trained with, besides the learner.
fn settings_of(model: &Model) -> Vec<Row> {
    let Ok(serde_json::Value::Object(fields)) = serde_json::to_value(model.config()) else {
        return Vec::new();
    };
    let is_told = |(name, value): &(String, serde_json::Value)| {
        let told = !["learner", "labels"].contains(&name.as_str());
        told && !matches!(value, serde_json::Value::Bool(false) | serde_json::Value::Null)
            && !(name.starts_with("cost_") && value.as_f64() == Some(1.0))
    };
    let shown = |(name, value): (String, serde_json::Value)| {
        let text = value.as_str().map_or_else(|| value.to_string(), str::to_string);
        row(&name, text)
    };
    fields.into_iter().filter(is_told).map(shown).collect()
}

/// The figures that matter most.
fn headline_figures(figures: &Figures) -> Vec<Figure> {
    let names = [
        "cost",
        "error",
        "balanced_accuracy",
        "roc_auc",
        "average_precision",
        "sensitivity",
        "specificity",
        "macro_f1",
    ];
    let shown = names.iter().filter_map(|name| figures.get(name));
    let figure = |figure: &thalweg_eval::Figure| {
        Some(Figure { name: figure.metric.title(), value: figure.text()?, explanation: String::new() })
    };
    shown.filter_map(figure).take(6).collect()
}

fn cost_sentence(figures: &Figures) -> String {
    let names = ["cost", "cost_of_flagging_nothing", "cost_of_flagging_everything"];
    let texts: Option<Vec<String>> = names.iter().map(|name| figures.get(name)?.text()).collect();
    match texts.as_deref() {
        Some([cost, nothing, everything]) => format!(
            "Mistakes cost {cost}, against {nothing} when nothing is flagged and {everything} when everything is."
        ),
        _ => String::new(),
    }
}

fn of_test(test: &EvalReport, model: &Model) -> Assessment {
    // A finished model has one threshold, wherever it came from.
    let decision = test.decision.clone().map(|decision| DecisionReport { target: None, ..decision });
    Assessment {
        name: "Test data".into(),
        explanation: format!("{}, scored with the finished model.", test.data.join(" ")),
        ..assessment(&test.figures, decision.as_ref(), test.curves.as_ref(), &test.costs, model)
    }
}

fn assessment(
    figures: &Figures,
    decision: Option<&DecisionReport>,
    curves: Option<&thalweg::Curves>,
    costs: &Costs,
    model: &Model,
) -> Assessment {
    let lines = figures.lines().into_iter();
    let labels = model.labels();
    let thresholds = curves.and_then(|curves| curves.thresholds.as_ref());
    let calibration = curves.map(|curves| &curves.calibration[..]).unwrap_or_default();
    let class = |class: &thalweg_eval::ClassFigures| ClassFigures {
        label: class.class.clone(),
        examples: class.support,
        precision: class.precision,
        recall: class.recall,
        f1: class.f1,
    };
    Assessment {
        figures: lines.map(|(name, value)| figure(name, &value)).collect(),
        thresholds: thresholds.map(|curve| Thresholds {
            positive: labels.name(1).to_string(),
            negative: labels.name(0).to_string(),
            positives: curve.positives,
            negatives: curve.negatives,
            costs: thalweg_page::Costs { missed: costs.missed, false_alarm: costs.false_alarm },
            in_use: in_use(figures, decision, curve),
            points: curve
                .points
                .iter()
                .filter_map(|point| {
                    Some(OperatingPoint {
                        threshold: point.threshold?,
                        true_positives: point.true_positives,
                        false_positives: point.false_positives,
                    })
                })
                .collect(),
        }),
        calibration: calibration
            .iter()
            .filter_map(|bin| {
                Some(CalibrationBin {
                    predicted: bin.mean_predicted?,
                    observed: bin.observed?,
                    weight: bin.importance,
                })
            })
            .collect(),
        confusion: figures
            .confusion()
            .map(|(labels, counts)| Confusion { labels: labels.to_vec(), counts: counts.to_vec() }),
        classes: figures.per_class().iter().map(class).collect(),
        ..Assessment::default()
    }
}

/// A figure with what stands beside it in brackets below it.
fn figure(name: String, text: &str) -> Figure {
    let (value, beside) = text.split_once(" (").unwrap_or((text, ""));
    Figure { name, value: value.into(), explanation: beside.trim_end_matches(')').into() }
}

/// The threshold that was used, and what it gave. One that was steered on the way gave something else: then the curve tells.
fn in_use(
    figures: &Figures,
    decision: Option<&DecisionReport>,
    curve: &OperatingCurve,
) -> Option<OperatingPoint> {
    let threshold = decision.map_or(0.0, |decision| decision.threshold);
    if decision.is_some_and(|decision| decision.target.is_some()) {
        let flags_more =
            |point: &&thalweg_eval::OperatingPoint| point.threshold.is_none_or(|other| other > threshold);
        let last = curve.points.iter().take_while(flags_more).last()?;
        let (true_positives, false_positives) = (last.true_positives, last.false_positives);
        return Some(OperatingPoint { threshold, true_positives, false_positives });
    }
    let (missed, false_positives) = (figures.value("missed")?, figures.value("false_alarms")?);
    Some(OperatingPoint { threshold, true_positives: curve.positives - missed, false_positives })
}

/// Progress as curves.
fn curve(progress: &[Progress]) -> Curve {
    let Some(first) = progress.first() else { return Curve::default() };
    let usual = [("error", Unit::Share), ("balanced accuracy", Unit::Share), ("average loss", Unit::Number)];
    let is_new = |column: &&Column| !usual.iter().any(|(name, _)| *name == column.so_far.metric.title());
    let chosen = first.columns.iter().filter(is_new).map(|column| Metric {
        name: column.so_far.metric.title(),
        unit: if column.so_far.metric.entry.format == Format::Share { Unit::Share } else { Unit::Number },
    });
    let point = |line: &Progress| {
        let so_far = |value: Option<f64>| CurveValue { so_far: value, since_last: None };
        let usual = [
            so_far(Some(line.error)),
            so_far(line.balanced_accuracy),
            CurveValue { so_far: Some(line.average_loss), since_last: Some(line.since_last) },
        ];
        let chosen = line
            .columns
            .iter()
            .filter(is_new)
            .map(|column| CurveValue { so_far: column.so_far.value, since_last: column.since_last.value });
        CurvePoint {
            examples: line.examples,
            nonzero: Some(line.nonzeros as u64),
            values: usual.into_iter().chain(chosen).collect(),
        }
    };
    let usual = usual.map(|(name, unit)| Metric { name: name.into(), unit });
    Curve { metrics: usual.into_iter().chain(chosen).collect(), points: progress.iter().map(point).collect() }
}

/// The features with the largest weights.
fn strongest(model: &Model) -> Vec<Feature> {
    let (labels, names, learner) = (model.labels(), model.feature_names(), model.learner());
    let mut weights = learner.weights();
    weights.sort_by(|a, b| b.value.abs().total_cmp(&a.value.abs()));
    let feature = |w: &thalweg_core::Weight| Feature {
        name: names.name(w.feature),
        weight: w.value,
        class: w.class.map(|class| labels.name(class).to_string()),
        deviation: learner.variance(w.feature, w.class).map(f64::sqrt),
    };
    weights.iter().take(FEATURES).map(feature).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_become_dates() {
        assert_eq!(civil(0), (1970, 1, 1));
        assert_eq!(civil(19_782), (2024, 2, 29));
        assert_eq!(civil(20_775), (2026, 11, 18));
    }
}
