//! Arguments that several verbs share.

use std::io::IsTerminal;
use std::path::PathBuf;

use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{Args, ValueEnum};
use thalweg::{BadLineLimit, Config, Encoding, Format, Input, Norm, Scale};

use crate::files::Files;
use crate::usage;

/// The data, and what to do with lines that cannot be read.
#[derive(Args)]
pub(crate) struct DataArgs {
    /// Files or patterns to read; - or nothing is standard input
    ///
    /// Files may be plain or compressed (gz, zst, bz2, xz). Several files, or patterns such as 'logs/*.csv', are read one after the other.
    #[arg(value_name = "DATA", value_hint = clap::ValueHint::FilePath)]
    data: Vec<String>,

    /// The format of the data
    ///
    /// By default it follows from the file name, or else from the first lines.
    #[arg(long, value_name = "FORMAT", value_parser = format_parser())]
    format: Option<Format>,

    #[command(flatten)]
    table: TableArgs,

    /// Stop at the first bad line
    ///
    /// By default bad lines are skipped and counted, and the first ten are shown.
    #[arg(long, conflicts_with = "max_bad")]
    strict: bool,

    /// Stop when more lines than this are bad (100, 1%)
    ///
    /// A percentage is checked from 1000 lines on.
    #[arg(long, value_name = "LIMIT")]
    max_bad: Option<BadLineLimit>,

    /// Write bad lines to this file
    #[arg(long, value_name = "FILE", value_hint = clap::ValueHint::FilePath)]
    reject_file: Option<PathBuf>,

    /// Threads that read ahead [default: one per core]
    ///
    /// `predict` and `eval` also score on half as many. Results do not depend on the number. 0 does everything on one thread, which costs the
    /// least CPU time.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(..=256))]
    threads: Option<u16>,

    /// The most memory to use, such as 512M or 8G
    ///
    /// This limits the model (with its names, covariance matrix and batch), and the data where it has to be in memory.
    #[arg(long, default_value = "4G", value_name = "SIZE", value_parser = size)]
    pub(crate) max_memory: u64,

    /// Keep a cache of each file, FILE.thwcache
    ///
    /// The next pass or run reads the cache instead, as long as FILE is the same.
    #[arg(long)]
    cache: bool,
}

/// How text and tables are spelled.
#[derive(Args)]
pub(crate) struct TableArgs {
    /// Tables have no header; columns are called 1, 2, 3
    #[arg(long)]
    no_header: bool,

    /// The encoding of text
    ///
    /// For example latin-1, utf-16, windows-1251 or shift_jis. By default text is UTF-8, or what its byte order mark says.
    #[arg(long, value_name = "NAME")]
    encoding: Option<Encoding>,

    /// What separates the fields of a table
    ///
    /// One character, the word tab, or a code such as \x01. By default the first lines decide: a comma, tab, semicolon or bar.
    #[arg(long, value_name = "CHARACTER", value_parser = delimiter, allow_hyphen_values = true)]
    delimiter: Option<char>,

    /// Numbers have a decimal comma, as in 3,14
    #[arg(long)]
    decimal_comma: bool,
}

impl TableArgs {
    /// A configuration with what these flags say.
    pub(crate) fn add_to(&self, config: Config) -> Config {
        Config {
            no_header: self.no_header.then_some(true),
            encoding: self.encoding,
            delimiter: self.delimiter,
            decimal_comma: self.decimal_comma.then_some(true),
            ..config
        }
    }
}

/// A character by itself, by its name or by its code.
fn delimiter(text: &str) -> Result<char, String> {
    let code = || u8::from_str_radix(text.strip_prefix("\\x")?, 16).ok().map(char::from);
    let mut characters = text.chars();
    let character = match (text, characters.next(), characters.next()) {
        ("tab" | "\\t", ..) => Some('\t'),
        (_, Some(only), None) => Some(only),
        _ => code(),
    };
    let character = character.ok_or("must be one character, tab, or a code such as \\x01")?;
    Config::default().delimiter(character).reading().map_err(|error| error.to_string())?;
    Ok(character)
}

impl DataArgs {
    pub(crate) fn inputs(&self) -> anyhow::Result<Vec<Input>> {
        if self.data.is_empty() {
            if std::io::stdin().is_terminal() {
                return Err(usage("no data: give a file, or - for standard input"));
            }
            return Ok(vec![Input::Stdin]);
        }
        let inputs = inputs(&self.data)?;
        if inputs.iter().filter(|input| **input == Input::Stdin).count() > 1 {
            return Err(usage("standard input can be read only once"));
        }
        Ok(inputs)
    }

    /// What is read and written, besides what else is read.
    pub(crate) fn files(&self, read: Files, inputs: &[Input]) -> anyhow::Result<Files> {
        let files = read.reading("data", inputs);
        let files = if self.cache { files.caching(inputs)? } else { files };
        files.writing("the file of bad lines", self.reject_file.as_ref())
    }

    /// A configuration with what these flags say.
    pub(crate) fn add_to(&self, config: Config) -> Config {
        Config {
            format: self.format,
            strict: self.strict.then_some(true),
            max_bad: self.max_bad,
            reject_file: self.reject_file.clone(),
            threads: self.threads.map(usize::from),
            max_memory: Some(self.max_memory),
            cache: self.cache.then_some(true),
            ..self.table.add_to(config)
        }
    }
}

/// The inputs that names and patterns stand for. A shell usually expands patterns; who quotes them, or has no such shell,
/// means the same.
pub(crate) fn inputs(names: &[String]) -> anyhow::Result<Vec<Input>> {
    let mut inputs = Vec::new();
    for name in names {
        // A file that is really called so comes first.
        if !name.contains(['*', '?', '[']) || std::fs::exists(name).unwrap_or(false) {
            inputs.push(name.as_str().into());
            continue;
        }
        let found = glob::glob(name).map_err(|e| usage(format!("{name}: {e}")))?;
        let before = inputs.len();
        for path in found {
            inputs.push(Input::File(path?));
        }
        if inputs.len() == before {
            return Err(usage(format!("no file matches {name}")));
        }
    }
    Ok(inputs)
}

/// Formats by name.
pub(crate) fn format_parser() -> impl TypedValueParser<Value = Format> {
    PossibleValuesParser::new(Format::all().map(Format::name)).try_map(|name| name.parse::<Format>())
}

/// Bytes, with K, M, G or T for powers of 1024.
pub(crate) fn size(text: &str) -> Result<u64, String> {
    let (number, power) = match text.to_ascii_uppercase().chars().last() {
        Some('K') => (&text[..text.len() - 1], 10),
        Some('M') => (&text[..text.len() - 1], 20),
        Some('G') => (&text[..text.len() - 1], 30),
        Some('T') => (&text[..text.len() - 1], 40),
        _ => (text, 0),
    };
    let bytes = number.parse::<u64>().ok().and_then(|n| n.checked_mul(1 << power));
    bytes.ok_or_else(|| "a size must be a number of bytes, or with K, M, G or T: 512M, 8G".into())
}

/// A share of the data: a percentage or a fraction.
pub(crate) fn share(text: &str) -> Result<f64, String> {
    let (number, of) = text.strip_suffix('%').map_or((text, 1.0), |percent| (percent, 100.0));
    let share = number.trim().parse::<f64>().ok().map(|number| number / of);
    share
        .filter(|share| *share > 0.0 && *share < 1.0)
        .ok_or_else(|| "must be a share between 0 and 1, or a percentage: 0.1, 10%".into())
}

/// What values are divided by.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum ScaleBy {
    /// The usual size of the feature so far; large values are compressed, and features that every example has are centred. Sparse examples that all have length 1 are left as they are
    Typical,
    /// Nothing: values stay as they are
    None,
    /// The largest magnitude of the feature so far
    Max,
    /// The standard deviation of the feature so far, counting absent values as zeros: makes rare features large
    Deviation,
    /// The root mean square of the feature so far, over the examples that have it: for columns with different units
    Rms,
}

impl From<ScaleBy> for Scale {
    fn from(scale: ScaleBy) -> Self {
        match scale {
            ScaleBy::Typical => Scale::Typical,
            ScaleBy::None => Scale::None,
            ScaleBy::Max => Scale::Max,
            ScaleBy::Deviation => Scale::Deviation,
            ScaleBy::Rms => Scale::Rms,
        }
    }
}

/// How examples are normalised.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Normalize {
    /// Divide by √n, where n is the number of features of the example
    Count,
    /// Do not divide
    None,
    /// Divide by √Σx²
    L2,
    /// Divide by Σ|x|
    L1,
    /// Divide by max |x|
    Max,
}

impl From<Normalize> for Norm {
    fn from(normalize: Normalize) -> Self {
        match normalize {
            Normalize::Count => Norm::Count,
            Normalize::None => Norm::None,
            Normalize::L2 => Norm::L2,
            Normalize::L1 => Norm::L1,
            Normalize::Max => Norm::Max,
        }
    }
}
