//! CSV and TSV with a header: numbers are values of the feature that is called like their column, other text is a feature
//! `column=text`, empty fields are missing.
//!
//! Fields may stand in double quotes, and then hold delimiters, line ends and (doubled) quotes, as RFC 4180 says; a quote that
//! is not closed costs its line and no more (`split/record_ends.rs` says how). Blanks around
//! a field are passed over unless they stand in quotes. A number is what begins with a digit, a sign or a point. What stands for a missing
//! value (`missing.rs`) is as good as an empty field.

use thalweg_core::Real;
use thalweg_core::keyed_hash::KeyedSet;

use super::dates::put_date;
use super::decimal_comma::with_point;
use super::header::{COUNTS_ROWS, LOOKS_LIKE_EXAMPLE, is_index, looks_like_example};
use super::record::{ParseBuffers, RecordFormat};
use super::roles::{Role, Roles, is_made_of, no_such_column};
use super::sink::{RecordSink, cost, importance, put_category, put_text};
use crate::error::{Fault, quoted};
use crate::split::line::{ClosingQuote, Line};
use crate::split::table_start::{Delimiter, TableStart, has_quotes};
use crate::split::text_pieces::Layout;

/// How a table is to be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct TableSettings {
    /// What separates the fields.
    pub(crate) delimiter: Delimiter,
    /// Is there a comma before the decimals of numbers, and not a point?
    pub(crate) decimal_comma: bool,
    /// The first record names the columns; otherwise they are called 1, 2, 3, ...
    pub(crate) header: bool,
    /// Columns that are more than features, by name; or by position, from 1, if no column is called like that.
    pub(crate) roles: Roles,
    /// Columns that have a role may be absent: as the label is from examples to predict.
    pub(crate) incomplete: bool,
}

impl Default for TableSettings {
    /// Commas, quotes, a header, and a column that is called `label`.
    fn default() -> Self {
        Self {
            delimiter: Delimiter::Given(b','),
            decimal_comma: false,
            header: true,
            roles: Roles::new(),
            incomplete: false,
        }
    }
}

/// A table of text.
#[derive(Clone, Debug)]
pub(crate) struct Csv {
    settings: TableSettings,
    /// What separates the fields of this table.
    delimiter: u8,
    columns: Vec<TableColumn>,
}

#[derive(Clone, Debug)]
struct TableColumn {
    name: Vec<u8>,
    role: Role,
}

/// A field: its text without quotes, and the byte after it.
struct Field<'a> {
    text: &'a [u8],
    end: usize,
}

impl Csv {
    /// A table of which no record was seen.
    pub(crate) fn new(settings: TableSettings) -> Self {
        let delimiter = match settings.delimiter {
            Delimiter::Given(delimiter) => delimiter,
            Delimiter::Found { known, usual } => known.unwrap_or(usual),
        };
        Self { settings, delimiter, columns: Vec::new() }
    }

    /// The names of the columns, once [`RecordFormat::begin`] has seen them.
    pub(crate) fn columns(&self) -> impl Iterator<Item = &[u8]> {
        self.columns.iter().map(|column| column.name.as_slice())
    }

    /// Reads the field that begins at `start`. If it is in quotes, the next closing quote is its own.
    fn field<'a>(
        &self,
        record: &'a [u8],
        start: usize,
        quotes: &mut impl Iterator<Item = ClosingQuote>,
        buffer: &'a mut Vec<u8>,
    ) -> Result<Field<'a>, Fault> {
        let blanks = self.blanks(&record[start..]);
        if has_quotes(self.delimiter) && record.get(start + blanks) == Some(&b'"') {
            let start = start + blanks + 1;
            return match quotes.next() {
                Some(ClosingQuote { at, doubled: false }) => {
                    Ok(Field { text: &record[start..at], end: at + 1 + self.blanks(&record[at + 1..]) })
                }
                Some(ClosingQuote { doubled: true, .. }) | None => self.quoted_field(record, start, buffer),
            };
        }
        let rest = &record[start..];
        let length = memchr::memchr(self.delimiter, rest).unwrap_or(rest.len());
        Ok(Field { text: rest[..length].trim_ascii(), end: start + length })
    }

    /// Reads the rest of a field whose opening quote stands before `start`, and makes doubled quotes single.
    fn quoted_field<'a>(
        &self,
        record: &'a [u8],
        start: usize,
        buffer: &'a mut Vec<u8>,
    ) -> Result<Field<'a>, Fault> {
        buffer.clear();
        let mut from = start;
        let close = loop {
            let Some(length) = memchr::memchr(b'"', &record[from..]) else {
                return Err(Fault::at(start - 1, "this quote must be closed", &record[start - 1..]));
            };
            if record.get(from + length + 1) != Some(&b'"') {
                break from + length;
            }
            buffer.extend_from_slice(&record[from..=from + length]);
            from += length + 2;
        };
        let end = close + 1 + self.blanks(&record[close + 1..]);
        if end < record.len() && record[end] != self.delimiter {
            let what = "a quote must be closed at the end of its field, and doubled inside it";
            return Err(Fault::at(close, what, &record[close..]));
        }
        if from == start {
            return Ok(Field { text: &record[start..close], end });
        }
        buffer.extend_from_slice(&record[from..close]);
        Ok(Field { text: buffer, end })
    }

    /// How many blanks `text` begins with, delimiters apart.
    fn blanks(&self, text: &[u8]) -> usize {
        let blank = |b: &&u8| matches!(**b, b' ' | b'\t') && **b != self.delimiter;
        text.iter().take_while(blank).count()
    }

    /// The fields of a record that is to name the columns, or to say how many there are.
    fn names(&self, record: &[u8]) -> Result<Vec<(Vec<u8>, usize)>, Fault> {
        let (mut names, mut at, mut buffer) = (Vec::new(), 0, Vec::new());
        loop {
            let field = self.field(record, at, &mut std::iter::empty(), &mut buffer)?;
            let end = field.end;
            let position = (names.len() + 1).to_string().into_bytes();
            let nameless = !self.settings.header || field.text.is_empty();
            names.push((if nameless { position } else { field.text.to_vec() }, at));
            if end == record.len() {
                return Ok(names);
            }
            at = end + 1;
        }
    }

    /// The fields of a record, if it is one.
    pub(crate) fn fields(&self, record: &[u8]) -> Option<Vec<Vec<u8>>> {
        let (mut fields, mut at, mut buffer) = (Vec::new(), 0, Vec::new());
        loop {
            let field = self.field(record, at, &mut std::iter::empty(), &mut buffer).ok()?;
            let end = field.end;
            fields.push(field.text.to_vec());
            if end == record.len() {
                return Some(fields);
            }
            at = end + 1;
        }
    }

    fn first_field(&self, record: &[u8]) -> Vec<u8> {
        let mut buffer = Vec::new();
        let field = self.field(record, 0, &mut std::iter::empty(), &mut buffer);
        field.map_or_else(|_| Vec::new(), |field| field.text.to_vec())
    }

    /// Is the first column an index of rows? That is no feature, unless the column was given a role.
    fn has_index(&self, start: &TableStart) -> bool {
        let [column, _, ..] = &self.columns[..] else { return false };
        let no_role = matches!(column.role, Role::Feature | Role::Ignored)
            && !self.settings.roles.named().iter().any(|(name, _)| [&b"1"[..], &column.name].contains(name));
        let value = || start.first.as_ref().map_or_else(Vec::new, |record| self.first_field(record));
        self.settings.header && no_role && is_index(&self.first_field(&start.header), &value())
    }

    fn looks_like_example(&self, start: &TableStart) -> bool {
        let first = start.first.as_ref().and_then(|record| self.fields(record)).unwrap_or_default();
        let names = || self.fields(&start.header).unwrap_or_default();
        self.settings.header && looks_like_example(&names(), &first)
    }

    /// Can an example be scored without this column? Its label is not needed, but what it is made of is, as text or as features made of that.
    fn can_lack(&self, wanted: &[u8], role: Role) -> bool {
        !role.is_needed() || self.columns().any(|name| is_made_of(name, wanted, role))
    }

    /// Gives columns the roles that the settings say, by name or by position.
    fn assign(&mut self) -> Result<(), Fault> {
        for (wanted, role) in self.settings.roles.named() {
            let position = || std::str::from_utf8(wanted).ok()?.parse::<usize>().ok()?.checked_sub(1);
            let by_name = self.columns.iter().position(|column| column.name == wanted);
            match by_name.or_else(position).filter(|i| *i < self.columns.len()) {
                Some(i) => self.columns[i].role = role,
                None if self.settings.incomplete && self.can_lack(wanted, role) => {}
                None => {
                    let mut message = no_such_column(wanted, role, self.columns());
                    if self.columns.len() == 1 {
                        message += "; if there are more, `delimiter` sets what separates them";
                    }
                    return Err(Fault { column: 1, message });
                }
            }
        }
        Ok(())
    }
}

/// Memory for the name of a feature, and for a number with a point.
struct FieldBuffers<'a> {
    name: &'a mut Vec<u8>,
    number: &'a mut Vec<u8>,
}

/// Where a first record has a carriage return outside quotes: lines of old files end with it, and then all of them look like one.
fn lone_return(record: &[u8]) -> Option<usize> {
    let at = memchr::memchr(b'\r', record)?;
    memchr::memchr_iter(b'"', &record[..at]).count().is_multiple_of(2).then_some(at)
}

const fn number_begins(byte: u8) -> bool {
    matches!(byte, b'0'..=b'9' | b'-' | b'+' | b'.')
}

impl RecordFormat for Csv {
    const NAME_IN_CACHES: &'static str = "CSV";

    fn layout(&self) -> Layout {
        let TableSettings { delimiter, header, .. } = self.settings;
        Layout::Table { delimiter, header }
    }

    fn begin(&mut self, start: &TableStart) -> Result<bool, Fault> {
        let (header, record) = (self.settings.header, &*start.header);
        self.delimiter = start.delimiter;
        if let Some(at) = lone_return(record) {
            let what = "a carriage return (CR) in the first line: if lines end in CR alone, convert them to LF, for example with tr '\\r' '\\n'";
            return Err(Fault { column: at + 1, message: what.into() });
        }
        let names = self.names(record)?;
        let mut others = KeyedSet::default();
        for (name, at) in &names {
            if !others.insert(name) {
                let mut fault = Fault::at(*at, "column names must be unique", name);
                fault.message += "; if the first line is an example, use `no_header`";
                return Err(fault);
            }
        }
        self.columns = names.into_iter().map(|(name, _)| TableColumn { name, role: Role::Feature }).collect();
        if let Err(mut fault) = self.assign() {
            if self.looks_like_example(start) {
                fault.message = format!("{}; {LOOKS_LIKE_EXAMPLE}", fault.message);
            }
            return Err(fault);
        }
        if self.has_index(start) {
            self.columns[0].role = Role::Ignored;
        }
        Ok(header)
    }

    fn notes(&self, start: &TableStart) -> Vec<String> {
        let mut notes = Vec::new();
        if self.looks_like_example(start) {
            notes.push(LOOKS_LIKE_EXAMPLE.into());
        }
        if self.has_index(start) {
            let name = self.first_field(&start.header);
            let called = if name.is_empty() { "without a name".into() } else { quoted(&name) };
            notes.push(format!("the first column, {called}, {COUNTS_ROWS}"));
        }
        notes
    }

    fn parse(
        &self,
        line: Line,
        buffers: &mut ParseBuffers,
        sink: &mut impl RecordSink,
    ) -> Result<bool, Fault> {
        let record = line.bytes();
        if record.trim_ascii().is_empty() && !record.contains(&self.delimiter) {
            return Ok(false);
        }
        buffers.column_slots.resize(self.columns.len(), None);
        let (mut at, mut first, mut quotes) = (0, true, line.closing_quotes());
        for (i, column) in self.columns.iter().enumerate() {
            if !first {
                if at == record.len() {
                    return Err(self.wrong_number(i, at));
                }
                at += 1;
            }
            first = false;
            // Most fields of most tables: a number and nothing else.
            if column.role == Role::Feature && record.get(at).is_some_and(|byte| number_begins(*byte)) {
                let (value, length) =
                    fast_float2::parse_partial::<Real, _>(&record[at..]).unwrap_or((0.0, 0));
                let ends = record.get(at + length).is_none_or(|byte| *byte == self.delimiter);
                let plain = !self.settings.decimal_comma || !record[at..at + length].contains(&b'.');
                if length > 0 && ends && plain && value.is_finite() {
                    sink.column(&column.name, &mut buffers.column_slots[i], value);
                    at += length;
                    continue;
                }
            }
            let field = self.field(record, at, &mut quotes, &mut buffers.text)?;
            let memory = FieldBuffers { name: &mut buffers.name, number: &mut buffers.number };
            self.put(column, field.text, at, memory, sink)?;
            at = field.end;
        }
        if at < record.len() {
            let more = self.names(record).map_or(0, |fields| fields.len());
            return Err(self.wrong_number(more, at));
        }
        Ok(true)
    }
}

impl Csv {
    /// Puts a field where its column's role says.
    #[inline]
    fn put(
        &self,
        column: &TableColumn,
        text: &[u8],
        at: usize,
        FieldBuffers { name, number }: FieldBuffers,
        sink: &mut impl RecordSink,
    ) -> Result<(), Fault> {
        if column.role.is_missing(text) {
            return Ok(());
        }
        match column.role {
            Role::Feature => {
                if number_begins(text[0]) || (self.settings.decimal_comma && text[0] == b',') {
                    match fast_float2::parse::<Real, _>(self.number(text, at, number)?) {
                        Ok(value) if value.is_finite() => {
                            sink.named(b"", &column.name, value);
                            return Ok(());
                        }
                        Ok(_) => return Err(Fault::at(at, "value must be a finite number", text)),
                        Err(_) => {}
                    }
                }
                put_category(sink, &column.name, text, name);
            }
            Role::Category => put_category(sink, &column.name, text, name),
            Role::Date => {
                name.clear();
                name.extend_from_slice(&column.name);
                put_date(sink, name, text, at)?;
            }
            Role::Text => put_text(sink, &column.name, text),
            Role::Label => sink.label(text, at),
            Role::Importance => sink.importance(importance(self.number(text, at, number)?, at)?),
            Role::Cost => sink.cost(cost(self.number(text, at, number)?, at)?),
            Role::Id => sink.id(text),
            Role::Ignored => {}
        }
        Ok(())
    }

    /// A number as the parser of numbers expects it.
    fn number<'a>(&self, text: &'a [u8], at: usize, buffer: &'a mut Vec<u8>) -> Result<&'a [u8], Fault> {
        if self.settings.decimal_comma { with_point(text, at, buffer) } else { Ok(text) }
    }

    #[cold]
    fn wrong_number(&self, count: usize, at: usize) -> Fault {
        let message = format!("expected {} fields, as in the first record, got {count}", self.columns.len());
        Fault { column: at + 1, message }
    }
}

#[cfg(test)]
mod tests;
