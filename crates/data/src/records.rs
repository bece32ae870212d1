//! Records that are already in memory: learned from call after call, or scored by many threads at once.

use std::sync::{Arc, Mutex, PoisonError};

use thalweg_core::Batch;

use crate::cache::input_pieces::{InputPiece, PieceContent};
use crate::cache::piece_reader::{PieceReader, ReadBuffers, ReadPiece};
use crate::error::{Error, Result};
use crate::feature_state::FeatureState;
use crate::labels::classes::Labels;
use crate::labels::settled::SettledLabels;
use crate::names::eviction::NewNumbers;
use crate::names::feature_names::{FeatureNames, Naming};
use crate::names::input_names::NOT_LOOKED_UP;
use crate::names::shared_names::SharedNames;
use crate::open::{Settings, initial_state, naming_of, piece_reader};
use crate::ordered_map::Work;
use crate::registry::Format;
use crate::source::input::Input;
use crate::split::row_batches::RowBatches;
use crate::split::text_pieces::{MARK, PIECE, TextPiece, TextPieces};
use crate::split::{Piece, Splitting};
use crate::stream::assembler::{Assembler, PiecePlace};
use crate::stream::bad_lines::BadLine;
use crate::stream::in_order::{InOrderSteps, name_to_score, number_to_score, unknown_examples};
use crate::stream::milestones::Milestones;
use crate::stream::position::PieceStart;
use crate::stream::reader::{ExampleUse, ReadCounts};

/// What records in memory are called in messages.
const NAME: &str = "<records>";

/// Memory that is used again for every call.
#[derive(Default)]
struct Buffers {
    item: InputPiece,
    reading: ReadBuffers,
    piece: ReadPiece,
}

/// Records in memory.
enum Records<'a> {
    Bytes(&'a [u8]),
    #[cfg_attr(not(feature = "columns"), expect(dead_code, reason = "there are no rows then"))]
    Rows(RowBatches),
}

/// Cuts records into pieces, reads each, and hands it on.
fn read_all(
    reader: &PieceReader,
    records: Records<'_>,
    settings: &Settings,
    buffers: &mut Buffers,
    mut take: impl FnMut(&mut ReadPiece) -> Result<()>,
) -> Result<()> {
    let Buffers { item, reading, piece } = buffers;
    let failed = |cause| Error::Io { file: NAME.into(), cause };
    let mut read_rows = |item: &mut InputPiece, mut batches: RowBatches| -> Result<()> {
        while let Some(rows) = batches.next().map_err(failed)? {
            item.content = PieceContent::Unparsed(Piece::Rows(rows), None);
            reader.run(item, reading, piece);
            take(piece)?;
        }
        Ok(())
    };
    let records = match records {
        Records::Bytes(records) => records,
        Records::Rows(batches) => return read_rows(item, batches),
    };
    match reader.parser.splitting() {
        Splitting::Text(layout) => {
            let mut read_text = |item: &mut InputPiece, text: TextPiece| {
                item.content = PieceContent::Unparsed(Piece::Text(text), None);
                reader.run(item, reading, piece);
                take(piece)
            };
            let mut text = item.content.take_text();
            let records = records.strip_prefix(MARK).unwrap_or(records);
            if records.len() <= PIECE {
                if TextPieces::whole(layout, records, &mut text) {
                    read_text(item, text)?;
                }
                return Ok(());
            }
            // In pieces that stay in the processor's cache, as files are read.
            let source = Box::new(std::io::Cursor::new(records.to_vec()));
            let mut pieces = TextPieces::of_stream(source, layout);
            while pieces.next(&mut text).map_err(failed)? {
                read_text(item, text)?;
                text = item.content.take_text();
            }
        }
        Splitting::Rows(format) => {
            let source = Box::new(std::io::Cursor::new(records.to_vec()));
            read_rows(item, RowBatches::of_stream(source, format, settings.memory).map_err(failed)?)?;
        }
    }
    Ok(())
}

/// The readers of the formats that came so far.
#[derive(Default)]
struct Readers(Vec<(Format, Arc<PieceReader>)>);

impl Readers {
    fn get(
        &mut self,
        format: Format,
        make: impl FnOnce() -> Result<PieceReader>,
    ) -> Result<Arc<PieceReader>> {
        if let Some((_, reader)) = self.0.iter().find(|(known, _)| *known == format) {
            return Ok(Arc::clone(reader));
        }
        let reader = Arc::new(make()?);
        self.0.push((format, Arc::clone(&reader)));
        Ok(reader)
    }
}

/// Reads records that come call after call as one stream of examples to learn from.
///
/// Examples are held back until it is known which label is which class; settings with [settled](Labels::of_two) labels hold back nothing.
pub struct RecordReader {
    settings: Settings,
    readers: Readers,
    buffers: Buffers,
    assembler: Assembler,
    settled_labels: Arc<SettledLabels>,
    shared_names: Arc<SharedNames>,
    /// What was known of features before the first example came: until then each call may number them in its own way.
    undecided: Option<Undecided>,
    input: Input,
}

/// How features are numbered, as long as no example has come.
struct Undecided {
    naming: Option<Naming>,
    state: Arc<FeatureState>,
}

impl RecordReader {
    /// Reads records of any format. Once there is an example, others may follow whose features are numbered in the same way.
    pub fn new(mut settings: Settings) -> Result<Self> {
        let state = std::mem::take(&mut settings.feature_state);
        let undecided = Some(Undecided { naming: settings.reading.naming, state });
        let shared_names = Arc::new(SharedNames::default());
        let settled_labels = Arc::new(SettledLabels::default());
        let (labels, policy) = (std::mem::take(&mut settings.labels), settings.bad_lines.clone());
        let steps = InOrderSteps::default();
        let mut assembler =
            Assembler::new(labels, Arc::clone(&settled_labels), steps, policy, Milestones::default())?;
        if !assembler.looks_ahead() {
            assembler.settle();
        }
        Ok(Self {
            settings,
            readers: Readers::default(),
            buffers: Buffers::default(),
            assembler,
            settled_labels,
            shared_names,
            undecided,
            input: Input::bytes(NAME, []),
        })
    }

    /// Numbers features as this format does, unless it was decided before how they are.
    fn decide_naming(&mut self, format: Format) -> Result<()> {
        let Some(Undecided { naming, state }) = &self.undecided else { return Ok(()) };
        let Settings { reading, prepare, .. } = &mut self.settings;
        reading.naming = *naming;
        let naming = naming_of(format, reading, state);
        reading.naming = Some(naming);
        let state = initial_state(Arc::clone(state), naming, reading, *prepare)?;
        self.shared_names = Arc::default();
        let names = Arc::clone(&self.shared_names);
        self.assembler.begin_with(InOrderSteps::new(state, prepare.in_order(), ExampleUse::Learning, names));
        self.readers = Readers::default();
        Ok(())
    }

    /// Adds records. Tables begin with their header, if they have one, in every call.
    pub fn add(&mut self, records: &[u8], format: Format) -> Result<()> {
        self.decide_naming(format)?;
        let Self { settings, readers, buffers, assembler, shared_names, settled_labels, input, .. } = self;
        let reader = readers.get(format, || {
            let may_refuse = assembler.labels().may_refuse().then(|| Arc::clone(settled_labels));
            let naming = naming_of(format, &settings.reading, assembler.feature_state());
            piece_reader(format, naming, settings, Arc::clone(shared_names), may_refuse)
        })?;
        let mut lines = 0;
        let added = read_all(&reader, Records::Bytes(records), settings, buffers, |piece| {
            let place = PiecePlace { input, start: PieceStart { lines, ..PieceStart::default() } };
            lines += piece.parsed.lines;
            assembler.add_if_whole(&mut piece.parsed, &mut piece.failure, place)?;
            assembler.give_back(&mut piece.parsed);
            Ok(())
        });
        if self.assembler.has_next() {
            // Nobody else may hold what is known of features when they are learned from.
            self.undecided = None;
        }
        if !self.assembler.looks_ahead() {
            self.assembler.settle();
        }
        added
    }

    /// Has any example come?
    pub fn has_read(&self) -> bool {
        self.undecided.is_none()
    }

    /// No labels come any more that could change which is which class: examples are held back no longer.
    pub fn settle(&mut self) {
        self.assembler.settle();
    }

    /// Fills the batch with the next examples; `false` if there are none for now.
    pub fn read(&mut self, batch: &mut Batch) -> bool {
        if self.assembler.looks_ahead() {
            batch.clear();
            return false;
        }
        self.assembler.next(batch)
    }

    /// See [`Reader::evict_features`](crate::Reader::evict_features).
    pub fn evict_features(&mut self, weighted: &dyn Fn() -> Vec<u32>) -> Option<NewNumbers> {
        self.assembler.evict_features(weighted)
    }

    /// Records that were skipped among the examples read last.
    pub fn skipped(&self) -> &[usize] {
        self.assembler.skipped()
    }

    /// Which label is which class.
    pub fn labels(&self) -> &Labels {
        self.assembler.labels()
    }

    /// What is known of features.
    pub fn feature_state(&self) -> &FeatureState {
        self.undecided.as_ref().map_or_else(|| self.assembler.feature_state(), |undecided| &undecided.state)
    }

    /// What was found out about labels and features.
    pub fn into_state(self) -> (Labels, Arc<FeatureState>) {
        let (labels, state) = self.assembler.into_state();
        (labels, self.undecided.map_or(state, |undecided| undecided.state))
    }

    /// What separates the fields of the first table.
    pub fn delimiter(&self) -> Option<char> {
        self.assembler.delimiter()
    }

    /// What was read so far.
    pub fn counts(&self) -> ReadCounts {
        self.assembler.counts()
    }

    /// Bad records since the last call, up to the first few of all.
    pub fn take_bad_lines(&mut self) -> Vec<BadLine> {
        self.assembler.take_bad_lines()
    }
}

/// Examples that a model is to score.
pub struct ScoringPiece<'a> {
    /// The examples.
    pub batch: &'a Batch,
    /// The records that could not be read: for each, how many of the examples come before it.
    pub skipped: &'a [usize],
    /// What is wrong with these.
    pub bad_lines: Vec<BadLine>,
    /// The names of features, also of those that the model does not know.
    pub name: &'a dyn Fn(u32) -> String,
}

/// Prepares records for a model that scores them. Many threads may use it at once; nothing in it changes.
pub struct RecordScorer {
    settings: Settings,
    shared_names: Arc<SharedNames>,
    readers: Mutex<Readers>,
    /// Memory of calls that are over.
    spare: Mutex<Vec<ScoringBuffers>>,
}

#[derive(Default)]
struct ScoringBuffers {
    buffers: Buffers,
    numbers: Vec<u32>,
}

impl RecordScorer {
    /// For a model that knows these features, and was trained with these settings.
    pub fn new(settings: Settings) -> Self {
        let shared_names = Arc::new(SharedNames::default());
        if let FeatureNames::Names(names) = &settings.feature_state.names {
            shared_names.publish_all(names);
        }
        Self { settings, shared_names, readers: Mutex::default(), spare: Mutex::default() }
    }

    /// Hands on the examples of the records, piece by piece. They have no labels.
    pub fn read(&self, records: &[u8], format: Format, take: impl FnMut(ScoringPiece<'_>)) -> Result<()> {
        self.read_records(Records::Bytes(records), format, take)
    }

    /// The same with rows of a table.
    #[cfg(feature = "columns")]
    pub fn read_rows(
        &self,
        rows: arrow_array::RecordBatch,
        take: impl FnMut(ScoringPiece<'_>),
    ) -> Result<()> {
        self.read_records(Records::Rows(RowBatches::of_batch(rows)), Format::ARROW, take)
    }

    fn read_records(
        &self,
        records: Records<'_>,
        format: Format,
        mut take: impl FnMut(ScoringPiece<'_>),
    ) -> Result<()> {
        let reader = {
            let mut readers = self.readers.lock().unwrap_or_else(PoisonError::into_inner);
            let naming = naming_of(format, &self.settings.reading, &self.settings.feature_state);
            readers.get(format, || {
                piece_reader(format, naming, &self.settings, Arc::clone(&self.shared_names), None)
            })?
        };
        let spare = self.spare.lock().map_or(None, |mut spare| spare.pop());
        let mut memory = spare.unwrap_or_default();
        let ScoringBuffers { buffers, numbers } = &mut memory;
        let state = &*self.settings.feature_state;
        let (mut lines, input) = (0, Input::bytes(NAME, []));
        let result = read_all(&reader, records, &self.settings, buffers, |piece| {
            if let Some(failure) = piece.failure.take() {
                return Err(failure);
            }
            let parsed = &mut piece.parsed;
            let place = PiecePlace { input: &input, start: PieceStart { lines, ..PieceStart::default() } };
            lines += parsed.lines;
            if let Some(fault) = parsed.header_fault.take() {
                return Err(Error::Line { place: place.of(1, fault.column), message: fault.message });
            }
            let skipped: Vec<usize> = parsed.bad.iter().map(|record| record.before).collect();
            let bad_lines: Vec<BadLine> = parsed.bad.drain(..).map(|record| place.bad_line(record)).collect();
            if let Some(first) = bad_lines.first().filter(|_| self.settings.bad_lines.strict) {
                return Err(Error::Line { place: first.place.clone(), message: first.message.clone() });
            }
            parsed.batch.relabel(|_| None);
            numbers.clear();
            numbers.resize(parsed.names.new_names().len(), NOT_LOOKED_UP);
            number_to_score(state, &mut parsed.batch, &parsed.names, numbers);
            if let Some(prepare) = self.settings.prepare.in_order() {
                prepare.finish(&mut parsed.batch, state.scales.known());
            }
            let names = &parsed.names;
            let name = |feature| name_to_score(state, feature, |place| names.new_names().name(place));
            take(ScoringPiece { batch: &parsed.batch, skipped: &skipped, bad_lines, name: &name });
            Ok(())
        });
        if let Ok(mut spare) = self.spare.lock() {
            spare.push(memory);
        }
        result
    }

    /// How many examples of a batch have no feature that the model knows by name.
    pub fn unknown_examples(&self, batch: &Batch) -> u64 {
        unknown_examples(&self.settings.feature_state, batch)
    }
}
