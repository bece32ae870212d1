//! Text to features: words, word n-grams and character n-grams.

use std::ops::RangeInclusive;

use serde::{Deserialize, Serialize};
use thalweg_core::Real;
use wide::u8x16;

/// What the value of a feature says about how often it occurs in the text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Value {
    /// 1, however often.
    #[default]
    Binary,
    /// How often.
    Count,
    /// 1 + ln n: the tenth occurrence says less than the first.
    Log,
}

impl Value {
    /// The value of a feature that occurs so often.
    pub fn of(self, count: usize) -> Real {
        match self {
            Value::Binary => 1.0,
            Value::Count => count as Real,
            Value::Log => 1.0 + (count as Real).ln(),
        }
    }
}

/// Which features a text has.
///
/// A word is a run of letters and digits of any script, in lower case; apostrophes inside it belong to it (`don't`, also if
/// the text has the typographic one). Word n-grams are joined by `_`, which no word contains: `free_money`.
///
/// Character n-grams are those of the text in lower case in which every run of blanks, control characters and underscores
/// is one `_`, with one `_` before and after the text: `#_fr`, `#fre`. They begin with `#`, which no word contains, so they
/// never collide with words. Scripts that are written without blanks (Chinese, Japanese, Thai) need them: there a
/// whole clause is a word.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TextFeatures {
    /// Lengths of the word n-grams, in words: `1..=2` is words and pairs.
    pub words: Option<RangeInclusive<usize>>,
    /// Lengths of the character n-grams, in characters.
    pub characters: Option<RangeInclusive<usize>>,
}

impl Default for TextFeatures {
    /// Words.
    fn default() -> Self {
        Self { words: Some(1..=1), characters: None }
    }
}

/// Turns texts into features, with buffers that live on from text to text.
#[derive(Clone, Debug, Default)]
pub struct Tokenizer {
    /// The text as its character n-grams see it.
    plain: String,
    /// The words, and where each of them begins.
    words: Vec<u8>,
    starts: Vec<usize>,
    name: Vec<u8>,
}

impl Tokenizer {
    /// Calls `found` with the name of every feature of the text, as often as it occurs. Names begin with `prefix`.
    pub fn text(&mut self, features: &TextFeatures, prefix: &[u8], text: &str, mut found: impl FnMut(&[u8])) {
        let Self { plain, words: joined, starts, name } = self;
        name.clear();
        name.extend_from_slice(prefix);
        if let Some(lengths) = &features.words {
            let prefix = name.len();
            if text.is_ascii() && *lengths == (1..=1) {
                // The most usual case: words need not be put side by side.
                ascii_words(text.as_bytes(), |word| {
                    name.truncate(prefix);
                    name.extend(word.iter().map(lower_ascii));
                    found(name);
                });
                name.truncate(prefix);
            } else {
                joined.clear();
                starts.clear();
                if text.is_ascii() {
                    ascii_words(text.as_bytes(), |word| {
                        starts.push(joined.len());
                        joined.extend(word.iter().map(lower_ascii));
                        joined.push(b'_');
                    });
                } else {
                    words(text, joined, starts);
                }
                word_ngrams(joined, starts, lengths, name, &mut found);
            }
        }
        if let Some(lengths) = &features.characters {
            characters(text, plain);
            name.push(b'#');
            character_ngrams(plain, lengths, name, &mut found);
        }
    }
}

/// What a byte of text is: 0 parts words; otherwise the byte in lower case, or one of these.
const WORDS: [u8; 256] = {
    let mut table = [0; 256];
    let mut byte = 0;
    while byte < 256 {
        let b = byte as u8;
        if b.is_ascii_alphanumeric() {
            table[byte] = b.to_ascii_lowercase();
        } else if b == b'\'' {
            table[byte] = APOSTROPHE;
        } else if !b.is_ascii() {
            table[byte] = FOREIGN;
        }
        byte += 1;
    }
    table
};
const APOSTROPHE: u8 = 1;
const FOREIGN: u8 = 2;

/// The words of the text in lower case, each with a `_` behind it, and where they begin.
fn words(text: &str, joined: &mut Vec<u8>, starts: &mut Vec<usize>) {
    joined.reserve(text.len() + 1);
    let bytes = text.as_bytes();
    let (mut at, mut in_word) = (0, false);
    while at < bytes.len() {
        match WORDS[bytes[at] as usize] {
            0 => {
                if in_word {
                    joined.push(b'_');
                    in_word = false;
                }
                at += 1;
            }
            APOSTROPHE => {
                in_word = apostrophe(&text[at + 1..], joined, in_word);
                at += 1;
            }
            FOREIGN => {
                let Some(c) = text[at..].chars().next() else { break };
                at += c.len_utf8();
                if c == '\u{2019}' {
                    in_word = apostrophe(&text[at..], joined, in_word);
                } else if c.is_alphanumeric() || (in_word && ('\u{300}'..='\u{36f}').contains(&c)) {
                    if !in_word {
                        starts.push(joined.len());
                        in_word = true;
                    }
                    lower(c, joined);
                } else if in_word {
                    joined.push(b'_');
                    in_word = false;
                }
            }
            byte => {
                if !in_word {
                    starts.push(joined.len());
                    in_word = true;
                }
                joined.push(byte);
                at += 1;
            }
        }
    }
    if in_word {
        joined.push(b'_');
    }
}

/// The words, as they are written, of a text without any foreign characters, of which sixteen are looked at at a time.
fn ascii_words<'a>(text: &'a [u8], mut found: impl FnMut(&'a [u8])) {
    let mut block = [0; BLOCK];
    let next = |block: &mut [u8; BLOCK], from: usize| {
        let some = &text[from.min(text.len())..text.len().min(from + BLOCK)];
        block[..some.len()].copy_from_slice(some);
        block[some.len()..].fill(0);
        letters_and_apostrophes(block)
    };
    let (mut before, mut here) = (0, next(&mut block, 0));
    let mut start = None;
    for from in (0..text.len()).step_by(BLOCK) {
        let after = next(&mut block, from + BLOCK);
        let (letters, apostrophes) = here;
        let left = letters << 1 | before >> (BLOCK - 1);
        let right = letters >> 1 | after.0 << (BLOCK - 1);
        let in_words = letters | (apostrophes & left & right);
        (before, here) = (letters, after);
        // Where words begin and end, by turns.
        let mut edges = in_words ^ (in_words << 1 | u64::from(start.is_some()));
        while edges != 0 {
            let at = from + edges.trailing_zeros() as usize;
            edges &= edges - 1;
            match start.take() {
                None => start = Some(at),
                Some(start) => found(&text[start..at]),
            }
        }
    }
    if let Some(start) = start {
        found(&text[start..]);
    }
}

const BLOCK: usize = 64;

/// A character of a word in lower case: digits and apostrophes have the bit that lower case letters have, too.
fn lower_ascii(byte: &u8) -> u8 {
    byte | 0x20
}

/// Which characters are letters or digits, and which are apostrophes.
fn letters_and_apostrophes(block: &[u8; BLOCK]) -> (u64, u64) {
    let (mut letters, mut apostrophes) = (0, 0);
    for (i, some) in block.as_chunks::<16>().0.iter().enumerate() {
        let text = u8x16::new(*some);
        let up_to = |from: u8, last: u8, text: u8x16| {
            let above = text - u8x16::splat(from);
            above.min(u8x16::splat(last - from)).simd_eq(above)
        };
        let found = up_to(b'a', b'z', text | u8x16::splat(0x20)) | up_to(b'0', b'9', text);
        letters |= u64::from(found.to_bitmask()) << (16 * i);
        apostrophes |= u64::from(text.simd_eq(u8x16::splat(b'\'')).to_bitmask()) << (16 * i);
    }
    (letters, apostrophes)
}

/// An apostrophe belongs to the word if a letter or digit follows; otherwise it ends it. Returns whether the word goes on.
fn apostrophe(rest: &str, joined: &mut Vec<u8>, in_word: bool) -> bool {
    if !in_word {
        return false;
    }
    let inside = rest.chars().next().is_some_and(char::is_alphanumeric);
    joined.push(if inside { b'\'' } else { b'_' });
    inside
}

fn lower(c: char, joined: &mut Vec<u8>) {
    let mut buffer = [0; 4];
    for c in c.to_lowercase() {
        joined.extend_from_slice(c.encode_utf8(&mut buffer).as_bytes());
    }
}

fn word_ngrams(
    joined: &[u8],
    starts: &[usize],
    lengths: &RangeInclusive<usize>,
    name: &mut Vec<u8>,
    found: &mut impl FnMut(&[u8]),
) {
    let prefix = name.len();
    // The words lie side by side with their joints between them: an n-gram is a piece of the text.
    let end = |i: usize| starts.get(i + 1).copied().unwrap_or(joined.len()) - 1;
    for (i, &start) in starts.iter().enumerate() {
        for n in *lengths.start().max(&1)..=*lengths.end().min(&(starts.len() - i)) {
            name.truncate(prefix);
            name.extend_from_slice(&joined[start..end(i + n - 1)]);
            found(name);
        }
    }
    name.truncate(prefix);
}

/// The text in lower case with one `_` for every run of blanks, and one at each end.
pub(crate) fn characters(text: &str, plain: &mut String) {
    plain.clear();
    plain.reserve(text.len() + 2);
    plain.push('_');
    for c in text.chars() {
        if c.is_whitespace() || c.is_control() || c == '_' {
            if !plain.ends_with('_') {
                plain.push('_');
            }
        } else if c.is_ascii() {
            plain.push(c.to_ascii_lowercase());
        } else {
            plain.extend(c.to_lowercase());
        }
    }
    if plain.len() > 1 && !plain.ends_with('_') {
        plain.push('_');
    }
}

/// All character n-grams.
pub(crate) fn character_ngrams(
    plain: &str,
    lengths: &RangeInclusive<usize>,
    name: &mut Vec<u8>,
    found: &mut impl FnMut(&[u8]),
) {
    let (prefix, plain) = (name.len(), plain.as_bytes());
    let next = |at: usize| {
        at + match plain[at] {
            0..0xc0 => 1,
            0xc0..0xe0 => 2,
            0xe0..0xf0 => 3,
            0xf0.. => 4,
        }
    };
    let (shortest, longest) = (*lengths.start().max(&1), *lengths.end());
    if plain.len() < shortest || longest < shortest {
        return;
    }
    let mut start = 0;
    while start < plain.len() {
        // The n-grams that begin here are beginnings of one another: one copy (no character has more than four bytes)
        // holds them all.
        name.truncate(prefix);
        name.extend_from_slice(
            &plain[start..plain.len().min(start.saturating_add(longest.saturating_mul(4)))],
        );
        let (mut end, mut n) = (start, 0);
        while n < longest && end < plain.len() {
            (end, n) = (next(end), n + 1);
            if n >= shortest {
                found(&name[..prefix + end - start]);
            }
        }
        if n < shortest {
            break;
        }
        start = next(start);
    }
    name.truncate(prefix);
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn features(features: &TextFeatures, text: &str) -> Vec<String> {
        let mut found = Vec::new();
        Tokenizer::default()
            .text(features, b"", text, |name| found.push(String::from_utf8(name.to_vec()).unwrap()));
        found
    }

    fn names(
        words: Option<RangeInclusive<usize>>,
        characters: Option<RangeInclusive<usize>>,
        text: &str,
    ) -> String {
        features(&TextFeatures { words, characters }, text).join(" ")
    }

    #[test]
    fn words_of_many_scripts() {
        let words = |text| names(Some(1..=1), None, text);
        assert_eq!(words("FREE entry 4U, win £1000!!"), "free entry 4u win 1000");
        assert_eq!(words("Don't 'quote' rock 'n' roll' o’Neill"), "don't quote rock n roll o'neill");
        assert_eq!(words("ÉCOLE naïve Straße ΟΔΥΣΣΕΥΣ İ"), "école naïve straße οδυσσευσ i\u{307}");
        assert_eq!(words("Привет, мир! 你好世界。hello"), "привет мир 你好世界 hello");
        assert_eq!(words("cafe\u{301} \u{301}x"), "cafe\u{301} x");
        assert_eq!(words("a_b c--d ' '' '"), "a b c d");
        assert_eq!((words(""), words(" \n!")), (String::new(), String::new()));
    }

    #[test]
    fn ngrams() {
        assert_eq!(names(Some(1..=2), None, "Win a prize"), "win win_a a a_prize prize");
        assert_eq!(names(Some(2..=3), None, "a b c d"), "a_b a_b_c b_c b_c_d c_d");
        assert_eq!(names(Some(2..=3), None, "a"), "");
        assert_eq!(names(None, Some(3..=4), "Ab \t c"), "#_ab #_ab_ #ab_ #ab_c #b_c #b_c_ #_c_");
        assert_eq!(names(None, Some(2..=2), "éÀ_."), "#_é #éà #à_ #_. #._");
        assert_eq!(names(None, Some(3..=5), ""), "");
        assert_eq!(names(None, Some(3..=5), "a"), "#_a_");
        assert_eq!(names(Some(1..=1), Some(3..=3), "ab"), "ab #_ab #ab_");
    }

    #[test]
    fn values() {
        assert_eq!([1, 3].map(|count| Value::Binary.of(count)), [1.0, 1.0]);
        assert_eq!([1, 3].map(|count| Value::Count.of(count)), [1.0, 3.0]);
        assert_eq!([1, 3].map(|count| Value::Log.of(count)), [1.0, 1.0 + (3.0 as Real).ln()]);
    }

    #[test]
    fn names_begin_with_the_prefix_and_nothing_stays_behind() {
        let mut tokenizer = Tokenizer::default();
        let settings = TextFeatures { words: Some(1..=1), characters: Some(4..=4) };
        for _ in 0..2 {
            let mut found = Vec::new();
            tokenizer.text(&settings, b"subject=", "Hi x", |name| {
                found.push(String::from_utf8(name.to_vec()).unwrap());
            });
            assert_eq!(found, ["subject=hi", "subject=x", "subject=#_hi_", "subject=#hi_x", "subject=#i_x_"]);
        }
    }

    /// The same by plain means.
    fn expected(words: usize, characters: usize, text: &str) -> Vec<String> {
        let lower: Vec<String> = text
            .split(|c: char| !c.is_alphanumeric())
            .filter(|word| !word.is_empty())
            .map(|word| word.chars().flat_map(char::to_lowercase).collect())
            .collect();
        let mut all: Vec<String> = lower.windows(words).map(|words| words.join("_")).collect();
        let blank = |c: char| c.is_whitespace() || c.is_control() || c == '_';
        let pieces: Vec<String> = text.split(blank).filter(|p| !p.is_empty()).map(str::to_string).collect();
        if !pieces.is_empty() {
            let plain: Vec<char> =
                format!("_{}_", pieces.join("_")).chars().flat_map(char::to_lowercase).collect();
            all.extend(plain.windows(characters).map(|c| format!("#{}", c.iter().collect::<String>())));
        }
        all.sort();
        all
    }

    proptest! {
        #[test]
        fn many_characters_at_a_time_are_the_same_words(text in "[a-cX-Z0-2' ,_\\x00@\\[`{/:]{0,200}", cut in 0..70usize) {
            let text = &text[..text.len().min(cut * 3)];
            let (mut joined, mut starts, mut other) = (Vec::new(), Vec::new(), Vec::new());
            words(text, &mut joined, &mut starts);
            ascii_words(text.as_bytes(), |word| {
                other.extend(word.iter().map(lower_ascii));
                other.push(b'_');
            });
            prop_assert_eq!(joined, other);
        }

        #[test]
        fn ngrams_are_windows(text in "[a-cA-C éÉß你_!\n\u{0}]{0,20}", words in 1usize..4, characters in 2usize..6) {
            let settings = TextFeatures { words: Some(words..=words), characters: Some(characters..=characters) };
            let mut found = features(&settings, &text);
            found.sort();
            prop_assert_eq!(found, expected(words, characters, &text));
        }

        #[test]
        fn no_text_and_no_lengths_crash_it(text in "\\PC{0,40}|.{0,40}", low in 0usize..4, more in prop_oneof![0usize..3, Just(1000)]) {
            let lengths = Some(low..=low + more);
            let settings = TextFeatures { words: lengths.clone(), characters: lengths };
            let again = |text: &str| features(&settings, text);
            prop_assert_eq!(again(&text), again(&text));
        }
    }
}
