//! The formats that there are, one line each, and which one data has.

use std::collections::BTreeSet;
use std::fmt;

use serde::{Deserialize, Serialize};

use crate::cache::location::ENDING;
use crate::examples::piece_parser::{PieceParser, RecordParser};
use crate::examples::reading::Reading;
use crate::examples::rows::RowParser;
use crate::formats::columnar::{Arrow, Parquet};
use crate::formats::jsonl::Jsonl;
use crate::formats::libsvm::Libsvm;
use crate::formats::listing::{
    ColumnarFormat, ListedFormat, ParserSettings, Recognition, TextFormat, WriterSettings,
};
use crate::formats::table::{self, CommaTable, TabTable};
use crate::formats::vw::Vw;
use crate::formats::written::{FormatWriter, WriteFault};
use crate::names::feature_names::{FeatureNames, Naming};
use crate::source::compression::Compression;
use crate::split::text_pieces::MARK;

/// All formats. The first is the one of data that says nothing.
static FORMATS: &[Entry] = &[
    Entry::text::<Libsvm>(),
    Entry::text::<Vw>(),
    Entry::text::<CommaTable>(),
    Entry::text::<TabTable>(),
    Entry::text::<Jsonl>(),
    Entry::columnar::<Parquet>(),
    Entry::columnar::<Arrow>(),
];

/// What is known of a format.
struct Entry {
    name: &'static str,
    title: &'static str,
    endings: &'static [&'static str],
    numbered: bool,
    is_table: bool,
    is_columnar: bool,
    recognize: fn(&[u8]) -> Recognition,
    parser: fn(ParserSettings) -> Box<dyn PieceParser>,
    writer: fn(&WriterSettings) -> Result<Box<dyn FormatWriter>, WriteFault>,
}

impl Entry {
    const fn text<F: TextFormat>() -> Self {
        let parser = |settings: ParserSettings| -> Box<dyn PieceParser> {
            Box::new(RecordParser(F::parser(&settings)))
        };
        Self::new::<F>(false, parser)
    }

    const fn columnar<F: ColumnarFormat>() -> Self {
        let parser = |settings: ParserSettings| -> Box<dyn PieceParser> {
            let ParserSettings { roles, incomplete, .. } = settings;
            Box::new(RowParser { format: F::ROWS, roles, incomplete })
        };
        Self::new::<F>(true, parser)
    }

    const fn new<F: ListedFormat>(
        is_columnar: bool,
        parser: fn(ParserSettings) -> Box<dyn PieceParser>,
    ) -> Self {
        Self {
            name: F::NAME,
            title: F::TITLE,
            endings: F::ENDINGS,
            numbered: F::NUMBERED,
            is_table: F::TABLE,
            is_columnar,
            recognize: F::recognize,
            parser,
            writer: F::writer,
        }
    }
}

/// A format of data, such as CSV.
///
/// ```
/// use thalweg_data::Format;
///
/// let format: Format = "vw".parse()?;
/// assert_eq!(Format::of_name("data.vw.zst"), Some(format));
/// assert!(Format::all().any(|other| other == format));
/// # Ok::<(), String>(())
/// ```
///
/// In JSON it is its name.
#[derive(Clone, Copy, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Format(&'static Entry);

/// The formats that come with Thalweg, for programs that know what they read.
impl Format {
    /// LIBSVM text.
    pub const LIBSVM: Self = Self(&FORMATS[0]);
    /// Vowpal Wabbit text.
    pub const VW: Self = Self(&FORMATS[1]);
    /// Tables with commas.
    pub const CSV: Self = Self(&FORMATS[2]);
    /// Tables with tabs.
    pub const TSV: Self = Self(&FORMATS[3]);
    /// JSON lines.
    pub const JSONL: Self = Self(&FORMATS[4]);
    /// Parquet files.
    pub const PARQUET: Self = Self(&FORMATS[5]);
    /// Arrow files and streams.
    pub const ARROW: Self = Self(&FORMATS[6]);
}

impl TryFrom<String> for Format {
    type Error = String;

    fn try_from(name: String) -> Result<Self, String> {
        name.parse()
    }
}

impl From<Format> for String {
    fn from(format: Format) -> Self {
        format.name().into()
    }
}

impl Format {
    /// All formats.
    pub fn all() -> impl Iterator<Item = Self> {
        FORMATS.iter().map(Self)
    }

    /// The format that the end of a file's name tells, the ends of compressed files left aside.
    pub fn of_name(name: &str) -> Option<Self> {
        let name = name.to_ascii_lowercase();
        let name = name.strip_suffix(ENDING).unwrap_or(&name);
        let (name, _) = Compression::of_name(name);
        let (_, end) = name.rsplit_once('.')?;
        Self::all().find(|format| format.endings().contains(&end))
    }

    /// The format that the beginning of the data looks most like; of formats that it looks alike, the first.
    pub fn of_text(text: &[u8]) -> Option<Self> {
        Self::recognize(text).map(|(format, _)| format)
    }

    /// The same, if there is no doubt.
    pub(crate) fn certainly_of_text(text: &[u8]) -> Option<Self> {
        Self::recognize(text).filter(|(_, how)| *how == Recognition::Certain).map(|(format, _)| format)
    }

    fn recognize(text: &[u8]) -> Option<(Self, Recognition)> {
        let text = text.strip_prefix(MARK).unwrap_or(text);
        let all = Self::all().map(|format| (format, (format.0.recognize)(text)));
        let found = all.filter(|(_, how)| *how != Recognition::No);
        found.reduce(|best, other| if other.1 > best.1 { other } else { best })
    }

    /// Could more of the data tell the format, where this much does not? Nobody who types should be kept waiting, so one line must do, but for
    /// what may be the first of a table.
    pub(crate) fn needs_more(text: &[u8]) -> bool {
        table::may_begin(text) && Self::of_text(text).is_none()
    }

    /// Its name, such as `csv`.
    pub fn name(self) -> &'static str {
        self.0.name
    }

    /// The names of all, with commas.
    pub fn names() -> String {
        Self::all().map(Self::name).collect::<Vec<_>>().join(", ")
    }

    /// Its name in sentences, such as CSV.
    pub fn title(self) -> &'static str {
        self.0.title
    }

    /// How the names of its files end, such as `csv`.
    pub fn endings(self) -> &'static [&'static str] {
        self.0.endings
    }

    /// Is it a table of text, of which all columns must be known before the first line is written?
    pub fn is_table(self) -> bool {
        self.0.is_table
    }

    /// Are its records columns of numbers and texts, and not lines of text?
    pub fn is_columnar(self) -> bool {
        self.0.is_columnar
    }

    /// How features are numbered if nobody says it.
    pub(crate) fn naming(self, reading: &Reading) -> Naming {
        let numbers = self.0.numbered && reading.max_features.is_none();
        if numbers { Naming::Numbers } else { Naming::Names }
    }

    /// What makes examples of pieces of this format. `incomplete` if columns may be absent that have a role; `delimiter` if it is certain.
    pub(crate) fn parser(
        self,
        reading: &Reading,
        incomplete: bool,
        delimiter: Option<u8>,
    ) -> Box<dyn PieceParser> {
        (self.0.parser)(ParserSettings {
            roles: reading.roles(),
            delimiter,
            known_delimiter: reading.delimiter.and_then(|known| u8::try_from(known).ok()),
            decimal_comma: reading.decimal_comma,
            header: !reading.headless,
            incomplete,
        })
    }

    /// Begins a file of this name, with all features or only those wanted.
    pub(crate) fn writer(
        self,
        file: &str,
        names: &FeatureNames,
        wanted: Option<&BTreeSet<u32>>,
    ) -> Result<Box<dyn FormatWriter>, WriteFault> {
        (self.0.writer)(&WriterSettings { file, names, wanted })
    }
}

impl Default for Format {
    /// LIBSVM.
    fn default() -> Self {
        Self(&FORMATS[0])
    }
}

impl PartialEq for Format {
    fn eq(&self, other: &Self) -> bool {
        self.name() == other.name()
    }
}

impl Eq for Format {}

impl fmt::Debug for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl std::str::FromStr for Format {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let found = Self::all().find(|format| format.name() == text);
        found.ok_or_else(|| format!("must be one of {}", Self::names()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_endings_are_those_of_one_format() {
        for format in Format::all() {
            assert_eq!(format.name().parse(), Ok(format));
            for ending in format.endings() {
                assert_eq!(Format::of_name(&format!("a.{ending}.gz")), Some(format), "{ending}");
            }
        }
        assert_eq!(Format::default().name(), "libsvm");
        let unknown = "must be one of libsvm, vw, csv, tsv, jsonl, parquet, arrow";
        assert_eq!("svm".parse::<Format>(), Err(unknown.to_string()));
    }

    #[test]
    fn constants_are_called_as_their_formats_are() {
        use Format as F;
        let all = [F::LIBSVM, F::VW, F::CSV, F::TSV, F::JSONL, F::PARQUET, F::ARROW];
        assert_eq!(all.map(Format::name), ["libsvm", "vw", "csv", "tsv", "jsonl", "parquet", "arrow"]);
    }

    #[test]
    fn names_tell_formats() {
        for (name, format) in [
            ("a.svm", Some("libsvm")),
            ("dir.csv/a.vw.gz", Some("vw")),
            ("A.CSV", Some("csv")),
            ("a.tsv.zst", Some("tsv")),
            ("a.jsonl.thwcache", Some("jsonl")),
            ("a.PQ", Some("parquet")),
            ("a.feather", Some("arrow")),
            ("a.txt", None),
            ("a", None),
        ] {
            assert_eq!(Format::of_name(name).map(Format::name), format, "{name}");
        }
    }

    #[test]
    fn first_lines_tell_formats() {
        for (text, format) in [
            ("\n# x\n1 3:1 4:2 # c\n", Some("libsvm")),
            ("3:1\n", Some("libsvm")),
            ("spam qid:3 7:1", Some("libsvm")),
            ("1 3:1 # this | that", Some("libsvm")),
            ("-1\n1 3:1\n", Some("libsvm")),
            ("1 |f 3:1 4:1\n", Some("vw")),
            ("3:1|4:1", Some("vw")),
            ("word\n", None),
            ("1 | a b:2\n", Some("vw")),
            ("  {\"a\": 1}", Some("jsonl")),
            ("[{\"a\": 1}]", Some("jsonl")),
            ("[\n  {\n", Some("jsonl")),
            ("[a,b\n1,2\n", Some("csv")),
            ("PAR1\u{15}", Some("parquet")),
            ("ARROW1\0\0", Some("arrow")),
            ("label,a,b\n1,2,3\n", Some("csv")),
            ("a,b\n1,\"2, 3\n4\"\n5,6", Some("csv")),
            ("a,b\n1,2,3\n1,2\n3,4\n5", Some("csv")),
            ("\u{feff}a,b\r\n1,2\r\n", Some("csv")),
            ("a,b\n\n1,2", Some("csv")),
            ("id,label", Some("csv")),
            ("a\tb, c\n1\t2, 3\n", Some("tsv")),
            ("a\tlabel\n", Some("tsv")),
            ("a;b\n1,5;2\n", Some("csv")),
            ("a;b\n1,5;2,5\n", Some("csv")),
            ("label;b\n", Some("csv")),
            ("a,b\tc,d\n1,2\t3,4\n", Some("csv")),
            ("a,b\n1\n2\n", None),
            ("a,b\n", None),
            ("label\n1\n", None),
            ("1,2 3:1\n2,3 4:1\n", Some("libsvm")),
            ("{\"label\": 1, \"a\": 2}\n", Some("jsonl")),
            ("1 |a b,c\n1 |a b,c\n", Some("vw")),
            ("ham\tGo until jurong point", None),
            ("a b c", None),
            ("", None),
        ] {
            assert_eq!(Format::of_text(text.as_bytes()).map(Format::name), format, "{text}");
        }
    }
    #[test]
    fn more_is_needed_only_of_what_may_be_a_table() {
        for (text, needs) in [
            ("", true),
            ("1 3:1", false),
            ("word", true),
            ("word\n", false),
            ("a,b\n", true),
            ("a,b\n1", true),
            ("a,b\n1\n", false),
            ("a,\"b\nc\"\n", true),
            ("a,\"b\nc\"\n1,2\n", false),
            ("a,label\n", false),
        ] {
            assert_eq!(Format::needs_more(text.as_bytes()), needs, "{text}");
        }
    }
}
