//! What several know of features, as what one knows.

use thalweg_core::BIAS;
use thalweg_core::merge::Gain;

use crate::feature_state::FeatureState;
use crate::names::{Eviction, FeatureNames, Hashed, Naming};
use crate::prepare::ScaleGain;

use super::names::{GainNumbers, NewNames};

/// What was found out of features since a base: new names, scales, how often they occur.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FeatureGain {
    names: NewNames,
    /// Of hashed names: their numbers of bits, else 0.
    bits: u32,
    scales: ScaleGain,
    occurrences: Gain,
}

impl FeatureGain {
    /// What was found out since a base, and which numbers features have in it.
    pub fn new(now: &FeatureState, base: &FeatureState) -> (Self, GainNumbers) {
        let (numbers, names) = GainNumbers::new(&now.names, &base.names);
        let bits = match &now.names {
            FeatureNames::Hashed(hashed) => hashed.bits(),
            FeatureNames::Numbers | FeatureNames::Names(_) => 0,
        };
        let scales = now.scales.gain(&base.scales, &numbers);
        let eviction = now.eviction.as_ref();
        let occurrences = eviction.map(|now| now.gain(base.eviction.as_ref(), &numbers)).unwrap_or_default();
        (Self { names, bits, scales, occurrences }, numbers)
    }

    /// The names that are new.
    pub fn names(&self) -> &NewNames {
        &self.names
    }

    /// Adds what another has found out; nothing if it knows features in another way. Says which numbers new names of the two have then.
    pub fn add(&mut self, other: &Self) -> Option<[NewNumbers; 2]> {
        if self.names.first() != other.names.first() {
            return None;
        }
        let mut other = other.clone();
        let (names, places) = self.names.joined(&other.names);
        if names.count() > u64::from(BIAS) {
            return None;
        }
        let numbers = places.map(|new| NewNumbers { known: self.names.first(), new });
        for (gain, numbers) in [&mut *self, &mut other].into_iter().zip(&numbers) {
            gain.scales.renumber(&|feature| numbers.of(feature));
            gain.occurrences.renumber(&|feature| numbers.of(feature));
        }
        self.names = names;
        if self.bits != other.bits && self.bits > 0 && other.bits > 0 {
            return None;
        }
        self.bits = self.bits.max(other.bits);
        self.scales.add(&other.scales)?;
        self.occurrences.add(&other.occurrences);
        Some(numbers)
    }

    /// The base with what was found out; nothing if that does not fit.
    pub fn apply_to(&self, base: &FeatureState, naming: Naming, limit: Option<u64>) -> Option<FeatureState> {
        let mut features = base.clone();
        if features.names.naming().is_none() && naming != Naming::Numbers {
            features.names = FeatureNames::new(naming)?;
        }
        match &mut features.names {
            FeatureNames::Names(names) if names.len() as u32 == self.names.first() => {
                self.names.add_to(names);
            }
            FeatureNames::Numbers if self.names.count() == 0 => {}
            FeatureNames::Hashed(hashed) if self.bits == 0 || self.bits == hashed.bits() => {}
            FeatureNames::Names(_) | FeatureNames::Numbers | FeatureNames::Hashed(_) => return None,
        }
        features.scales.take_in(&self.scales)?;
        if let (Some(limit), FeatureNames::Names(names)) = (limit, &features.names) {
            let eviction = features.eviction.get_or_insert_with(|| Eviction::new(limit));
            eviction.take_in(&self.occurrences, names.len() as u64)?;
        }
        Some(features)
    }

    /// Appends its bytes: the same gain always has the same.
    pub fn write(&self, out: &mut Vec<u8>) {
        let mut names = Vec::new();
        self.names.write(&mut names);
        out.extend_from_slice(&(names.len() as u64).to_le_bytes());
        out.append(&mut names);
        out.extend_from_slice(&self.bits.to_le_bytes());
        self.scales.write(out);
        self.occurrences.write(out);
    }

    /// Reads what [`Self::write`] wrote; nothing if it is something else.
    pub fn read(bytes: &mut &[u8]) -> Option<Self> {
        let (length, rest) = bytes.split_first_chunk()?;
        let (names, rest) = rest.split_at_checked(usize::try_from(u64::from_le_bytes(*length)).ok()?)?;
        let (bits, mut rest) = rest.split_first_chunk()?;
        let bits = u32::from_le_bytes(*bits);
        if bits > 0 && Hashed::new(bits).is_none() {
            return None;
        }
        let names = NewNames::read(names)?;
        let (scales, occurrences) = (ScaleGain::read(&mut rest)?, Gain::read(&mut rest).ok()?);
        *bytes = rest;
        Some(Self { names, bits, scales, occurrences })
    }
}

/// The numbers that features of a gain have in a sum.
#[derive(Clone, Debug)]
pub struct NewNumbers {
    known: u32,
    new: Vec<u32>,
}

impl NewNumbers {
    /// The number of a feature.
    pub fn of(&self, feature: u32) -> u32 {
        let place = feature.checked_sub(self.known).map(|place| place as usize);
        place.and_then(|place| self.new.get(place)).copied().unwrap_or(feature)
    }
}
