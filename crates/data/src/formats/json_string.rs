//! Strings as JSON writes them.

use crate::error::Fault;

/// Appends the string that begins at `start`, behind its quote; returns the byte after its closing quote.
#[inline]
pub(crate) fn read(line: &[u8], start: usize, out: &mut Vec<u8>) -> Result<usize, Fault> {
    let mut at = start;
    loop {
        let Some(length) = memchr::memchr2(b'"', b'\\', &line[at..]) else {
            return Err(Fault::at(start - 1, "this text must end with a double quote", &line[start - 1..]));
        };
        out.extend_from_slice(&line[at..at + length]);
        at += length + 1;
        if line[at - 1] == b'"' {
            return Ok(at);
        }
        at = escape(line, at, out)?;
    }
}

/// Appends what the escape at `at`, behind its backslash, stands for; returns the byte after it.
fn escape(line: &[u8], at: usize, out: &mut Vec<u8>) -> Result<usize, Fault> {
    let byte = match line.get(at) {
        Some(byte @ (b'"' | b'\\' | b'/')) => *byte,
        Some(b'b') => 8,
        Some(b'f') => 12,
        Some(b'n') => b'\n',
        Some(b'r') => b'\r',
        Some(b't') => b'\t',
        Some(b'u') => return unicode(line, at + 1, out),
        _ => return Err(Fault::at(at - 1, "expected an escape such as \\n or \\u00e9", &line[at - 1..])),
    };
    out.push(byte);
    Ok(at + 1)
}

/// Appends the character of four hexadecimal digits, or of two such escapes that are a pair of surrogates. Half a pair is
/// no character, and becomes U+FFFD.
fn unicode(line: &[u8], at: usize, out: &mut Vec<u8>) -> Result<usize, Fault> {
    let unit = |at: usize| {
        let digits = line.get(at..at + 4)?;
        digits.iter().try_fold(0, |sum, byte| Some(16 * sum + (*byte as char).to_digit(16)?))
    };
    let Some(first) = unit(at) else {
        return Err(Fault::at(at - 2, "expected four hexadecimal digits after \\u", &line[at - 2..]));
    };
    let mut end = at + 4;
    let mut code = first;
    if (0xd800..0xdc00).contains(&first)
        && line[end..].starts_with(b"\\u")
        && let Some(second) = unit(end + 2).filter(|second| (0xdc00..0xe000).contains(second))
    {
        code = 0x10000 + ((first - 0xd800) << 10) + (second - 0xdc00);
        end += 6;
    }
    let character = char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER);
    out.extend_from_slice(character.encode_utf8(&mut [0; 4]).as_bytes());
    Ok(end)
}

/// Appends a text in quotes.
pub(crate) fn write(text: &str, out: &mut Vec<u8>) {
    out.push(b'"');
    for &byte in text.as_bytes() {
        match byte {
            b'"' | b'\\' => out.extend_from_slice(&[b'\\', byte]),
            b'\n' => out.extend_from_slice(b"\\n"),
            b'\t' => out.extend_from_slice(b"\\t"),
            0..0x20 => out.extend_from_slice(format!("\\u{byte:04x}").as_bytes()),
            _ => out.push(byte),
        }
    }
    out.push(b'"');
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn strings_are_those_of_json(text in any::<String>()) {
            let mut written = Vec::new();
            write(&text, &mut written);
            prop_assert_eq!(&serde_json::from_slice::<String>(&written).unwrap(), &text);
            for json in [written, serde_json::to_vec(&text).unwrap()] {
                let mut back = Vec::new();
                prop_assert_eq!(read(&json, 1, &mut back), Ok(json.len()));
                prop_assert_eq!(back, text.as_bytes());
            }
        }

        #[test]
        fn no_bytes_crash_it(bytes in prop::collection::vec(any::<u8>(), 1..40), escapes in "\"[\\\\ud0-9a-f\"]{0,30}") {
            let _ = read(&bytes, 1, &mut Vec::new());
            let _ = read(escapes.as_bytes(), 1, &mut Vec::new());
        }
    }
}
