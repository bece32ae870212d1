//! `thalweg inspect`: what is in a model.

use std::path::PathBuf;

use clap::Args;
use serde_json::{Value, json};
use thalweg_core::Weight;
use thalweg_core::model::Header;
use thalweg_data::features::feature_name;
use thalweg_data::model_file;
use thalweg_eval::grouped;

use crate::output;
use crate::report::table;

#[derive(Args)]
pub(crate) struct Inspect {
    /// The model
    #[arg(value_name = "MODEL")]
    model: PathBuf,

    /// How many of the strongest features to show
    #[arg(long, default_value_t = 20, value_name = "N")]
    top: usize,

    /// Every weight that is not zero, by feature
    #[arg(long, conflicts_with = "top")]
    weights: bool,

    /// As JSON
    #[arg(long)]
    json: bool,
}

impl Inspect {
    pub(crate) fn run(&self) -> anyhow::Result<()> {
        let model = model_file::load(&self.model)?;
        let mut weights = model.learner.weights();
        let text = match (self.weights, self.json) {
            (true, true) => format!("{}\n", json!({ "weights": as_json(&weights) })),
            (true, false) => lines(&weights, |w| format!("{}\t{:?}\n", feature_name(w.feature), w.value)),
            (false, json) => {
                let header = model.header();
                weights.sort_by(|a, b| b.value.abs().total_cmp(&a.value.abs()));
                weights.truncate(self.top);
                if json { overview_json(&header, &weights)? } else { overview(&header, &weights) }
            }
        };
        output::print(&text)
    }
}

fn lines(weights: &[Weight], line: impl Fn(&Weight) -> String) -> String {
    weights.iter().map(line).collect()
}

fn as_json(weights: &[Weight]) -> Vec<Value> {
    weights.iter().map(|w| json!({ "feature": feature_name(w.feature), "weight": w.value })).collect()
}

fn overview_json(header: &Header, top: &[Weight]) -> anyhow::Result<String> {
    let mut object = serde_json::to_value(header)?;
    object["top"] = as_json(top).into();
    Ok(format!("{object}\n"))
}

fn overview(header: &Header, top: &[Weight]) -> String {
    let [negative, positive] =
        [0, 1].map(|i| header.labels.get(i).filter(|l| !l.is_empty()).map_or("?", |l| l));
    let counts = &header.state["counts"];
    let count = |name: &str| grouped(counts[name].as_u64().unwrap_or_default());
    let prepared = header.options.iter().filter(|(_, v)| !matches!(v, Value::Null | Value::Bool(false)));
    let prepared: Vec<String> =
        prepared.map(|(k, v)| format!("{k}={}", v.to_string().trim_matches('"'))).collect();
    let costs = &header.costs;
    let mut facts = vec![
        ("learner", header.learner.clone()),
        ("labels", format!("{negative} (negative), {positive} (positive)")),
        ("examples", format!("{} ({} updates)", count("examples"), count("updates"))),
        (
            "non-zero weights",
            format!("{} of {} features", grouped(header.nonzeros), grouped(header.features)),
        ),
        ("written by", format!("{} ({} numbers)", header.program, header.real)),
    ];
    if !costs.are_equal() {
        let balanced = if costs.balanced { ", balanced" } else { "" };
        facts.insert(
            2,
            ("costs", format!("missed {}, false alarm {}{balanced}", costs.missed, costs.false_alarm)),
        );
    }
    if !prepared.is_empty() {
        facts.insert(2, ("options", prepared.join(", ")));
    }
    let mut text = table(&facts);
    if !top.is_empty() {
        text +=
            &format!("\nstrongest features  weight  (for {positive} if above 0, for {negative} if below)\n");
        text += &lines(top, |w| format!("{:>18}  {:+.6}\n", feature_name(w.feature), w.value));
    }
    text
}
