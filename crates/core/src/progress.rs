//! What every two-class learner keeps besides what it has learned.

use serde_json::{Value, json};

use crate::cost::{Costs, RunningCosts, read_count, stored_count};
use crate::learner::{Counts, StateError};
use crate::merge::{Gain, Unmergeable};
use crate::outcomes::{Outcome, is_score};
use crate::seen::{Seen, Target};

/// The running costs and the counts of a two-class learner.
#[derive(Clone, Debug)]
pub(crate) struct Progress {
    pub(crate) costs: RunningCosts,
    pub(crate) counts: Counts,
}

impl Progress {
    pub(crate) fn new(costs: Costs) -> Self {
        Self { costs: RunningCosts::new(costs), counts: Counts::default() }
    }

    /// What an example of this class demands.
    #[inline]
    pub(crate) fn target(&self, positive: bool, importance: f64) -> Target {
        let (cost, costs) = (self.costs.of(positive), self.costs.range());
        Target { y: if positive { 1.0 } else { -1.0 }, cost, importance, costs }
    }

    /// Counts an example that was learned from.
    #[inline]
    pub(crate) fn learned(&mut self, positive: bool, updated: bool) {
        self.costs.count(positive);
        self.counts.examples += 1;
        self.counts.updates += u64::from(updated);
    }

    /// Refuses an example whose sums went beyond all numbers. If it has no score, or no loss, its loss is that of no opinion.
    #[cold]
    pub(crate) fn refuse(
        &mut self,
        score: f64,
        loss: f64,
        target: &Target,
        without_opinion: impl FnOnce(&Seen, &Target) -> f64,
    ) -> Outcome {
        // An example of no importance would not have been learned from anyway.
        self.counts.rejected += u64::from(target.importance != 0.0);
        let has_loss = is_score(score) && is_score(loss);
        let loss = if has_loss { loss } else { without_opinion(&Seen::default(), target) };
        Outcome { loss, updated: false }
    }

    /// The readable form, with what the rule itself remembers.
    pub(crate) fn state(&self, rule: &Value) -> Value {
        let RunningCosts { declared, positives, negatives, .. } = &self.costs;
        json!({
            "counts": self.counts,
            "positives": stored_count(*positives, declared),
            "negatives": stored_count(*negatives, declared),
            "rule": rule,
        })
    }

    pub(crate) fn restore(&mut self, state: &Value) -> Result<(), StateError> {
        let number = |field: &str| read_count(&state[field]).ok_or_else(|| StateError::new(field));
        self.counts = Counts::read(state)?;
        self.costs.positives = number("positives")?;
        self.costs.negatives = number("negatives")?;
        Ok(())
    }
}

impl Progress {
    /// What was done since the base.
    pub(crate) fn gain(&self, base: &Self) -> Result<Gain, Unmergeable> {
        let mut gain = Gain::since(self.counts, base.counts)?;
        let counts = |progress: &Self| [progress.costs.negatives, progress.costs.positives];
        gain.set_class_counts(&counts(self), &counts(base), self.costs.declared.balance_half_life.is_some());
        Ok(gain)
    }

    /// Counts what was done since.
    pub(crate) fn take_in(&mut self, gain: &Gain) {
        let mut counts = vec![self.costs.negatives, self.costs.positives];
        gain.join_class_counts(&mut counts, self.costs.declared.balance_half_life.is_some());
        (self.costs.negatives, self.costs.positives) = (counts[0], counts[1]);
        self.counts = gain.on_top_of(self.counts);
    }
}
