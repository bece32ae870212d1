//! Text from data, made safe and short enough to show.
//!
//! Labels and names of features may be chosen by somebody who wants the page to do something else. So every text passes through here.

use std::fmt::Write;

/// Bytes of HTML that a name may take where it is read.
const NAME: usize = 120;
/// Bytes of HTML that the whole of a longer name may take, where one points at it.
const WHOLE_NAME: usize = 200;
/// Bytes of HTML that the name of a row or column of a matrix may take.
const HEADING: usize = 48;
/// Bytes of HTML that a value, an explanation or a note may take.
const SENTENCE: usize = 480;
/// Bytes of HTML that a command may take.
const COMMAND: usize = 8_000;

/// A name. It cannot turn the direction of what is around it.
pub fn name(text: &str) -> String {
    named(text, NAME)
}

/// A name that stands elsewhere as well, where there is little room.
pub fn repeated(text: &str) -> String {
    let (html, cut) = escaped(text, HEADING);
    format!("<bdi>{html}{}</bdi>", ellipsis(cut))
}

/// A name where there is little room.
pub fn heading(text: &str) -> String {
    named(text, HEADING)
}

/// A value, an explanation or a note.
pub fn sentence(text: &str) -> String {
    let (html, cut) = escaped(text, SENTENCE);
    html + ellipsis(cut)
}

/// A command. Lines break between its words, not after the dashes of a flag.
pub fn command(text: &str) -> String {
    let (html, cut) = escaped(text, COMMAND);
    let words: Vec<String> = html.split(' ').map(|word| format!("<span>{word}</span>")).collect();
    words.join(" ") + ellipsis(cut)
}

/// A name as text only: for titles, attributes and descriptions of pictures.
pub fn plain(text: &str) -> String {
    let (html, cut) = escaped(text, NAME);
    html + ellipsis(cut)
}

/// A name for the script, which shows it as text: shortened, but not escaped for HTML.
pub fn unescaped(text: &str) -> String {
    let mut shown = String::new();
    for c in text.chars() {
        if shown.len() >= NAME {
            return shown + "…";
        }
        push_visible(c, &mut shown);
    }
    shown
}

fn named(text: &str, limit: usize) -> String {
    let (html, cut) = escaped(text, limit);
    match cut {
        Cut::Whole if html.trim().is_empty() => "<span class=\"empty\">(empty)</span>".into(),
        Cut::Whole => format!("<bdi>{html}</bdi>"),
        Cut::Shortened => {
            let (whole, cut) = escaped(text, WHOLE_NAME);
            format!("<bdi title=\"{whole}{}\">{html}…</bdi>", ellipsis(cut))
        }
    }
}

#[derive(Clone, Copy)]
enum Cut {
    Whole,
    Shortened,
}

fn ellipsis(cut: Cut) -> &'static str {
    match cut {
        Cut::Whole => "",
        Cut::Shortened => "…",
    }
}

/// Safe in elements and in quoted attributes. The limit is of what comes out: escapes are up to eight times as long as what they stand for.
fn escaped(text: &str, limit: usize) -> (String, Cut) {
    let mut html = String::new();
    for c in text.chars() {
        if html.len() >= limit {
            return (html, Cut::Shortened);
        }
        match c {
            '<' => html += "&lt;",
            '>' => html += "&gt;",
            '&' => html += "&amp;",
            '"' => html += "&quot;",
            '\'' => html += "&#39;",
            c => push_visible(c, &mut html),
        }
    }
    (html, Cut::Whole)
}

/// Control characters, and characters that turn the direction of writing, as `\n`, `\t`, `\u{1b}`.
fn push_visible(c: char, shown: &mut String) {
    let turns =
        matches!(c, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    // Nothing that no text has, and nothing that HTML forbids.
    let no_text = matches!(c, '\u{fdd0}'..='\u{fdef}') || (c as u32) & 0xfffe == 0xfffe;
    if c.is_control() || turns || no_text {
        let _ = write!(shown, "{}", c.escape_default());
    } else {
        shown.push(c);
    }
}

/// JSON that may stand in a `script` element.
pub fn json_in_script(value: &serde_json::Value) -> String {
    let mut safe = String::new();
    for c in value.to_string().chars() {
        match c {
            // `</script` would end the element, `<!--` would change how it ends.
            '<' | '>' | '&' | '\u{2028}' | '\u{2029}' => {
                let _ = write!(safe, "\\u{:04x}", c as u32);
            }
            c => safe.push(c),
        }
    }
    safe
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn markup_is_text() {
        assert_eq!(
            name("</script><img src=x onerror='a(\"b\")'>&amp;"),
            "<bdi>&lt;/script&gt;&lt;img src=x onerror=&#39;a(&quot;b&quot;)&#39;&gt;&amp;amp;</bdi>"
        );
        assert_eq!(
            json_in_script(&serde_json::json!("</script>&\u{2028}")),
            r#""\u003c/script\u003e\u0026\u2028""#
        );
    }

    #[test]
    fn invisible_characters_are_shown() {
        assert_eq!(plain("a\nb\u{1b}\0\u{202e}\u{2028}\u{ffff}"), r"a\nb\u{1b}\u{0}\u{202e}\u{2028}\u{ffff}");
        assert_eq!(unescaped("a\u{202e}<"), "a\\u{202e}<");
        assert!(name("  ").contains("(empty)"));
    }

    #[test]
    fn long_names_are_cut_whatever_they_are_made_of() {
        for c in ['a', '<', '\u{202e}', '𝒳'] {
            let long: String = std::iter::repeat_n(c, 100_000).collect();
            assert!(name(&long).len() < NAME + WHOLE_NAME + 64, "{c:?}");
            assert!(heading(&long).len() < HEADING + WHOLE_NAME + 64, "{c:?}");
            assert!(sentence(&long).len() < SENTENCE + 16, "{c:?}");
            assert!(unescaped(&long).len() < NAME + 16, "{c:?}");
            assert!(name(&long).contains('…'), "{c:?}");
        }
        assert_eq!(name("short"), "<bdi>short</bdi>");
    }
}
