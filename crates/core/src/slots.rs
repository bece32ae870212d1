//! Numbers features in the order in which they are first seen, so that vectors and matrices have entries only for these.

use crate::codec::{read_numbers, write_numbers};
use crate::learner::StateError;
use crate::table::Table;

crate::cell! {
    /// The number of a feature, counted from 1; 0 is none yet.
    pub(crate) struct Slot {
        /// The number.
        number: u32,
    }
}

/// Features by number, and numbers by feature.
#[derive(Clone, Debug)]
pub(crate) struct Slots {
    by_feature: Table<Slot>,
    features: Vec<u32>,
}

impl Slots {
    pub(crate) fn new() -> Self {
        Self { by_feature: Table::new(Slot { number: 0 }), features: Vec::new() }
    }

    /// The features, by number.
    pub(crate) fn features(&self) -> &[u32] {
        &self.features
    }

    pub(crate) fn len(&self) -> usize {
        self.features.len()
    }

    /// The feature's number, if it has one.
    pub(crate) fn get(&self, feature: u32) -> Option<usize> {
        (self.by_feature.get(feature).number as usize).checked_sub(1)
    }

    /// The feature's number; a new feature gets the next one.
    pub(crate) fn get_or_add(&mut self, feature: u32) -> usize {
        self.get(feature).unwrap_or_else(|| {
            self.features.push(feature);
            self.by_feature.set(feature, Slot { number: self.features.len() as u32 });
            self.features.len() - 1
        })
    }

    /// Forgets all but the first features.
    pub(crate) fn truncate(&mut self, length: usize) {
        for feature in self.features.drain(length..) {
            self.by_feature.set(feature, Slot { number: 0 });
        }
    }

    /// Appends the features, and then numbers.
    pub(crate) fn write<'a>(&self, numbers: impl IntoIterator<Item = &'a f64>, out: &mut Vec<u8>) {
        write_numbers(&self.features, numbers, out);
    }

    /// Reads what [`Self::write`] wrote.
    pub(crate) fn read(bytes: &[u8]) -> Result<(Self, Vec<f64>), StateError> {
        let (features, numbers) = read_numbers(bytes)?;
        let mut slots = Self::new();
        features.iter().for_each(|feature| {
            slots.get_or_add(*feature);
        });
        if slots.len() == features.len() { Ok((slots, numbers)) } else { Err(StateError::new("cells")) }
    }

    pub(crate) fn memory(&self) -> usize {
        self.by_feature.memory() + self.features.capacity() * size_of::<u32>()
    }
}
