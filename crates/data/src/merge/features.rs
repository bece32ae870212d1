//! What several know of features, as what one knows.

use thalweg_core::BIAS;
use thalweg_core::merge::Gain;

use crate::feature_state::FeatureState;
use crate::names::{Collisions, Eviction, FeatureNames, Hashed, Naming};
use crate::prepare::ScaleGain;

use super::names::{GainNumbers, NewNames};

/// What was found out of features since a base: new names, scales, how often they occur.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FeatureGain {
    names: NewNames,
    /// Of hashed names: their numbers of bits, and fingerprints by number.
    bits: u32,
    fingerprints: Vec<(u32, u32)>,
    scales: ScaleGain,
    occurrences: Gain,
}

impl FeatureGain {
    /// What was found out since a base, and which numbers features have in it.
    pub fn new(now: &FeatureState, base: &FeatureState) -> (Self, GainNumbers) {
        let (numbers, names) = GainNumbers::new(&now.names, &base.names);
        let (bits, fingerprints) = match (&now.names, &base.names) {
            (FeatureNames::Hashed(now), FeatureNames::Hashed(base)) => {
                (now.hashed().bits(), now.gained(Some(base)))
            }
            (FeatureNames::Hashed(now), _) => (now.hashed().bits(), now.gained(None)),
            _ => (0, Vec::new()),
        };
        let scales = now.scales.gain(&base.scales, &numbers);
        let eviction = now.eviction.as_ref();
        let occurrences = eviction.map(|now| now.gain(base.eviction.as_ref(), &numbers)).unwrap_or_default();
        (Self { names, bits, fingerprints, scales, occurrences }, numbers)
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
        self.fingerprints = joined_fingerprints(&self.fingerprints, &other.fingerprints);
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
            FeatureNames::Hashed(collisions) => {
                for (number, fingerprint) in &self.fingerprints {
                    collisions.take_in(*number, *fingerprint)?;
                }
            }
            FeatureNames::Names(_) | FeatureNames::Numbers => return None,
        }
        features.scales.take_in(&self.scales)?;
        if let Some(limit) = limit {
            let eviction = features.eviction.get_or_insert_with(|| Eviction::new(limit));
            eviction.take_in(&self.occurrences, self.names.count())?;
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
        out.extend_from_slice(&(self.fingerprints.len() as u64).to_le_bytes());
        for (number, fingerprint) in &self.fingerprints {
            out.extend_from_slice(&number.to_le_bytes());
            out.extend_from_slice(&fingerprint.to_le_bytes());
        }
        self.scales.write(out);
        self.occurrences.write(out);
    }

    /// Reads what [`Self::write`] wrote; nothing if it is something else.
    pub fn read(bytes: &mut &[u8]) -> Option<Self> {
        let (length, rest) = bytes.split_first_chunk()?;
        let (names, rest) = rest.split_at_checked(usize::try_from(u64::from_le_bytes(*length)).ok()?)?;
        let (bits, rest) = rest.split_first_chunk()?;
        let (count, rest) = rest.split_first_chunk()?;
        let count = usize::try_from(u64::from_le_bytes(*count)).ok()?;
        let (fingerprints, mut rest) = rest.split_at_checked(count.checked_mul(8)?)?;
        let number = |bytes: &[u8]| bytes.first_chunk().map(|bytes| u32::from_le_bytes(*bytes));
        let fingerprints: Vec<(u32, u32)> = fingerprints
            .chunks_exact(8)
            .map(|pair| Some((number(pair)?, number(&pair[4..])?)))
            .collect::<Option<_>>()?;
        let bits = u32::from_le_bytes(*bits);
        let in_order = fingerprints.is_sorted_by(|a, b| a.0 < b.0);
        if !in_order || (bits == 0 && count > 0) || (bits > 0 && Hashed::new(bits).is_none()) {
            return None;
        }
        let names = NewNames::read(names)?;
        let (scales, occurrences) = (ScaleGain::read(&mut rest)?, Gain::read(&mut rest).ok()?);
        *bytes = rest;
        Some(Self { names, bits, fingerprints, scales, occurrences })
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

fn joined_fingerprints(a: &[(u32, u32)], b: &[(u32, u32)]) -> Vec<(u32, u32)> {
    let mut joined = Vec::with_capacity(a.len().max(b.len()));
    let (mut a, mut b) = (a.iter().peekable(), b.iter().peekable());
    loop {
        let next = match (a.peek(), b.peek()) {
            (Some(a), Some(b)) => a.0.min(b.0),
            (Some(one), None) | (None, Some(one)) => one.0,
            (None, None) => return joined,
        };
        let parts = [&mut a, &mut b].map(|side| side.next_if(|part| part.0 == next).map_or(0, |part| part.1));
        joined.push((next, Collisions::joined(parts[0], parts[1])));
    }
}
