//! Features of text and of web addresses.

use thalweg_core::Real;

use super::reading::Reading;
use crate::expand::urls::UrlTokenizer;
use crate::expand::words::{TextFeatures, Tokenizer, Value};
use crate::names::piece_names::PieceNames;

/// Makes features of text, with memory that is used again.
#[derive(Default)]
pub(crate) struct TextExpander {
    features: Option<TextFeatures>,
    words: Tokenizer,
    urls: UrlTokenizer,
    prefix: Vec<u8>,
    numbers: Vec<u32>,
}

impl TextExpander {
    /// The features of what stands in a column, called `column=word`, in the order of the numbers that their names have.
    pub(crate) fn read(
        &mut self,
        reading: &Reading,
        column: &[u8],
        text: &str,
        names: &mut PieceNames,
        mut feature: impl FnMut(&PieceNames, u32, Real),
    ) {
        let features = self.features.get_or_insert_with(|| reading.text_features());
        self.prefix.clear();
        self.prefix.extend_from_slice(column);
        self.prefix.push(b'=');
        let found = |name: &[u8]| names.note(name, 1.0);
        // Of addresses, what comes twice counts twice.
        let value = if reading.url.iter().any(|url| url.as_bytes() == column) {
            self.urls.url(features.characters.as_ref(), &self.prefix, text.as_bytes(), found);
            Value::Count
        } else {
            self.words.text(features, &self.prefix, text, found);
            reading.values.unwrap_or_default()
        };
        self.numbers.clear();
        names.look_up(|number, _| self.numbers.push(number));
        self.numbers.sort_unstable();
        for same in self.numbers.chunk_by(|a, b| a == b) {
            feature(names, same[0], value.of(same.len()));
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
                let mut names = PieceNames::default();
                TextExpander::default().read(&reading, b"c", &text, &mut names, |names, number, x| {
                    let before = found.insert(names.name(number).unwrap().to_vec(), f64::from(x));
                    assert_eq!(before, None, "a name comes once");
                });
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
