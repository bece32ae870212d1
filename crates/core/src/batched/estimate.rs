//! What a solver has estimated after a batch.

use serde::{Deserialize, Serialize};

use crate::learner::Chosen;
use crate::slots::Slots;

use super::square::Square;

/// Weights and their covariance.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Estimate {
    /// Features with a weight or a covariance, increasing.
    pub features: Vec<u32>,
    /// Their weights.
    pub weights: Vec<f64>,
    /// The covariance. Features in no block have variance 1, and those of different blocks are independent.
    pub blocks: Vec<Block>,
    /// The features that the last batch chose, in the order of choice; empty for solvers that do not choose.
    pub chosen: Vec<Chosen>,
}

/// The covariance of a few features.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Block {
    /// The features, increasing.
    pub features: Vec<u32>,
    /// Their covariance.
    pub sigma: Square,
}

impl Block {
    fn is_sound(&self) -> bool {
        self.features.len() == self.sigma.size()
            && self.features.is_sorted_by(|a, b| a < b)
            && self.sigma.is_finite()
    }
}

impl Estimate {
    /// Weights by column, and nothing more.
    pub fn of_weights(features: &[u32], weights: &[f64]) -> Self {
        let kept = features.iter().zip(weights).filter(|(_, weight)| **weight != 0.0);
        let (features, weights) = kept.unzip();
        Self { features, weights, ..Self::default() }
    }

    /// Is it something that one can go on with?
    pub(super) fn is_sound(&self) -> bool {
        self.features.len() == self.weights.len()
            && self.features.is_sorted_by(|a, b| a < b)
            && self.weights.iter().all(|weight| weight.is_finite())
            && self.chosen.iter().all(|chosen| chosen.score.is_finite())
            && self.blocks.iter().all(Block::is_sound)
    }

    /// The variance of a feature.
    pub fn variance(&self, feature: u32) -> f64 {
        let home = self.blocks.iter().find_map(|block| {
            let at = block.features.binary_search(&feature).ok()?;
            Some(block.sigma.at(at, at))
        });
        home.unwrap_or(1.0)
    }

    /// Where each feature stands.
    pub(super) fn slots(&self) -> Slots {
        let mut slots = Slots::new();
        self.features.iter().for_each(|&feature| {
            slots.get_or_add(feature);
        });
        slots
    }

    /// Bytes of memory.
    pub(super) fn memory(&self) -> usize {
        let blocks = self.blocks.iter().map(|block| block.sigma.size().pow(2) * size_of::<f64>());
        self.features.len() * (size_of::<u32>() + size_of::<f64>()) + blocks.sum::<usize>()
    }
}
