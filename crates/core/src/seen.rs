//! What a rule knows of an example when it decides: sums over its features, and what it demands.

use crate::cost::CostRange;

/// What an example's features add up to.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Seen {
    /// w · x.
    pub score: f64,
    /// x · x.
    pub norm2: f64,
    /// x'Σx, before the example enters the metric, for rules that have one.
    pub variance: f64,
}

/// What the example demands.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Target {
    /// +1 or −1.
    pub y: f64,
    /// The cost of getting this example wrong.
    pub cost: f64,
    /// The example's own importance.
    pub importance: f64,
    /// What errors cost at the moment, on examples of any class.
    pub costs: CostRange,
}

impl Target {
    /// What is at stake: cost times importance.
    pub fn stake(&self) -> f64 {
        self.cost * self.importance
    }
}
