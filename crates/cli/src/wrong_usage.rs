//! Errors of whoever types the command, which have an exit code of their own.

use std::fmt::Display;
use std::path::Path;

use thalweg::ConfigError;

/// Wrong usage, as opposed to failure.
#[derive(Debug)]
pub(crate) struct Usage(String);

impl std::fmt::Display for Usage {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Usage {}

/// An error that ends the program with exit code 2.
#[allow(clippy::needless_pass_by_value)] // so that it can be given to `map_err`
pub(crate) fn usage(message: impl Display) -> anyhow::Error {
    Usage(message.to_string()).into()
}

/// What contradicts a model is said with the model's file.
pub(crate) fn contradicting(error: thalweg::Error, model: &Path) -> anyhow::Error {
    match error {
        thalweg::Error::Config(ConfigError::Contradiction { known, given, .. }) => {
            usage(format!("{} was trained with {known}, but {given} was given", model.display()))
        }
        other => other.into(),
    }
}
