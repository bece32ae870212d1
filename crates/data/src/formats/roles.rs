//! What columns are for.

use thalweg_core::keyed_hash::KeyedMap;

use super::missing::is_missing;
use crate::error::quoted;

/// What a column (or the key of an object) is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Role {
    /// A number is a value of the feature that is called like the column; any other text is a feature `column=text`.
    Feature,
    /// Anything, also a number, is a feature `column=text`.
    Category,
    /// A date or a time, of which features are made.
    Date,
    /// Handed to the sink as text.
    Text,
    /// The label.
    Label,
    /// The importance.
    Importance,
    /// What an error on the example costs.
    Cost,
    /// The example's id.
    Id,
    /// Nothing.
    Ignored,
}

impl Role {
    /// Does a text in this role stand for a missing value? Labels tell that to the sink; ids and categories are meant as they are written.
    pub(crate) fn is_missing(self, text: &[u8]) -> bool {
        match self {
            Role::Feature | Role::Date | Role::Text | Role::Importance | Role::Cost => is_missing(text),
            Role::Category | Role::Label | Role::Id | Role::Ignored => text.is_empty(),
        }
    }

    /// Are features made of it, so that an example cannot be scored without it?
    pub(crate) fn is_needed(self) -> bool {
        matches!(self, Role::Category | Role::Date | Role::Text)
    }
}

/// The columns (or keys) that are more than features, by name.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Roles {
    roles: KeyedMap<Vec<u8>, Role>,
}

impl Roles {
    /// All columns are features, except the one that is called `label`.
    pub(crate) fn new() -> Self {
        Self::default().with(Role::Label, "label")
    }

    /// Gives a column its role. There is only one label, one importance, one cost and one id: the last that was named.
    #[must_use]
    pub(crate) fn with(mut self, role: Role, column: &str) -> Self {
        if matches!(role, Role::Label | Role::Importance | Role::Cost | Role::Id) {
            self.roles.retain(|_, other| *other != role);
        }
        self.roles.insert(column.as_bytes().to_vec(), role);
        self
    }

    /// The role of a column.
    #[inline]
    pub(crate) fn of(&self, column: &[u8]) -> Role {
        self.roles.get(column).copied().unwrap_or(Role::Feature)
    }

    /// The column that has a role of which there is only one.
    pub(crate) fn column(&self, role: Role) -> Option<&[u8]> {
        self.roles.iter().find(|(_, other)| **other == role).map(|(column, _)| column.as_slice())
    }

    /// All columns that were given a role, in alphabetical order.
    pub(crate) fn named(&self) -> Vec<(&[u8], Role)> {
        let mut named: Vec<_> = self.roles.iter().map(|(column, role)| (column.as_slice(), *role)).collect();
        named.sort_unstable_by_key(|(column, _)| *column);
        named
    }
}

/// What a role is called in messages.
fn called(role: Role) -> &'static str {
    match role {
        Role::Feature => "features",
        Role::Category => "categories",
        Role::Date => "dates",
        Role::Text => "text",
        Role::Label => "label",
        Role::Importance => "importance",
        Role::Cost => "cost",
        Role::Id => "id",
        Role::Ignored => "columns to ignore",
    }
}

/// What is said of a column that is not there: which one may be meant, and which there are.
pub(crate) fn no_such_column<'a>(
    wanted: &[u8],
    role: Role,
    columns: impl Iterator<Item = &'a [u8]>,
) -> String {
    const SHOWN: usize = 30;
    const ALIKE: f64 = 0.7;
    let name = String::from_utf8_lossy(wanted).to_lowercase();
    let (mut shown, mut more, mut best) = (Vec::new(), 0, None);
    for column in columns {
        // Comparing takes time, and a name that is mistyped is about as long.
        let may_be_meant = column.len() <= 2 * wanted.len() && wanted.len() <= 100;
        let other = String::from_utf8_lossy(if may_be_meant { column } else { b"" }).to_lowercase();
        let alike = strsim::normalized_damerau_levenshtein(&name, &other);
        if alike >= ALIKE && best.is_none_or(|(other, _)| alike > other) {
            best = Some((alike, column));
        }
        if shown.len() < SHOWN { shown.push(quoted(column)) } else { more += 1 }
    }
    let meant = best.map_or_else(String::new, |(_, column)| format!(" (did you mean {}?)", quoted(column)));
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    format!(
        "there is no column {} for the {}{meant}; the columns are {}{more}",
        quoted(wanted),
        called(role),
        shown.join(", ")
    )
}

/// Is a feature one that was made of a column in this role: `column=word`, or `column.hour=13` of a date?
pub(crate) fn is_made_of(feature: &[u8], column: &[u8], role: Role) -> bool {
    let follows: &[u8] = if role == Role::Date { b"." } else { b"=" };
    feature.strip_prefix(column).is_some_and(|rest| rest.starts_with(follows))
}
