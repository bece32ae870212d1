//! Errors say where, what, and what would be right. Where that is a setting, it is named in backticks by its field, such as `max_memory`: how a
//! user sets it, the library does not know.

use std::fmt;

use crate::limit::MemoryLimit;
use crate::ordered_map::ThreadDied;

/// The result of reading.
pub type Result<T> = std::result::Result<T, Error>;

/// A place in the data.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// The file, or `<stdin>`.
    pub file: String,
    /// The line, counted from 1.
    pub line: u64,
    /// The byte in the line, counted from 1.
    pub column: usize,
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}:{}", self.file, self.line, self.column)
    }
}

/// What is wrong with a line, as the format sees it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// The byte in the line, counted from 1.
    pub column: usize,
    /// What is wrong, with the offending text.
    pub message: String,
}

impl Fault {
    /// A fault at the byte `offset`, which quotes the offending text: `feature index must be …, got "3.5"`.
    pub fn at(offset: usize, what: &str, text: &[u8]) -> Self {
        Self { column: offset + 1, message: format!("{what}, got {}", quoted(text)) }
    }
}

/// The text in quotes; long text is cut.
pub(crate) fn quoted(text: &[u8]) -> String {
    const LONGEST: usize = 40;
    let shown: String = String::from_utf8_lossy(text).chars().take(LONGEST).collect();
    let dots = if shown.len() < text.len() { "..." } else { "" };
    format!("\"{}{dots}\"", shown.escape_debug())
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

/// Why there is no such subset.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Impossible {
    /// It is not known which class is positive.
    #[error(
        "a share of positives needs two labels, or `positive` to tell one from all others; the labels are {0}"
    )]
    NotTwo(String),
    /// There is no such label.
    #[error("no label is \"{positive}\"; the labels are {labels}")]
    NoSuchLabel {
        /// What was called positive.
        positive: String,
        /// What there is.
        labels: String,
    },
    /// Some examples are neither positive nor negative.
    #[error("{0} examples have no label, so there is no share of positives")]
    Unlabelled(u64),
    /// Not even one example of a class would be left.
    #[error(
        "{positives} positive and {others} other examples are too few for this share of positives: none of {which} would be left"
    )]
    TooFew {
        /// How many positives there are.
        positives: u64,
        /// How many others.
        others: u64,
        /// Of which there would be none.
        which: &'static str,
    },
    /// There are not so many examples.
    #[error("a sample of {wanted} was asked for, but there are only {there} examples{}", if *thinned { " with this share of positives" } else { "" })]
    TooMany {
        /// How many were wanted.
        wanted: u64,
        /// How many there are.
        there: u64,
        /// Were some left out to have fewer positives or others?
        thinned: bool,
    },
    /// A share or a size that is no such thing.
    #[error("shares must be between 0 and 1, and sizes of parts greater than 0")]
    NoShare,
}

/// Why reading or writing failed. Every message is complete: there is no chain of causes to follow.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The operating system said no.
    #[error("{file}: {cause}")]
    Io {
        /// The file, or `<stdin>`.
        file: String,
        /// What it said.
        cause: std::io::Error,
    },
    /// A cache is not what was written.
    #[error("{file}: the cache is damaged: remove it, and it is made anew")]
    DamagedCache {
        /// The cache.
        file: String,
    },
    /// A line that stops the run.
    #[error("{place}: {message}")]
    Line {
        /// Where.
        place: Place,
        /// What.
        message: String,
    },
    /// The labels are not what they were said to be.
    #[error("{file}: {message}")]
    Labels {
        /// The file, or the first of several.
        file: String,
        /// What is wrong with them.
        message: String,
    },
    /// Too many bad lines.
    #[error(
        "{bad} of {lines} lines {} bad, more than the {limit} allowed; the last one: {place}: {message}",
        if *bad == 1 { "is" } else { "are" }
    )]
    TooManyBad {
        /// Bad lines so far.
        bad: u64,
        /// Lines so far.
        lines: u64,
        /// The limit, as given.
        limit: String,
        /// The last bad line.
        place: Place,
        /// What is wrong with it.
        message: String,
    },
    /// Not one line could be used.
    #[error(
        "{} of {file} could be read as {format}; the first one: {place}: {message}",
        if *lines == 1 { "no line".into() } else { format!("none of the {lines} lines") }
    )]
    NothingRead {
        /// The file, or the first of several.
        file: String,
        /// The format.
        format: &'static str,
        /// Lines.
        lines: u64,
        /// The first bad line.
        place: Place,
        /// What is wrong with it.
        message: String,
    },
    /// Nothing tells the format.
    #[error("{file}: neither its name nor its first line tells the format; say it with `format` ({known})")]
    UnknownFormat {
        /// The file, or `<stdin>`.
        file: String,
        /// The names of all formats.
        known: String,
    },
    /// The names of several files tell different formats.
    #[error("the files are of different formats, {one} and {other}: read them one after the other")]
    Formats {
        /// One of them.
        one: &'static str,
        /// Another.
        other: &'static str,
    },
    /// What the format cannot hold.
    #[error("{file}: {cause}")]
    Unwritable {
        /// The file.
        file: String,
        /// What, and why.
        cause: Unwritable,
    },
    /// A table whose columns are not known.
    #[error("{file}: a table needs names for its columns; read the data with `names`")]
    NoColumns {
        /// The file.
        file: String,
    },
    /// There cannot be so many bits.
    #[error("features can be hashed to 1 to 31 bits")]
    HashBits,
    /// Numbers have no namespaces.
    #[error(
        "interactions are between namespaces or columns, and features that are numbers have none; `names` makes them names"
    )]
    InteractingNumbers,
    /// What can be read only once was to be read a second time.
    #[error("{file} can be read only once")]
    ReadTwice {
        /// Which input.
        file: String,
    },
    /// There is no such part of the data as was asked for.
    #[error("{0}")]
    Subset(#[from] Impossible),
    /// The second pass found other examples than the first.
    #[error("the data changed while it was read: run this again")]
    DataChanged,
    /// There is no such input to go on with.
    #[error("reading was to go on with input {}, but there are only {inputs}", input + 1)]
    PositionInput {
        /// Which input, counted from 0.
        input: usize,
        /// How many there are.
        inputs: usize,
    },
    /// An input is not the one that was being read.
    #[error("{file} is not what it was when reading stopped: it begins in another way")]
    PositionChanged {
        /// The input.
        file: String,
    },
    /// An input cannot be read from the middle on.
    #[error("{file} cannot be read from where reading stopped: only files can")]
    PositionGone {
        /// The input.
        file: String,
    },
    /// Examples that are to be shuffled, or gone through again, are too many.
    #[error(
        "the first {examples} examples take more than the {limit} of memory that are allowed (`max_memory`)"
    )]
    ExamplesInMemory {
        /// How many there were.
        examples: u64,
        /// The limit.
        limit: MemoryLimit,
    },
}

impl From<ThreadDied> for Error {
    fn from(_: ThreadDied) -> Self {
        Self::Io { file: "reader".into(), cause: std::io::Error::other("a reading thread died") }
    }
}
