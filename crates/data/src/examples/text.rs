//! Features of text and of web addresses.

use std::ops::Range;

use thalweg_core::Real;
use thalweg_core::radix::sort_by_bits;

use super::reading::Reading;
use crate::expand::urls::UrlTokenizer;
use crate::expand::words::{TextFeatures, Tokenizer, Value};
use crate::names::hashed::Hashed;
use crate::names::piece_names::PieceNames;

/// Makes features of text, with memory that is used again.
#[derive(Default)]
pub(crate) struct TextExpander {
    features: Option<TextFeatures>,
    words: Tokenizer,
    urls: UrlTokenizer,
    prefix: Vec<u8>,
    numbers: Vec<u32>,
    hashes: Vec<u64>,
    memory: Vec<u64>,
}

impl TextExpander {
    /// The features of what stands in a column, called `column=word`, in the order of the numbers that their names have.
    pub(crate) fn read(
        &mut self,
        reading: &Reading,
        column: &[u8],
        text: &str,
        names: &mut PieceNames,
        mut feature: impl FnMut(u32, Real),
    ) {
        let value = self.names(reading, column, text, |name| names.note(name, 1.0));
        self.numbers.clear();
        names.look_up(|number, _| self.numbers.push(number));
        self.numbers.sort_unstable();
        for same in self.numbers.chunk_by(|a, b| a == b) {
            feature(same[0], value.of(same.len()));
        }
    }

    /// These features with their names. `number` tells that of a name, in the order in which they come.
    pub(crate) fn read_named(
        &mut self,
        reading: &Reading,
        column: &[u8],
        text: &str,
        mut number: impl FnMut(&[u8]) -> u32,
        mut feature: impl FnMut(&[u8], u32, Real),
    ) {
        let (mut bytes, mut found) = (Vec::new(), Vec::new());
        let value = self.names(reading, column, text, |name| {
            let start = bytes.len();
            bytes.extend_from_slice(name);
            found.push((number(name), start..bytes.len()));
        });
        let name = |(_, range): &(u32, Range<usize>)| &bytes[range.clone()];
        found.sort_by(|a, b| (a.0, name(a)).cmp(&(b.0, name(b))));
        for same in found.chunk_by(|a, b| name(a) == name(b)) {
            feature(name(&same[0]), same[0].0, value.of(same.len()));
        }
    }

    /// The hashes of the names of these features, in the order of their numbers.
    pub(crate) fn read_hashed(
        &mut self,
        hashed: Hashed,
        reading: &Reading,
        column: &[u8],
        text: &str,
        mut feature: impl FnMut(u32, Real),
    ) {
        let mut hashes = std::mem::take(&mut self.hashes);
        hashes.clear();
        let value = self.names(reading, column, text, |name| hashes.push(Hashed::hash(name)));
        sort_by_bits(&mut hashes, &mut self.memory, 0..hashed.bits());
        for same_number in hashes.chunk_by_mut(|a, b| hashed.number_of_hash(*a) == hashed.number_of_hash(*b))
        {
            // Nearly always, they are of one name.
            let number = hashed.number_of_hash(same_number[0]);
            if same_number.iter().any(|hash| *hash != same_number[0]) {
                same_number.sort_unstable();
            }
            for same in same_number.chunk_by(|a, b| a == b) {
                feature(number, value.of(same.len()));
            }
        }
        self.hashes = hashes;
    }

    /// Calls `found` with the names of these features as often as they occur, and says what their values tell.
    fn names(&mut self, reading: &Reading, column: &[u8], text: &str, found: impl FnMut(&[u8])) -> Value {
        let features = self.features.get_or_insert_with(|| reading.text_features());
        self.prefix.clear();
        self.prefix.extend_from_slice(column);
        self.prefix.push(b'=');
        // Of addresses, what comes twice counts twice.
        if reading.url.iter().any(|url| url.as_bytes() == column) {
            self.urls.url(features.characters.as_ref(), &self.prefix, text.as_bytes(), found);
            Value::Count
        } else {
            self.words.text(features, &self.prefix, text, found);
            reading.values.unwrap_or_default()
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn any_text_gives_the_same_names_however_they_are_counted(text in "\\PC{0,40}|.{0,40}", low in 0usize..4, more in prop_oneof![0usize..3, Just(1000)]) {
            let of = |values| {
                let lengths = Some((low, low + more));
                let reading = Reading { words: lengths, characters: lengths, values: Some(values), ..Reading::default() };
                let mut found: BTreeMap<Vec<u8>, f64> = BTreeMap::new();
                let (mut names, mut numbers) = (PieceNames::default(), Vec::new());
                TextExpander::default().read(&reading, b"c", &text, &mut names, |number, x| numbers.push((number, x)));
                for (number, x) in &numbers {
                    let before = found.insert(names.name(*number).unwrap().to_vec(), f64::from(*x));
                    assert_eq!(before, None, "a name comes once");
                }
                let mut others = PieceNames::default();
                TextExpander::default().read_named(&reading, b"c", &text, |name| others.number(name), |name, number, x| {
                    assert_eq!((names.name(number), numbers.remove(0)), (Some(name), (number, x)));
                });
                // With few numbers, many names share one.
                for hashed in [1, 3, 31].map(|bits| Hashed::new(bits).unwrap()) {
                    let mut hashes: Vec<(u32, f64)> = Vec::new();
                    TextExpander::default().read_hashed(hashed, &reading, b"c", &text, |number, x| hashes.push((number, f64::from(x))));
                    assert!(hashes.is_sorted_by_key(|(number, _)| *number));
                    let mut expected: Vec<(u32, f64)> = found.iter().map(|(name, x)| (hashed.number(name), *x)).collect();
                    for all in [&mut hashes, &mut expected] {
                        all.sort_by(|a, b| a.partial_cmp(b).unwrap());
                    }
                    assert_eq!(hashes, expected);
                }
                found
            };
            let mut counts: BTreeMap<Vec<u8>, f64> = BTreeMap::new();
            let lengths = Some(low..=low + more);
            let settings = TextFeatures { words: lengths.clone(), characters: lengths };
            Tokenizer::default().text(&settings, b"c=", &text, |name| *counts.entry(name.to_vec()).or_default() += 1.0);
            prop_assert_eq!(&of(Value::Count), &counts);
            prop_assert!(of(Value::Binary).iter().eq(counts.keys().map(|name| (name, &1.0))));
            let logs = of(Value::Log);
            prop_assert!(logs.keys().eq(counts.keys()));
            prop_assert!(logs.values().zip(counts.values()).all(|(log, count)| (log - 1.0 - count.ln()).abs() < 1e-6));
        }
    }
}
