//! `thalweg learners`: what there is to choose from.

use clap::Args;
use serde_json::{Value, json};
use thalweg_core::learners::{self, Entry, LEARNERS};
use thalweg_core::rule::{CostUse, Family};

use crate::{output, usage};

#[derive(Args)]
pub(crate) struct Learners {
    /// Describe this learner: its recurrence, knobs and paper
    name: Option<String>,

    /// As JSON
    #[arg(long)]
    json: bool,
}

impl Learners {
    pub(crate) fn run(&self) -> anyhow::Result<()> {
        let text = match (&self.name, self.json) {
            (Some(name), json) => {
                let entry = learners::find(name).map_err(usage)?;
                if json { format!("{}\n", as_json(entry)) } else { describe(entry) }
            }
            (None, true) => format!("{}\n", LEARNERS.iter().map(as_json).collect::<Value>()),
            (None, false) => list(),
        };
        output::print(&text)
    }
}

fn list() -> String {
    let mut text = String::new();
    let width = LEARNERS.iter().map(|e| e.name.len()).max().unwrap_or_default();
    for family in Family::ALL {
        text += &format!("{}\n", family.title());
        for entry in LEARNERS.iter().filter(|e| e.family == family) {
            text += &format!("  {:width$}  {}\n", entry.name, entry.when);
        }
        text.push('\n');
    }
    text + "thalweg learners NAME describes one: its recurrence, knobs and paper.\n"
}

fn describe(entry: &Entry) -> String {
    let doc: Vec<&str> = entry.doc.lines().map(|line| line.strip_prefix(' ').unwrap_or(line)).collect();
    let doc: Vec<&str> = doc.into_iter().filter(|line| !line.starts_with("```")).collect();
    let mut text = format!("{}: {}\n\n", entry.name, doc.join("\n").trim());
    text += &format!("when to use it  {}\npaper           {}\n", entry.when, entry.paper);
    let costs = match entry.costs {
        CostUse::Refused(instead) => format!("not taken: {instead}"),
        taken => format!("they {}", taken.describe()),
    };
    let many = if entry.one_of_k { "--multiclass hinge or ovr" } else { "--multiclass ovr" };
    text += &format!("costs           {costs}\nmany classes    {many}\n");
    let knobs = (entry.knobs)();
    text += if knobs.is_empty() { "\nno knobs\n" } else { "\nknobs\n" };
    let width = knobs.iter().map(|k| k.name.len() + k.default.len() + 1).max().unwrap_or_default();
    for knob in knobs {
        let setting = format!("{}={}", knob.name, knob.default);
        text += &format!("  {setting:width$}  {} [{}]\n", knob.doc.trim(), knob.kind);
    }
    text
}

fn as_json(entry: &Entry) -> Value {
    let knobs: Vec<Value> = (entry.knobs)()
        .iter()
        .map(|k| json!({ "name": k.name, "kind": k.kind, "default": k.default, "doc": k.doc.trim() }))
        .collect();
    json!({
        "name": entry.name,
        "family": entry.family.title(),
        "when": entry.when,
        "paper": entry.paper,
        "costs": entry.costs.describe(),
        "hinge": entry.one_of_k,
        "knobs": knobs,
    })
}
