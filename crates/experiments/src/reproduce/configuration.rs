//! What is run: a learner, what errors cost it, and which examples it learns from.

use std::fmt;

use serde::{Deserialize, Deserializer};
use thalweg_core::cost::Costs;

use super::sets::Set;

/// What is learned from, and which predictions are measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase", deny_unknown_fields)]
pub enum Run {
    /// One pass in a random order. Every example is predicted, then learned from.
    Progressive,
    /// A random part is learned from in one pass, the rest is predicted.
    Split {
        /// How many are learned from.
        train: usize,
    },
    /// The training data is learned from in one pass, in a random order; the test data is predicted.
    Given,
    /// One fold is predicted after the others were learned from. Each repetition has another fold.
    Folds {
        /// How many folds there are.
        folds: usize,
        /// How often the others are gone through.
        passes: usize,
    },
}

/// What a missed positive costs; a false alarm costs 1.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Missed {
    /// So much.
    Cost(f64),
    /// Negatives by positives, times this.
    TimesImbalance(f64),
    /// Negatives by positives among the examples so far, with one more of each.
    RunningImbalance,
}

impl Default for Missed {
    fn default() -> Self {
        Missed::Cost(1.0)
    }
}

impl Missed {
    /// The costs of a run on data with so many negatives for each positive.
    pub fn costs(self, imbalance: f64) -> Costs {
        match self {
            Missed::Cost(missed) => Costs { missed, ..Costs::default() },
            Missed::TimesImbalance(factor) => Costs { missed: factor * imbalance, ..Costs::default() },
            Missed::RunningImbalance => Costs { balanced: true, balance_prior: 1.0, ..Costs::default() },
        }
    }

    /// The same learner where errors cost something else: those that know no costs go on as before.
    #[must_use]
    pub fn weighing(self, other: Missed) -> Self {
        if self == Missed::default() { self } else { other }
    }
}

impl<'de> Deserialize<'de> for Missed {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        #[serde(untagged)]
        enum Written {
            Number(f64),
            Word(String),
        }
        match Written::deserialize(deserializer)? {
            Written::Number(cost) => Ok(Missed::Cost(cost)),
            Written::Word(word) if word == "imbalance" => Ok(Missed::TimesImbalance(1.0)),
            Written::Word(word) if word == "running" => Ok(Missed::RunningImbalance),
            Written::Word(word) => Err(serde::de::Error::custom(format!(
                "the cost of a missed positive is a number, \"imbalance\" or \"running\", not \"{word}\""
            ))),
        }
    }
}

/// What is run, but for the order of the examples.
#[derive(Clone, Debug)]
pub struct Configuration {
    /// The data.
    pub set: &'static Set,
    /// What is learned from, and what is predicted.
    pub run: Run,
    /// The learner with its knobs.
    pub spec: String,
    /// What a missed positive costs.
    pub missed: Missed,
}

impl fmt::Display for Configuration {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { set, run, spec, missed } = self;
        write!(f, "{} {run:?} {spec} {missed:?}", set.name)
    }
}
