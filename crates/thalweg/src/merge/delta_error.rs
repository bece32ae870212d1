//! Why models do not merge.

use thalweg_core::merge::Unmergeable;
use thalweg_core::model::ModelError;
use thalweg_data::merge::LabelConflict;

/// Why models do not merge, or bytes are no delta.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum DeltaError {
    /// The learners do not merge.
    #[error(transparent)]
    Learner(#[from] Unmergeable),
    /// They are not alike in something.
    #[error("models that merge must be alike, but one has {ours} and another {theirs}")]
    Unlike {
        /// What one has.
        ours: String,
        /// What the other has.
        theirs: String,
    },
    /// A setting is not the same.
    #[error("models that merge must be alike, but `{0}` is not the same")]
    Setting(String),
    /// The labels do not fit together.
    #[error(transparent)]
    Labels(#[from] LabelConflict),
    /// They did not begin with the same model.
    #[error("the deltas are of different base models")]
    OtherBase,
    /// It cannot have gone on with its base.
    #[error("a model did not begin with the base: it has learned from as many examples, but other weights")]
    NotOfBase,
    /// There is nothing to merge.
    #[error("there is nothing to merge")]
    Nothing,
    /// Not a delta, or a damaged one.
    #[error("not a usable delta: {0}")]
    Damaged(String),
}

impl From<ModelError> for DeltaError {
    fn from(error: ModelError) -> Self {
        Self::Damaged(error.to_string())
    }
}
