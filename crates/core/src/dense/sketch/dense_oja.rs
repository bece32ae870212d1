//! Oja's sketch as the paper prints it (Zhao et al. 2019, Algorithms 2 and 3): O(m² d) per round.
//!
//! ```text
//! Λ ← (1 − 1/t) Λ + (1/t) diag(V x̂)²
//! V ← orthonormalised (V + (1/t) V x̂ x̂')         rows in order
//! S = √(tΛ) V        H = diag 1/(1 + tΛ)
//! μ ← μ − η (g − S'H S g)                         on a loss
//! ```

use super::learner::{Form, Knobs, Round, TOO_FAR};
use super::small::{dot, gain, identity};

/// The sketch row by row.
#[derive(Clone, Debug)]
pub(crate) struct DenseOja {
    m: usize,
    /// Rounds, and those in which the directions turned.
    rounds: f64,
    turns: f64,
    lambda: Vec<f64>,
    /// The first m weights and columns belong to no feature that has come: they are the start.
    mu: Vec<f64>,
    v: Vec<Vec<f64>>,
}

impl DenseOja {
    /// Turns the directions towards x̂ = x / root.
    fn turn(&mut self, x: &[(usize, f64)], root: f64) {
        self.turns += 1.0;
        let rate = 1.0 / self.turns;
        for (row, lambda) in self.v.iter_mut().zip(&mut self.lambda) {
            let along = x.iter().fold(0.0, |sum, &(slot, x)| sum + row[self.m + slot] * x) / root;
            *lambda = (1.0 - rate) * *lambda + rate * along * along;
            x.iter().for_each(|&(slot, x)| row[self.m + slot] += rate * along * x / root);
        }
        for i in 0..self.m {
            let (done, rest) = self.v.split_at_mut(i);
            let row = &mut rest[0];
            // Twice: the result is orthonormal to rounding.
            for other in done.iter().chain(done.iter()) {
                let overlap = dot(other, row);
                row.iter_mut().zip(other).for_each(|(entry, other)| *entry -= overlap * other);
            }
            let length = dot(row, row).sqrt();
            if length > 0.0 {
                row.iter_mut().for_each(|entry| *entry /= length);
            }
        }
    }

    /// Does nothing move too far? Directions that are orthonormal again are no longer than 1, and so nothing else can.
    fn keeps_within_bounds(&self, x: &[(usize, f64)], round: &Round) -> bool {
        let reach = round.reach();
        let rate = 1.0 / (self.turns + 1.0);
        let turns = |row: &Vec<f64>| {
            let along = x.iter().fold(0.0, |sum, &(slot, x)| sum + row[self.m + slot] * x) / round.root;
            along * along <= TOO_FAR && (rate * along).abs() * (reach / round.root) <= TOO_FAR
        };
        round.along.is_none_or(|along| along.abs() * reach <= TOO_FAR)
            && (!round.turn || self.v.iter().all(turns))
    }

    /// Moves the weights by −η (I − S'HS) g with g = −along · x.
    fn step(&mut self, x: &[(usize, f64)], along: f64) {
        x.iter().for_each(|&(slot, x)| self.mu[self.m + slot] += along * x);
        for (row, lambda) in self.v.iter().zip(&self.lambda) {
            let pull = gain(self.rounds * lambda)
                * x.iter().fold(0.0, |sum, &(slot, x)| sum + row[self.m + slot] * along * x);
            self.mu.iter_mut().zip(row).for_each(|(mu, v)| *mu -= pull * v);
        }
    }
}

impl Form for DenseOja {
    type Sums = ();

    fn new(knobs: &Knobs) -> Self {
        let m = knobs.directions();
        let v = identity(m).chunks_exact(m).map(<[f64]>::to_vec).collect();
        Self { m, rounds: 0.0, turns: 0.0, lambda: vec![0.0; m], mu: vec![0.0; m], v }
    }

    fn add(&mut self, knobs: &Knobs, slot: usize, feature: u32) {
        if let Some(direction) = knobs.inherits(feature) {
            let mu = std::mem::take(&mut self.mu[direction]);
            self.mu.push(mu);
            self.v.iter_mut().for_each(|row| {
                let entry = std::mem::take(&mut row[direction]);
                row.push(entry);
            });
        } else {
            self.mu.push(0.0);
            let mut share = vec![0.0; self.m];
            knobs.share(feature, slot, &mut share);
            self.v.iter_mut().zip(share).for_each(|(row, share)| row.push(share));
        }
    }

    /// A round that fails has changed nothing yet.
    fn mark(&mut self) {}

    fn undo(&mut self, knobs: &Knobs, added: &[u32]) {
        let first = self.mu.len() - added.len();
        for (at, feature) in (first..).zip(added) {
            if let Some(direction) = knobs.inherits(*feature) {
                self.mu[direction] = self.mu[at];
                self.v.iter_mut().for_each(|row| row[direction] = row[at]);
            }
        }
        self.mu.truncate(first);
        self.v.iter_mut().for_each(|row| row.truncate(first));
    }

    fn weight(&self, slot: usize) -> f64 {
        self.mu[self.m + slot]
    }

    fn score(&self, x: &[(usize, f64)], (): &mut ()) -> f64 {
        x.iter().fold(0.0, |sum, &(slot, x)| sum + self.weight(slot) * x)
    }

    fn known_part(&self, x: &[(usize, f64)], (): &()) -> f64 {
        let parts = self.v.iter().zip(&self.lambda).map(|(row, lambda)| {
            let along = x.iter().fold(0.0, |sum, &(slot, x)| sum + row[self.m + slot] * x);
            gain(self.rounds * lambda) * along * along
        });
        parts.sum()
    }

    fn learn(&mut self, x: &[(usize, f64)], round: &Round, (): &mut ()) -> bool {
        if !self.keeps_within_bounds(x, round) {
            return false;
        }
        self.rounds += 1.0;
        if round.turn {
            self.turn(x, round.root);
        }
        if let Some(along) = round.along {
            self.step(x, along);
        }
        true
    }

    fn numbers(&self) -> Vec<f64> {
        let parts = [self.rounds, self.turns]
            .into_iter()
            .chain(self.lambda.iter().copied())
            .chain(self.mu.iter().copied());
        parts.chain(self.v.iter().flatten().copied()).collect()
    }

    fn restore(&mut self, features: usize, numbers: &[f64]) -> bool {
        let width = self.m + features;
        if numbers.len() != 2 + self.m + width + self.m * width {
            return false;
        }
        (self.rounds, self.turns) = (numbers[0], numbers[1]);
        let (lambda, rest) = numbers[2..].split_at(self.m);
        let (mu, v) = rest.split_at(width);
        self.lambda = lambda.to_vec();
        self.mu = mu.to_vec();
        self.v = v.chunks_exact(width).map(<[f64]>::to_vec).collect();
        true
    }
}
