//! The beginning of a table: its first record, and what separates the fields.
//!
//! What separates the fields is given, or found in the first record, and in the second if the first is ambiguous. No other byte matters, so it is
//! the same however the data comes.

use super::record_ends::{Quoting, first_record};

/// What separates the fields of a table, as far as it is known before the table is seen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Delimiter {
    /// This and nothing else.
    Given(u8),
    /// What the table shows; if that is ambiguous, what separated the tables before, or else what is usual for the format.
    Found { known: Option<u8>, usual: u8 },
}

/// What may separate fields, if it is not given.
pub(crate) const DELIMITERS: [u8; 4] = *b",\t;|";

/// May fields stand in quotes? What is between tabs is meant as it is.
pub(crate) const fn has_quotes(delimiter: u8) -> bool {
    delimiter != b'\t'
}

/// The beginning of a table.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct TableStart {
    /// The first record, without its line end: the names of the columns, if it is a header.
    pub(crate) header: Box<[u8]>,
    /// The record after it, if the first is a header and there is one.
    pub(crate) first: Option<Box<[u8]>>,
    /// What separates the fields.
    pub(crate) delimiter: u8,
}

/// The first two records of a text, blank lines after the first passed over, and how many fields they have.
struct FirstRecords<'a> {
    first: (&'a [u8], usize),
    second: Option<(&'a [u8], usize)>,
    /// May more of the text show the second?
    open: bool,
}

impl<'a> FirstRecords<'a> {
    /// Nothing if the first is not complete.
    fn of(text: &'a [u8], delimiter: u8, at_end: bool) -> Option<Self> {
        let quoting = has_quotes(delimiter);
        let read = |from: usize, fields: Option<usize>| {
            first_record(&text[from..], Quoting { delimiter }, quoting, fields, at_end)
        };
        let (length, fields) = read(0, None)?;
        let (mut at, mut second) = (length, None);
        while at < text.len() && second.is_none() {
            // Empty lines may be very many.
            at += text[at..].iter().take_while(|byte| matches!(byte, b'\r' | b'\n')).count();
            let Some((length, count)) = read(at, Some(fields)) else { break };
            second =
                Some((&text[at..at + length], count)).filter(|(record, _)| !record.trim_ascii().is_empty());
            at += length;
        }
        Some(Self { first: (&text[..length], fields), open: second.is_none() && !at_end, second })
    }

    /// How many fields both have; none if they have different numbers.
    fn fields(&self) -> Option<usize> {
        self.second.filter(|(_, count)| *count == self.first.1).map(|(_, count)| count)
    }
}

impl TableStart {
    /// The beginning of the table that a text begins with; nothing while more of the text must come. At the end of the input no more comes.
    pub(crate) fn of(text: &[u8], delimiter: Delimiter, header: bool, at_end: bool) -> Option<Self> {
        let read = |delimiter| FirstRecords::of(text, delimiter, at_end);
        let delimiter = match delimiter {
            Delimiter::Given(delimiter) => delimiter,
            // One example must be enough where it has to be answered before the next one comes.
            Delimiter::Found { known: Some(known), .. } if !header && read(known)?.first.1 > 1 => known,
            Delimiter::Found { known, usual } => find(known, usual, read)?,
        };
        let records = read(delimiter)?;
        if header && records.open {
            return None;
        }
        let whole = |record: &[u8]| super::record_ends::without_line_end(record).into();
        let first = records.second.filter(|_| header).map(|(record, _)| whole(record));
        Some(Self { header: whole(records.first.0), first, delimiter })
    }
}

/// What separates the first record into fields. Of several, those count that separate the second into as many: what is known or usual, or else what
/// makes the most of them.
fn find<'a>(known: Option<u8>, usual: u8, read: impl Fn(u8) -> Option<FirstRecords<'a>>) -> Option<u8> {
    let mut candidates: Vec<(u8, FirstRecords)> = Vec::new();
    for delimiter in known.into_iter().chain([usual]).chain(DELIMITERS) {
        let records = read(delimiter)?;
        if records.first.1 > 1 && candidates.iter().all(|(other, _)| *other != delimiter) {
            candidates.push((delimiter, records));
        }
    }
    match &candidates[..] {
        [] => return Some(known.unwrap_or(usual)),
        [(only, _)] => return Some(*only),
        several if several.iter().any(|(_, records)| records.open) => return None,
        _ => {}
    }
    let expected = |delimiter: u8| Some(delimiter) == known || delimiter == usual;
    let fitting = candidates.iter().filter_map(|(delimiter, records)| Some((*delimiter, records.fields()?)));
    let best = fitting.reduce(|best, other| if !expected(best.0) && other.1 > best.1 { other } else { best });
    Some(best.map_or(candidates[0].0, |(delimiter, _)| delimiter))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn found(text: &str, known: Option<u8>, usual: u8) -> char {
        let delimiter = Delimiter::Found { known, usual };
        TableStart::of(text.as_bytes(), delimiter, true, true).unwrap().delimiter as char
    }

    #[test]
    fn the_first_records_show_what_separates_the_fields() {
        for (text, delimiter) in [
            ("a,b\n1,2\n", ','),
            ("a;b\n1,5;2,5\n", ';'),
            ("a|b|c\n1|2|3", '|'),
            ("a\tb\n1\t2\n", '\t'),
            ("\"a;x\",b\n1,2\n", ','),
            ("\"a,x\";b\n1;2\n", ';'),
            ("a,b;c\n1,2\n", ','),
            ("first, last;age;label\nDoe;3;1\n", ';'),
            ("x|y|z,label\n1|2|3,4\n", ','),
            ("genre|kind,x,label\n1|2,3,4\n", ','),
            ("text\nwords, and more; of them\n", ','),
            ("a;b,c\n\n1;2\n", ';'),
            ("\"l;a\";\"a,b\";c\n\"x;\"\"y\";\"1,5\";0\n", ';'),
            ("\"l,a\",\"a;b\",c\n\"x;\"\"y\",\"1;5\",0\n", ','),
            ("a;b,c", ','),
            ("", ','),
        ] {
            assert_eq!(found(text, None, b','), delimiter, "{text}");
        }
        assert_eq!(found("a,b\tc,d\n1,2\t3,4", None, b'\t'), '\t');
        assert_eq!(found("a,b\tc\n1,2\t3", None, b'\t'), '\t');
        assert_eq!(found("one\n1;2", None, b'\t'), '\t');
        // What separated the tables before is taken where it fits.
        assert_eq!(found("a,b;c,d\n1,2;3,4", Some(b';'), b','), ';');
        assert_eq!(found("a,b\n1,2", Some(b';'), b','), ',');
        assert_eq!(found("a^b\n1^2", Some(b'^'), b','), '^');
        assert_eq!(found("one\n1", Some(b'^'), b','), '^');
    }

    #[test]
    fn nothing_is_decided_before_it_is_certain() {
        let found = Delimiter::Found { known: None, usual: b',' };
        let start = |text: &str, header| TableStart::of(text.as_bytes(), found, header, false);
        for text in ["", "a;b", "a;b\n", "a;b\n1;2", "a;b\n\n", "a;\"b\nc"] {
            assert_eq!(start(text, true), None, "{text:?}");
        }
        let whole = start("a;b\n1;2\n", true).unwrap();
        assert_eq!((&*whole.header, whole.first.as_deref()), (&b"a;b"[..], Some(&b"1;2"[..])));
        // One example is enough, unless there is a doubt.
        assert_eq!(start("1;2\n", false).unwrap().delimiter, b';');
        assert_eq!(start("1;2,3\n", false), None);
        assert_eq!(start("1;2,3\n1;4\n", false).unwrap().delimiter, b';');
    }

    proptest! {
        #[test]
        fn more_text_changes_nothing(text in "[ab1,;|\t\"\n]{0,40}", header in any::<bool>(), known in prop::option::of(Just(b';'))) {
            let delimiter = Delimiter::Found { known, usual: b',' };
            let whole = TableStart::of(text.as_bytes(), delimiter, header, true);
            for end in 0..text.len() {
                let part = TableStart::of(&text.as_bytes()[..end], delimiter, header, false);
                prop_assert!(part.is_none() || part == whole, "{:?} {part:?} {whole:?}", &text[..end]);
            }
        }
    }
}
