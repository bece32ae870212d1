//! Numbers of features by hashing their names, in memory that does not grow with the names.

use std::io::{self, Read, Write};

use thalweg_core::cell;
use thalweg_core::table::Table;
use xxhash_rust::xxh3::xxh3_64;

use super::vocabulary::Damage;

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

    /// How many numbers there are.
    fn count(self) -> u64 {
        1 << self.bits
    }

    /// The number of a name.
    #[inline]
    pub fn number(self, name: &[u8]) -> u32 {
        self.reduce(xxh3_64(name))
    }

    fn reduce(self, hash: u64) -> u32 {
        hash as u32 & ((1 << self.bits) - 1)
    }
}

cell! {
    /// What is known of the names of a number.
    pub struct HashSlot {
        /// 0: no name so far; otherwise 31 bits of the first name's hash (never 0), and the top bit if another name came.
        fingerprint: u32,
    }
}

const EMPTY: HashSlot = HashSlot { fingerprint: 0 };
const SHARED: u32 = 1 << 31;

/// Counts the numbers that several names share, in some 4 to 25 bytes for each that is in use.
///
/// Every number remembers 31 other bits of the hash of the first name that it stood for. Two names with the same number
/// are taken for one if those bits agree too, which has a probability of 2^-31.
#[derive(Clone, Debug)]
pub struct Collisions {
    hashed: Hashed,
    slots: Table<HashSlot>,
    used: u64,
    shared: u64,
}

/// So many numbers may be in use in a model of whatever size. More take more bytes than there are of them: their fingerprints are random, so that
/// they cannot be compressed.
const USED_IN_ANY: u64 = 1 << 24;

impl Collisions {
    /// Nothing seen so far.
    pub fn new(hashed: Hashed) -> Self {
        Self { hashed, slots: Table::new(EMPTY), used: 0, shared: 0 }
    }

    /// The number of a name, which is noted.
    #[inline]
    pub fn number(&mut self, name: &[u8]) -> u32 {
        let hash = xxh3_64(name);
        let number = self.hashed.reduce(hash);
        let fingerprint = ((hash >> 33) as u32).max(1);
        let known = self.slots.get(number).fingerprint;
        if known == 0 {
            self.slots.set(number, HashSlot { fingerprint });
            self.used += 1;
        } else if known < SHARED && known != fingerprint {
            self.slots.set(number, HashSlot { fingerprint: known | SHARED });
            self.shared += 1;
        }
        number
    }

    /// The numbers of which more is known than of those of a base, with what is known of them.
    pub(crate) fn gained(&self, base: Option<&Self>) -> Vec<(u32, u32)> {
        let known = |number: u32| base.map_or(0, |base| base.slots.get(number).fingerprint);
        let slots = self.slots.live().map(|(number, slot)| (number, slot.fingerprint));
        slots.filter(|(number, fingerprint)| known(*number) != *fingerprint).collect()
    }

    /// What is known of a number from two sides: it stands for several names if these do not have the same fingerprint.
    pub(crate) fn joined(ours: u32, theirs: u32) -> u32 {
        match (ours & !SHARED, theirs & !SHARED) {
            (0, _) => theirs,
            (_, 0) => ours,
            (a, b) if a == b => ours | theirs,
            (a, b) => a.min(b) | SHARED,
        }
    }

    /// Takes in what another knows of a number.
    pub(crate) fn take_in(&mut self, number: u32, fingerprint: u32) -> Option<()> {
        if fingerprint & !SHARED == 0 || u64::from(number) >= self.hashed.count() {
            return None;
        }
        let known = self.slots.get(number).fingerprint;
        let joined = Self::joined(known, fingerprint);
        self.used += u64::from(known == 0);
        self.shared += u64::from(joined > SHARED && known < SHARED);
        self.slots.set(number, HashSlot { fingerprint: joined });
        Some(())
    }

    /// How names become numbers.
    pub fn hashed(&self) -> Hashed {
        self.hashed
    }

    /// Numbers that stand for a name.
    pub fn used(&self) -> u64 {
        self.used
    }

    /// Numbers that stand for more than one name.
    pub fn shared(&self) -> u64 {
        self.shared
    }

    /// Bytes of memory that it holds.
    pub fn memory(&self) -> usize {
        self.slots.memory()
    }

    /// All that it knows: 4 bytes per number, low bytes first, compressed. Unused numbers are zeros, which are never in memory as such.
    pub fn write(&self) -> Vec<u8> {
        self.compressed().unwrap_or_default()
    }

    fn compressed(&self) -> io::Result<Vec<u8>> {
        let mut out = zstd::Encoder::new(Vec::new(), 1)?;
        let mut next = 0;
        for (number, stand) in self.slots.live() {
            zeros(u64::from(number) - next, &mut out)?;
            out.write_all(&stand.fingerprint.to_le_bytes())?;
            next = u64::from(number) + 1;
        }
        zeros(self.hashed.count() - next, &mut out)?;
        out.finish()
    }

    /// Reads what [`Collisions::write`] wrote.
    pub fn read(hashed: Hashed, bytes: &[u8]) -> Result<Self, Damage> {
        let damaged = |_| Damage::Collisions;
        let most = USED_IN_ANY.max(bytes.len() as u64);
        let mut source = zstd::Decoder::with_buffer(bytes).map_err(damaged)?;
        let (mut new, mut number, mut buffer) = (Self::new(hashed), 0, vec![0; 1 << 16]);
        loop {
            let count = fill(&mut source, &mut buffer).map_err(damaged)?;
            let (stored, []) = buffer[..count].as_chunks::<4>() else { return Err(Damage::Collisions) };
            for fingerprint in stored.iter().map(|fingerprint| u32::from_le_bytes(*fingerprint)) {
                if fingerprint != 0 {
                    new.take(number, fingerprint).filter(|()| new.used <= most).ok_or(Damage::Collisions)?;
                }
                number += 1;
            }
            if count < buffer.len() {
                return if number == hashed.count() { Ok(new) } else { Err(Damage::Collisions) };
            }
        }
    }

    /// Takes over a stored fingerprint; nothing if there cannot be such a one.
    fn take(&mut self, number: u64, fingerprint: u32) -> Option<()> {
        if fingerprint == SHARED || number >= self.hashed.count() {
            return None;
        }
        self.slots.set(number as u32, HashSlot { fingerprint });
        self.used += 1;
        self.shared += u64::from(fingerprint > SHARED);
        Some(())
    }
}

/// Writes so many empty slots.
fn zeros(mut count: u64, out: &mut impl Write) -> io::Result<()> {
    static ZEROS: [u8; 1 << 16] = [0; 1 << 16];
    while count > 0 {
        let some = count.min(ZEROS.len() as u64 / 4);
        out.write_all(&ZEROS[..4 * some as usize])?;
        count -= some;
    }
    Ok(())
}

/// Reads until the buffer is full or the source at its end.
fn fill(source: &mut impl Read, buffer: &mut [u8]) -> io::Result<usize> {
    let mut filled = 0;
    loop {
        match source.read(&mut buffer[filled..])? {
            0 => return Ok(filled),
            count => filled += count,
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::{HashMap, HashSet};

    use proptest::prelude::*;

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
    fn collisions_are_counted_exactly() {
        let hashed = Hashed::new(10).unwrap();
        let mut collisions = Collisions::new(hashed);
        let mut names: HashMap<u32, HashSet<String>> = HashMap::new();
        for i in 0..1500u32 {
            let name = (i % 1000).to_string();
            let number = collisions.number(name.as_bytes());
            assert_eq!(number, hashed.number(name.as_bytes()));
            names.entry(number).or_default().insert(name);
            assert_eq!(collisions.used(), names.len() as u64);
            assert_eq!(collisions.shared(), names.values().filter(|names| names.len() > 1).count() as u64);
        }
        assert!(collisions.memory() <= 3 * 4096);
        let bytes = collisions.write();
        let read = Collisions::read(hashed, &bytes).unwrap();
        assert_eq!(
            (read.used(), read.shared(), read.write()),
            (collisions.used(), collisions.shared(), bytes)
        );
    }

    /// One number after the other, compressed: as models have always held them.
    fn written(fingerprints: &[u32]) -> Vec<u8> {
        let bytes: Vec<u8> = fingerprints.iter().flat_map(|fingerprint| fingerprint.to_le_bytes()).collect();
        zstd::encode_all(&bytes[..], 1).unwrap()
    }

    #[test]
    fn what_is_written_is_every_number_in_order() {
        for (bits, count) in [(3, 5), (17, 30_000), (20, 100)] {
            let mut collisions = Collisions::new(Hashed::new(bits).unwrap());
            let mut fingerprints = vec![0; 1 << bits];
            for i in 0..count {
                let name = i.to_string();
                let number = collisions.number(name.as_bytes());
                fingerprints[number as usize] = collisions.slots.get(number).fingerprint;
            }
            assert_eq!(collisions.write(), written(&fingerprints));
        }
    }

    #[test]
    fn many_bits_cost_nothing_by_themselves() {
        let mut collisions = Collisions::new(Hashed::new(31).unwrap());
        (0..1000u32).for_each(|i| _ = collisions.number(&i.to_le_bytes()));
        assert!(collisions.memory() < 100_000, "{}", collisions.memory());
    }

    #[test]
    fn damage_is_noticed() {
        let hashed = Hashed::new(3).unwrap();
        let damaged = |bytes: &[u8]| Collisions::read(hashed, bytes).err() == Some(Damage::Collisions);
        assert!(Collisions::read(hashed, &written(&[0, 1, 2, 3, 4, 5, 6, SHARED | 7])).is_ok());
        assert!(damaged(&written(&[0, 1, 2, 3, 4, 5, 6])) && damaged(&written(&[0; 9])));
        assert!(damaged(&written(&[0, 1, 2, 3, 4, 5, 6, SHARED])));
        assert!(damaged(b"") && damaged(b"abc") && damaged(&written(&[1; 8])[..10]));
        assert!(damaged(&zstd::encode_all(&[1u8; 33][..], 1).unwrap()));
    }

    /// A few kilobytes that would become gigabytes: they end where the numbers do, or where there are more in use than so few bytes can
    /// tell of.
    #[test]
    fn what_claims_to_be_huge_is_not_believed() {
        let mut bomb = zstd::Encoder::new(Vec::new(), 1).unwrap();
        let some = vec![1; 1 << 20];
        (0..65).for_each(|_| bomb.write_all(&some).unwrap());
        let bomb = bomb.finish().unwrap();
        assert!(bomb.len() < 10_000);
        for bits in [10, 31] {
            assert_eq!(Collisions::read(Hashed::new(bits).unwrap(), &bomb).err(), Some(Damage::Collisions));
        }
    }

    proptest! {
        #[test]
        fn no_bytes_crash_the_reader(bytes in prop::collection::vec(any::<u8>(), 0..60)) {
            let _ = Collisions::read(Hashed::new(3).unwrap(), &bytes);
            let _ = Collisions::read(Hashed::new(3).unwrap(), &zstd::encode_all(&bytes[..], 1).unwrap());
        }
    }
}
