//! What a run achieved.

use serde::Serialize;
use thalweg_core::{Learner, Task};
use thalweg_data::Labels;
use thalweg_eval::{Classes, Context, Figures, ProgressiveFigures};

use crate::label_order::LongRuns;

/// What training achieved.
#[derive(Clone, Debug, Serialize)]
pub struct TrainReport {
    /// The learner with all its knobs.
    pub learner: String,
    /// How often it went through the data.
    pub passes: u64,
    /// Was the run interrupted before the end of the data?
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub interrupted: bool,
    /// Lines that could not be read.
    pub bad_lines: u64,
    /// Examples whose features had to be sorted or summed.
    pub sorted_examples: u64,
    /// Examples that were refused because their update would not have been finite.
    pub rejected: u64,
    /// Where the time went.
    pub seconds: Seconds,
    /// Labelled examples of the data, in one pass.
    #[serde(skip)]
    pub examples: u64,
    /// Which examples the figures are of.
    pub figures_of: FiguresOf,
    /// The figures. Every example was scored before it was learned from, if it was at all.
    #[serde(flatten)]
    pub figures: Figures,
    /// Weights that are not zero.
    pub nonzeros: usize,
    /// Features that the data has, or that the learner remembers from before.
    pub features: usize,
    /// Classes that the learner knows.
    #[serde(skip)]
    pub classes: usize,
    /// Bytes of memory that the features occupy.
    pub memory: usize,
    /// Of hashed features: numbers in use, and those that several names share.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub shared_numbers: Option<(u64, u64)>,
    /// Features that were forgotten because there were too many.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub evicted: Option<u64>,
    /// Share of zeros among the weights of all features.
    pub sparsity: Option<f64>,
    /// Is the data sorted by label?
    #[serde(skip_serializing_if = "Option::is_none")]
    pub long_runs: Option<LongRuns>,
    /// The file that the model was written to.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model: Option<Saved>,
    /// What the model achieved on test data.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub test: Option<EvalReport>,
}

/// Which examples the figures of training are of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum FiguresOf {
    /// All examples, each before it was learned from.
    AllExamples,
    /// All examples of the first of several passes. In later passes they have been learned from before.
    FirstPass,
    /// Examples that were held out, in the last pass.
    HeldOut,
    /// None: the learner has learned from all of the data at once, and knew nothing before.
    Nothing,
}

/// Where the time went.
#[derive(Clone, Copy, Debug, Default, Serialize)]
pub struct Seconds {
    /// From beginning to end.
    pub total: f64,
    /// Waiting for the reader, which works at the same time.
    pub reading: f64,
    /// Learning.
    pub learning: f64,
}

/// A file that a model was written to.
#[derive(Clone, Debug, Serialize)]
pub struct Saved {
    /// Its name.
    pub file: String,
    /// Its size.
    pub bytes: u64,
}

/// What a model achieves on data that it does not learn from.
#[derive(Clone, Debug, Serialize)]
pub struct EvalReport {
    /// The names of the inputs.
    pub data: Vec<String>,
    /// Lines that could not be read.
    pub bad_lines: u64,
    /// Examples that have no finite score, and count as having a score of 0.
    #[serde(skip_serializing_if = "is_zero")]
    pub unscored: u64,
    /// Examples that have no feature that the model knows, of so many that were read.
    #[serde(skip)]
    pub unknown: u64,
    /// See [`Self::unknown`].
    #[serde(skip)]
    pub read: u64,
    /// From beginning to end.
    pub seconds: f64,
    /// The figures.
    #[serde(flatten)]
    pub figures: Figures,
}

#[allow(clippy::trivially_copy_pass_by_ref)] // as serde wants it
fn is_zero(count: &u64) -> bool {
    *count == 0
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

/// Share of the weights that are zero: one weight per feature, or one per feature and class.
pub(crate) fn sparsity(learner: &dyn Learner, nonzeros: usize, features: usize) -> Option<f64> {
    let per_feature = if learner.task() == Task::Binary { 1 } else { learner.classes() };
    let all = features * per_feature;
    (all > 0).then(|| 1.0 - nonzeros as f64 / all as f64)
}
