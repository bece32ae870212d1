//! Values of Arrow columns: as numbers, as text, and those of lists.

use arrow_array::cast::AsArray;
use arrow_array::types::{
    ArrowPrimitiveType, Date32Type, Date64Type, Decimal32Type, Decimal64Type, Decimal128Type, Decimal256Type,
    Float16Type, Float32Type, Float64Type, TimestampMicrosecondType, TimestampMillisecondType,
    TimestampNanosecondType, TimestampSecondType,
};
use arrow_array::{Array, ArrayRef, downcast_integer_array};
use arrow_schema::{DataType, TimeUnit};
use thalweg_core::{BIAS, Real};

use super::dates::Moment;
use super::written::write_number;

/// Is a column text, whatever form it has in memory?
pub(crate) fn is_text(kind: &DataType) -> bool {
    matches!(
        kind,
        DataType::Utf8
            | DataType::LargeUtf8
            | DataType::Utf8View
            | DataType::Binary
            | DataType::LargeBinary
            | DataType::BinaryView
            | DataType::FixedSizeBinary(_)
    )
}

/// The text in row `i` of a column for which [`is_text`] holds.
pub(crate) fn text(array: &dyn Array, i: usize) -> &[u8] {
    match array.data_type() {
        DataType::Utf8 => array.as_string::<i32>().value(i).as_bytes(),
        DataType::LargeUtf8 => array.as_string::<i64>().value(i).as_bytes(),
        DataType::Utf8View => array.as_string_view().value(i).as_bytes(),
        DataType::Binary => array.as_binary::<i32>().value(i),
        DataType::LargeBinary => array.as_binary::<i64>().value(i),
        DataType::BinaryView => array.as_binary_view().value(i),
        DataType::FixedSizeBinary(_) => array.as_fixed_size_binary().value(i),
        _ => b"",
    }
}

/// All rows of a column of numbers; those that are null hold anything. Nothing if it is no such column.
pub(crate) fn reals(array: &dyn Array) -> Option<Vec<Real>> {
    // Decimals are rare: exact is better than fast.
    let decimals = |text: &dyn Fn(usize) -> String| {
        let real = |i| {
            if array.is_null(i) { 0.0 } else { fast_float2::parse(text(i)).unwrap_or(Real::INFINITY) }
        };
        (0..array.len()).map(real).collect()
    };
    Some(downcast_integer_array!(
        array => array.values().iter().map(|x| *x as Real).collect(),
        DataType::Float16 => {
            array.as_primitive::<Float16Type>().values().iter().map(|x| x.to_f32() as Real).collect()
        }
        DataType::Float32 => array.as_primitive::<Float32Type>().values().iter().map(|x| *x as Real).collect(),
        DataType::Float64 => array.as_primitive::<Float64Type>().values().iter().map(|x| *x as Real).collect(),
        DataType::Decimal32(..) => decimals(&|i| array.as_primitive::<Decimal32Type>().value_as_string(i)),
        DataType::Decimal64(..) => decimals(&|i| array.as_primitive::<Decimal64Type>().value_as_string(i)),
        DataType::Decimal128(..) => decimals(&|i| array.as_primitive::<Decimal128Type>().value_as_string(i)),
        DataType::Decimal256(..) => decimals(&|i| array.as_primitive::<Decimal256Type>().value_as_string(i)),
        _ => return None,
    ))
}

/// All rows of a column of dates or times; those that are null hold anything. Nothing if it is no such column.
pub(super) fn moments(array: &dyn Array) -> Option<Vec<Moment>> {
    fn unix<T: ArrowPrimitiveType<Native = i64>>(array: &dyn Array, units: i64) -> Vec<Moment> {
        array.as_primitive::<T>().values().iter().map(|count| Moment::of_unix(*count, units)).collect()
    }
    Some(match array.data_type() {
        DataType::Date32 => {
            let days = array.as_primitive::<Date32Type>().values();
            days.iter().map(|day| Moment::of_day(i64::from(*day))).collect()
        }
        DataType::Date64 => {
            let moments = array.as_primitive::<Date64Type>().values();
            moments.iter().map(|count| Moment::of_day(count.div_euclid(86_400_000))).collect()
        }
        DataType::Timestamp(TimeUnit::Second, _) => unix::<TimestampSecondType>(array, 1),
        DataType::Timestamp(TimeUnit::Millisecond, _) => unix::<TimestampMillisecondType>(array, 1000),
        DataType::Timestamp(TimeUnit::Microsecond, _) => unix::<TimestampMicrosecondType>(array, 1_000_000),
        DataType::Timestamp(TimeUnit::Nanosecond, _) => unix::<TimestampNanosecondType>(array, 1_000_000_000),
        _ => return None,
    })
}

/// All rows of a column of whole numbers as features; what cannot be one becomes [`BIAS`]. Nothing if it is no such column.
pub(crate) fn indices(array: &dyn Array) -> Option<Vec<u32>> {
    Some(downcast_integer_array!(
        array => array.values().iter().map(|x| u32::try_from(i128::from(*x)).unwrap_or(BIAS)).collect(),
        _ => return None,
    ))
}

/// Appends a single value as a table of text would have it: `7`, `-0.5`, `true`, `word`.
pub(crate) fn spell(array: &dyn Array, i: usize, out: &mut Vec<u8>) {
    downcast_integer_array!(
        array => out.extend_from_slice(itoa::Buffer::new().format(array.value(i)).as_bytes()),
        DataType::Float16 => number(f64::from(array.as_primitive::<Float16Type>().value(i)), out),
        DataType::Float32 => number(array.as_primitive::<Float32Type>().value(i), out),
        DataType::Float64 => number(array.as_primitive::<Float64Type>().value(i), out),
        DataType::Decimal32(..) => out.extend_from_slice(array.as_primitive::<Decimal32Type>().value_as_string(i).as_bytes()),
        DataType::Decimal64(..) => out.extend_from_slice(array.as_primitive::<Decimal64Type>().value_as_string(i).as_bytes()),
        DataType::Decimal128(..) => out.extend_from_slice(array.as_primitive::<Decimal128Type>().value_as_string(i).as_bytes()),
        DataType::Decimal256(..) => out.extend_from_slice(array.as_primitive::<Decimal256Type>().value_as_string(i).as_bytes()),
        DataType::Boolean => out.extend_from_slice(if array.as_boolean().value(i) { b"true" } else { b"false" }),
        _ => out.extend_from_slice(text(array, i)),
    );
}

fn number<N: zmij::Float + PartialEq + From<u8> + Copy + Into<f64>>(value: N, out: &mut Vec<u8>) {
    let wide: f64 = value.into();
    if wide.is_finite() {
        write_number(value, out);
    } else {
        out.extend_from_slice(wide.to_string().as_bytes());
    }
}

/// Of a column of lists: where the items of each row begin, and all items.
pub(crate) fn list(array: &dyn Array) -> Option<(Vec<usize>, ArrayRef)> {
    match array.data_type() {
        DataType::List(_) => {
            let (starts, first, length) = rebased(array.as_list::<i32>().offsets());
            Some((starts, array.as_list::<i32>().values().slice(first, length)))
        }
        DataType::LargeList(_) => {
            let (starts, first, length) = rebased(array.as_list::<i64>().offsets());
            Some((starts, array.as_list::<i64>().values().slice(first, length)))
        }
        DataType::FixedSizeList(_, size) => {
            let starts = (0..=array.len()).map(|row| row * *size as usize).collect();
            Some((starts, ArrayRef::clone(array.as_fixed_size_list().values())))
        }
        _ => None,
    }
}

/// Offsets from 0 on, where they began, and how many items there are: a part of a large batch looks at its own items only.
pub(crate) fn rebased<O: arrow_buffer::ArrowNativeType>(offsets: &[O]) -> (Vec<usize>, usize, usize) {
    let first = offsets[0].as_usize();
    let starts: Vec<usize> = offsets.iter().map(|offset| offset.as_usize() - first).collect();
    let length = starts[starts.len() - 1];
    (starts, first, length)
}
