//! Names one after the other, without a way to look them up.

use super::vocabulary::{Damage, read_number, write_number};

/// Names in the order of their numbers.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct NameList {
    bytes: Vec<u8>,
    ends: Vec<usize>,
}

impl NameList {
    pub(crate) fn len(&self) -> usize {
        self.ends.len()
    }

    /// The name at this place, if there is one.
    pub(crate) fn get(&self, place: usize) -> Option<&[u8]> {
        let end = *self.ends.get(place)?;
        let start = place.checked_sub(1).map_or(0, |before| self.ends[before]);
        Some(&self.bytes[start..end])
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = &[u8]> {
        (0..self.len()).filter_map(|place| self.get(place))
    }

    pub(crate) fn push(&mut self, name: &[u8]) {
        self.bytes.extend_from_slice(name);
        self.ends.push(self.bytes.len());
    }

    pub(crate) fn clear(&mut self) {
        self.bytes.clear();
        self.ends.clear();
    }

    /// Appends how many there are, their lengths and their bytes to `out`, in the form of [`Vocabulary::write`](super::Vocabulary::write).
    pub(crate) fn write(&self, out: &mut Vec<u8>) {
        write_number(self.len(), out);
        let mut start = 0;
        for &end in &self.ends {
            write_number(end - start, out);
            start = end;
        }
        out.extend_from_slice(&self.bytes);
    }

    /// Reads what [`NameList::write`] wrote.
    pub(crate) fn read(mut bytes: &[u8]) -> Result<Self, Damage> {
        let len = read_number(&mut bytes)?;
        // Every name has a byte for its length: this bounds what a damaged file can make us allocate.
        if len > bytes.len() {
            return Err(Damage::CutShort);
        }
        let (mut ends, mut end) = (Vec::with_capacity(len), 0usize);
        for _ in 0..len {
            end = end.checked_add(read_number(&mut bytes)?).ok_or(Damage::NumberTooLarge)?;
            ends.push(end);
        }
        match bytes.len().checked_sub(end) {
            None => Err(Damage::CutShort),
            Some(0) => Ok(Self { bytes: bytes.to_vec(), ends }),
            Some(more) => Err(Damage::TooLong(more)),
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn a_list_reads_back_as_it_was(names in prop::collection::vec(prop::collection::vec(any::<u8>(), 0..5), 0..40)) {
            let (mut list, mut bytes) = (NameList::default(), Vec::new());
            names.iter().for_each(|name| list.push(name));
            list.write(&mut bytes);
            prop_assert!(names.iter().enumerate().all(|(i, name)| list.get(i) == Some(&name[..])));
            prop_assert_eq!(list.get(names.len()), None);
            prop_assert_eq!(NameList::read(&bytes), Ok(list));
            prop_assert!((0..bytes.len()).all(|cut| NameList::read(&bytes[..cut]).is_err()));
        }

        #[test]
        fn no_bytes_crash_the_reader(bytes in prop::collection::vec(any::<u8>(), 0..60)) {
            let _ = NameList::read(&bytes);
        }
    }
}
