//! Oja's sketch as the paper prints it (Zhao et al. 2019, Algorithms 2 and 3): O(m² d) per round.
//!
//! ```text
//! Λ ← (1 − Γ) Λ + Γ diag(V x̂)²                    Γ = 1/t
//! V ← orthonormalised (V + Γ V x̂ x̂')              rows in order
//! S = √(tΛ) V        H = diag 1/(1 + tΛ)
//! μ ← μ − η (g − S'H S g)                         on a loss
//! ```

use super::knobs::{Knobs, StepSizes};
use super::learner::{Form, Round, TOO_FAR};
use super::small::{dot, gain};

/// The sketch row by row.
#[derive(Clone, Debug)]
pub(crate) struct DenseOja {
    m: usize,
    step_sizes: StepSizes,
    /// t: the examples that were let in.
    turns: f64,
    lambda: Vec<f64>,
    /// So many of the first weights and columns belong to no feature that has come: they are the start.
    outside: usize,
    mu: Vec<f64>,
    v: Vec<Vec<f64>>,
}

impl DenseOja {
    /// The part of x along a direction.
    fn along(&self, row: &[f64], x: &[(usize, f64)]) -> f64 {
        x.iter().fold(0.0, |sum, &(slot, x)| sum + row[self.outside + slot] * x)
    }

    /// Turns the directions towards x̂ = x / root.
    fn turn(&mut self, x: &[(usize, f64)], root: f64) {
        self.turns += 1.0;
        let (rate, outside) = (self.step_sizes.at(self.turns), self.outside);
        for i in 0..self.m {
            let along = self.along(&self.v[i], x) / root;
            self.lambda[i] = (1.0 - rate) * self.lambda[i] + rate * along * along;
            x.iter().for_each(|&(slot, x)| self.v[i][outside + slot] += rate * along * x / root);
        }
    }

    /// Can the directions turn towards x without going too far? Those that are orthonormal again are no longer than 1, and so nothing else can.
    fn may_turn(&self, x: &[(usize, f64)], root: f64, reach: f64) -> bool {
        let rate = self.step_sizes.at(self.turns + 1.0);
        self.v.iter().all(|row| {
            let along = self.along(row, x) / root;
            along * along <= TOO_FAR && (rate * along).abs() * (reach / root) <= TOO_FAR
        })
    }

    /// Gram-Schmidt on the rows in their order.
    fn orthonormalise(&mut self) {
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

    /// Moves the weights by −η (I − S'HS) g with g = −along · x.
    fn step(&mut self, x: &[(usize, f64)], along: f64) {
        x.iter().for_each(|&(slot, x)| self.mu[self.outside + slot] += along * x);
        for (row, lambda) in self.v.iter().zip(&self.lambda) {
            let pull = gain(self.turns * lambda) * along * self.along(row, x);
            self.mu.iter_mut().zip(row).for_each(|(mu, v)| *mu -= pull * v);
        }
    }
}

impl Form for DenseOja {
    type Sums = ();

    fn new(knobs: &Knobs) -> Self {
        let (m, columns) = (knobs.directions(), knobs.first_columns());
        let row = |i: usize| columns.chunks_exact(m).map(|column| column[i]).collect();
        let (v, outside) = ((0..m).map(row).collect(), columns.len() / m);
        let (lambda, mu) = (vec![0.0; m], vec![0.0; outside]);
        Self { m, step_sizes: knobs.step_sizes(), turns: 0.0, lambda, outside, mu, v }
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
        self.mu[self.outside + slot]
    }

    fn score(&self, x: &[(usize, f64)], (): &mut ()) -> f64 {
        x.iter().fold(0.0, |sum, &(slot, x)| sum + self.weight(slot) * x)
    }

    fn known_part(&self, x: &[(usize, f64)], (): &()) -> f64 {
        let parts = self.v.iter().zip(&self.lambda).map(|(row, lambda)| {
            let along = self.along(row, x);
            gain(self.turns * lambda) * along * along
        });
        parts.sum()
    }

    fn let_in(&mut self, x: &[(usize, f64)], root: f64) {
        let reach = x.iter().fold(0.0, |most: f64, (_, x)| most.max(x.abs()));
        if self.may_turn(x, root, reach) {
            self.turn(x, root);
        }
    }

    fn turns(&self) -> u64 {
        self.turns as u64
    }

    fn learn(&mut self, x: &[(usize, f64)], round: &Round, (): &mut ()) -> bool {
        let Round { root, turn, along, .. } = *round;
        let reach = round.reach();
        if along.is_some_and(|along| along.abs() * reach > TOO_FAR)
            || (turn && !self.may_turn(x, root, reach))
        {
            return false;
        }
        if turn {
            self.turn(x, root);
            self.orthonormalise();
        }
        if let Some(along) = along {
            self.step(x, along);
        }
        true
    }

    fn numbers(&self) -> Vec<f64> {
        // Twice: it was once two numbers.
        let parts = [self.turns, self.turns]
            .into_iter()
            .chain(self.lambda.iter().copied())
            .chain(self.mu.iter().copied());
        parts.chain(self.v.iter().flatten().copied()).collect()
    }

    fn restore(&mut self, features: usize, numbers: &[f64]) -> Option<usize> {
        let width = self.outside + features;
        let length = 2 + self.m + width + self.m * width;
        let numbers = numbers.get(..length)?;
        self.turns = numbers[1];
        let (lambda, rest) = numbers[2..].split_at(self.m);
        let (mu, v) = rest.split_at(width);
        self.lambda = lambda.to_vec();
        self.mu = mu.to_vec();
        self.v = v.chunks_exact(width).map(<[f64]>::to_vec).collect();
        Some(length)
    }
}
