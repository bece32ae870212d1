//! What the tests of the formats share.

use proptest::prelude::*;
use thalweg_core::Real;

use super::record::{ParseBuffers, RecordFormat};
use super::sink::{RecordSink, full_name};
use super::written::WrittenExample;
use crate::error::Fault;
use crate::split::table_start::{Delimiter, TableStart};

/// A sink that remembers all as text.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct Heard {
    pub(crate) label: Option<(String, usize)>,
    pub(crate) importance: Option<f32>,
    pub(crate) id: Option<String>,
    pub(crate) features: Vec<(Vec<u8>, Real)>,
    pub(crate) texts: Vec<(String, String)>,
}

pub(crate) fn lossy(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

impl RecordSink for Heard {
    fn number(&mut self, feature: u32, value: Real) {
        self.named(b"", feature.to_string().as_bytes(), value);
    }
    fn named(&mut self, namespace: &[u8], name: &[u8], value: Real) {
        let mut full = Vec::new();
        full_name(namespace, name, &mut full);
        assert!(value.is_finite());
        self.features.push((full, value));
    }
    fn label(&mut self, text: &[u8], at: usize) {
        assert!(self.label.replace((lossy(text), at)).is_none());
    }
    fn importance(&mut self, importance: f32) {
        assert!(self.importance.replace(importance).is_none() && importance.is_finite() && importance >= 0.0);
    }
    fn id(&mut self, id: &[u8]) {
        assert!(self.id.replace(lossy(id)).is_none());
    }
    fn text(&mut self, column: &[u8], text: &str) {
        self.texts.push((lossy(column), text.to_string()));
    }
}

impl Heard {
    /// `name:value name:value ...`
    pub(crate) fn shown(&self) -> String {
        self.features.iter().map(|(name, x)| format!("{}:{x}", lossy(name))).collect::<Vec<_>>().join(" ")
    }
}

/// What a record holds; `None` for nothing.
pub(crate) fn heard(format: &impl RecordFormat, record: &[u8]) -> Result<Option<Heard>, Fault> {
    let mut heard = Heard::default();
    Ok(format.parse(record.into(), &mut ParseBuffers::default(), &mut heard)?.then_some(heard))
}

pub(crate) fn fault(format: &impl RecordFormat, record: &str) -> String {
    let fault = heard(format, record.as_bytes()).unwrap_err();
    format!("{}: {}", fault.column, fault.message)
}

/// How a table begins with these records.
pub(crate) fn table_start(records: &[u8], delimiter: u8) -> TableStart {
    TableStart::of(records, Delimiter::Given(delimiter), true, true).unwrap_or_else(|| TableStart {
        header: Box::default(),
        first: None,
        delimiter,
    })
}

/// An example that owns what it holds.
#[derive(Clone, Debug)]
pub(crate) struct Owned {
    pub(crate) label: String,
    pub(crate) importance: f32,
    pub(crate) id: String,
    pub(crate) features: Vec<(String, Real)>,
}

impl Owned {
    pub(crate) fn with<T>(&self, use_it: impl FnOnce(&WrittenExample) -> T) -> T {
        let features: Vec<(&[u8], Real)> =
            self.features.iter().map(|(name, value)| (name.as_bytes(), *value)).collect();
        use_it(&WrittenExample {
            label: self.label.as_bytes(),
            importance: self.importance,
            id: self.id.as_bytes(),
            features: &features,
        })
    }

    /// Is this what was heard?
    pub(crate) fn assert_heard(&self, heard: &Heard) {
        assert_eq!(heard.label.as_ref().map_or("", |(text, _)| text), self.label);
        assert_eq!(heard.importance.unwrap_or(1.0), self.importance);
        assert_eq!(heard.id.as_deref().unwrap_or_default(), self.id);
        let features: Vec<(Vec<u8>, Real)> =
            self.features.iter().map(|(name, value)| (name.as_bytes().to_vec(), *value)).collect();
        assert_eq!(heard.features, features);
    }
}

/// Any finite number of either build.
pub(crate) fn value() -> impl Strategy<Value = Real> {
    prop_oneof![
        Just(1.0),
        Just(0.0),
        (-9i8..9).prop_map(Real::from),
        any::<Real>().prop_filter("finite", |value| value.is_finite()),
    ]
}

/// Examples with names full of characters that mean something to some format.
pub(crate) fn examples() -> impl Strategy<Value = Owned> {
    let name = || "[-ab1 :|'\"\\\\%^,=.\t\n\réλ\u{0}{}\\[\\]]{1,6}|\\PC{1,5}|%[2-7][0-9A-F]";
    let importance = prop_oneof![Just(1.0f32), 0.0f32..1e6];
    let text = || prop_oneof![Just(String::new()), name()];
    (text(), importance, text(), prop::collection::vec((name(), value()), 0..6))
        .prop_map(|(label, importance, id, features)| Owned { label, importance, id, features })
}
