use std::sync::Arc;

use arrow_array::builder::{Int32Builder, ListBuilder, MapBuilder, StringBuilder};
use arrow_array::types::{Float64Type, Int8Type, Int16Type, Int32Type, Int64Type};
use arrow_array::{
    BinaryArray, BinaryViewArray, BooleanArray, Date32Array, Date64Array, Decimal128Array, DictionaryArray,
    DurationSecondArray, FixedSizeBinaryArray, FixedSizeListArray, Float16Array, Float32Array, Float64Array,
    Int8Array, Int16Array, Int32Array, Int64Array, LargeBinaryArray, LargeListArray, LargeStringArray,
    ListArray, NullArray, StringArray, StringViewArray, StructArray, TimestampMicrosecondArray,
    TimestampMillisecondArray, TimestampNanosecondArray, TimestampSecondArray, UInt8Array, UInt16Array,
    UInt32Array, UInt64Array,
};
use arrow_schema::{Field, Fields};

use super::super::testing::{Heard, lossy};
use super::*;

fn batch(columns: Vec<(&str, ArrayRef)>) -> RecordBatch {
    let nullable = columns.into_iter().map(|(name, column)| (name, column, true));
    RecordBatch::try_from_iter_with_nullable(nullable).unwrap()
}

fn array(array: impl Array + 'static) -> ArrayRef {
    Arc::new(array)
}

/// All roles, that of text only where there is a column for it.
fn all_roles(batch: &RecordBatch) -> Roles {
    let roles = Roles::new().with(Role::Importance, "w").with(Role::Id, "id").with(Role::Ignored, "x");
    if batch.column_by_name("t").is_some() { roles.with(Role::Text, "t") } else { roles }
}

fn heard(batch: &RecordBatch, row: usize) -> Result<Heard, Fault> {
    let mut heard = Heard::default();
    let mut columns = Columns::new(batch, &all_roles(batch), true)?;
    columns.read(row, &mut ParseBuffers::default(), &mut heard)?;
    Ok(heard)
}

/// What the rows of a column called `c` hold.
fn shown(column: ArrayRef) -> Vec<String> {
    let rows = column.len();
    let batch = batch(vec![("c", column)]);
    (0..rows).map(|row| heard(&batch, row).unwrap().shown()).collect()
}

fn fault(batch: &RecordBatch, row: usize) -> String {
    let fault = heard(batch, row).unwrap_err();
    format!("{}: {}", fault.column, fault.message)
}

#[test]
fn numbers_of_all_kinds_are_values() {
    for column in [
        array(Int8Array::from(vec![Some(7), None])),
        array(Int16Array::from(vec![Some(7), None])),
        array(Int32Array::from(vec![Some(7), None])),
        array(Int64Array::from(vec![Some(7), None])),
        array(UInt8Array::from(vec![Some(7), None])),
        array(UInt16Array::from(vec![Some(7), None])),
        array(UInt32Array::from(vec![Some(7), None])),
        array(UInt64Array::from(vec![Some(7), None])),
        array(Float16Array::from_iter([Some(7u8.into()), None])),
        array(Float32Array::from(vec![Some(7.0), None])),
        array(Float64Array::from(vec![Some(7.0), None])),
        array(Decimal128Array::from(vec![Some(7_00), None]).with_precision_and_scale(9, 2).unwrap()),
        array(DictionaryArray::<Int8Type>::new(
            Int8Array::from(vec![Some(1), None]),
            array(Int64Array::from(vec![3, 7])),
        )),
    ] {
        assert_eq!(shown(ArrayRef::clone(&column)), ["c:7", ""], "{}", column.data_type());
    }
    assert_eq!(shown(array(Float64Array::from(vec![-2.5e-9, 0.0]))), ["c:-0.0000000025", "c:0"]);
}

#[test]
fn texts_of_all_kinds_are_one_of_many() {
    let (texts, bytes) = (vec![Some("7"), None, Some("")], vec![Some(&b"7"[..]), None, Some(b"")]);
    for column in [
        array(StringArray::from(texts.clone())),
        array(LargeStringArray::from(texts.clone())),
        array(StringViewArray::from(texts.clone())),
        array(BinaryArray::from(bytes.clone())),
        array(LargeBinaryArray::from(bytes.clone())),
        array(BinaryViewArray::from(bytes)),
        array(texts.into_iter().collect::<DictionaryArray<Int16Type>>()),
    ] {
        // A text is no number, as in JSON.
        assert_eq!(shown(ArrayRef::clone(&column)), ["c=7:1", "", ""], "{}", column.data_type());
    }
    let fixed = FixedSizeBinaryArray::try_from_iter([b"ab", b"cd"].into_iter()).unwrap();
    assert_eq!(shown(array(fixed)), ["c=ab:1", "c=cd:1"]);
    let nothing: DictionaryArray<Int32Type> = [None::<&str>, None].into_iter().collect();
    assert_eq!(shown(array(nothing)), ["", ""]);
}

#[test]
fn truth_and_nothing() {
    assert_eq!(shown(array(BooleanArray::from(vec![Some(true), Some(false), None]))), ["c:1", "", ""]);
    assert_eq!(shown(array(NullArray::new(2))), ["", ""]);
}

#[test]
fn lists_are_bags_of_texts_and_places_of_numbers() {
    let mut words = ListBuilder::new(StringBuilder::new());
    words.append_value([Some("a"), None, Some("b"), Some("a")]);
    words.append_null();
    words.append_value([Some("z")]);
    let words = words.finish();
    assert_eq!(shown(array(words.clone())), ["c=a:1 c=b:1 c=a:1", "", "c=z:1"]);
    assert_eq!(shown(array(words.slice(1, 2))), ["", "c=z:1"], "a part looks at its own items");
    let numbers = [Some(vec![Some(0.5), None, Some(7.0)]), None, Some(vec![])];
    assert_eq!(
        shown(array(ListArray::from_iter_primitive::<Float64Type, _, _>(numbers.clone()))),
        ["c.0:0.5 c.2:7", "", ""]
    );
    let large = LargeListArray::from_iter_primitive::<Float64Type, _, _>(numbers);
    assert_eq!(shown(array(large)), ["c.0:0.5 c.2:7", "", ""]);
    let pairs = [Some(vec![Some(1), Some(2)]), None, Some(vec![Some(3), None])];
    let pairs = FixedSizeListArray::from_iter_primitive::<Int64Type, _, _>(pairs, 2);
    assert_eq!(shown(array(pairs.clone())), ["c.0:1 c.1:2", "", "c.0:3"]);
    assert_eq!(shown(array(pairs.slice(2, 1))), ["c.0:3"]);
}

fn user() -> StructArray {
    let fields = Fields::from(vec![
        Field::new("age", DataType::Int32, true),
        Field::new("label", DataType::Utf8, true),
        Field::new("pets", DataType::new_list(DataType::Utf8, true), true),
    ]);
    let mut pets = ListBuilder::new(StringBuilder::new());
    pets.append_value([Some("cat")]);
    pets.append_value([Some("dog")]);
    let columns: Vec<ArrayRef> = vec![
        array(Int32Array::from(vec![39, 40])),
        array(StringArray::from(vec!["a", "b"])),
        array(pets.finish()),
    ];
    StructArray::new(fields, columns, Some(vec![true, false].into()))
}

#[test]
fn structs_and_maps_are_joined_by_dots() {
    assert_eq!(shown(array(user())), ["c.age:39 c.label=a:1 c.pets=cat:1", ""]);
    let mut map = MapBuilder::new(None, StringBuilder::new(), Int32Builder::new());
    for (key, value) in [("one", Some(1)), ("none", None)] {
        map.keys().append_value(key);
        map.values().append_option(value);
    }
    map.append(true).unwrap();
    map.append(false).unwrap();
    assert_eq!(shown(array(map.finish())), ["c.one:1", ""]);
    // Roles are found inside.
    let inside = batch(vec![("c", array(user()))]);
    let mut columns = Columns::new(&inside, &Roles::new().with(Role::Label, "c.label"), false).unwrap();
    let mut heard = Heard::default();
    columns.read(0, &mut ParseBuffers::default(), &mut heard).unwrap();
    assert_eq!((heard.label, heard.features.len()), (Some(("a".into(), 0)), 2));
}

#[test]
fn roles_take_any_single_value() {
    let row = |label: ArrayRef| {
        let batch = batch(vec![
            ("x", array(Date32Array::from(vec![1]))),
            ("label", label),
            ("w", array(Float64Array::from(vec![0.5]))),
            ("id", array(Int64Array::from(vec![123_456_789]))),
            ("t", array(StringArray::from(vec!["some words"]))),
            ("code", array(Int32Array::from(vec![12]))),
        ]);
        let heard = heard(&batch, 0).unwrap();
        assert_eq!((heard.importance, heard.id.as_deref()), (Some(0.5), Some("123456789")));
        assert_eq!((heard.texts.len(), heard.shown()), (1, "code:12".into()));
        heard.label.map_or("none".into(), |(label, at)| format!("{label} {at}"))
    };
    assert_eq!(row(array(Int8Array::from(vec![-1]))), "-1 1");
    assert_eq!(row(array(UInt64Array::from(vec![u64::MAX]))), format!("{} 1", u64::MAX));
    assert_eq!(row(array(Float64Array::from(vec![1.0]))), "1 1");
    assert_eq!(row(array(Float32Array::from(vec![0.1]))), "0.1 1");
    assert_eq!(row(array(Float32Array::from(vec![f32::NAN]))), "NaN 1");
    assert_eq!(row(array(BooleanArray::from(vec![false]))), "false 1");
    assert_eq!(row(array(StringArray::from(vec!["spam"]))), "spam 1");
    assert_eq!(row(array(vec![Some("ham")].into_iter().collect::<DictionaryArray<Int8Type>>())), "ham 1");
    assert_eq!(row(array(StringArray::from(vec![""]))), "none");
    assert_eq!(row(array(Int32Array::from(vec![None]))), "none");
}

#[test]
fn sparse_features() {
    let lists = |rows: [Vec<Option<i64>>; 2]| {
        array(ListArray::from_iter_primitive::<Int64Type, _, _>(rows.map(Some)))
    };
    let reals = |rows: [Vec<Option<f64>>; 2]| {
        array(ListArray::from_iter_primitive::<Float64Type, _, _>(rows.map(Some)))
    };
    let indices = || lists([vec![Some(3), Some(7)], vec![Some(0)]]);
    let both = |values| batch(vec![("indices", indices()), ("values", values)]);
    let all = both(reals([vec![Some(0.5), Some(2.0)], vec![None]]));
    assert_eq!([0, 1].map(|row| heard(&all, row).unwrap().shown()), ["3:0.5 7:2", ""]);
    let part = all.slice(1, 1);
    assert_eq!(heard(&part, 0).unwrap().shown(), "");
    let alone = batch(vec![("a", array(Int32Array::from(vec![1, 2]))), ("indices", indices())]);
    assert_eq!([0, 1].map(|row| heard(&alone, row).unwrap().shown()), ["a:1 3:1 7:1", "a:2 0:1"]);
    assert_eq!(
        fault(&both(reals([vec![Some(0.5)], vec![]])), 0),
        "2: column \"values\": expected as many items as in \"indices\", 2, got 1"
    );
    assert_eq!(
        fault(&both(reals([vec![Some(1.0), Some(f64::INFINITY)], vec![]])), 0),
        "2: column \"values\": value must be a finite number, got \"inf\""
    );
    for (wrong, shown) in [(-1, "-1"), (4_294_967_295, "4294967295"), (i64::MAX, "9223372036854775807")] {
        let batch = batch(vec![("indices", lists([vec![Some(wrong)], vec![None]]))]);
        assert_eq!(
            fault(&batch, 0),
            format!("1: column \"indices\": feature index must be from 0 to 4294967294, got \"{shown}\"")
        );
        assert_eq!(fault(&batch, 1), "1: column \"indices\": a feature is null, but has a value");
    }
    let mut names = ListBuilder::new(StringBuilder::new());
    names.append_value([Some("a^b"), Some("c")]);
    names.append_value([Some("d")]);
    let names = array(names.finish());
    let named =
        vec![("names", ArrayRef::clone(&names)), ("values", reals([vec![Some(1.0); 2], vec![Some(2.0)]]))];
    let named = batch(named);
    assert_eq!([0, 1].map(|row| heard(&named, row).unwrap().shown()), ["a^b:1 c:1", "d:2"]);
    // By themselves they are columns like any other.
    assert_eq!(heard(&batch(vec![("names", names)]), 1).unwrap().shown(), "names=d:1");
    let plain = batch(vec![("indices", array(UInt32Array::from(vec![5])))]);
    assert_eq!(heard(&plain, 0).unwrap().shown(), "indices:5");
}

#[test]
fn dates_of_all_kinds_are_features() {
    let roles = Roles::default().with(Role::Date, "t");
    let day = "t.weekday=thu:1 t.month=feb:1 t.years:24.162";
    let hour = "t.weekday=thu:1 t.month=feb:1 t.hour=13:1 t.years:24.163";
    for (column, expected) in [
        (array(Date32Array::from(vec![Some(19782), None])), day),
        (array(Date64Array::from(vec![Some(1_709_164_800_000), None])), day),
        (array(TimestampSecondArray::from(vec![Some(1_709_211_900), None])), hour),
        (array(TimestampMillisecondArray::from(vec![Some(1_709_211_900_000), None])), hour),
        (
            array(
                TimestampMicrosecondArray::from(vec![Some(1_709_211_900_000_000), None])
                    .with_timezone("+02:00"),
            ),
            hour,
        ),
        (array(TimestampNanosecondArray::from(vec![Some(1_709_211_900_000_000_000), None])), hour),
        (array(StringArray::from(vec![Some("2024-02-29T13:05Z"), Some("NA")])), hour),
        (array(Int64Array::from(vec![Some(1_709_211_900), None])), hour),
        (array(Float64Array::from(vec![Some(1_709_211_900.0), None])), hour),
    ] {
        let batch = batch(vec![("t", column)]);
        let mut columns = Columns::new(&batch, &roles, false).unwrap();
        let mut read = |row| {
            let mut heard = Heard::default();
            columns.read(row, &mut ParseBuffers::default(), &mut heard).unwrap();
            heard.shown()
        };
        assert!(read(0).starts_with(expected), "{} {}", read(0), batch.column(0).data_type());
        assert_eq!(read(1), "");
    }
}

#[test]
fn faults_say_column_and_value() {
    let number = |value: f64| {
        batch(vec![("a", array(NullArray::new(1))), ("b", array(Float64Array::from(vec![value])))])
    };
    assert_eq!(
        fault(&number(f64::INFINITY), 0),
        "2: column \"b\": value must be a finite number, got \"inf\""
    );
    let importance = batch(vec![("w", array(Int32Array::from(vec![-1])))]);
    assert_eq!(
        fault(&importance, 0),
        "1: column \"w\": importance must be a finite number that is not negative, got \"-1\""
    );
    let date = batch(vec![("when", array(Date32Array::from(vec![1])))]);
    assert_eq!(
        fault(&date, 0),
        "1: column \"when\" holds dates; `date` \"when\" makes features of dates, `ignore` \"when\" skips what cannot be a feature"
    );
    let many = batch(vec![
        ("a", array(Int8Array::from(vec![1]))),
        ("b", array(Date32Array::from(vec![1]))),
        ("c", array(DurationSecondArray::from(vec![1]))),
        ("d", array(TimestampSecondArray::from(vec![1]))),
    ]);
    assert_eq!(
        fault(&many, 0),
        "2: column \"b\" holds dates, \"c\" holds values of the type Duration(s), \"d\" holds timestamps; \
         `date` \"b\" `date` \"d\" makes features of dates, `ignore` \"c\" skips what cannot be a feature"
    );
    let label = batch(vec![("label", array(user()))]);
    assert_eq!(
        fault(&label, 0),
        "1: column \"label\" must hold one text or number in every row, not structs"
    );
    let missing = Columns::new(&number(1.0), &Roles::new(), false).err().unwrap();
    assert_eq!(missing.message, "there is no column \"label\" for the label; the columns are \"a\", \"b\"");
}

#[test]
fn a_row_as_json() {
    let batch = batch(vec![
        ("label", array(StringArray::from(vec!["\"ham\"", "spam"]))),
        ("a", array(Float64Array::from(vec![Some(f64::NAN), None]))),
        ("u", array(user())),
        ("when", array(Date32Array::from(vec![1, 2]))),
    ]);
    let json = |row| lossy(&row_as_json(&batch, row));
    assert_eq!(json(0), r#"{"label":"\"ham\"","a":"NaN","u":{"age":39,"label":"a","pets":["cat"]}}"#);
    assert_eq!(json(1), r#"{"label":"spam","a":null,"u":null}"#);
}
