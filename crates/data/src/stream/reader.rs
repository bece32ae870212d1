//! What every reader offers, and how to open one.

use std::sync::atomic::AtomicU64;
use std::sync::{Arc, Mutex};

use thalweg_core::Batch;

use crate::cache::Cache;
use crate::error::{Error, Result};
use crate::examples::piece_parser::{LineReader, PieceFormat};
use crate::examples::reading::{FeatureNames, Naming, Reading};
use crate::examples::rows::RowFormat;
use crate::expand::interactions::Interactions;
use crate::feature_state::Known;
use crate::formats::Format;
use crate::formats::csv::{self, Csv};
use crate::formats::jsonl::Jsonl;
use crate::formats::libsvm::Libsvm;
use crate::formats::vw::Vw;
use crate::interrupt::Interrupt;
use crate::labels::classes::{Expected, Labels};
use crate::limit::MemoryLimit;
use crate::names::eviction::{NewNumbers, Room};
use crate::names::shared_names::Board;
use crate::ordered_map::feed;
use crate::prepare::preparation::Prepare;
use crate::prepare::scales::Scales;
use crate::source::input::{Input, Opened};
use crate::split::pieces::Chunks;
use crate::stream::bad_lines::{BadLine, Policy};
use crate::stream::example_stream::Stream;
use crate::stream::in_order::Finish;

/// A source of batches.
pub trait Reader: Send {
    /// Fills the batch with the next examples; `false` when there are none left.
    fn read(&mut self, batch: &mut Batch) -> Result<bool>;

    /// Begins again, for the next pass.
    fn rewind(&mut self) -> Result<()>;

    /// Which label is which class.
    fn labels(&self) -> &Labels;

    /// What is known of features.
    fn known(&self) -> &Known;

    /// What features are called.
    fn names(&self) -> &FeatureNames {
        &self.known().names
    }

    /// To be called after every batch that was learned from. If there are more features than there may be: lets some leave, those that
    /// `weighted` lists last. Returns the features' new numbers, for a learner that follows.
    fn make_room(&mut self, _weighted: &dyn Fn() -> Vec<u32>) -> Option<NewNumbers> {
        None
    }

    /// The records that were skipped among the examples read last, because they could not be read or have no label that they need: for each,
    /// how many of these examples come before it. Those behind the last example of the data are told by the last call of [`Self::read`],
    /// which finds none. Blank lines and comments are no records.
    fn skipped(&self) -> &[usize] {
        &[]
    }

    /// The format of the data.
    fn format(&self) -> Format;

    /// What was read so far.
    fn census(&self) -> Census;

    /// What went wrong besides since the last call, and was got over: caches that could not be written, or were damaged.
    fn warnings(&mut self) -> Vec<String> {
        Vec::new()
    }

    /// Bad lines since the last call, up to the first [`SHOWN`](crate::stream::bad_lines::SHOWN) of all.
    fn complaints(&mut self) -> Vec<BadLine>;
}

/// What was read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Census {
    /// Lines, of whatever kind (first pass).
    pub lines: u64,
    /// Examples (all passes).
    pub examples: u64,
    /// Lines that could not be read (first pass).
    pub bad: u64,
    /// Examples whose features had to be sorted or summed (first pass).
    pub sorted: u64,
    /// Examples that are scored and have no feature whose name the model knows.
    pub unknown: u64,
    /// Bytes read from the inputs in this pass, before decompression.
    pub consumed: u64,
}

impl Census {
    /// The number of examples of the next batch after `examples`: batches double from 1 example up to 4096, so that a
    /// slow stream shows progress at once and the powers of two fall between batches.
    pub(crate) fn next_batch(examples: u64) -> usize {
        const MOST: u64 = 1 << 12;
        examples.clamp(1, MOST) as usize
    }
}

/// What examples are for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Purpose {
    /// To learn from: what is known of features grows with them.
    #[default]
    Learning,
    /// To be scored: scales and counts stay as they are.
    Scoring,
}

/// How data is read.
#[derive(Clone, Debug, Default)]
pub struct Settings {
    /// The format; if it is not said, what names and first bytes tell.
    pub format: Option<Format>,
    /// How records become features.
    pub reading: Reading,
    /// What is known of features so far.
    pub known: Known,
    /// What the examples are for.
    pub purpose: Purpose,
    /// What is done to every example.
    pub prepare: Prepare,
    /// Which label is which class.
    pub labels: Labels,
    /// May examples lack a label?
    pub unlabelled: bool,
    /// What to do with bad lines.
    pub bad_lines: Policy,
    /// How many threads read ahead; with none, the caller's own reads. The number has no influence on what is read.
    pub threads: usize,
    /// Where what was read is kept for the next time.
    pub cache: Cache,
    /// Ends the data before its end.
    pub interrupt: Interrupt,
    /// How much memory a file may take that is read as a whole or in large parts.
    pub memory: MemoryLimit,
}

/// Opens the inputs one after the other, and looks ahead until it is known which label is which class.
pub fn open(inputs: &[Input], settings: Settings) -> Result<Box<dyn Reader>> {
    let consumed = Arc::default();
    let (format, first) = match settings.format {
        Some(format) => (format, None),
        None => detect(inputs, settings.reading.table.map(Format::from), &consumed)?,
    };
    let roles = settings.reading.roles();
    let table = |separator| {
        Csv::new(csv::Settings {
            separator,
            // What is between tabs is meant as it is.
            quotes: separator != b'\t',
            header: !settings.reading.headless,
            roles: roles.clone(),
            incomplete: settings.unlabelled,
            ..csv::Settings::default()
        })
    };
    let data = Data { inputs: Arc::from(inputs), kind: format, first, consumed };
    match format {
        Format::Libsvm => data.read(Libsvm, settings),
        Format::Vw => data.read(Vw, settings),
        Format::Csv => data.read(table(b','), settings),
        Format::Tsv => data.read(table(b'\t'), settings),
        Format::Jsonl => data.read(Jsonl::new(roles), settings),
        Format::Parquet | Format::Arrow => {
            let incomplete = settings.unlabelled;
            data.read(RowFormat { format, roles, incomplete }, settings)
        }
    }
}

struct Data {
    inputs: Arc<[Input]>,
    kind: Format,
    /// What was opened to look at it.
    first: Option<Opened>,
    consumed: Arc<AtomicU64>,
}

impl Data {
    fn read<F: PieceFormat>(self, format: F, settings: Settings) -> Result<Box<dyn Reader>> {
        let Self { inputs, kind, first, consumed } = self;
        let Settings {
            reading,
            mut known,
            purpose,
            prepare,
            labels,
            unlabelled,
            bad_lines,
            threads,
            cache,
            interrupt,
            memory,
            ..
        } = settings;
        let naming = reading.naming(kind);
        if matches!(known.names, FeatureNames::Numbers) {
            known.names = FeatureNames::new(naming).ok_or(Error::HashBits)?;
        }
        if matches!(known.scales, Scales::None) {
            known.scales = Scales::new(prepare.scale);
        }
        if let Some(limit) = reading.max_features {
            known.room.get_or_insert_with(|| Room::new(limit));
        }
        let interactions = Interactions::new(&reading.interact);
        if naming == Naming::Numbers && !interactions.is_empty() {
            return Err(Error::InteractingNumbers);
        }
        let headless = reading.headless;
        let (is_table, quotes) = (format.is_table(), format.quotes());
        // Only other threads can be waited for until the data is to end.
        let threads =
            if inputs.iter().all(|input| input.size().is_some()) { threads } else { threads.max(1) };
        let board = Arc::new(Board::default());
        let finish = Finish::new(known, prepare.in_order(), purpose, Arc::clone(&board));
        let prepare = prepare.alone();
        let expected = Arc::new(Expected::default());
        let lines = Arc::new(LineReader {
            format,
            reading,
            naming,
            interactions,
            prepare,
            unlabelled,
            board,
            expected: labels.may_refuse().then(|| Arc::clone(&expected)),
        });
        // The first pass goes on with what was opened; later ones open again.
        let first = Mutex::new(first);
        let begin = {
            let (inputs, consumed) = (Arc::clone(&inputs), Arc::clone(&consumed));
            Box::new(move |distrusted: Option<usize>| {
                let first = first.lock().map_or(None, |mut first| first.take());
                let how = format!("{} {}", kind.name(), lines.how());
                let chunks = Chunks::new(Arc::clone(&inputs), Arc::clone(&consumed));
                let chunks = chunks.opened(first).cached(cache.clone(), how);
                let chunks = match distrusted {
                    Some(input) => chunks.without_cache_of(input),
                    None => chunks,
                };
                let chunks = match is_table {
                    true => chunks.of_table(quotes, headless),
                    false if kind.is_columnar() => chunks.of_columns(kind, memory),
                    false => chunks,
                };
                feed(chunks, Arc::clone(&lines), threads, interrupt.clone())
            })
        };
        Ok(Box::new(Stream::open(inputs, kind, (labels, expected), finish, bad_lines, consumed, begin)?))
    }
}

/// What the names of the inputs tell, or else the beginning of the first. Where a table is expected, only what certainly is none is not taken for one.
fn detect(
    inputs: &[Input],
    expected: Option<Format>,
    consumed: &Arc<AtomicU64>,
) -> Result<(Format, Option<Opened>)> {
    let told = |input: &Input| match input {
        Input::File(path) => Format::of_name(&path.to_string_lossy()),
        Input::Stdin => None,
    };
    let mut formats = inputs.iter().filter_map(told);
    if let Some(format) = formats.next() {
        return match formats.find(|other| *other != format) {
            Some(other) => Err(Error::Formats { one: format.name(), other: other.name() }),
            None => Ok((format, None)),
        };
    }
    let Some(input) = inputs.first() else { return Ok((Format::Libsvm, None)) };
    let failed = |cause| Error::Io { file: input.name(), cause };
    let mut first = input.open(consumed)?;
    if let Opened::Cache(blocks) = &first
        && let Ok(format) = blocks.format().parse()
    {
        return Ok((format, Some(first)));
    }
    let beginning = first.beginning().map_err(failed)?;
    let told = Format::of_text(&beginning).filter(|told| expected.is_none() || told.is_certain());
    let is_blank = beginning.iter().all(u8::is_ascii_whitespace);
    let format = told.or(expected).or(is_blank.then_some(Format::Libsvm));
    let format = format.ok_or_else(|| Error::UnknownFormat { file: input.name() })?;
    Ok((format, Some(first)))
}
