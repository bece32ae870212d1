//! Vowpal Wabbit text: `label [importance [base]] ['tag]|namespace[:scale] feature[:value] ... |namespace ...`.
//!
//! A feature without a value has the value 1; values are multiplied by the scale of their namespace. A word in the place of a value
//! (`city:paris`) makes it a feature of its own, called `city=paris` as in all formats, unless it stands for a missing value (`age:nan`). A bar that is followed by
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
use super::listing::{
    ListedFormat, ParserSettings, Recognition, TextFormat, WriterSettings, first_content_line,
};
use super::missing::is_missing;
use super::record::{ParseBuffers, RecordFormat};
use super::sink::{RecordSink, importance};
use super::written::{ByName, FormatWriter, RecordWriter, WriteFault, WrittenExample, write_number};
use crate::error::{Fault, Unwritable};
use crate::split::line::Line;

/// The Vowpal Wabbit format.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Vw;

impl RecordFormat for Vw {
    const NAME_IN_CACHES: &'static str = "VW";

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
        let importance = importance(words[1], starts[1])?;
        // It is that of the label: where this is missing, there is none, and none is written either.
        if !is_missing(words[0]) {
            sink.importance(importance);
        }
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
            let text = word(&record[end + 1..]);
            if !text.is_empty() && is_missing(text) {
                self.nameless += u32::from(start == end);
                return Ok(end + 1 + text.len());
            }
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

impl ListedFormat for Vw {
    const NAME: &'static str = "vw";
    const TITLE: &'static str = "VW";
    const ENDINGS: &'static [&'static str] = &["vw"];

    fn recognize(beginning: &[u8]) -> Recognition {
        Recognition::likely_if(first_content_line(beginning).is_some_and(|line| line.contains(&b'|')))
    }

    fn writer(_: &WriterSettings) -> Result<Box<dyn FormatWriter>, WriteFault> {
        Ok(Box::new(ByName::new(Vw)))
    }
}

impl TextFormat for Vw {
    type Parser = Self;

    fn parser(_: &ParserSettings) -> Self {
        Self
    }
}

impl RecordWriter for Vw {
    fn write(&mut self, example: &WrittenExample, out: &mut Vec<u8>) -> Result<(), Unwritable> {
        write(example, out)
    }
}

/// Appends an example as one line. What stands before the first `^` of a full name is its namespace. The importance
/// of an example without a label is left out: the format has no place for it.
fn write(example: &WrittenExample, out: &mut Vec<u8>) -> Result<(), Unwritable> {
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
            return Err(Unwritable::new(Vw::TITLE, "the feature", full, "its name is empty"));
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
mod tests;
