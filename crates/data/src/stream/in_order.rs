//! What is done to examples in the order of the stream, by the thread that learns from them: names get their numbers, values
//! their scale.

use std::ops::Range;
use std::sync::Arc;

use thalweg_core::keyed_hash::KeyedMap;
use thalweg_core::{BIAS, Batch};

use super::position::PieceStart;
use super::reader::ExampleUse;
use crate::feature_state::FeatureState;
use crate::names::eviction::NewNumbers;
use crate::names::feature_names::FeatureNames;
use crate::names::input_names::{InputNames, NOT_LOOKED_UP, NamesOfInput};
use crate::names::piece_names::PieceNames;
use crate::names::shared_names::SharedNames;
use crate::names::vocabulary::Vocabulary;
use crate::prepare::preparation::Prepare;

/// What is done to every batch in the order of the stream, and what is known of features so far.
#[derive(Default)]
pub(crate) struct InOrderSteps {
    /// Its only owner where examples are learned from. Who scores shares it, and changes nothing.
    pub(crate) feature_state: Arc<FeatureState>,
    /// What is left to prepare once values are scaled; nothing if they are not.
    pub(crate) prepare: Option<Prepare>,
    pub(crate) used_for: ExampleUse,
    /// Names that all threads share, which will not get other numbers, and how many lookups of others there were.
    shared_names: Arc<SharedNames>,
    missed: usize,
    /// The names of inputs that have numbers of their own, and which of these tables is that of which input now.
    tables: Vec<InputNames>,
    table_of: KeyedMap<usize, usize>,
    /// How many examples were scored that have no feature that the model knows.
    pub(crate) unknown: u64,
}

/// So many names ahead, the memory is asked for that tells whether the stream knows a name.
const AHEAD: u32 = 16;

/// Examples that wait for their turn, with the names of their piece.
#[derive(Debug, Default)]
pub(crate) struct PendingExamples {
    pub(crate) batch: Batch,
    /// The names of the features, if they have names.
    pub(crate) names: PieceNames,
    /// Which table has its names, if they have numbers of their own in their input.
    table: Option<usize>,
    /// The numbers of the new ones among them in the stream, as far as they are known.
    numbers: Vec<u32>,
    /// For every record that was skipped, how many of the examples come before it.
    pub(crate) skipped: Vec<usize>,
    /// Where the piece begins.
    pub(crate) start: PieceStart,
    pub(crate) labels: NewLabels,
}

/// The labels that came first with a piece.
#[derive(Clone, Debug, Default)]
pub(crate) struct NewLabels {
    /// How many examples of the piece come before each.
    pub(crate) new: Vec<usize>,
}

impl PendingExamples {
    pub(crate) fn new(
        batch: Batch,
        names: PieceNames,
        skipped: Vec<usize>,
        start: PieceStart,
        labels: NewLabels,
    ) -> Self {
        let numbers = vec![NOT_LOOKED_UP; names.new_names().len()];
        Self { batch, names, table: None, numbers, skipped, start, labels }
    }

    /// Names have got other numbers.
    pub(crate) fn forget_numbers(&mut self) {
        self.numbers.fill(NOT_LOOKED_UP);
    }
}

/// The numbers in the stream that the names of a piece have, as far as they are known.
enum PieceNumbers<'a> {
    Own(&'a PieceNames, &'a mut [u32]),
    OfInput(&'a mut InputNames),
}

impl PieceNumbers<'_> {
    /// Has a feature of the piece no number in the stream yet?
    fn is_missing(&mut self, feature: u32) -> bool {
        let number = match self {
            PieceNumbers::Own(names, numbers) => {
                feature.checked_sub(names.first_new()).map(|place| numbers[place as usize])
            }
            PieceNumbers::OfInput(table) => table.entry(feature).map(|(_, number)| *number),
        };
        number == Some(NOT_LOOKED_UP)
    }

    fn name(&self, feature: u32) -> Option<&[u8]> {
        match self {
            PieceNumbers::Own(names, _) => names.name(feature),
            PieceNumbers::OfInput(table) => table.name(feature),
        }
    }

    fn set(&mut self, feature: u32, number: impl FnOnce(&[u8]) -> u32) {
        match self {
            PieceNumbers::Own(names, numbers) => {
                let place = feature - names.first_new();
                numbers[place as usize] = number(names.name(feature).unwrap_or_default());
            }
            PieceNumbers::OfInput(table) => {
                if let Some((name, known)) = table.entry(feature) {
                    *known = number(name);
                }
            }
        }
    }
}

impl InOrderSteps {
    pub(crate) fn new(
        feature_state: Arc<FeatureState>,
        prepare: Option<Prepare>,
        used_for: ExampleUse,
        shared_names: Arc<SharedNames>,
    ) -> Self {
        if let Some(names) = lasting_names(&feature_state) {
            shared_names.publish_all(names);
        }
        Self { feature_state, prepare, used_for, shared_names, ..Self::default() }
    }

    /// An input begins whose names have numbers of their own.
    pub(crate) fn begin_names_of(&mut self, input: usize) {
        let FeatureState { names, eviction, .. } = &*self.feature_state;
        // Names that the stream does not keep, or may have to look up again.
        let keeps_all = match names {
            FeatureNames::Names(known) => {
                eviction.is_some() || (self.used_for == ExampleUse::Scoring && known.is_empty())
            }
            FeatureNames::Numbers | FeatureNames::Hashed(_) => true,
        };
        let table = if keeps_all { InputNames::that_keep_all() } else { InputNames::default() };
        self.table_of.insert(input, self.tables.len());
        self.tables.push(table);
    }

    /// Takes the names that come first with a piece of an input. `false` if they do not fit to those that came before.
    #[must_use]
    pub(crate) fn take_names(&mut self, input: usize, new: &NamesOfInput) -> bool {
        if !self.table_of.contains_key(&input) {
            self.begin_names_of(input);
        }
        let table = &mut self.tables[self.table_of[&input]];
        match &self.feature_state.names {
            FeatureNames::Names(names) => {
                if table.next() <= new.first {
                    new.names.iter().for_each(|name| names.fetch(name));
                }
                table.take(new, |number| names.name(number))
            }
            FeatureNames::Numbers | FeatureNames::Hashed(_) => table.take(new, |_| None),
        }
    }

    /// Says where the names of examples are that will wait for their turn.
    pub(crate) fn find_names(&self, pending: &mut PendingExamples) {
        if pending.names.of_input().is_some() {
            pending.table = self.table_of.get(&pending.start.input).copied();
        } else if let FeatureNames::Names(names) = &self.feature_state.names {
            pending.names.new_names().iter().take(AHEAD as usize).for_each(|name| names.fetch(name));
        }
    }

    /// How many of these examples, which are the next in the stream, may be learned from before features must be evicted: all, if
    /// none of them brings one name too many. Their names get their numbers.
    pub(crate) fn until_full(&mut self, waiting: &mut PendingExamples, examples: Range<usize>) -> usize {
        if self.used_for == ExampleUse::Scoring {
            return examples.len();
        }
        let FeatureState { names: FeatureNames::Names(known), eviction: Some(eviction), .. } =
            state_of_learner(&mut self.feature_state)
        else {
            return examples.len();
        };
        let PendingExamples { batch, names, numbers, table, .. } = waiting;
        let mut numbers = match table {
            Some(table) => PieceNumbers::OfInput(&mut self.tables[*table]),
            None => PieceNumbers::Own(names, numbers),
        };
        let mut unnumbered: Vec<u32> = Vec::new();
        for (done, example) in examples.clone().enumerate() {
            let features = batch.row(example).indices.iter().filter(|feature| **feature != BIAS);
            unnumbered.clear();
            for &feature in features {
                if numbers.is_missing(feature) {
                    let later = feature.checked_add(AHEAD).and_then(|later| numbers.name(later));
                    later.into_iter().for_each(|later| known.fetch(later));
                    match numbers.name(feature).and_then(|name| known.find(name)) {
                        Some(number) => numbers.set(feature, |_| number),
                        None => unnumbered.push(feature),
                    }
                }
            }
            // New names in their own order: that of the row depends on where the piece began, once features have been evicted.
            unnumbered.sort_by_cached_key(|feature| numbers.name(*feature));
            for feature in &unnumbered {
                numbers.set(*feature, |name| known.number(name));
            }
            if eviction.is_exceeded_by(known) {
                return done + 1;
            }
        }
        examples.len()
    }

    /// See [`Reader::evict_features`](crate::Reader::evict_features).
    pub(crate) fn evict_features(&mut self, weighted: &dyn Fn() -> Vec<u32>) -> Option<NewNumbers> {
        let FeatureState { names: FeatureNames::Names(names), scales, eviction: Some(eviction) } =
            state_of_learner(&mut self.feature_state)
        else {
            return None;
        };
        let new = eviction.evict(names, weighted)?;
        scales.renumber(|feature| new.of(feature));
        self.tables.iter_mut().for_each(|table| table.follow(&new));
        Some(new)
    }

    /// Does all of this to a batch, whose examples come from `pending` and are the next in the stream.
    pub(crate) fn apply(&mut self, batch: &mut Batch, pending: &mut PendingExamples) {
        match self.used_for {
            ExampleUse::Learning => self.apply_to_learn(batch, pending),
            ExampleUse::Scoring => {
                let state = &*self.feature_state;
                match pending.table {
                    Some(table) => self.tables[table]
                        .renumber(batch, |name, place| state.names.number_or_behind(name, place)),
                    None => number_to_score(state, batch, &pending.names, &mut pending.numbers),
                }
                self.unknown += unknown_examples(&self.feature_state, batch);
                if let Some(prepare) = self.prepare {
                    prepare.finish(batch, self.feature_state.scales.known());
                }
            }
        }
    }

    fn apply_to_learn(&mut self, batch: &mut Batch, pending: &mut PendingExamples) {
        let PendingExamples { names, numbers, table, .. } = pending;
        let (first, new) = (names.first_new(), names.new_names());
        let state = state_of_learner(&mut self.feature_state);
        if let Some(table) = table {
            self.tables[*table].renumber(batch, |name, _| state.names.add(name).unwrap_or_default());
        } else if !new.is_empty() {
            batch.renumber(first, |local| {
                let place = local - first;
                let number = &mut numbers[place as usize];
                if *number == NOT_LOOKED_UP {
                    self.missed += 1;
                    fetch_ahead(&state.names, new, place);
                    *number = state.names.add(new.name(place).unwrap_or_default()).unwrap_or_default();
                }
                *number
            });
        }
        if let Some(eviction) = &mut state.eviction {
            eviction.observe(batch);
        }
        if let Some(prepare) = self.prepare {
            prepare.finish(batch, &mut state.scales);
        }
        if !pending.names.new_names().is_empty()
            && let Some(names) = lasting_names(&self.feature_state)
        {
            self.shared_names.publish(names, &mut self.missed);
        }
    }

    /// The name of a feature of an example from this piece.
    pub(crate) fn name(&self, feature: u32, piece: Option<&PendingExamples>) -> String {
        match self.used_for {
            ExampleUse::Learning => self.feature_state.names.name(feature),
            ExampleUse::Scoring => {
                let of_piece = |place| match piece?.table {
                    Some(table) => self.tables[table].name(place),
                    None => piece?.names.new_names().name(place),
                };
                name_to_score(&self.feature_state, feature, of_piece)
            }
        }
    }
}

/// The name of a feature that has its number from [`number_to_score`]. Features that the model does not know have their names in the piece.
pub(crate) fn name_to_score<'a>(
    state: &FeatureState,
    feature: u32,
    of_piece: impl FnOnce(u32) -> Option<&'a [u8]>,
) -> String {
    let unknown = match &state.names {
        FeatureNames::Names(names) => feature.checked_sub(names.len() as u32),
        FeatureNames::Numbers | FeatureNames::Hashed(_) => None,
    };
    let own = unknown.and_then(of_piece);
    own.map_or_else(|| state.names.name(feature), |name| String::from_utf8_lossy(name).into())
}

/// Names that will not get other numbers. Where features may be evicted, no name is certain of its number.
fn lasting_names(state: &FeatureState) -> Option<&Vocabulary> {
    match state {
        FeatureState { names: FeatureNames::Names(names), eviction: None, .. } => Some(names),
        FeatureState { .. } => None,
    }
}

/// What is known of features, to be changed.
fn state_of_learner(state: &mut Arc<FeatureState>) -> &mut FeatureState {
    // A copy is made only if somebody else holds it, such as a model that was not consumed.
    Arc::make_mut(state)
}

/// Gives the features of a piece the numbers that a model has for them. Those that it does not know have numbers behind these, in the order in
/// which they came in the piece: they have no weight, so it does not matter which.
pub(crate) fn number_to_score(
    state: &FeatureState,
    batch: &mut Batch,
    names: &PieceNames,
    numbers: &mut [u32],
) {
    let (first, new) = (names.first_new(), names.new_names());
    if new.is_empty() {
        return;
    }
    batch.renumber(first, |local| {
        let place = local - first;
        let number = &mut numbers[place as usize];
        if *number == NOT_LOOKED_UP {
            fetch_ahead(&state.names, new, place);
            *number = state.names.number_or_behind(new.name(place).unwrap_or_default(), place);
        }
        *number
    });
}

/// Asks for the memory that tells whether the stream knows a name that is new with a piece and comes a little later.
fn fetch_ahead(names: &FeatureNames, new: &Vocabulary, place: u32) {
    if let (FeatureNames::Names(names), Some(later)) = (names, new.name(place + AHEAD)) {
        names.fetch(later);
    }
}

/// How many examples have no feature that the model knows by name.
pub(crate) fn unknown_examples(state: &FeatureState, batch: &Batch) -> u64 {
    let FeatureNames::Names(names) = &state.names else { return 0 };
    // Rows are in order: the first feature is the one that is known, if any is.
    let is_unknown =
        |i: &usize| batch.row(*i).indices.first().is_none_or(|first| *first as usize >= names.len());
    (0..batch.len()).filter(is_unknown).count() as u64
}
