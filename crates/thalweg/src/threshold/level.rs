//! How many errors may be made now, so that in the long run no more are made than wanted.

use serde::{Deserialize, Serialize};

/// γ as a part of what is wanted.
const GAIN: f64 = 0.05;
/// The level is at most so many times what is wanted: what was saved long ago is not spent all at once.
const HIGHEST: f64 = 2.0;
/// No round counts more than so many average ones.
const LARGEST_ROUND: f64 = 10.0;
/// Rounds over which the average importance is taken.
const MEMORY: f64 = 1000.0;

/// The share of errors to allow now: adaptive conformal inference (Gibbs and Candès, 2021) on the level of a quantile.
///
/// After every round level ← min(level + γ (wanted − error), highest). As long as the level is not positive, the caller makes sure that there is no error.
/// Then, whatever the data, T rounds have at most wanted · T + (wanted + γ) / γ errors: every error beyond what is wanted takes the level down,
/// and it never falls below −γ.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Level {
    wanted: f64,
    now: f64,
    rounds: u64,
    /// The average importance of a round.
    importance: f64,
}

/// The mean of two numbers of these weights.
pub(super) fn mean(a: f64, weight: f64, b: f64, other: f64) -> f64 {
    (a * weight + b * other) / (weight + other)
}

impl Level {
    /// This share of errors is wanted: more than 0, less than 1.
    pub(super) fn new(wanted: f64) -> Self {
        Self { wanted, now: wanted, rounds: 0, importance: 0.0 }
    }

    /// The level of two streams of these weights, side by side.
    pub(super) fn pooled(&self, weight: f64, other: &Self, others: f64) -> Self {
        let mean = |a: f64, b: f64| mean(a, weight, b, others);
        Self {
            wanted: self.wanted,
            now: mean(self.now, other.now),
            rounds: self.rounds.saturating_add(other.rounds),
            importance: mean(self.importance, other.importance),
        }
    }

    /// Without the rounds that all streams had in common, which were counted so many times too often.
    pub(super) fn without(&mut self, common: &Self, times: u64) {
        self.rounds = self.rounds.saturating_sub(common.rounds.saturating_mul(times));
    }

    /// The share of errors to allow now; none, if it is not positive.
    pub(super) fn now(&self) -> f64 {
        self.now
    }

    /// Was there an error in this round?
    #[inline]
    pub(super) fn observe(&mut self, error: bool, importance: f64) {
        self.rounds += 1;
        self.importance += (importance - self.importance) / (self.rounds as f64).min(MEMORY);
        let unwanted = 1.0 - self.wanted;
        let gain = GAIN * self.wanted.min(unwanted) * (importance / self.importance).min(LARGEST_ROUND);
        let highest = (HIGHEST * self.wanted).min(1.0 - unwanted / HIGHEST);
        self.now = (self.now + gain * (self.wanted - f64::from(u8::from(error)))).min(highest);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Whoever makes an error whenever it is allowed makes no more than the bound says.
    #[test]
    fn no_data_can_force_more_errors_than_wanted() {
        for wanted in [0.001, 0.1, 0.5, 0.9] {
            let mut level = Level::new(wanted);
            let gain = GAIN * wanted.min(1.0 - wanted);
            let mut errors = 0.0;
            for round in 1..=20_000 {
                let error = level.now() > 0.0;
                errors += f64::from(u8::from(error));
                level.observe(error, 1.0);
                assert!(
                    errors <= wanted * f64::from(round) + (wanted + gain) / gain + 1e-6,
                    "{wanted}, {round}"
                );
            }
            assert!(errors >= wanted * 20_000.0 - 1.0, "{wanted}: {errors}");
        }
    }

    #[test]
    fn what_was_saved_is_not_spent_at_once() {
        let mut level = Level::new(0.1);
        (0..100_000).for_each(|_| level.observe(false, 1.0));
        assert_eq!(level.now(), 0.2);
        let mut high = Level::new(0.9);
        (0..100_000).for_each(|_| high.observe(false, 1.0));
        assert_eq!(high.now(), 0.95);
    }

    #[test]
    fn it_stays_finite() {
        let mut level = Level::new(0.1);
        for importance in [1e-45, f64::from(f32::MAX), 1e-45, f64::from(f32::MAX), 1.0] {
            level.observe(true, importance);
            assert!(level.now().is_finite() && level.now() >= -1.0, "{importance}");
        }
    }
}
