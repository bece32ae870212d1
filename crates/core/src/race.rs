//! Which of several contenders is worse than another, by their losses on the same stream? Sound whenever one looks.
//!
//! Every ordered pair of contenders (i, j) has a gambler who believes that i is worse. On every example he stakes a fixed share λ of what he has
//! on the difference of the two losses, d = loss of i − loss of j, between −1 and 1:
//!
//! ```text
//! wealth(λ) = Π (1 + λ dₜ)        wealth = the mean of wealth(λ) over λ = 3/4, 1/2, 1/4, ..., 1/1024
//! i is eliminated by j            if wealth(i, j) ≥ K (K − 1) / α
//! ```
//!
//! # What is guaranteed
//!
//! Let mₜ be the expected difference of example t given all that came before it. Nothing else is assumed of the stream: it may drift,
//! the contenders may learn, and they may be looked at after every example. Since 1 + λ m ≤ exp(λ m),
//! Π (1 + λ dₜ) · exp(−λ Σ mₜ) is a nonnegative supermartingale that begins with 1, and so is the mean of them over λ if Σ mₜ ≤ 0. By Ville's inequality and a union
//! bound over the K (K − 1) ordered pairs, with probability 1 − α **no contender is ever eliminated by another at a time when its expected loss so far, summed over the examples so
//! far, is no larger than that of the other**. That is the hypothesis that is tested on a stream that changes: who *was* worse on the whole so far, not who will be.
//!
//! This is the capital process of Waudby-Smith and Ramdas, Estimating means of bounded random variables by betting (JRSS B, 2024), with bets that do not depend on the
//! data: with bets that do, only the stronger hypothesis that all mₜ ≤ 0 could be rejected.
//!
//! # What is stored
//!
//! Three sums for each pair: of gains, of losses, of squares. The logarithm of 1 + λ d is at least d log(1 + λ) for d in [0, 1], at least −d log(1 − λ) for d in
//! [−1, 0], and at least λ d + d² (λ + log(1 − λ)) everywhere (Fan, Grama, Liu 2015). The larger of the two sums of these bounds stands for the wealth, which can only make it
//! smaller. The first is exact for losses that are 0 or 1 (it is a sequential version of McNemar's test); the second is better if differences are small.

use serde::{Deserialize, Serialize};

/// The shares that are staked.
const STAKES: [f64; 11] = [
    0.75,
    0.5,
    0.25,
    0.125,
    0.0625,
    0.031_25,
    0.015_625,
    0.007_812_5,
    0.003_906_25,
    0.001_953_125,
    0.000_976_562_5,
];

/// A race of contenders. What it has seen is all that it stores: written, read and gone on with, it is the same race.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Race {
    alpha: f64,
    examples: u64,
    /// The sum of losses of each contender, for as long as it was alive.
    totals: Vec<f64>,
    /// Of contenders (0, 1), (0, 2), (1, 2), (0, 3) and so on.
    pairs: Vec<Pair>,
    eliminated: Vec<Elimination>,
}

/// Differences of the losses of two contenders.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
struct Pair {
    /// By how much the first lost more, summed over the examples on which it did.
    more: f64,
    /// By how much the second lost more.
    less: f64,
    squares: f64,
}

/// A contender that is out of the race.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Elimination {
    /// Who.
    pub contender: usize,
    /// Who has lost less. It may have been eliminated since, by one that has lost still less.
    pub by: usize,
    /// After how many examples.
    pub at_examples: u64,
    /// The natural logarithm of the wealth that a gambler who began with 1 made by betting that the contender is worse.
    pub evidence: f64,
}

/// The number of the pair of contenders, the first number being the smaller.
fn pair_of(first: usize, second: usize) -> usize {
    second * (second - 1) / 2 + first
}

impl Pair {
    fn observe(&mut self, first: &[f64], second: &[f64]) {
        // One after the other: sums of floating-point numbers must not depend on where blocks end.
        for (first, second) in first.iter().zip(second) {
            let difference = bounded(*first) - bounded(*second);
            self.more += difference.max(0.0);
            self.less += (-difference).max(0.0);
            self.squares += difference * difference;
        }
    }

    /// The same pair with the second contender first.
    fn swapped(self) -> Self {
        Self { more: self.less, less: self.more, ..self }
    }

    /// The logarithm of the wealth of the gambler who bets that the first contender is worse.
    fn log_wealth(self) -> f64 {
        let logs = STAKES.map(|stake| {
            let (up, down) = (stake.ln_1p(), (-stake).ln_1p());
            let chords = self.more * up + self.less * down;
            let parabola = stake * (self.more - self.less) + (stake + down) * self.squares;
            chords.max(parabola)
        });
        let largest = logs.into_iter().fold(f64::NEG_INFINITY, f64::max);
        let sum: f64 = logs.iter().map(|log| (log - largest).exp()).sum();
        largest + (sum / STAKES.len() as f64).ln()
    }
}

/// A loss as it is compared: between 0 and 1. What is no number is the worst.
fn bounded(loss: f64) -> f64 {
    if loss <= 1.0 { loss.max(0.0) } else { 1.0 }
}

impl Race {
    /// A race of so many contenders, in which the probability of a false elimination is at most `alpha`.
    pub fn new(contenders: usize, alpha: f64) -> Self {
        let pairs = vec![Pair::default(); contenders * contenders.saturating_sub(1) / 2];
        Self { alpha, examples: 0, totals: vec![0.0; contenders], pairs, eliminated: Vec::new() }
    }

    /// Takes the losses of every contender on the next examples, in the same order, and looks who is worse: [`Self::add`] and [`Self::look`].
    ///
    /// # Panics
    ///
    /// As [`Self::add`] does.
    pub fn observe<L: AsRef<[f64]>>(&mut self, losses: &[L]) {
        self.add(losses);
        self.look();
    }

    /// Takes the losses of every contender on the next examples, in the same order. Losses are between 0 and 1; larger ones count as 1, so divide
    /// costs by the largest. Those of eliminated contenders are not looked at and may be missing (empty). Where one call ends and the next begins makes no
    /// difference.
    ///
    /// # Panics
    ///
    /// If there is not one list for each contender, or contenders that are alive have not as many losses.
    pub fn add<L: AsRef<[f64]>>(&mut self, losses: &[L]) {
        assert_eq!(losses.len(), self.contenders(), "a list of losses for each contender");
        let alive = self.alive();
        let losses_of = |contender: usize| losses[contender].as_ref();
        let Some(examples) = alive.first().map(|first| losses_of(*first).len()) else { return };
        for (place, &second) in alive.iter().enumerate() {
            assert_eq!(losses_of(second).len(), examples, "as many losses for each contender");
            for loss in losses_of(second) {
                self.totals[second] += bounded(*loss);
            }
            for &first in &alive[..place] {
                self.pairs[pair_of(first, second)].observe(losses_of(first), losses_of(second));
            }
        }
        self.examples += examples as u64;
    }

    /// Eliminates those that are worse than another, as far as there is evidence for it.
    pub fn look(&mut self) {
        let (alive, evidence_needed) = (self.alive(), (self.bets() / self.alpha).ln());
        for &contender in &alive {
            let others = alive.iter().filter(|other| **other != contender);
            let strongest = others
                .map(|&other| (other, self.evidence(contender, other)))
                .reduce(|best, next| if next.1 > best.1 { next } else { best });
            if let Some((by, evidence)) = strongest.filter(|(_, evidence)| *evidence >= evidence_needed) {
                self.eliminated.push(Elimination { contender, by, at_examples: self.examples, evidence });
            }
        }
    }

    /// How many ordered pairs there are.
    fn bets(&self) -> f64 {
        (self.contenders() * self.contenders().saturating_sub(1)) as f64
    }

    /// The natural logarithm of the wealth that a gambler who began with 1 has made so far by betting that `worse` is worse than `better`. Their pair is not followed
    /// any more when one of them is eliminated.
    pub fn evidence(&self, worse: usize, better: usize) -> f64 {
        if worse < better {
            self.pairs[pair_of(worse, better)].log_wealth()
        } else {
            self.pairs[pair_of(better, worse)].swapped().log_wealth()
        }
    }

    /// How many contenders there were at the start.
    pub fn contenders(&self) -> usize {
        self.totals.len()
    }

    /// The examples so far.
    pub fn examples(&self) -> u64 {
        self.examples
    }

    /// Those that are not eliminated, increasing. At least one is left, that with the smallest sum of losses: who is eliminated by another has lost more than that one.
    pub fn alive(&self) -> Vec<usize> {
        let is_alive = |contender: &usize| self.eliminated.iter().all(|out| out.contender != *contender);
        (0..self.contenders()).filter(is_alive).collect()
    }

    /// Those that are eliminated, in the order in which it happened.
    pub fn eliminated(&self) -> &[Elimination] {
        &self.eliminated
    }

    /// The sum of losses of a contender, while it was alive.
    pub fn total_loss(&self, contender: usize) -> f64 {
        self.totals[contender]
    }

    /// Who of those that are alive has lost least; of equals the first. Nothing if there are no contenders.
    pub fn leader(&self) -> Option<usize> {
        let better =
            |best: usize, next: usize| if self.totals[next] < self.totals[best] { next } else { best };
        self.alive().into_iter().reduce(better)
    }

    /// Who is to be followed as long as it is not decided: the first contender, unless it is eliminated, or another has lost less and there is this much
    /// evidence (see [`Self::evidence`]) that it is better. With no evidence asked for it is simply the [`Self::leader`].
    pub fn favourite(&self, evidence: f64) -> Option<usize> {
        let leader = self.leader()?;
        let first_is_out = self.eliminated.iter().any(|out| out.contender == 0);
        let leads = leader == 0 || first_is_out || self.evidence(0, leader) >= evidence;
        Some(if leads { leader } else { 0 })
    }

    /// Can it be a race of so many contenders? One that was read from somewhere may be anything.
    pub fn is_sound(&self, contenders: usize) -> bool {
        let is_amount = |number: f64| number >= 0.0 && number.is_finite();
        let Self { alpha, examples: _, totals, pairs, eliminated } = self;
        (0.0..=1.0).contains(alpha)
            && totals.len() == contenders
            && pairs.len() == contenders * contenders.saturating_sub(1) / 2
            && totals.iter().all(|total| is_amount(*total))
            && pairs.iter().flat_map(|pair| [pair.more, pair.less, pair.squares]).all(is_amount)
            && eliminated.iter().all(|out| out.contender < contenders && out.by < contenders)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::scramble;

    /// Uniform numbers.
    struct Uniform(u64);

    impl Uniform {
        fn next(&mut self) -> f64 {
            self.0 += 1;
            (scramble(self.0) >> 11) as f64 / (1u64 << 53) as f64
        }
    }

    /// A stream for contenders, whose losses on example `t` are `loss(contender, t, noise of the contender, noise of the example)`.
    fn run(
        seed: u64,
        contenders: usize,
        blocks: usize,
        block: usize,
        loss: impl Fn(usize, usize, f64, f64) -> f64,
    ) -> Race {
        let (mut race, mut uniform) = (Race::new(contenders, 0.1), Uniform(seed << 32));
        for b in 0..blocks {
            let mut losses = vec![Vec::new(); contenders];
            for t in b * block..(b + 1) * block {
                let shared = uniform.next();
                for (contender, losses) in losses.iter_mut().enumerate() {
                    losses.push(loss(contender, t, uniform.next(), shared));
                }
            }
            race.observe(&losses);
        }
        race
    }

    /// The share of 400 streams in which somebody is eliminated.
    fn share_eliminated(
        contenders: usize,
        blocks: usize,
        block: usize,
        loss: impl Fn(usize, usize, f64, f64) -> f64,
    ) -> f64 {
        let streams = 400;
        let any = |seed| !run(seed, contenders, blocks, block, &loss).eliminated().is_empty();
        (0..streams).filter(|seed| any(*seed)).count() as f64 / streams as f64
    }

    fn error(happens: bool) -> f64 {
        f64::from(u8::from(happens))
    }

    #[test]
    fn equals_are_seldom_eliminated_however_often_one_looks() {
        // Errors of 30 %, and looks after every example.
        assert!(share_eliminated(2, 2_000, 1, |_, _, own, _| error(own < 0.3)) <= 0.1);
        assert!(share_eliminated(6, 100, 10, |_, _, own, _| error(own < 0.3)) <= 0.1);
        // Losses between 0 and 1, most of them shared.
        assert!(share_eliminated(3, 200, 10, |_, _, own, shared| 0.8 * shared + 0.2 * own) <= 0.1);
    }

    /// The gamblers' wealth is what it should be: the chance to be ruined is not all that there is to lose.
    #[test]
    fn the_level_is_nearly_reached_by_one_who_looks_long_enough() {
        let share = share_eliminated(2, 2_000, 1, |_, _, own, _| error(own < 0.5));
        assert!((0.005..=0.1).contains(&share), "{share}");
    }

    #[test]
    fn who_was_worse_at_first_but_not_on_the_whole_is_eliminated_only_while_it_was_worse() {
        // The first errs less often at the beginning and more often later, and from then on has erred more often on the whole.
        let crossing = |contender: usize, t: usize, own: f64, _: f64| {
            let rate = if t < 200 { [0.20, 0.24] } else { [0.22, 0.20] };
            error(own < rate[contender])
        };
        let falsely = (0..400).filter(|seed| {
            let race = run(*seed, 2, 150, 10, crossing);
            // Up to example 600 the sum of expected losses of the first is smaller, afterwards that of the second.
            race.eliminated()
                .iter()
                .any(|out| if out.at_examples <= 600 { out.contender == 0 } else { out.contender == 1 })
        });
        assert!(falsely.count() <= 40);
    }

    #[test]
    fn the_worse_are_found_soon() {
        // 10, 12, 20 and 40 errors in 100, of which most are on the same examples.
        let rates = [0.10, 0.12, 0.20, 0.40];
        let races: Vec<Race> = (0..50)
            .map(|seed| {
                run(seed, 4, 200, 50, |contender, _, own, shared| {
                    error(if own < 0.3 { own / 0.3 < rates[contender] } else { shared < rates[contender] })
                })
            })
            .collect();
        let median = |contender| {
            let when = |race: &Race| {
                let out = race.eliminated().iter().find(|out| out.contender == contender);
                out.map_or(u64::MAX, |out| out.at_examples)
            };
            let mut all: Vec<u64> = races.iter().map(when).collect();
            all.sort_unstable();
            all[25]
        };
        assert!(median(3) <= 100 && median(2) <= 300, "{} {}", median(3), median(2));
        assert!(median(1) <= 8_000, "{}", median(1));
        let survived = races.iter().filter(|race| race.leader() == Some(0) && race.alive().contains(&0));
        assert!(survived.count() >= 49);
    }

    /// Small differences of losses that are not 0 or 1 need the sum of squares.
    #[test]
    fn small_steady_differences_are_found() {
        let race = run(1, 2, 20, 50, |contender, _, own, shared| {
            0.9 * shared + 0.02 * own + 0.02 * contender as f64
        });
        let out = &race.eliminated()[0];
        assert_eq!((out.contender, out.by), (1, 0));
        assert!(out.at_examples <= 500 && out.evidence >= (2.0f64 / 0.1).ln(), "{out:?}");
    }

    #[test]
    fn wealth_of_errors_is_the_product_of_the_bets() {
        let (first, second) = ([1.0, 0.0, 1.0, 1.0, 0.0, 1.0], [0.0, 1.0, 0.0, 0.0, 0.0, 1.0]);
        let mut race = Race::new(2, 0.05);
        race.observe(&[first, second]);
        let bets = |sign: f64| {
            let wealth = STAKES.map(|stake| {
                first.iter().zip(&second).map(|(a, b)| 1.0 + sign * stake * (a - b)).product::<f64>()
            });
            (wealth.iter().sum::<f64>() / STAKES.len() as f64).ln()
        };
        assert!((race.evidence(0, 1) - bets(1.0)).abs() < 1e-12);
        assert!((race.evidence(1, 0) - bets(-1.0)).abs() < 1e-12);
    }

    #[test]
    fn the_bounds_are_below_the_logarithm() {
        for stake in STAKES {
            for d in (-100..=100).map(|d| f64::from(d) / 100.0) {
                let log = (stake * d).ln_1p() + 1e-12;
                assert!(stake * d + (stake + (-stake).ln_1p()) * d * d <= log, "{stake} {d}");
                assert!(d.max(0.0) * stake.ln_1p() + (-d).max(0.0) * (-stake).ln_1p() <= log, "{stake} {d}");
            }
        }
    }

    #[test]
    fn blocks_change_nothing_but_when_one_looks_and_a_stored_race_goes_on() {
        let mut uniform = Uniform(3);
        let losses: Vec<Vec<f64>> = [0.2, 0.25, 0.5]
            .iter()
            .map(|rate| (0..600).map(|_| error(uniform.next() < *rate) * uniform.next()).collect())
            .collect();
        let part =
            |range: std::ops::Range<usize>| losses.iter().map(|l| &l[range.clone()]).collect::<Vec<_>>();
        let mut whole = Race::new(3, 0.05);
        whole.observe(&part(0..600));
        let mut cut = Race::new(3, 1e-300);
        cut.observe(&part(0..7));
        cut = serde_json::from_value(serde_json::to_value(&cut).unwrap()).unwrap();
        cut.observe(&part(7..300));
        cut = serde_json::from_str(&serde_json::to_string(&cut).unwrap()).unwrap();
        cut.observe(&part(300..599));
        cut.alpha = 0.05;
        cut.observe(&part(599..600));
        assert_eq!(cut, whole);
        assert_eq!(whole.alive().len(), 2);
    }

    #[test]
    fn the_eliminated_are_not_looked_at_and_one_always_remains() {
        let mut race = Race::new(3, 0.05);
        race.observe(&[vec![1.0; 100], vec![0.0; 100], vec![f64::NAN; 100]]);
        assert_eq!((race.alive(), race.leader()), (vec![1], Some(1)));
        assert_eq!(
            race.eliminated().iter().map(|out| (out.contender, out.by)).collect::<Vec<_>>(),
            [(0, 1), (2, 1)]
        );
        race.observe(&[vec![], vec![1.0; 10], vec![]]);
        assert_eq!((race.examples(), race.total_loss(1), race.total_loss(2)), (110, 10.0, 100.0));
        assert_eq!(Race::new(0, 0.05).leader(), None);
        let mut alone = Race::new(1, 0.05);
        alone.observe(&[[1.0, 1.0]]);
        assert_eq!(alone.alive(), [0]);
    }
}
