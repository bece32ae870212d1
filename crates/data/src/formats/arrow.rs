//! Columns of Arrow, as Parquet and Arrow files hold them: each row is an example.
//!
//! | in a column | becomes |
//! | --- | --- |
//! | a number `39` in the column `age` | `age` with the value 39 |
//! | `true` in `seen` | `seen` with the value 1; `false` is no feature |
//! | a text `red` in `color` | `color=red` with the value 1; a text is never a number |
//! | a struct `user` with a field `age` | as a column `user.age` |
//! | a vector of Spark's machine learning | as the list of its values: `pixels.0`, `pixels.1` and so on |
//! | a map `user` with a key `age` | likewise |
//! | a list of texts | a bag: `words=a` with the value 2 if it is there twice |
//! | a list of anything else | `pixels.0`, `pixels.1` and so on |
//! | lists `indices` and `values` | features that are known by their numbers; without `values` they are all 1 |
//! | lists `names` and `values` | features by name |
//! | null, NaN, a text that stands for a missing value | nothing |
//!
//! So it means what the same object would mean in JSON lines, but for the two sparse forms.

use arrow_array::cast::AsArray;
use arrow_array::{Array, ArrayRef, RecordBatch};
use arrow_buffer::NullBuffer;
use arrow_schema::DataType;
use thalweg_core::Real;
use thalweg_core::keyed_hash::KeyedSet;

use super::arrow_faults::{ColumnFault, Unusable, is_date, plain};
use super::arrow_sparse::Sparse;
use super::arrow_values::{is_text, list, moments, reals, rebased, spell, text};
use super::arrow_vectors::Vectors;
use super::dates::{Moment, put_date};
use super::json_string;
use super::record::ParseBuffers;
use super::roles::{Role, Roles, is_made_of, no_such_column};
use super::sink::{RecordSink, cost, importance, put_text};
use crate::error::{Fault, quoted};

/// The columns of a batch of rows, ready to be read row by row.
pub(crate) struct Columns {
    columns: Vec<ArrowColumn>,
    sparse: Option<Sparse>,
}

/// A column, a field of a struct, or the items of lists.
struct ArrowColumn {
    /// Which column of the table it is or belongs to, counted from 0.
    number: usize,
    name: Vec<u8>,
    role: Role,
    nulls: Option<NullBuffer>,
    /// Where the values of the rows are, if the column has a dictionary.
    keys: Option<Vec<usize>>,
    values: ArrayRef,
    content: Content,
    /// The number of its feature, as far as the sink knows it.
    slot: Option<u32>,
}

enum Content {
    Numbers(Vec<Real>),
    Booleans,
    Texts,
    /// Dates or times, where features are made of them.
    Moments(Vec<Moment>),
    Fields(Vec<ArrowColumn>),
    Vectors(Vectors),
    /// Where the items of each row begin, and all items.
    List(Vec<usize>, Box<ArrowColumn>),
    /// Where the entries of each row begin, their keys and their values.
    Map(Vec<usize>, ArrayRef, Box<ArrowColumn>),
    Nothing,
}

impl Columns {
    /// Columns with these roles. If the table may be incomplete, columns that have a role may be absent.
    pub(crate) fn new(batch: &RecordBatch, roles: &Roles, incomplete: bool) -> Result<Self, Fault> {
        let schema = batch.schema();
        let names: Vec<&[u8]> = schema.fields().iter().map(|field| field.name().as_bytes()).collect();
        let mut others = KeyedSet::default();
        for (number, name) in names.iter().enumerate() {
            if !others.insert(name) {
                return Err(Fault::at(number, "column names must be unique", name));
            }
        }
        let sparse = Sparse::find(batch, roles);
        let (mut columns, mut unusable) = (Vec::new(), Unusable::default());
        for (number, name) in names.iter().enumerate() {
            if sparse.as_ref().is_none_or(|sparse| !sparse.has(number)) {
                let origin = ColumnPath { number, roles, path: name.to_vec() };
                match ArrowColumn::new(&origin, name, roles.of(name), batch.column(number)) {
                    Ok(column) => columns.push(column),
                    Err(fault) => unusable.add(fault)?,
                }
            }
        }
        unusable.check()?;
        let table = Self { columns, sparse };
        table.check_roles(roles, &names, incomplete)?;
        Ok(table)
    }

    fn check_roles(&self, roles: &Roles, names: &[&[u8]], incomplete: bool) -> Result<(), Fault> {
        for (wanted, role) in roles.named() {
            // An example can be scored without its label, but not without what it is made of, as text or as features made of that.
            let is_made = || self.sparse.is_some() || names.iter().any(|name| is_made_of(name, wanted, role));
            if incomplete && (!role.is_needed() || is_made()) {
                continue;
            }
            let found = |column: &ArrowColumn| column.contains(&column.name, wanted);
            if !names.contains(&wanted) && !self.columns.iter().any(found) {
                let message = no_such_column(wanted, role, names.iter().copied());
                return Err(Fault { column: 1, message });
            }
        }
        Ok(())
    }

    /// Reads a row into the sink.
    pub(crate) fn read(
        &mut self,
        row: usize,
        buffers: &mut ParseBuffers,
        sink: &mut impl RecordSink,
    ) -> Result<(), Fault> {
        for column in &mut self.columns {
            // Most columns of most tables: a number and nothing else.
            if let (Content::Numbers(values), Role::Feature, None) =
                (&column.content, column.role, &column.keys)
            {
                if !column.is_null(row) {
                    let value = values[row];
                    if value.is_nan() {
                        continue;
                    }
                    if value.is_infinite() {
                        return Err(column.not_finite(row));
                    }
                    sink.column(&column.name, &mut column.slot, value);
                }
                continue;
            }
            buffers.name.clear();
            buffers.name.extend_from_slice(&column.name);
            column.put(row, buffers, sink)?;
        }
        self.sparse.as_ref().map_or(Ok(()), |sparse| sparse.read(row, sink))
    }
}

/// A row as a line of JSON, to be shown or kept.
pub(crate) fn row_as_json(batch: &RecordBatch, row: usize) -> Vec<u8> {
    // One row only: all of it is looked at.
    let batch = batch.slice(row, 1);
    let (mut line, roles) = (vec![b'{'], Roles::default());
    for (number, field) in batch.schema().fields().iter().enumerate() {
        let name = field.name().as_bytes();
        let origin = ColumnPath { number, roles: &roles, path: name.to_vec() };
        if let Ok(column) = ArrowColumn::new(&origin, name, Role::Feature, batch.column(number)) {
            column.key(&mut line);
            column.json(0, &mut line);
        }
    }
    line.push(b'}');
    line
}

/// Where a column was found.
struct ColumnPath<'a> {
    number: usize,
    roles: &'a Roles,
    /// All names down to it, with dots.
    path: Vec<u8>,
}

impl ColumnPath<'_> {
    fn inner(&self, name: &[u8]) -> Self {
        Self { path: [&self.path[..], b".", name].concat(), ..*self }
    }

    #[cold]
    fn fault(&self, message: &str) -> Fault {
        Fault { column: self.number + 1, message: format!("column {} {message}", quoted(&self.path)) }
    }
}

impl ArrowColumn {
    fn new(origin: &ColumnPath, name: &[u8], role: Role, array: &ArrayRef) -> Result<Self, ColumnFault> {
        let nulls = array.logical_nulls();
        let (keys, values) = match array.as_any_dictionary_opt() {
            // Without a dictionary to look at, all rows are null.
            Some(dictionary) if dictionary.values().is_empty() => (Some(Vec::new()), dictionary.values()),
            Some(dictionary) => (Some(dictionary.normalized_keys()), dictionary.values()),
            None => (None, array),
        };
        let content = match role {
            Role::Ignored => Content::Nothing,
            _ => Content::of(origin, role, values)?,
        };
        let single = !matches!(role, Role::Feature | Role::Ignored);
        let scalar = match &content {
            Content::List(_, items) if matches!(role, Role::Text | Role::Category) => {
                matches!(items.content, Content::Texts)
            }
            Content::List(..) | Content::Map(..) | Content::Fields(_) | Content::Vectors(_) => false,
            _ => true,
        };
        if single && !scalar {
            let what = format!("must hold one text or number in every row, not {}", plain(array));
            return Err(origin.fault(&what).into());
        }
        let (number, name, values) = (origin.number, name.to_vec(), ArrayRef::clone(values));
        Ok(Self { number, name, role, nulls, keys, values, content, slot: None })
    }

    #[inline]
    fn is_null(&self, row: usize) -> bool {
        self.nulls.as_ref().is_some_and(|nulls| nulls.is_null(row))
    }

    /// Where the value of a row is that is not null.
    fn at(&self, row: usize) -> usize {
        self.keys.as_ref().map_or(row, |keys| keys[row])
    }

    /// Is this the column of that name, or does it contain it?
    fn contains(&self, path: &[u8], wanted: &[u8]) -> bool {
        let Content::Fields(fields) = &self.content else { return path == wanted };
        path == wanted
            || fields.iter().any(|field| field.contains(&[path, b".", &field.name].concat(), wanted))
    }

    /// Puts the value of a row where the role says. The name so far is in the buffers.
    fn put<S: RecordSink>(&self, row: usize, buffers: &mut ParseBuffers, sink: &mut S) -> Result<(), Fault> {
        if self.is_null(row) {
            return Ok(());
        }
        let (i, outer) = (self.at(row), buffers.name.len());
        let feature = self.role == Role::Feature;
        match &self.content {
            Content::Nothing => {}
            Content::Moments(moments) => moments[i].put(&mut buffers.name, sink),
            Content::Numbers(values) if self.role == Role::Feature => {
                if values[i].is_infinite() {
                    return Err(self.not_finite(row));
                }
                if !values[i].is_nan() {
                    sink.named(b"", &buffers.name, values[i]);
                }
            }
            Content::Booleans if feature => {
                if self.values.as_boolean().value(i) {
                    sink.named(b"", &buffers.name, 1.0);
                }
            }
            Content::Fields(fields) => {
                for field in fields {
                    buffers.name.push(b'.');
                    buffers.name.extend_from_slice(&field.name);
                    field.put(i, buffers, sink)?;
                    buffers.name.truncate(outer);
                }
            }
            Content::Vectors(vectors) => {
                let put = vectors.put(i, &mut buffers.name, sink);
                put.map_err(|what| self.fault(&what))?;
                buffers.name.truncate(outer);
            }
            Content::List(starts, items) => {
                // Texts are a bag; all else has its place.
                let places = self.role == Role::Feature && !matches!(items.content, Content::Texts);
                for (place, item) in (starts[i]..starts[i + 1]).enumerate() {
                    if places {
                        buffers.name.push(b'.');
                        buffers.name.extend_from_slice(itoa::Buffer::new().format(place).as_bytes());
                    }
                    items.put(item, buffers, sink)?;
                    buffers.name.truncate(outer);
                }
            }
            Content::Map(starts, keys, values) => {
                for entry in starts[i]..starts[i + 1] {
                    buffers.name.push(b'.');
                    buffers.name.extend_from_slice(text(keys, entry));
                    values.put(entry, buffers, sink)?;
                    buffers.name.truncate(outer);
                }
            }
            Content::Numbers(_) | Content::Booleans | Content::Texts => {
                buffers.text.clear();
                spell(&self.values, i, &mut buffers.text);
                self.hand(buffers, sink)?;
            }
        }
        Ok(())
    }

    /// Hands the text in the buffers to the sink, as the role says.
    fn hand(
        &self,
        ParseBuffers { name, text, .. }: &mut ParseBuffers,
        sink: &mut impl RecordSink,
    ) -> Result<(), Fault> {
        if self.role.is_missing(text) {
            return Ok(());
        }
        match self.role {
            Role::Label => sink.label(text, self.number),
            Role::Id => sink.id(text),
            Role::Importance => {
                let wrong = |fault: Fault| self.fault(&fault.message);
                sink.importance(importance(text, self.number).map_err(wrong)?);
            }
            Role::Cost => {
                let wrong = |fault: Fault| self.fault(&fault.message);
                sink.cost(cost(text, self.number).map_err(wrong)?);
            }
            Role::Date => {
                put_date(sink, name, text, self.number).map_err(|fault| self.fault(&fault.message))?;
            }
            Role::Text => put_text(sink, name, text),
            Role::Feature | Role::Category => {
                name.push(b'=');
                name.extend_from_slice(text);
                sink.named(b"", name, 1.0);
                name.truncate(name.len() - text.len() - 1);
            }
            Role::Ignored => {}
        }
        Ok(())
    }

    #[cold]
    fn not_finite(&self, row: usize) -> Fault {
        let mut value = Vec::new();
        spell(&self.values, self.at(row), &mut value);
        self.fault(&format!("value must be a finite number, got {}", quoted(&value)))
    }

    #[cold]
    fn fault(&self, message: &str) -> Fault {
        Fault { column: self.number + 1, message: format!("column {}: {message}", quoted(&self.name)) }
    }

    /// Appends its name, with a comma if it is not the first.
    fn key(&self, out: &mut Vec<u8>) {
        if !out.ends_with(b"{") {
            out.push(b',');
        }
        json_string::write(&String::from_utf8_lossy(&self.name), out);
        out.push(b':');
    }

    /// Appends the value of a row.
    fn json(&self, row: usize, out: &mut Vec<u8>) {
        if self.is_null(row) {
            return out.extend_from_slice(b"null");
        }
        let i = self.at(row);
        let mut word = Vec::new();
        match &self.content {
            Content::Nothing | Content::Moments(_) => out.extend_from_slice(b"null"),
            Content::Booleans => spell(&self.values, i, out),
            Content::Numbers(values) if values[i].is_finite() => spell(&self.values, i, out),
            Content::Numbers(_) | Content::Texts => {
                spell(&self.values, i, &mut word);
                json_string::write(&String::from_utf8_lossy(&word), out);
            }
            Content::Fields(fields) => {
                out.push(b'{');
                for field in fields {
                    field.key(out);
                    field.json(i, out);
                }
                out.push(b'}');
            }
            Content::Vectors(vectors) => vectors.json(i, out),
            Content::List(starts, items) => {
                out.push(b'[');
                for item in starts[i]..starts[i + 1] {
                    if item > starts[i] {
                        out.push(b',');
                    }
                    items.json(item, out);
                }
                out.push(b']');
            }
            Content::Map(starts, keys, values) => {
                out.push(b'{');
                for entry in starts[i]..starts[i + 1] {
                    if entry > starts[i] {
                        out.push(b',');
                    }
                    json_string::write(&String::from_utf8_lossy(text(keys, entry)), out);
                    out.push(b':');
                    values.json(entry, out);
                }
                out.push(b'}');
            }
        }
    }
}

impl Content {
    fn of(origin: &ColumnPath, role: Role, array: &ArrayRef) -> Result<Self, ColumnFault> {
        if let (Role::Date, Some(moments)) = (role, moments(array)) {
            return Ok(Content::Moments(moments));
        }
        if let Some(values) = reals(array) {
            return Ok(Content::Numbers(values));
        }
        if let Some(vectors) = Vectors::of(array) {
            return Ok(Content::Vectors(vectors));
        }
        if let Some((starts, items)) = list(array) {
            let items = ArrowColumn::new(origin, b"", role, &items)?;
            return Ok(Content::List(starts, Box::new(items)));
        }
        Ok(match array.data_type() {
            DataType::Null => Content::Nothing,
            DataType::Boolean => Content::Booleans,
            kind if is_text(kind) => Content::Texts,
            DataType::Struct(fields) => {
                let columns = fields.iter().zip(array.as_struct().columns());
                let field = |(field, column): (&arrow_schema::FieldRef, &ArrayRef)| {
                    let inner = origin.inner(field.name().as_bytes());
                    // A label or a text as a whole is refused by the caller.
                    let role = origin.roles.of(&inner.path);
                    ArrowColumn::new(&inner, field.name().as_bytes(), role, column)
                };
                Content::Fields(columns.map(field).collect::<Result<_, _>>()?)
            }
            DataType::Map(..) if is_text(array.as_map().keys().data_type()) => {
                let map = array.as_map();
                let (starts, first, length) = rebased(map.offsets());
                let values = ArrowColumn::new(origin, b"", role, &map.values().slice(first, length))?;
                Content::Map(starts, map.keys().slice(first, length), Box::new(values))
            }
            _ => {
                let (number, path) = (origin.number, origin.path.clone());
                let (what, is_date) = (plain(array), is_date(array.data_type()));
                return Err(ColumnFault::Unusable { number, path, what, is_date });
            }
        })
    }
}

#[cfg(test)]
mod tests;
