//! The formats that there are, and which one data has.

use serde::{Deserialize, Serialize};

use crate::cache::location as cache;
use crate::examples::reading::Table;
use crate::formats::csv;
use crate::formats::record::RecordFormat;
use crate::source::compression::Compression;
use crate::split::arrow_messages;
use crate::split::record_ends::{Quoting, RecordEnds, RecordSplitter, without_line_end};
use crate::split::row_batches;
use crate::split::text_pieces::Layout;

/// A format by its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Format {
    /// `label index:value ...`
    Libsvm,
    /// `label |namespace name:value ...`
    Vw,
    /// A table with a header, commas between fields.
    Csv,
    /// The same with tabs.
    Tsv,
    /// An object on every line.
    Jsonl,
    /// Columns, compressed, in groups of rows.
    Parquet,
    /// Columns as Arrow has them in memory: a file or a stream.
    Arrow,
}

impl Format {
    /// All of them: what they are called, and how the names of their files end.
    pub const ALL: [(Format, &'static str, &'static [&'static str]); 7] = [
        (Format::Libsvm, "libsvm", &["svm", "libsvm", "svmlight"]),
        (Format::Vw, "vw", &["vw"]),
        (Format::Csv, "csv", &["csv"]),
        (Format::Tsv, "tsv", &["tsv", "tab"]),
        (Format::Jsonl, "jsonl", &["jsonl", "ndjson"]),
        (Format::Parquet, "parquet", &["parquet", "pq"]),
        (Format::Arrow, "arrow", &["arrow", "ipc", "feather", "arrows"]),
    ];

    /// The format that the end of a file's name tells, the ends of compressed files left aside.
    pub fn of_name(name: &str) -> Option<Self> {
        let name = name.to_ascii_lowercase();
        let name = name.strip_suffix(cache::ENDING).unwrap_or(&name);
        let (name, _) = Compression::of_name(name);
        let (_, end) = name.rsplit_once('.')?;
        Self::ALL.iter().find(|(_, _, ends)| ends.contains(&end)).map(|(format, ..)| *format)
    }

    /// The format that the beginning of the data tells. Tables look like anything, so they come last: they need a first record of several fields, and others that have as many.
    pub fn of_text(text: &[u8]) -> Option<Self> {
        if text.starts_with(row_batches::PARQUET) {
            return Some(Format::Parquet);
        }
        if text.starts_with(arrow_messages::ARROW) || text.starts_with(arrow_messages::ARROW_STREAM) {
            return Some(Format::Arrow);
        }
        let mut lines = text.split(|byte| *byte == b'\n').map(<[u8]>::trim_ascii);
        let line = lines.find(|line| !line.is_empty() && !line.starts_with(b"#"))?;
        if line.starts_with(b"{") {
            return Some(Format::Jsonl);
        }
        // A label, if any, and then nothing but index:value.
        let is_feature = |token: &&[u8]| {
            let index = token.split(|byte| *byte == b':').next().unwrap_or_default();
            let numbered = !index.is_empty() && index.iter().all(u8::is_ascii_digit);
            index.len() < token.len() && (index == b"qid" || numbered) && !token.contains(&b'|')
        };
        let blank = |byte: &u8| matches!(byte, b' ' | b'\t');
        let tokens = line.split(blank).filter(|token| !token.is_empty());
        let tokens: Vec<&[u8]> = tokens.take_while(|token| !token.starts_with(b"#")).collect();
        let (label, features) = tokens.split_first()?;
        let number = || std::str::from_utf8(label).is_ok_and(|label| label.parse::<f64>().is_ok());
        let begins = if features.is_empty() { is_feature(label) || number() } else { true };
        if begins && features.iter().all(is_feature) {
            return Some(Format::Libsvm);
        }
        if line.contains(&b'|') { Some(Format::Vw) } else { table(text) }
    }

    /// Could more of the data tell the format, where this much does not? Nobody who types should be kept waiting, so one line must do, but for
    /// what may be the first of a table.
    pub(crate) fn needs_more(text: &[u8]) -> bool {
        let one_line = memchr::memchr(b'\n', text).is_none_or(|end| {
            let quoting = Quoting { separator: b',', header: true };
            let parted = text[..end].iter().any(|byte| matches!(byte, b',' | b'\t'));
            parted
                && RecordSplitter::new(Some(quoting))
                    .first(text)
                    .is_none_or(|first| !text[first..].contains(&b'\n'))
        });
        one_line && Self::of_text(text).is_none()
    }

    /// Does what the beginning of the data tells leave no doubt?
    pub(crate) fn is_certain(self) -> bool {
        self.is_columnar() || self == Format::Jsonl
    }

    /// What it is called in sentences.
    pub(crate) fn title(self) -> &'static str {
        match self {
            Format::Libsvm => "LIBSVM",
            Format::Vw => "VW",
            Format::Csv => "CSV",
            Format::Tsv => "TSV",
            Format::Jsonl => "JSON lines",
            Format::Parquet => "Parquet",
            Format::Arrow => "Arrow",
        }
    }

    /// Are its records columns of numbers and texts, and not lines of text?
    pub fn is_columnar(self) -> bool {
        matches!(self, Format::Parquet | Format::Arrow)
    }

    /// The names of all, with commas.
    pub fn names() -> String {
        Self::ALL.map(|(_, name, _)| name).join(", ")
    }

    /// What it is called.
    pub fn name(self) -> &'static str {
        Self::ALL.iter().find(|(format, ..)| *format == self).map_or("", |(_, name, _)| name)
    }
}

/// The table that a text begins: one with a first record of several fields, and most of the next ones have as many. A first record alone
/// does if it has a column that is called `label`.
fn table(text: &[u8]) -> Option<Format> {
    let fields = |format: Format| {
        let (separator, quotes) = if format == Format::Csv { (b',', true) } else { (b'\t', false) };
        let csv = csv::Csv::new(csv::TableSettings { separator, quotes, ..csv::TableSettings::default() });
        let Layout::Table { quoting, .. } = csv.layout() else { return None };
        let records = records(text, quoting);
        let (header, others) = records.split_first()?;
        let names = csv.fields(header).filter(|names| names.len() > 1)?;
        let alike = |record: &&&[u8]| csv.fields(record).is_some_and(|fields| fields.len() == names.len());
        let like_header = others.iter().filter(alike).count();
        let alone = others.is_empty() && names.iter().any(|name| name == b"label");
        (alone || 2 * like_header > others.len()).then_some(names.len())
    };
    let all = [Format::Csv, Format::Tsv].map(|format| (fields(format), format));
    all.into_iter()
        .max_by_key(|(fields, _)| *fields)
        .filter(|(fields, _)| fields.is_some())
        .map(|(_, format)| format)
}

/// The records that a text begins with, without their line ends and without blank ones. The last may not be whole; it counts only if it is the second.
fn records(text: &[u8], quoting: Option<Quoting>) -> Vec<&[u8]> {
    let (mut splitter, mut ends, mut start) = (RecordSplitter::new(quoting), RecordEnds::default(), 0);
    splitter.look(text, true);
    splitter.give_ends(&mut ends);
    let mut ends = ends.records;
    if ends.is_empty() {
        ends.extend(memchr::memchr_iter(b'\n', text).map(|end| end + 1).chain([text.len()]));
    }
    let mut records: Vec<&[u8]> = Vec::new();
    for end in ends {
        let record = without_line_end(&text[start..end]);
        if start == 0 || !record.trim_ascii().is_empty() {
            records.push(record);
        }
        start = end;
    }
    if records.len() > 2 && !text.ends_with(b"\n") {
        records.pop();
    }
    records
}

impl Format {
    /// The kind of table that it is, if it is one.
    pub fn table(self) -> Option<Table> {
        match self {
            Format::Csv => Some(Table::Csv),
            Format::Tsv => Some(Table::Tsv),
            _ => None,
        }
    }
}

impl From<Table> for Format {
    fn from(table: Table) -> Self {
        match table {
            Table::Csv => Format::Csv,
            Table::Tsv => Format::Tsv,
        }
    }
}

impl std::str::FromStr for Format {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let found = Self::ALL.iter().find(|(_, name, _)| *name == text).map(|(format, ..)| *format);
        found.ok_or_else(|| format!("must be one of {}", Self::names()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_tell_formats() {
        for (name, format) in [
            ("a.svm", Some(Format::Libsvm)),
            ("dir.csv/a.vw.gz", Some(Format::Vw)),
            ("A.CSV", Some(Format::Csv)),
            ("a.tsv.zst", Some(Format::Tsv)),
            ("a.jsonl.thwcache", Some(Format::Jsonl)),
            ("a.PQ", Some(Format::Parquet)),
            ("a.feather", Some(Format::Arrow)),
            ("a.txt", None),
            ("a", None),
        ] {
            assert_eq!(Format::of_name(name), format, "{name}");
        }
    }

    #[test]
    fn first_lines_tell_formats() {
        for (text, format) in [
            ("\n# x\n1 3:1 4:2 # c\n", Some(Format::Libsvm)),
            ("3:1\n", Some(Format::Libsvm)),
            ("spam qid:3 7:1", Some(Format::Libsvm)),
            ("1 3:1 # this | that", Some(Format::Libsvm)),
            ("-1\n1 3:1\n", Some(Format::Libsvm)),
            ("1 |f 3:1 4:1\n", Some(Format::Vw)),
            ("3:1|4:1", Some(Format::Vw)),
            ("word\n", None),
            ("1 | a b:2\n", Some(Format::Vw)),
            ("  {\"a\": 1}", Some(Format::Jsonl)),
            ("PAR1\u{15}", Some(Format::Parquet)),
            ("ARROW1\0\0", Some(Format::Arrow)),
            ("label,a,b\n1,2,3\n", Some(Format::Csv)),
            ("a,b\n1,\"2, 3\n4\"\n5,6", Some(Format::Csv)),
            ("a,b\n1,2,3\n1,2\n3,4\n5", Some(Format::Csv)),
            ("\u{feff}a,b\r\n1,2\r\n", Some(Format::Csv)),
            ("a,b\n\n1,2", Some(Format::Csv)),
            ("id,label", Some(Format::Csv)),
            ("a\tb, c\n1\t2, 3\n", Some(Format::Tsv)),
            ("a\tlabel\n", Some(Format::Tsv)),
            ("a,b\tc,d\n1,2\t3,4\n", Some(Format::Csv)),
            ("a,b\n1\n2\n", None),
            ("a,b\n", None),
            ("label\n1\n", None),
            ("1,2 3:1\n2,3 4:1\n", Some(Format::Libsvm)),
            ("{\"label\": 1, \"a\": 2}\n", Some(Format::Jsonl)),
            ("1 |a b,c\n1 |a b,c\n", Some(Format::Vw)),
            ("ham\tGo until jurong point", None),
            ("a b c", None),
            ("", None),
        ] {
            assert_eq!(Format::of_text(text.as_bytes()), format, "{text}");
        }
    }
    #[test]
    fn more_is_needed_only_of_what_may_be_a_table() {
        for (text, needs) in [
            ("", true),
            ("1 3:1", false),
            ("word", true),
            ("word\n", false),
            ("a,b\n", true),
            ("a,b\n1", true),
            ("a,b\n1\n", false),
            ("a,\"b\nc\"\n", true),
            ("a,\"b\nc\"\n1,2\n", false),
            ("a,label\n", false),
        ] {
            assert_eq!(Format::needs_more(text.as_bytes()), needs, "{text}");
        }
    }
}
