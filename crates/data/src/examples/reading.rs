//! How records become features: what columns are for, how features are numbered, what is made of text. A model remembers it.

use std::ops::RangeInclusive;

use serde::{Deserialize, Serialize};
use thalweg_core::{BIAS, Real};

use crate::examples::parsed_piece::LocalNames;
use crate::expand::urls::UrlTokenizer;
use crate::expand::words::{TextFeatures, Tokenizer, Value};
use crate::formats::Format;
use crate::formats::record::{Role, Roles};
use crate::names::hashed::{Collisions, Hashed};
use crate::names::vocabulary::{Damage, Vocabulary};

/// What a model remembers of how its features are made.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Reading {
    /// How features are numbered; if it is not said, as the format does.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub naming: Option<Naming>,
    /// Do tables begin with their first example, and not with the names of their columns? These are called 1, 2, ... then.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub headless: bool,
    /// The kind of table that the data was, if it was one: what looks like nothing else is read as one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub table: Option<Table>,
    /// The column (or key) with the label.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub label: Option<String>,
    /// The column with the importance.
    #[serde(rename = "weight", skip_serializing_if = "Option::is_none")]
    pub importance: Option<String>,
    /// The column with the example's own name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// Columns or namespaces that are passed over.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub ignore: Vec<String>,
    /// Columns with text.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub text: Vec<String>,
    /// Columns with URLs.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub url: Vec<String>,
    /// Lengths of word n-grams.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub words: Option<(usize, usize)>,
    /// Lengths of character n-grams.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub characters: Option<(usize, usize)>,
    /// What the values of words are.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub values: Option<Value>,
    /// How many names there may be.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_features: Option<u64>,
    /// Pairs of namespaces whose features are multiplied: two first letters, or two names with a colon between them.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub interact: Vec<String>,
}

/// A kind of table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Table {
    /// With commas.
    Csv,
    /// With tabs.
    Tsv,
}

impl Table {
    /// The kind of table that a format is, if it is one.
    pub fn of(format: Format) -> Option<Self> {
        match format {
            Format::Csv => Some(Table::Csv),
            Format::Tsv => Some(Table::Tsv),
            _ => None,
        }
    }
}

impl From<Table> for Format {
    fn from(table: Table) -> Self {
        match table {
            Table::Csv => Format::Csv,
            Table::Tsv => Format::Tsv,
        }
    }
}

/// How features are numbered.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Naming {
    /// By the numbers that they have in the data.
    Numbers,
    /// As they come, and their names are kept.
    Names,
    /// By a hash of their name, of so many bits.
    Hashed(u32),
}

impl Reading {
    /// How features of this format are numbered.
    pub(crate) fn naming(&self, format: Format) -> Naming {
        let numbers = format == Format::Libsvm && self.max_features.is_none();
        self.naming.unwrap_or(if numbers { Naming::Numbers } else { Naming::Names })
    }

    /// What columns are for.
    pub(crate) fn roles(&self) -> Roles {
        let mut roles = Roles::new();
        for (role, columns) in
            [(Role::Text, &self.text), (Role::Text, &self.url), (Role::Ignored, &self.ignore)]
        {
            roles = columns.iter().fold(roles, |roles, column| roles.with(role, column));
        }
        for (role, column) in
            [(Role::Label, &self.label), (Role::Importance, &self.importance), (Role::Id, &self.id)]
        {
            roles = column.iter().fold(roles, |roles, column| roles.with(role, column));
        }
        roles
    }

    fn text_features(&self) -> TextFeatures {
        let range = |(from, to)| RangeInclusive::new(from, to);
        // Who asks for character n-grams alone gets no words.
        let words = self.words.or(if self.characters.is_none() { Some((1, 1)) } else { None });
        TextFeatures { words: words.map(range), characters: self.characters.map(range) }
    }

    /// Is a namespace passed over?
    pub(crate) fn ignores(&self, namespace: &[u8]) -> bool {
        self.ignore.iter().any(|ignored| ignored.as_bytes() == namespace)
    }
}

/// Makes features of text, with memory that is used again.
#[derive(Default)]
pub(crate) struct Tokens {
    features: Option<TextFeatures>,
    words: Tokenizer,
    urls: UrlTokenizer,
    prefix: Vec<u8>,
    numbers: Vec<u32>,
}

impl Tokens {
    /// The features of what stands in a column, called `column=word`, in the order of the numbers that their names have.
    pub(crate) fn read(
        &mut self,
        reading: &Reading,
        column: &[u8],
        text: &str,
        names: &mut LocalNames,
        mut feature: impl FnMut(&LocalNames, u32, Real),
    ) {
        let features = self.features.get_or_insert_with(|| reading.text_features());
        self.prefix.clear();
        self.prefix.extend_from_slice(column);
        self.prefix.push(b'=');
        let found = |name: &[u8]| names.note(name, 1.0);
        // Of addresses, what comes twice counts twice.
        let value = if reading.url.iter().any(|url| url.as_bytes() == column) {
            self.urls.url(features.characters.as_ref(), &self.prefix, text.as_bytes(), found);
            Value::Count
        } else {
            self.words.text(features, &self.prefix, text, found);
            reading.values.unwrap_or_default()
        };
        self.numbers.clear();
        names.look_up(|number, _| self.numbers.push(number));
        self.numbers.sort_unstable();
        for same in self.numbers.chunk_by(|a, b| a == b) {
            feature(names, same[0], value.of(same.len()));
        }
    }
}

/// What features are called.
#[derive(Clone, Debug, Default)]
pub enum FeatureNames {
    /// By their number.
    #[default]
    Numbers,
    /// Each has a name.
    Names(Vocabulary),
    /// Several names may share a number; how many do is counted.
    Hashed(Collisions),
}

impl FeatureNames {
    /// No names so far; nothing if there cannot be so many bits.
    pub fn new(naming: Naming) -> Option<Self> {
        Some(match naming {
            Naming::Numbers => FeatureNames::Numbers,
            Naming::Names => FeatureNames::Names(Vocabulary::default()),
            Naming::Hashed(bits) => FeatureNames::Hashed(Collisions::new(Hashed::new(bits)?)),
        })
    }

    /// How features are numbered, if not simply by their numbers.
    pub fn naming(&self) -> Option<Naming> {
        match self {
            FeatureNames::Numbers => None,
            FeatureNames::Names(_) => Some(Naming::Names),
            FeatureNames::Hashed(collisions) => Some(Naming::Hashed(collisions.hashed().bits())),
        }
    }

    /// Of hashed features: how many numbers are in use, and how many of them several names share.
    pub fn collisions(&self) -> Option<(u64, u64)> {
        match self {
            FeatureNames::Hashed(collisions) => Some((collisions.used(), collisions.shared())),
            FeatureNames::Numbers | FeatureNames::Names(_) => None,
        }
    }

    /// The number of a name whose hash in vocabularies is known, which is added if it is new.
    pub(crate) fn number(&mut self, name: &[u8], hash: u64) -> u32 {
        match self {
            FeatureNames::Numbers => unreachable!("a portion has names only where features do"),
            FeatureNames::Names(vocabulary) => vocabulary.number_of_hash(name, hash),
            FeatureNames::Hashed(collisions) => collisions.number(name),
        }
    }

    /// Bytes of memory that they hold.
    pub(crate) fn memory(&self) -> usize {
        match self {
            FeatureNames::Numbers => 0,
            FeatureNames::Names(vocabulary) => vocabulary.memory(),
            FeatureNames::Hashed(collisions) => collisions.memory(),
        }
    }

    /// Appends the name of a feature as it came.
    pub(crate) fn append(&self, feature: u32, out: &mut Vec<u8>) {
        match self {
            FeatureNames::Names(vocabulary) => {
                out.extend_from_slice(vocabulary.name(feature).unwrap_or_default());
            }
            FeatureNames::Numbers => out.extend_from_slice(itoa::Buffer::new().format(feature).as_bytes()),
            FeatureNames::Hashed(_) => out.extend_from_slice(self.name(feature).as_bytes()),
        }
    }

    /// What to call a feature.
    pub fn name(&self, feature: u32) -> String {
        match self {
            _ if feature == BIAS => "bias".into(),
            FeatureNames::Names(vocabulary) => vocabulary
                .name(feature)
                .map_or_else(|| feature.to_string(), |name| String::from_utf8_lossy(name).into()),
            FeatureNames::Numbers => feature.to_string(),
            FeatureNames::Hashed(_) => format!("#{feature}"),
        }
    }

    /// The form that a model keeps.
    pub fn write(&self) -> Vec<u8> {
        let mut bytes = Vec::new();
        match self {
            FeatureNames::Numbers => {}
            FeatureNames::Names(vocabulary) => vocabulary.write(vocabulary.len(), &mut bytes),
            FeatureNames::Hashed(collisions) => bytes = collisions.write(),
        }
        bytes
    }

    /// Reads what [`FeatureNames::write`] wrote.
    pub fn read(naming: Naming, bytes: &[u8]) -> Result<Self, Damage> {
        Ok(match naming {
            Naming::Numbers => FeatureNames::Numbers,
            Naming::Names => FeatureNames::Names(Vocabulary::read(bytes)?),
            Naming::Hashed(bits) => {
                let hashed = Hashed::new(bits).ok_or(Damage::Collisions)?;
                FeatureNames::Hashed(Collisions::read(hashed, bytes)?)
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn any_text_gives_the_same_names_however_they_are_counted(text in "\\PC{0,40}|.{0,40}", low in 0usize..4, more in prop_oneof![0usize..3, Just(1000)]) {
            let of = |values| {
                let lengths = Some((low, low + more));
                let reading = Reading { words: lengths, characters: lengths, values: Some(values), ..Reading::default() };
                let mut found: BTreeMap<Vec<u8>, f64> = BTreeMap::new();
                let mut names = LocalNames::default();
                Tokens::default().read(&reading, b"c", &text, &mut names, |names, number, x| {
                    let before = found.insert(names.name(number).unwrap().to_vec(), f64::from(x));
                    assert_eq!(before, None, "a name comes once");
                });
                found
            };
            let mut counts: BTreeMap<Vec<u8>, f64> = BTreeMap::new();
            let lengths = Some(low..=low + more);
            let settings = TextFeatures { words: lengths.clone(), characters: lengths };
            Tokenizer::default().text(&settings, b"c=", &text, |name| *counts.entry(name.to_vec()).or_default() += 1.0);
            prop_assert_eq!(&of(Value::Count), &counts);
            prop_assert!(of(Value::Binary).iter().eq(counts.keys().map(|name| (name, &1.0))));
            let logs = of(Value::Log);
            prop_assert!(logs.keys().eq(counts.keys()));
            prop_assert!(logs.values().zip(counts.values()).all(|(log, count)| (log - 1.0 - count.ln()).abs() < 1e-6));
        }
    }
}
