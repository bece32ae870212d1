//! A diagonal preconditioner, as in the code of Oja-Newton (Luo, Agarwal, Cesa-Bianchi, Langford 2016), which Zhao et al. 2019 follow.
//!
//! ```text
//! x̃ = x / √D        D begins with 0.1, and D ← D + g² x² on a loss, before anything else learns from x̃
//! ```

use super::knobs::Precondition;

/// D of a feature never seen.
const FRESH: f64 = 0.1;

/// What the values of features are divided by, if by anything.
#[derive(Clone, Debug)]
pub(super) struct Diagonal {
    is_on: bool,
    d: Vec<f64>,
    /// For every value of the example at hand, how many times its D becomes what it was.
    growth: Vec<f64>,
}

impl Diagonal {
    pub(super) fn new(precondition: Precondition) -> Self {
        Self { is_on: precondition == Precondition::Diagonal, d: Vec::new(), growth: Vec::new() }
    }

    pub(super) fn len(&self) -> usize {
        self.d.len()
    }

    /// A value of a feature, or a weight, divided. A slot that there is none of yet is that of a new feature.
    pub(super) fn divide(&self, slot: usize, x: f64) -> f64 {
        if self.is_on { x / self.d.get(slot).copied().unwrap_or(FRESH).sqrt() } else { x }
    }

    /// The values of an example as they are with its own gradient in D, which is −slope · x. Did anything change?
    pub(super) fn take_in(&mut self, x: &mut [(usize, f64)], slope: f64) -> bool {
        self.growth.clear();
        if !self.is_on {
            return false;
        }
        for (_, x) in x {
            let growth = 1.0 + (slope * *x) * (slope * *x);
            self.growth.push(growth);
            *x /= growth.sqrt();
        }
        slope != 0.0
    }

    /// Would D still be finite with the example that was taken in?
    pub(super) fn stays_finite(&self, x: &[(usize, f64)]) -> bool {
        let before = |slot: usize| self.d.get(slot).copied().unwrap_or(FRESH);
        x.iter().zip(&self.growth).all(|((slot, _), growth)| (before(*slot) * growth).is_finite())
    }

    /// Has a D for so many features.
    pub(super) fn cover(&mut self, features: usize) {
        if self.is_on {
            self.d.resize(self.d.len().max(features), FRESH);
        }
    }

    /// D as it is with the example that was taken in, if it was learned from.
    pub(super) fn keep(&mut self, x: &[(usize, f64)]) {
        self.cover(x.iter().map(|(slot, _)| slot + 1).max().unwrap_or(0));
        x.iter().zip(&self.growth).for_each(|((slot, _), growth)| self.d[*slot] *= growth);
    }

    pub(super) fn write(&self, numbers: &mut Vec<f64>) {
        numbers.extend_from_slice(&self.d);
    }

    /// Takes the numbers of so many features back, and leaves the rest.
    pub(super) fn read<'a>(&mut self, features: usize, numbers: &'a [f64]) -> Option<&'a [f64]> {
        let (own, rest) = numbers.split_at_checked(if self.is_on { features } else { 0 })?;
        self.d = own.to_vec();
        Some(rest)
    }
}
