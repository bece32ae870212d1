//! What several make of their scores, as what one makes of them.

use serde::{Deserialize, Serialize};

use crate::score_use::ScoreUse;

/// What is made of scores by one shard, or by several together.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct PooledScoreUse {
    score_use: ScoreUse,
    /// Examples that they learned from.
    examples: u64,
    /// How many shards there are. All of them have counted what the base had.
    shards: u64,
}

impl PooledScoreUse {
    /// That of a shard.
    pub(super) fn of(score_use: &ScoreUse, examples: u64) -> Self {
        Self { score_use: score_use.clone(), examples, shards: 1 }
    }

    /// That of both; the name of a setting if they have not the same.
    pub(super) fn plus(&self, other: &Self) -> Result<Self, &'static str> {
        let (ours, theirs) = (&self.score_use, &other.score_use);
        // Who learned from nothing, because all was refused, may have scored it: weights must not add up to nothing.
        let [weight, others] = [self.examples, other.examples].map(|examples| examples.max(1) as f64);
        if ours.threshold != theirs.threshold {
            return Err("threshold");
        }
        let tuner = match (&ours.tuner, &theirs.tuner) {
            (Some(a), Some(b)) if a.target() == b.target() && a.costs() == b.costs() => {
                Some(a.pooled(weight, b, others))
            }
            (None, None) => None,
            _ => return Err("target"),
        };
        let calibrator = match (&ours.calibrator, &theirs.calibrator) {
            (Some(a), Some(b)) => Some(a.pooled(weight, b, others).ok_or("probabilities")?),
            (None, None) => None,
            _ => return Err("probabilities"),
        };
        let drift = match (&ours.drift, &theirs.drift) {
            (Some(a), Some(b)) if a.action == b.action => Some(a.pooled(b)),
            (None, None) => None,
            _ => return Err("on_drift"),
        };
        let score_use = ScoreUse { threshold: ours.threshold, tuner, calibrator, drift };
        let examples = self.examples.saturating_add(other.examples);
        Ok(Self { score_use, examples, shards: self.shards.saturating_add(other.shards) })
    }

    /// What is made of scores now, by who made this of them before.
    pub(super) fn after(&self, base: &ScoreUse) -> ScoreUse {
        let (mut now, times) = (self.score_use.clone(), self.shards.saturating_sub(1));
        if let Some(tuner) = &mut now.tuner {
            tuner.without(base.tuner.as_ref(), times);
        }
        if let Some(calibrator) = &mut now.calibrator {
            calibrator.without(base.calibrator.as_ref(), times);
        }
        if let Some(drift) = &mut now.drift {
            drift.without(base.drift.as_ref(), times);
        }
        now
    }
}
