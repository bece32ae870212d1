//! CSV and TSV with a header: numbers are values of the feature that is called like their column, other text is a feature
//! `column=text`, empty fields are missing.
//!
//! Fields may stand in double quotes, and then hold separators, line ends and (doubled) quotes, as RFC 4180 says; a quote that
//! is not closed costs its line and no more (`records.rs` says how). Blanks around
//! a field are passed over unless they stand in quotes. A number is what begins with a digit, a sign or a point: `NaN` and `NA` are
//! text like any other, so that a value is unknown is a feature, unless they are declared to mean [`TableSettings::missing`].

use thalweg_core::Real;
use thalweg_core::keyed::Set;

use super::record::{Line, ParseBuffers, RecordFormat};
use super::roles::{Role, Roles, called, is_made_of};
use super::sink::{RecordSink, importance, put_text};
use crate::error::{Fault, quoted};
use crate::split::record_ends::{MARK, Quoting};
use crate::split::text_pieces::Layout;

/// How a table is to be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct TableSettings {
    /// What parts the fields.
    pub(crate) separator: u8,
    /// Fields may stand in double quotes.
    pub(crate) quotes: bool,
    /// The first record names the columns; otherwise they are called 1, 2, 3, ...
    pub(crate) header: bool,
    /// Columns that are more than features, by name; or by position, from 1, if no column is called like that.
    pub(crate) roles: Roles,
    /// Columns that have a role may be absent: as the label is from examples to predict.
    pub(crate) incomplete: bool,
    /// Texts that mean, like no text at all, that a value is missing.
    pub(crate) missing: Vec<String>,
}

impl Default for TableSettings {
    /// Commas, quotes, a header, and a column that is called `label`.
    fn default() -> Self {
        Self {
            separator: b',',
            quotes: true,
            header: true,
            roles: Roles::new(),
            incomplete: false,
            missing: Vec::new(),
        }
    }
}

/// A table of text.
#[derive(Clone, Debug)]
pub(crate) struct Csv {
    settings: TableSettings,
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
        Self { settings, columns: Vec::new() }
    }

    /// The names of the columns, once [`RecordFormat::begin`] has seen them.
    pub(crate) fn columns(&self) -> impl Iterator<Item = &[u8]> {
        self.columns.iter().map(|column| column.name.as_slice())
    }

    /// Reads the field that begins at `start`.
    fn field<'a>(&self, record: &'a [u8], start: usize, buffer: &'a mut Vec<u8>) -> Result<Field<'a>, Fault> {
        let blanks = self.blanks(&record[start..]);
        if self.settings.quotes && record.get(start + blanks) == Some(&b'"') {
            return self.quoted_field(record, start + blanks + 1, buffer);
        }
        let rest = &record[start..];
        let length = memchr::memchr(self.settings.separator, rest).unwrap_or(rest.len());
        Ok(Field { text: rest[..length].trim_ascii(), end: start + length })
    }

    /// Reads the rest of a field whose opening quote stands before `start`.
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
        if end < record.len() && record[end] != self.settings.separator {
            let what = "a quote must be closed at the end of its field, and doubled inside it";
            return Err(Fault::at(close, what, &record[close..]));
        }
        if from == start {
            return Ok(Field { text: &record[start..close], end });
        }
        buffer.extend_from_slice(&record[from..close]);
        Ok(Field { text: buffer, end })
    }

    /// How many blanks `text` begins with, separators apart.
    fn blanks(&self, text: &[u8]) -> usize {
        let blank = |b: &&u8| matches!(**b, b' ' | b'\t') && **b != self.settings.separator;
        text.iter().take_while(blank).count()
    }

    /// Puts a field where its column's role says.
    #[inline]
    fn put(
        &self,
        column: &TableColumn,
        text: &[u8],
        at: usize,
        name: &mut Vec<u8>,
        sink: &mut impl RecordSink,
    ) -> Result<(), Fault> {
        if text.is_empty() || self.is_missing(text) {
            return Ok(());
        }
        match column.role {
            Role::Feature | Role::Category => {
                if column.role == Role::Feature && number_begins(text[0]) {
                    match fast_float2::parse::<Real, _>(text) {
                        Ok(value) if value.is_finite() => {
                            sink.named(b"", &column.name, value);
                            return Ok(());
                        }
                        Ok(_) => return Err(Fault::at(at, "value must be a finite number", text)),
                        Err(_) => {}
                    }
                }
                name.clear();
                name.extend_from_slice(&column.name);
                name.push(b'=');
                name.extend_from_slice(text);
                sink.named(b"", name, 1.0);
            }
            Role::Text => put_text(sink, &column.name, text),
            Role::Label => sink.label(text, at),
            Role::Importance => sink.importance(importance(text, at)?),
            Role::Id => sink.id(text),
            Role::Ignored => {}
        }
        Ok(())
    }

    fn is_missing(&self, text: &[u8]) -> bool {
        self.settings.missing.iter().any(|missing| missing.as_bytes() == text)
    }

    /// The fields of a record that is to name the columns, or to say how many there are.
    fn names(&self, record: &[u8]) -> Result<Vec<(Vec<u8>, usize)>, Fault> {
        let (mut names, mut at, mut buffer) = (Vec::new(), 0, Vec::new());
        loop {
            let field = self.field(record, at, &mut buffer)?;
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

    /// The fields of a record, if it is one; names of columns where they have none.
    pub(crate) fn fields(&self, record: &[u8]) -> Option<Vec<Vec<u8>>> {
        let names = self.names(record.strip_prefix(MARK).unwrap_or(record)).ok()?;
        Some(names.into_iter().map(|(name, _)| name).collect())
    }

    /// Can an example be scored without this column? Its label is not needed, but what it is made of is, as text or as features made of that.
    fn can_lack(&self, wanted: &[u8], role: Role) -> bool {
        role != Role::Text || self.columns().any(|name| is_made_of(name, wanted))
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
                    let columns: Vec<String> = self.columns().map(quoted).collect();
                    let message = format!(
                        "there is no column {} for the {}; the columns are {}",
                        quoted(wanted),
                        called(role),
                        columns.join(", ")
                    );
                    return Err(Fault { column: 1, message });
                }
            }
        }
        Ok(())
    }
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
    const NAME: &'static str = "CSV";

    fn layout(&self) -> Layout {
        let TableSettings { separator, quotes, header, .. } = self.settings;
        Layout::Table { quoting: quotes.then_some(Quoting { separator, header }), header }
    }

    fn begin(&mut self, record: &[u8]) -> Result<bool, Fault> {
        let header = self.settings.header;
        if let Some(at) = lone_return(record) {
            let what = "a carriage return (CR) in the first line: if the lines of this file end in CR alone, make it LF, as with tr '\\r' '\\n'";
            return Err(Fault { column: at + 1, message: what.into() });
        }
        let names = self.names(if header { record.strip_prefix(MARK).unwrap_or(record) } else { record })?;
        let mut others = Set::default();
        for (name, at) in &names {
            if !others.insert(name) {
                return Err(Fault::at(*at, "every column must have a name of its own", name));
            }
        }
        self.columns = names.into_iter().map(|(name, _)| TableColumn { name, role: Role::Feature }).collect();
        self.assign()?;
        Ok(header)
    }

    fn parse(
        &self,
        line: Line,
        buffers: &mut ParseBuffers,
        sink: &mut impl RecordSink,
    ) -> Result<bool, Fault> {
        let record = line.bytes();
        if record.trim_ascii().is_empty() && !record.contains(&self.settings.separator) {
            return Ok(false);
        }
        buffers.column_slots.resize(self.columns.len(), None);
        let (mut at, mut first) = (0, true);
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
                let ends = record.get(at + length).is_none_or(|byte| *byte == self.settings.separator);
                if length > 0 && ends && value.is_finite() {
                    if !self.is_missing(&record[at..at + length]) {
                        sink.column(&column.name, &mut buffers.column_slots[i], value);
                    }
                    at += length;
                    continue;
                }
            }
            let field = self.field(record, at, &mut buffers.text)?;
            self.put(column, field.text, at, &mut buffers.name, sink)?;
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
    #[cold]
    fn wrong_number(&self, count: usize, at: usize) -> Fault {
        let message = format!("expected {} fields, as in the first record, got {count}", self.columns.len());
        Fault { column: at + 1, message }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::testing::{fault, heard, record_length};
    use super::*;

    fn with(header: &str, settings: TableSettings) -> Csv {
        let mut csv = Csv::new(settings);
        csv.begin(header.as_bytes()).unwrap();
        csv
    }

    fn shown(csv: &Csv, record: &str) -> String {
        let heard = heard(csv, record.as_bytes()).unwrap().unwrap();
        format!("{} | {}", heard.label.as_ref().map_or("-", |(text, _)| text), heard.shown())
    }

    fn refusal(header: &str, settings: TableSettings) -> String {
        Csv::new(settings).begin(header.as_bytes()).unwrap_err().message
    }

    #[test]
    fn numbers_and_categories() {
        let csv = with("age,work,label,pay", TableSettings::default());
        assert_eq!(shown(&csv, "39,State-gov,<=50K,1e3"), "<=50K | age:39 work=State-gov:1 pay:1000");
        assert_eq!(shown(&csv, " 39 , State-gov ,<=50K, -.5 "), "<=50K | age:39 work=State-gov:1 pay:-0.5");
        assert_eq!(shown(&csv, ",,,"), "- | ");
        assert_eq!(shown(&csv, "NaN,1-2,1,inf"), "1 | age=NaN:1 work=1-2:1 pay=inf:1");
        assert_eq!(shown(&csv, "\"39\",\"a \"\"b\"\", c\",\"x\n\" ,\"\""), "x\n | age:39 work=a \"b\", c:1");
        assert_eq!(shown(&csv, "5\" pipe,a\"b\",1,2"), "1 | age=5\" pipe:1 work=a\"b\":1 pay:2");
        assert_eq!(heard(&csv, b""), Ok(None));
        assert_eq!(heard(&csv, b"  "), Ok(None));
        assert_eq!(heard(&csv, b"1,2,yes,4").unwrap().unwrap().label, Some(("yes".into(), 4)));
    }

    #[test]
    fn columns_have_roles() {
        let roles = Roles::default()
            .with(Role::Label, "y")
            .with(Role::Importance, "w")
            .with(Role::Id, "id")
            .with(Role::Text, "body")
            .with(Role::Category, "zip")
            .with(Role::Ignored, "x");
        let csv = with(
            "id\ty\tw\tbody\tzip\tx\tn",
            TableSettings { separator: b'\t', roles, ..TableSettings::default() },
        );
        let heard = heard(&csv, b"a7\tspam\t0.5\tHi, \"you\"\t10115\tz\t3").unwrap().unwrap();
        assert_eq!(heard.id.as_deref(), Some("a7"));
        assert_eq!(heard.label, Some(("spam".into(), 3)));
        assert_eq!(heard.importance, Some(0.5));
        assert_eq!(heard.texts, [("body".to_string(), "Hi, \"you\"".to_string())]);
        assert_eq!(heard.shown(), "zip=10115:1 n:3");
        assert_eq!(
            fault(&csv, "a\tb\t-1\t\t\t\t"),
            "5: importance must be a finite number that is not negative, got \"-1\""
        );
    }

    #[test]
    fn columns_can_be_found_by_position() {
        let by = |column: &str| TableSettings {
            roles: Roles::default().with(Role::Label, column),
            ..TableSettings::default()
        };
        assert_eq!(shown(&with("a,b,c", by("2")), "1,x,3"), "x | a:1 c:3");
        assert_eq!(shown(&with("a,b,2", by("2")), "1,x,3"), "3 | a:1 b=x:1");
        let mut csv = Csv::new(TableSettings { header: false, ..by("1") });
        assert!(!csv.begin(b"spam,2,x").unwrap());
        assert_eq!(shown(&csv, "spam,2,x"), "spam | 2:2 3=x:1");
        assert_eq!(shown(&with("\u{feff}label,,b", TableSettings::default()), "1,0,7"), "1 | 2:0 b:7");
    }

    #[test]
    fn some_texts_mean_that_a_value_is_missing() {
        let missing = vec!["NA".to_string(), "-".to_string(), "-999".to_string()];
        let csv = with("a,b,label,c", TableSettings { missing, ..TableSettings::default() });
        assert_eq!(shown(&csv, "NA,-,-,-999"), "- | ");
    }

    #[test]
    fn faults_say_where_and_what() {
        let csv = with("label,b,c", TableSettings::default());
        let fault = |record| fault(&csv, record);
        assert_eq!(fault("1,2"), "4: expected 3 fields, as in the first record, got 2");
        assert_eq!(fault("1,2,3,4,5"), "6: expected 3 fields, as in the first record, got 5");
        assert_eq!(fault("1,\"2,3"), "3: this quote must be closed, got \"\\\"2,3\"");
        assert_eq!(
            fault("1,\"2\"x,3"),
            "5: a quote must be closed at the end of its field, and doubled inside it, got \"\\\"x,3\""
        );
        assert_eq!(fault("1,2,1e999"), "5: value must be a finite number, got \"1e999\"");
        assert_eq!(fault("1,-inf,2"), "3: value must be a finite number, got \"-inf\"");
        assert_eq!(
            refusal("a,b", TableSettings::default()),
            "there is no column \"label\" for the label; the columns are \"a\", \"b\""
        );
        assert_eq!(
            refusal("label,a,a", TableSettings::default()),
            "every column must have a name of its own, got \"a\""
        );
        assert!(
            Csv::new(TableSettings { incomplete: true, ..TableSettings::default() }).begin(b"a,b").unwrap()
        );
    }

    #[test]
    fn there_may_be_very_many_columns() {
        let header: Vec<String> = (0..100_000).map(|i| format!("a column of this name: {i}")).collect();
        let began = std::time::Instant::now();
        let csv = with(&header.join(","), TableSettings { incomplete: true, ..TableSettings::default() });
        assert_eq!(csv.columns().count(), header.len());
        assert!(began.elapsed().as_secs() < 5, "{:?}", began.elapsed());
    }

    #[test]
    fn lines_that_end_in_cr_alone_are_told_from_one_long_line() {
        for header in ["label,a\r1,2\r0,3", "\"label\",\"a\"\r1,2\r"] {
            let message = refusal(header, TableSettings::default());
            assert!(message.contains("end in CR alone") && message.contains("tr '\\r' '\\n'"), "{message}");
        }
        assert!(Csv::new(TableSettings::default()).begin(b"label,\"a\rb\"").is_ok());
    }

    #[test]
    fn records_may_be_several_lines() {
        let length = |text: &str| record_length(&Csv::new(TableSettings::default()), text.as_bytes());
        assert_eq!(length("a,b\nc"), Some(4));
        assert_eq!(length("a,b"), None);
        assert_eq!(length("a,\"b\nc\"\"\n\",d\ne"), Some(13));
        assert_eq!(length("a, \"b\nc"), None);
        assert_eq!(length("a,b \"c\nd"), Some(7));
        let plain = Csv::new(TableSettings { quotes: false, ..TableSettings::default() });
        assert_eq!(record_length(&plain, b"a,\"b\nc\"\n"), Some(5));
    }

    proptest! {
        #[test]
        fn no_bytes_crash_it(header in "[a-c,\" ]{0,10}", text in prop::collection::vec(any::<u8>(), 0..60)) {
            let mut csv = Csv::new(TableSettings { incomplete: true, ..TableSettings::default() });
            let _ = csv.begin(header.as_bytes());
            let _ = record_length(&csv, &text);
            let _ = heard(&csv, &text);
            let _ = csv.begin(&text);
        }

        #[test]
        fn near_misses_do_not_crash_it(text in "[-1.ena\", \n\t]{0,30}") {
            let csv = with("a,b", TableSettings { incomplete: true, ..TableSettings::default() });
            if let Some(length) = record_length(&csv, text.as_bytes()) {
                prop_assert!(length <= text.len() && text.as_bytes()[length - 1] == b'\n');
                let _ = heard(&csv, &text.as_bytes()[..length - 1]);
            }
            let _ = heard(&csv, text.as_bytes());
        }
    }
}
