//! What a metric is.

use thalweg_core::cost::Costs;

use crate::calibration::Calibration;
use crate::curves::{Estimate, Scores};
use crate::examples::Examples;
use crate::totals::Totals;

/// A figure that observes the examples itself, because it does not follow from sums that are kept for several metrics.
pub trait Metric: Send + Sync {
    /// Adds the labelled examples of a batch. Called once per batch, with loops over its examples inside.
    fn observe(&mut self, examples: Examples);

    /// The value so far; none if it is not defined yet, as a mean of nothing.
    fn value(&self, totals: &Totals) -> Option<f64>;
}

/// All that the rest of the program knows of a metric.
#[derive(Clone, Copy, Debug)]
pub struct Entry {
    /// Its name in JSON. That of a family has a place for a number in angle brackets, as in `f<beta>`.
    pub name: &'static str,
    /// Its name in text, with the same place.
    pub title: &'static str,
    /// What it is, in one line.
    pub doc: &'static str,
    /// How its value is formatted.
    pub format: Format,
    /// Which values are better, for whoever looks for the best.
    pub better: Better,
    /// The runs that have it.
    pub scope: Scope,
    /// Where reports show it.
    pub place: Place,
    /// How it is computed.
    pub measure: Measure,
}

/// How a metric is computed.
#[derive(Clone, Copy, Debug)]
pub enum Measure {
    /// From the sums that are always kept.
    Totals(fn(&Totals, &Context) -> Option<f64>),
    /// A family: from the same sums and the number in the metric's name.
    TotalsFor(Parameter, fn(&Totals, f64) -> Option<f64>),
    /// From the scores of two classes, which are kept once for all such metrics.
    Scores(fn(&Scores) -> Option<Estimate>),
    /// From the table of predicted probabilities, which is kept once for all such metrics.
    Calibration(fn(&Calibration) -> Option<f64>),
    /// From the examples, which it observes itself.
    Examples(fn() -> Box<dyn Metric>),
    /// A family: from the examples and the number in the metric's name.
    ExamplesFor(Parameter, fn(f64) -> Box<dyn Metric>),
}

/// The number in the name of a metric of a family.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Parameter {
    /// A number above 0, up to a million.
    Positive,
    /// A whole number above 0, up to a million.
    Whole,
}

/// How a value is formatted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// How many, or how much importance: a whole number as long as importances are whole numbers.
    Count,
    /// A share: a fraction in JSON, a percentage in text.
    Share,
    /// What something costs.
    Amount,
    /// A mean, which has six decimals in text.
    Mean,
    /// A number with six decimals in text, also if it is not defined: then it is `-`.
    Decimal,
}

/// Which of two values is better.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Better {
    /// The lower one.
    Lower,
    /// The higher one.
    Higher,
    /// Neither: it says nothing of how good a learner is.
    Neither,
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
    /// Those with many classes.
    ManyClasses,
    /// Those that predict probabilities.
    Probabilities,
}

/// Where reports show a metric.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// In JSON, and on its own line of text.
    Line,
    /// The same if the run has this, else nowhere unless it was asked for.
    LineIf(Declared),
    /// In JSON, and on its own line of text after all others: for what is said of the learner rather than its predictions.
    LastLine,
    /// In JSON, and in text in brackets after the metric of this name; nowhere without that one.
    Beside(&'static str),
    /// In JSON only, because it equals another metric or because text shows it in its own way.
    JsonOnly,
    /// Nowhere unless it was asked for.
    OnRequest,
    /// Nowhere, even if it was asked for: reports of runs and lines of progress have it anyway.
    Elsewhere,
}

/// What a run may declare.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Declared {
    /// Costs that are not both 1, or that differ from example to example.
    Costs,
    /// The weight of `sum`.
    SumWeight,
}

/// What is known of a run before it begins.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Context {
    /// How many classes there are.
    pub classes: Classes,
    /// The costs that are reported, whatever the learner was told.
    pub costs: Costs,
    /// Whether the data says what an error on each example costs.
    pub example_costs: bool,
    /// The weight of sensitivity in `sum`; the rest is that of specificity. `sum` is part of the report if this is given.
    pub sum_weight: Option<f64>,
    /// Whether examples are learned from, after they were predicted.
    pub learns: bool,
    /// Whether predictions have probabilities.
    pub probabilities: bool,
    /// How scores are kept, if a metric needs them.
    pub scores: Keeping,
}

/// How scores are kept, if a metric needs them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Keeping {
    /// In a histogram of constant size: for streams.
    #[default]
    Binned,
    /// As they are, 16 bytes each, up to [`Scores::MOST_KEPT`]: for test data.
    Exact,
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
        match self {
            Self::Any => true,
            Self::Learning => context.learns,
            Self::TwoClasses => context.classes == Classes::Two,
            Self::ManyClasses => context.classes == Classes::Many,
            Self::Probabilities => context.probabilities,
        }
    }
}

impl Declared {
    /// Does the run declare it?
    pub fn by(self, context: &Context) -> bool {
        match self {
            Self::Costs => {
                context.example_costs || context.costs.missed != 1.0 || context.costs.false_alarm != 1.0
            }
            Self::SumWeight => context.sum_weight.is_some(),
        }
    }
}

impl Parameter {
    /// The number that a text stands for, if it is such a number.
    pub(crate) fn parse(self, text: &str) -> Option<f64> {
        // Infinity and signs are numbers too, but not for us.
        let plain = text.chars().all(|c| c.is_ascii_digit() || c == '.');
        let number = text.parse::<f64>().ok().filter(|number| plain && *number > 0.0 && *number <= 1e6);
        match self {
            Self::Positive => number,
            Self::Whole => number.filter(|number| number.fract() == 0.0),
        }
    }
}
