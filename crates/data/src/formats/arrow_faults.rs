//! Columns of Arrow that cannot be read, all told at once.

use arrow_array::Array;
use arrow_schema::DataType;

use super::arrow_vectors::is_vector;
use crate::error::{Fault, quoted};

/// Why a column cannot be read.
pub(super) enum ColumnFault {
    /// Its kind is no feature.
    Unusable {
        /// Which column, counted from 0, and all names down to it.
        number: usize,
        path: Vec<u8>,
        /// What it holds.
        what: String,
        /// Could features be made of it?
        is_date: bool,
    },
    /// Anything else.
    Other(Fault),
}

impl From<Fault> for ColumnFault {
    fn from(fault: Fault) -> Self {
        Self::Other(fault)
    }
}

/// The columns that cannot be read, and what to do.
#[derive(Default)]
pub(super) struct Unusable {
    /// The number of the first.
    number: Option<usize>,
    described: Vec<String>,
    dates: Vec<String>,
    others: Vec<String>,
}

impl Unusable {
    /// Takes note of one; anything else is an error at once.
    pub(super) fn add(&mut self, fault: ColumnFault) -> Result<(), Fault> {
        match fault {
            ColumnFault::Other(fault) => return Err(fault),
            ColumnFault::Unusable { number, path, what, is_date } => {
                self.number.get_or_insert(number);
                let name = quoted(&path);
                self.described.push(format!("{name} holds {what}"));
                if is_date { self.dates.push(name) } else { self.others.push(name) }
            }
        }
        Ok(())
    }

    /// An error that names all of them.
    pub(super) fn check(self) -> Result<(), Fault> {
        let Some(number) = self.number else { return Ok(()) };
        let flags = |flag: &str, names: &[String]| {
            names.iter().map(|name| format!("`{flag}` {name}")).collect::<Vec<_>>().join(" ")
        };
        let mut advice = Vec::new();
        if !self.dates.is_empty() {
            advice.push(format!("{} makes features of dates", flags("date", &self.dates)));
        }
        let all = if self.others.is_empty() { &self.dates } else { &self.others };
        advice.push(format!("{} skips what cannot be a feature", flags("ignore", all)));
        let message = format!("column {}; {}", self.described.join(", "), advice.join(", "));
        Err(Fault { column: number + 1, message })
    }
}

/// Are these dates or times of days?
pub(super) fn is_date(kind: &DataType) -> bool {
    matches!(kind, DataType::Date32 | DataType::Date64 | DataType::Timestamp(..))
}

/// What a column holds, in words.
pub(super) fn plain(array: &dyn Array) -> String {
    match array.data_type() {
        DataType::List(_) | DataType::LargeList(_) | DataType::FixedSizeList(..) => "lists".into(),
        kind if is_vector(kind) => "vectors".into(),
        DataType::Struct(_) => "structs".into(),
        DataType::Map(..) => "maps".into(),
        DataType::Date32 | DataType::Date64 => "dates".into(),
        DataType::Timestamp(..) => "timestamps".into(),
        other => format!("values of the type {other}"),
    }
}
