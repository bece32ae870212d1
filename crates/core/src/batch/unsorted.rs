//! Features in any order, to be sorted and summed.

use crate::Real;
use crate::radix::sort_by_bits;

/// The features of one row. Its memory is used again for the next.
#[derive(Clone, Debug, Default)]
pub(super) struct Unsorted {
    features: Vec<(u32, Real)>,
    /// Features with their places.
    order: Vec<u64>,
    memory: Vec<u64>,
}

impl Unsorted {
    /// Takes these features instead of those before.
    pub(super) fn fill(&mut self, features: impl Iterator<Item = (u32, Real)>) {
        self.features.clear();
        self.features.extend(features);
    }

    /// Every feature once, in order, with the sum of its values in the order in which they came.
    pub(super) fn sums(&mut self, mut each: impl FnMut(u32, f64)) {
        let Self { features, order, memory } = self;
        // Whole numbers are what is sorted fastest. The place behind the feature keeps duplicates as they came.
        order.clear();
        let mut any = 0;
        order.extend(features.iter().enumerate().map(|(place, (index, _))| {
            any |= index;
            u64::from(*index) << 32 | place as u64
        }));
        sort_by_bits(order, memory, 32..u64::BITS - any.leading_zeros());
        let value = |one: &u64| f64::from(features[*one as u32 as usize].1);
        for same in order.chunk_by(|a, b| a >> 32 == b >> 32) {
            each((same[0] >> 32) as u32, same.iter().map(value).sum());
        }
    }
}
