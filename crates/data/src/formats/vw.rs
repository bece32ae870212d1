//! Vowpal Wabbit text: `label [importance [base]] ['tag]|namespace[:scale] feature[:value] ... |namespace ...`.
//!
//! A feature without a value has the value 1; values are multiplied by the scale of their namespace. A word in the place of a value
//! (`city:paris`) makes it a feature of its own, called `city=paris` as in all formats. A bar that is followed by
//! a blank begins the nameless namespace. Features without a name (`:0.5`) are called 0, 1, 2, ... within the example. The
//! word that touches the first bar, or the last one before it that begins with `'`, is the tag, as in Vowpal Wabbit: so
//! `1|a` is an example without a label whose tag is 1. Without a label it is an example to predict. A base other
//! than 0 (a prediction to start from) is refused, as are labels with costs (`1:0.5`).
//!
//! The format has no way to write a blank, a colon or a bar in a name. [`write()`] writes `%20`, `%3A`, `%7C` and so on for
//! them (and `%25` for the percent sign), and those are what they stand for when they are read; any other percent sign
//! is just that.

use std::borrow::Cow;

use thalweg_core::Real;
use wide::u8x16;

use super::decimal::decimal;
use super::record::{ParseBuffers, RecordFormat};
use super::sink::{RecordSink, importance};
use super::written::{WrittenExample, write_number};
use crate::error::{Fault, Unwritable};
use crate::split::line::Line;

/// The Vowpal Wabbit format.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Vw;

impl RecordFormat for Vw {
    const NAME: &'static str = "VW";

    fn parse(
        &self,
        line: Line,
        _scratch: &mut ParseBuffers,
        sink: &mut impl RecordSink,
    ) -> Result<bool, Fault> {
        let record = line.bytes();
        let Some(bar) = memchr::memchr(b'|', record) else {
            if record.iter().all(|b| is_blank(*b)) {
                return Ok(false);
            }
            let what = "expected '|' before the features, as in \"1 | height:1.5 striped\"";
            return Err(Fault::at(0, what, record));
        };
        head(&record[..bar], sink)?;
        let mut namespace = Namespace::default();
        let mut at = bar;
        while at < record.len() {
            at = match record[at] {
                b'|' => namespace.begin(record, at + 1)?,
                b' ' | b'\t' => at + 1,
                _ => match namespace.plain_feature(line, at, sink) {
                    Some(after) => after,
                    None => namespace.feature(record, at, sink)?,
                },
            };
        }
        Ok(true)
    }
}

/// What stands before the first bar.
fn head(head: &[u8], sink: &mut impl RecordSink) -> Result<(), Fault> {
    let mut words: [&[u8]; 3] = [b""; 3];
    let mut starts = [0; 3];
    let mut count = 0;
    let mut at = 0;
    loop {
        at += head[at..].iter().take_while(|b| is_blank(**b)).count();
        if at == head.len() {
            break;
        }
        let word = word(&head[at..]);
        let last = at + word.len() == head.len();
        let only_blanks_follow = || head[at + word.len()..].iter().all(|b| is_blank(*b));
        if last || (word[0] == b'\'' && only_blanks_follow()) {
            let id = unescaped(word.strip_prefix(b"'").unwrap_or(word));
            if !id.is_empty() {
                sink.id(&id);
            }
            break;
        }
        if count == 3 {
            return Err(Fault::at(at, "expected at most label, importance and base before the tag", word));
        }
        (words[count], starts[count]) = (word, at);
        count += 1;
        at += word.len();
    }
    if count > 0 {
        if words[0].contains(&b':') {
            return Err(Fault::at(
                starts[0],
                "label must be one word without a colon (costs are not read)",
                words[0],
            ));
        }
        sink.label(&unescaped(words[0]), starts[0]);
    }
    if count > 1 {
        sink.importance(importance(words[1], starts[1])?);
    }
    if count > 2 && fast_float2::parse::<f64, _>(words[2]) != Ok(0.0) {
        return Err(Fault::at(
            starts[2],
            "base (a prediction to start from) must be 0 or left out",
            words[2],
        ));
    }
    Ok(())
}

struct Namespace<'a> {
    name: Cow<'a, [u8]>,
    scale: Real,
    /// How many features of the example had no name so far.
    nameless: u32,
}

impl Default for Namespace<'_> {
    fn default() -> Self {
        Self { name: Cow::Borrowed(b""), scale: 1.0, nameless: 0 }
    }
}

impl<'a> Namespace<'a> {
    /// Reads `name[:scale]` behind a bar; returns the byte after it.
    fn begin(&mut self, record: &'a [u8], start: usize) -> Result<usize, Fault> {
        let end = name_end(record, start);
        self.name = unescaped(&record[start..end]);
        self.scale = 1.0;
        if record.get(end) != Some(&b':') {
            return Ok(end);
        }
        let (scale, end) = number(record, end + 1, "scale of a namespace must be a number")?;
        self.scale = scale;
        Ok(end)
    }

    /// Reads `name[:value]` if it is short and plain; returns the byte after it.
    #[inline(always)]
    fn plain_feature(&mut self, line: Line, start: usize, sink: &mut impl RecordSink) -> Option<usize> {
        let ahead = line.ahead(start);
        let end = plain_name(ahead.first_chunk()?)?;
        let (value, after) = if ahead[end] == b':' {
            let (value, length) = decimal(ahead[end + 1..].first_chunk()?)?;
            (value * self.scale, end + 1 + length)
        } else {
            (self.scale, end)
        };
        // A line end ends names and numbers too; other control characters are part of a name.
        let over = start + after == line.bytes().len() || matches!(ahead[after], b' ' | b'\t' | b'|');
        if !over || !value.is_finite() {
            return None;
        }
        sink.named(&self.name, &ahead[..end], value);
        Some(start + after)
    }

    /// Reads `name[:value]`; returns the byte after it.
    #[inline(never)] // rare, and in the way of what is not
    fn feature(&mut self, record: &[u8], start: usize, sink: &mut impl RecordSink) -> Result<usize, Fault> {
        let end = name_end(record, start);
        let (value, after) = if record.get(end) == Some(&b':') {
            if is_category(record, end + 1) {
                return Ok(self.category(record, start, end, sink));
            }
            number(record, end + 1, "value must be a number")?
        } else {
            (1.0, end)
        };
        let scaled = value * self.scale;
        if !scaled.is_finite() {
            return Err(Fault::at(start, "value times scale must be a finite number", &record[start..after]));
        }
        if start == end {
            let mut buffer = itoa::Buffer::new();
            sink.named(&self.name, buffer.format(self.nameless).as_bytes(), scaled);
            self.nameless += 1;
        } else {
            sink.named(&self.name, &unescaped(&record[start..end]), scaled);
        }
        Ok(after)
    }

    /// Reads `name:word` as the feature `name=word`; returns the byte after it.
    #[cold]
    fn category(&self, record: &[u8], start: usize, colon: usize, sink: &mut impl RecordSink) -> usize {
        let value = word(&record[colon + 1..]);
        let name = [&unescaped(&record[start..colon])[..], &unescaped(value)[..]].join(&b'=');
        sink.named(&self.name, &name, self.scale);
        colon + 1 + value.len()
    }
}

/// Does a word stand where a number could? It is not one that went wrong: that begins like a number, or is `nan` or `inf`.
#[inline]
fn is_category(record: &[u8], at: usize) -> bool {
    let first = record.get(at).copied().unwrap_or(b' ');
    (first.is_ascii_alphabetic() || !first.is_ascii())
        && fast_float2::parse::<f64, _>(word(&record[at..])).is_err()
}

/// Reads a finite number that ends at a blank, a bar or the end.
#[inline]
fn number(record: &[u8], at: usize, what: &str) -> Result<(Real, usize), Fault> {
    let (value, length) = fast_float2::parse_partial::<Real, _>(&record[at..]).unwrap_or((0.0, 0));
    let after = record.get(at + length).copied().unwrap_or(b' ');
    if length == 0 || !(is_blank(after) || after == b'|') {
        return Err(Fault::at(at, what, word(&record[at..])));
    }
    if !value.is_finite() {
        return Err(Fault::at(at, &what.replace("a number", "a finite number"), word(&record[at..])));
    }
    Ok((value, at + length))
}

const fn is_blank(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t')
}

fn word(text: &[u8]) -> &[u8] {
    &text[..text.iter().position(|b| is_blank(*b) || *b == b'|').unwrap_or(text.len())]
}

/// Ends of names: blank, colon, bar.
const ENDS: [bool; 256] = {
    let mut table = [false; 256];
    table[b' ' as usize] = true;
    table[b'\t' as usize] = true;
    table[b':' as usize] = true;
    table[b'|' as usize] = true;
    table
};

#[inline]
fn name_end(record: &[u8], start: usize) -> usize {
    let rest = &record[start..];
    start + rest.iter().position(|b| ENDS[*b as usize]).unwrap_or(rest.len())
}

/// The length of a name of one to fifteen bytes, none of which is a percent sign or a control character.
#[inline(always)]
fn plain_name(text: &[u8; 16]) -> Option<usize> {
    let text = u8x16::new(*text);
    let is = |byte| text.simd_eq(u8x16::splat(byte));
    // Blanks, tabs and line ends, and whatever else is no larger.
    let ends = text.min(u8x16::splat(b' ')).simd_eq(text) | is(b':') | is(b'|');
    let length = ends.to_bitmask().trailing_zeros();
    let escapes = is(b'%').to_bitmask();
    (length.wrapping_sub(1) < 15 && escapes.trailing_zeros() >= length).then_some(length as usize)
}

/// The characters that are written as `%XX`: those that end a name or a record, the mark of a tag, and the percent sign.
const ESCAPED: &[u8] = b" \t\n\r:|'%";

/// The name that was meant.
#[inline]
fn unescaped(name: &[u8]) -> Cow<'_, [u8]> {
    if name.contains(&b'%') { unescape(name) } else { Cow::Borrowed(name) }
}

#[cold]
fn unescape(name: &[u8]) -> Cow<'_, [u8]> {
    let mut out = Vec::with_capacity(name.len());
    let mut at = 0;
    while at < name.len() {
        let escape = |byte: &&u8| name[at..].starts_with(&code(**byte));
        if let Some(byte) = ESCAPED.iter().find(escape) {
            out.push(*byte);
            at += 3;
        } else {
            out.push(name[at]);
            at += 1;
        }
    }
    Cow::Owned(out)
}

const fn code(byte: u8) -> [u8; 3] {
    const DIGITS: &[u8; 16] = b"0123456789ABCDEF";
    [b'%', DIGITS[byte as usize >> 4], DIGITS[byte as usize & 15]]
}

fn escape(text: &[u8], out: &mut Vec<u8>) {
    for (i, &byte) in text.iter().enumerate() {
        // The mark of a tag means something at the beginning only: `don't` stays readable.
        if ESCAPED.contains(&byte) && (byte != b'\'' || i == 0) {
            out.extend_from_slice(&code(byte));
        } else {
            out.push(byte);
        }
    }
}

/// Appends an example as one line. What stands before the first `^` of a full name is its namespace. The importance
/// of an example without a label is left out: the format has no place for it.
pub(crate) fn write(example: &WrittenExample, out: &mut Vec<u8>) -> Result<(), Unwritable> {
    if !example.label.is_empty() {
        escape(example.label, out);
        if example.importance != 1.0 {
            out.push(b' ');
            write_number(example.importance, out);
        }
        out.push(b' ');
    }
    if !example.id.is_empty() {
        out.push(b'\'');
        escape(example.id, out);
        out.push(b' ');
    }
    let mut current = None;
    for &(full, value) in example.features {
        if full.is_empty() {
            return Err(Unwritable::new(Vw::NAME, "the feature", full, "its name is empty"));
        }
        // A namespace and a name that are both there; otherwise all is the name.
        let caret = memchr::memchr(b'^', full).filter(|caret| *caret > 0 && caret + 1 < full.len());
        let (namespace, name) =
            caret.map_or((&full[..0], full), |caret| (&full[..caret], &full[caret + 1..]));
        if current != Some(namespace) {
            if current.is_some() {
                out.push(b' ');
            }
            out.push(b'|');
            escape(namespace, out);
            current = Some(namespace);
        }
        out.push(b' ');
        escape(name, out);
        if value != 1.0 {
            out.push(b':');
            write_number(value, out);
        }
    }
    if current.is_none() {
        out.push(b'|');
    }
    out.push(b'\n');
    Ok(())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::testing::{examples, fault, heard, record_length};
    use super::*;

    fn shown(line: &str) -> String {
        let heard = heard(&Vw, line.as_bytes()).unwrap().unwrap();
        let label = heard.label.as_ref().map_or("-", |(text, _)| text);
        let importance = heard.importance.map_or("-".to_string(), |importance| importance.to_string());
        format!("{label} {importance} {} | {}", heard.id.as_deref().unwrap_or("-"), heard.shown())
    }

    /// The examples of Vowpal Wabbit's page on its input format and of its tutorial.
    #[test]
    fn its_own_examples() {
        assert_eq!(
            shown(
                "1 1.0 |MetricFeatures:3.28 height:1.5 length:2.0 |Says black with white stripes \
                 |OtherFeatures NumberOfLegs:4.0 HasStripes"
            ),
            format!(
                "1 1 - | MetricFeatures^height:{} MetricFeatures^length:6.56 Says^black:1 Says^with:1 Says^white:1 \
                 Says^stripes:1 OtherFeatures^NumberOfLegs:4 OtherFeatures^HasStripes:1",
                3.28 as Real * 1.5
            )
        );
        assert_eq!(shown("1 1.0 zebra|M:2 height:1.5 |Says black"), "1 1 zebra | M^height:3 Says^black:1");
        assert_eq!(
            shown("0 | price:.23 sqft:.25 age:.05 2006"),
            "0 - - | price:0.23 sqft:0.25 age:0.05 2006:1"
        );
        assert_eq!(shown("1 2 'second_house | price:.18 1976"), "1 2 second_house | price:0.18 1976:1");
        assert_eq!(shown("1 1.0 0 'third | a"), "1 1 third | a:1");
        assert_eq!(shown("1 |a:2 city:paris city:köln%20x"), "1 - - | a^city=paris:2 a^city=köln x:2");
    }

    #[test]
    fn what_occurs_in_the_wild() {
        assert_eq!(shown("| a b"), "- - - | a:1 b:1");
        assert_eq!(shown("|a b"), "- - - | a^b:1");
        assert_eq!(shown("1|a b"), "- - 1 | a^b:1");
        assert_eq!(shown("'t |a b"), "- - t | a^b:1");
        assert_eq!(shown("spam 't |a b"), "spam - t | a^b:1");
        assert_eq!(shown("'x 1 |a b"), "'x 1 - | a^b:1");
        assert_eq!(shown("1 |a b|c d|"), "1 - - | a^b:1 c^d:1");
        assert_eq!(shown("1\t|a\tb:2\t c:-1e1  "), "1 - - | a^b:2 a^c:-10");
        assert_eq!(shown("1 |a :0.5 :2 |b :3"), "1 - - | a^0:0.5 a^1:2 b^2:3");
        assert_eq!(shown("1 |a b:0 b b"), "1 - - | a^b:0 a^b:1 a^b:1");
        assert_eq!(
            shown("1 |user^x a%20b 100% %zz a%3a"),
            "1 - - | user^x^a b:1 user^x^100%:1 user^x^%zz:1 user^x^a%3a:1"
        );
        assert_eq!(shown("not%20spam 0 a%7Cb|"), "not spam 0 a|b | ");
        assert_eq!(shown("1 |"), "1 - - | ");
        assert_eq!(heard(&Vw, b" \t"), Ok(None));
        assert_eq!(heard(&Vw, b"  7 |x y").unwrap().unwrap().label, Some(("7".into(), 2)));
    }

    #[test]
    fn faults_say_where_and_what() {
        let fault = |line| fault(&Vw, line);
        assert_eq!(
            fault("1 3:4"),
            "1: expected '|' before the features, as in \"1 | height:1.5 striped\", got \"1 3:4\""
        );
        assert_eq!(fault("1 |a b:1x"), "8: value must be a number, got \"1x\"");
        assert_eq!(fault("1 |a b: c"), "8: value must be a number, got \"\"");
        assert_eq!(fault("1 |a b:1:2"), "8: value must be a number, got \"1:2\"");
        assert_eq!(fault("1 |a b:nan"), "8: value must be a finite number, got \"nan\"");
        assert_eq!(fault("1 |a:z b"), "6: scale of a namespace must be a number, got \"z\"");
        assert_eq!(fault("1 |a:inf b"), "6: scale of a namespace must be a finite number, got \"inf\"");
        let long = "1 |a:1e300 b:1e300";
        assert!(fault(long).contains("must be a finite number"));
        assert_eq!(
            fault("1 -2 | a"),
            "3: importance must be a finite number that is not negative, got \"-2\""
        );
        assert_eq!(fault("1 x | a"), "3: importance must be a finite number that is not negative, got \"x\"");
        assert_eq!(
            fault("0 1 0.5 'third_house | a"),
            "5: base (a prediction to start from) must be 0 or left out, got \"0.5\""
        );
        assert_eq!(
            fault("1:0.5 2:1 | a"),
            "1: label must be one word without a colon (costs are not read), got \"1:0.5\""
        );
        assert_eq!(
            fault("1 1 0 x | a"),
            "7: expected at most label, importance and base before the tag, got \"x\""
        );
    }

    #[test]
    fn an_empty_name_is_refused() {
        let example = WrittenExample { label: b"", importance: 1.0, id: b"", features: &[(b"", 1.0)] };
        let refusal = write(&example, &mut Vec::new()).unwrap_err();
        assert_eq!(refusal.to_string(), "VW cannot hold the feature \"\": its name is empty");
    }

    #[test]
    fn namespaces_are_written_once() {
        let features: &[(&[u8], Real)] =
            &[(b"a^x", 1.0), (b"a^y z", 0.5), (b"b", 2.0), (b"^c", 1.0), (b"d^", 1.0)];
        let mut out = Vec::new();
        write(&WrittenExample { label: b"1", importance: 2.0, id: b"t", features }, &mut out).unwrap();
        assert_eq!(String::from_utf8(out).unwrap(), "1 2 't |a x y%20z:0.5 | b:2 ^c d^\n");
    }

    proptest! {
        #[test]
        fn what_is_written_reads_back(mut example in examples()) {
            let mut out = Vec::new();
            example.with(|example| write(example, &mut out)).unwrap();
            prop_assert_eq!(record_length(&Vw, &out), Some(out.len()));
            let heard = heard(&Vw, &out[..out.len() - 1]).unwrap().unwrap();
            if example.label.is_empty() {
                example.importance = 1.0;
            }
            example.assert_heard(&heard);
        }

        #[test]
        fn no_bytes_crash_the_parser(line in prop::collection::vec(any::<u8>(), 0..80)) {
            let _ = heard(&Vw, &line);
        }

        #[test]
        fn near_misses_do_not_crash_the_parser(line in "[-+0-9a-c.:|' \t%2]{0,40}") {
            let _ = heard(&Vw, line.as_bytes());
        }
    }
}
