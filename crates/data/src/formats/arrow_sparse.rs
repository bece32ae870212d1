//! Sparse examples in columns: a list of `indices` or `names`, and beside it a list of `values`.

use arrow_array::{Array, ArrayRef, RecordBatch};
use arrow_buffer::NullBuffer;
use thalweg_core::{BIAS, Real};

use super::arrow_values::{indices, is_text, list, reals, spell, text};
use super::roles::{Role, Roles};
use super::sink::RecordSink;
use crate::error::{Fault, quoted};

/// The columns that hold sparse examples: numbers, or else names, and their values.
pub(crate) const INDICES: &str = "indices";
pub(crate) const NAMES: &str = "names";
pub(crate) const VALUES: &str = "values";

/// Features of each row in one or two columns.
pub(crate) struct Sparse {
    keys: Lists,
    /// The features as numbers, if they are no names.
    indices: Option<Vec<u32>>,
    values: Option<(Lists, Vec<Real>)>,
}

struct Lists {
    /// The column's number, counted from 0, and its name.
    number: usize,
    name: &'static str,
    starts: Vec<usize>,
    nulls: Option<NullBuffer>,
    items: ArrayRef,
}

impl Sparse {
    /// Nothing if there are no such columns, or if they were given a role.
    pub(crate) fn find(batch: &RecordBatch, roles: &Roles) -> Option<Self> {
        let lists = |name: &'static str| {
            let number = batch.schema().index_of(name).ok()?;
            let column = batch.column(number);
            let (starts, items) = list(column).filter(|_| roles.of(name.as_bytes()) == Role::Feature)?;
            Some(Lists { number, name, starts, nulls: column.nulls().cloned(), items })
        };
        let values = || lists(VALUES).and_then(|lists| Some((reals(&lists.items)?, lists)));
        let values = values().map(|(values, lists)| (lists, values));
        if let Some(keys) = lists(INDICES)
            && let Some(indices) = indices(&keys.items)
        {
            return Some(Self { keys, indices: Some(indices), values });
        }
        // Names without values are a bag of words like any other list of texts.
        let keys = lists(NAMES).filter(|keys| is_text(keys.items.data_type()) && values.is_some())?;
        Some(Self { keys, indices: None, values })
    }

    /// Does a column belong to it?
    pub(crate) fn has(&self, number: usize) -> bool {
        self.keys.number == number || self.values.as_ref().is_some_and(|(lists, _)| lists.number == number)
    }

    /// Reads a row into the sink.
    pub(crate) fn read(&self, row: usize, sink: &mut impl RecordSink) -> Result<(), Fault> {
        let keys = self.keys.of(row);
        let values = self.values.as_ref().map(|(lists, values)| (lists, lists.of(row), values));
        if let Some((lists, items, _)) = &values
            && items.len() != keys.len()
        {
            let (count, name, expected) = (items.len(), quoted(self.keys.name.as_bytes()), keys.len());
            let message = format!("expected as many items as in {name}, {expected}, got {count}");
            return Err(lists.fault(&message));
        }
        for (i, key) in keys.enumerate() {
            let value = match &values {
                Some((lists, items, _)) if lists.items.is_null(items.start + i) => continue,
                Some((lists, items, values)) => {
                    let value = values[items.start + i];
                    if value.is_nan() {
                        continue;
                    }
                    if value.is_infinite() {
                        return Err(lists.wrong("value must be a finite number", items.start + i));
                    }
                    value
                }
                None => 1.0,
            };
            if self.keys.items.is_null(key) {
                return Err(self.keys.fault("a feature is null, but has a value"));
            }
            match &self.indices {
                Some(indices) => sink.number(self.index(indices[key], key)?, value),
                None => sink.named(b"", text(&self.keys.items, key), value),
            }
        }
        Ok(())
    }

    fn index(&self, index: u32, key: usize) -> Result<u32, Fault> {
        if index == BIAS {
            let what = format!("feature index must be from 0 to {}", BIAS - 1);
            return Err(self.keys.wrong(&what, key));
        }
        Ok(index)
    }
}

impl Lists {
    /// Where the items of a row are.
    fn of(&self, row: usize) -> std::ops::Range<usize> {
        if self.nulls.as_ref().is_some_and(|nulls| nulls.is_null(row)) {
            return 0..0;
        }
        self.starts[row]..self.starts[row + 1]
    }

    #[cold]
    fn fault(&self, message: &str) -> Fault {
        Fault {
            column: self.number + 1,
            message: format!("column {}: {message}", quoted(self.name.as_bytes())),
        }
    }

    #[cold]
    fn wrong(&self, what: &str, item: usize) -> Fault {
        let mut got = Vec::new();
        spell(&self.items, item, &mut got);
        self.fault(&format!("{what}, got {}", quoted(&got)))
    }
}
