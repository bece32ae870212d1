//! Randomness that is the same on every machine and for ever: a resumed model must draw what it would have drawn
//! without the stop.

/// The mixing step of SplitMix64 (Steele, Lea, Flood 2014): a hash of a word.
pub fn scramble(word: u64) -> u64 {
    let word = word.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let word = (word ^ (word >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let word = (word ^ (word >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    word ^ (word >> 31)
}

/// A stream of random orders.
#[derive(Clone, Debug)]
pub(crate) struct Shuffler {
    state: u64,
}

impl Shuffler {
    pub(crate) fn new(seed: u64) -> Self {
        Self { state: scramble(seed) }
    }

    /// A number below `limit`, which fits 32 bits: the product with 32 random bits is as good as unbiased.
    fn below(&mut self, limit: usize) -> usize {
        self.state = self.state.wrapping_add(1);
        (((scramble(self.state) >> 32) * limit as u64) >> 32) as usize
    }

    /// Puts the items into a random order.
    pub(crate) fn shuffle<T>(&mut self, items: &mut [T]) {
        for last in (1..items.len()).rev() {
            items.swap(last, self.below(last + 1));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_shuffle_is_a_permutation_and_never_changes() {
        let mut items: Vec<usize> = (0..10).collect();
        Shuffler::new(7).shuffle(&mut items);
        assert_eq!(items, PINNED);
        items.sort_unstable();
        assert!(items.iter().copied().eq(0..10));
    }

    #[test]
    fn every_place_is_equally_likely() {
        let (mut shuffler, mut sums) = (Shuffler::new(1), [0usize; 8]);
        for _ in 0..8_000 {
            let mut items: Vec<usize> = (0..8).collect();
            shuffler.shuffle(&mut items);
            items.iter().zip(&mut sums).for_each(|(item, sum)| *sum += item);
        }
        assert!(sums.iter().all(|sum| (27_000..29_000).contains(sum)), "{sums:?}");
    }

    const PINNED: [usize; 10] = [3, 9, 6, 4, 2, 5, 0, 8, 7, 1];
}
