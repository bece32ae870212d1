//! What errors cost, declared once per run.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::batch::Class;

/// The costs of the two kinds of error.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(from = "StoredCosts", into = "StoredCosts")]
pub struct Costs {
    /// Cost of a missed positive (a false negative).
    pub missed: f64,
    /// Cost of a false alarm (a false positive).
    pub false_alarm: f64,
    /// Multiply the cost of a missed positive by the stream's imbalance, (negatives + prior) / (positives + prior).
    pub balanced: bool,
    /// With how many made-up examples of each class the imbalance begins. With one of each, a stream whose first hundred examples are negative
    /// would have its first positive cost a hundred.
    pub balance_prior: f64,
    /// After how many examples one counts half in the imbalance. None: all count alike.
    pub balance_half_life: Option<f64>,
}

/// Costs as a model stores them: what follows from the rest is left out.
#[derive(Serialize, Deserialize)]
struct StoredCosts {
    missed: f64,
    false_alarm: f64,
    balanced: bool,
    /// Balanced models that do not say began with one made-up example of each class.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    balance_prior: Option<f64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    balance_half_life: Option<f64>,
}

impl From<Costs> for StoredCosts {
    fn from(costs: Costs) -> Self {
        let Costs { missed, false_alarm, balanced, balance_prior, balance_half_life } = costs;
        let told = balanced && balance_prior != 1.0;
        Self {
            missed,
            false_alarm,
            balanced,
            balance_prior: told.then_some(balance_prior),
            balance_half_life,
        }
    }
}

impl From<StoredCosts> for Costs {
    fn from(stored: StoredCosts) -> Self {
        let StoredCosts { missed, false_alarm, balanced, balance_prior, balance_half_life } = stored;
        let untold = if balanced { 1.0 } else { Self::default().balance_prior };
        Self {
            missed,
            false_alarm,
            balanced,
            balance_prior: balance_prior.unwrap_or(untold),
            balance_half_life,
        }
    }
}

impl Default for Costs {
    fn default() -> Self {
        Self::EQUAL
    }
}

impl Costs {
    /// Both errors cost 1.
    pub const EQUAL: Self =
        Self { missed: 1.0, false_alarm: 1.0, balanced: false, balance_prior: 10.0, balance_half_life: None };

    /// Do both errors cost the same, 1?
    pub fn are_equal(&self) -> bool {
        (self.missed, self.false_alarm, self.balanced) == (1.0, 1.0, false)
    }
}

/// How a learner takes the costs of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CostUse {
    /// They scale the step.
    Slope,
    /// They are the margin that an example must have.
    Margin,
    /// Their root is the margin that an example must have, and their root is its importance.
    Root,
    /// They bound the step: its aggressiveness C.
    Strength,
    /// Not at all; the words say what to do instead.
    Refused(&'static str),
}

impl CostUse {
    /// What costs do, in a few words.
    pub fn describe(self) -> &'static str {
        match self {
            CostUse::Slope => "scale the step",
            CostUse::Margin => "set the margin that an example must have",
            CostUse::Root => "set the margin and the importance of an example, each by their square root",
            CostUse::Strength => "scale the aggressiveness C",
            CostUse::Refused(instead) => instead,
        }
    }
}

/// The least and the greatest of the costs that errors have at the moment.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CostRange {
    /// Of the cheapest error.
    pub least: f64,
    /// Of the dearest.
    pub greatest: f64,
}

impl CostRange {
    /// All errors cost 1.
    pub const ONE: Self = Self { least: 1.0, greatest: 1.0 };

    /// The range of these costs; that of 1 if there are none.
    pub fn of(costs: impl IntoIterator<Item = f64>) -> Self {
        let widened = |range: Option<Self>, cost: f64| {
            let Self { least, greatest } = range.unwrap_or(Self { least: cost, greatest: cost });
            Some(Self { least: least.min(cost), greatest: greatest.max(cost) })
        };
        costs.into_iter().fold(None, widened).unwrap_or(Self::ONE)
    }

    /// The geometric mean of the two.
    pub fn middle(&self) -> f64 {
        // The product might be beyond all numbers.
        self.least.sqrt() * self.greatest.sqrt()
    }
}

/// What an error on an example of a class costs at the moment, and the examples that this follows from.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct ClassCost {
    /// The class. Of two, 1 is the positive one: its cost is that of a missed positive, the other's that of a false alarm.
    pub class: Class,
    /// The cost of an error on an example of the class.
    pub cost: f64,
    /// Examples of the class so far; with a half-life, what is left of them.
    pub count: f64,
}

/// The costs of errors at this point of the stream, with the counts of classes that they depend on.
///
/// The imbalance is an estimate from *past* rounds: an example's own label must not influence its own cost.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct RunningCosts {
    /// As given when the learner was built.
    pub declared: Costs,
    /// Positive examples learned from.
    pub positives: f64,
    /// Negative examples learned from.
    pub negatives: f64,
    /// What is left of the counts after an example.
    kept: f64,
}

impl RunningCosts {
    /// Before the first example.
    pub(crate) fn new(costs: Costs) -> Self {
        Self { declared: costs, positives: 0.0, negatives: 0.0, kept: kept(costs.balance_half_life) }
    }

    /// The cost of an error on an example of this class.
    #[inline]
    pub(crate) fn of(&self, positive: bool) -> f64 {
        let Costs { missed, false_alarm, balanced, balance_prior: prior, .. } = self.declared;
        if !positive {
            return false_alarm;
        }
        let imbalance = if balanced { (self.negatives + prior) / (self.positives + prior) } else { 1.0 };
        (missed * imbalance).min(f64::MAX)
    }

    /// The costs of both errors.
    #[inline]
    pub(crate) fn range(&self) -> CostRange {
        let (missed, false_alarm) = (self.of(true), self.of(false));
        CostRange { least: missed.min(false_alarm), greatest: missed.max(false_alarm) }
    }

    /// Counts an example that was learned from.
    #[inline]
    pub(crate) fn count(&mut self, positive: bool) {
        self.positives = self.positives * self.kept + f64::from(u8::from(positive));
        self.negatives = self.negatives * self.kept + f64::from(u8::from(!positive));
    }

    /// What errors on each of the two classes cost, from the counts in the readable state of a learner.
    pub(crate) fn in_state(costs: Costs, state: &Value) -> Vec<ClassCost> {
        let mut running = Self::new(costs);
        let count = |field: &str| state[field].as_f64().unwrap_or_default();
        (running.positives, running.negatives) = (count("positives"), count("negatives"));
        vec![
            ClassCost { class: 0, cost: running.of(false), count: running.negatives },
            ClassCost { class: 1, cost: running.of(true), count: running.positives },
        ]
    }
}

/// The factor by which counts of this half-life fall from example to example.
pub(crate) fn kept(half_life: Option<f64>) -> f64 {
    half_life.map_or(1.0, |half_life| (-1.0 / half_life).exp2())
}

/// A count as it is stored: counts that do not fade are whole.
pub(crate) fn stored_count(count: f64, costs: &Costs) -> Value {
    if costs.balance_half_life.is_some() { count.into() } else { (count as u64).into() }
}

/// A count from a stored state.
pub(crate) fn read_count(stored: &Value) -> Option<f64> {
    stored.as_f64().filter(|count| *count >= 0.0 && count.is_finite())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn models_store_no_more_than_they_need() {
        let stored = |costs: Costs| serde_json::to_string(&costs).unwrap();
        let read = |text: &str| serde_json::from_str::<Costs>(text).unwrap();
        let equal = Costs::default();
        assert_eq!(stored(equal), r#"{"missed":1.0,"false_alarm":1.0,"balanced":false}"#);
        let laplace = Costs { balanced: true, balance_prior: 1.0, ..equal };
        assert_eq!(stored(laplace), r#"{"missed":1.0,"false_alarm":1.0,"balanced":true}"#);
        let fading = Costs { balanced: true, balance_half_life: Some(250.0), ..equal };
        for costs in [equal, laplace, fading] {
            assert_eq!(read(&stored(costs)), costs);
        }
        assert!(Costs { balance_prior: 3.0, ..equal }.are_equal() && !laplace.are_equal());
    }

    #[test]
    fn balanced_prices_follow_the_past() {
        let declared = Costs { missed: 2.0, balanced: true, balance_prior: 1.0, ..Costs::default() };
        let mut costs = RunningCosts::new(declared);
        assert_eq!(costs.of(true), 2.0);
        for _ in 0..8 {
            costs.count(false);
        }
        costs.count(true);
        costs.count(true);
        assert_eq!((costs.of(true), costs.of(false)), (2.0 * 9.0 / 3.0, 1.0));
        assert_eq!(costs.range(), CostRange { least: 1.0, greatest: 6.0 });
    }

    #[test]
    fn a_prior_holds_the_first_prices_back() {
        let declared = Costs { balanced: true, balance_prior: 10.0, ..Costs::default() };
        let mut costs = RunningCosts::new(declared);
        (0..90).for_each(|_| costs.count(false));
        assert_eq!(costs.of(true), 100.0 / 10.0);
    }

    #[test]
    fn counts_fade_by_half_in_a_half_life() {
        let declared = Costs { balance_half_life: Some(4.0), ..Costs::default() };
        let mut costs = RunningCosts::new(declared);
        costs.count(true);
        (0..8).for_each(|_| costs.count(false));
        assert!((costs.positives - 0.25).abs() < 1e-12, "{costs:?}");
        // However long the stream: 1 + ½^¼ + ½^½ + ... is about 1.44 half-lives, and a half.
        (0..10_000).for_each(|_| costs.count(false));
        assert!((costs.negatives - 6.285).abs() < 1e-3 && costs.positives < 1e-300, "{costs:?}");
    }

    #[test]
    fn the_middle_of_costs_is_a_number_whatever_they_are() {
        let range = CostRange::of([1e300, 1e290, 1e295]);
        assert_eq!((range.least, range.greatest), (1e290, 1e300));
        assert!((range.middle() / 1e295 - 1.0).abs() < 1e-12);
        assert_eq!(CostRange::of([]), CostRange::ONE);
    }
}
