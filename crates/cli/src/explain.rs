//! `thalweg explain`: what each feature of an example adds to its score.

use std::collections::HashMap;
use std::path::PathBuf;

use clap::Args;
use serde::Serialize;
use thalweg_core::model::Model;
use thalweg_core::{Batch, Class, Outcomes, Row, Task};
use thalweg_data::FeatureNames;
use thalweg_data::{Labels, model_file, open};

use crate::args::{DataArgs, show_complaints, warn_of_unknown, without_need_of_labels};
use crate::escape::visible;
use crate::files::Files;
use crate::progress::say;
use crate::{output, usage};

#[derive(Args)]
pub(crate) struct Explain {
    #[command(flatten)]
    data: DataArgs,

    /// The model
    #[arg(short = 'i', long = "model", value_name = "FILE")]
    model: PathBuf,

    /// How many of the features that matter most to show for every example [default: 10, or all with --json]
    #[arg(long, value_name = "N")]
    top: Option<usize>,

    /// With many classes, explain the score of this one [default: the predicted one]
    #[arg(long, value_name = "LABEL", allow_hyphen_values = true)]
    class: Option<String>,

    /// One JSON object per example
    #[arg(long)]
    json: bool,
}

/// Why an example has its score.
#[derive(Serialize)]
struct Explanation<'a> {
    /// Its own name, if it has one.
    #[serde(skip_serializing_if = "Option::is_none")]
    id: Option<String>,
    /// Its label, if the model knows it.
    #[serde(skip_serializing_if = "Option::is_none")]
    label: Option<&'a str>,
    predicted: &'a str,
    /// The class whose score this is, where there are many.
    #[serde(skip_serializing_if = "Option::is_none")]
    class: Option<&'a str>,
    score: f64,
    features: Vec<Share>,
}

/// What one feature adds.
#[derive(Serialize)]
struct Share {
    feature: String,
    value: f64,
    weight: f64,
    contribution: f64,
    /// How unsure the learner is of the weight, if it knows.
    #[serde(skip_serializing_if = "Option::is_none")]
    variance: Option<f64>,
}

impl Explain {
    pub(crate) fn run(&self) -> anyhow::Result<()> {
        let inputs = self.data.inputs()?;
        self.data.files(Files::of_model(&self.model), &inputs)?;
        let (model, settings) = self.data.settings_of(model_file::load(&self.model)?);
        let mut reader = open(&inputs, without_need_of_labels(settings))?;
        let class =
            self.class.as_deref().map(|name| class_called(name, &model, reader.labels())).transpose()?;
        let weights = Weights::of(model);
        let (mut batch, mut outcomes, mut number) = (Batch::default(), Outcomes::default(), 0u64);
        loop {
            let more = reader.read(&mut batch);
            show_complaints(reader.as_mut(), say);
            if !more? {
                warn_of_unknown(reader.counts(), say);
                return Ok(());
            }
            weights.model.learner.score(&batch, &mut outcomes);
            let mut text = String::new();
            for i in 0..batch.len() {
                number += 1;
                let mut explanation =
                    weights.explain(&batch, i, &outcomes, class, reader.labels(), reader.names());
                if self.json {
                    explanation.features.truncate(self.top.unwrap_or(usize::MAX));
                    text += &output::json_line(&explanation)?;
                } else {
                    text += &explanation.text(number, self.top.unwrap_or(10));
                }
            }
            output::print(&text)?;
        }
    }
}

fn class_called(name: &str, model: &Model, labels: &Labels) -> anyhow::Result<Class> {
    if model.learner.task() == Task::Binary {
        return Err(usage("--class is for models of many classes; of two, one score speaks for both"));
    }
    let found = labels.names().iter().position(|known| known == name);
    found.map(|class| class as Class).ok_or_else(|| usage(format!("the model knows no class {name}")))
}

/// A model's weights, by feature and class.
struct Weights {
    model: Model,
    weights: HashMap<(u32, Option<Class>), f64>,
}

impl Weights {
    fn of(model: Model) -> Self {
        let weights = model.learner.weights().into_iter().map(|w| ((w.feature, w.class), w.value)).collect();
        Self { model, weights }
    }

    fn explain<'a>(
        &self,
        batch: &Batch,
        i: usize,
        outcomes: &Outcomes,
        class: Option<Class>,
        labels: &'a Labels,
        names: &FeatureNames,
    ) -> Explanation<'a> {
        let predicted = outcomes.predicted(i);
        let many = self.model.learner.task() != Task::Binary;
        let class = many.then(|| class.unwrap_or(predicted));
        let scores = outcomes.scores_of(i);
        let id = batch.id(i);
        Explanation {
            id: (!id.is_empty()).then(|| String::from_utf8_lossy(id).into_owned()),
            label: batch.labels()[i].map(|class| labels.name(class)),
            predicted: labels.name(predicted),
            class: class.map(|class| labels.name(class)),
            score: scores.get(class.unwrap_or(0) as usize).copied().unwrap_or(0.0),
            features: self.contributions(batch.row(i), class, names),
        }
    }

    /// What the features add, the largest first.
    fn contributions(&self, row: Row, class: Option<Class>, names: &FeatureNames) -> Vec<Share> {
        let one = |(feature, value): (u32, f64)| {
            let weight = self.weights.get(&(feature, class)).copied().unwrap_or(0.0);
            Share {
                feature: names.name(feature),
                value,
                weight,
                contribution: weight * value,
                variance: self.model.learner.variance(feature, class),
            }
        };
        let mut all: Vec<Share> = row.iter().map(one).collect();
        all.sort_by(|a, b| b.contribution.abs().total_cmp(&a.contribution.abs()));
        all
    }
}

impl Explanation<'_> {
    fn text(&self, number: u64, top: usize) -> String {
        let id = self.id.as_ref().map_or_else(String::new, |id| format!(" ({id})"));
        let label = self.label.map_or_else(String::new, |label| format!(", labelled {label}"));
        let class = self.class.map_or_else(String::new, |class| format!(" for {class}"));
        let title =
            format!("example {number}{id}: {}{label}, score{class} {}", self.predicted, shown(self.score));
        let mut text = format!("{}\n", visible(&title));
        let unsure = self.features.iter().any(|feature| feature.variance.is_some());
        let heading = if unsure { "    variance" } else { "" };
        text += &format!("  {:>12} {:>12} {:>12}{heading}  feature\n", "contribution", "weight", "value");
        for feature in self.features.iter().take(top) {
            let variance = feature.variance.map_or_else(String::new, |v| format!("{:>12}", shown(v)));
            text += &format!(
                "  {:>12} {:>12} {:>12}{variance}  {}\n",
                shown(feature.contribution),
                shown(feature.weight),
                shown(feature.value),
                visible(&feature.feature)
            );
        }
        let rest = self.features.get(top..).unwrap_or_default();
        if !rest.is_empty() {
            let sum: f64 = rest.iter().map(|feature| feature.contribution).sum();
            text += &format!("  {:>12} {:>26} {} more features\n", shown(sum), "", rest.len());
        }
        let sum: f64 = self.features.iter().map(|feature| feature.contribution).sum();
        text + &format!("  {:>12} in all\n", shown(sum))
    }
}

/// Five digits are enough to compare.
fn shown(number: f64) -> String {
    let magnitude = number.abs();
    if number == 0.0 {
        "0".into()
    } else if (1e-3..1e5).contains(&magnitude) {
        let decimals = (4 - magnitude.log10().floor() as i32).clamp(0, 7) as usize;
        let text = format!("{number:.decimals$}");
        if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.').into() } else { text }
    } else {
        format!("{number:.4e}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn five_digits_are_shown() {
        let all = [0.0, 1.0, -0.25, 1.0 / 3.0, 12345.6, 0.001_234_567, 1e-9, -123_456.7].map(shown);
        assert_eq!(all, ["0", "1", "-0.25", "0.33333", "12346", "0.0012346", "1.0000e-9", "-1.2346e5"]);
    }
}
