//! LIBSVM (svmlight) text: `label index:value index:value ... # comment`.
//!
//! Indices are whole numbers from 0 to 4294967294, taken as written: 0-based and 1-based files both work. They may come
//! in any order and more than once (values are summed). `qid:n` is passed over, and so are missing values (`3:nan`). A line without a label, which begins
//! with `index:value`, is an example to predict.

use thalweg_core::{BIAS, Real};

use super::listing::{
    ListedFormat, ParserSettings, Recognition, TextFormat, WriterSettings, first_content_line,
};
use super::missing::is_missing;
use super::plain;
use super::record::{ParseBuffers, RecordFormat};
use super::sink::RecordSink;
use super::written::{FormatWriter, NumberedExample, WriteFault, write_number};
use crate::error::{Fault, Unwritable};
use crate::names::feature_names::FeatureNames;
use crate::names::vocabulary::Vocabulary;
use crate::split::line::Line;

/// The LIBSVM format.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Libsvm;

impl RecordFormat for Libsvm {
    const NAME_IN_CACHES: &'static str = "LIBSVM";
    const HAS_TEXT: bool = false;

    fn parse(
        &self,
        line: Line,
        buffers: &mut ParseBuffers,
        sink: &mut impl RecordSink,
    ) -> Result<bool, Fault> {
        let bytes = line.bytes();
        let mut at = skip_blanks(bytes, 0);
        if ends(bytes, at) {
            return Ok(false);
        }
        let label = token(bytes, at);
        if !label.contains(&b':') {
            sink.label(label, at);
            at += label.len();
        }
        at = skip_blanks(bytes, at);
        loop {
            at += plain::features(line.ahead(at), &mut buffers.features, sink);
            at = skip_blanks(bytes, at);
            if ends(bytes, at) {
                return Ok(true);
            }
            at = skip_blanks(bytes, any_feature(bytes, at, sink)?);
        }
    }
}

impl ListedFormat for Libsvm {
    const NAME: &'static str = "libsvm";
    const TITLE: &'static str = "LIBSVM";
    const ENDINGS: &'static [&'static str] = &["svm", "libsvm", "svmlight"];
    const NUMBERED: bool = true;

    /// A label, if any, and then nothing but index:value.
    fn recognize(beginning: &[u8]) -> Recognition {
        let Some(line) = first_content_line(beginning) else { return Recognition::No };
        let is_feature = |token: &&[u8]| {
            let index = token.split(|byte| *byte == b':').next().unwrap_or_default();
            let numbered = !index.is_empty() && index.iter().all(u8::is_ascii_digit);
            index.len() < token.len() && (index == b"qid" || numbered) && !token.contains(&b'|')
        };
        let blank = |byte: &u8| matches!(byte, b' ' | b'\t');
        let tokens = line.split(blank).filter(|token| !token.is_empty());
        let tokens: Vec<&[u8]> = tokens.take_while(|token| !token.starts_with(b"#")).collect();
        let Some((label, features)) = tokens.split_first() else { return Recognition::No };
        let number = || std::str::from_utf8(label).is_ok_and(|label| label.parse::<f64>().is_ok());
        let begins = !features.is_empty() || is_feature(label) || number();
        Recognition::likely_if(begins && features.iter().all(is_feature))
    }

    fn writer(_: &WriterSettings) -> Result<Box<dyn FormatWriter>, WriteFault> {
        Ok(Box::new(Libsvm))
    }
}

impl TextFormat for Libsvm {
    type Parser = Self;

    fn parser(_: &ParserSettings) -> Self {
        Self
    }
}

impl FormatWriter for Libsvm {
    fn write(&mut self, example: &NumberedExample, out: &mut Vec<u8>) -> Result<(), WriteFault> {
        let NumberedExample { label, importance, id, features, names } = *example;
        let label = label.map(str::as_bytes);
        let FeatureNames::Names(vocabulary) = names else {
            return Ok(write(label, importance, id, features.iter().copied(), out)?);
        };
        let numbers = features.iter().map(|(feature, x)| Ok((number_of(vocabulary, *feature)?, *x)));
        let mut numbers = numbers.collect::<Result<Vec<_>, Unwritable>>()?;
        numbers.sort_unstable_by_key(|(feature, _)| *feature);
        Ok(write(label, importance, id, numbers.into_iter(), out)?)
    }
}

/// The number that a feature has as its name.
fn number_of(vocabulary: &Vocabulary, feature: u32) -> Result<u32, Unwritable> {
    let name = vocabulary.name(feature).unwrap_or_default();
    let number = std::str::from_utf8(name).ok().and_then(|name| name.parse().ok()).filter(|n| *n != BIAS);
    number
        .ok_or_else(|| Unwritable::new(Libsvm::TITLE, "the feature", name, "its features are whole numbers"))
}

/// Appends an example whose features come in the order of their numbers.
fn write(
    label: Option<&[u8]>,
    importance: f32,
    id: &[u8],
    features: impl Iterator<Item = (u32, Real)>,
    out: &mut Vec<u8>,
) -> Result<(), Unwritable> {
    if importance != 1.0 {
        let text = importance.to_string();
        return Err(Unwritable::new(
            Libsvm::TITLE,
            "the importance",
            text.as_bytes(),
            "it has no place for it",
        ));
    }
    if !id.is_empty() {
        return Err(Unwritable::new(Libsvm::TITLE, "the name of an example", id, "it has no place for it"));
    }
    let label = label.unwrap_or_default();
    if label.iter().any(|byte| byte.is_ascii_whitespace() || *byte == b':') || label.starts_with(b"#") {
        let why = "a label must be one word, without a colon and not begin with #";
        return Err(Unwritable::new(Libsvm::TITLE, "the label", label, why));
    }
    let before = out.len();
    out.extend_from_slice(label);
    let mut digits = itoa::Buffer::new();
    for (feature, value) in features {
        if out.len() > before {
            out.push(b' ');
        }
        out.extend_from_slice(digits.format(feature).as_bytes());
        out.push(b':');
        write_number(value, out);
    }
    if out.len() == before {
        return Err(Unwritable::new(Libsvm::TITLE, "an example", b"", "it has neither label nor features"));
    }
    out.push(b'\n');
    Ok(())
}

/// Reads `index:value` at `at`, whatever it looks like; returns the byte after it.
#[inline(never)] // rare, and in the way of what is not
fn any_feature(line: &[u8], start: usize, sink: &mut impl RecordSink) -> Result<usize, Fault> {
    let mut at = start;
    let mut index: u64 = 0;
    while let Some(digit) = line.get(at).map(|b| b.wrapping_sub(b'0')).filter(|d| *d < 10) {
        index = index.saturating_mul(10).saturating_add(u64::from(digit));
        at += 1;
    }
    if at == start || line.get(at) != Some(&b':') {
        return not_a_feature(line, start);
    }
    if index >= u64::from(BIAS) {
        let what = format!("feature index must be at most {}", BIAS - 1);
        return Err(Fault::at(start, &what, &line[start..at]));
    }
    at += 1;
    let (value, length) = fast_float2::parse_partial::<Real, _>(&line[at..]).unwrap_or((0.0, 0));
    let after = line.get(at + length).copied().unwrap_or(b' ');
    let whole = length > 0 && (after == b' ' || after == b'\t');
    if !whole || !value.is_finite() {
        let text = token(line, at);
        if !text.is_empty() && is_missing(text) {
            return Ok(at + text.len());
        }
        let what = if whole { "value must be a finite number" } else { "value must be a number" };
        return Err(Fault::at(at, what, text));
    }
    sink.number(index as u32, value);
    Ok(at + length)
}

/// Passes over `qid:n`; anything else here is a fault.
#[cold]
fn not_a_feature(line: &[u8], start: usize) -> Result<usize, Fault> {
    let text = token(line, start);
    if let Some(query) = text.strip_prefix(b"qid:")
        && !query.is_empty()
        && query.iter().all(u8::is_ascii_digit)
    {
        return Ok(start + text.len());
    }
    Err(match memchr::memchr(b':', text) {
        Some(colon) => Fault::at(start, "feature index must be a whole number", &text[..colon]),
        None => Fault::at(start, "expected index:value", text),
    })
}

#[inline]
fn skip_blanks(line: &[u8], mut at: usize) -> usize {
    while let Some(b' ' | b'\t') = line.get(at) {
        at += 1;
    }
    at
}

fn ends(line: &[u8], at: usize) -> bool {
    at == line.len() || line[at] == b'#'
}

fn token(line: &[u8], at: usize) -> &[u8] {
    let rest = &line[at..];
    &rest[..rest.iter().position(|b| matches!(b, b' ' | b'\t')).unwrap_or(rest.len())]
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    type Features = Vec<(u32, f64)>;

    #[derive(Default)]
    struct Found {
        label: Option<String>,
        features: Features,
    }

    impl RecordSink for Found {
        fn number(&mut self, feature: u32, value: Real) {
            self.features.push((feature, f64::from(value)));
        }

        fn label(&mut self, text: &[u8], _: usize) {
            self.label = Some(String::from_utf8_lossy(text).into_owned());
        }

        fn named(&mut self, _: &[u8], _: &[u8], _: Real) {}
        fn importance(&mut self, _: f32) {}
        fn id(&mut self, _: &[u8]) {}
        fn text(&mut self, _: &[u8], _: &str) {}
    }

    fn read(line: &str) -> Result<Option<(Option<String>, Features)>, Fault> {
        fn alone(line: Line) -> Result<Option<(Option<String>, Features)>, Fault> {
            let mut found = Found::default();
            let example = Libsvm.parse(line, &mut ParseBuffers::default(), &mut found)?;
            Ok(example.then_some((found.label, found.features)))
        }
        let read = alone(Line::from(line.as_bytes()));
        // What follows a line has no influence.
        let [long, crlf] = ["\n", "\r\n"].map(|end| end.to_string() + &"1:1 ".repeat(40));
        let short = ["\n1:1 2:2 3:3 4:4 5:5", "\r\n 1:1 2:2 3:3 4:4", "\n::::::::::::::::::::::::::::", "\n"];
        for rest in short.into_iter().chain([&long[..], &crlf]) {
            let text = format!("{line}{rest}");
            assert_eq!(alone(Line::new(text.as_bytes(), line.len())), read, "{text}");
        }
        read
    }

    fn fault(line: &str) -> String {
        let fault = read(line).unwrap_err();
        format!("{}: {}", fault.column, fault.message)
    }

    #[test]
    fn what_occurs_in_the_wild() {
        let one =
            |label: &str, features: &[(u32, f64)]| Ok(Some((Some(label.to_string()), features.to_vec())));
        assert_eq!(read("+1 1:0.5 7:-2e1"), one("+1", &[(1, 0.5), (7, -20.0)]));
        assert_eq!(read("-1\t0:1  3:2 \t"), one("-1", &[(0, 1.0), (3, 2.0)]));
        assert_eq!(read("  spam 4294967294:1"), one("spam", &[(4_294_967_294, 1.0)]));
        assert_eq!(read("2 qid:10 3:1 # a comment 5:x"), one("2", &[(3, 1.0)]));
        assert_eq!(read("1 9:1 2:1 9:0.5 4:0"), one("1", &[(9, 1.0), (2, 1.0), (9, 0.5), (4, 0.0)]));
        assert_eq!(read("1"), one("1", &[]));
        assert_eq!(read("3:1 4:2"), Ok(Some((None, vec![(3, 1.0), (4, 2.0)]))));
        assert_eq!(read(""), Ok(None));
        assert_eq!(read("   # only a comment"), Ok(None));
    }

    #[test]
    fn faults_say_where_and_what() {
        assert_eq!(fault("1 3.5:1"), "3: feature index must be a whole number, got \"3.5\"");
        assert_eq!(fault("1 -3:1"), "3: feature index must be a whole number, got \"-3\"");
        assert_eq!(fault("1 1:1 :2"), "7: feature index must be a whole number, got \"\"");
        assert_eq!(
            fault("1 4294967295:1"),
            "3: feature index must be at most 4294967294, got \"4294967295\""
        );
        assert_eq!(
            fault("1 99999999999999999999999:1"),
            format!("3: feature index must be at most 4294967294, got \"{}\"", "9".repeat(23))
        );
        assert_eq!(fault("1 1:1 2"), "7: expected index:value, got \"2\"");
        assert_eq!(fault("1 1:"), "5: value must be a number, got \"\"");
        assert_eq!(fault("1 1:1x"), "5: value must be a number, got \"1x\"");
        assert_eq!(fault("1 1:1:2"), "5: value must be a number, got \"1:2\"");
        assert_eq!(fault("1 1:inf"), "5: value must be a finite number, got \"inf\"");
        assert_eq!(read("1 1:nan 2:NA 3:1").unwrap().unwrap().1, [(3, 1.0)]);
        assert_eq!(fault("1 1:-inf"), "5: value must be a finite number, got \"-inf\"");
        assert_eq!(fault("1 1:1e999"), "5: value must be a finite number, got \"1e999\"");
        assert_eq!(fault("1 qid:x 1:1"), "3: feature index must be a whole number, got \"qid\"");
    }

    proptest! {
        #[test]
        fn a_decimal_is_what_rust_reads(text in "-?[0-9]{1,25}(\\.[0-9]{0,25})?([eE][-+]?[0-9]{1,2})?") {
            let expected: Real = text.parse().unwrap();
            if expected.is_finite() {
                prop_assert_eq!(read(&format!("1 1:{text}")).unwrap().unwrap().1, vec![(1, f64::from(expected))]);
            }
        }

        #[test]
        fn no_bytes_crash_the_parser(line in prop::collection::vec(any::<u8>(), 0..80)) {
            let _ = Libsvm.parse(Line::from(&line[..]), &mut ParseBuffers::default(), &mut Found::default());
        }

        #[test]
        fn near_misses_do_not_crash_the_parser(line in "[-+0-9a-z.:# \tqid]{0,40}") {
            let _ = read(&line);
        }
    }
}
