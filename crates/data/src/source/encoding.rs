//! How text is encoded. It is read as UTF-8; what is encoded in another way becomes that on its way in.

use std::fmt;
use std::io::{self, Read};
use std::str::FromStr;

use encoding_rs::{CoderResult, Decoder, UTF_8, UTF_16BE, UTF_16LE, WINDOWS_1252};
use serde::{Deserialize, Serialize};

/// An encoding of text, by any name that it has on the web: `latin-1` (which is Windows-1252 there), `utf-16`, `windows-1251`, `shift_jis`.
///
/// ```
/// use thalweg_data::Encoding;
///
/// assert_eq!("latin-1".parse::<Encoding>(), "CP1252".parse());
/// assert!("klingon".parse::<Encoding>().is_err());
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Encoding(&'static encoding_rs::Encoding);

impl FromStr for Encoding {
    type Err = String;

    fn from_str(name: &str) -> Result<Self, String> {
        let known = match name.trim().to_ascii_lowercase().as_str() {
            "latin-1" => Some(WINDOWS_1252),
            other => encoding_rs::Encoding::for_label_no_replacement(other.as_bytes()),
        };
        known
            .map(Self)
            .ok_or_else(|| "must be an encoding such as utf-8, utf-16, latin-1 or shift_jis".into())
    }
}

impl TryFrom<String> for Encoding {
    type Error = String;

    fn try_from(name: String) -> Result<Self, String> {
        name.parse()
    }
}

impl From<Encoding> for String {
    fn from(encoding: Encoding) -> Self {
        encoding.to_string()
    }
}

impl fmt::Display for Encoding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.name().to_ascii_lowercase())
    }
}

impl fmt::Debug for Encoding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// What the first bytes of a text tell.
pub(crate) struct FirstBytes {
    /// Bytes of the mark that it begins with, which are no part of the text.
    pub(crate) mark: usize,
    /// If it is not UTF-8.
    encoding: Option<&'static encoding_rs::Encoding>,
}

impl FirstBytes {
    /// A mark tells the encoding, or else the caller does, or else two characters of which every other byte is zero.
    pub(crate) fn of(first: &[u8], given: Option<Encoding>) -> Self {
        let marked = encoding_rs::Encoding::for_bom(first);
        let (encoding, mark) = match (marked, given, first) {
            (Some(marked), ..) => marked,
            (None, Some(given), _) => (given.0, 0),
            (None, None, [1..=255, 0, 1..=255, 0, ..]) => (UTF_16LE, 0),
            (None, None, [0, 1..=255, 0, 1..=255, ..]) => (UTF_16BE, 0),
            (None, None, _) => (UTF_8, 0),
        };
        Self { mark, encoding: (encoding != UTF_8).then_some(encoding) }
    }

    /// Could more bytes tell more? Two are there in any text of one line; whether they are enough, they tell.
    pub(crate) fn needs_more(first: &[u8]) -> bool {
        matches!(first, [] | [_] | [0xef, 0xbb] | [_, 0] | [0, _] | [_, 0, _] | [0, _, _])
    }

    /// The text as UTF-8, of a source whose mark was passed over.
    pub(crate) fn decoded(&self, source: Box<dyn Read + Send>) -> Box<dyn Read + Send> {
        match self.encoding {
            None => source,
            Some(encoding) => Box::new(Decoded {
                source,
                decoder: encoding.new_decoder_without_bom_handling(),
                raw: vec![0; RAW],
                from: 0,
                to: 0,
                text: Vec::with_capacity(TEXT),
                given: 0,
                at_end: false,
            }),
        }
    }

    /// Is it UTF-8?
    pub(crate) fn is_utf8(&self) -> bool {
        self.encoding.is_none()
    }
}

const RAW: usize = 1 << 16;
/// No byte becomes more than three.
const TEXT: usize = 1 << 18;

/// Text that becomes UTF-8 as it is read. What stands for no character becomes U+FFFD.
struct Decoded {
    source: Box<dyn Read + Send>,
    decoder: Decoder,
    /// What was read and not decoded yet.
    raw: Vec<u8>,
    from: usize,
    to: usize,
    /// What was decoded, and how much of it has been handed out.
    text: Vec<u8>,
    given: usize,
    at_end: bool,
}

impl Read for Decoded {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        while self.given == self.text.len() {
            if self.at_end && self.from == self.to {
                return Ok(0);
            }
            if self.from == self.to {
                (self.from, self.to) = (0, self.source.read(&mut self.raw)?);
                self.at_end = self.to == 0;
            }
            self.text.resize(TEXT, 0);
            let raw = &self.raw[self.from..self.to];
            let (result, read, written, _) = self.decoder.decode_to_utf8(raw, &mut self.text, self.at_end);
            debug_assert_eq!(result, CoderResult::InputEmpty, "there is room for all of it");
            self.from += read;
            self.text.truncate(written);
            self.given = 0;
            if self.at_end && written == 0 {
                return Ok(0);
            }
        }
        let rest = &self.text[self.given..];
        let count = rest.len().min(buffer.len());
        buffer[..count].copy_from_slice(&rest[..count]);
        self.given += count;
        Ok(count)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// A source that gives a few bytes at a time.
    struct Trickle(Vec<u8>, usize);

    impl Read for Trickle {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            let count = self.1.min(self.0.len()).min(buffer.len());
            buffer[..count].copy_from_slice(&self.0[..count]);
            self.0.drain(..count);
            Ok(count)
        }
    }

    fn decoded(bytes: &[u8], given: Option<&str>, step: usize) -> String {
        let first = FirstBytes::of(bytes, given.map(|name| name.parse().unwrap()));
        let mut source = first.decoded(Box::new(Trickle(bytes[first.mark..].to_vec(), step)));
        let (mut text, mut byte) = (Vec::new(), [0; 1]);
        while source.read(&mut byte).unwrap() > 0 {
            text.extend_from_slice(&byte);
        }
        String::from_utf8(text).unwrap()
    }

    fn utf16(text: &str, big: bool) -> Vec<u8> {
        text.encode_utf16()
            .flat_map(|unit| if big { unit.to_be_bytes() } else { unit.to_le_bytes() })
            .collect()
    }

    #[test]
    fn first_bytes_or_the_caller_tell_the_encoding() {
        assert_eq!(decoded(b"\xef\xbb\xbfab", None, 9), "ab");
        assert_eq!(decoded(b"\xff\xfea\0\xe9\0", None, 9), "aé");
        assert_eq!(decoded(b"\xfe\xff\0a\0\xe9", Some("latin-1"), 9), "aé");
        assert_eq!(decoded(b"a\0b\0", None, 9), "ab");
        assert_eq!(decoded(b"\0a\0b", None, 9), "ab");
        assert_eq!(decoded(b"caf\xe9 \x80", Some("latin-1"), 9), "café €");
        // A half character at the end, and half a pair of surrogates.
        assert_eq!(decoded(b"\xff\xfea\0b", None, 9), "a\u{fffd}");
        assert_eq!(decoded(b"\xff\xfea\0\x3d\xd8b\0", None, 1), "a\u{fffd}b");
        assert_eq!(decoded(b"\xff\xfe", None, 9), "");
        for name in ["utf-8", "UTF-16", "utf-16be", "latin1", "iso-8859-1", "windows-1251", "gbk"] {
            let encoding: Encoding = name.parse().unwrap();
            assert_eq!(encoding.to_string().parse(), Ok(encoding));
        }
    }

    proptest! {
        #[test]
        fn any_text_comes_through(text in "\\PC{1,40}", big in any::<bool>(), step in 1usize..7) {
            let bytes = utf16(&format!("\u{feff}{text}"), big);
            prop_assert_eq!(decoded(&bytes, None, step), text);
        }
    }
}
