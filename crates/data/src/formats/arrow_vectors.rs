//! Vectors as Spark's machine learning keeps them: a struct of `type` (0 is sparse, 1 is dense), `size`, `indices` and `values`.
//!
//! What is in the vector at place 7 of the column `features` is the feature `features.7`, as it would be in a list of numbers.

use arrow_array::cast::AsArray;
use arrow_array::types::{Int8Type, Int32Type};
use arrow_array::{Array, ArrayRef, StructArray};
use arrow_schema::{DataType, Field};
use thalweg_core::Real;

use super::arrow_values::{list, reals, spell};
use super::sink::RecordSink;
use crate::error::quoted;

const SPARSE: i8 = 0;
const DENSE: i8 = 1;

/// The fields of such a struct; their order is always the same.
const FIELDS: [&str; 4] = ["type", "size", "indices", "values"];

/// A column of vectors.
pub(crate) struct Vectors {
    rows: StructArray,
    indices: Lists,
    values: Lists,
    /// All values of all rows.
    reals: Vec<Real>,
}

/// Where the items of each row begin, and all items.
struct Lists {
    starts: Vec<usize>,
    items: ArrayRef,
}

impl Lists {
    fn of(array: &ArrayRef) -> Option<Self> {
        list(array).map(|(starts, items)| Self { starts, items })
    }

    fn of_row(&self, row: usize) -> std::ops::Range<usize> {
        self.starts[row]..self.starts[row + 1]
    }
}

/// Does a column hold vectors? Any other struct has other fields, or these with other types.
pub(crate) fn is_vector(kind: &DataType) -> bool {
    let DataType::Struct(fields) = kind else { return false };
    let items = |field: &Field, kind: DataType| match field.data_type() {
        DataType::List(item) | DataType::LargeList(item) => *item.data_type() == kind,
        _ => false,
    };
    match &fields[..] {
        [kind, size, indices, values] => {
            fields.iter().map(|field| field.name()).eq(FIELDS)
                && *kind.data_type() == DataType::Int8
                && *size.data_type() == DataType::Int32
                && items(indices, DataType::Int32)
                && items(values, DataType::Float64)
        }
        _ => false,
    }
}

impl Vectors {
    /// Nothing if the column holds something else.
    pub(crate) fn of(array: &ArrayRef) -> Option<Self> {
        if !is_vector(array.data_type()) {
            return None;
        }
        let rows = array.as_struct().clone();
        let (indices, values) = (Lists::of(rows.column(2))?, Lists::of(rows.column(3))?);
        let reals = reals(&values.items)?;
        Some(Self { rows, indices, values, reals })
    }

    /// Puts what is in the vector of a row, which is not null. The name is that of the column. An error says what is wrong with the vector.
    pub(crate) fn put(
        &self,
        row: usize,
        name: &mut Vec<u8>,
        sink: &mut impl RecordSink,
    ) -> Result<(), String> {
        let values = self.values.of_row(row);
        let kinds = self.rows.column(0);
        match kinds.as_primitive::<Int8Type>().value(row) {
            _ if kinds.is_null(row) => Err("a vector has no type".into()),
            DENSE => values.enumerate().try_for_each(|(place, i)| self.put_one(place, i, name, sink)),
            SPARSE => {
                let indices = self.indices.of_row(row);
                if indices.len() != values.len() {
                    let (indices, values) = (indices.len(), values.len());
                    return Err(format!(
                        "a vector must have as many values as indices, {indices}, got {values}"
                    ));
                }
                let size = self.rows.column(1).as_primitive::<Int32Type>().value(row);
                let places = self.indices.items.as_primitive::<Int32Type>();
                indices.zip(values).try_for_each(|(key, i)| {
                    let place = places.value(key);
                    let inside = !places.is_null(key) && (0..size).contains(&place);
                    let place = usize::try_from(place).ok().filter(|_| inside).ok_or_else(|| {
                        format!(
                            "an index of a vector of the size {size} must be from 0 to {}, got {place}",
                            size - 1
                        )
                    })?;
                    self.put_one(place, i, name, sink)
                })
            }
            other => Err(format!("the type of a vector must be 0 (sparse) or 1 (dense), got {other}")),
        }
    }

    fn put_one(
        &self,
        place: usize,
        i: usize,
        name: &mut Vec<u8>,
        sink: &mut impl RecordSink,
    ) -> Result<(), String> {
        let value = self.reals[i];
        // A vector has no other way to say that a value is missing.
        if value == 0.0 || value.is_nan() || self.values.items.is_null(i) {
            return Ok(());
        }
        if value.is_infinite() {
            let mut got = Vec::new();
            spell(&self.values.items, i, &mut got);
            return Err(format!("value must be a finite number, got {}", quoted(&got)));
        }
        let outer = name.len();
        name.push(b'.');
        name.extend_from_slice(itoa::Buffer::new().format(place).as_bytes());
        sink.named(b"", name, value);
        name.truncate(outer);
        Ok(())
    }

    /// Appends the vector of a row as JSON: an object, which means the same.
    pub(crate) fn json(&self, row: usize, out: &mut Vec<u8>) {
        let kind = self.rows.column(0).as_primitive::<Int8Type>().value(row);
        let places = self.indices.items.as_primitive::<Int32Type>();
        let mut indices = self.indices.of_row(row).map(|key| i64::from(places.value(key)));
        out.push(b'{');
        for (place, i) in self.values.of_row(row).enumerate() {
            let place = if kind == SPARSE { indices.next() } else { i64::try_from(place).ok() };
            if place.is_none() || !self.reals[i].is_finite() {
                continue;
            }
            if !out.ends_with(b"{") {
                out.push(b',');
            }
            out.extend_from_slice(format!("\"{}\":", place.unwrap_or_default()).as_bytes());
            spell(&self.values.items, i, out);
        }
        out.push(b'}');
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use arrow_array::builder::{Float64Builder, Int8Builder, Int32Builder, ListBuilder};
    use arrow_array::{RecordBatch, StringArray};
    use arrow_buffer::NullBuffer;
    use arrow_schema::Fields;

    use super::super::arrow::{Columns, row_as_json};
    use super::super::record::ParseBuffers;
    use super::super::roles::{Role, Roles};
    use super::super::testing::Heard;
    use super::*;
    use crate::error::Fault;

    /// Type, size, indices and values.
    type Vector<'a> = (Option<i8>, i32, Option<&'a [Option<i32>]>, &'a [Option<f64>]);

    fn column(vectors: &[Option<Vector<'_>>]) -> StructArray {
        let (mut kinds, mut sizes) = (Int8Builder::new(), Int32Builder::new());
        let mut indices = ListBuilder::new(Int32Builder::new());
        let mut values = ListBuilder::new(Float64Builder::new());
        for vector in vectors {
            let (kind, size, keys, numbers) = vector.unwrap_or((Some(0), 0, None, &[]));
            kinds.append_option(kind);
            sizes.append_value(size);
            indices.append_option(keys.map(<[_]>::to_vec));
            values.append_value(numbers.to_vec());
        }
        let columns: Vec<ArrayRef> = vec![
            Arc::new(kinds.finish()),
            Arc::new(sizes.finish()),
            Arc::new(indices.finish()),
            Arc::new(values.finish()),
        ];
        let fields: Fields = FIELDS
            .iter()
            .zip(&columns)
            .map(|(name, column)| Field::new(*name, column.data_type().clone(), true))
            .collect();
        let nulls = vectors.iter().map(Option::is_some).collect::<NullBuffer>();
        StructArray::new(fields, columns, Some(nulls))
    }

    fn batch(vectors: &[Option<Vector<'_>>]) -> RecordBatch {
        RecordBatch::try_from_iter_with_nullable([("c", Arc::new(column(vectors)) as ArrayRef, true)])
            .unwrap()
    }

    fn heard(batch: &RecordBatch, row: usize) -> Result<String, Fault> {
        let mut heard = Heard::default();
        let mut columns = Columns::new(batch, &Roles::new(), true)?;
        columns.read(row, &mut ParseBuffers::default(), &mut heard)?;
        Ok(heard.shown())
    }

    const DENSE_VECTOR: Vector<'static> =
        (Some(1), 0, None, &[Some(1.5), Some(0.0), Some(-2.0), Some(f64::NAN), None, Some(3.0)]);
    const SPARSE_VECTOR: Vector<'static> =
        (Some(0), 1 << 20, Some(&[Some(0), Some(7), Some(1_048_575)]), &[Some(1.5), Some(0.0), Some(3.0)]);

    #[test]
    fn vectors_are_read_by_their_places() {
        let batch =
            batch(&[Some(SPARSE_VECTOR), None, Some(DENSE_VECTOR), Some((Some(0), 3, Some(&[]), &[]))]);
        assert_eq!(heard(&batch, 0).unwrap(), "c.0:1.5 c.1048575:3");
        assert_eq!(heard(&batch, 1).unwrap(), "");
        assert_eq!(heard(&batch, 2).unwrap(), "c.0:1.5 c.2:-2 c.5:3");
        assert_eq!(heard(&batch, 3).unwrap(), "");
        // A part of a table looks at its own rows.
        assert_eq!(heard(&batch.slice(2, 1), 0).unwrap(), "c.0:1.5 c.2:-2 c.5:3");
        let inside = StructArray::from(vec![(
            Arc::new(Field::new("v", batch.column(0).data_type().clone(), true)),
            ArrayRef::clone(batch.column(0)),
        )]);
        let nested = RecordBatch::try_from_iter([("s", Arc::new(inside) as ArrayRef)]).unwrap();
        assert_eq!(heard(&nested, 2).unwrap(), "s.v.0:1.5 s.v.2:-2 s.v.5:3");
    }

    #[test]
    fn a_row_is_told_as_an_object_that_means_the_same() {
        let batch = batch(&[Some(SPARSE_VECTOR), Some(DENSE_VECTOR), None]);
        let json = |row| String::from_utf8(row_as_json(&batch, row)).unwrap();
        assert_eq!(json(0), r#"{"c":{"0":1.5,"7":0,"1048575":3}}"#);
        assert_eq!(json(1), r#"{"c":{"0":1.5,"1":0,"2":-2,"4":0,"5":3}}"#);
        assert_eq!(json(2), r#"{"c":null}"#);
    }

    #[test]
    fn what_is_no_vector_of_its_kind_is_a_fault() {
        let wrong = |vector: Vector<'_>| heard(&batch(&[Some(vector)]), 0).unwrap_err().message;
        let one: &[Option<f64>] = &[Some(1.0)];
        let faults: [(Vector<'_>, &str); 6] = [
            ((Some(2), 1, None, one), "the type of a vector must be 0 (sparse) or 1 (dense), got 2"),
            ((None, 1, None, one), "a vector has no type"),
            ((Some(0), 9, None, one), "a vector must have as many values as indices, 0, got 1"),
            (
                (Some(0), 9, Some(&[Some(9)]), one),
                "an index of a vector of the size 9 must be from 0 to 8, got 9",
            ),
            (
                (Some(0), 9, Some(&[Some(-1)]), one),
                "an index of a vector of the size 9 must be from 0 to 8, got -1",
            ),
            ((Some(1), 9, None, &[Some(f64::INFINITY)]), "value must be a finite number, got \"inf\""),
        ];
        for (vector, expected) in faults {
            assert_eq!(wrong(vector), format!("column \"c\": {expected}"));
        }
    }

    #[test]
    fn other_structs_are_structs_and_a_vector_is_no_label() {
        let fields = column(&[Some(DENSE_VECTOR)]);
        let renamed = FIELDS.iter().zip(fields.columns()).map(|(name, column)| {
            let name = if *name == "size" { "length" } else { name };
            (Arc::new(Field::new(name, column.data_type().clone(), true)), ArrayRef::clone(column))
        });
        let renamed: ArrayRef = Arc::new(StructArray::from(renamed.collect::<Vec<_>>()));
        let renamed = RecordBatch::try_from_iter([("c", renamed)]).unwrap();
        assert!(heard(&renamed, 0).unwrap().starts_with("c.type:1 c.length:0 c.values.0:1.5"));
        let label: ArrayRef = Arc::new(StringArray::from(vec!["a"]));
        let both =
            RecordBatch::try_from_iter([("label", label), ("c", Arc::new(fields) as ArrayRef)]).unwrap();
        let refused = Columns::new(&both, &Roles::new().with(Role::Label, "c"), false).err().unwrap();
        assert_eq!(refused.message, "column \"c\" must hold one text or number in every row, not vectors");
    }
}
