use proptest::prelude::*;

use super::*;

const COMMAS: Quoting = Quoting { delimiter: b',' };

/// The records of a text that comes in parts that end at these places.
fn records(text: &str, parts: &[usize]) -> (Vec<String>, usize) {
    let bytes = text.as_bytes();
    let (mut splitter, mut all, mut work) = (RecordSplitter::new(Some(COMMAS)), Vec::new(), 0);
    splitter.begin();
    let mut start = 0;
    for part in parts.iter().copied().chain([text.len(), usize::MAX]) {
        let (at_end, end) = (part == usize::MAX, part.min(text.len()));
        let whole = splitter.look(&bytes[start..end.max(start)], at_end);
        if whole == 0 {
            continue;
        }
        let mut ends = RecordEnds::default();
        splitter.give_ends(&mut ends);
        if ends.records.is_empty() {
            let lines = bytes[start..start + whole].split_inclusive(|byte| *byte == b'\n');
            all.extend(lines.map(|line| String::from_utf8_lossy(line).into_owned()));
        }
        let mut from = 0;
        for end in ends.records {
            all.push(String::from_utf8_lossy(&bytes[start + from..start + end]).into_owned());
            from = end;
        }
        start += whole;
        work += std::mem::take(&mut splitter.work);
        splitter.begin();
    }
    (all, work + splitter.work)
}

/// The rule, followed to the letter.
fn expected(text: &str) -> Vec<String> {
    let (mut rest, mut fields, mut all) = (text, None, Vec::new());
    while !rest.is_empty() {
        let line = rest.find('\n').map_or(rest.len(), |end| end + 1);
        let end = match whole_record(rest) {
            Some((end, count)) if end > line => {
                let same = fields.is_none_or(|fields| fields == count);
                let short = end <= LONGEST.max(line) && rest[..end - 1].matches('\n').count() < MOST_LINES;
                if same && short { end } else { line }
            }
            _ => line,
        };
        if fields.is_none() {
            fields = Some(match whole_record(rest) {
                Some((whole, count)) if whole == end => count,
                _ => rest[..end].matches(',').count() + 1,
            });
        }
        all.push(rest[..end].to_string());
        rest = &rest[end..];
    }
    all
}

/// Length and fields of the record that a text begins with, if its quotes are closed where fields end.
fn whole_record(text: &str) -> Option<(usize, usize)> {
    let bytes = text.as_bytes();
    let (mut at, mut fields) = (0, 1);
    loop {
        while bytes.get(at) == Some(&b' ') {
            at += 1;
        }
        if bytes.get(at) == Some(&b'"') {
            at += 1;
            loop {
                match (bytes.get(at)?, bytes.get(at + 1)) {
                    (b'"', Some(b'"')) => at += 2,
                    (b'"', _) => break,
                    _ => at += 1,
                }
            }
            at += 1;
            while bytes.get(at) == Some(&b' ') {
                at += 1;
            }
            if bytes.get(at) == Some(&b'\r') && bytes.get(at + 1).is_none_or(|byte| *byte == b'\n') {
                at += 1;
            }
        } else {
            while bytes.get(at).is_some_and(|byte| !b",\n".contains(byte)) {
                at += 1;
            }
        }
        match bytes.get(at) {
            None => return Some((at, fields)),
            Some(b'\n') => return Some((at + 1, fields)),
            Some(b',') => (at, fields) = (at + 1, fields + 1),
            Some(_) => return None,
        }
    }
}

#[test]
fn records_of_several_lines_must_look_like_records() {
    let of = |text: &str| records(text, &[]).0;
    assert_eq!(of("a,b\n1,\"x\ny\"\n2,3\n"), ["a,b\n", "1,\"x\ny\"\n", "2,3\n"]);
    assert_eq!(of("a,b\n1,\"x\ny\"\r\n2,3"), ["a,b\n", "1,\"x\ny\"\r\n", "2,3"]);
    // Not closed, closed in the middle of a field, and with a field too many.
    assert_eq!(of("a,b\n1,\"x\ny\n2,3\n"), ["a,b\n", "1,\"x\n", "y\n", "2,3\n"]);
    assert_eq!(of("a,b\n1,\"x\n2,\"3\"\n4,5\n"), ["a,b\n", "1,\"x\n", "2,\"3\"\n", "4,5\n"]);
    assert_eq!(of("a,b\n1,\"x\n2,y\",3\n"), ["a,b\n", "1,\"x\n", "2,y\",3\n"]);
    // The first record may be of several lines, too.
    assert_eq!(of("\"a\nb\",c\n1,2\n3,\"4"), ["\"a\nb\",c\n", "1,2\n", "3,\"4"]);
}

#[test]
fn records_have_a_longest_length_and_a_highest_number_of_lines() {
    let of = |text: &str| records(text, &[]).0;
    for (length, whole) in [(LONGEST - 6, true), (LONGEST - 5, false)] {
        let text = format!("a,b\n1,\"\n{}\"\n2,3\n", "x".repeat(length));
        let count = if whole { 3 } else { 4 };
        assert_eq!(of(&text).len(), count, "{length}");
        let cut: Vec<usize> = (0..text.len()).step_by(100_000).collect();
        assert_eq!(records(&text, &cut).0.len(), count);
    }
    for (lines, count) in [(MOST_LINES - 1, 3), (MOST_LINES, 2 + MOST_LINES + 1)] {
        let text = format!("a,b\n1,\"{}\"\n2,3\n", "x\n".repeat(lines));
        assert_eq!(of(&text).len(), count, "{lines}");
    }
    // A line may be of any length.
    assert_eq!(of(&format!("a,b\n1,\"{}\"\n2,3\n", "x".repeat(2 * LONGEST))).len(), 3);
}

#[test]
fn no_byte_is_looked_at_again_and_again() {
    let many = |text: &str| (0..text.len()).step_by(64).collect::<Vec<usize>>();
    let zeros = "0".repeat(1 << 20);
    assert!(records(&zeros, &many(&zeros)).1 <= 2 * zeros.len());
    let quotes = format!("a,b\n1,\"{}\n", "0\n".repeat(1 << 10));
    assert!(records(&quotes, &many(&quotes)).1 <= 4 * quotes.len());
    let quotes = format!("a,b\n1,\"{}", "0".repeat(1 << 20));
    assert!(records(&quotes, &many(&quotes)).1 <= 3 * quotes.len());
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]
    #[test]
    fn however_the_text_is_cut_the_rule_is_followed(
        text in "[a\",\n ]{0,40}(\r\n[a\",]{0,9})?", mut parts in prop::collection::vec(0..50usize, 0..12),
    ) {
        parts.sort_unstable();
        prop_assert_eq!(records(&text, &parts).0, expected(&text));
    }
}
