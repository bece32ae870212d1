//! What the registry asks of a format: its names, how to recognise it, how to read and how to write it.

use std::collections::BTreeSet;

use super::record::RecordFormat;
use super::roles::{Role, Roles};
use super::written::{FormatWriter, WriteFault};
use crate::names::feature_names::FeatureNames;
use crate::names::vocabulary::Vocabulary;
use crate::split::row_format::RowFormat;

/// A format that the registry can list.
pub(crate) trait ListedFormat {
    /// Its name, as users write it.
    const NAME: &'static str;
    /// Its name in sentences.
    const TITLE: &'static str;
    /// How the names of its files end.
    const ENDINGS: &'static [&'static str];
    /// Are its features known by numbers, and not by names?
    const NUMBERED: bool = false;
    /// Is it a table of text, of which all columns must be known before the first line is written?
    const TABLE: bool = false;

    /// Does the beginning of some data look like this format?
    fn recognize(beginning: &[u8]) -> Recognition;

    /// Begins a file.
    fn writer(settings: &WriterSettings) -> Result<Box<dyn FormatWriter>, WriteFault>;
}

/// A format of text.
pub(crate) trait TextFormat: ListedFormat {
    /// What reads its records.
    type Parser: RecordFormat;

    /// Reads records like this.
    fn parser(settings: &ParserSettings) -> Self::Parser;
}

/// A format of columns.
pub(crate) trait ColumnarFormat: ListedFormat {
    /// How its files become batches of rows.
    const ROWS: RowFormat;
}

/// How much the beginning of some data looks like a format. What looks more like it is greater.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Recognition {
    /// Not at all.
    No,
    /// It could be a table. Anything looks like a table, and more so with more columns; commas stand in texts more often than tabs.
    Table {
        /// How many columns there are.
        columns: usize,
        /// Are there tabs between them?
        tabs: bool,
    },
    /// Its first line could be of this format.
    Likely,
    /// It can be nothing else.
    Certain,
}

impl Recognition {
    /// Likely, if this holds.
    pub(crate) fn likely_if(condition: bool) -> Self {
        if condition { Self::Likely } else { Self::No }
    }

    /// Certain, if this holds.
    pub(crate) fn certain_if(condition: bool) -> Self {
        if condition { Self::Certain } else { Self::No }
    }
}

/// The first line of a text that is neither blank nor a comment.
pub(crate) fn first_content_line(text: &[u8]) -> Option<&[u8]> {
    let mut lines = text.split(|byte| *byte == b'\n').map(<[u8]>::trim_ascii);
    lines.find(|line| !line.is_empty() && !line.starts_with(b"#"))
}

/// How records are to be read.
pub(crate) struct ParserSettings {
    /// What columns are for.
    pub(crate) roles: Roles,
    /// What separates the fields of a table, if it is given, or else what separated those before it.
    pub(crate) delimiter: Option<u8>,
    pub(crate) known_delimiter: Option<u8>,
    /// Do numbers of a table have a comma before their decimals?
    pub(crate) decimal_comma: bool,
    /// Does the first record of a table name its columns?
    pub(crate) header: bool,
    /// May columns be absent that have a role, as the label is from examples to predict?
    pub(crate) incomplete: bool,
}

/// What a file is to hold.
pub(crate) struct WriterSettings<'a> {
    /// The name of the file.
    pub(crate) file: &'a str,
    /// What features are called.
    pub(crate) names: &'a FeatureNames,
    /// The features that are written; all, if it is not said.
    pub(crate) wanted: Option<&'a BTreeSet<u32>>,
}

impl<'a> WriterSettings<'a> {
    /// The columns and keys that are written: `label`, `importance` and `id`.
    pub(crate) fn roles() -> Roles {
        Roles::new().with(Role::Importance, "importance").with(Role::Id, "id")
    }

    /// The features that are written, with their numbers and names; nothing if features have no names.
    pub(crate) fn wanted_names(&self) -> Option<impl Iterator<Item = (u32, &'a [u8])>> {
        let FeatureNames::Names(vocabulary) = self.names else { return None };
        Some(wanted_names(vocabulary, self.wanted))
    }
}

fn wanted_names<'a>(
    vocabulary: &'a Vocabulary,
    wanted: Option<&BTreeSet<u32>>,
) -> impl Iterator<Item = (u32, &'a [u8])> {
    let all = vocabulary.iter().enumerate().map(|(number, name)| (number as u32, name));
    all.filter(move |(number, _)| wanted.is_none_or(|wanted| wanted.contains(number)))
}
