//! Why learners cannot be compared.

/// Why learners cannot be compared.
#[derive(Debug, thiserror::Error)]
pub enum CompareError {
    /// Learning or measuring is not possible as it was asked for.
    #[error(transparent)]
    Library(#[from] thalweg::Error),
    /// Nobody takes part.
    #[error("there are no learners to compare")]
    NoLearners,
    /// A learner that is there twice.
    #[error("{0} is there twice")]
    Twice(String),
    /// A path that no learner goes along.
    #[error("no learner here goes along {knob}: none has the knob and leaves it open")]
    Unused {
        /// The knob.
        knob: String,
    },
    /// A metric that says nothing of who is better.
    #[error(
        "{0} does not say which learner is better: let another metric come first, such as error, cost or roc_auc"
    )]
    NoDirection(String),
}

impl From<thalweg::ConfigError> for CompareError {
    fn from(error: thalweg::ConfigError) -> Self {
        thalweg::Error::from(error).into()
    }
}

impl CompareError {
    /// Is the caller to blame, and not the data?
    pub fn is_usage(&self) -> bool {
        !matches!(self, Self::Library(error) if !error.is_usage())
    }
}
