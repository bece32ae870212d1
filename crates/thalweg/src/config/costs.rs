//! What a configuration says of costs.

use thalweg_core::cost::Costs;
use thalweg_core::{ClassWeights, Task};
use thalweg_data::Labels;

use super::Config;
use crate::error::ConfigError;

impl Config {
    /// What errors cost.
    pub(crate) fn costs(&self, task: Task) -> Result<Costs, ConfigError> {
        let balanced = self.balanced.unwrap_or_default();
        if self.balance_half_life.is_some() && !balanced {
            return Err(ConfigError::Needs("balance_half_life", "balanced"));
        }
        let half_life = self.balance_half_life.map(|half_life| positive("balance_half_life", half_life));
        let costs = Costs {
            missed: positive("cost_fn", self.cost_fn.unwrap_or(1.0))?,
            false_alarm: positive("cost_fp", self.cost_fp.unwrap_or(1.0))?,
            balanced,
            balance_half_life: half_life.transpose()?,
            ..Costs::default()
        };
        if task != Task::Binary || self.class_weight.is_empty() {
            return Ok(costs);
        }
        let (false_alarm, missed) = self.weights_of_two()?;
        Ok(Costs { missed, false_alarm, ..costs })
    }

    /// Does it say what errors cost, in a way that reports can show? The weights of many classes are no such costs.
    pub fn declares_costs(&self) -> bool {
        let weighs_two = !self.class_weight.is_empty() && self.multiclass.is_none();
        let named = [self.cost_fn.is_some(), self.cost_fp.is_some(), self.report_cost.is_some()];
        named.contains(&true) || self.cost_col.is_some() || weighs_two
    }

    /// The weights of a negative and a positive label.
    fn weights_of_two(&self) -> Result<(f64, f64), ConfigError> {
        for (field, cost) in [("cost_fn", self.cost_fn), ("cost_fp", self.cost_fp)] {
            if cost.is_some() {
                return Err(ConfigError::Together("class_weight", field));
            }
        }
        let positive_label = self.positive.as_ref().or(self.labels.get(1));
        let Some(positive_label) = positive_label.map(|label| canonical(label)) else {
            return Err(ConfigError::Needs("class_weight", "positive"));
        };
        let (mut negative, mut positive) = (None, 1.0);
        for (label, weight) in self.weights_by_label()? {
            let is_negative = match self.labels.first() {
                Some(negative) => canonical(negative) == label,
                // All labels but the positive one are negative; they have one weight.
                None => negative.is_none(),
            };
            if label == positive_label {
                positive = weight;
            } else if is_negative {
                negative = Some(weight);
            } else {
                return Err(unfit("name one label of each of the two classes", &label));
            }
        }
        Ok((negative.unwrap_or(1.0), positive))
    }

    /// What errors on examples of each of many classes cost.
    pub(crate) fn class_weights(&self, task: Task) -> Result<ClassWeights, ConfigError> {
        if task == Task::Binary || self.class_weight.is_empty() {
            return Ok(ClassWeights::default());
        }
        let weights = self.weights_by_label()?;
        let of = |label: &String| weights.iter().find(|(known, _)| known == label).map_or(1.0, |(_, w)| *w);
        Ok(ClassWeights::new(self.labels_known_before()?.iter().map(of).collect()))
    }

    /// The labels of many classes that are known before the data comes: those that are listed, then those that have a weight. So their
    /// classes, and the weights of these, do not depend on the data.
    pub(crate) fn labels_known_before(&self) -> Result<Vec<String>, ConfigError> {
        let mut labels: Vec<String> = self.labels.iter().map(|label| canonical(label)).collect();
        for (label, _) in self.weights_by_label()? {
            if !labels.contains(&label) {
                labels.push(label);
            }
        }
        Ok(labels)
    }

    /// The weights with their labels.
    pub(crate) fn weights_by_label(&self) -> Result<Vec<(String, f64)>, ConfigError> {
        let mut all: Vec<(String, f64)> = Vec::new();
        for text in &self.class_weight {
            let parts = text.rsplit_once('=').and_then(|(label, weight)| Some((label, weight.parse().ok()?)));
            let Some((label, weight)) = parts.filter(|(label, _)| !label.is_empty()) else {
                return Err(unfit("be LABEL=WEIGHT, such as spam=5", text));
            };
            let label = canonical(label);
            if all.iter().any(|(known, _)| *known == label) {
                return Err(unfit("name each label once", text));
            }
            all.push((label, positive("class_weight", weight)?));
        }
        Ok(all)
    }
}

/// A label as it is spelled among the classes.
fn canonical(label: &str) -> String {
    Labels::positive(label).name(1).to_string()
}

fn unfit(must: &'static str, got: &str) -> ConfigError {
    ConfigError::Value { field: "class_weight", must, got: got.to_string() }
}

/// A number that makes sense for the field.
pub(super) fn positive(field: &'static str, number: f64) -> Result<f64, ConfigError> {
    if number > 0.0 && number.is_finite() {
        return Ok(number);
    }
    let must = "be a finite number greater than 0";
    Err(ConfigError::Value { field, must, got: number.to_string() })
}
