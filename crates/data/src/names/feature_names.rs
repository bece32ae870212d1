//! What features are called: by numbers, names or hashed names.

use serde::{Deserialize, Serialize};
use thalweg_core::BIAS;

use super::hashed::Hashed;
use super::vocabulary::{Damage, Vocabulary};

/// How features are numbered.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Naming {
    /// By the numbers that they have in the data.
    Numbers,
    /// As they come, and their names are kept.
    Names,
    /// By a hash of their name, of so many bits.
    Hashed(u32),
}

/// What features are called.
#[derive(Clone, Debug, Default)]
pub enum FeatureNames {
    /// By their number.
    #[default]
    Numbers,
    /// Each has a name.
    Names(Vocabulary),
    /// Several names may share a number.
    Hashed(Hashed),
}

impl FeatureNames {
    /// No names so far; nothing if there cannot be so many bits.
    pub fn new(naming: Naming) -> Option<Self> {
        Some(match naming {
            Naming::Numbers => FeatureNames::Numbers,
            Naming::Names => FeatureNames::Names(Vocabulary::default()),
            Naming::Hashed(bits) => FeatureNames::Hashed(Hashed::new(bits)?),
        })
    }

    /// How features are numbered, if not simply by their numbers.
    pub fn naming(&self) -> Option<Naming> {
        match self {
            FeatureNames::Numbers => None,
            FeatureNames::Names(_) => Some(Naming::Names),
            FeatureNames::Hashed(hashed) => Some(Naming::Hashed(hashed.bits())),
        }
    }

    /// The number of a name, which is added if it is new. Nothing where features have no names.
    pub fn add(&mut self, name: &[u8]) -> Option<u32> {
        match self {
            FeatureNames::Numbers => None,
            FeatureNames::Names(vocabulary) => Some(vocabulary.number(name)),
            FeatureNames::Hashed(hashed) => Some(hashed.number(name)),
        }
    }

    /// The number of a name, if it is known.
    pub fn number_of(&self, name: &[u8]) -> Option<u32> {
        match self {
            FeatureNames::Numbers => None,
            FeatureNames::Names(vocabulary) => vocabulary.find(name),
            FeatureNames::Hashed(hashed) => Some(hashed.number(name)),
        }
    }

    /// The number of a name; one behind all others, by its place among those that are not known, if it is not.
    pub(crate) fn number_or_behind(&self, name: &[u8], place: u32) -> u32 {
        match self {
            FeatureNames::Names(vocabulary) => {
                vocabulary.find(name).unwrap_or_else(|| vocabulary.behind(place))
            }
            FeatureNames::Numbers | FeatureNames::Hashed(_) => self.number_of(name).unwrap_or(place),
        }
    }

    /// Bytes of memory that they hold.
    pub(crate) fn memory(&self) -> usize {
        match self {
            FeatureNames::Numbers | FeatureNames::Hashed(_) => 0,
            FeatureNames::Names(vocabulary) => vocabulary.memory(),
        }
    }

    /// Appends the name of a feature as it came.
    pub(crate) fn append(&self, feature: u32, out: &mut Vec<u8>) {
        match self {
            FeatureNames::Names(vocabulary) => {
                out.extend_from_slice(vocabulary.name(feature).unwrap_or_default());
            }
            FeatureNames::Numbers => out.extend_from_slice(itoa::Buffer::new().format(feature).as_bytes()),
            FeatureNames::Hashed(_) => out.extend_from_slice(self.name(feature).as_bytes()),
        }
    }

    /// What to call a feature.
    pub fn name(&self, feature: u32) -> String {
        match self {
            _ if feature == BIAS => "bias".into(),
            FeatureNames::Names(vocabulary) => vocabulary
                .name(feature)
                .map_or_else(|| feature.to_string(), |name| String::from_utf8_lossy(name).into()),
            FeatureNames::Numbers => feature.to_string(),
            FeatureNames::Hashed(_) => format!("#{feature}"),
        }
    }

    /// The form that a model keeps.
    pub fn write(&self) -> Vec<u8> {
        let mut bytes = Vec::new();
        if let FeatureNames::Names(vocabulary) = self {
            vocabulary.write(vocabulary.len(), &mut bytes);
        }
        bytes
    }

    /// Reads what [`FeatureNames::write`] wrote. Models with hashed names used to count them, which is of no use any more.
    pub fn read(naming: Naming, bytes: &[u8]) -> Result<Self, Damage> {
        Ok(match naming {
            Naming::Numbers => FeatureNames::Numbers,
            Naming::Names => FeatureNames::Names(Vocabulary::read(bytes)?),
            Naming::Hashed(bits) => FeatureNames::Hashed(Hashed::new(bits).ok_or(Damage::HashBits)?),
        })
    }
}
