//! Numbers for features in the order in which they come, so that vectors and matrices hold only what was seen.

use crate::cell::Number;
use crate::sheet::Slot;
use crate::table::Table;

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

    /// Reads what `len` (8 bytes), the features and then numbers wrote; none if it does not fit or is not finite.
    pub(crate) fn read(bytes: &[u8]) -> Option<(Self, Vec<f64>)> {
        let (size, rest) = bytes.split_first_chunk::<8>()?;
        let size = usize::try_from(u64::from_le_bytes(*size)).ok()?;
        let (features, numbers) = rest.split_at_checked(size.checked_mul(u32::BYTES)?)?;
        let mut slots = Self::new();
        features.chunks_exact(u32::BYTES).for_each(|feature| {
            slots.get_or_add(u32::read(feature));
        });
        let numbers: Vec<f64> = numbers.chunks_exact(f64::BYTES).map(f64::read).collect();
        (slots.len() == size && numbers.iter().all(|number| number.is_finite())).then_some((slots, numbers))
    }

    pub(crate) fn memory(&self) -> usize {
        self.by_feature.memory() + self.features.capacity() * size_of::<u32>()
    }
}
