//! What a metric is.

use thalweg_core::cost::Costs;

use crate::examples::Examples;
use crate::totals::Totals;

/// A figure that is computed from predictions.
///
/// Most metrics follow from the sums that are kept for all of them; such a metric is a function of [`Totals`]. A metric that
/// needs more observes the examples itself.
pub trait Metric: Send {
    /// Adds the labelled examples of a batch. Called once per batch, with loops over its examples inside.
    fn observe(&mut self, _examples: Examples) {}

    /// The value so far; none if it is not defined yet, as a mean of nothing.
    fn value(&self, totals: &Totals) -> Option<f64>;
}

impl<F: Fn(&Totals) -> Option<f64> + Send> Metric for F {
    fn value(&self, totals: &Totals) -> Option<f64> {
        self(totals)
    }
}

/// All that the rest of the program knows of a metric.
#[derive(Clone, Copy, Debug)]
pub struct Entry {
    /// Its name in JSON.
    pub name: &'static str,
    /// Its name in text.
    pub title: &'static str,
    /// What it is, in one line.
    pub doc: &'static str,
    /// How its value is formatted.
    pub format: Format,
    /// The runs that have it.
    pub scope: Scope,
    /// Where reports show it.
    pub place: Place,
    /// Begins to measure.
    pub start: fn(&Context) -> Box<dyn Metric>,
}

/// How a value is formatted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// How many, or how much importance: a whole number as long as importances are whole numbers.
    Count,
    /// A share: a fraction in JSON, a percentage in text.
    Share,
    /// Any number.
    Number,
    /// A mean, which has six decimals in text.
    Mean,
}

/// The runs that have a metric.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scope {
    /// All.
    Any,
    /// Those that learn.
    Learning,
    /// Those with a positive and a negative class.
    TwoClasses,
    /// Those with a positive and a negative class and declared costs.
    Costs,
    /// Those with many classes.
    ManyClasses,
}

/// Where reports show a metric.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// In JSON, and on its own line of text.
    Line,
    /// In JSON, and on its own line of text after all others: for what is said of the learner rather than its predictions.
    LastLine,
    /// In JSON, and in text in brackets after the metric of this name.
    Beside(&'static str),
    /// In JSON only, because it equals another metric or because text shows it in its own way.
    JsonOnly,
    /// Nowhere unless it was asked for.
    OnRequest,
}

/// What is known of a run before it begins.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Context {
    /// How many classes there are.
    pub classes: Classes,
    /// The declared costs.
    pub costs: Costs,
    /// Whether examples are learned from, after they were predicted.
    pub learns: bool,
}

/// How many classes there are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Classes {
    /// A negative class, 0, and a positive class, 1.
    #[default]
    Two,
    /// Any number.
    Many,
}

impl Scope {
    /// Whether a run has the metrics of this scope.
    pub fn includes(self, context: &Context) -> bool {
        let two = context.classes == Classes::Two;
        match self {
            Self::Any => true,
            Self::Learning => context.learns,
            Self::TwoClasses => two,
            Self::Costs => two && (context.costs.missed != 1.0 || context.costs.false_alarm != 1.0),
            Self::ManyClasses => !two,
        }
    }
}
