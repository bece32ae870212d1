//! The report at the end of a run, for people or as JSON.

use serde::Serialize;
use thalweg_core::{Learner, Task};
use thalweg_data::{Labels, ReadCounts};
use thalweg_eval::{Classes, Context, Figures, ProgressiveFigures, grouped, percent};

use crate::escape::visible;
use crate::output;

/// What training achieved.
#[derive(Serialize)]
pub(crate) struct TrainReport {
    pub(crate) learner: String,
    pub(crate) passes: u64,
    /// Did a signal end it before the end of the data?
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub(crate) interrupted: bool,
    pub(crate) bad_lines: u64,
    pub(crate) sorted_examples: u64,
    pub(crate) rejected: u64,
    pub(crate) seconds: Seconds,
    /// Progressive: every example was scored before it was learned from.
    #[serde(flatten)]
    pub(crate) figures: Figures,
    pub(crate) nonzeros: usize,
    pub(crate) features: usize,
    #[serde(skip)]
    pub(crate) classes: usize,
    /// Bytes that the features occupy in memory.
    pub(crate) memory: usize,
    /// Of hashed features: numbers in use, and those that several names share.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) shared_numbers: Option<(u64, u64)>,
    /// Features that left because there was no room for them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) evicted: Option<u64>,
    /// Share of the weights that are zero.
    pub(crate) sparsity: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) model: Option<Saved>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) test: Option<EvalReport>,
}

#[derive(Clone, Copy, Default, Serialize)]
pub(crate) struct Seconds {
    pub(crate) total: f64,
    /// Waiting for the reader, which works at the same time.
    pub(crate) reading: f64,
    pub(crate) learning: f64,
}

#[derive(Serialize)]
pub(crate) struct Saved {
    pub(crate) file: String,
    pub(crate) bytes: u64,
}

/// What a model achieves on data that it does not learn from.
#[derive(Serialize)]
pub(crate) struct EvalReport {
    pub(crate) data: Vec<String>,
    pub(crate) bad_lines: u64,
    /// Examples that have no finite score, and count as having a score of 0.
    #[serde(skip_serializing_if = "is_none")]
    pub(crate) unscored: u64,
    pub(crate) seconds: f64,
    #[serde(flatten)]
    pub(crate) figures: Figures,
}

#[allow(clippy::trivially_copy_pass_by_ref)] // as serde wants it
fn is_none(count: &u64) -> bool {
    *count == 0
}

type Lines = Vec<(&'static str, String)>;

impl TrainReport {
    pub(crate) fn text(&self) -> String {
        let passes = if self.passes == 1 { "1 pass".into() } else { format!("{} passes", self.passes) };
        let passes = if self.interrupted { "an interrupted run".into() } else { passes };
        let mut lines: Lines = vec![
            ("learner", self.learner.clone()),
            ("examples", format!("{} in {passes}{}", grouped(self.figures.examples()), self.remarks())),
            (
                "seconds",
                format!(
                    "{:.3} (waiting for data {:.3}, learning {:.3})",
                    self.seconds.total, self.seconds.reading, self.seconds.learning
                ),
            ),
        ];
        lines.extend(self.figures.lines());
        let sparsity = self.sparsity.map_or_else(String::new, |s| format!(" ({} zero)", percent(Some(s))));
        lines.push((
            "non-zero weights",
            format!(
                "{} of {} features{}{sparsity}",
                grouped(self.nonzeros as u64),
                grouped(self.features as u64),
                if self.classes == 2 { String::new() } else { format!(" and {} classes", self.classes) },
            ),
        ));
        let each = self.memory as f64 / self.features.max(1) as f64;
        lines.push(("memory", format!("{} bytes, {each:.1} per feature", grouped(self.memory as u64))));
        lines.extend(self.shared_numbers.map(|(used, shared)| {
            let (used, shared) = (grouped(used), grouped(shared));
            ("hashed features", format!("{used} numbers in use, {shared} of them shared by several names"))
        }));
        lines.extend(self.evicted.map(|evicted| ("left for room", format!("{} features", grouped(evicted)))));
        lines.extend(
            self.model.as_ref().map(|m| ("model", format!("{}, {} bytes", m.file, grouped(m.bytes)))),
        );
        let mut text = table(&lines);
        if let Some(test) = &self.test {
            text += &format!("\n{}", test.text());
        }
        text
    }

    fn remarks(&self) -> String {
        remarks(&[
            (self.bad_lines, "bad lines skipped"),
            (self.sorted_examples, "with features sorted or summed"),
            (self.rejected, "refused, their update would not be finite"),
        ])
    }
}

/// What there is any of, in brackets.
fn remarks(all: &[(u64, &str)]) -> String {
    let told: Vec<String> =
        all.iter().filter(|(n, _)| *n > 0).map(|(n, what)| format!("{} {what}", grouped(*n))).collect();
    if told.is_empty() { String::new() } else { format!(" ({})", told.join("; ")) }
}

impl EvalReport {
    pub(crate) fn new(
        data: Vec<String>,
        census: ReadCounts,
        unscored: u64,
        seconds: f64,
        figures: Figures,
    ) -> Self {
        Self { data, bad_lines: census.bad, unscored, seconds, figures }
    }

    pub(crate) fn text(&self) -> String {
        let bad =
            remarks(&[(self.bad_lines, "bad lines skipped"), (self.unscored, "without a finite score")]);
        let mut lines: Lines = vec![
            ("test data", self.data.join(" ")),
            ("examples", format!("{}{bad}", grouped(self.figures.examples()))),
            ("seconds", format!("{:.3}", self.seconds)),
        ];
        lines.extend(self.figures.lines());
        let matrix = self.figures.matrix().map_or_else(String::new, |matrix| format!("\n{matrix}"));
        table(&lines) + &matrix
    }
}

/// What metrics must know of a run with this learner.
pub(crate) fn context(learner: &dyn Learner, learns: bool) -> Context {
    let classes = match learner.task() {
        Task::Binary => Classes::Two,
        Task::Hinge | Task::Ovr => Classes::Many,
    };
    Context { classes, costs: learner.costs(), learns }
}

/// The figures so far, with the names of the classes.
pub(crate) fn figures(run: &ProgressiveFigures, labels: &Labels) -> Figures {
    run.figures(|class| labels.name(class).to_string())
}

/// Share of the weights that are zero. There is a weight for each feature, or for each feature and class.
pub(crate) fn sparsity(learner: &dyn Learner, nonzeros: usize, features: usize) -> Option<f64> {
    let per_feature = if learner.task() == Task::Binary { 1 } else { learner.classes() };
    let all = features * per_feature;
    (all > 0).then(|| 1.0 - nonzeros as f64 / all as f64)
}

pub(crate) fn table(lines: &[(&str, String)]) -> String {
    lines.iter().map(|(name, value)| format!("{name:<18} {}\n", visible(value))).collect()
}

/// Prints a report: one JSON object on one line, or text.
pub(crate) fn print(json: bool, report: &impl Serialize, text: impl Fn() -> String) -> anyhow::Result<()> {
    output::print(&if json { output::json_line(report)? } else { text() })
}
