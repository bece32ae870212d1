//! Which features the data has: sparsity is the share of zeros among all of them, whether a learner remembers them or not.

use thalweg_core::keyed_hash::KeyedSet;
use thalweg_core::{BIAS, Batch, Learner};
use thalweg_data::FeatureNames;

/// Features with numbers below this have a bit in an array. It takes 2 MiB at most.
const NEAR: usize = 1 << 24;

/// Features of one word of the array.
const WORD: usize = u64::BITS as usize;

/// Where the bit of a feature is, in an array whose length is one more than the mask. The compiler need not check.
#[inline(always)]
fn place(feature: u32, mask: usize) -> usize {
    (feature as usize / WORD) & mask
}

/// The features of all examples so far.
#[derive(Default)]
pub(crate) struct SeenFeatures {
    /// A bit for each number: is there such a feature? As long as a power of two, or empty.
    near: Vec<u64>,
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
            if last as usize >= self.near.len() * WORD && !self.grow(last) {
                self.add_far(features);
                continue;
            }
            // Eight at a time: this is done for every value of the data, and most features have been there before.
            let mask = self.near.len() - 1;
            let near = &mut self.near[..=mask];
            let (eights, rest) = features.as_chunks::<8>();
            for eight in eights {
                let mut new = 0;
                for &feature in eight {
                    new |= !near[place(feature, mask)] >> (feature as usize % WORD);
                }
                if new & 1 != 0 {
                    eight
                        .iter()
                        .for_each(|&feature| near[place(feature, mask)] |= 1 << (feature as usize % WORD));
                }
            }
            rest.iter().for_each(|&feature| near[place(feature, mask)] |= 1 << (feature as usize % WORD));
        }
    }

    /// Makes room for a feature; `false` if its number is too high for that.
    #[cold]
    fn grow(&mut self, feature: u32) -> bool {
        let fits = (feature as usize) < NEAR;
        if fits {
            self.near.resize((feature as usize / WORD + 1).next_power_of_two(), 0);
        }
        fits
    }

    #[cold]
    fn add_far(&mut self, features: &[u32]) {
        let far = features.partition_point(|feature| (*feature as usize) < NEAR);
        self.far.extend(&features[far..]);
        if let Some(&last) = features[..far].last() {
            if last as usize >= self.near.len() * WORD {
                self.grow(last);
            }
            for &feature in &features[..far] {
                self.near[feature as usize / WORD] |= 1 << (feature as usize % WORD);
            }
        }
    }

    /// All of them.
    fn iter(&self) -> impl Iterator<Item = u32> {
        let near = (0..).step_by(WORD).zip(&self.near).flat_map(|(first, word)| {
            // What is left of the word, without its lowest bit each time.
            let bits = std::iter::successors(Some(*word), |rest| Some(rest & rest.wrapping_sub(1)));
            bits.take_while(|rest| *rest != 0).map(move |rest| first + rest.trailing_zeros())
        });
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
