//! Chunks of text whose every record is an example.

use std::sync::Arc;

use thalweg_core::batch::{NotFinite, RowBuilder, Tidied};
use thalweg_core::{BIAS, Batch, Class, Real};

use crate::cache::{decode, encode};
use crate::error::Fault;
use crate::examples::parsed_piece::{BadRecord, LocalLabel, LocalLabels, LocalNames, Portion};
use crate::examples::reading::{Naming, Reading, Tokens};
use crate::expand::interactions::{Interactions, Partners};
use crate::formats::Line;
use crate::formats::record::{Quoting, RecordFormat, Scratch, Sink, full_name};
use crate::labels::classes::{Expected, NOT_TEXT};
use crate::names::shared_names::Board;
use crate::ordered_map::Digest;
use crate::prepare::preparation::Prepare;
use crate::split::pieces::Piece;

/// A format of which pieces can be read.
pub(crate) trait PieceFormat: Sized + Send + Sync + 'static {
    /// Its name in messages.
    fn name(&self) -> &'static str;

    /// Does every file begin with a record that names its columns?
    fn is_table(&self) -> bool {
        false
    }

    /// How records can hold line ends, if they can.
    fn quotes(&self) -> Option<Quoting> {
        None
    }

    /// Makes examples of all records of a piece.
    fn read_all(reader: &LineReader<Self>, piece: &mut Piece, prepare: Prepare, portion: &mut Portion);
}

impl<F: RecordFormat> PieceFormat for F {
    fn name(&self) -> &'static str {
        F::NAME
    }

    fn is_table(&self) -> bool {
        F::TABLE
    }

    fn quotes(&self) -> Option<Quoting> {
        self.quoting()
    }

    fn read_all(reader: &LineReader<Self>, piece: &mut Piece, prepare: Prepare, portion: &mut Portion) {
        portion.lines = piece.lines_before;
        let mut format = reader.format.clone();
        if let Some(header) = &piece.header
            && let Err(fault) = format.begin(header)
        {
            portion.header_fault = Some(fault);
            return;
        }
        let (records, buffers) = piece.parts();
        buffers.record.begin_piece();
        for (rest, length) in records {
            let (record, line) = (&rest[..length], Line::new(rest, length));
            let parse =
                |scratch: &mut Scratch, example: &mut Example<F>| format.parse(line, scratch, example);
            reader.add(parse, |out| out.extend_from_slice(record), prepare, buffers, portion);
            if F::TABLE {
                portion.lines += memchr::memchr_iter(b'\n', record).count() as u64;
            }
        }
    }
}

/// Reads chunks of a format.
pub(crate) struct LineReader<F> {
    pub(crate) format: F,
    /// How features are made and numbered.
    pub(crate) reading: Reading,
    pub(crate) naming: Naming,
    pub(crate) interactions: Interactions,
    /// What is done to every example.
    pub(crate) prepare: Prepare,
    /// May examples lack a label?
    pub(crate) unlabelled: bool,
    /// Names that have their numbers already.
    pub(crate) board: Arc<Board>,
    /// The labels that are not refused, where others are.
    pub(crate) expected: Option<Arc<Expected>>,
}

impl<F: PieceFormat> Digest<Piece> for LineReader<F> {
    fn digest(&self, piece: &mut Piece, portion: &mut Portion) {
        if let Some((block, buffer, scratch)) = piece.block() {
            let read = block.bytes(buffer);
            let decoded =
                read.and_then(|bytes| decode(bytes, scratch, portion).ok_or_else(|| block.damaged()));
            let misfit = || {
                block.failed(if self.naming == Naming::Numbers {
                    "its features have names, but are known by numbers here"
                } else {
                    "its features are numbers, but are known by names here"
                })
            };
            portion.failure = decoded.err().or_else(|| self.misfits(portion).then(misfit));
            self.prepare_all(&mut piece.raw, portion);
        } else if piece.destination.is_some() {
            // What is stored has not been prepared, and stands alone.
            portion.clear();
            (portion.to_be_stored, portion.labels.are_watched) = (true, true);
            F::read_all(self, piece, Prepare::default(), portion);
            let mut encoded = std::mem::take(&mut portion.encoded);
            encode(portion, &mut piece.scratch, &mut encoded);
            portion.encoded = encoded;
            portion.destination.clone_from(&piece.destination);
            self.prepare_all(&mut piece.raw, portion);
        } else {
            portion.clear();
            portion.names.begin(self.board.posted());
            F::read_all(self, piece, self.prepare, portion);
        }
        portion.input = piece.input;
    }
}

impl<F: PieceFormat> LineReader<F> {
    /// What influences how examples are read, besides their source.
    pub(crate) fn how(&self) -> String {
        let (reading, naming) = (serde_json::to_string(&self.reading), self.naming);
        let (unlabelled, reading) = (self.unlabelled, reading.unwrap_or_default());
        format!("{} unlabelled={unlabelled} {naming:?} {reading}", self.format.name())
    }

    /// Does a portion from a cache have names where features have none, or none where they have some?
    fn misfits(&self, portion: &Portion) -> bool {
        portion.batch.nonzeros() > 0
            && (self.naming == Naming::Numbers) != portion.names.new_names().is_empty()
    }

    fn prepare_all(&self, raw: &mut Batch, portion: &mut Portion) {
        if self.prepare == Prepare::default() {
            return;
        }
        std::mem::swap(raw, &mut portion.batch);
        portion.batch.clear();
        (0..raw.len()).for_each(|i| self.prepare.apply_to(raw, i, &mut portion.batch, |_, x| x));
    }

    /// Adds a record to the portion, as an example or as what is wrong with it.
    #[inline]
    pub(crate) fn add(
        &self,
        parse: impl FnOnce(&mut Scratch, &mut Example<F>) -> Result<bool, Fault>,
        text: impl FnOnce(&mut Vec<u8>),
        prepare: Prepare,
        buffers: &mut Buffers,
        portion: &mut Portion,
    ) {
        portion.lines += 1;
        let before = portion.batch.len();
        match self.read(parse, prepare, buffers, portion) {
            Ok(Some(Accepted { tidied, label })) => {
                portion.note_line(before);
                if portion.labels.are_watched
                    && let Some((class, column)) = label
                {
                    let label = portion.labels.count(class);
                    if label.doubtful || (portion.to_be_stored && label.may_be_rare()) {
                        portion.doubtful.add(before, column, text);
                    }
                }
                portion.batch.set_id(&buffers.id);
                // Names are numbered as they come: their order says nothing.
                portion.sorted += u64::from(tidied == Tidied::Sorted && self.naming == Naming::Numbers);
            }
            Ok(None) => {}
            Err(fault) => {
                let mut whole = Vec::new();
                text(&mut whole);
                portion.bad.push(BadRecord { line: portion.lines, before, fault, text: whole });
            }
        }
    }

    fn read(
        &self,
        parse: impl FnOnce(&mut Scratch, &mut Example<F>) -> Result<bool, Fault>,
        prepare: Prepare,
        buffers: &mut Buffers,
        portion: &mut Portion,
    ) -> Result<Option<Accepted>, Fault> {
        let Portion { batch, labels, lines, names, .. } = portion;
        let Buffers { record, label, id, tokens, name, partners } = buffers;
        label.clear();
        id.clear();
        partners.clear();
        names.forget_noted();
        let before = batch.len();
        let builder = batch.row_builder();
        let mut example = Example {
            reader: self,
            builder,
            label,
            label_at: None,
            importance: 1.0,
            id,
            tokens,
            name,
            names,
            partners,
            fault: None,
        };
        if !parse(record, &mut example)? {
            return Ok(None);
        }
        let Example { mut builder, label, label_at, importance, names, partners, fault, .. } = example;
        if let Some(fault) = fault {
            return Err(fault);
        }
        if !self.interactions.is_empty() {
            partners.cross(&self.interactions, |name, value| names.note(name, value));
        }
        names.look_up(|number, value| builder.feature(number, value));
        let overflow = |e: NotFinite| Fault { column: 1, message: not_finite(e, self.naming, names) };
        let tidied = prepare.apply(&mut builder).map_err(overflow)?;
        let class = match label_at {
            Some(at) if is_not_finite(label) => {
                return Err(Fault::at(at, "a label must be a word or a finite number", label));
            }
            Some(at) => {
                let class =
                    labels.find(label).map_or_else(|| self.new_label(label, at, *lines, before, labels), Ok);
                Some((class?, at + 1))
            }
            None if self.unlabelled => None,
            None => return Err(Fault { column: 1, message: "the line has no label".into() }),
        };
        builder.commit(class.map(|(class, _)| class), importance).map_err(overflow)?;
        Ok(Some(Accepted { tidied, label: class }))
    }

    /// The number of a label that was not seen before in this piece.
    #[cold]
    fn new_label(
        &self,
        text: &[u8],
        at: usize,
        line: u64,
        before: usize,
        labels: &mut LocalLabels,
    ) -> Result<Class, Fault> {
        if std::str::from_utf8(text).is_err() {
            return Err(Fault::at(at, NOT_TEXT, text));
        }
        let doubtful = self.expected.as_ref().is_some_and(|expected| !expected.has(text));
        labels.are_watched |= doubtful;
        labels.push(LocalLabel { text: text.to_vec(), line, column: at + 1, before, doubtful, count: 0 });
        Ok(labels.iter().len() as Class - 1)
    }
}

/// What became of a record.
struct Accepted {
    tidied: Tidied,
    /// Its label's number in the piece, and the column where it stands.
    label: Option<(Class, usize)>,
}

fn not_finite(error: NotFinite, naming: Naming, names: &LocalNames) -> String {
    match names.name(error.0).filter(|_| naming != Naming::Numbers) {
        Some(name) => {
            format!("feature {} has a value that is not a finite number", String::from_utf8_lossy(name))
        }
        None => error.to_string(),
    }
}

/// Memory that is used again for every record.
#[derive(Default)]
pub(crate) struct Buffers {
    record: Scratch,
    label: Vec<u8>,
    id: Vec<u8>,
    tokens: Tokens,
    name: Vec<u8>,
    partners: Partners,
}

/// An example in the making.
pub(crate) struct Example<'a, 'b, F> {
    reader: &'a LineReader<F>,
    builder: RowBuilder<'b>,
    /// The label as written, and where it stands if there is one.
    label: &'a mut Vec<u8>,
    label_at: Option<usize>,
    importance: f32,
    id: &'a mut Vec<u8>,
    tokens: &'a mut Tokens,
    name: &'a mut Vec<u8>,
    /// The names of this portion.
    names: &'a mut LocalNames,
    /// Those that may interact.
    partners: &'a mut Partners,
    fault: Option<Fault>,
}

impl<F> Example<'_, '_, F> {
    /// Gives the features that came so far their numbers.
    fn look_up(&mut self) {
        self.names.look_up(|number, value| self.builder.feature(number, value));
    }
}

impl<F> Sink for Example<'_, '_, F> {
    #[inline(always)]
    fn number(&mut self, feature: u32, value: Real) {
        if self.reader.naming == Naming::Numbers {
            self.builder.feature(feature, value);
        } else if value != 0.0 {
            self.names.note(itoa::Buffer::new().format(feature).as_bytes(), value);
        }
    }

    fn numbers(&mut self, features: &[u32], values: &[Real]) {
        if self.reader.naming == Naming::Numbers {
            self.builder.features(features, values);
        } else {
            features.iter().zip(values).for_each(|(feature, value)| self.number(*feature, *value));
        }
    }

    fn named(&mut self, namespace: &[u8], name: &[u8], value: Real) {
        // An explicit zero is an absent feature: it must not even get a number.
        if value == 0.0 || (!namespace.is_empty() && self.reader.reading.ignores(namespace)) {
            return;
        }
        if self.reader.naming == Naming::Numbers {
            let number = std::str::from_utf8(name).ok().and_then(|name| name.parse().ok());
            match number.filter(|number| *number != BIAS) {
                Some(number) => self.builder.feature(number, value),
                None => {
                    self.fault = Some(Fault::at(0, "features are known by numbers here, not by names", name));
                }
            }
            return;
        }
        let name = if namespace.is_empty() {
            name
        } else {
            self.name.clear();
            full_name(namespace, name, self.name);
            &self.name[..]
        };
        self.names.note(name, value);
        if !self.reader.interactions.is_empty() {
            self.partners.add(&self.reader.interactions, name, value);
        }
    }

    #[inline]
    fn column(&mut self, name: &[u8], place: &mut Option<u32>, value: Real) {
        if self.reader.naming == Naming::Numbers {
            self.named(b"", name, value);
        } else if value != 0.0 {
            let number = place.unwrap_or_else(|| {
                // Numbers are given in the order in which names come.
                self.look_up();
                self.names.number(name)
            });
            *place = Some(number);
            self.builder.feature(number, value);
            if !self.reader.interactions.is_empty() {
                self.partners.add(&self.reader.interactions, name, value);
            }
        }
    }

    fn label(&mut self, text: &[u8], at: usize) {
        // Between the quotes of a table or of JSON there may be blanks.
        let text = text.trim_ascii();
        self.label.clear();
        self.label.extend_from_slice(text);
        self.label_at = (!text.is_empty()).then_some(at);
    }

    fn importance(&mut self, importance: f32) {
        self.importance = importance;
    }

    fn id(&mut self, id: &[u8]) {
        self.id.clear();
        self.id.extend_from_slice(id);
    }

    fn text(&mut self, column: &[u8], text: &str) {
        self.look_up();
        let Self { reader, builder, tokens, names, partners, fault, .. } = self;
        if reader.naming == Naming::Numbers {
            *fault = Some(Fault::at(0, "features are known by numbers here, not by names", column));
            return;
        }
        tokens.read(&reader.reading, column, text, names, |names, number, value| {
            builder.feature(number, value);
            if !reader.interactions.is_empty() {
                partners.add(&reader.interactions, names.name(number).unwrap_or_default(), value);
            }
        });
    }
}

/// `nan` and `inf` in the place of a label are numbers that went wrong, not words.
fn is_not_finite(label: &[u8]) -> bool {
    // Both have an n, and no other number has; so have numbers that are too long to be finite.
    let suspicious = label.len() > 8 || label.iter().any(|byte| matches!(byte, b'n' | b'N'));
    let number = || std::str::from_utf8(label).ok()?.parse::<f64>().ok();
    suspicious && number().is_some_and(|value| !value.is_finite())
}

#[cfg(test)]
mod tests {
    use crate::examples::reading::Reading;
    use crate::{Cache, Input, Settings, open};

    use super::*;

    #[test]
    fn a_cache_is_not_read_with_another_naming_than_it_was_made_with() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.svm");
        std::fs::write(&path, "1 3:1\n0 4:1\n").unwrap();
        let read = |path: &std::path::Path, naming, cache| {
            let reading = Reading { naming: Some(naming), ..Reading::default() };
            let settings = Settings { reading, cache, ..Settings::default() };
            let all = open(&[Input::File(path.into())], settings).and_then(|mut reader| {
                let mut batch = Batch::default();
                while reader.read(&mut batch)? {}
                Ok(())
            });
            all.map_err(|error| error.to_string())
        };
        let cache = crate::cache::path_of(&path);
        for (made, other) in [(Naming::Numbers, Naming::Names), (Naming::Names, Naming::Numbers)] {
            read(&path, made, Cache::Beside).unwrap();
            read(&cache, made, Cache::No).unwrap();
            let error = read(&cache, other, Cache::No).unwrap_err();
            assert!(error.contains("a.svm.thwcache: its features"), "{error}");
        }
    }
}
