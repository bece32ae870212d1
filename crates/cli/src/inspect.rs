//! `thalweg inspect`: what is in a model.

use std::path::PathBuf;

use clap::Args;
use serde_json::{Map, Value, json};
use thalweg::{Decision, Labels, Model};
use thalweg_core::model::Header;
use thalweg_core::{Task, Weight};
use thalweg_data::FeatureNames;
use thalweg_eval::{counted, grouped};

use crate::escape::{field, visible};
use crate::output;
use crate::report::{VALUES_LEFT_ALONE, costs_in_force, table, winner};

#[derive(Args)]
pub(crate) struct Inspect {
    /// The model
    #[arg(value_name = "MODEL", value_hint = clap::ValueHint::FilePath)]
    model: PathBuf,

    /// How many of the strongest features to show
    #[arg(long, default_value_t = 20, value_name = "N")]
    top: usize,

    /// Print every weight that is not zero, by feature
    #[arg(long, conflicts_with = "top")]
    weights: bool,

    /// Print JSON
    #[arg(long)]
    json: bool,
}

impl Inspect {
    pub(crate) fn run(&self) -> anyhow::Result<()> {
        let model = Model::load(&self.model)?;
        let (labels, names) = (model.labels(), model.feature_names());
        let mut weights = model.learner().weights();
        let text = match (self.weights, self.json) {
            (true, true) => output::json_line(&json!({ "weights": as_json(&weights, labels, names) }))?,
            (true, false) => weights.iter().map(|w| line(w, labels, names)).collect(),
            (false, json) => {
                let header = model.header();
                weights.sort_by(|a, b| b.value.abs().total_cmp(&a.value.abs()));
                weights.truncate(self.top);
                if json {
                    overview_json(&model, &header, &weights)?
                } else {
                    overview(&model, &header, &weights)
                }
            }
        };
        output::print(&text)
    }
}

/// Feature, class where there are many, weight.
fn line(w: &Weight, labels: &Labels, names: &FeatureNames) -> String {
    let class = w.class.map_or_else(String::new, |class| format!("\t{}", field(labels.name(class))));
    format!("{}{class}\t{:?}\n", field(&names.name(w.feature)), w.value)
}

fn as_json(weights: &[Weight], labels: &Labels, names: &FeatureNames) -> Vec<Value> {
    let one = |w: &Weight| match w.class {
        None => json!({ "feature": names.name(w.feature), "weight": w.value }),
        Some(class) => {
            json!({ "feature": names.name(w.feature), "class": labels.name(class), "weight": w.value })
        }
    };
    weights.iter().map(one).collect()
}

fn overview_json(model: &Model, header: &Header, top: &[Weight]) -> anyhow::Result<String> {
    let mut object = serde_json::to_value(header)?;
    if let Some(threshold) = threshold(model) {
        object["threshold"] = threshold.into();
    }
    if let Some((target, status)) = model.target() {
        object["target"] = target.to_string().into();
        object["target_status"] = status.to_string().into();
    }
    if model.features().scales.leave_unit_length() {
        object["unit_length"] = true.into();
    }
    if let Some(race) = model.race() {
        object["race"] = serde_json::to_value(race)?;
    }
    object["probabilities"] = model.has_probabilities().into();
    object["class_costs"] = serde_json::to_value(model.class_costs())?;
    object["top"] = as_json(top, model.labels(), model.feature_names()).into();
    output::json_line(&object)
}

/// The threshold of two classes.
fn threshold(model: &Model) -> Option<f64> {
    match model.decision() {
        Decision::Above(threshold) | Decision::AtLeast(threshold) => Some(threshold),
        Decision::Highest => None,
    }
}

/// What the model makes of scores, if it is not the usual.
fn score_use(model: &Model) -> Option<String> {
    let target = model.target().map(|(target, status)| format!(" for {target} ({status})"));
    let threshold = threshold(model).filter(|threshold| *threshold != 0.0 || target.is_some());
    let threshold =
        threshold.map(|threshold| format!("threshold {threshold:.6}{}", target.unwrap_or_default()));
    let probabilities = model.has_probabilities().then(|| "probabilities".to_string());
    let told: Vec<String> = threshold.into_iter().chain(probabilities).collect();
    (!told.is_empty()).then(|| told.join(", "))
}

/// `name=value`; what is off is not shown, and what is within another comes by itself.
fn shown_options(options: &Map<String, Value>) -> Vec<String> {
    let shown = |(name, value): (&String, &Value)| match value {
        Value::Null | Value::Bool(false) => Vec::new(),
        Value::Object(inner) => shown_options(inner),
        Value::String(text) => vec![format!("{name}={text}")],
        other => vec![format!("{name}={other}")],
    };
    options.iter().flat_map(shown).collect()
}

fn overview(model: &Model, header: &Header, top: &[Weight]) -> String {
    let (labels, names) = (model.labels(), model.feature_names());
    let counts = &header.state["counts"];
    let count = |name: &str| counts[name].as_u64().unwrap_or_default();
    let prepared = shown_options(&header.options);
    let costs = &header.costs;
    let (classes, legend) = match header.task {
        Task::Binary => {
            let [negative, positive] = [labels.name(0), labels.name(1)];
            (
                format!("{negative} (negative), {positive} (positive)"),
                format!("(for {positive} if above 0, for {negative} if below)"),
            )
        }
        Task::Hinge => (format!("{} (hinge)", labels.names().join(", ")), "for class".into()),
        Task::Ovr => (format!("{} (each against the rest)", labels.names().join(", ")), "for class".into()),
    };
    let mut facts = vec![("learner", header.learner.clone())];
    facts.extend(model.race().map(|race| ("race", winner(&race))));
    facts.extend([
        ("labels", classes),
        (
            "examples",
            format!("{} ({})", grouped(count("examples")), counted(count("updates"), "update", "updates")),
        ),
        (
            "non-zero weights",
            format!("{} of {}", grouped(header.nonzeros), counted(header.features, "feature", "features")),
        ),
        ("written by", format!("{} ({} numbers)", header.program, header.real)),
    ]);
    if let Some(waiting) = header.state["waiting"].as_u64().filter(|waiting| *waiting > 0) {
        facts.insert(
            3,
            (
                "waiting",
                counted(waiting, "example for its batch to be full", "examples for their batch to be full"),
            ),
        );
    }
    if !costs.are_equal() {
        let balanced = if costs.balanced { ", balanced" } else { "" };
        let in_force =
            costs_in_force(&model.class_costs()).map_or_else(String::new, |costs| format!("; now {costs}"));
        let costs = format!("missed {}, false alarm {}{balanced}{in_force}", costs.missed, costs.false_alarm);
        facts.insert(2, ("costs", costs));
    }
    facts.extend(score_use(model).map(|told| ("scores", told)));
    if model.features().scales.leave_unit_length() {
        facts.insert(2, ("values", VALUES_LEFT_ALONE.into()));
    }
    if !prepared.is_empty() {
        facts.insert(2, ("options", prepared.join(", ")));
    }
    let mut text = table(&facts);
    if !top.is_empty() {
        text += &format!("\nstrongest features  weight      {}\n", visible(&legend));
        for w in top {
            let class = w.class.map_or("", |class| labels.name(class));
            let row = format!("{:>18}  {:<+10.6}  {class}", names.name(w.feature), w.value);
            text += &format!("{}\n", visible(row.trim_end()));
        }
    }
    text
}
