//! Names that all parsing threads share.
//!
//! A thread that parses a piece does not know what came before it. It numbers names by itself, and the stream looks each of them up again
//! when it comes to the piece. Most names of most data occur again and again, so the first names of the stream are published for
//! all threads. A name that a thread finds there has its final number at once. Which names are published when depends on timing, but no
//! number depends on it: a published name has the number that the stream gave it, and the others get theirs in the order of the pieces.

use std::sync::{Arc, Mutex, PoisonError};

use thalweg_core::BIAS;
use thalweg_core::keyed_hash::SecretKey;

use super::feature_names::FeatureNames;
use super::vocabulary::Vocabulary;

/// There are never more than these: what is frequent comes early, and a small table stays in the processor's cache.
const MOST: usize = 1 << 17;
/// Nor do they have more bytes than these, all together.
const MOST_BYTES: usize = 16 << 20;
/// It does not pay to publish fewer.
const FEWEST: usize = 1 << 9;
/// A search looks at so many slots. A name that finds none free among them is left out, and so are all later ones: no choice of names
/// makes a search long. With half of all slots free this does not happen by chance.
const REACH: usize = 128;

/// A hash table of names and their numbers, which are 0, 1, 2, ...
#[derive(Debug, Default)]
pub(crate) struct NameTable {
    /// A power of two, or none.
    slots: Vec<Slot>,
    names: Vec<u8>,
    ends: Vec<u32>,
    /// What keys are hashed with: nobody can choose names that all want the same slot.
    secret: [u64; 2],
}

/// What a name is found by. One of up to [`SHORT`] bytes is all here. Of a longer one, there are a hash, the last bytes and the
/// length, and all of it must be compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Key {
    head: u64,
    tail: u64,
    length: u32,
}

#[derive(Clone, Copy, Debug)]
struct Slot {
    key: Key,
    /// The constant feature's is the number of no name.
    number: u32,
}

const EMPTY: Slot = Slot { key: Key { head: 0, tail: 0, length: u32::MAX }, number: BIAS };
/// So many bytes are in a key.
pub(crate) const SHORT: usize = 16;

impl Key {
    /// The key of a name; the secret is that of vocabularies.
    #[inline(always)]
    pub(crate) fn of(name: &[u8], secret: &SecretKey) -> Self {
        let length = name.len() as u32;
        if name.len() > SHORT {
            let tail = name.last_chunk().map_or(0, |bytes| u64::from_le_bytes(*bytes));
            return Self { head: secret.hash_bytes(name), tail, length };
        }
        if let (Some(first), Some(last)) = (name.first_chunk(), name.last_chunk()) {
            return Self { head: u64::from_le_bytes(*first), tail: u64::from_le_bytes(*last), length };
        }
        if let (Some(first), Some(last)) = (name.first_chunk(), name.last_chunk()) {
            let [first, last] = [first, last].map(|bytes| u64::from(u32::from_le_bytes(*bytes)));
            return Self { head: first | last << 32, tail: 0, length };
        }
        // The first, the last and whichever is between them: no loop, whose end the processor would have to guess.
        let byte = |at: usize| name.get(at).map_or(0, |byte| u64::from(*byte));
        let head = byte(0) | byte(name.len() / 2) << 8 | byte(name.len().saturating_sub(1)) << 16;
        Self { head, tail: 0, length }
    }

    /// The length of its name.
    #[inline(always)]
    pub(crate) fn length(self) -> usize {
        self.length as usize
    }

    /// Its name, if that is short.
    pub(crate) fn short_name(self) -> [u8; SHORT] {
        let (mut name, length) = ([0; SHORT], self.length as usize);
        match length {
            8..=SHORT => {
                name[..8].copy_from_slice(&self.head.to_le_bytes());
                name[length - 8..length].copy_from_slice(&self.tail.to_le_bytes());
            }
            4..8 => {
                let head = self.head.to_le_bytes();
                name[..4].copy_from_slice(&head[..4]);
                name[length - 4..length].copy_from_slice(&head[4..]);
            }
            2 => name[..2].copy_from_slice(&[self.head as u8, (self.head >> 8) as u8]),
            _ => name[..8].copy_from_slice(&self.head.to_le_bytes()),
        }
        name
    }

    /// Both halves of a product of both words, mixed, and multiplied once more: names that count up change the lowest bits of the halves
    /// most, and the highest bits choose the slot.
    #[inline(always)]
    fn hash(self, secret: [u64; 2]) -> u64 {
        let one = self.head ^ secret[0];
        let other = self.tail ^ secret[1] ^ u64::from(self.length) << 32;
        let product = u128::from(one) * u128::from(other);
        ((product >> 64) as u64 ^ product as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15)
    }
}

impl NameTable {
    /// The first names of a vocabulary: `len` of them, unless one finds no slot or they are long.
    fn new(vocabulary: &Vocabulary, len: usize) -> Self {
        let mut new = Self {
            slots: vec![EMPTY; (2 * len).next_power_of_two()],
            names: Vec::new(),
            ends: Vec::with_capacity(len),
            secret: [b"one", b"two"].map(|word| vocabulary.secret().hash_bytes(word)),
        };
        for (number, name) in vocabulary.iter().take(len).enumerate() {
            let key = Key::of(name, vocabulary.secret());
            let free = new.way(key).find(|slot| new.slots[*slot].number == BIAS);
            let Some(slot) = free.filter(|_| new.names.len() + name.len() <= MOST_BYTES) else { break };
            new.slots[slot] = Slot { key, number: number as u32 };
            new.names.extend_from_slice(name);
            new.ends.push(new.names.len() as u32);
        }
        new
    }

    /// How many names there are.
    pub(crate) fn len(&self) -> usize {
        self.ends.len()
    }

    /// The number of a name, whose key is known, if it is here.
    #[inline]
    pub(crate) fn find(&self, key: Key, name: &[u8]) -> Option<u32> {
        if self.slots.is_empty() {
            return None;
        }
        for slot in self.way(key) {
            let Slot { key: other, number } = self.slots[slot];
            if other == key && (key.length() <= SHORT || self.name(number) == name) {
                return Some(number);
            }
            if number == BIAS {
                return None;
            }
        }
        None
    }

    /// The number that stands in the first slot where a name may be, if it is that of a name with the same key. There is no
    /// branch here, so the processor waits for the slots of many names at the same time.
    #[inline(always)]
    pub(crate) fn guess(&self, key: Key) -> u32 {
        let Some(last) = self.slots.len().checked_sub(1) else { return BIAS };
        let Slot { key: other, number } = self.slots[self.first(key, last)];
        let differs =
            (other.head ^ key.head) | (other.tail ^ key.tail) | u64::from(other.length ^ key.length);
        if differs == 0 { number } else { BIAS }
    }

    /// The name of a number that is here.
    pub(crate) fn name(&self, number: u32) -> &[u8] {
        let start = (number as usize).checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.names[start as usize..self.ends[number as usize] as usize]
    }

    /// Where to look for a name.
    #[inline(always)]
    fn way(&self, key: Key) -> impl Iterator<Item = usize> + use<> {
        let last = self.slots.len() - 1;
        let first = self.first(key, last);
        (first..first + REACH).map(move |slot| slot & last)
    }

    /// The first slot for a name, of those up to `last`.
    #[inline(always)]
    fn first(&self, key: Key, last: usize) -> usize {
        (key.hash(self.secret) >> (last.leading_zeros() % 64)) as usize & last
    }
}

/// The names that are shared now.
#[derive(Debug, Default)]
pub(crate) struct SharedNames(Mutex<Arc<NameTable>>);

impl SharedNames {
    /// What is shared now.
    pub(crate) fn current(&self) -> Arc<NameTable> {
        Arc::clone(&self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Publishes the names, if there are more than are shared already and enough lookups have `missed` to pay for it. None of them may
    /// ever get another number.
    pub(crate) fn publish(&self, names: &Vocabulary, missed: usize) -> bool {
        let len = names.len().min(MOST);
        let pays = len > self.current().len() && missed >= 2 * len.max(FEWEST);
        if pays {
            *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Arc::new(NameTable::new(names, len));
        }
        pays
    }

    /// Shares all names that a model has, as many as there may be.
    pub(crate) fn publish_all(&self, names: &FeatureNames) {
        if let FeatureNames::Names(vocabulary) = names {
            self.publish(vocabulary, usize::MAX);
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn find(table: &NameTable, name: &[u8]) -> Option<u32> {
        let key = Key::of(name, &SecretKey::default());
        if name.len() <= SHORT {
            assert_eq!(&key.short_name()[..key.length()], name);
        }
        table.find(key, name)
    }

    fn vocabulary<'a>(names: impl IntoIterator<Item = &'a [u8]>) -> Vocabulary {
        let mut vocabulary = Vocabulary::default();
        names.into_iter().for_each(|name| _ = vocabulary.number(name));
        vocabulary
    }

    #[test]
    fn what_is_shared_is_found() {
        let names: Vec<String> = (0..5000).map(|i| format!("{}{i}", "x".repeat(i % 23))).collect();
        let vocabulary = vocabulary(names.iter().map(String::as_bytes));
        let table = NameTable::new(&vocabulary, 4000);
        let found = |i: usize| find(&table, names[i].as_bytes());
        assert_eq!(table.len(), 4000);
        assert!((0..4000).all(|i| found(i) == Some(i as u32)));
        assert!((4000..5000).all(|i| found(i).is_none()));
        assert!((0..4000).all(|i| table.name(i as u32) == names[i].as_bytes()));
        assert_eq!((find(&NameTable::default(), b"a"), NameTable::default().len()), (None, 0));
    }

    /// Names that look alike to a table that does not look at all of them.
    #[test]
    fn names_that_differ_in_one_byte_are_different() {
        for length in 0..40 {
            let base = vec![b'a'; length];
            let mut names = vec![base.clone(), [&base[..], b"a"].concat()];
            for at in 0..length {
                names.push(base.clone());
                names.last_mut().unwrap()[at] = b'b';
            }
            let all = vocabulary(names.iter().map(Vec::as_slice));
            let table = NameTable::new(&all, all.len());
            for (i, name) in names.iter().enumerate() {
                assert_eq!(find(&table, name), Some(i as u32), "{name:?}");
            }
        }
    }

    /// Names with an end that would have made every product zero when the secret was a constant.
    #[test]
    fn names_that_are_chosen_to_meet_have_places_of_their_own() {
        let end = (0xd1b5_4a32_d192_ed03 ^ 16u64 << 32).to_le_bytes();
        let names: Vec<Vec<u8>> = (0..1000u64).map(|i| [i.to_le_bytes(), end].concat()).collect();
        let all = vocabulary(names.iter().map(Vec::as_slice));
        assert_eq!(NameTable::new(&all, 1000).len(), 1000);
    }

    #[test]
    fn more_is_shared_as_there_is_more() {
        let (shared, mut names, mut missed) = (SharedNames::default(), Vocabulary::default(), 0);
        let mut current = Vec::new();
        for i in 0..2 * MOST {
            names.number(&i.to_le_bytes());
            missed += 4;
            if shared.publish(&names, missed) {
                current.push(shared.current().len());
                missed = 0;
            }
        }
        assert_eq!(current, [256, 512, 1024, 2048, 4096, 8192, 16384, 32768, 65536, 131_072]);
    }

    proptest! {
        #[test]
        fn a_name_has_the_number_it_was_shared_with(
            names in prop::collection::vec(prop::collection::vec(0u8..2, 0..20), 0..200), current in 0..200usize,
        ) {
            let all = vocabulary(names.iter().map(Vec::as_slice));
            let table = NameTable::new(&all, current);
            prop_assert!(table.len() == current.min(all.len()));
            for name in &names {
                let number = all.find(name).filter(|number| (*number as usize) < current);
                prop_assert_eq!(find(&table, name), number);
            }
        }
    }
}
