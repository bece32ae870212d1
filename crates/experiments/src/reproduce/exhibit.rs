//! Tables and figures as data: what was published, and how it is run here.

use std::collections::BTreeMap;

use serde::Deserialize;

use super::configuration::{Configuration, Missed, Run};
use super::metric::Metric;
use super::sets::{self, Set, Source};

/// A table or a figure of a paper.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Exhibit {
    /// What one types, such as `zhao2019-table2`.
    pub name: String,
    /// What it shows.
    pub title: String,
    /// How it is run, in words.
    pub protocol: String,
    /// Its parts: one data set each.
    pub parts: Vec<Part>,
}

/// The learners of a table or a figure on one data set.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Part {
    /// What is measured on what.
    pub title: String,
    /// The name of the data set.
    pub set: String,
    /// What is learned from, and what is predicted.
    pub run: Run,
    /// How often, each time in another order.
    pub repeat: usize,
    /// The metrics of a table, in the order of its columns.
    #[serde(default)]
    pub show: Vec<Metric>,
    /// Knobs that the paper does not give, and whose values were chosen here so that numbers come near the published ones.
    #[serde(default)]
    pub matched: Vec<String>,
    /// Each learner is shown with the best of these values of a knob: `{x}` in its specification.
    #[serde(default)]
    pub best: Option<Values>,
    /// The axes of a figure.
    #[serde(default)]
    pub figure: Option<Axes>,
    /// The learners.
    pub rows: Vec<Row>,
}

/// Values of what `{x}` stands for.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Values {
    /// What it is called.
    pub name: String,
    /// The values.
    pub values: Vec<f64>,
}

/// The axes of a figure.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Axes {
    /// What goes to the right.
    pub x: Across,
    /// What goes up.
    pub y: Metric,
    /// The title of the x-axis, where it is a knob.
    #[serde(default)]
    pub label: String,
    /// The values of `{x}` for all rows that have none of their own.
    #[serde(default)]
    pub values: Vec<f64>,
}

/// What goes to the right in a figure.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Across {
    /// The examples so far: a curve of one pass.
    Examples,
    /// The share of zero weights that each value of `{x}` led to.
    Sparsity,
    /// The number of weights that are not zero.
    Nonzeros,
    /// `{x}` itself, on a logarithmic axis.
    Value,
    /// The weight of sensitivity in the sum, of which costs follow.
    SumWeight,
    /// The cost of a missed positive if both costs add up to 1.
    CostWeight,
}

/// A learner of a table or a figure.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Row {
    /// What the paper calls it.
    pub learner: String,
    /// What we call it, with its knobs.
    pub spec: String,
    /// What a missed positive costs it.
    #[serde(default)]
    pub missed: Missed,
    /// The values of `{x}`, if they are its own.
    #[serde(default)]
    pub values: Vec<f64>,
    /// The published mean and standard deviation of each metric.
    #[serde(default)]
    pub published: BTreeMap<Metric, (f64, Option<f64>)>,
    /// Why ours may differ.
    #[serde(default)]
    pub reason: String,
}

/// A row with one value of its knob: what is run.
#[derive(Clone, Debug)]
pub struct Point {
    /// The value of `{x}`, if there is one.
    pub x: Option<f64>,
    /// What is run.
    pub configuration: Configuration,
}

impl Exhibit {
    /// The paper's short name, as in docs/papers.md.
    pub fn paper(&self) -> &'static str {
        match self.name.split('-').next() {
            Some("zhao2019") => "Zhao et al. 2019",
            Some("tan2016") => "Tan et al. 2016",
            Some("oiwa2011") => "Oiwa et al. 2011",
            _ => "Wang et al. 2015",
        }
    }

    /// `Table 2` or `Figure 2`.
    pub fn number(&self) -> String {
        let number = self.name.rsplit('-').next().unwrap_or_default();
        number.replace("table", "Table ").replace("figure", "Figure ")
    }

    /// The data sets, each once.
    pub fn sets(&self) -> Vec<&'static Set> {
        let mut sets: Vec<&'static Set> = Vec::new();
        for part in &self.parts {
            let set = part.set();
            if !sets.iter().any(|known| known.name == set.name) {
                sets.push(set);
            }
        }
        sets
    }
}

impl Part {
    /// Its data set.
    pub fn set(&self) -> &'static Set {
        sets::find(&self.set).expect("a test looks for the set of every part")
    }

    /// Are the orders of the examples those of the paper?
    pub fn has_published_orders(&self) -> bool {
        self.run == Run::Progressive && self.set().source == Source::Bundled
    }

    /// What is run for a row: one configuration, or one for every value of its knob.
    pub fn points(&self, row: &Row) -> Vec<Point> {
        let of_part =
            self.figure.as_ref().map(|axes| &axes.values).or(self.best.as_ref().map(|best| &best.values));
        let values = if row.values.is_empty() { of_part.map_or(&[][..], Vec::as_slice) } else { &row.values };
        let across = self.figure.as_ref().map(|axes| axes.x);
        let point = |x: Option<f64>| {
            let spec = x.map_or_else(|| row.spec.clone(), |x| row.spec.replace("{x}", &number(x)));
            let missed = match (across, x) {
                (Some(Across::SumWeight), Some(x)) => {
                    row.missed.weighing(Missed::TimesImbalance(x / (1.0 - x)))
                }
                (Some(Across::CostWeight), Some(x)) => row.missed.weighing(Missed::Cost(x / (1.0 - x))),
                _ => row.missed,
            };
            Point { x, configuration: Configuration { set: self.set(), run: self.run, spec, missed } }
        };
        match values {
            [] => vec![point(None)],
            values => values.iter().map(|x| point(Some(*x))).collect(),
        }
    }
}

/// The shortest text of a number that a learner can read.
fn number(x: f64) -> String {
    if x != 0.0 && (x.abs() < 1e-3 || x.abs() >= 1e6) { format!("{x:e}") } else { format!("{x}") }
}
