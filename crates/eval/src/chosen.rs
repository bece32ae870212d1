//! A metric that was chosen.

use thiserror::Error;

use crate::metric::{Context, Entry, Measure, Scope};

/// A metric that was chosen: an entry of the registry and, if that is a family, the number in the metric's name.
#[derive(Clone, Copy, Debug)]
pub struct Chosen {
    /// The metric or its family.
    pub entry: &'static Entry,
    /// The number in its name: 2 for `f2`.
    pub parameter: Option<f64>,
}

/// Why a metric cannot be had.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum MetricError {
    /// There is none of this name.
    #[error("there is no metric \"{name}\"{}", near.as_ref().map_or_else(String::new, |near| format!(" (did you mean \"{near}\"?)")))]
    Unknown {
        /// The name.
        name: String,
        /// A metric of a similar name.
        near: Option<String>,
    },
    /// It is for other runs.
    #[error("{name} {reason}")]
    NotHere {
        /// Its name.
        name: String,
        /// Why this run does not have it.
        reason: &'static str,
    },
}

impl From<&'static Entry> for Chosen {
    fn from(entry: &'static Entry) -> Self {
        Self { entry, parameter: None }
    }
}

impl PartialEq for Chosen {
    fn eq(&self, other: &Self) -> bool {
        self.entry.name == other.entry.name && self.parameter == other.parameter
    }
}

impl Chosen {
    /// Its name in JSON.
    pub fn name(&self) -> String {
        self.filled(self.entry.name)
    }

    /// Its name in text.
    pub fn title(&self) -> String {
        self.filled(self.entry.title)
    }

    /// A text with the number in its place.
    fn filled(&self, pattern: &str) -> String {
        match (split(pattern), self.parameter) {
            (Some((before, after)), Some(number)) => format!("{before}{number}{after}"),
            _ => pattern.to_string(),
        }
    }

    /// The metric of this entry that has this name.
    pub(crate) fn by_name(entry: &'static Entry, name: &str) -> Option<Self> {
        if entry.name == name {
            // The name of a family is not that of a metric.
            return split(name).is_none().then_some(Self { entry, parameter: None });
        }
        let (Measure::TotalsFor(parameter, _) | Measure::ExamplesFor(parameter, _)) = entry.measure else {
            return None;
        };
        let (before, after) = split(entry.name)?;
        let number = parameter.parse(name.strip_prefix(before)?.strip_suffix(after)?)?;
        Some(Self { entry, parameter: Some(number) })
    }

    /// Is it a metric of such a run?
    pub fn check(&self, context: &Context) -> Result<(), MetricError> {
        if self.entry.scope.includes(context) {
            return Ok(());
        }
        let reason = match self.entry.scope {
            Scope::Any => return Ok(()),
            Scope::Learning => "is a figure of learning: test data has none",
            Scope::TwoClasses => "is a metric of two classes, and there may be more",
            Scope::ManyClasses => "is a metric of many classes, and there are two",
            Scope::Probabilities => "needs probabilities (`probabilities`)",
        };
        Err(MetricError::NotHere { name: self.name(), reason })
    }
}

/// What is before and after the place for a number, if there is one.
fn split(pattern: &str) -> Option<(&str, &str)> {
    let (before, rest) = pattern.split_once('<')?;
    Some((before, rest.split_once('>')?.1))
}
