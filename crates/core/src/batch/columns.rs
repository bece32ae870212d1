//! Whole columns of examples at once: how a cache is read.

use pulp::{Arch, NullaryFnOnce};

use super::{Batch, Class};
use crate::Real;

/// The features and values of all examples, one after the other.
#[derive(Clone, Copy, Debug)]
pub struct Columns<'a> {
    /// Feature indices.
    pub indices: &'a [u32],
    /// Their values.
    pub values: &'a [Real],
}

/// What the numbers of a column say about features.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Numbers {
    /// Which they are.
    Features,
    /// How far each is from the one before it in its row, or from 0.
    Differences,
}

/// Columns that no batch would have.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("rows are not sorted, not finite, or of the wrong length")]
pub struct Malformed;

impl Batch {
    /// All features and values, one example after the other.
    pub fn columns(&self) -> Columns<'_> {
        Columns { indices: &self.indices, values: &self.values }
    }

    /// Adds whole examples that were stored as columns: the number of features, the label and the weight of every example; `columns`
    /// appends the values of all and a number for each feature, and says what the numbers are. Nothing is added
    /// unless it succeeds and the rows keep what a batch promises.
    pub fn append(
        &mut self,
        lengths: &[u32],
        labels: impl ExactSizeIterator<Item = Option<Class>>,
        importances: &[f32],
        columns: impl FnOnce(&mut Vec<u32>, &mut Vec<Real>) -> Option<Numbers>,
    ) -> Result<(), Malformed> {
        let Self { indices, values, ends, .. } = self;
        let (features_before, ends_before) = (indices.len(), ends.len());
        let numbers = columns(indices, values);
        let sound = (lengths.len(), lengths.len()) == (labels.len(), importances.len())
            && indices.len() == values.len()
            && match numbers {
                Some(Numbers::Features) => increase(&indices[features_before..], lengths),
                Some(Numbers::Differences) => add_up(&mut indices[features_before..], lengths),
                None => false,
            }
            && are_sound(&values[features_before..]);
        if !sound {
            indices.truncate(features_before);
            values.truncate(features_before);
            return Err(Malformed);
        }
        let mut end = features_before;
        ends.reserve(lengths.len());
        for length in lengths {
            end += *length as usize;
            ends.push(end);
        }
        debug_assert_eq!((end, ends.len()), (indices.len(), ends_before + lengths.len()));
        self.labels.extend(labels);
        self.importances.extend_from_slice(importances);
        Ok(())
    }
}

/// Do features increase within rows, and are there as many as the rows have?
fn increase(features: &[u32], lengths: &[u32]) -> bool {
    // Wherever one does not, a row must end. All are looked at together, whatever row they belong to.
    let all = Arch::new().dispatch(CountFalls(features));
    let (mut rest, mut last, mut at_ends) = (features, None, 0u32);
    for length in lengths {
        let Some((row, after)) = rest.split_at_checked(*length as usize) else { return false };
        if let [first, ..] = row {
            at_ends = at_ends.wrapping_add(u32::from(last.is_some_and(|last| first <= last)));
            last = row.last();
        }
        rest = after;
    }
    rest.is_empty() && all == at_ends
}

/// How many features are not larger than the one before them?
struct CountFalls<'a>(&'a [u32]);

impl NullaryFnOnce for CountFalls<'_> {
    type Output = u32;

    #[inline(always)]
    fn call(self) -> u32 {
        let mut falls = 0u32;
        for (before, after) in self.0.iter().zip(self.0.get(1..).unwrap_or_default()) {
            falls = falls.wrapping_add(u32::from(after <= before));
        }
        falls
    }
}

/// Makes features of the differences between those of a row. Do they increase, and are there as many as the rows have?
fn add_up(differences: &mut [u32], lengths: &[u32]) -> bool {
    // A difference of zero is all right at the beginning of a row, and nowhere else.
    let zeros =
        differences.iter().fold(0u32, |zeros, difference| zeros.wrapping_add(u32::from(*difference == 0)));
    let (mut rest, mut zeros_at_first, mut largest) = (differences, 0u32, 0);
    for length in lengths {
        let Some((row, after)) = rest.split_at_mut_checked(*length as usize) else { return false };
        rest = after;
        zeros_at_first = zeros_at_first.wrapping_add(u32::from(row.first() == Some(&0)));
        largest = largest.max(add_up_row(row));
    }
    rest.is_empty() && zeros == zeros_at_first && u32::try_from(largest).is_ok()
}

/// Makes sums of differences, and returns the last one. Four at a time, of which only the last waits for those before them.
#[inline(always)]
fn add_up_row(row: &mut [u32]) -> u64 {
    let (fours, others) = row.as_chunks_mut::<4>();
    let mut sum = 0;
    for four in fours {
        let [a, b, c, d] = four.map(u64::from);
        let [ab, cd] = [a + b, c + d];
        *four = [sum + a, sum + ab, sum + ab + c, sum + (ab + cd)].map(|sum| sum as u32);
        sum += ab + cd;
    }
    for difference in others {
        sum += u64::from(*difference);
        *difference = sum as u32;
    }
    sum
}

/// Are all values finite, and none of them zero?
pub(super) fn are_sound(values: &[Real]) -> bool {
    Arch::new().dispatch(CountUnsound(values)) == 0
}

/// How many values are not finite, or zero? There is no way out half-way, so that many are looked at together.
struct CountUnsound<'a>(&'a [Real]);

impl NullaryFnOnce for CountUnsound<'_> {
    type Output = Bits;

    #[inline(always)]
    fn call(self) -> Bits {
        // Without the sign and less one, zero comes last, and what is not finite before it.
        const INFINITE: Bits = Real::INFINITY.to_bits() << 1;
        let mut unsound = 0;
        for x in self.0 {
            unsound += Bits::from((x.to_bits() << 1).wrapping_sub(1) >= INFINITE - 1);
        }
        unsound
    }
}

#[cfg(not(thalweg_real = "f64"))]
type Bits = u32;
#[cfg(thalweg_real = "f64")]
type Bits = u64;

#[cfg(test)]
mod tests {
    use super::*;

    fn add(
        batch: &mut Batch,
        form: Numbers,
        lengths: &[u32],
        numbers: &[u32],
        values: &[Real],
    ) -> Result<(), Malformed> {
        let importances = vec![1.0; lengths.len()];
        batch.append(lengths, lengths.iter().map(|_| Some(1)), &importances, |all_numbers, all_values| {
            all_numbers.extend_from_slice(numbers);
            all_values.extend_from_slice(values);
            Some(form)
        })
    }

    #[test]
    fn columns_are_taken_whole_or_not_at_all() {
        let mut batch = Batch::default();
        let differences = Numbers::Differences;
        assert_eq!(add(&mut batch, differences, &[2, 0, 1], &[3, 4, 0], &[1.0, 2.0, 3.0]), Ok(()));
        assert_eq!(add(&mut batch, differences, &[0, 2, 0, 0, 1, 0], &[3, 4, 8], &[1.0, 2.0, 3.0]), Ok(()));
        assert_eq!(batch.append(&[], [].into_iter(), &[], |_, _| None), Err(Malformed));
        for (lengths, numbers, values) in [
            (&[2][..], &[7, 0][..], &[1.0, 1.0][..]),
            (&[1, 2, 1], &[7, 7, 0, 7], &[1.0, 1.0, 1.0, 1.0]),
            (&[2], &[7, u32::MAX], &[1.0, 1.0]),
            (&[5], &[7, 1, 0, 1, 1], &[1.0; 5]),
            (&[5], &[7, 1, 1, u32::MAX, 1], &[1.0; 5]),
            (&[5], &[7, 1, 1, 1, u32::MAX], &[1.0; 5]),
            (&[2], &[3, 4], &[1.0, 0.0]),
            (&[2], &[3, 4], &[1.0, Real::NAN]),
            (&[3], &[3, 4], &[1.0, 1.0]),
            (&[1], &[3, 4], &[1.0, 1.0]),
            (&[2], &[3, 4], &[1.0]),
            (&[u32::MAX], &[7], &[1.0]),
        ] {
            assert_eq!(add(&mut batch, differences, lengths, numbers, values), Err(Malformed));
        }
        assert_eq!((batch.len(), batch.nonzeros(), batch.ends.len()), (9, 6, 10));
        assert_eq!((batch.row(0).indices, batch.row(2).indices), (&[3, 7][..], &[0][..]));
        assert_eq!((batch.row(4).indices, batch.row(7).indices), (&[3, 7][..], &[8][..]));
    }

    #[test]
    fn features_may_be_stored_as_they_are() {
        let mut batch = Batch::default();
        assert_eq!(
            add(&mut batch, Numbers::Features, &[0, 2, 0, 1, 2, 0], &[3, 4, 4, 0, u32::MAX], &[1.0; 5]),
            Ok(())
        );
        assert_eq!(add(&mut batch, Numbers::Features, &[0, 0], &[], &[]), Ok(()));
        for (lengths, numbers) in [
            (&[2][..], &[7, 7][..]),
            (&[2], &[7, 3]),
            (&[1, 2, 1], &[7, 7, 5, 7]),
            (&[1, 3], &[7, 1, 2, 2]),
            (&[3], &[7, 8]),
            (&[1], &[7, 8]),
            (&[u32::MAX, 1], &[7]),
        ] {
            assert_eq!(
                add(&mut batch, Numbers::Features, lengths, numbers, &vec![1.0; numbers.len()]),
                Err(Malformed)
            );
        }
        assert_eq!((batch.len(), batch.nonzeros()), (8, 5));
        assert_eq!((batch.row(1).indices, batch.row(4).indices), (&[3, 4][..], &[0, u32::MAX][..]));
    }
}
