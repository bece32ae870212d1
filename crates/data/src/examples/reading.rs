//! How records become features: what columns are for, how features are numbered, what is made of text. A model remembers it.

use std::ops::RangeInclusive;

use serde::{Deserialize, Serialize};

use crate::expand::words::{TextFeatures, Value};
use crate::formats::roles::{Role, Roles};
use crate::names::feature_names::Naming;
use crate::source::encoding::Encoding;

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
    /// The name of the format that the data had, if it was a table: what looks like nothing else is read as one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub table: Option<String>,
    /// How text is encoded that does not tell it by its first bytes; if it is not said, as UTF-8.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub encoding: Option<Encoding>,
    /// What separated the fields of tables: others are read like that if they are ambiguous.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub delimiter: Option<char>,
    /// Do numbers of tables have a comma before their decimals, and not a point?
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub decimal_comma: bool,
    /// The column (or key) with the label.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub label: Option<String>,
    /// The column with the importance.
    #[serde(rename = "weight", skip_serializing_if = "Option::is_none")]
    pub importance: Option<String>,
    /// The column with what an error on the example costs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cost: Option<String>,
    /// The column with the example's id.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// Columns or namespaces that are passed over.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub ignore: Vec<String>,
    /// Columns whose values are categories, also those that are numbers.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub category: Vec<String>,
    /// Columns with dates and times.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub date: Vec<String>,
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

impl Reading {
    /// What columns are for.
    pub(crate) fn roles(&self) -> Roles {
        let mut roles = Roles::new();
        for (role, columns) in [
            (Role::Category, &self.category),
            (Role::Date, &self.date),
            (Role::Text, &self.text),
            (Role::Text, &self.url),
            (Role::Ignored, &self.ignore),
        ] {
            roles = columns.iter().fold(roles, |roles, column| roles.with(role, column));
        }
        for (role, column) in [
            (Role::Label, &self.label),
            (Role::Importance, &self.importance),
            (Role::Cost, &self.cost),
            (Role::Id, &self.id),
        ] {
            roles = column.iter().fold(roles, |roles, column| roles.with(role, column));
        }
        roles
    }

    pub(super) fn text_features(&self) -> TextFeatures {
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
