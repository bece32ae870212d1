//! Names of features, and their numbers: [`Vocabulary`] numbers them exactly. (Those of [`Hashed`](super::Hashed) may share a number.)

use thalweg_core::BIAS;
use thalweg_core::keyed_hash::SecretKey;

use super::name_slots::NameSlots;
use super::name_store::{NameStore, Place};
use super::name_table::NameTable;

/// The numbers of the names seen so far: 0, 1, 2, ... in the order in which they came.
///
/// It is exact: a name that hashes like another is compared with it, byte by byte, so two names never share a number.
/// Nothing is ever removed, so a number means the same name for as long as the vocabulary lives, and the first n names
/// of a longer vocabulary are the vocabulary as it was when it had n.
///
/// Names are bytes: data is not always the UTF-8 that it should be, and a name must be what the file says.
///
/// A name costs its bytes and some 26 more: five beside it, four to find it by its number, and 12 to 24 in the hash table.
#[derive(Clone, Debug, Default)]
pub struct Vocabulary {
    names: NameStore,
    slots: NameSlots,
    /// Where every so many names the next one is.
    places: Vec<Place>,
    len: usize,
    /// What makes hashes: names that are chosen to hash alike would make every look-up slow. All vocabularies of a process hash alike.
    secret: SecretKey,
}

/// The place of every so many names is kept.
const STRIDE: usize = 2;

impl Vocabulary {
    /// The number of a name, which is added if it is new.
    ///
    /// # Panics
    /// At the 4 294 967 296th name: the last number is [`BIAS`].
    #[inline]
    pub fn number(&mut self, name: &[u8]) -> u32 {
        self.number_of_hash(name, self.secret.hash_bytes(name))
    }

    /// The same for whoever knows the name's hash.
    #[inline]
    pub(crate) fn number_of_hash(&mut self, name: &[u8], hash: u64) -> u32 {
        match self.find_hash(name, hash) {
            Some(number) => number,
            None => self.add(hash, name),
        }
    }

    /// The number of a name, if it is known.
    #[inline]
    pub fn find(&self, name: &[u8]) -> Option<u32> {
        self.find_hash(name, self.secret.hash_bytes(name))
    }

    /// The same for whoever knows the name's hash.
    #[inline]
    pub(crate) fn find_hash(&self, name: &[u8], hash: u64) -> Option<u32> {
        self.slots.find(hash, |place| self.names.number_if(place, name))
    }

    /// The name of a number, if there is one.
    pub fn name(&self, number: u32) -> Option<&[u8]> {
        let number = number as usize;
        let place = self.places.get(number / STRIDE)?;
        self.names.names_from(*place).nth(number % STRIDE)
    }

    /// The number of a name that is not here yet.
    pub(super) fn add_new(&mut self, name: &[u8]) -> u32 {
        debug_assert!(self.find(name).is_none());
        self.add(self.secret.hash_bytes(name), name)
    }

    /// No names, and room for so many.
    pub(super) fn with_capacity(names: usize) -> Self {
        Self { slots: NameSlots::with_capacity(names), ..Self::default() }
    }

    /// What makes the hashes of names.
    pub(crate) fn secret(&self) -> &SecretKey {
        &self.secret
    }

    /// The number of a name that is not here, by its place among those that are not: behind all others.
    pub(crate) fn behind(&self, place: u32) -> u32 {
        (self.len() as u32).saturating_add(place).min(BIAS - 1)
    }

    /// How many names there are.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Is there no name?
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// All names, in the order of their numbers.
    pub fn iter(&self) -> impl Iterator<Item = &[u8]> {
        self.names.names()
    }

    /// Bytes of memory that it holds.
    pub fn memory(&self) -> usize {
        self.names.memory() + self.slots.memory() + self.places.capacity() * size_of::<Place>()
    }

    /// Forgets all names and keeps the memory.
    pub(crate) fn clear(&mut self) {
        self.names.clear();
        self.slots.clear();
        self.places.clear();
        self.len = 0;
    }

    /// Asks for the memory of the slot of a name that is going to be looked up.
    #[inline]
    pub(crate) fn fetch(&self, name: &[u8]) {
        self.fetch_hash(self.secret.hash_bytes(name));
    }

    /// The same for whoever knows the name's hash.
    #[inline(always)]
    pub(super) fn fetch_hash(&self, hash: u64) {
        self.slots.fetch(hash);
    }

    /// All names so far, for other threads.
    pub(super) fn for_others(&self) -> NameTable {
        NameTable::new(self.slots.for_others(), self.names.for_others(), self.len as u32)
    }

    #[cold]
    #[inline(never)]
    fn add(&mut self, hash: u64, name: &[u8]) -> u32 {
        assert!(self.len < BIAS as usize, "all {BIAS} numbers of features are in use");
        if self.slots.is_full() {
            self.grow();
        }
        let number = self.len as u32;
        let place = self.names.push(number, name);
        if self.len.is_multiple_of(STRIDE) {
            self.places.push(place);
        }
        self.len += 1;
        self.slots.insert(hash, place);
        number
    }

    /// Doubles the table. Names are taken in the order in which they lie in memory, not in that of the old table: that one has
    /// a cache miss for every name.
    fn grow(&mut self) {
        /// So many slots are asked for before the first of them is filled.
        const TOGETHER: usize = 64;
        let mut slots = NameSlots::with_capacity(self.slots.capacity() + 1);
        let mut waiting = Vec::with_capacity(TOGETHER);
        let insert_all = |waiting: &mut Vec<(u64, Place)>, slots: &mut NameSlots| {
            waiting.drain(..).for_each(|(hash, place)| slots.insert(hash, place));
        };
        self.names.for_each(|place, name| {
            let hash = self.secret.hash_bytes(name);
            slots.fetch(hash);
            waiting.push((hash, place));
            if waiting.len() == TOGETHER {
                insert_all(&mut waiting, &mut slots);
            }
        });
        insert_all(&mut waiting, &mut slots);
        self.slots = slots;
    }

    /// Appends the first `len` names (or all, if there are fewer) to `out`: how many, their lengths, their bytes.
    /// Numbers are in base 128, low digits first. The same names always give the same bytes.
    pub fn write(&self, len: usize, out: &mut Vec<u8>) {
        let len = len.min(self.len());
        write_number(len, out);
        self.iter().take(len).for_each(|name| write_number(name.len(), out));
        self.iter().take(len).for_each(|name| out.extend_from_slice(name));
    }

    /// Reads what [`Vocabulary::write`] wrote.
    pub fn read(mut bytes: &[u8]) -> Result<Self, Damage> {
        let len = read_number(&mut bytes)?;
        // Every name has a byte for its length: this bounds what a damaged file can make us allocate.
        if len > bytes.len() || len > BIAS as usize {
            return Err(Damage::CutShort);
        }
        let lengths = (0..len).map(|_| read_number(&mut bytes)).collect::<Result<Vec<_>, _>>()?;
        let mut vocabulary = Self::with_capacity(len);
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
        self.len == other.len && self.iter().eq(other.iter())
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
    /// Hashes of more bits than there can be, or of none.
    #[error("names are hashed to 1 to 31 bits, not to as many as the file says")]
    HashBits,
    /// Scales that are something else.
    #[error("the scales of features are damaged")]
    Scales,
    /// Counts of features that are something else.
    #[error("the counts of features are damaged")]
    Counts,
}

pub(super) fn write_number(mut number: usize, out: &mut Vec<u8>) {
    while number >= 128 {
        out.push(number as u8 | 128);
        number >>= 7;
    }
    out.push(number as u8);
}

pub(super) fn read_number(bytes: &mut &[u8]) -> Result<usize, Damage> {
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

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

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
        assert!(
            names.memory() > 1_000_000 * (14 + 5 + 12) && names.memory() < 45_000_000,
            "{}",
            names.memory()
        );
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

    /// What is to be done to turn a hash of XXH3 (64 bits, no seed) back into the name of eight bytes that it is of.
    fn unhash(hash: u64) -> u64 {
        const PRIME: u64 = 0x9fb2_1c65_1e98_df25;
        // The inverse of an odd number: every step doubles the number of bits that are right.
        let inverse = (0..6).fold(PRIME, |x, _| x.wrapping_mul(2u64.wrapping_sub(PRIME.wrapping_mul(x))));
        let h = (hash ^ hash >> 28 ^ hash >> 56).wrapping_mul(inverse);
        let h = (h ^ ((h >> 35) + 8)).wrapping_mul(inverse);
        (0..6).fold(h, |h, power| h ^ h.rotate_left(49 << power & 63) ^ h.rotate_left(24 << power & 63))
    }

    /// A name whose hash of XXH3 is this.
    fn name_of(hash: u64) -> [u8; 8] {
        let number = unhash(hash) ^ unhash(xxhash_rust::xxh3::xxh3_64(&[0; 8]));
        number.rotate_left(32).to_le_bytes()
    }

    /// Names that all have the same place, and the same mark there, in a table that hashes them by a function that everybody knows.
    #[test]
    fn names_that_are_chosen_to_meet_do_not_meet() {
        let chosen: Vec<[u8; 8]> = (0..20_000).map(|i| name_of((i << 32) + 77)).collect();
        assert!(chosen.iter().zip(0..).all(|(name, i)| xxhash_rust::xxh3::xxh3_64(name) == (i << 32) + 77));
        let mut names = Vocabulary::default();
        chosen.iter().zip(0..).for_each(|(name, i)| assert_eq!(names.number(name), i));
        // By place, and by mark.
        for shift in [0, 49] {
            let mut meet = vec![0; 1 << 15];
            for name in &chosen {
                meet[(names.secret.hash_bytes(name) >> shift) as usize % (1 << 15)] += 1;
            }
            assert!(meet.iter().all(|count| *count < 16), "{:?} names meet", meet.iter().max());
        }
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
        }
    }
}
