//! Names of features: [`Vocabulary`] numbers them exactly, [`Hashed`] numbers them in fixed memory.

use hashbrown::HashTable;
use thalweg_core::BIAS;
use xxhash_rust::xxh3::xxh3_64;

/// The numbers of the names seen so far: 0, 1, 2, ... in the order in which they came.
///
/// It is exact: a name that hashes like another is compared with it, byte by byte, so two names never share a number.
/// Nothing is ever removed, so a number means the same name for as long as the vocabulary lives, and the first n names
/// of a longer vocabulary are the vocabulary as it was when it had n.
///
/// Names are bytes: data is not always the UTF-8 that it should be, and a name must be what the file says.
#[derive(Clone, Debug, Default)]
pub struct Vocabulary {
    /// All names, one after the other.
    bytes: Vec<u8>,
    /// Where each name ends in `bytes`, and its hash.
    ends: Vec<usize>,
    hashes: Vec<u64>,
    /// The numbers, by the hash of their names.
    numbers: HashTable<u32>,
}

impl Vocabulary {
    /// The number of a name, which is added if it is new.
    ///
    /// # Panics
    /// At the 4 294 967 296th name: the last number is [`BIAS`].
    #[inline]
    pub fn number(&mut self, name: &[u8]) -> u32 {
        self.number_of_hash(name, xxh3_64(name))
    }

    /// The same for whoever knows the name's hash.
    #[inline]
    pub(crate) fn number_of_hash(&mut self, name: &[u8], hash: u64) -> u32 {
        match self.numbers.find(hash, |&number| self.at(number as usize) == name) {
            Some(&number) => number,
            None => self.add(hash, name),
        }
    }

    /// The number of a name, if it is known.
    #[inline]
    pub fn find(&self, name: &[u8]) -> Option<u32> {
        self.numbers.find(xxh3_64(name), |&number| self.at(number as usize) == name).copied()
    }

    /// The name of a number, if there is one.
    pub fn name(&self, number: u32) -> Option<&[u8]> {
        ((number as usize) < self.len()).then(|| self.at(number as usize))
    }

    /// The hash of a name that has this number.
    pub(crate) fn hash(&self, number: u32) -> u64 {
        self.hashes[number as usize]
    }

    /// How many names there are.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Is there no name?
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// All names, in the order of their numbers.
    pub fn iter(&self) -> impl Iterator<Item = &[u8]> {
        (0..self.len()).map(|i| self.at(i))
    }

    /// Bytes of memory that it holds.
    pub fn memory(&self) -> usize {
        let each = self.ends.capacity() * size_of::<usize>() + self.hashes.capacity() * size_of::<u64>();
        self.bytes.capacity() + each + self.numbers.allocation_size()
    }

    /// Forgets all names and keeps the memory.
    pub(crate) fn clear(&mut self) {
        self.bytes.clear();
        self.ends.clear();
        self.hashes.clear();
        self.numbers.clear();
    }

    fn at(&self, i: usize) -> &[u8] {
        let start = if i == 0 { 0 } else { self.ends[i - 1] };
        &self.bytes[start..self.ends[i]]
    }

    #[cold]
    #[inline(never)]
    fn add(&mut self, hash: u64, name: &[u8]) -> u32 {
        assert!(self.len() < BIAS as usize, "all {BIAS} numbers of features are in use");
        if self.numbers.len() == self.numbers.capacity() {
            self.grow();
        }
        let number = self.len() as u32;
        self.bytes.extend_from_slice(name);
        self.ends.push(self.bytes.len());
        self.hashes.push(hash);
        self.numbers.insert_unique(hash, number, |_| unreachable!("there is room"));
        number
    }

    /// Doubles the table. Hashes are taken in the order in which they lie in memory, not in that of the old table: that one has
    /// a cache miss for every name.
    fn grow(&mut self) {
        self.numbers = HashTable::with_capacity((2 * self.len()).max(64));
        for (i, hash) in self.hashes.iter().enumerate() {
            self.numbers.insert_unique(*hash, i as u32, |_| unreachable!("there is room"));
        }
    }

    /// Appends the first `len` names (or all, if there are fewer) to `out`: how many, their lengths, their bytes.
    /// Numbers are in base 128, low digits first. The same names always give the same bytes.
    pub fn write(&self, len: usize, out: &mut Vec<u8>) {
        let len = len.min(self.len());
        write_number(len, out);
        let mut start = 0;
        for &end in &self.ends[..len] {
            write_number(end - start, out);
            start = end;
        }
        out.extend_from_slice(&self.bytes[..start]);
    }

    /// Reads what [`Vocabulary::write`] wrote.
    pub fn read(mut bytes: &[u8]) -> Result<Self, Damage> {
        let len = read_number(&mut bytes)?;
        // Every name has a byte for its length: this bounds what a damaged file can make us allocate.
        if len > bytes.len() || len > BIAS as usize {
            return Err(Damage::CutShort);
        }
        let lengths = (0..len).map(|_| read_number(&mut bytes)).collect::<Result<Vec<_>, _>>()?;
        let mut vocabulary = Self {
            bytes: Vec::with_capacity(bytes.len()),
            ends: Vec::with_capacity(len),
            hashes: Vec::with_capacity(len),
            numbers: HashTable::with_capacity(len),
        };
        for (i, length) in lengths.into_iter().enumerate() {
            let (name, rest) = bytes.split_at_checked(length).ok_or(Damage::CutShort)?;
            if vocabulary.number(name) as usize != i {
                return Err(Damage::Twice(crate::error::quoted(name)));
            }
            bytes = rest;
        }
        if bytes.is_empty() { Ok(vocabulary) } else { Err(Damage::TooLong(bytes.len())) }
    }
}

/// Two vocabularies are equal if they number the same names alike.
impl PartialEq for Vocabulary {
    fn eq(&self, other: &Self) -> bool {
        self.ends == other.ends && self.bytes == other.bytes
    }
}

impl Eq for Vocabulary {}

/// What is wrong with stored names.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Damage {
    /// Bytes are missing.
    #[error("the names are cut short")]
    CutShort,
    /// A number that is too large for this machine.
    #[error("the names begin with a number that is too large")]
    NumberTooLarge,
    /// A name has two numbers.
    #[error("the name {0} is stored twice")]
    Twice(String),
    /// Bytes are left over.
    #[error("{0} bytes follow the names")]
    TooLong(usize),
    /// A table of collisions that is not as long as its bits say, or that counts wrongly.
    #[error("the table of collisions does not fit its own counts")]
    Collisions,
    /// Scales that are something else.
    #[error("the scales of features are damaged")]
    Scales,
    /// Counts of features that are something else.
    #[error("the counts of features are damaged")]
    Counts,
}

fn write_number(mut number: usize, out: &mut Vec<u8>) {
    while number >= 128 {
        out.push(number as u8 | 128);
        number >>= 7;
    }
    out.push(number as u8);
}

fn read_number(bytes: &mut &[u8]) -> Result<usize, Damage> {
    let mut number: usize = 0;
    for shift in (0..usize::BITS).step_by(7) {
        let (&byte, rest) = bytes.split_first().ok_or(Damage::CutShort)?;
        *bytes = rest;
        let digit = usize::from(byte & 127);
        if digit << shift >> shift != digit {
            return Err(Damage::NumberTooLarge);
        }
        number |= digit << shift;
        if byte < 128 {
            return Ok(number);
        }
    }
    Err(Damage::NumberTooLarge)
}

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
    /// The most bits: one fewer than a number has, so that none is [`BIAS`].
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
        self.reduce(xxh3_64(name))
    }

    fn reduce(self, hash: u64) -> u32 {
        hash as u32 & ((1 << self.bits) - 1)
    }
}

/// Counts the numbers that several names share, in 4 bytes per number.
///
/// Every number remembers 31 other bits of the hash of the first name that it stood for. Two names with the same number
/// are taken for one if those bits agree too, which has a probability of 2^-31.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Collisions {
    hashed: Hashed,
    /// 0: no name so far; otherwise 31 bits of the first name's hash (never 0), and the top bit if another name came.
    tags: Vec<u32>,
    used: u64,
    shared: u64,
}

const SHARED: u32 = 1 << 31;

impl Collisions {
    /// Nothing seen so far.
    pub fn new(hashed: Hashed) -> Self {
        Self { hashed, tags: vec![0; 1 << hashed.bits], used: 0, shared: 0 }
    }

    /// The number of a name, which is noted.
    #[inline]
    pub fn number(&mut self, name: &[u8]) -> u32 {
        self.number_of_hash(xxh3_64(name))
    }

    /// The same for whoever knows the name's hash.
    #[inline]
    pub(crate) fn number_of_hash(&mut self, hash: u64) -> u32 {
        let number = self.hashed.reduce(hash);
        let tag = ((hash >> 33) as u32).max(1);
        let slot = &mut self.tags[number as usize];
        if *slot == 0 {
            *slot = tag;
            self.used += 1;
        } else if *slot < SHARED && *slot != tag {
            *slot |= SHARED;
            self.shared += 1;
        }
        number
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
        self.tags.capacity() * size_of::<u32>()
    }

    /// Appends all that it knows to `out`: 4 bytes per number, low bytes first. Unused numbers are zeros, which compress well.
    pub fn write(&self, out: &mut Vec<u8>) {
        out.reserve(4 * self.tags.len());
        self.tags.iter().for_each(|tag| out.extend_from_slice(&tag.to_le_bytes()));
    }

    /// Reads what [`Collisions::write`] wrote.
    pub fn read(hashed: Hashed, bytes: &[u8]) -> Result<Self, Damage> {
        let (tags, []) = bytes.as_chunks::<4>() else { return Err(Damage::Collisions) };
        if tags.len() != 1 << hashed.bits {
            return Err(Damage::Collisions);
        }
        let tags: Vec<u32> = tags.iter().map(|tag| u32::from_le_bytes(*tag)).collect();
        if tags.contains(&SHARED) {
            return Err(Damage::Collisions);
        }
        let used = tags.iter().filter(|tag| **tag != 0).count() as u64;
        let shared = tags.iter().filter(|tag| **tag > SHARED).count() as u64;
        Ok(Self { hashed, tags, used, shared })
    }
}

#[cfg(test)]
mod tests {
    use std::collections::{HashMap, HashSet};

    use proptest::prelude::*;

    use super::*;

    fn written(vocabulary: &Vocabulary, len: usize) -> Vec<u8> {
        let mut bytes = Vec::new();
        vocabulary.write(len, &mut bytes);
        bytes
    }

    fn of(names: &[&str]) -> Vocabulary {
        let mut vocabulary = Vocabulary::default();
        names.iter().for_each(|name| _ = vocabulary.number(name.as_bytes()));
        vocabulary
    }

    #[test]
    fn names_are_numbered_as_they_come() {
        let mut names = Vocabulary::default();
        assert!(names.is_empty() && names.find(b"a").is_none() && names.name(0).is_none());
        assert_eq!(
            ["a", "", "b", "a", "", "é"].map(|name| names.number(name.as_bytes())),
            [0, 1, 2, 0, 1, 3]
        );
        assert_eq!(names.len(), 4);
        assert_eq!((names.find(b"b"), names.find(b"c")), (Some(2), None));
        assert_eq!(names.name(3), Some("é".as_bytes()));
        assert_eq!((names.name(4), names.name(BIAS)), (None, None));
        names.clear();
        assert_eq!((names.number(b"b"), names.len()), (0, 1));
    }

    #[test]
    fn a_million_names_keep_their_numbers() {
        let mut names = Vocabulary::default();
        for i in 0..1_000_000u32 {
            assert_eq!(names.number(format!("feature {i}").as_bytes()), i);
        }
        assert!((0..1_000_000u32).all(|i| names.find(format!("feature {i}").as_bytes()) == Some(i)));
        assert!(names.memory() > 1_000_000 * (14 + 8 + 5) && names.memory() < 60_000_000);
        assert_eq!(Vocabulary::read(&written(&names, usize::MAX)), Ok(names));
    }

    #[test]
    fn the_first_names_are_a_vocabulary() {
        let names = of(&["a", "bc", "", "d"]);
        assert_eq!(written(&names, 2), b"\x02\x01\x02abc");
        assert_eq!(Vocabulary::read(&written(&names, 3)), Ok(of(&["a", "bc", ""])));
        assert_eq!(Vocabulary::read(&written(&names, 0)), Ok(Vocabulary::default()));
    }

    #[test]
    fn damage_is_named() {
        let damage = |bytes: &[u8]| Vocabulary::read(bytes).unwrap_err().to_string();
        assert_eq!(damage(b""), "the names are cut short");
        assert_eq!(damage(b"\x02\x01\x02ab"), "the names are cut short");
        assert_eq!(damage(b"\x02\x01\x01aa"), "the name \"a\" is stored twice");
        assert_eq!(damage(b"\x01\x01ab"), "1 bytes follow the names");
        assert_eq!(damage(&[0xff; 12]), "the names begin with a number that is too large");
        assert_eq!(damage(b"\xff\xff\xff\x7f"), "the names are cut short");
    }

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
        assert_eq!(collisions.memory(), 4096);
        let mut bytes = Vec::new();
        collisions.write(&mut bytes);
        assert_eq!(Collisions::read(hashed, &bytes), Ok(collisions));
        assert_eq!(Collisions::read(hashed, &bytes[1..]), Err(Damage::Collisions));
        assert_eq!(Collisions::read(hashed, &bytes[4..]), Err(Damage::Collisions));
        bytes[..4].copy_from_slice(&SHARED.to_le_bytes());
        assert_eq!(Collisions::read(hashed, &bytes), Err(Damage::Collisions));
    }

    proptest! {
        #[test]
        fn a_vocabulary_is_a_map(names in prop::collection::vec(prop::collection::vec(0u8..3, 0..5), 0..400)) {
            let (mut vocabulary, mut map) = (Vocabulary::default(), HashMap::new());
            for name in &names {
                let next = map.len() as u32;
                prop_assert_eq!(vocabulary.find(name), map.get(name).copied());
                prop_assert_eq!(vocabulary.number(name), *map.entry(name).or_insert(next));
            }
            prop_assert_eq!(vocabulary.len(), map.len());
            prop_assert!(map.iter().all(|(name, number)| vocabulary.name(*number) == Some(name.as_slice())));
            prop_assert!(vocabulary.iter().enumerate().all(|(i, name)| map[&name.to_vec()] == i as u32));
            prop_assert_eq!(Vocabulary::read(&written(&vocabulary, usize::MAX)), Ok(vocabulary));
        }

        #[test]
        fn what_is_cut_short_is_an_error(names in prop::collection::hash_set("[a-z]{0,4}", 1..20), cut in any::<prop::sample::Index>()) {
            let bytes = written(&of(&names.iter().map(String::as_str).collect::<Vec<_>>()), usize::MAX);
            prop_assert!(Vocabulary::read(&bytes[..cut.index(bytes.len())]).is_err());
        }

        #[test]
        fn no_bytes_crash_the_reader(bytes in prop::collection::vec(any::<u8>(), 0..60)) {
            if let Ok(vocabulary) = Vocabulary::read(&bytes) {
                prop_assert_eq!(Vocabulary::read(&written(&vocabulary, usize::MAX)), Ok(vocabulary));
            }
            let _ = Collisions::read(Hashed::new(3).unwrap(), &bytes);
        }
    }
}
