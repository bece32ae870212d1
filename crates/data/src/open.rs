//! How to open data: what is to be read, and how.

use std::sync::atomic::AtomicU64;
use std::sync::{Arc, Mutex};

use crate::cache::input_pieces::{InputPieces, InputSettings, given_cache};
use crate::cache::location::Cache;
use crate::cache::piece_reader::PieceReader;
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
use crate::names::shared_names::SharedNames;
use crate::ordered_map::OrderedMap;
use crate::prepare::preparation::Prepare;
use crate::prepare::scales::Scales;
use crate::registry::Format;
use crate::source::input::{Input, OpenedInput};
use crate::stream::bad_lines::BadLinePolicy;
use crate::stream::example_stream::{Begin, ExampleStream};
use crate::stream::in_order::InOrderSteps;
use crate::stream::reader::{ExampleUse, Reader};

/// How data is read.
#[derive(Clone, Debug, Default)]
pub struct Settings {
    /// The format; if it is not said, what names and first bytes tell.
    pub format: Option<Format>,
    /// How records become features.
    pub reading: Reading,
    /// What is known of features so far.
    pub feature_state: FeatureState,
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
}

/// Opens the inputs one after the other, and looks ahead until it is known which label is which class.
pub fn open(inputs: &[Input], settings: Settings) -> Result<Box<dyn Reader>> {
    let consumed = Arc::default();
    let (format, first) = match settings.format {
        Some(format) => (format, None),
        None => detect(inputs, expected_table(&settings.reading), &consumed)?,
    };
    let inputs: Arc<[Input]> = Arc::from(inputs);
    let naming = settings.reading.naming.unwrap_or_else(|| format.naming(&settings.reading));
    let feature_state = initial_state(settings.feature_state, naming, &settings.reading, settings.prepare)?;
    let interactions = Interactions::new(&settings.reading.interact);
    if naming == Naming::Numbers && !interactions.is_empty() {
        return Err(Error::InteractingNumbers);
    }
    // Only other threads can be waited for until the data is to end.
    let sizes_known = inputs.iter().all(|input| input.size().is_some());
    let threads = if sizes_known { settings.threads } else { settings.threads.max(1) };
    let shared_names = Arc::new(SharedNames::default());
    let steps = InOrderSteps::new(
        feature_state,
        settings.prepare.in_order(),
        settings.used_for,
        Arc::clone(&shared_names),
    );
    let settled_labels = Arc::new(SettledLabels::default());
    let parser = format.parser(&settings.reading, settings.unlabelled);
    let splitting = parser.splitting();
    let maker = ExampleMaker {
        reading: settings.reading,
        naming,
        interactions,
        prepare: settings.prepare.alone(),
        unlabelled: settings.unlabelled,
        shared_names,
        settled_labels: settings.labels.may_refuse().then(|| Arc::clone(&settled_labels)),
    };
    let reader = PieceReader { parser, maker };
    let input_settings = InputSettings {
        inputs: Arc::clone(&inputs),
        consumed: Arc::clone(&consumed),
        splitting,
        limit: settings.memory,
        cache: settings.cache,
        how: reader.how(format.name()),
    };
    let begin = passes(Arc::new(input_settings), first, Arc::new(reader), threads, settings.interrupt);
    let labels = (settings.labels, settled_labels);
    let stream = ExampleStream::open(inputs, format, labels, steps, settings.bad_lines, consumed, begin)?;
    Ok(Box::new(stream))
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
    Box::new(move |damaged_cache| {
        let first = first.lock().map_or(None, |mut first| first.take());
        let settings = Arc::clone(&settings);
        let pieces = match damaged_cache {
            Some(input) => InputPieces::without_cache_of(settings, input),
            None => InputPieces::new(settings, first),
        };
        OrderedMap::new(pieces, Arc::clone(&reader), threads, interrupt.clone())
    })
}

/// What is known of features before the first example.
fn initial_state(
    mut state: FeatureState,
    naming: Naming,
    reading: &Reading,
    prepare: Prepare,
) -> Result<FeatureState> {
    if matches!(state.names, FeatureNames::Numbers) {
        state.names = FeatureNames::new(naming).ok_or(Error::HashBits)?;
    }
    if matches!(state.scales, Scales::None) {
        state.scales = Scales::new(prepare.scale);
    }
    if let Some(limit) = reading.max_features {
        state.eviction.get_or_insert_with(|| Eviction::new(limit));
    }
    Ok(state)
}

/// The kind of table that a model was trained on.
fn expected_table(reading: &Reading) -> Option<Format> {
    reading.table.as_ref().and_then(|name| name.parse().ok())
}

/// What the names of the inputs tell, or else the beginning of the first. Where a table is expected, only what certainly is none is not taken for one.
fn detect(
    inputs: &[Input],
    expected: Option<Format>,
    consumed: &Arc<AtomicU64>,
) -> Result<(Format, Option<OpenedInput>)> {
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
    let Some(input) = inputs.first() else { return Ok((Format::default(), None)) };
    let failed = |cause| Error::Io { file: input.name(), cause };
    let mut first = input.open(consumed)?;
    if let Some(blocks) = given_cache(input, &first)?
        && let Ok(format) = blocks.format().parse()
    {
        return Ok((format, Some(first)));
    }
    let beginning = first.beginning(Format::needs_more).map_err(failed)?;
    let format = match expected {
        Some(table) => Some(Format::certainly_of_text(&beginning).unwrap_or(table)),
        None if beginning.iter().all(u8::is_ascii_whitespace) => Some(Format::default()),
        None => Format::of_text(&beginning),
    };
    let format = format.ok_or_else(|| Error::UnknownFormat { file: input.name(), known: Format::names() })?;
    Ok((format, Some(first)))
}
