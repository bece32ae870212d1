//! What a configuration says that a model was not trained with. A configuration may repeat what a model knows, but not contradict it: this is
//! the one place where that is found.

use serde_json::{Map, Value};
use thalweg_core::Task;
use thalweg_core::learners;
use thalweg_core::rule::Family;
use thalweg_data::Labels;

use crate::config::{Config, in_full, name_of};
use crate::error::ConfigError;
use crate::model::Model;

/// Fields that concern a run and not the model: another run may have others.
const OF_THE_RUN: &[&str] = &[
    "format",
    "no_header",
    "prepare",
    "encoding",
    "delimiter",
    "decimal_comma",
    "max_classes",
    "passes",
    "shards",
    "rounds",
    "holdout",
    "progress",
    "on_drift",
    "label_budget",
    "threshold",
    "metrics",
    "report_cost",
    "report_sum",
    "curves",
    "confidence",
    "shuffle",
    "seed",
    "threads",
    "max_memory",
    "cache",
    "strict",
    "max_bad",
    "reject_file",
];
/// What a model may begin to do later than to learn.
const MAY_BEGIN_LATER: &[&str] = &["target", "probabilities"];
/// Fields that need more than to be equal.
const COMPARED_BY_MEANING: &[&str] =
    &["learner", "batch", "multiclass", "labels", "positive", "class_weight"];

/// The first field of a configuration that contradicts a model.
pub(crate) fn check(given: &Config, model: &Model) -> Result<(), ConfigError> {
    let known = model.config();
    check_learner(given, &model.learner().spec())?;
    check_classes(given, model)?;
    check_weights(given, model)?;
    // It stands for those parts of the preparation that are not given themselves.
    let given = if given.prepare.is_some() { given.with_preparation() } else { given.clone() };
    let (given, known) = (fields(&given), fields(&known));
    let compared = given.iter().filter(|(name, _)| {
        !OF_THE_RUN.contains(&name.as_str()) && !COMPARED_BY_MEANING.contains(&name.as_str())
    });
    for (name, value) in compared {
        let default = default_of(name, &known);
        let was = known.get(name).unwrap_or(&default);
        // Formats whose features have names need not be told so.
        let follows = name.as_str() == "names" && *value == Value::Bool(false);
        let begins =
            MAY_BEGIN_LATER.contains(&name.as_str()) && matches!(was, Value::Null | Value::Bool(false));
        if was != value && !follows && !begins {
            return Err(differs(name, shown(name, was), shown(name, value)));
        }
    }
    Ok(())
}

fn fields(config: &Config) -> Map<String, Value> {
    match serde_json::to_value(config) {
        Ok(Value::Object(fields)) => fields,
        _ => Map::new(),
    }
}

/// What a field that is not set means, given the others.
fn default_of(name: &str, others: &Map<String, Value>) -> Value {
    match name {
        "cost_fn" | "cost_fp" => 1.0.into(),
        "balanced" | "names" | "binary" | "bias" | "probabilities" => false.into(),
        "label_col" => "label".into(),
        "text_values" => "binary".into(),
        "ngrams" if !others.contains_key("chars") => vec![1, 1].into(),
        _ => Value::Null,
    }
}

/// A field with its value as it is said: `` `bias` ``, ``no `bias` ``, `` `normalize` l2 ``.
fn shown(name: &str, value: &Value) -> String {
    match value {
        Value::Null | Value::Bool(false) => format!("no `{name}`"),
        Value::Bool(true) => format!("`{name}`"),
        Value::String(text) if text == "none" => format!("no `{name}`"),
        Value::String(text) => format!("`{name}` {text}"),
        Value::Array(items) => {
            let items: Vec<String> = items
                .iter()
                .map(|item| item.as_str().map_or_else(|| item.to_string(), str::to_string))
                .collect();
            format!("`{name}` {}", items.join(", "))
        }
        // 3 and not 3.0.
        other => {
            other.as_f64().map_or_else(|| format!("`{name}` {other}"), |number| format!("`{name}` {number}"))
        }
    }
}

fn differs(field: &str, known: String, given: String) -> ConfigError {
    ConfigError::Contradiction { field: field.to_string(), known, given }
}

/// Only the knobs that are given must be those of the model.
fn check_learner(given: &Config, known: &str) -> Result<(), ConfigError> {
    if given.learner.is_none() && given.batch.is_none() {
        return Ok(());
    }
    let given = given.spec_of(given.learner.as_deref().unwrap_or(name_of(known)))?;
    // Written out in full, a wrong knob is an error, and 1e0 is the same as 1.
    let in_full = in_full(&given)?;
    let ((known_name, known_knobs), (name, knobs)) = (parts(known), parts(&in_full));
    if learners::find(name)?.family == Family::Race {
        // A race that is over is the learner that has won it.
        return Ok(());
    }
    if name != known_name {
        return Err(differs("learner", format!("`learner` {known_name}"), format!("`learner` {name}")));
    }
    let said: Vec<&str> = parts(&given).1.into_iter().map(knob_name).collect();
    for (ours, theirs) in knobs.iter().zip(&known_knobs) {
        if ours != theirs && said.contains(&knob_name(ours)) {
            return Err(differs("learner", format!("{name}:{theirs}"), format!("{name}:{ours}")));
        }
    }
    Ok(())
}

/// A learner's name and its knobs.
fn parts(spec: &str) -> (&str, Vec<&str>) {
    let (name, knobs) = spec.split_once(':').unwrap_or((spec, ""));
    (name.trim(), knobs.split(',').map(str::trim).collect())
}

fn knob_name(knob: &str) -> &str {
    knob.split('=').next().unwrap_or_default().trim()
}

/// Only the weights that are given must be those of the model.
fn check_weights(given: &Config, model: &Model) -> Result<(), ConfigError> {
    let (learner, labels) = (model.learner(), model.labels());
    let (costs, weights) = (learner.costs(), learner.class_weights());
    for (label, given) in given.weights_by_label()? {
        let class = labels.names().iter().position(|name| *name == label);
        let known = match (learner.task(), class) {
            (Task::Binary, Some(1)) => costs.missed,
            (Task::Binary, _) => costs.false_alarm,
            (Task::Hinge | Task::Ovr, class) => class.map_or(1.0, |class| weights.of(class)),
        };
        if known != given {
            let shown = |weight: f64| format!("`class_weight` {label}={weight}");
            return Err(differs("class_weight", shown(known), shown(given)));
        }
    }
    Ok(())
}

fn check_classes(given: &Config, model: &Model) -> Result<(), ConfigError> {
    let task = model.learner().task();
    let known_task = || match task {
        Task::Binary => "no `multiclass`".to_string(),
        Task::Hinge => "`multiclass` hinge".to_string(),
        Task::Ovr => "`multiclass` ovr".to_string(),
    };
    if let Some(multiclass) = given.multiclass
        && !multiclass.accepts(task)
    {
        let wanted = given.task(&model.learner().spec())?;
        let wanted = if wanted == Task::Ovr { "`multiclass` ovr" } else { "`multiclass` hinge" };
        return Err(differs("multiclass", known_task(), wanted.into()));
    }
    let labels = model.labels();
    if let Some(positive) = &given.positive
        && (task != Task::Binary || Labels::positive(positive).names()[1] != labels.names()[1])
    {
        let known = if task == Task::Binary {
            format!("positive label \"{}\"", labels.name(1))
        } else {
            known_task()
        };
        return Err(differs("positive", known, format!("`positive` {positive}")));
    }
    // Of many classes, more may have come since.
    let repeats = match task {
        Task::Binary => {
            given.labels.len() == 2 && labels.names() == Labels::of_two(&given.labels, false).names()
        }
        Task::Hinge | Task::Ovr => labels.names().starts_with(Labels::of_many(&given.labels).names()),
    };
    if !given.labels.is_empty() && !repeats {
        return Err(differs(
            "labels",
            format!("`labels` {}", labels.names().join(", ")),
            format!("`labels` {}", given.labels.join(", ")),
        ));
    }
    Ok(())
}
