//! Text from data, made safe to print.
//!
//! Names, labels and ids come from files, and may hold anything: line ends that forge lines, tabs that forge columns, sequences that
//! command a terminal. What people read is escaped by [`visible`]; fields of tab-separated lines by [`push_field`], so that they can be read back.

use std::borrow::Cow;

/// For people: control characters, and characters that turn the direction of writing, are shown as `\n`, `\t`, `\u{1b}`.
pub(crate) fn visible(text: &str) -> Cow<'_, str> {
    if !text.contains(is_unsafe) {
        return Cow::Borrowed(text);
    }
    let mut shown = String::with_capacity(text.len() + 8);
    for c in text.chars() {
        if is_unsafe(c) { shown.extend(c.escape_default()) } else { shown.push(c) }
    }
    Cow::Owned(shown)
}

fn is_unsafe(c: char) -> bool {
    let turns =
        matches!(c, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    c.is_control() || turns
}

/// For programs: a field of a tab-separated line. A backslash is `\\`, a tab `\t`, a line end `\n` or `\r`, any other control character `\x1b`, byte by
/// byte. All else is as it was.
pub(crate) fn push_field(field: &[u8], line: &mut Vec<u8>) {
    if !field.iter().any(|byte| matches!(byte, ..0x20 | b'\\' | 0x7f | 0xc2)) {
        line.extend_from_slice(field);
        return;
    }
    let mut before = 0;
    for &byte in field {
        // C1 controls are two bytes in UTF-8, of which the first is this one.
        let second = before == 0xc2 && (0x80..0xa0).contains(&byte);
        match byte {
            b'\\' => line.extend_from_slice(b"\\\\"),
            b'\t' => line.extend_from_slice(b"\\t"),
            b'\n' => line.extend_from_slice(b"\\n"),
            b'\r' => line.extend_from_slice(b"\\r"),
            ..0x20 | 0x7f => line.extend_from_slice(format!("\\x{byte:02x}").as_bytes()),
            _ if second => {
                line.pop();
                line.extend_from_slice(format!("\\xc2\\x{byte:02x}").as_bytes());
            }
            _ => line.push(byte),
        }
        before = byte;
    }
}

/// A word as a shell would have to be given it. Names of columns come from data, and must not become commands.
pub(crate) fn shell_quoted(word: &str) -> String {
    let plain = word.chars().all(|c| c.is_alphanumeric() || "-_./:=,%+@".contains(c));
    if plain && !word.is_empty() { word.into() } else { format!("'{}'", word.replace('\'', "'\\''")) }
}

/// [`push_field`] for text.
pub(crate) fn field(text: &str) -> String {
    let mut line = Vec::new();
    push_field(text.as_bytes(), &mut line);
    String::from_utf8_lossy(&line).into_owned()
}

/// What [`push_field`] made this field of; nothing if it cannot have made it.
pub(crate) fn unescaped(field: &[u8]) -> Option<Vec<u8>> {
    let (mut bytes, mut rest) = (Vec::new(), field);
    while let Some((&first, after)) = rest.split_first() {
        rest = after;
        if first != b'\\' {
            bytes.push(first);
            continue;
        }
        let (kind, after) = rest.split_first()?;
        rest = after;
        bytes.push(match kind {
            b't' => b'\t',
            b'n' => b'\n',
            b'r' => b'\r',
            b'\\' => b'\\',
            b'x' => {
                let (digits, after) = rest.split_at_checked(2)?;
                rest = after;
                u8::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok()?
            }
            _ => return None,
        });
    }
    Some(bytes)
}

/// A text as JSON.
pub(crate) fn json_text(text: &str) -> String {
    safe_json(&serde_json::Value::from(text).to_string())
}

/// JSON with all escaped that [`visible`] would show: JSON itself lets control characters beyond ASCII through to a terminal.
pub(crate) fn safe_json(json: &str) -> String {
    let mut safe = String::with_capacity(json.len());
    for c in json.chars() {
        if is_unsafe(c) { safe += &format!("\\u{:04x}", c as u32) } else { safe.push(c) }
    }
    safe
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_hold_no_controls_and_read_back() {
        let all: Vec<u8> = (0..=255).collect();
        let texts =
            ["", "spam", "a\tb\nc\rd", "\\t", "\u{1b}[31m", "é ü ß 日本", "\u{9b}31m \u{a0}", "\\x41\\"];
        for text in texts.map(str::as_bytes).into_iter().chain([&all[..], b"\xc2", b"\xc2\xc2\x85"]) {
            let mut line = Vec::new();
            push_field(text, &mut line);
            assert!(!line.iter().any(u8::is_ascii_control), "{line:?}");
            assert!(!String::from_utf8_lossy(&line).contains(char::is_control), "{line:?}");
            assert_eq!(unescaped(&line).as_deref(), Some(text));
        }
        assert_eq!(field("a\tb\\"), "a\\tb\\\\");
        for wrong in ["\\", "\\y", "\\x4", "\\xg0"] {
            assert_eq!(unescaped(wrong.as_bytes()), None, "{wrong}");
        }
    }

    #[test]
    fn words_are_quoted_where_a_shell_would_split_them() {
        assert_eq!(
            ["-a", "recall>=0.9", "it's", "größe", ""].map(shell_quoted),
            ["-a", "'recall>=0.9'", r"'it'\''s'", "größe", "''"]
        );
    }

    #[test]
    fn json_stays_json() {
        for text in ["\u{9b}31m", "\u{202e}txt", "\u{1b}\n", "é \u{2028}"] {
            let json = json_text(text);
            assert!(!json.contains(is_unsafe), "{json}");
            assert_eq!(serde_json::from_str::<String>(&json).unwrap(), text);
        }
    }

    #[test]
    fn people_see_what_would_move_the_cursor() {
        assert_eq!(visible("free \u{1b}[2J money\r\n"), "free \\u{1b}[2J money\\r\\n");
        assert_eq!(visible("\u{9b}2J \u{202e}txt.exe"), "\\u{9b}2J \\u{202e}txt.exe");
        assert!(matches!(visible("naïve \\ 日本"), Cow::Borrowed("naïve \\ 日本")));
    }
}
