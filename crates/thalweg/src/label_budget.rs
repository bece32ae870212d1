//! Learning with few labels: a label is asked for where the learner is unsure, and not more often than the budget allows.
//!
//! The chance that a label is asked for is δc / (δc + z). Here z is the distance of the score from 0 in units of its own uncertainty (its standard
//! deviation, or the usual size of scores for learners that have none), and c is what a mistake would cost: a missed positive where a
//! negative is predicted, a false alarm where a positive is. δ follows the budget: it falls with every label that is asked for and
//! rises with every other example, so that the share of labels is the one that was declared. This is the randomised rule of Cesa-Bianchi, Gentile
//! and Zaniboni (2006) with costs, as in cost-sensitive online active learning (Zhao, Hoi 2013), and with δ as a controller instead of a knob.

use thalweg_core::Costs;
use thalweg_core::random::scramble;

/// How fast δ follows the budget.
const PACE: f64 = 0.02;
/// So many labels may be asked for before there is any experience.
const FIRST: f64 = 10.0;

/// A share of labels, and how it was spent.
#[derive(Clone, Debug)]
pub(crate) struct LabelBudget {
    share: f64,
    costs: Costs,
    /// δ.
    eagerness: f64,
    /// The usual size of scores, for learners without variances.
    usual_score: f64,
    used: u64,
    seen: u64,
}

impl LabelBudget {
    /// A budget of this share of all labels.
    pub(crate) fn new(share: f64, costs: Costs) -> Self {
        Self { share, costs, eagerness: 1.0, usual_score: 0.0, used: 0, seen: 0 }
    }

    /// Labels that were asked for, of so many.
    pub(crate) fn spent(&self) -> (u64, u64) {
        (self.used, self.seen)
    }

    /// Is the label of an example with this score worth asking for? The variance is that of the score, if the learner has one.
    pub(crate) fn asks(&mut self, score: f64, variance: Option<f64>) -> bool {
        self.seen += 1;
        let rate = 1.0 / self.seen.min(1000) as f64;
        self.usual_score += rate * (score.abs().min(1e100) - self.usual_score);
        let unit = variance.map_or(self.usual_score, f64::sqrt);
        let distance = if unit > 0.0 { score.abs() / unit } else { 0.0 };
        let cost = if score > 0.0 { self.costs.false_alarm } else { self.costs.missed };
        // Only the relation of the two costs matters: δ makes up for their size.
        let stake = cost / (self.costs.missed * self.costs.false_alarm).sqrt().max(f64::MIN_POSITIVE);
        let eager = self.eagerness * stake.clamp(1e-6, 1e6);
        let chance = eager / (eager + distance);
        let within = (self.used as f64) < (self.share * self.seen as f64).max(FIRST);
        // A score of 0, as that of an example of which nothing is known, is always asked about.
        let asks = within && (distance == 0.0 || uniform(self.seen) < chance);
        self.used += u64::from(asks);
        let surplus = self.share - f64::from(u8::from(asks));
        self.eagerness = (self.eagerness * (PACE * surplus).exp()).clamp(1e-9, 1e9);
        asks
    }
}

/// A number between 0 and 1 that depends on the place in the stream alone: the same run asks for the same labels.
fn uniform(place: u64) -> f64 {
    (scramble(place) >> 11) as f64 / (1u64 << 53) as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_budget_is_kept_and_spent() {
        for share in [0.01, 0.1, 0.5] {
            for variance in [None, Some(0.25)] {
                let mut budget = LabelBudget::new(share, Costs::default());
                (0..20_000).for_each(|i| _ = budget.asks(3.0 * uniform(1_000_000 + i) - 1.5, variance));
                let (used, seen) = budget.spent();
                let spent = used as f64 / seen as f64;
                assert!(spent <= share + 0.001 && spent > 0.8 * share, "{spent} of {share}");
            }
        }
    }

    #[test]
    fn labels_are_asked_for_near_the_threshold_and_where_mistakes_are_dear() {
        let asked = |costs: Costs, near: fn(f64) -> bool| {
            let mut budget = LabelBudget::new(0.2, costs);
            let scores = (0..20_000).map(|i| 3.0 * uniform(2_000_000 + i) - 1.5);
            let all: Vec<(f64, bool)> = scores.map(|score| (score, budget.asks(score, None))).collect();
            let of: Vec<_> = all.iter().filter(|(score, _)| near(*score)).collect();
            of.iter().filter(|(_, asked)| *asked).count() as f64 / of.len() as f64
        };
        let equal = Costs::default();
        assert!(asked(equal, |score| score.abs() < 0.2) > 2.0 * asked(equal, |score| score.abs() > 1.0));
        let dear = Costs { missed: 50.0, ..equal };
        assert!(asked(dear, |score| score < 0.0) > 2.0 * asked(dear, |score| score > 0.0));
    }

    #[test]
    fn absurd_scores_do_no_harm() {
        let mut budget =
            LabelBudget::new(0.1, Costs { missed: 1e300, false_alarm: 1e-300, ..Costs::default() });
        for score in [1e300, -1e300, 0.0, f64::MIN_POSITIVE, 1.0] {
            for variance in [None, Some(0.0), Some(1e300)] {
                (0..100).for_each(|_| _ = budget.asks(score, variance));
            }
        }
        assert!(budget.eagerness.is_finite() && budget.eagerness > 0.0);
    }
}
