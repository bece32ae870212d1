//! CSV and TSV as formats; their records are read by `csv.rs` and written by `csv_writer.rs`.

use super::csv::{Csv, TableSettings};
use super::csv_writer::CsvWriter;
use super::listing::{ListedFormat, ParserSettings, Recognition, TextFormat, WriterSettings};
use super::written::{ByName, FormatWriter, WriteFault};
use crate::split::record_ends::{Quoting, RecordEnds, RecordSplitter, without_line_end};
use crate::split::table_start::{DELIMITERS, Delimiter, has_quotes};

/// A table with commas between fields.
pub(crate) struct CommaTable;

/// A table with tabs between fields.
pub(crate) struct TabTable;

impl ListedFormat for CommaTable {
    const NAME: &'static str = "csv";
    const TITLE: &'static str = "CSV";
    const ENDINGS: &'static [&'static str] = &["csv"];
    const TABLE: bool = true;

    fn recognize(beginning: &[u8]) -> Recognition {
        // Programs in countries that write 3,14 separate fields by semicolons, and call that CSV too.
        [b',', b';', b'|']
            .into_iter()
            .map(|delimiter| recognize(delimiter, beginning))
            .max()
            .unwrap_or(Recognition::No)
    }

    fn writer(settings: &WriterSettings) -> Result<Box<dyn FormatWriter>, WriteFault> {
        writer(b',', settings)
    }
}

impl TextFormat for CommaTable {
    type Parser = Csv;

    fn parser(settings: &ParserSettings) -> Csv {
        parser(b',', settings)
    }
}

impl ListedFormat for TabTable {
    const NAME: &'static str = "tsv";
    const TITLE: &'static str = "TSV";
    const ENDINGS: &'static [&'static str] = &["tsv", "tab"];
    const TABLE: bool = true;

    fn recognize(beginning: &[u8]) -> Recognition {
        recognize(b'\t', beginning)
    }

    fn writer(settings: &WriterSettings) -> Result<Box<dyn FormatWriter>, WriteFault> {
        writer(b'\t', settings)
    }
}

impl TextFormat for TabTable {
    type Parser = Csv;

    fn parser(settings: &ParserSettings) -> Csv {
        parser(b'\t', settings)
    }
}

fn parser(usual: u8, settings: &ParserSettings) -> Csv {
    let ParserSettings { roles, delimiter, known_delimiter: known, decimal_comma, header, incomplete } =
        settings;
    Csv::new(TableSettings {
        delimiter: delimiter.map_or(Delimiter::Found { known: *known, usual }, Delimiter::Given),
        decimal_comma: *decimal_comma,
        header: *header,
        roles: roles.clone(),
        incomplete: *incomplete,
    })
}

fn writer(delimiter: u8, settings: &WriterSettings) -> Result<Box<dyn FormatWriter>, WriteFault> {
    let columns = settings.wanted_names().ok_or(WriteFault::NoColumns)?.map(|(_, name)| name);
    let writer = CsvWriter::new(delimiter, WriterSettings::roles(), columns)?;
    Ok(Box::new(ByName::new(writer)))
}

/// A table has a first record of several fields, and most of the next ones have as many. A first record alone does if it has a column
/// that is called `label`.
fn recognize(delimiter: u8, text: &[u8]) -> Recognition {
    let fields = || {
        let csv =
            Csv::new(TableSettings { delimiter: Delimiter::Given(delimiter), ..TableSettings::default() });
        let quoting = has_quotes(delimiter).then_some(Quoting { delimiter });
        let records = records(text, quoting);
        let (header, others) = records.split_first()?;
        let names = csv.fields(header).filter(|names| names.len() > 1)?;
        let alike = |record: &&&[u8]| csv.fields(record).is_some_and(|fields| fields.len() == names.len());
        let like_header = others.iter().filter(alike).count();
        let alone = others.is_empty() && names.iter().any(|name| name == b"label");
        (alone || 2 * like_header > others.len()).then_some(names.len())
    };
    let tabs = delimiter == b'\t';
    fields().map_or(Recognition::No, |columns| Recognition::Table { columns, tabs })
}

/// May a text be the beginning of a table, of which the second record is not there yet?
pub(crate) fn may_begin(text: &[u8]) -> bool {
    memchr::memchr(b'\n', text).is_none_or(|end| {
        let quoting = Quoting { delimiter: b',' };
        let separated = text[..end].iter().any(|byte| DELIMITERS.contains(byte));
        let first = || RecordSplitter::new(Some(quoting)).first(text);
        separated && first().is_none_or(|first| !text[first..].contains(&b'\n'))
    })
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
