//! What a rule knows of an example when it decides: sums over its features, and what it demands.

use crate::batch::BIAS;
use crate::cost::CostRange;
use crate::params::Choice;

/// What an example's features add up to.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Seen {
    /// w · x.
    pub score: f64,
    /// x · x, of what counts in the [`Length`] of the example.
    pub norm2: f64,
    /// x'Σx, before the example enters the metric, for rules that have one.
    pub variance: f64,
}

/// What counts in the length of an example.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Length {
    /// All features, and the bias, which has a weight as they have.
    Whole,
    /// The features without the bias.
    Features,
}

impl Length {
    /// Does a feature count?
    #[inline]
    pub fn counts(self, feature: u32) -> bool {
        self == Length::Whole || feature != BIAS
    }
}

impl Choice for Length {
    const CHOICES: &'static [(&'static str, Self)] =
        &[("whole", Length::Whole), ("features", Length::Features)];
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
