//! Why an example has its score.

use std::collections::HashMap;

use serde::Serialize;
use thalweg_core::{Class, Row};

use crate::model::Model;

/// What each feature of an example adds to its score.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Explanation {
    /// The example's id, if it has one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// Its label, if the model knows it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub label: Option<String>,
    /// The predicted label.
    pub predicted: String,
    /// The class whose score this is, where there are many.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub class: Option<String>,
    /// The score.
    pub score: f64,
    /// The probability of the class, or of the positive one of two, if the model gives probabilities.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub probability: Option<f64>,
    /// What the features add, the largest first.
    pub features: Vec<Contribution>,
}

/// What one feature adds to a score.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Contribution {
    /// The feature's name.
    pub feature: String,
    /// Its value in the example.
    pub value: f64,
    /// Its weight in the model.
    pub weight: f64,
    /// Value times weight.
    pub contribution: f64,
    /// The variance of the weight, for learners that have one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub variance: Option<f64>,
}

/// A model's weights, by feature and class.
pub(crate) struct WeightTable(HashMap<(u32, Option<Class>), f64>);

impl WeightTable {
    pub(crate) fn of(model: &Model) -> Self {
        Self(model.learner().weights().into_iter().map(|w| ((w.feature, w.class), w.value)).collect())
    }

    /// What the features of a row add to the score of a class, the largest first.
    pub(crate) fn contributions(
        &self,
        model: &Model,
        row: Row,
        class: Option<Class>,
        name: &dyn Fn(u32) -> String,
    ) -> Vec<Contribution> {
        let one = |(feature, value): (u32, f64)| {
            let weight = self.0.get(&(feature, class)).copied().unwrap_or(0.0);
            Contribution {
                feature: name(feature),
                value,
                weight,
                contribution: weight * value,
                variance: model.learner().variance(feature, class),
            }
        };
        let mut all: Vec<Contribution> = row.iter().map(one).collect();
        all.sort_by(|a, b| b.contribution.abs().total_cmp(&a.contribution.abs()));
        all
    }
}
