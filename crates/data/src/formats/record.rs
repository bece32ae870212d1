//! What formats with named features have in common: where they put what they read, and what columns are for.

use thalweg_core::Real;
use thalweg_core::keyed_hash::KeyedMap;

use super::Line;
use super::plain::Handful;
use crate::error::{Fault, quoted};
use crate::records::Splitter;

/// Where a format puts what it reads.
///
/// A record that turns out to be faulty may have put something already: whoever asked for it throws that away.
pub trait Sink {
    /// A feature that is known by its number.
    fn number(&mut self, feature: u32, value: Real);
    /// Many of them.
    fn numbers(&mut self, features: &[u32], values: &[Real]) {
        features.iter().zip(values).for_each(|(feature, value)| self.number(*feature, *value));
    }
    /// A feature of a namespace (empty: none). Its full name is [`full_name`]: `namespace^name` as Vowpal Wabbit
    /// prints it, or just the name. Values of a name that comes twice are summed.
    fn named(&mut self, namespace: &[u8], name: &[u8], value: Real);
    /// A feature that is called like its column, as `named` without a namespace. The place is for the sink to remember where the feature
    /// of this column is: it begins as nothing with every piece of the data.
    fn column(&mut self, name: &[u8], _place: &mut Option<u32>, value: Real) {
        self.named(b"", name, value);
    }
    /// The label as written, and the byte of the record where it stands.
    fn label(&mut self, text: &[u8], at: usize);
    /// The importance: finite and not negative.
    fn importance(&mut self, importance: f32);
    /// The example's own name.
    fn id(&mut self, id: &[u8]);
    /// What stands in a column that was declared as text or URL.
    fn text(&mut self, column: &[u8], text: &str);
}

/// Buffers that live on from record to record.
#[derive(Clone, Debug, Default)]
pub struct Scratch {
    pub(crate) name: Vec<u8>,
    pub(crate) text: Vec<u8>,
    /// Where the features of columns are, see [`Sink::column`].
    pub(crate) places: Vec<Option<u32>>,
    pub(super) handful: Handful,
}

impl Scratch {
    /// The next piece of the data begins: what the sink remembered of columns is of no more use.
    pub(crate) fn begin_piece(&mut self) {
        self.places.clear();
    }
}

/// How a table can have line ends in its fields: in double quotes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Quoting {
    /// What parts the fields.
    pub separator: u8,
    /// Does the first record name the columns? A mark may come before it, then.
    pub header: bool,
}

/// A format whose records hold one example each, with named features.
pub trait RecordFormat: Clone + Send + Sync + 'static {
    /// Its name.
    const NAME: &'static str;
    /// Does every file begin with a record that names its columns? And may a record hold line ends?
    const TABLE: bool = false;

    /// How fields can hold line ends, if they can; otherwise every line is a record.
    fn quoting(&self) -> Option<Quoting> {
        None
    }

    /// Length of the first record of `text` with its line end; `None` if it is not complete.
    fn record_length(&self, text: &[u8]) -> Option<usize> {
        Splitter::new(self.quoting()).first(text)
    }

    /// Takes note of the first record of a file (without its line end): `true` if it is a header and no example.
    fn begin(&mut self, _record: &[u8]) -> Result<bool, Fault> {
        Ok(false)
    }

    /// Reads one record (without its line end) into the sink: `false` if it holds nothing (blank, comment).
    fn parse(&self, line: Line, scratch: &mut Scratch, sink: &mut impl Sink) -> Result<bool, Fault>;
}

/// Appends the full name of a feature.
#[inline]
pub fn full_name(namespace: &[u8], name: &[u8], out: &mut Vec<u8>) {
    if !namespace.is_empty() {
        out.extend_from_slice(namespace);
        out.push(b'^');
    }
    out.extend_from_slice(name);
}

/// What a column (or the key of an object) is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// A number is a value of the feature that is called like the column; any other text is a feature `column=text`.
    Feature,
    /// Numbers, too, are features `column=text`: for codes and identifiers.
    Category,
    /// Handed to the sink as text.
    Text,
    /// The label.
    Label,
    /// The importance.
    Importance,
    /// The example's own name.
    Id,
    /// Nothing.
    Ignored,
}

/// The columns (or keys) that are more than features, by name.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Roles {
    roles: KeyedMap<Vec<u8>, Role>,
}

impl Roles {
    /// All columns are features, except the one that is called `label`.
    pub fn new() -> Self {
        Self::default().with(Role::Label, "label")
    }

    /// Gives a column its role. There is only one label, one importance and one id: the last that was named.
    #[must_use]
    pub fn with(mut self, role: Role, column: &str) -> Self {
        if matches!(role, Role::Label | Role::Importance | Role::Id) {
            self.roles.retain(|_, other| *other != role);
        }
        self.roles.insert(column.as_bytes().to_vec(), role);
        self
    }

    /// The role of a column.
    #[inline]
    pub fn of(&self, column: &[u8]) -> Role {
        self.roles.get(column).copied().unwrap_or(Role::Feature)
    }

    /// The column that has a role of which there is only one.
    pub fn column(&self, role: Role) -> Option<&[u8]> {
        self.roles.iter().find(|(_, other)| **other == role).map(|(column, _)| column.as_slice())
    }

    /// All columns that were given a role, in alphabetical order.
    pub(crate) fn named(&self) -> Vec<(&[u8], Role)> {
        let mut named: Vec<_> = self.roles.iter().map(|(column, role)| (column.as_slice(), *role)).collect();
        named.sort_unstable_by_key(|(column, _)| *column);
        named
    }
}

/// Reads an importance.
pub(crate) fn importance(text: &[u8], at: usize) -> Result<f32, Fault> {
    match fast_float2::parse::<f32, _>(text) {
        Ok(importance) if importance.is_finite() && importance >= 0.0 => Ok(importance),
        _ => Err(Fault::at(at, "importance must be a finite number that is not negative", text)),
    }
}

/// Hands text to the sink; bytes that are not UTF-8 become U+FFFD.
pub(crate) fn put_text(sink: &mut impl Sink, column: &[u8], text: &[u8]) {
    match std::str::from_utf8(text) {
        Ok(text) => sink.text(column, text),
        Err(_) => sink.text(column, &String::from_utf8_lossy(text)),
    }
}

/// An example to be written.
#[derive(Clone, Copy, Debug)]
pub struct Example<'a> {
    /// Its label; empty is none.
    pub label: &'a [u8],
    /// Its importance.
    pub importance: f32,
    /// Its own name; empty is none.
    pub id: &'a [u8],
    /// Full names and values.
    pub features: &'a [(&'a [u8], Real)],
}

/// What a format cannot hold.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{format} cannot hold {what} {text}: {why}")]
pub struct Unwritable {
    format: &'static str,
    what: &'static str,
    text: String,
    why: &'static str,
}

impl Unwritable {
    pub(crate) fn new(format: &'static str, what: &'static str, text: &[u8], why: &'static str) -> Self {
        Self { format, what, text: quoted(text), why }
    }
}

/// Appends the shortest decimal that reads back as the same number.
pub(crate) fn write_number<N: zmij::Float + PartialEq + From<u8>>(number: N, out: &mut Vec<u8>) {
    // Most values of most data are 1: no need to find out how to write it.
    if number == N::from(1) {
        out.push(b'1');
        return;
    }
    let mut decimal = zmij::Buffer::new();
    let text = decimal.format_finite(number);
    out.extend_from_slice(text.strip_suffix(".0").unwrap_or(text).as_bytes());
}

/// What the tests of the formats share.
#[cfg(test)]
pub(crate) mod testing {
    use proptest::prelude::*;

    use super::*;

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

    impl Sink for Heard {
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
            assert!(
                self.importance.replace(importance).is_none() && importance.is_finite() && importance >= 0.0
            );
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
        Ok(format.parse(record.into(), &mut Scratch::default(), &mut heard)?.then_some(heard))
    }

    pub(crate) fn fault(format: &impl RecordFormat, record: &str) -> String {
        let fault = heard(format, record.as_bytes()).unwrap_err();
        format!("{}: {}", fault.column, fault.message)
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
        pub(crate) fn with<T>(&self, use_it: impl FnOnce(&Example) -> T) -> T {
            let features: Vec<(&[u8], Real)> =
                self.features.iter().map(|(name, value)| (name.as_bytes(), *value)).collect();
            use_it(&Example {
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
}
