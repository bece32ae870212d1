//! The knobs of the sketched learners, and the directions that a sketch begins with.

use std::ops::RangeInclusive;

use super::small::identity;
use crate::params;
use crate::params::{Choice, positive_finite};
use crate::random::scramble;

params! {
    /// The knobs of the sketched learners.
    pub(crate) struct Knobs {
        /// Step size η.
        eta: f64 = 4.0, positive_finite;
        /// Regularisation γ: larger lets the metric move more slowly.
        gamma: f64 = 1.0, positive_finite;
        /// How many directions are kept, m: at most 256.
        sketch: u64 = 5, few;
        /// How fast the directions turn: Γ is rate / t^power, and not more than 1.
        rate: f64 = 1.0, positive_finite;
        /// The power of t in Γ: less than 1 forgets how the stream was long ago.
        power: f64 = 1.0, slower;
        /// Let the examples into the sketch so many at a time, and orthonormalise then only.
        every: u64 = 1, groups;
        /// The first directions: random, or identity (features 1 to m).
        start: Start = Start::Random;
        /// Random directions are orthonormal over features 1 to d, as in the paper; 0: over any features, which are not known beforehand.
        dimensions: u64 = 0, countable;
        /// Divide the values of a feature by the root of its squared gradients: none or diagonal.
        precondition: Precondition = Precondition::None;
        /// The seed of random directions.
        seed: u64 = 0;
    }
}

/// Knob check: the size of a sketch.
fn few(value: u64) -> Result<(), &'static str> {
    if (1..=256).contains(&value) { Ok(()) } else { Err("must be between 1 and 256") }
}

/// Knob check: a power of the time.
fn slower(value: f64) -> Result<(), &'static str> {
    if value > 0.0 && value <= 1.0 { Ok(()) } else { Err("must be greater than 0 and at most 1") }
}

/// Knob check: examples that are kept until they are let in.
fn groups(value: u64) -> Result<(), &'static str> {
    if (1..=4096).contains(&value) { Ok(()) } else { Err("must be between 1 and 4096") }
}

/// Knob check: columns that are there from the start.
fn countable(value: u64) -> Result<(), &'static str> {
    if value <= 10_000_000 { Ok(()) } else { Err("must be between 1 and 10000000, or 0") }
}

/// Are values divided by what their gradients have been?
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Precondition {
    /// No.
    None,
    /// By the root of 0.1 and the sum of a feature's squared gradients so far, as in the code of Oja-Newton (Luo et al. 2016).
    Diagonal,
}

impl Choice for Precondition {
    const CHOICES: &'static [(&'static str, Self)] =
        &[("none", Precondition::None), ("diagonal", Precondition::Diagonal)];
}

/// The sequence of step sizes Γ.
#[derive(Clone, Copy, Debug)]
pub(super) struct StepSizes {
    rate: f64,
    power: f64,
}

impl StepSizes {
    /// Γ of the t-th example.
    pub(super) fn at(self, t: f64) -> f64 {
        // The usual power is exact, and needs no logarithm.
        let time = if self.power == 1.0 { t } else { t.powf(self.power) };
        (self.rate / time).min(1.0)
    }
}

/// The directions with which a sketch begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Start {
    /// m directions outside of all features, so that they are orthonormal from the first moment on, to which every new
    /// feature adds a random part of its own.
    Random,
    /// The features 1 to m.
    Identity,
}

impl Choice for Start {
    const CHOICES: &'static [(&'static str, Self)] =
        &[("random", Start::Random), ("identity", Start::Identity)];
}

impl Knobs {
    pub(super) fn directions(&self) -> usize {
        self.sketch as usize
    }

    pub(super) fn step_sizes(&self) -> StepSizes {
        StepSizes { rate: self.rate, power: self.power }
    }

    /// The columns that the directions begin with, before any feature has come: m of them, or as many as there are features.
    pub(super) fn first_columns(&self) -> Vec<f64> {
        let m = self.directions();
        if self.start == Start::Identity || self.dimensions == 0 {
            return identity(m);
        }
        let features = (self.dimensions as u32).max(m as u32);
        let mut columns = vec![0.0; features as usize * m];
        (1..=features)
            .zip(columns.chunks_exact_mut(m))
            .for_each(|(feature, column)| self.draw(feature, column));
        orthonormalise_rows(&mut columns, m);
        columns
    }

    /// The features that are there from the start.
    pub(super) fn first_features(&self) -> RangeInclusive<u32> {
        1..=if self.start == Start::Random { self.dimensions as u32 } else { 0 }
    }

    /// Which of the first columns belongs to the feature.
    pub(super) fn inherits(&self, feature: u32) -> Option<usize> {
        let columns = match self.start {
            Start::Random if self.dimensions == 0 => 0,
            Start::Random => self.dimensions.max(self.sketch),
            Start::Identity => self.sketch,
        };
        (feature as usize).checked_sub(1).filter(|column| *column < columns as usize)
    }

    /// What a feature that comes after `known` others adds to each direction; false if the first columns are all that there is.
    pub(super) fn share(&self, feature: u32, known: usize, share: &mut [f64]) -> bool {
        if self.start == Start::Identity || self.dimensions > 0 {
            return false;
        }
        self.draw(feature, share);
        // As long as one of the features before it, so that early features have no lasting advantage.
        let scale = 1.0 / ((known + 1) as f64).sqrt();
        share.iter_mut().for_each(|share| *share *= scale);
        true
    }

    /// Random numbers of a feature, one for each direction.
    fn draw(&self, feature: u32, column: &mut [f64]) {
        let word = [self.seed, u64::from(feature)].iter().fold(0, |hash, word| scramble(hash ^ word));
        column.iter_mut().zip(0..).for_each(|(entry, direction)| *entry = normal(word ^ direction));
    }
}

/// Gram-Schmidt on the rows of a matrix that is stored by columns of m entries.
fn orthonormalise_rows(columns: &mut [f64], m: usize) {
    for i in 0..m {
        // Twice: the result is orthonormal to rounding.
        for j in (0..i).chain(0..i) {
            let overlap = columns.chunks_exact(m).fold(0.0, |sum, column| sum + column[i] * column[j]);
            columns.chunks_exact_mut(m).for_each(|column| column[i] -= overlap * column[j]);
        }
        let length = columns.chunks_exact(m).fold(0.0, |sum, column| sum + column[i] * column[i]).sqrt();
        if length > 0.0 {
            columns.chunks_exact_mut(m).for_each(|column| column[i] /= length);
        }
    }
}

/// A number that looks drawn from a normal distribution (a sum of four uniform ones of 16 bits), the same for the same word
/// on every machine and for ever: a resumed model must meet a new feature as it would have met it without the stop.
fn normal(word: u64) -> f64 {
    let hash = scramble(word);
    let sum = (0..4).map(|quarter| (hash >> (16 * quarter) & 0xffff) as f64 + 0.5).sum::<f64>() / 65_536.0;
    // Each uniform number has mean 1/2 and variance 1/12.
    (sum - 2.0) * 3.0f64.sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_look_normal_and_never_change() {
        let knobs = Knobs::default();
        let mut all = vec![0.0; 5 * 2_000];
        for (feature, share) in (0..).zip(all.chunks_exact_mut(5)) {
            assert!(knobs.share(feature, 0, share));
        }
        let mean = all.iter().sum::<f64>() / all.len() as f64;
        let variance = all.iter().map(|x| (x - mean) * (x - mean)).sum::<f64>() / all.len() as f64;
        assert!(mean.abs() < 0.05 && (variance - 1.0).abs() < 0.05, "{mean} {variance}");
        // A pinned value: another one would make resumed models differ from those that never stopped.
        assert_eq!(normal(7), PINNED);
    }

    #[test]
    fn the_first_columns_are_orthonormal_directions_over_all_features() {
        let knobs = Knobs { dimensions: 40, sketch: 3, ..Knobs::default() };
        let columns = knobs.first_columns();
        assert_eq!(columns.len(), 120);
        for (i, j) in (0..3).flat_map(|i| (0..3).map(move |j| (i, j))) {
            let product: f64 = columns.chunks_exact(3).map(|column| column[i] * column[j]).sum();
            assert!((product - f64::from(u8::from(i == j))).abs() < 1e-14, "{i} {j}: {product}");
        }
        assert_eq!([0, 1, 40, 41].map(|feature| knobs.inherits(feature)), [None, Some(0), Some(39), None]);
        assert!(!knobs.share(50, 0, &mut [0.0; 3]));
    }

    #[test]
    fn step_sizes_fall_as_they_are_told_to() {
        let knobs = |rate, power| Knobs { rate, power, ..Knobs::default() }.step_sizes();
        assert_eq!([1.0, 2.0, 4.0].map(|t| knobs(1.0, 1.0).at(t)), [1.0, 0.5, 0.25]);
        assert_eq!([1.0, 2.0, 4.0].map(|t| knobs(2.0, 1.0).at(t)), [1.0, 1.0, 0.5]);
        assert_eq!([1.0, 4.0, 16.0].map(|t| knobs(1.0, 0.5).at(t)), [1.0, 0.5, 0.25]);
    }

    const PINNED: f64 = -0.563_413_377_620_747_7;
}
