//! What can be wrong with a sweep.

use thalweg::{ConfigError, Error};
use thalweg_eval::{MetricError, counted};

/// Why a candidate has no figures.
pub const WAITING: &str = "learners that take all data as one batch learn only at its end (`batch`)";

/// Why a sweep cannot be made.
#[derive(Debug, thiserror::Error)]
pub enum SweepError {
    /// The run itself failed.
    #[error(transparent)]
    Run(#[from] Error),
    /// No metric has this name.
    #[error(transparent)]
    UnknownObjective(MetricError),
    /// A metric that says nothing of how good a learner is.
    #[error(
        "{0} does not say which learner is better: choose another objective, such as error, cost or roc_auc"
    )]
    NoObjective(String),
    /// A metric that is no mean over examples.
    #[error(
        "a race compares what single examples cost, and {0} is no mean of that: use error or cost (without a cost column), or no race"
    )]
    NoRace(String),
    /// Examples that count more than others, which a race would have to bet more on.
    #[error(
        "a race compares examples that all count alike, and `importance_col` says that some examples count more than others: leave out one of the two"
    )]
    RaceOfUnequals,
    /// Not a number of folds.
    #[error("there must be between 2 and 100 folds, got {0}")]
    Folds(u32),
    /// Not a level.
    #[error("the probability of a wrong elimination must be between 0 and 1, got {0}")]
    Level(f64),
    /// Nobody was measured, because all learn at the end.
    #[error("none of the candidates could be measured: {}", WAITING)]
    NothingMeasured,
    /// A fold without examples, or too small a part to be held out.
    #[error("{}", no_examples(*.empty, *.parts, *.examples))]
    NothingToMeasureOn {
        /// How many parts are empty.
        empty: usize,
        /// How many there are.
        parts: usize,
        /// Labelled examples.
        examples: u64,
    },
    /// A metric that has no value for any candidate.
    #[error("{0} is not defined on these examples, such as where all have the same label")]
    Undefined(String),
}

fn no_examples(empty: usize, parts: usize, examples: u64) -> String {
    let examples = counted(examples, "example", "examples");
    if parts == 1 {
        return format!("none of the {examples} was held out: hold out a larger share");
    }
    format!("{empty} of {parts} folds got none of the {examples}: use fewer folds")
}

impl From<ConfigError> for SweepError {
    fn from(error: ConfigError) -> Self {
        Self::Run(error.into())
    }
}
