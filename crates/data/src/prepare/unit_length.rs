//! Did examples come with length 1?
//!
//! Whoever divides sparse examples by their length has given their features comparable units, such as tf-idf, and these say more than units of our own: the smallest values
//! are those of the words that matter least. So such data is left as it is. Dense data of length 1 is not, for its columns may still have any units.
//! docs/design/2026-11-18-defaults.md has the measurements.

use thalweg_core::Real;

use super::norm::Norm;

/// What the lengths of examples are, as far as is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Lengths {
    /// All examples so far had length 1; so many of them have two features or more, and tell something by that. From the first of these on they
    /// are left as they are.
    Undecided(u8),
    /// It is sparse data of length 1. An example that has another length is divided by it.
    One,
    /// Anything: values are scaled.
    Any,
}

/// After so many of these it is decided.
pub(crate) const LOOKED_AT: u8 = 16;
/// By how much a squared length may miss 1: values are often written with few digits.
const TOLERANCE: f64 = 0.01;
/// One, in the parts in which squares are summed. Whole numbers have the same sum in every order, and the order of features depends on when names were
/// looked up.
const ONE: f64 = (1u64 << 40) as f64;

/// What became of the values of an example.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Scaled {
    /// Each is in units of its feature, or in its own.
    EachFeature,
    /// The example has length 1.
    ToLengthOne,
}

impl Lengths {
    /// No example has told anything.
    pub(crate) const UNTOLD: Self = Lengths::Undecided(0);

    /// What is known after one more example.
    pub(crate) fn and(self, values: &[Real]) -> Self {
        match self {
            Lengths::Undecided(_) if !values.is_empty() && !have_length_one(values) => Lengths::Any,
            Lengths::Undecided(examples) if values.len() > 1 => Lengths::Undecided(examples + 1),
            known => known,
        }
    }

    /// What is known from two sides. Whoever has seen an example of another length is right about all of them.
    pub(crate) fn joined(self, other: Self) -> Self {
        match (self, other) {
            (Lengths::Any, _) | (_, Lengths::Any) => Lengths::Any,
            (Lengths::One, _) | (_, Lengths::One) => Lengths::One,
            (Lengths::Undecided(a), Lengths::Undecided(b)) => Lengths::Undecided(a.max(b)),
        }
    }

    /// The same of numbers in models.
    pub(crate) fn joined_numbers(a: u16, b: u16) -> Option<u16> {
        Some(Self::from_number(a)?.joined(Self::from_number(b)?).to_number())
    }

    /// As a number in a model. Models from before, which scaled whatever came, have 0.
    pub(crate) fn to_number(self) -> u16 {
        match self {
            Lengths::Any => 0,
            Lengths::One => 1,
            Lengths::Undecided(examples) => 2 + u16::from(examples),
        }
    }

    /// Reads what [`Self::to_number`] wrote.
    pub(crate) fn from_number(number: u16) -> Option<Self> {
        match number {
            0 => Some(Lengths::Any),
            1 => Some(Lengths::One),
            _ => {
                let examples = u8::try_from(number - 2).ok()?;
                (examples < LOOKED_AT).then_some(Lengths::Undecided(examples))
            }
        }
    }
}

/// Is √Σx² near 1?
fn have_length_one(values: &[Real]) -> bool {
    let squares = values.iter().map(|x| (f64::from(*x) * f64::from(*x) * ONE) as u64);
    let sum = squares.fold(0u64, u64::saturating_add);
    (sum as f64 / ONE - 1.0).abs() <= TOLERANCE
}

/// Divides an example by its length, if that is not near 1.
#[inline]
pub(crate) fn divide_by_length(values: &mut [Real]) {
    if !have_length_one(values) {
        Norm::L2.divide(values);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lengths_of_one_are_told_from_others() {
        let undecided = Lengths::Undecided(3);
        assert_eq!(undecided.and(&[0.6, -0.8]), Lengths::Undecided(4));
        assert_eq!(undecided.and(&[0.6, -0.798]), Lengths::Undecided(4), "few digits");
        assert_eq!(undecided.and(&[]), undecided, "nothing tells nothing");
        assert_eq!(undecided.and(&[-1.0]), undecided, "so does a single 1");
        for other in [&[0.6, -0.7][..], &[1.0, 1.0], &[2.0], &[Real::MAX, 1.0], &[Real::MIN_POSITIVE]] {
            assert_eq!(undecided.and(other), Lengths::Any, "{other:?}");
        }
        assert_eq!(Lengths::One.and(&[2.0, 2.0]), Lengths::One);
        assert_eq!(Lengths::Any.and(&[0.6, 0.8]), Lengths::Any);
    }

    #[test]
    fn only_other_lengths_are_divided() {
        let mut same = [0.6, -0.8, 0.01];
        divide_by_length(&mut same);
        assert_eq!(same, [0.6, -0.8, 0.01]);
        let mut longer = [3.0, -4.0];
        divide_by_length(&mut longer);
        assert_eq!(longer, [0.6, -0.8]);
        for extreme in [Real::MAX / 4.0, Real::MIN_POSITIVE] {
            let mut values = [extreme, extreme];
            divide_by_length(&mut values);
            assert!(values.iter().all(|x| (x * x - 0.5).abs() < 1e-6), "{values:?}");
        }
    }

    #[test]
    fn what_is_written_reads_back() {
        for lengths in [Lengths::UNTOLD, Lengths::Undecided(15), Lengths::One, Lengths::Any] {
            assert_eq!(Lengths::from_number(lengths.to_number()), Some(lengths));
        }
        assert_eq!([18, 258, u16::MAX].map(Lengths::from_number), [None; 3]);
    }
}
