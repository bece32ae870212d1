//! How learners merge, as they say it of themselves.

/// How what several learners have learned becomes one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Merging {
    /// As Gaussians do relative to what all of them believed before: precisions add, and so do means weighted by them.
    Beliefs,
    /// By a mean of what each knows, weighted by examples, over those that have changed a feature.
    Means,
    /// Not at all, and why.
    Never(&'static str),
}

impl Merging {
    pub(crate) const NOT_BATCHES: Self = Merging::Never(
        "what it finds for a batch is a solution for all of its examples together, and no sum over them",
    );
    pub(crate) const NOT_SKETCHES: Self = Merging::Never(
        "its sketch is an average over all examples, in directions that turn with every one of them",
    );
    pub(crate) const NOT_FULL: Self = Merging::Never(
        "a full covariance ties all features together, which shards see in different examples; covariance=diagonal merges",
    );
    pub(crate) const NOT_FORGETTING: Self = Merging::Never(
        "what it knows fades with every example (`forget`), and each of several has seen only its own",
    );

    /// In a few words.
    pub fn describe(self) -> &'static str {
        match self {
            Merging::Beliefs => "as beliefs: precisions add, and so do means weighted by them",
            Merging::Means => "as means over those that have changed a feature, weighted by examples",
            Merging::Never(reason) => reason,
        }
    }
}

/// Why learners do not merge.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Unmergeable {
    /// It cannot be done with such a learner.
    #[error("{learner} cannot be merged: {reason}")]
    Never {
        /// The learner.
        learner: String,
        /// Why.
        reason: &'static str,
    },
    /// They are not of one kind.
    #[error("{learner} cannot be merged with {other}")]
    OtherLearner {
        /// The learner.
        learner: String,
        /// What it should have been.
        other: String,
    },
    /// What would come out is beyond all numbers.
    #[error("the sum of what was learned is beyond all numbers")]
    NotFinite,
    /// A gain that no learner of this kind has.
    #[error("what was learned does not fit the learner: {0}")]
    Misfit(&'static str),
}

/// Which number a feature has in the base and in a gain, and which it has in the learner. The bias is not asked for.
pub trait Numbering {
    /// The number in the gain, and in the base if it is known there.
    fn of_gain(&self, feature: u32) -> u32;
    /// The learner's number for a feature of the base, if it has not let go of it.
    fn of_learner(&self, feature: u32) -> Option<u32>;
}

/// Features that are numbered alike everywhere.
pub struct SameNumbers;

impl Numbering for SameNumbers {
    fn of_gain(&self, feature: u32) -> u32 {
        feature
    }

    fn of_learner(&self, feature: u32) -> Option<u32> {
        Some(feature)
    }
}
