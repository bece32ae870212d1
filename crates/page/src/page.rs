//! What is on a page, as plain data.
//!
//! Texts may hold anything: they are escaped and shortened where they are shown. Numbers that are not finite count as missing.

use serde::{Deserialize, Serialize};

pub use thalweg_figures::Unit;

/// All that a page says about a run.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Page {
    /// The heading, such as `smsspam.train.tsv.zst`.
    pub title: String,
    /// What kind of run it was.
    pub kind: Kind,
    /// The command that made it, as it was typed.
    pub command: String,
    /// When it was made, such as `2026-11-18 13:05 UTC`.
    pub made_at: String,
    /// The program and its version, such as `thalweg 0.1.0`.
    pub version: String,
    /// The figures that matter most; three to six read best.
    pub figures: Vec<Figure>,
    /// What the mistakes cost, as a sentence.
    pub cost: String,
    /// What the reader should know before believing the figures.
    pub notes: Vec<Note>,
    /// How the figures developed.
    pub curve: Curve,
    /// How good the model is, on each kind of data that it was measured on.
    pub assessments: Vec<Assessment>,
    /// The features with the largest weights, strongest first.
    pub features: Vec<Feature>,
    /// What the data was like.
    pub data: Vec<Row>,
    /// The options of the run.
    pub options: Vec<Row>,
}

/// What kind of run a page is about.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// A model was trained.
    #[default]
    Training,
    /// A model was measured on labelled data.
    Evaluation,
}

/// A name and a value.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Row {
    /// What it is.
    pub name: String,
    /// Its value, ready to be read.
    pub value: String,
}

/// A figure for people.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Figure {
    /// What it is, such as `Balanced accuracy`.
    pub name: String,
    /// Its value, ready to be read, such as `97.31 %`.
    pub value: String,
    /// A few words on what it means. May be empty.
    pub explanation: String,
}

/// Something to know.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Note {
    /// How serious it is.
    pub severity: Severity,
    /// What it says.
    pub text: String,
}

/// How serious a note is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Severity {
    /// Good to know.
    #[default]
    Remark,
    /// The figures may mislead.
    Warning,
}

/// Figures of the examples so far, at several points of the stream.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Curve {
    /// The metrics, one chart for each.
    pub metrics: Vec<Metric>,
    /// The points, in the order of the stream.
    pub points: Vec<CurvePoint>,
}

/// A metric of a [`Curve`].
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Metric {
    /// Its name, such as `Error`.
    pub name: String,
    /// How its values are written.
    pub unit: Unit,
}

/// A point of a [`Curve`].
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct CurvePoint {
    /// Examples so far.
    pub examples: u64,
    /// Weights that are not zero. Nothing, if nobody counted.
    pub nonzero: Option<u64>,
    /// One for each metric of the curve, in the same order.
    pub values: Vec<CurveValue>,
}

/// The value of a metric at a [`CurvePoint`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct CurveValue {
    /// Of all examples so far.
    pub so_far: Option<f64>,
    /// Of the examples since the point before.
    pub since_last: Option<f64>,
}

/// How good a model is on some data.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Assessment {
    /// Such as `Progressive validation` or `Test data`.
    pub name: String,
    /// A sentence on what was measured. May be empty.
    pub explanation: String,
    /// Figures of this data.
    pub figures: Vec<Figure>,
    /// Two classes: what each threshold would give.
    pub thresholds: Option<Thresholds>,
    /// Whether probabilities are right: bins of examples, by predicted probability.
    pub calibration: Vec<CalibrationBin>,
    /// What was predicted as what.
    pub confusion: Option<Confusion>,
    /// Many classes: the figures of each.
    pub classes: Vec<ClassFigures>,
}

/// What each threshold gives. An example is flagged as positive if its score is at least the threshold.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Thresholds {
    /// The label of the positives.
    pub positive: String,
    /// The label of the negatives.
    pub negative: String,
    /// Number of positives, or the sum of their importances.
    pub positives: f64,
    /// Number of negatives, or the sum of their importances.
    pub negatives: f64,
    /// What mistakes cost; both cost 1 if nothing is said.
    pub costs: Costs,
    /// The threshold of the model, and what it gives.
    pub in_use: Option<OperatingPoint>,
    /// Other thresholds, up to about 1000. Flagging nothing and flagging everything are added.
    pub points: Vec<OperatingPoint>,
}

/// What mistakes cost.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Costs {
    /// Of a positive that is not flagged.
    pub missed: f64,
    /// Of a negative that is flagged.
    pub false_alarm: f64,
}

impl Default for Costs {
    fn default() -> Self {
        Self { missed: 1.0, false_alarm: 1.0 }
    }
}

/// A threshold and what it gives.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct OperatingPoint {
    /// Scores from here on are flagged.
    pub threshold: f64,
    /// Positives that are flagged.
    pub true_positives: f64,
    /// Negatives that are flagged.
    pub false_positives: f64,
}

/// Examples with about the same predicted probability.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct CalibrationBin {
    /// The mean of the predicted probabilities of the positive class.
    pub predicted: f64,
    /// The share of positives among them.
    pub observed: f64,
    /// Number of examples, or the sum of their importances.
    pub weight: f64,
}

/// What was predicted as what.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Confusion {
    /// The classes.
    pub labels: Vec<String>,
    /// A row for each true class, in it a number for each predicted class.
    pub counts: Vec<Vec<f64>>,
}

/// The figures of a class.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct ClassFigures {
    /// Its label.
    pub label: String,
    /// Number of its examples, or the sum of their importances.
    pub examples: f64,
    /// Share of what was predicted as this class that is of this class.
    pub precision: Option<f64>,
    /// Share of this class that was predicted as such.
    pub recall: Option<f64>,
    /// Harmonic mean of precision and recall.
    pub f1: Option<f64>,
}

/// A feature and its weight.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Feature {
    /// Its name.
    pub name: String,
    /// Its weight.
    pub weight: f64,
    /// Many classes: the class that the weight is for.
    pub class: Option<String>,
    /// Standard deviation of the weight, if the learner keeps one.
    pub deviation: Option<f64>,
}
