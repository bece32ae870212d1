//! What errors cost, declared once per run.

use serde::{Deserialize, Serialize};

/// The costs of the two kinds of error.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Costs {
    /// Cost of a missed positive (a false negative).
    pub missed: f64,
    /// Cost of a false alarm (a false positive).
    pub false_alarm: f64,
    /// Multiply the cost of a missed positive by the stream's imbalance, (negatives + 1) / (positives + 1).
    pub balanced: bool,
}

impl Default for Costs {
    fn default() -> Self {
        Self { missed: 1.0, false_alarm: 1.0, balanced: false }
    }
}

impl Costs {
    /// Do both errors cost the same?
    pub fn are_equal(&self) -> bool {
        *self == Self::default()
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

/// The costs of errors at this point of the stream, with the counts of classes that they depend on.
///
/// The imbalance is the Laplace estimate from *past* rounds: an example's own label must not influence its own cost.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct RunningCosts {
    /// As given when the learner was built.
    pub declared: Costs,
    /// Positive examples learned from.
    pub positives: u64,
    /// Negative examples learned from.
    pub negatives: u64,
}

impl RunningCosts {
    /// Before the first example.
    pub(crate) fn new(costs: Costs) -> Self {
        Self { declared: costs, positives: 0, negatives: 0 }
    }

    /// The cost of an error on an example of this class.
    #[inline]
    pub(crate) fn of(&self, positive: bool) -> f64 {
        if !positive {
            return self.declared.false_alarm;
        }
        let imbalance = if self.declared.balanced {
            (self.negatives + 1) as f64 / (self.positives + 1) as f64
        } else {
            1.0
        };
        self.declared.missed * imbalance
    }

    /// Counts an example that was learned from.
    #[inline]
    pub(crate) fn count(&mut self, positive: bool) {
        if positive {
            self.positives += 1;
        } else {
            self.negatives += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn balanced_prices_follow_the_past() {
        let mut costs = RunningCosts::new(Costs { missed: 2.0, balanced: true, ..Costs::default() });
        assert_eq!(costs.of(true), 2.0);
        for _ in 0..8 {
            costs.count(false);
        }
        costs.count(true);
        costs.count(true);
        assert_eq!((costs.of(true), costs.of(false)), (2.0 * 9.0 / 3.0, 1.0));
    }
}
