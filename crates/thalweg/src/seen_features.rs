//! Which features the data has: sparsity is the share of zeros among all of them, whether a learner remembers them or not.

use thalweg_core::keyed_hash::KeyedSet;
use thalweg_core::{BIAS, Batch, Learner};
use thalweg_data::FeatureNames;

/// Features with numbers below this have a place in an array. It takes 16 MiB at most.
const NEAR: usize = 1 << 24;

/// So many features are looked at together.
const PART: usize = 64;

/// Is any of these places in use?
fn is_used(part: &[u8]) -> bool {
    part.as_chunks().0.iter().fold(0, |all, word| all | u64::from_ne_bytes(*word)) != 0
}

/// The features of all examples so far.
#[derive(Default)]
pub(crate) struct SeenFeatures {
    /// Is there a feature of this number? As long as a power of two, or empty.
    near: Vec<u8>,
    /// Those with high numbers.
    far: KeyedSet<u32>,
    bias: bool,
}

impl SeenFeatures {
    /// Adds the features of a batch, but not those of examples that are remembered elsewhere. Where features have names, the vocabulary has them already.
    pub(crate) fn observe(&mut self, batch: &Batch, names: &FeatureNames, remembered: &[bool]) {
        if matches!(names, FeatureNames::Names(_)) {
            return;
        }
        for i in (0..batch.len()).filter(|i| !remembered.get(*i).copied().unwrap_or(false)) {
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
            // Eight at a time: this is done for every value of the data.
            let (eights, rest) = features.as_chunks::<8>();
            for eight in eights {
                eight.iter().for_each(|feature| near[*feature as usize & mask] = 1);
            }
            rest.iter().for_each(|feature| near[*feature as usize & mask] = 1);
        }
    }

    /// Makes room for a feature; `false` if its number is too high for that.
    #[cold]
    fn grow(&mut self, feature: u32) -> bool {
        let fits = (feature as usize) < NEAR;
        if fits {
            self.near.resize((feature as usize + 1).next_power_of_two().max(PART), 0);
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
            features[..far].iter().for_each(|feature| self.near[*feature as usize] = 1);
        }
    }

    /// All of them.
    fn iter(&self) -> impl Iterator<Item = u32> {
        // Most of the places may be empty: many of them are passed over at once.
        let parts = (0..).step_by(PART).zip(self.near.chunks(PART)).filter(|(_, part)| is_used(part));
        let near = parts.flat_map(|(start, part)| (start..).zip(part));
        let near = near.filter(|(_, seen)| **seen != 0).map(|(feature, _)| feature);
        near.chain(self.far.iter().copied()).chain(self.bias.then_some(BIAS))
    }

    /// How many there are, the bias among them, with those that the learner remembers.
    pub(crate) fn count(&self, names: &FeatureNames, has_bias: bool, learner: &dyn Learner) -> usize {
        match names {
            // A learner that was resumed may remember features that have been evicted since.
            FeatureNames::Names(vocabulary) => {
                (vocabulary.len() + usize::from(has_bias)).max(learner.features())
            }
            FeatureNames::Numbers | FeatureNames::Hashed(_) if learner.remembers(BIAS).is_some() => {
                let forgotten = |feature: &u32| learner.remembers(*feature) == Some(false);
                learner.features() + self.iter().filter(forgotten).count()
            }
            FeatureNames::Numbers | FeatureNames::Hashed(_) => self.iter().count().max(learner.features()),
        }
    }
}

#[cfg(test)]
mod tests {
    use thalweg_core::{Outcomes, Setup, learners};

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
        for _ in 0..2 {
            seen.observe(&batch, &FeatureNames::Numbers, &[]);
        }
        for spec in ["perceptron", "dcd"] {
            let learner = learners::build(spec, &Setup::default()).unwrap();
            assert_eq!(seen.count(&FeatureNames::Numbers, true, learner.as_ref()), 8, "{spec}");
        }
    }

    #[test]
    fn features_of_examples_that_changed_the_learner_count_too() {
        let mut batch = Batch::default();
        batch.push([(1, 1.0), (7, 1.0)], Some(1)).unwrap();
        batch.push([(7, 1.0), (9, 1.0)], Some(1)).unwrap();
        let (mut learner, mut outcomes) =
            (learners::build("pa", &Setup::default()).unwrap(), Outcomes::default());
        learner.learn(&batch, &mut outcomes).unwrap();
        let mut seen = SeenFeatures::default();
        seen.observe(&batch, &FeatureNames::Numbers, &outcomes.updated);
        assert_eq!(seen.count(&FeatureNames::Numbers, false, learner.as_ref()), 3);
    }
}
