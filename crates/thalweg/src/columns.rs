//! What the columns of a table seem to hold, told by the features that were made of them: text that was taken for categories is of little use.

use std::collections::BTreeMap;

use thalweg_data::{FeatureNames, looks_like_date};

use crate::config::Config;

/// What a column seems to hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ColumnKind {
    /// Web addresses.
    Addresses,
    /// Sentences, another one in nearly every example.
    Sentences,
    /// Dates or times.
    Dates,
    /// Numbers with a comma before their decimals.
    DecimalCommas,
    /// Words or codes, another one in nearly every example.
    Codes,
}

/// The values of a column that are features of their own.
#[derive(Default)]
struct Values {
    /// How many there are, and examples that have one.
    count: u64,
    examples: u64,
    blanks: u64,
    addresses: u64,
    dates: u64,
    decimals: u64,
}

impl Values {
    fn add(&mut self, value: &str, examples: u64) {
        self.count += 1;
        self.examples += examples;
        self.blanks += u64::from(value.trim().contains(' '));
        self.addresses += u64::from(value.contains("://"));
        self.dates += u64::from(looks_like_date(value));
        self.decimals += u64::from(has_decimal_comma(value));
    }

    fn kind(&self) -> Option<ColumnKind> {
        const A_FEW: u64 = 3;
        const MANY: u64 = 20;
        let most = |some: u64| 2 * some > self.count;
        let of_its_own = self.count > MANY && 2 * self.count > self.examples;
        match self {
            _ if self.count >= A_FEW && most(self.dates) => Some(ColumnKind::Dates),
            _ if self.count >= A_FEW && most(self.decimals) => Some(ColumnKind::DecimalCommas),
            _ if !of_its_own => None,
            _ if most(self.addresses) => Some(ColumnKind::Addresses),
            _ if most(self.blanks) => Some(ColumnKind::Sentences),
            _ => Some(ColumnKind::Codes),
        }
    }
}

/// The columns that seem to hold something else than categories and numbers, by name, of those that the configuration has no word for. Features
/// come with the number of examples that have them.
pub fn kinds_of_columns(
    features: impl Iterator<Item = (u32, u64)>,
    names: &FeatureNames,
    config: &Config,
) -> Vec<(String, ColumnKind)> {
    if !matches!(names, FeatureNames::Names(_)) {
        return Vec::new();
    }
    let mut columns: BTreeMap<String, Values> = BTreeMap::new();
    for (feature, examples) in features {
        let name = names.name(feature);
        if let Some((column, value)) = name.split_once('=') {
            columns.entry(column.into()).or_default().add(value, examples);
        }
    }
    let Config { text, url, category, date, .. } = config;
    let is_known = |column: &String| {
        let made =
            |date: &String| column.strip_prefix(date.as_str()).is_some_and(|rest| rest.starts_with('.'));
        [text, url, category].iter().any(|columns| columns.contains(column)) || date.iter().any(made)
    };
    let kinds = columns.into_iter().filter(|(column, _)| !is_known(column));
    kinds.filter_map(|(column, values)| Some((column, values.kind()?))).collect()
}

/// `3,14`, `-1.234,5`
fn has_decimal_comma(value: &str) -> bool {
    let digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let whole = |text: &str| digits(&text.trim_start_matches(['-', '+']).replace('.', ""));
    value.split_once(',').is_some_and(|(before, after)| whole(before) && digits(after))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kind(values: impl Iterator<Item = String>) -> Option<ColumnKind> {
        let mut all = Values::default();
        values.for_each(|value| all.add(&value, 1));
        all.kind()
    }

    #[test]
    fn values_tell_what_a_column_holds() {
        let of = |make: &dyn Fn(usize) -> String| kind((0..30).map(make));
        assert_eq!(of(&|i| format!("dear friend {i}")), Some(ColumnKind::Sentences));
        assert_eq!(of(&|i| format!("https://a.b/{i}")), Some(ColumnKind::Addresses));
        assert_eq!(of(&|i| format!("u{i}")), Some(ColumnKind::Codes));
        assert_eq!(of(&|i| format!("2024-01-{:02} 10:00", i + 1)), Some(ColumnKind::Dates));
        assert_eq!(of(&|i| format!("{i},5")), Some(ColumnKind::DecimalCommas));
        assert_eq!(
            kind(["2024-01-01", "2024-01-02", "2024-01-03"].map(String::from).into_iter()),
            Some(ColumnKind::Dates)
        );
        assert_eq!(kind(["a b", "c d", "e f"].map(String::from).into_iter()), None);
    }
}
