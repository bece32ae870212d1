//! The names of an input as its cache numbers them, and the numbers that they have in the stream.
//!
//! A cache numbers the names of its input 0, 1, 2, ... as they come, and says what each is called where it comes first. A stream that
//! begins with this input, or whose model has learned from it before, numbers them in the same way: then there is nothing to do. From the first name on
//! for which that is not so, a table holds the numbers of the stream.

use thalweg_core::{BIAS, Batch};

use super::eviction::NewNumbers;
use super::name_list::NameList;

/// The number of a name that was not looked up yet.
pub(crate) const NOT_LOOKED_UP: u32 = BIAS;

/// Names that come first with a piece, which follow the names of the pieces before it.
#[derive(Clone, Debug, Default)]
pub(crate) struct NamesOfInput {
    pub(crate) first: u32,
    pub(crate) names: NameList,
}

impl NamesOfInput {
    /// Numbers of features are below this.
    pub(crate) fn end(&self) -> u64 {
        u64::from(self.first) + self.names.len() as u64
    }
}

/// The numbers that the names of an input have in a stream.
#[derive(Debug, Default)]
pub(crate) struct InputNames {
    /// Names before this one have the number in the stream that they have here. They are not kept.
    base: u32,
    /// The names from there on.
    names: NameList,
    /// So many of these, too, have the same number.
    same: usize,
    /// Once one of them has another: the numbers of all of them.
    numbers: Option<Vec<u32>>,
}

impl InputNames {
    /// For a stream that does not keep the names, or may give them other numbers.
    pub(crate) fn that_keep_all() -> Self {
        Self { numbers: Some(Vec::new()), ..Self::default() }
    }

    /// The number that the next name will have here.
    pub(crate) fn next(&self) -> u32 {
        self.base + self.names.len() as u32
    }

    /// Takes the names that come first with a piece. In later passes they are known already, here or to the stream. `false` if some are missing
    /// before these, or if a number would have two names.
    #[must_use]
    pub(crate) fn take<'a>(
        &mut self,
        new: &NamesOfInput,
        in_stream: impl Fn(u32) -> Option<&'a [u8]>,
    ) -> bool {
        let known = self.next();
        if new.first > known || new.end() > u64::from(BIAS) {
            return false;
        }
        for (number, place) in (new.first..).zip(0..new.names.len()) {
            let name = new.names.get(place);
            if number >= known {
                self.names.push(name.unwrap_or_default());
            } else if name != if number < self.base { in_stream(number) } else { self.name(number) } {
                return false;
            }
        }
        if let Some(numbers) = &mut self.numbers {
            numbers.resize(self.names.len(), NOT_LOOKED_UP);
        }
        true
    }

    /// The name of a feature, if it is kept, and its number in the stream, which may not be known yet.
    pub(crate) fn entry(&mut self, feature: u32) -> Option<(&[u8], &mut u32)> {
        let place = feature.checked_sub(self.base)? as usize;
        Some((self.names.get(place)?, self.numbers.as_mut()?.get_mut(place)?))
    }

    /// The name of a feature, if it is kept.
    pub(crate) fn name(&self, feature: u32) -> Option<&[u8]> {
        self.names.get(feature.checked_sub(self.base)? as usize)
    }

    /// Names have got other numbers in the stream, or none.
    pub(crate) fn follow(&mut self, new: &NewNumbers) {
        for number in self.numbers.iter_mut().flatten() {
            *number = new.of(*number).unwrap_or(NOT_LOOKED_UP);
        }
    }

    /// Gives the features of these examples their numbers in the stream. Whenever a name is met first, in the order of the examples, `number` is asked
    /// for its number.
    pub(crate) fn renumber(&mut self, batch: &mut Batch, mut number: impl FnMut(&[u8], u32) -> u32) {
        if self.numbers.is_none() {
            self.numbers = self.first_that_differs(batch, &mut number);
        }
        let Self { base, names, numbers: Some(numbers), .. } = self else { return };
        batch.renumber(0, |feature| {
            let Some(place) = feature.checked_sub(*base) else { return feature };
            let known = &mut numbers[place as usize];
            if *known == NOT_LOOKED_UP {
                *known = number(names.get(place as usize).unwrap_or_default(), feature);
            }
            *known
        });
    }

    /// Looks up the names that these examples bring. If one has another number than here, the numbers of all names that are kept.
    fn first_that_differs(
        &mut self,
        batch: &Batch,
        number: &mut impl FnMut(&[u8], u32) -> u32,
    ) -> Option<Vec<u32>> {
        let mut next = self.base + self.same as u32;
        for i in 0..batch.len() {
            let row = batch.row(i).indices;
            let row = row.strip_suffix(&[BIAS]).unwrap_or(row);
            // Rows are in order: what is new is at the end.
            let known = row.len() - row.iter().rev().take_while(|feature| **feature >= next).count();
            for &feature in &row[known..] {
                let place = (feature - self.base) as usize;
                let found = number(self.names.get(place).unwrap_or_default(), feature);
                if (feature, found) == (next, next) {
                    next += 1;
                    continue;
                }
                let mut numbers: Vec<u32> = (self.base..next).collect();
                numbers.resize(self.names.len(), NOT_LOOKED_UP);
                numbers[place] = found;
                return Some(numbers);
            }
        }
        self.same = (next - self.base) as usize;
        if self.same == self.names.len() {
            self.names.clear();
            (self.base, self.same) = (next, 0);
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::names::vocabulary::Vocabulary;

    fn take(names: &mut InputNames, known: &Vocabulary, first: u32, new: &[&str]) -> bool {
        let mut list = NameList::default();
        new.iter().for_each(|name| list.push(name.as_bytes()));
        names.take(&NamesOfInput { first, names: list }, |number| known.name(number))
    }

    fn rows(rows: &[&[u32]]) -> Batch {
        let mut batch = Batch::default();
        rows.iter().for_each(|row| _ = batch.push(row.iter().map(|f| (*f, 1.0)), None).unwrap());
        batch
    }

    fn renumbered(names: &mut InputNames, known: &mut Vocabulary, all: &[&[u32]]) -> Vec<Vec<u32>> {
        let mut batch = rows(all);
        names.renumber(&mut batch, |name, _| known.number(name));
        (0..batch.len()).map(|i| batch.row(i).indices.to_vec()).collect()
    }

    #[test]
    fn the_first_input_of_a_stream_has_its_numbers_and_keeps_no_names() {
        let (mut names, mut known) = (InputNames::default(), Vocabulary::default());
        assert!(take(&mut names, &known, 0, &["a", "b"]));
        assert_eq!(renumbered(&mut names, &mut known, &[&[0, BIAS], &[0, 1]]), [vec![0, BIAS], vec![0, 1]]);
        assert!(take(&mut names, &known, 2, &["c"]));
        assert_eq!(renumbered(&mut names, &mut known, &[&[1], &[0, 2]]), [vec![1], vec![0, 2]]);
        assert!(names.names.len() == 0 && names.numbers.is_none());
        // In the next pass.
        assert!(take(&mut names, &known, 0, &["a", "b"]) && take(&mut names, &known, 2, &["c"]));
        assert_eq!(renumbered(&mut names, &mut known, &[&[0, 2]]), [[0, 2]]);
        assert!(names.names.len() == 0 && known.len() == 3);
        assert!(!take(&mut names, &known, 4, &["e"]), "a name is missing");
        assert!(!take(&mut names, &known, 1, &["x"]), "a number has two names");
    }

    #[test]
    fn names_that_are_known_already_have_the_numbers_that_they_had() {
        let (mut names, mut known) = (InputNames::default(), Vocabulary::default());
        ["a", "x", "c"].iter().for_each(|name| _ = known.number(name.as_bytes()));
        assert!(take(&mut names, &known, 0, &["a", "b", "c"]));
        assert_eq!(
            renumbered(&mut names, &mut known, &[&[0], &[0, 1, 2], &[1]]),
            [vec![0], vec![0, 2, 3], vec![3]]
        );
        assert_eq!(names.name(1), Some(&b"b"[..]));
    }

    /// The examples that a name came with may have been refused.
    #[test]
    fn names_without_an_example_get_no_number() {
        let (mut names, mut known) = (InputNames::default(), Vocabulary::default());
        assert!(take(&mut names, &known, 0, &["a", "b", "c", "d"]));
        assert_eq!(
            renumbered(&mut names, &mut known, &[&[0], &[0, 2], &[3]]),
            [vec![0], vec![0, 1], vec![2]]
        );
        assert_eq!(known.find(b"b"), None);
        assert_eq!(renumbered(&mut names, &mut known, &[&[1, 2]]), [[1, 3]]);
    }

    /// As only a file has that was made to do harm.
    #[test]
    fn a_name_that_comes_twice_is_one_feature() {
        let (mut names, mut known) = (InputNames::default(), Vocabulary::default());
        assert!(take(&mut names, &known, 0, &["a", "b"]));
        assert_eq!(renumbered(&mut names, &mut known, &[&[0, 1]]), [[0, 1]]);
        assert!(take(&mut names, &known, 2, &["a", "c"]));
        assert_eq!(renumbered(&mut names, &mut known, &[&[0, 1, 2, 3]]), [[0, 1, 2]]);
    }
}
