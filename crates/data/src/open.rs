//! How to open data: what is to be read, and how.

use std::sync::atomic::AtomicU64;
use std::sync::{Arc, Mutex};

use crate::cache::input_pieces::{InputPieces, InputSettings, given_cache};
use crate::cache::location::Cache;
use crate::cache::piece_reader::PieceReader;
use crate::cache::upkeep::CacheUpkeep;
use crate::error::{Error, Result};
use crate::examples::example_maker::ExampleMaker;
use crate::examples::reading::Reading;
use crate::expand::interactions::Interactions;
use crate::feature_state::FeatureState;
use crate::interrupt::Interrupt;
use crate::labels::classes::Labels;
use crate::labels::settled::SettledLabels;
use crate::limit::MemoryLimit;
use crate::names::eviction::Eviction;
use crate::names::feature_names::{FeatureNames, Naming};
use crate::names::hashed::Hashed;
use crate::names::shared_names::SharedNames;
use crate::ordered_map::OrderedMap;
use crate::prepare::preparation::Prepare;
use crate::prepare::scales::Scales;
use crate::registry::Format;
use crate::source::input::{Input, OpenedInput};
use crate::stream::assembler::Assembler;
use crate::stream::bad_lines::BadLinePolicy;
use crate::stream::example_stream::{Begin, ExampleStream, PassStart};
use crate::stream::in_order::InOrderSteps;
use crate::stream::milestones::Milestones;
use crate::stream::position::Position;
use crate::stream::reader::{ExampleUse, Reader};

/// How data is read.
#[derive(Clone, Debug, Default)]
pub struct Settings {
    /// The format; if it is not said, what names and first bytes tell.
    pub format: Option<Format>,
    /// What separates the fields of tables; if it is not said, what their first records show.
    pub delimiter: Option<char>,
    /// How records become features.
    pub reading: Reading,
    /// What is known of features so far.
    pub feature_state: Arc<FeatureState>,
    /// What the examples are for.
    pub used_for: ExampleUse,
    /// What is done to every example.
    pub prepare: Prepare,
    /// Which label is which class.
    pub labels: Labels,
    /// May examples lack a label?
    pub unlabelled: bool,
    /// What to do with bad lines.
    pub bad_lines: BadLinePolicy,
    /// How many threads read ahead; with none, the caller's own reads. The number has no influence on what is read.
    pub threads: usize,
    /// Where what was read is kept for the next time.
    pub cache: Cache,
    /// Ends the data before its end.
    pub interrupt: Interrupt,
    /// How much memory a file may take that is read as a whole or in large parts.
    pub memory: MemoryLimit,
    /// After how many examples batches end.
    pub milestones: Milestones,
    /// Where to begin; labels and features must be as they were there.
    pub start: Option<Position>,
}

/// Opens the inputs one after the other, and looks ahead until it is known which label is which class.
pub fn open(inputs: &[Input], mut settings: Settings) -> Result<Box<dyn Reader>> {
    let consumed = Arc::default();
    let (format, first) = match settings.format {
        Some(format) => (format, None),
        None => detect(inputs, &settings, &consumed)?,
    };
    let inputs: Arc<[Input]> = Arc::from(inputs);
    let naming = naming_of(format, &settings.reading, &settings.feature_state);
    let state = std::mem::take(&mut settings.feature_state);
    let state = initial_state(state, naming, &settings.reading, settings.prepare)?;
    // Only other threads can be waited for until the data is to end.
    let sizes_known = inputs.iter().all(|input| input.size().is_some());
    let threads = if sizes_known { settings.threads } else { settings.threads.max(1) };
    let shared_names = Arc::new(SharedNames::default());
    let prepare = settings.prepare.in_order();
    let steps = InOrderSteps::new(state, prepare, settings.used_for, Arc::clone(&shared_names));
    let settled_labels = Arc::new(SettledLabels::default());
    let may_refuse = settings.labels.may_refuse().then(|| Arc::clone(&settled_labels));
    let reader = piece_reader(format, naming, &settings, shared_names, may_refuse)?;
    let input_settings = InputSettings {
        inputs: Arc::clone(&inputs),
        consumed: Arc::clone(&consumed),
        splitting: reader.parser.splitting(),
        encoding: settings.reading.encoding,
        limit: settings.memory,
        cache: settings.cache,
        how: reader.how(format.name()),
    };
    let reader = Arc::new(reader);
    let caches = CacheUpkeep::new(Arc::clone(&reader));
    let begin = passes(Arc::new(input_settings), first, reader, threads, settings.interrupt);
    let assembler =
        Assembler::new(settings.labels, settled_labels, steps, settings.bad_lines, settings.milestones)?;
    let stream = ExampleStream::open(inputs, format, assembler, consumed, begin, caches, settings.start)?;
    Ok(Box::new(stream))
}

/// What reads pieces of this format.
pub(crate) fn piece_reader(
    format: Format,
    naming: Naming,
    settings: &Settings,
    shared_names: Arc<SharedNames>,
    settled_labels: Option<Arc<SettledLabels>>,
) -> Result<PieceReader> {
    let Settings { reading, prepare, unlabelled, .. } = settings;
    let interactions = Interactions::new(&reading.interact);
    if naming == Naming::Numbers && !interactions.is_empty() {
        return Err(Error::InteractingNumbers);
    }
    let hashed = match naming {
        Naming::Hashed(bits) => Some(Hashed::new(bits).ok_or(Error::HashBits)?),
        Naming::Numbers | Naming::Names => None,
    };
    let maker = ExampleMaker {
        reading: reading.clone(),
        naming,
        hashed,
        interactions,
        prepare: prepare.alone(),
        unlabelled: *unlabelled,
        shared_names,
        settled_labels,
    };
    let delimiter = settings.delimiter.and_then(|given| u8::try_from(given).ok());
    Ok(PieceReader { parser: format.parser(reading, *unlabelled, delimiter), maker })
}

/// How passes over the data begin. The first goes on with what was opened; later ones open again.
fn passes(
    settings: Arc<InputSettings>,
    first: Option<OpenedInput>,
    reader: Arc<PieceReader>,
    threads: usize,
    interrupt: Interrupt,
) -> Begin {
    let first = Mutex::new(first);
    Box::new(move |start| {
        let first = first.lock().map_or(None, |mut first| first.take());
        let settings = Arc::clone(&settings);
        let pieces = match start {
            PassStart::Beginning => InputPieces::new(settings, first),
            PassStart::WithoutCacheOf(input) => InputPieces::without_cache_of(settings, input),
            PassStart::At(position) => InputPieces::from_input(settings, position.input, position.offset),
        };
        OrderedMap::new(pieces, Arc::clone(&reader), threads, interrupt.clone())
    })
}

/// How features are numbered: as was said, or as they are already, or else as the format has them.
pub(crate) fn naming_of(format: Format, reading: &Reading, state: &FeatureState) -> Naming {
    reading.naming.or(state.names.naming()).unwrap_or_else(|| format.naming(reading))
}

/// What is known of features before the first example.
pub(crate) fn initial_state(
    mut shared: Arc<FeatureState>,
    naming: Naming,
    reading: &Reading,
    prepare: Prepare,
) -> Result<Arc<FeatureState>> {
    let no_names = naming != Naming::Numbers && matches!(shared.names, FeatureNames::Numbers);
    let no_scales = prepare.scale.is_some() && matches!(shared.scales, Scales::None);
    let no_counts = reading.max_features.is_some() && shared.eviction.is_none();
    // A model that is only shared has all of this, and is not copied.
    if no_names || no_scales || no_counts {
        let state = Arc::make_mut(&mut shared);
        if no_names {
            state.names = FeatureNames::new(naming).ok_or(Error::HashBits)?;
        }
        if no_scales {
            state.scales = Scales::new(prepare.scale);
        }
        if no_counts {
            state.eviction = reading.max_features.map(Eviction::new);
        }
    }
    Ok(shared)
}

/// The kind of table that a model was trained on, or that somebody means who says what separates its fields.
fn expected_table(settings: &Settings) -> Option<Format> {
    let known = settings.reading.table.as_ref().and_then(|name| name.parse().ok());
    known.or(settings.delimiter.map(|_| Format::CSV))
}

/// What the names of the inputs tell, or else the beginning of the first. Where a table is expected, only what certainly is none is not taken for one.
fn detect(
    inputs: &[Input],
    settings: &Settings,
    consumed: &Arc<AtomicU64>,
) -> Result<(Format, Option<OpenedInput>)> {
    let told = |input: &Input| {
        let of_name = || input.file_name().and_then(|name| Format::of_name(&name));
        if input.is_rows() { Some(Format::ARROW) } else { of_name() }
    };
    let mut formats = inputs.iter().filter_map(told);
    if let Some(format) = formats.next() {
        return match formats.find(|other| *other != format) {
            Some(other) => Err(Error::Formats { one: format.name(), other: other.name() }),
            None => Ok((format, None)),
        };
    }
    let Some(input) = inputs.first() else { return Ok((Format::default(), None)) };
    let failed = |cause| Error::Io { file: input.name(), cause };
    let mut first = input.open(consumed)?;
    if let Some(blocks) = given_cache(input, &first)?
        && let Ok(format) = blocks.format().parse()
    {
        return Ok((format, Some(first)));
    }
    let expected = expected_table(settings);
    // Where a table is expected, a line tells whether it is something else, and may have to be answered before the next one comes.
    let needs_more = |text: &[u8]| match expected {
        Some(_) => !text.contains(&b'\n') && Format::certainly_of_text(text).is_none(),
        None => Format::needs_more(text),
    };
    let raw = first.beginning(needs_more).map_err(failed)?;
    if !Format::of_text(&raw).is_some_and(Format::is_columnar) {
        first.decode(settings.reading.encoding).map_err(failed)?;
    }
    let beginning = first.beginning(needs_more).map_err(failed)?;
    let format = match expected {
        Some(table) => Some(Format::certainly_of_text(&beginning).unwrap_or(table)),
        None if beginning.iter().all(u8::is_ascii_whitespace) => Some(Format::default()),
        None => Format::of_text(&beginning),
    };
    let format = format.ok_or_else(|| Error::UnknownFormat { file: input.name(), known: Format::names() })?;
    Ok((format, Some(first)))
}
