//! Numbers of features by hashing their names, in memory that does not grow with the names.

use xxhash_rust::xxh3::xxh3_64;

/// Numbers by hashing alone: fixed memory however many names there are, at the price that names may share a number.
///
/// The number is the low bits of the XXH3 hash (64 bits, seed 0) of the whole name: a published function with the same
/// result on every platform and in every version, so a model means the same everywhere. Names that are numerals are hashed
/// like any other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Hashed {
    bits: u32,
}

impl Hashed {
    /// The most bits: one fewer than a number has, so that none is [`BIAS`](thalweg_core::BIAS).
    pub const MOST_BITS: u32 = 31;

    /// Numbers below 2^`bits`; `None` unless `bits` is from 1 to [`Hashed::MOST_BITS`].
    pub fn new(bits: u32) -> Option<Self> {
        (1..=Self::MOST_BITS).contains(&bits).then_some(Self { bits })
    }

    /// How many bits a number has.
    pub fn bits(self) -> u32 {
        self.bits
    }

    /// The number of a name.
    #[inline]
    pub fn number(self, name: &[u8]) -> u32 {
        self.number_of_hash(Self::hash(name))
    }

    /// The hash of a name. Two names have the same one with a probability of 2^-64.
    #[inline]
    pub(crate) fn hash(name: &[u8]) -> u64 {
        xxh3_64(name)
    }

    /// The number of a name with this hash.
    #[inline]
    pub(crate) fn number_of_hash(self, hash: u64) -> u32 {
        hash as u32 & ((1 << self.bits) - 1)
    }

    /// About how many numbers stand for several names each, if so many stand for any. Nobody counts names, which would take memory for each of
    /// them: a hash spreads them evenly, so the share of the numbers that are in use tells how many names there are.
    pub fn shared(self, used: u64) -> u64 {
        let all = f64::from(1u32 << self.bits);
        // Of a table that is full, nothing can be told but that there are many names.
        let used = (used as f64).min(all - 0.5);
        let others = (-1.0 / all).ln_1p();
        let names = (-used / all).ln_1p() / others;
        let alone = names * (others * (names - 1.0)).exp();
        (used - alone).max(0.0).round() as u64
    }
}

#[cfg(test)]
mod tests {
    use std::collections::{HashMap, HashSet};

    use super::*;

    /// Values of the reference implementation of XXH3: a change here would change the meaning of every hashed model.
    #[test]
    fn hashes_are_those_of_the_published_function() {
        assert_eq!(xxh3_64(b""), 0x2d06_8005_38d3_94c2);
        assert_eq!(xxh3_64(b"xxhash"), 0xaa4c_2b42_ae6b_13de);
        assert_eq!(xxh3_64(b"a feature name that is longer than sixteen bytes"), 0x3dd9_e2c5_81cf_2f27);
        assert_eq!(xxh3_64(&[b'x'; 300]), 0xa5d1_b460_7dc8_3554);
        let hashed = Hashed::new(31).unwrap();
        assert_eq!(hashed.number(b""), 0x38d3_94c2);
        assert_eq!(Hashed::new(8).unwrap().number(b"xxhash"), 0xde);
        assert!(Hashed::new(0).is_none() && Hashed::new(32).is_none());
    }

    #[test]
    fn shared_numbers_are_as_many_as_expected() {
        for (bits, count) in [(12, 100), (12, 1000), (12, 8000), (18, 100_000), (20, 1_000_000)] {
            let hashed = Hashed::new(bits).unwrap();
            let mut names: HashMap<u32, HashSet<u32>> = HashMap::new();
            for i in 0..count {
                names.entry(hashed.number(format!("word{i}").as_bytes())).or_default().insert(i);
            }
            let shared = names.values().filter(|names| names.len() > 1).count() as f64;
            let expected = hashed.shared(names.len() as u64) as f64;
            assert!(
                (shared - expected).abs() <= 4.0 * shared.sqrt() + 1.0,
                "{bits} {count}: {shared} {expected}"
            );
        }
    }

    #[test]
    fn a_table_that_is_empty_or_full_is_no_trouble() {
        for bits in [1, 3, 20, 31] {
            let hashed = Hashed::new(bits).unwrap();
            assert_eq!([0, 1].map(|used| hashed.shared(used)), [0, 0]);
            assert!((1..=1 << bits).contains(&hashed.shared(1 << bits)) || bits == 1);
            assert!(hashed.shared(u64::MAX) <= 1 << bits);
        }
    }
}
