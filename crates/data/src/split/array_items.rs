//! Where the items of a JSON array end: objects, on one line or over many.
//!
//! An item ends with the brace that closes it, and what stands between items belongs to the next one. A value that is no object is an item of its
//! own, and a bad one. An item that cannot be one (its braces are not closed, or a text in it goes on over a line end) ends before the next line that begins with a brace, so that it costs no more than itself. As
//! elsewhere, this depends on nothing but the bytes from the beginning of the item on.

use super::record_ends::first_line;

/// The most bytes of an item.
const LONGEST: usize = 1 << 24;
/// Braces within one another: no format reads more.
const DEEPEST: usize = 65;

/// What stands between items, and around all of them.
pub(crate) fn is_between_items(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\r' | b'\n' | b',' | b'[' | b']')
}

/// Finds the ends of the items of a text that grows.
#[derive(Default)]
pub(crate) struct ArrayItems {
    /// Where the look goes on, and where the last whole item ends.
    at: usize,
    whole: usize,
    /// Where the item begins, if one has begun, and how deep in it the look is.
    start: Option<usize>,
    depth: usize,
    in_text: bool,
    ends: Vec<usize>,
}

/// What became of an item.
enum Item {
    Whole,
    Broken,
    OutOfText,
}

impl ArrayItems {
    /// A text begins, with an item or between two.
    pub(crate) fn begin(&mut self) {
        let mut ends = std::mem::take(&mut self.ends);
        ends.clear();
        *self = Self { ends, ..Self::default() };
    }

    /// Looks at a text that has grown since the last time. Where its last whole item ends: 0 if there is none. At the end of the input all items are
    /// whole.
    pub(crate) fn look(&mut self, text: &[u8], at_end: bool) -> usize {
        while let Some(end) = self.next_end(text, at_end) {
            self.ends.push(end);
            (self.at, self.whole, self.start) = (end, end, None);
        }
        if at_end && self.whole < text.len() {
            self.ends.push(text.len());
            self.whole = text.len();
        }
        self.whole
    }

    /// Where the items end. The memory is exchanged.
    pub(crate) fn give_ends(&mut self, ends: &mut Vec<usize>) {
        std::mem::swap(&mut self.ends, ends);
        self.ends.clear();
    }

    fn next_end(&mut self, text: &[u8], at_end: bool) -> Option<usize> {
        let start = if let Some(start) = self.start {
            start
        } else {
            self.at += text[self.at..].iter().take_while(|byte| is_between_items(**byte)).count();
            let first = *text.get(self.at)?;
            if first != b'{' && text.len() - self.at <= LONGEST {
                return value_end(&text[self.at..], at_end).map(|length| self.at + length);
            }
            self.depth = if first == b'{' { 0 } else { DEEPEST };
            (self.start, self.in_text) = (Some(self.at), false);
            self.at
        };
        let item = self.go_on(text);
        let too_long = text.len() - start > LONGEST;
        match item {
            Item::Whole if self.at - start <= LONGEST => Some(self.at),
            Item::OutOfText if !at_end && !too_long => None,
            Item::OutOfText | Item::Broken | Item::Whole => {
                self.depth = DEEPEST;
                broken_end(text, start).or_else(|| at_end.then_some(text.len()))
            }
        }
    }

    /// Looks for the brace that closes the item.
    fn go_on(&mut self, text: &[u8]) -> Item {
        loop {
            if self.depth >= DEEPEST {
                return Item::Broken;
            }
            let rest = &text[self.at..];
            let found = if self.in_text {
                memchr::memchr3(b'"', b'\\', b'\n', rest)
            } else {
                memchr::memchr3(b'"', b'{', b'}', rest)
            };
            let Some(found) = found else {
                self.at = text.len();
                return Item::OutOfText;
            };
            self.at += found;
            match (self.in_text, text[self.at]) {
                (true, b'\n') => return Item::Broken,
                // What follows a backslash ends nothing.
                (true, b'\\') if self.at + 1 == text.len() => return Item::OutOfText,
                (true, b'\\') => self.at += 1,
                (true, _) => self.in_text = false,
                (false, b'"') => self.in_text = true,
                (false, b'{') => self.depth += 1,
                (false, _) => self.depth -= 1,
            }
            self.at += 1;
            if self.depth == 0 && !self.in_text {
                return Item::Whole;
            }
        }
    }
}

/// Where a value ends that is no object, at the beginning of this text: with its quote if it is a text, else before the next comma, bracket, brace
/// or line end.
fn value_end(text: &[u8], at_end: bool) -> Option<usize> {
    let found = if text[0] == b'"' {
        let mut at = 1;
        loop {
            match memchr::memchr3(b'"', b'\\', b'\n', &text[at.min(text.len())..]) {
                Some(found) if text[at + found] == b'\\' => at += found + 2,
                Some(found) if text[at + found] == b'"' => break Some(at + found + 1),
                Some(found) => break Some(at + found),
                None => break None,
            }
        }
    } else {
        let ends = |byte: &u8| matches!(byte, b',' | b']' | b'[' | b'{' | b'\n');
        text[1..].iter().position(ends).map(|at| at + 1)
    };
    found.or_else(|| at_end.then_some(text.len()))
}

/// Where an item ends that is none: before the next line that begins with a brace.
fn broken_end(text: &[u8], start: usize) -> Option<usize> {
    let mut at = start + first_line(&text[start..]).len();
    while at < text.len() {
        let line = first_line(&text[at..]);
        if line.trim_ascii_start().starts_with(b"{") {
            return Some(at);
        }
        at += line.len();
    }
    None
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// The items of a text that comes in parts that end at these places.
    fn items(text: &str, parts: &[usize]) -> Vec<String> {
        let (bytes, mut items, mut all, mut start) = (text.as_bytes(), ArrayItems::default(), Vec::new(), 0);
        items.begin();
        for part in parts.iter().copied().chain([text.len(), usize::MAX]) {
            let whole = items.look(&bytes[start..part.min(text.len()).max(start)], part == usize::MAX);
            let mut ends = Vec::new();
            if whole == 0 {
                continue;
            }
            items.give_ends(&mut ends);
            let mut from = start;
            for end in ends {
                let item = bytes[from..start + end].iter().copied();
                let item: Vec<u8> = item.skip_while(|byte| is_between_items(*byte)).collect();
                all.push(String::from_utf8_lossy(&item).trim_end().to_string());
                from = start + end;
            }
            start += whole;
            items.begin();
        }
        all.retain(|item| !item.is_empty());
        all
    }

    #[test]
    fn items_end_with_their_braces() {
        assert_eq!(items("[{\"a\": 1}, {\"b\": {\"c\": 2}}]", &[]), ["{\"a\": 1}", "{\"b\": {\"c\": 2}}"]);
        assert_eq!(
            items("[\n  {\n    \"a}\\\"\": 1\n  },\n  {}\n]\n", &[]),
            ["{\n    \"a}\\\"\": 1\n  }", "{}"]
        );
        assert_eq!(items("[]", &[]), Vec::<String>::new());
        assert_eq!(items("[1, 2]\n{}", &[]), ["1", "2", "{}"]);
        // A value that is no object costs no more than itself, also on one line.
        let mixed = r#"[{"a":1},null,"x, {\"","\\",{"a":2},3.5,{"a":3}]"#;
        let all = [r#"{"a":1}"#, "null", r#""x, {\"""#, r#""\\""#, r#"{"a":2}"#, "3.5", r#"{"a":3}"#];
        assert_eq!(items(mixed, &[]), all);
        (0..mixed.len()).for_each(|part| assert_eq!(items(mixed, &[part]), all, "{part}"));
        // A text that is not closed, braces that are not, and nonsense, cost no more than themselves.
        assert_eq!(items("[{\"a\": \"x\n},\n{\"b\": 1}]", &[]), ["{\"a\": \"x\n},", "{\"b\": 1}"]);
        assert_eq!(items("[{\"a\": 1,\n{\"b\": 1}\n]", &[]), ["{\"a\": 1,", "{\"b\": 1}"]);
        assert_eq!(items("[{\"a\": 1", &[]), ["{\"a\": 1"]);
    }

    #[test]
    fn braces_without_end_take_no_time() {
        let began = std::time::Instant::now();
        for text in ["{\n".repeat(100_000), "{\"a\":{}\n".repeat(100_000), "{\"\n".repeat(100_000)] {
            assert!(items(&text, &[]).len() >= 99_000);
        }
        assert!(began.elapsed().as_secs() < 10, "{:?}", began.elapsed());
    }

    proptest! {
        #[test]
        fn however_the_text_is_cut_the_items_are_the_same(
            text in "([\\[\\]{},1 \n]|\"[a\\\\\"\n{}]{0,3}\"?|\\{\"a\": 1\\},?\n){0,20}", mut parts in prop::collection::vec(0..60usize, 0..8),
        ) {
            parts.sort_unstable();
            prop_assert_eq!(items(&text, &parts), items(&text, &[]));
        }
    }
}
