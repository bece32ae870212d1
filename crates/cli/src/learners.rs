//! `thalweg learners`: what there is to choose from.

use clap::Args;
use serde_json::{Value, json};
use thalweg_core::cost::CostUse;
use thalweg_core::learners::{self, Entry, LEARNERS};
use thalweg_core::rule::Family;

use crate::{output, usage};

#[derive(Args)]
pub(crate) struct Learners {
    /// The learner to describe: recurrence, knobs and paper
    #[arg(value_name = "LEARNER")]
    name: Option<String>,

    /// Print JSON
    #[arg(long)]
    json: bool,

    /// All of them as the Markdown of docs/learners.md
    #[arg(long, hide = true, conflicts_with_all = ["json", "name"])]
    markdown: bool,
}

impl Learners {
    pub(crate) fn run(&self) -> anyhow::Result<()> {
        if self.markdown {
            return output::print(&catalogue());
        }
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

/// The documentation comment, without the blank that rustdoc leaves before every line.
fn doc(entry: &Entry) -> String {
    let lines: Vec<&str> = entry.doc.lines().map(|line| line.strip_prefix(' ').unwrap_or(line)).collect();
    lines.join("\n").trim().to_string()
}

fn costs(entry: &Entry) -> String {
    match entry.costs {
        CostUse::Refused(instead) => format!("not used: {instead}"),
        taken => format!("they {}", taken.describe()),
    }
}

fn many_classes(entry: &Entry) -> &'static str {
    if entry.one_of_k { "--multiclass hinge or ovr" } else { "--multiclass ovr" }
}

fn describe(entry: &Entry) -> String {
    let doc = doc(entry).replace("```text\n", "").replace("```\n", "").replace("\n```", "");
    let mut text = format!("{}: {doc}\n\n", entry.name);
    text += &format!("when to use it  {}\npaper           {}\n", entry.when, entry.paper);
    text += &format!("costs           {}\nmany classes    {}\n", costs(entry), many_classes(entry));
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

/// The catalogue of all learners, docs/learners.md.
fn catalogue() -> String {
    let mut text = "# The learners\n\nGenerated from the code by `make docs`. Which one to choose: [Which learner?](guide/which-learner.md) The papers: [Papers](papers.md).\n".to_string();
    for family in Family::ALL {
        text += &format!("\n## {}\n", family.title());
        for entry in LEARNERS.iter().filter(|e| e.family == family) {
            text += &format!("\n### {}\n\n{}\n\n", entry.name, doc(entry));
            text += &format!("- When: {}.\n- Paper: {}.\n", entry.when, entry.paper);
            text += &format!("- Costs: {}. Many classes: `{}`.\n", costs(entry), many_classes(entry));
            let knobs = (entry.knobs)();
            if !knobs.is_empty() {
                text += "\n| knob | default | accepts | meaning |\n| --- | --- | --- | --- |\n";
            }
            for knob in knobs {
                let accepts = knob.kind.replace('|', ", ");
                text += &format!("| {} | {} | {accepts} | {} |\n", knob.name, knob.default, knob.doc.trim());
            }
        }
    }
    text
}
