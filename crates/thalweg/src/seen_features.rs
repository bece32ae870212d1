//! Which features the data has: sparsity is the share of zeros among all of them, whether a learner remembers them or not.

use thalweg_core::keyed_hash::KeyedSet;
use thalweg_core::{BIAS, Batch};
use thalweg_data::FeatureNames;

/// Features with numbers below this have a place in an array. It takes 16 MiB at most.
const NEAR: usize = 1 << 24;

/// The features of all examples so far.
#[derive(Default)]
pub(crate) struct SeenFeatures {
    /// Is there a feature of this number? As long as a power of two, or empty.
    near: Vec<bool>,
    /// Those with high numbers.
    far: KeyedSet<u32>,
    bias: bool,
}

impl SeenFeatures {
    /// Adds the features of a batch. Where features have names, the vocabulary has them already.
    pub(crate) fn observe(&mut self, batch: &Batch, names: &FeatureNames) {
        if matches!(names, FeatureNames::Names(_)) {
            return;
        }
        for i in 0..batch.len() {
            let mut features = batch.row(i).indices;
            if let [others @ .., BIAS] = features {
                (features, self.bias) = (others, true);
            }
            // The last one is the highest.
            let Some(&last) = features.last() else { continue };
            if last as usize >= self.near.len() && !self.grow(last) {
                self.add_far(features);
                continue;
            }
            // All of them are below its length: with a mask the compiler need not check.
            let mask = self.near.len() - 1;
            let near = &mut self.near[..=mask];
            features.iter().for_each(|feature| near[*feature as usize & mask] = true);
        }
    }

    /// Makes room for a feature; `false` if its number is too high for that.
    #[cold]
    fn grow(&mut self, feature: u32) -> bool {
        let fits = (feature as usize) < NEAR;
        if fits {
            self.near.resize((feature as usize + 1).next_power_of_two(), false);
        }
        fits
    }

    #[cold]
    fn add_far(&mut self, features: &[u32]) {
        let far = features.partition_point(|feature| (*feature as usize) < NEAR);
        self.far.extend(&features[far..]);
        if let Some(&last) = features[..far].last() {
            if last as usize >= self.near.len() {
                self.grow(last);
            }
            features[..far].iter().for_each(|feature| self.near[*feature as usize] = true);
        }
    }

    /// How many there are, the bias among them.
    pub(crate) fn count(&self, names: &FeatureNames, has_bias: bool) -> usize {
        match names {
            FeatureNames::Names(vocabulary) => vocabulary.len() + usize::from(has_bias),
            FeatureNames::Numbers | FeatureNames::Hashed(_) => {
                let near = self.near.iter().filter(|seen| **seen).count();
                near + self.far.len() + usize::from(self.bias)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_feature_counts_once_whatever_its_number() {
        let mut batch = Batch::default();
        let rows: [&[u32]; 5] =
            [&[1, 5, BIAS], &[5, 900, 1 << 24, 4_000_000_000], &[], &[BIAS], &[0, 5, 20_000_000, BIAS]];
        for row in rows {
            batch.push(row.iter().map(|feature| (*feature, 1.0)), None).unwrap();
        }
        let mut seen = SeenFeatures::default();
        seen.observe(&batch, &FeatureNames::Numbers);
        seen.observe(&batch, &FeatureNames::Numbers);
        assert_eq!(seen.count(&FeatureNames::Numbers, true), 8);
    }
}
