//! Examples in the making: a format hands on what it reads, and it becomes a row of a batch.

use std::sync::Arc;

use thalweg_core::batch::{NotFinite, RowBuilder, Tidied};
use thalweg_core::{BIAS, Batch, Class, Real};

use super::parsed_piece::{BadRecord, ParsedPiece};
use super::reading::Reading;
use super::text::TextExpander;
use crate::error::{Fault, quoted};
use crate::expand::interactions::{Interactions, Partners};
use crate::formats::missing::is_missing;
use crate::formats::record::ParseBuffers;
use crate::formats::sink::{RecordSink, full_name};
use crate::labels::classes::NOT_TEXT;
use crate::labels::piece_labels::{PieceLabel, PieceLabels};
use crate::labels::settled::SettledLabels;
use crate::names::feature_names::Naming;
use crate::names::hashed::Hashed;
use crate::names::piece_names::PieceNames;
use crate::names::shared_names::SharedNames;
use crate::prepare::preparation::Prepare;

/// How examples are made of records, whatever the format is.
pub(crate) struct ExampleMaker {
    /// How features are made and numbered.
    pub(crate) reading: Reading,
    pub(crate) naming: Naming,
    /// How names are hashed, if they are: then they have their final numbers at once.
    pub(crate) hashed: Option<Hashed>,
    pub(crate) interactions: Interactions,
    /// What is done to every example.
    pub(crate) prepare: Prepare,
    /// May examples lack a label?
    pub(crate) unlabelled: bool,
    /// Names that have their numbers already.
    pub(crate) shared_names: Arc<SharedNames>,
    /// The labels that are not refused, where others are.
    pub(crate) settled_labels: Option<Arc<SettledLabels>>,
}

impl ExampleMaker {
    /// What influences how examples are made, besides their source and its format.
    pub(crate) fn how(&self) -> String {
        let (reading, naming) = (serde_json::to_string(&self.reading), self.naming);
        let (unlabelled, reading) = (self.unlabelled, reading.unwrap_or_default());
        format!("unlabelled={unlabelled} {naming:?} {reading}")
    }

    /// Have features names that keep their numbers?
    pub(crate) fn names_stay(&self) -> bool {
        self.naming == Naming::Names && self.reading.max_features.is_none()
    }

    /// Prepares the examples of a piece that have not been prepared. The other batch is memory.
    pub(crate) fn prepare_all(&self, raw: &mut Batch, parsed: &mut ParsedPiece) {
        if self.prepare == Prepare::default() {
            return;
        }
        std::mem::swap(raw, &mut parsed.batch);
        self.prepare.apply_to_all(raw, &mut parsed.batch);
    }

    /// Adds a record to the piece, as an example or as what is wrong with it.
    #[inline]
    pub(crate) fn add(
        &self,
        parse: impl FnOnce(&mut ParseBuffers, &mut ExampleBuilder) -> Result<bool, Fault>,
        text: impl FnOnce(&mut Vec<u8>),
        prepare: Prepare,
        buffers: &mut ExampleBuffers,
        parsed: &mut ParsedPiece,
    ) {
        parsed.lines += 1;
        let before = parsed.batch.len();
        match self.read(parse, prepare, buffers, parsed) {
            Ok(Some(Accepted { tidied, label, cost })) => {
                parsed.note_line(before);
                if parsed.labels.are_watched
                    && let Some((class, column)) = label
                {
                    let label = parsed.labels.count(class);
                    if label.uncertain || (parsed.keeps_rare_labels && label.may_be_rare()) {
                        parsed.uncertain.add(before, column, text);
                    }
                }
                parsed.batch.set_id(&buffers.id);
                parsed.batch.set_cost(cost);
                // Names are numbered as they come: their order says nothing.
                parsed.sorted += u64::from(tidied == Tidied::Sorted && self.naming == Naming::Numbers);
            }
            Ok(None) => {}
            Err(fault) => {
                let mut whole = Vec::new();
                text(&mut whole);
                parsed.bad.push(BadRecord { line: parsed.lines, before, fault, text: whole });
            }
        }
    }

    fn read(
        &self,
        parse: impl FnOnce(&mut ParseBuffers, &mut ExampleBuilder) -> Result<bool, Fault>,
        prepare: Prepare,
        buffers: &mut ExampleBuffers,
        parsed: &mut ParsedPiece,
    ) -> Result<Option<Accepted>, Fault> {
        let ParsedPiece { batch, labels, lines, names, .. } = parsed;
        let ExampleBuffers { record, label, id, tokens, name, partners } = buffers;
        label.clear();
        id.clear();
        partners.clear();
        names.forget_noted();
        let before = batch.len();
        let builder = batch.row_builder();
        let mut example = ExampleBuilder {
            maker: self,
            builder,
            label,
            label_at: None,
            importance: 1.0,
            cost: 1.0,
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
        let ExampleBuilder { mut builder, label, label_at, importance, cost, names, partners, fault, .. } =
            example;
        if let Some(fault) = fault {
            return Err(fault);
        }
        if !self.interactions.is_empty() {
            partners.cross(&self.interactions, |name, value| match self.hashed {
                Some(hashed) => builder.feature(hashed.number(name), value),
                None => names.note(name, value),
            });
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
            None => return Err(no_label(label, self.reading.label.as_deref())),
        };
        builder.commit(class.map(|(class, _)| class), importance).map_err(overflow)?;
        Ok(Some(Accepted { tidied, label: class, cost }))
    }

    /// The number of a label that was not seen before in this piece.
    #[cold]
    fn new_label(
        &self,
        text: &[u8],
        at: usize,
        line: u64,
        before: usize,
        labels: &mut PieceLabels,
    ) -> Result<Class, Fault> {
        if std::str::from_utf8(text).is_err() {
            return Err(Fault::at(at, NOT_TEXT, text));
        }
        let uncertain = self.settled_labels.as_ref().is_some_and(|settled| !settled.has(text));
        labels.are_watched |= uncertain;
        labels.push(PieceLabel { text: text.to_vec(), line, column: at + 1, before, uncertain, count: 0 });
        Ok(labels.iter().len() as Class - 1)
    }
}

#[cold]
fn no_label(text: &[u8], column: Option<&str>) -> Fault {
    let why = match column {
        _ if !text.is_empty() => format!(": {} means a missing value", quoted(text)),
        Some(column) => format!(": there is nothing in {}", quoted(column.as_bytes())),
        None => String::new(),
    };
    Fault { column: 1, message: format!("the line has no label{why}") }
}

/// What became of a record.
struct Accepted {
    tidied: Tidied,
    /// Its label's number in the piece, and the column where it stands.
    label: Option<(Class, usize)>,
    /// What an error on it costs.
    cost: f32,
}

fn not_finite(error: NotFinite, naming: Naming, names: &PieceNames) -> String {
    match names.name(error.0).filter(|_| naming != Naming::Numbers) {
        Some(name) => {
            format!("feature {} has a value that is not a finite number", String::from_utf8_lossy(name))
        }
        None => error.to_string(),
    }
}

/// Memory that is used again for every record.
#[derive(Default)]
pub(crate) struct ExampleBuffers {
    record: ParseBuffers,
    label: Vec<u8>,
    id: Vec<u8>,
    tokens: TextExpander,
    name: Vec<u8>,
    partners: Partners,
}

impl ExampleBuffers {
    /// The next piece begins.
    pub(crate) fn begin_piece(&mut self) {
        self.record.begin_piece();
    }
}

/// An example in the making.
pub(crate) struct ExampleBuilder<'a, 'b> {
    maker: &'a ExampleMaker,
    builder: RowBuilder<'b>,
    /// The label as written, and where it stands if there is one.
    label: &'a mut Vec<u8>,
    label_at: Option<usize>,
    importance: f32,
    cost: f32,
    id: &'a mut Vec<u8>,
    tokens: &'a mut TextExpander,
    name: &'a mut Vec<u8>,
    /// The names of this piece.
    names: &'a mut PieceNames,
    /// Those that may interact.
    partners: &'a mut Partners,
    fault: Option<Fault>,
}

impl ExampleBuilder<'_, '_> {
    /// Adds a feature by its whole name.
    #[inline(always)]
    fn whole_name(&mut self, name: &[u8], value: Real) {
        match self.maker.hashed {
            Some(hashed) => self.builder.feature(hashed.number(name), value),
            None => self.names.note(name, value),
        }
    }

    /// Gives the features that came so far their numbers.
    fn look_up(&mut self) {
        self.names.look_up(|number, value| self.builder.feature(number, value));
    }
}

impl RecordSink for ExampleBuilder<'_, '_> {
    #[inline(always)]
    fn number(&mut self, feature: u32, value: Real) {
        if self.maker.naming == Naming::Numbers {
            self.builder.feature(feature, value);
        } else if value != 0.0 {
            self.whole_name(itoa::Buffer::new().format(feature).as_bytes(), value);
        }
    }

    fn numbers(&mut self, features: &[u32], values: &[Real]) {
        if self.maker.naming == Naming::Numbers {
            self.builder.features(features, values);
        } else {
            features.iter().zip(values).for_each(|(feature, value)| self.number(*feature, *value));
        }
    }

    fn named(&mut self, namespace: &[u8], name: &[u8], value: Real) {
        // An explicit zero is an absent feature: it must not even get a number.
        if value == 0.0 || (!namespace.is_empty() && self.maker.reading.ignores(namespace)) {
            return;
        }
        if self.maker.naming == Naming::Numbers {
            let number = std::str::from_utf8(name).ok().and_then(|name| name.parse().ok());
            match number.filter(|number| *number != BIAS) {
                Some(number) => self.builder.feature(number, value),
                None => {
                    self.fault = Some(Fault::at(0, "features are known by numbers here, not by names", name));
                }
            }
            return;
        }
        if self.maker.hashed.is_none() && self.maker.interactions.is_empty() {
            return self.names.note_with(|bytes| full_name(namespace, name, bytes), value);
        }
        let name = if namespace.is_empty() {
            name
        } else {
            self.name.clear();
            full_name(namespace, name, self.name);
            &self.name[..]
        };
        match self.maker.hashed {
            Some(hashed) => self.builder.feature(hashed.number(name), value),
            None => self.names.note(name, value),
        }
        if !self.maker.interactions.is_empty() {
            self.partners.add(&self.maker.interactions, name, value);
        }
    }

    #[inline]
    fn column(&mut self, name: &[u8], slot: &mut Option<u32>, value: Real) {
        if self.maker.naming == Naming::Numbers {
            self.named(b"", name, value);
        } else if value != 0.0 {
            let number = slot.unwrap_or_else(|| {
                if let Some(hashed) = self.maker.hashed {
                    return hashed.number(name);
                }
                // Numbers are given in the order in which names come.
                self.look_up();
                self.names.number(name)
            });
            *slot = Some(number);
            self.builder.feature(number, value);
            if !self.maker.interactions.is_empty() {
                self.partners.add(&self.maker.interactions, name, value);
            }
        }
    }

    fn label(&mut self, text: &[u8], at: usize) {
        // Between the quotes of a table or of JSON there may be blanks.
        let text = text.trim_ascii();
        self.label.clear();
        self.label.extend_from_slice(text);
        self.label_at = (!is_missing(text)).then_some(at);
    }

    fn importance(&mut self, importance: f32) {
        self.importance = importance;
    }

    fn cost(&mut self, cost: f32) {
        self.cost = cost;
    }

    fn id(&mut self, id: &[u8]) {
        self.id.clear();
        self.id.extend_from_slice(id);
    }

    fn text(&mut self, column: &[u8], text: &str) {
        self.look_up();
        let Self { maker, builder, tokens, names, partners, fault, .. } = self;
        if maker.naming == Naming::Numbers {
            *fault = Some(Fault::at(0, "features are known by numbers here, not by names", column));
            return;
        }
        let reading = &maker.reading;
        if !maker.interactions.is_empty() {
            let number =
                |name: &[u8]| maker.hashed.map_or_else(|| names.number(name), |hashed| hashed.number(name));
            tokens.read_named(reading, column, text, number, |name, number, value| {
                builder.feature(number, value);
                partners.add(&maker.interactions, name, value);
            });
        } else if let Some(hashed) = maker.hashed {
            tokens.read_hashed(hashed, reading, column, text, |number, value| builder.feature(number, value));
        } else {
            tokens.read(reading, column, text, names, |number, value| builder.feature(number, value));
        }
    }
}

/// `nan` and `inf` in the place of a label are numbers that went wrong, not words.
fn is_not_finite(label: &[u8]) -> bool {
    // Both have an n, and no other number has; so have numbers that are too long to be finite.
    let suspicious = label.len() > 8 || label.iter().any(|byte| matches!(byte, b'n' | b'N'));
    let number = || std::str::from_utf8(label).ok()?.parse::<f64>().ok();
    suspicious && number().is_some_and(|value| !value.is_finite())
}
