//! Names with their numbers, one after the other, in parts that no longer change once they are full: those can be shared with other
//! threads.

use std::sync::Arc;

use thalweg_core::fetch::fetch;

/// Where a name is stored: the part, and the byte where it begins there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Place(u64);

/// So many bits say which byte of a part it is, and so many which part.
const BYTE_BITS: u32 = 20;
pub(super) const PLACE_BITS: u32 = 40;
/// A part is full with so many bytes, which names that begin before may exceed.
const PART: usize = 1 << 18;
/// The length of a name that is longer stands behind this byte.
const LONG: u8 = u8::MAX;

impl Place {
    fn new(part: usize, byte: usize) -> Self {
        debug_assert!(byte < 1 << BYTE_BITS && part < 1 << (PLACE_BITS - BYTE_BITS));
        Self((part as u64) << BYTE_BITS | byte as u64)
    }

    /// From its bits.
    pub(super) fn from_bits(bits: u64) -> Self {
        Self(bits)
    }

    /// A number of [`PLACE_BITS`].
    pub(super) fn bits(self) -> u64 {
        self.0
    }

    fn part(self) -> usize {
        (self.0 >> BYTE_BITS) as usize
    }

    fn byte(self) -> usize {
        self.0 as usize & ((1 << BYTE_BITS) - 1)
    }
}

/// A name with its number, and where in its part it ends.
struct Record<'a> {
    number: u32,
    name: &'a [u8],
    end: usize,
}

/// The record that begins at a byte of a part.
#[inline(always)]
fn record(part: &[u8], byte: usize) -> Option<Record<'_>> {
    let (number, rest) = part.get(byte..)?.split_first_chunk()?;
    let (&length, rest) = rest.split_first()?;
    let (length, rest) = if length < LONG { (usize::from(length), rest) } else { long(rest)? };
    let (name, after) = rest.split_at_checked(length)?;
    Some(Record { number: u32::from_le_bytes(*number), name, end: part.len() - after.len() })
}

#[cold]
fn long(rest: &[u8]) -> Option<(usize, &[u8])> {
    let (length, rest) = rest.split_first_chunk()?;
    Some((u64::from_le_bytes(*length) as usize, rest))
}

/// The number of the name that is stored at a place, if it is this one.
#[inline(always)]
fn number_if(part: Option<&[u8]>, place: Place, name: &[u8]) -> Option<u32> {
    let record = record(part?, place.byte())?;
    are_equal(record.name, name).then_some(record.number)
}

/// Are two names equal? Most are short: those are compared without a loop.
#[inline(always)]
fn are_equal(a: &[u8], b: &[u8]) -> bool {
    /// The first and the last bytes of a name that has no others.
    #[inline(always)]
    fn ends<const N: usize>(name: &[u8]) -> Option<(&[u8; N], &[u8; N])> {
        name.first_chunk().zip(name.last_chunk())
    }
    if a.len() != b.len() || a.len() > 16 {
        return a == b;
    }
    match (ends::<8>(a), ends::<8>(b), ends::<4>(a), ends::<4>(b)) {
        (Some(a), Some(b), ..) => a == b,
        (.., Some(a), Some(b)) => a == b,
        _ => a == b,
    }
}

/// Names that can be added to.
#[derive(Clone, Debug, Default)]
pub(super) struct NameStore {
    sealed: Vec<Arc<[u8]>>,
    open: Vec<u8>,
}

impl NameStore {
    /// Adds a name, and says where it is.
    pub(super) fn push(&mut self, number: u32, name: &[u8]) -> Place {
        if self.open.len() >= PART {
            self.sealed.push(Arc::from(&self.open[..]));
            self.open.clear();
        }
        let place = Place::new(self.sealed.len(), self.open.len());
        self.open.extend_from_slice(&number.to_le_bytes());
        match u8::try_from(name.len()) {
            Ok(length) if length < LONG => self.open.push(length),
            _ => {
                self.open.push(LONG);
                self.open.extend_from_slice(&(name.len() as u64).to_le_bytes());
            }
        }
        self.open.extend_from_slice(name);
        place
    }

    /// All names so far, for other threads: the parts that are full, and a copy of the last one.
    pub(super) fn for_others(&self) -> SealedNames {
        let open = (!self.open.is_empty()).then(|| Arc::from(&self.open[..]));
        SealedNames(self.sealed.iter().cloned().chain(open).collect())
    }

    #[inline(always)]
    fn part(&self, part: usize) -> Option<&[u8]> {
        self.sealed.get(part).map_or((part == self.sealed.len()).then_some(&self.open[..]), |part| Some(part))
    }

    /// The number of the name at a place, if it is this one.
    #[inline(always)]
    pub(super) fn number_if(&self, place: Place, name: &[u8]) -> Option<u32> {
        number_if(self.part(place.part()), place, name)
    }

    /// The names from a place on.
    pub(super) fn names_from(&self, place: Place) -> impl Iterator<Item = &[u8]> {
        let (mut part, mut byte) = (place.part(), place.byte());
        std::iter::from_fn(move || {
            if self.sealed.get(part).is_some_and(|part| byte == part.len()) {
                (part, byte) = (part + 1, 0);
            }
            let record = record(self.part(part)?, byte)?;
            byte = record.end;
            Some(record.name)
        })
    }

    /// All names.
    pub(super) fn names(&self) -> impl Iterator<Item = &[u8]> {
        self.names_from(Place::new(0, 0))
    }

    /// All names with their places.
    pub(super) fn for_each(&self, mut each: impl FnMut(Place, &[u8])) {
        for number in 0..=self.sealed.len() {
            let (part, mut byte) = (self.part(number).unwrap_or_default(), 0);
            while let Some(record) = record(part, byte) {
                each(Place::new(number, byte), record.name);
                byte = record.end;
            }
        }
    }

    /// Forgets all names and keeps memory.
    pub(super) fn clear(&mut self) {
        self.sealed.clear();
        self.open.clear();
    }

    /// Bytes of memory that it holds.
    pub(super) fn memory(&self) -> usize {
        let parts = self.sealed.capacity() * size_of::<Arc<[u8]>>();
        self.sealed.iter().map(|part| part.len()).sum::<usize>() + self.open.capacity() + parts
    }
}

/// Names that do not change any more.
#[derive(Clone, Debug)]
pub(super) struct SealedNames(Arc<[Arc<[u8]>]>);

impl Default for SealedNames {
    fn default() -> Self {
        Self([].into())
    }
}

impl SealedNames {
    /// The number of the name at a place, if it is this one, and was there when the parts were sealed.
    #[inline(always)]
    pub(super) fn number_if(&self, place: Place, name: &[u8]) -> Option<u32> {
        number_if(self.0.get(place.part()).map(|part| &part[..]), place, name)
    }

    /// The name of a number, found by going through the part that it is in.
    pub(super) fn name(&self, number: u32) -> Option<&[u8]> {
        let first = |part: &Arc<[u8]>| record(part, 0).map(|record| record.number);
        let after = self.0.partition_point(|part| first(part).is_some_and(|first| first <= number));
        let part = &self.0[after.checked_sub(1)?];
        let next = |before: &Record<'_>| record(part, before.end);
        let found = std::iter::successors(record(part, 0), next).find(|record| record.number == number);
        found.map(|record| record.name)
    }

    /// Asks for the memory of what is stored at a place.
    #[inline(always)]
    pub(super) fn fetch(&self, place: Place) {
        if let Some(part) = self.0.get(place.part()) {
            fetch(part.as_ptr().wrapping_add(place.byte()));
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn names_are_where_they_were_put(
            names in prop::collection::vec((0u8..4, prop_oneof![0usize..20, 250usize..260, 300_000usize..300_001]), 0..40),
            shared in 0..40usize,
        ) {
            let names: Vec<Vec<u8>> = names.into_iter().map(|(byte, length)| vec![byte; length]).collect();
            let (mut store, mut places, mut for_others) = (NameStore::default(), Vec::new(), SealedNames::default());
            for (number, name) in names.iter().enumerate() {
                if number == shared {
                    for_others = store.for_others();
                }
                places.push(store.push(number as u32, name));
            }
            for (number, (place, name)) in places.iter().zip(&names).enumerate() {
                prop_assert_eq!(Place::from_bits(place.bits()), *place);
                prop_assert_eq!(store.number_if(*place, name), Some(number as u32));
                prop_assert_eq!(store.number_if(*place, &[&name[..], b"x"].concat()), None);
                let seen = shared < names.len() && number < shared;
                prop_assert_eq!(for_others.number_if(*place, name), seen.then_some(number as u32));
                prop_assert!(store.names_from(*place).eq(names[number..].iter().map(Vec::as_slice)));
            }
            prop_assert!(store.names().eq(names.iter().map(Vec::as_slice)));
            let mut all = places.iter().zip(&names);
            store.for_each(|place, name| assert_eq!(all.next(), Some((&place, &name.to_vec()))));
            prop_assert_eq!(all.next(), None);
        }

        #[test]
        fn equal_names_are_equal(a in prop::collection::vec(0u8..2, 0..20), b in prop::collection::vec(0u8..2, 0..20), at in 0..20usize) {
            prop_assert_eq!(are_equal(&a, &b), a == b);
            let mut other = a.clone();
            if let Some(byte) = other.get_mut(at) {
                *byte ^= 1;
            }
            prop_assert_eq!(are_equal(&a, &other), a == other);
        }
    }
}
