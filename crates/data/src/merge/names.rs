//! Names of features that several have given numbers of their own.

use thalweg_core::merge::Numbering;

use crate::names::{FeatureNames, Vocabulary};

/// Names that are new since a base, in order: so they have the same numbers whoever saw them first.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NewNames {
    /// How many names the base has.
    known: u32,
    names: Vocabulary,
}

impl NewNames {
    /// How many names there are, those of the base included.
    pub fn count(&self) -> u64 {
        u64::from(self.known) + self.names.len() as u64
    }

    /// How many the base has: the first new one has this number.
    pub fn first(&self) -> u32 {
        self.known
    }

    /// How many are new.
    pub fn len(&self) -> usize {
        self.names.len()
    }

    /// None at all?
    pub fn is_empty(&self) -> bool {
        self.names.is_empty()
    }

    /// The names of both, and which number each new name of the two has then.
    pub fn joined(&self, other: &Self) -> (Self, [Vec<u32>; 2]) {
        let (mut ours, mut theirs) = (self.names.iter().peekable(), other.names.iter().peekable());
        let mut joined = Self { known: self.known, names: Vocabulary::default() };
        let mut places = [Vec::with_capacity(self.len()), Vec::with_capacity(other.len())];
        loop {
            let next = match (ours.peek(), theirs.peek()) {
                (Some(a), Some(b)) => *a.min(b),
                (Some(one), None) | (None, Some(one)) => *one,
                (None, None) => return (joined, places),
            };
            let number = self.known.saturating_add(joined.names.number(next));
            if ours.next_if(|name| *name == next).is_some() {
                places[0].push(number);
            }
            if theirs.next_if(|name| *name == next).is_some() {
                places[1].push(number);
            }
        }
    }

    /// Adds them to the names of the base.
    pub(crate) fn add_to(&self, names: &mut Vocabulary) {
        self.names.iter().for_each(|name| _ = names.number(name));
    }

    pub(crate) fn write(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(&self.known.to_le_bytes());
        self.names.write(self.names.len(), out);
    }

    /// Reads what [`Self::write`] wrote; nothing if it is something else.
    pub(crate) fn read(bytes: &[u8]) -> Option<Self> {
        let (known, bytes) = bytes.split_first_chunk()?;
        let names = Vocabulary::read(bytes).ok()?;
        let known = u32::from_le_bytes(*known);
        let in_order = names.iter().is_sorted_by(|a, b| a < b);
        let all_have_numbers = u64::from(known) + names.len() as u64 <= u64::from(thalweg_core::BIAS);
        (in_order && all_have_numbers).then_some(Self { known, names })
    }
}

/// Which number a feature has in a gain: that of the base, or a new one, for a name that the base does not know.
#[derive(Clone, Debug, Default)]
pub struct GainNumbers {
    /// By the number that the feature has now. Empty where nothing has another number.
    of_gain: Vec<u32>,
    /// By the number that it has in the base; nothing if it has been forgotten since.
    of_learner: Vec<Option<u32>>,
}

impl GainNumbers {
    /// The numbers of features called so now, of which the base called them so, and the names that are new.
    pub(crate) fn new(now: &FeatureNames, base: &FeatureNames) -> (Self, NewNames) {
        let FeatureNames::Names(now) = now else { return <(Self, NewNames)>::default() };
        let nothing = Vocabulary::default();
        let base = if let FeatureNames::Names(base) = base { base } else { &nothing };
        let mut of_learner = vec![None; base.len()];
        let mut of_gain = Vec::with_capacity(now.len());
        let mut new: Vec<(&[u8], usize)> = Vec::new();
        for (i, name) in now.iter().enumerate() {
            // Mostly nothing was forgotten, and names have the numbers that they had.
            let same = base.name(i as u32).filter(|other| *other == name).map(|_| i as u32);
            if let Some(number) = same.or_else(|| base.find(name)) {
                of_learner[number as usize] = Some(i as u32);
                of_gain.push(number);
            } else {
                of_gain.push(0);
                new.push((name, i));
            }
        }
        new.sort_unstable();
        let known = base.len() as u32;
        let mut names = NewNames { known, names: Vocabulary::default() };
        for (name, i) in new {
            of_gain[i] = known + names.names.number(name);
        }
        (Self { of_gain, of_learner }, names)
    }
}

impl Numbering for GainNumbers {
    fn of_gain(&self, feature: u32) -> u32 {
        self.of_gain.get(feature as usize).copied().unwrap_or(feature)
    }

    fn of_learner(&self, feature: u32) -> Option<u32> {
        if self.of_gain.is_empty() {
            Some(feature)
        } else {
            self.of_learner.get(feature as usize).copied()?
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(all: &[&str]) -> FeatureNames {
        let mut names = Vocabulary::default();
        all.iter().for_each(|name| _ = names.number(name.as_bytes()));
        FeatureNames::Names(names)
    }

    #[test]
    fn names_are_joined_by_name_whatever_numbers_they_had() {
        let base = names(&["b", "a"]);
        let (numbers, first) = GainNumbers::new(&names(&["b", "a", "z", "c"]), &base);
        assert_eq!([0, 1, 2, 3].map(|feature| numbers.of_gain(feature)), [0, 1, 3, 2]);
        // "b" was forgotten, and "a" has its number.
        let (numbers, second) = GainNumbers::new(&names(&["a", "d", "c"]), &base);
        assert_eq!([0, 1, 2].map(|feature| numbers.of_gain(feature)), [1, 3, 2]);
        assert_eq!([0, 1].map(|feature| numbers.of_learner(feature)), [None, Some(0)]);
        let (joined, places) = first.joined(&second);
        assert_eq!(places, [vec![2, 4], vec![2, 3]]);
        assert_eq!(joined, second.joined(&first).0);
        let FeatureNames::Names(mut all) = base else { unreachable!() };
        joined.add_to(&mut all);
        assert_eq!(names(&["b", "a", "c", "d", "z"]).write(), FeatureNames::Names(all).write());
        let mut bytes = Vec::new();
        joined.write(&mut bytes);
        assert_eq!(NewNames::read(&bytes), Some(joined));
        (0..bytes.len()).for_each(|end| assert_eq!(NewNames::read(&bytes[..end]), None));
    }

    #[test]
    fn numbers_stay_where_features_have_no_names() {
        let (numbers, new) = GainNumbers::new(&FeatureNames::Numbers, &FeatureNames::Numbers);
        assert_eq!((numbers.of_gain(7), numbers.of_learner(8), new.len()), (7, Some(8), 0));
    }
}
