//! Examples to tables of text. A table has the columns that it was begun with: what does not fit is refused.

use thalweg_core::Real;

use super::roles::{Role, Roles};
use super::written::{RecordWriter, WrittenExample, write_number};
use crate::error::Unwritable;
use crate::names::vocabulary::Vocabulary;
use crate::split::table_start::has_quotes;

const FORMAT: &str = "this CSV table";

/// A table in the making: columns for label, importance and id (those of them that the roles name), then the features.
#[derive(Clone, Debug)]
pub(crate) struct CsvWriter {
    delimiter: u8,
    /// May fields stand in quotes?
    quotes: bool,
    roles: Roles,
    features: Vocabulary,
    values: Vec<Option<Real>>,
}

impl CsvWriter {
    /// A table with these features. What is between tabs is read as it is: with them, there are no quotes.
    pub(crate) fn new<'a>(
        delimiter: u8,
        roles: Roles,
        features: impl IntoIterator<Item = &'a [u8]>,
    ) -> Result<Self, Unwritable> {
        let refused = |name, why| Err(Unwritable::new(FORMAT, "the feature", name, why));
        let mut numbers = Vocabulary::default();
        for (i, name) in features.into_iter().enumerate() {
            if name.is_empty() {
                return refused(name, "its name is empty");
            }
            if roles.of(name) != Role::Feature {
                return refused(name, "a column of that name has another meaning");
            }
            if numbers.number(name) as usize != i {
                return refused(name, "it has a column already");
            }
        }
        let values = vec![None; numbers.len()];
        Ok(Self { delimiter, quotes: has_quotes(delimiter), roles, features: numbers, values })
    }

    /// Appends the names of the columns.
    fn header(&self, out: &mut Vec<u8>) -> Result<(), Unwritable> {
        let roles =
            [Role::Label, Role::Importance, Role::Id].into_iter().filter_map(|role| self.roles.column(role));
        let start = out.len();
        for name in roles.chain(self.features.iter()) {
            self.field("the column", name, out)?;
            out.push(self.delimiter);
        }
        self.end(start, out)
    }

    /// Appends an example. Values of a feature that comes twice are summed.
    fn write_record(&mut self, example: &WrittenExample, out: &mut Vec<u8>) -> Result<(), Unwritable> {
        self.values.fill(None);
        for &(name, value) in example.features {
            let Some(number) = self.features.find(name) else {
                return Err(Unwritable::new(FORMAT, "the feature", name, "it has no column"));
            };
            let sum = self.values[number as usize].get_or_insert(0.0);
            *sum += value;
            if !sum.is_finite() {
                return Err(Unwritable::new(FORMAT, "the feature", name, "its values have no finite sum"));
            }
        }
        let start = out.len();
        self.special(Role::Label, "the label", example.label, out)?;
        let mut importance = Vec::new();
        if example.importance != 1.0 {
            write_number(example.importance, &mut importance);
        }
        self.special(Role::Importance, "the importance", &importance, out)?;
        self.special(Role::Id, "the id", example.id, out)?;
        for value in &self.values {
            if let Some(value) = value {
                write_number(*value, out);
            }
            out.push(self.delimiter);
        }
        self.end(start, out)
    }

    fn special(
        &self,
        role: Role,
        what: &'static str,
        text: &[u8],
        out: &mut Vec<u8>,
    ) -> Result<(), Unwritable> {
        if self.roles.column(role).is_some() {
            self.field(what, text, out)?;
            out.push(self.delimiter);
        } else if !text.is_empty() {
            return Err(Unwritable::new(FORMAT, what, text, "it has no column"));
        }
        Ok(())
    }

    fn field(&self, what: &'static str, text: &[u8], out: &mut Vec<u8>) -> Result<(), Unwritable> {
        let special =
            |b: &u8| *b == self.delimiter || matches!(b, b'\n' | b'\r') || (self.quotes && *b == b'"');
        if text.trim_ascii().len() == text.len() && !text.iter().any(special) {
            out.extend_from_slice(text);
            return Ok(());
        }
        if !self.quotes {
            let why =
                "TSV has no quotes, so it must not contain tabs or line breaks, or begin or end with blanks";
            return Err(Unwritable::new(FORMAT, what, text, why));
        }
        out.push(b'"');
        for &byte in text {
            if byte == b'"' {
                out.push(b'"');
            }
            out.push(byte);
        }
        out.push(b'"');
        Ok(())
    }

    /// Puts a line end in the place of the last delimiter. A line that would be blank would be read as no record at all.
    fn end(&self, start: usize, out: &mut Vec<u8>) -> Result<(), Unwritable> {
        if out.len() > start {
            out.pop();
        }
        if out[start..].trim_ascii().is_empty() {
            if !self.quotes {
                return Err(Unwritable::new(FORMAT, "an example", b"", "its line would be blank"));
            }
            out.splice(start..start, *b"\"\"");
        }
        out.push(b'\n');
        Ok(())
    }
}

impl RecordWriter for CsvWriter {
    fn begin(&mut self, out: &mut Vec<u8>) -> Result<(), Unwritable> {
        self.header(out)
    }

    fn write(&mut self, example: &WrittenExample, out: &mut Vec<u8>) -> Result<(), Unwritable> {
        self.write_record(example, out)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::csv::{Csv, TableSettings};
    use super::super::record::RecordFormat;
    use super::super::testing::{examples, heard, table_start};
    use super::*;
    use crate::split::table_start::Delimiter;

    fn all_roles() -> Roles {
        Roles::new().with(Role::Importance, "importance").with(Role::Id, "id")
    }

    #[test]
    fn tables_hold_what_they_have_columns_for() {
        let mut writer = CsvWriter::new(b',', all_roles(), [b"a, b".as_slice(), b"c"]).unwrap();
        let mut out = Vec::new();
        writer.header(&mut out).unwrap();
        let example = WrittenExample {
            label: b"spam",
            importance: 0.5,
            id: b"\"x\"",
            features: &[(b"c", 1.5), (b"c", 1.0)],
        };
        writer.write(&example, &mut out).unwrap();
        writer
            .write(
                &WrittenExample { label: b"", importance: 1.0, id: b"", features: &[(b"a, b", -0.25)] },
                &mut out,
            )
            .unwrap();
        let text = String::from_utf8(out).unwrap();
        assert_eq!(text, "label,importance,id,\"a, b\",c\nspam,0.5,\"\"\"x\"\"\",,2.5\n,,,-0.25,\n");
    }

    #[test]
    fn what_does_not_fit_is_refused() {
        let refusal = |features: &[&'static [u8]]| {
            CsvWriter::new(b',', Roles::new(), features.iter().copied()).unwrap_err().to_string()
        };
        assert_eq!(refusal(&[b""]), "this CSV table cannot hold the feature \"\": its name is empty");
        assert_eq!(
            refusal(&[b"a", b"a"]),
            "this CSV table cannot hold the feature \"a\": it has a column already"
        );
        assert_eq!(
            refusal(&[b"label"]),
            "this CSV table cannot hold the feature \"label\": a column of that name has another meaning"
        );
        let mut writer = CsvWriter::new(b',', Roles::new(), [b"a".as_slice()]).unwrap();
        let mut refusal = |importance, id, features| {
            let example = WrittenExample { label: b"1", importance, id, features };
            writer.write(&example, &mut Vec::new()).unwrap_err().to_string()
        };
        assert_eq!(
            refusal(2.0, b"", &[]),
            "this CSV table cannot hold the importance \"2\": it has no column"
        );
        assert_eq!(refusal(1.0, b"t", &[]), "this CSV table cannot hold the id \"t\": it has no column");
        assert_eq!(
            refusal(1.0, b"", &[(b"b", 1.0)]),
            "this CSV table cannot hold the feature \"b\": it has no column"
        );
    }

    #[test]
    fn an_empty_example_is_a_record() {
        let mut writer = CsvWriter::new(b',', Roles::new(), []).unwrap();
        let mut out = Vec::new();
        writer
            .write(&WrittenExample { label: b"", importance: 1.0, id: b"", features: &[] }, &mut out)
            .unwrap();
        assert_eq!(out, b"\"\"\n");
    }

    proptest! {
        #[test]
        fn what_is_written_reads_back(mut example in examples(), delimiter in prop::sample::select(vec![b',', b'\t', b';'])) {
            let mut names = Vocabulary::default();
            example.features.retain(|(name, _)| names.len() == names.number(name.as_bytes()) as usize);
            let mut writer = CsvWriter::new(delimiter, all_roles(), names.iter()).unwrap();
            let mut out = Vec::new();
            let quotes = has_quotes(delimiter);
            let written = writer.header(&mut out);
            let header = out.len();
            let written = written.and_then(|()| example.with(|example| writer.write(example, &mut out)));
            if written.is_err() {
                prop_assert!(!quotes);
                return Ok(());
            }
            let mut csv = Csv::new(TableSettings { delimiter: Delimiter::Given(delimiter), roles: all_roles(), ..TableSettings::default() });
            let start = table_start(&out, delimiter);
            prop_assert_eq!(&*start.header, &out[..header - 1]);
            prop_assert!(csv.begin(&start).unwrap());
            prop_assert_eq!(start.first.as_deref(), Some(&out[header..out.len() - 1]));
            let heard = heard(&csv, &out[header..out.len() - 1]).unwrap().unwrap();
            example.assert_heard(&heard);
        }
    }
}
