//! The first examples of a new model, looked at once: what is certainly meant in another way is told, with the setting for it.

use thalweg_core::Batch;
use thalweg_core::keyed_hash::KeyedMap;
use thalweg_data::{FeatureNames, Format};

use crate::columns::{ColumnKind, kinds_of_columns};
use crate::config::Config;

/// So many examples are enough, and looking at them costs nothing that could be measured.
const ENOUGH: u64 = 512;

/// The features of the first examples.
#[derive(Default)]
pub(crate) struct FirstLook {
    examples: u64,
    features: KeyedMap<u32, u64>,
    done: bool,
}

impl FirstLook {
    /// Nothing is looked at: the model has learned before.
    pub(crate) fn none() -> Self {
        Self { done: true, ..Self::default() }
    }

    /// Looks at the next examples. When there are enough, or no more, the columns are told that seem to hold something else than categories.
    pub(crate) fn look(
        &mut self,
        batch: Option<&Batch>,
        format: Format,
        names: &FeatureNames,
        config: &Config,
    ) -> Vec<String> {
        // Features of other formats have no columns.
        if self.done || [Format::LIBSVM, Format::VW].contains(&format) {
            return Vec::new();
        }
        if let Some(batch) = batch {
            self.examples += batch.len() as u64;
            batch
                .columns()
                .indices
                .iter()
                .for_each(|feature| *self.features.entry(*feature).or_default() += 1);
            if self.examples < ENOUGH {
                return Vec::new();
            }
        }
        let seen = std::mem::replace(self, Self::none());
        let columns = kinds_of_columns(seen.features.into_iter(), names, config);
        columns.into_iter().filter_map(|(column, kind)| advice(&column, kind)).collect()
    }
}

fn advice(column: &str, kind: ColumnKind) -> Option<String> {
    let plain = !column.is_empty() && column.chars().all(|c| c.is_alphanumeric() || "_-.".contains(c));
    let word = if plain { column.to_string() } else { format!("{column:?}") };
    let (what, setting) = match kind {
        ColumnKind::Sentences => ("text", format!("`text` {word}")),
        ColumnKind::Addresses => ("web addresses", format!("`url` {word}")),
        ColumnKind::Dates => ("dates", format!("`date` {word}")),
        ColumnKind::DecimalCommas => ("numbers with a decimal comma", "`decimal_comma`".into()),
        // Most often it is an identifier, which does little harm.
        ColumnKind::Codes => return None,
    };
    Some(format!("column {column:?} looks like {what}; add {setting}"))
}
