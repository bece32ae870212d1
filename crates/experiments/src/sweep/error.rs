//! What can be wrong with a sweep.

use thalweg::{ConfigError, Error};

/// Why a sweep cannot be made.
#[derive(Debug, thiserror::Error)]
pub enum SweepError {
    /// The run itself failed.
    #[error(transparent)]
    Run(#[from] Error),
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
    /// Not a number of folds.
    #[error("there must be between 2 and 100 folds, got {0}")]
    Folds(u32),
    /// Not a level.
    #[error("the probability of a wrong elimination must be between 0 and 1, got {0}")]
    Level(f64),
    /// Nobody was measured.
    #[error(
        "none of the candidates could be measured: learners that take all data as one batch learn only at its end (`batch`)"
    )]
    NothingMeasured,
}

impl From<ConfigError> for SweepError {
    fn from(error: ConfigError) -> Self {
        Self::Run(error.into())
    }
}
