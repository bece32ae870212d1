//! What is known of features besides what a learner knows: what they are called, and how large their values are.

use crate::names::Damage;
use crate::reading::{FeatureNames, Naming};
use crate::scales::{Scale, Scales};

/// What a stream finds out about its features, and a model keeps.
#[derive(Clone, Debug, Default)]
pub struct Known {
    /// What they are called.
    pub names: FeatureNames,
    /// How large their values are.
    pub scales: Scales,
}

impl Known {
    /// Reads what a model keeps.
    pub fn read(naming: Naming, names: &[u8], scale: Option<Scale>, scales: &[u8]) -> Result<Self, Damage> {
        let names = FeatureNames::read(naming, names)?;
        let scales = Scales::read(scale, scales).ok_or(Damage::Scales)?;
        Ok(Self { names, scales })
    }
}
