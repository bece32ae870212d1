//! What is done to examples in the order of the stream, by the thread that learns from them: names get their numbers, values
//! their scale.

use std::ops::Range;
use std::sync::Arc;

use thalweg_core::{BIAS, Batch};

use super::position::PieceStart;
use super::reader::ExampleUse;
use crate::feature_state::FeatureState;
use crate::names::eviction::NewNumbers;
use crate::names::feature_names::FeatureNames;
use crate::names::piece_names::PieceNames;
use crate::names::shared_names::SharedNames;
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
    /// How many examples were scored that have no feature that the model knows.
    pub(crate) unknown: u64,
}

/// Examples that wait for their turn, with the names of their piece.
#[derive(Debug, Default)]
pub(crate) struct PendingExamples {
    pub(crate) batch: Batch,
    /// The names of the features, if they have names.
    pub(crate) names: PieceNames,
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

/// The number of a name that was not looked up yet.
pub(crate) const NOT_LOOKED_UP: u32 = BIAS;

impl PendingExamples {
    pub(crate) fn new(
        batch: Batch,
        names: PieceNames,
        skipped: Vec<usize>,
        start: PieceStart,
        labels: NewLabels,
    ) -> Self {
        let numbers = vec![NOT_LOOKED_UP; names.new_names().len()];
        Self { batch, names, numbers, skipped, start, labels }
    }

    /// Names have got other numbers.
    pub(crate) fn forget_numbers(&mut self) {
        self.numbers.fill(NOT_LOOKED_UP);
    }
}

impl InOrderSteps {
    pub(crate) fn new(
        feature_state: Arc<FeatureState>,
        prepare: Option<Prepare>,
        used_for: ExampleUse,
        shared_names: Arc<SharedNames>,
    ) -> Self {
        // What a model knows is published at once.
        let missed = usize::MAX;
        let mut new = Self { feature_state, prepare, used_for, shared_names, missed, unknown: 0 };
        new.publish_names();
        new
    }

    /// Shares names with all threads, if it pays. Where features may be evicted, no name is certain of its number.
    fn publish_names(&mut self) {
        if let (FeatureNames::Names(names), None) = (&self.feature_state.names, &self.feature_state.eviction)
            && self.shared_names.publish(names, self.missed)
        {
            self.missed = 0;
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
        let PendingExamples { batch, names, numbers, .. } = waiting;
        let (first, new) = (names.first_new(), names.new_names());
        let mut unnumbered = Vec::new();
        for (done, example) in examples.clone().enumerate() {
            let places = batch.row(example).indices.iter().filter(|feature| **feature != BIAS);
            let places = places.filter_map(|feature| feature.checked_sub(first));
            unnumbered.clear();
            unnumbered.extend(places.filter(|place| numbers[*place as usize] == NOT_LOOKED_UP));
            // In the order of their names: that of the row depends on where the piece began, once features have been evicted.
            unnumbered.sort_unstable_by_key(|place| new.name(*place));
            for place in &unnumbered {
                let (name, hash) = (new.name(*place).unwrap_or_default(), new.hash(*place));
                numbers[*place as usize] = known.number_of_hash(name, hash);
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
        Some(new)
    }

    /// Does all of this to a batch, whose examples come from `pending` and are the next in the stream.
    pub(crate) fn apply(&mut self, batch: &mut Batch, pending: &mut PendingExamples) {
        match self.used_for {
            ExampleUse::Learning => self.apply_to_learn(batch, pending),
            ExampleUse::Scoring => {
                let PendingExamples { names, numbers, .. } = pending;
                number_to_score(&self.feature_state, batch, names, numbers);
                self.unknown += unknown_examples(&self.feature_state, batch);
                if let Some(prepare) = self.prepare {
                    prepare.finish(batch, self.feature_state.scales.known());
                }
            }
        }
    }

    fn apply_to_learn(&mut self, batch: &mut Batch, pending: &mut PendingExamples) {
        let PendingExamples { names, numbers, .. } = pending;
        let (first, new) = (names.first_new(), names.new_names());
        let state = state_of_learner(&mut self.feature_state);
        if !new.is_empty() {
            batch.renumber(first, |local| {
                let place = local - first;
                let number = &mut numbers[place as usize];
                if *number == NOT_LOOKED_UP {
                    self.missed = self.missed.saturating_add(1);
                    *number = state.names.number(new.name(place).unwrap_or_default(), new.hash(place));
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
        if !pending.names.new_names().is_empty() {
            self.publish_names();
        }
    }

    /// The name of a feature of an example from this piece.
    pub(crate) fn name(&self, feature: u32, piece: Option<&PendingExamples>) -> String {
        match self.used_for {
            ExampleUse::Learning => self.feature_state.names.name(feature),
            ExampleUse::Scoring => {
                name_to_score(&self.feature_state, feature, piece.map(|pending| &pending.names))
            }
        }
    }
}

/// The name of a feature that has its number from [`number_to_score`]. Features that the model does not know have their names in the piece.
pub(crate) fn name_to_score(state: &FeatureState, feature: u32, piece: Option<&PieceNames>) -> String {
    let unknown = match &state.names {
        FeatureNames::Names(names) => feature.checked_sub(names.len() as u32),
        FeatureNames::Numbers | FeatureNames::Hashed(_) => None,
    };
    let own = unknown.and_then(|place| piece?.new_names().name(place));
    own.map_or_else(|| state.names.name(feature), |name| String::from_utf8_lossy(name).into())
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
            *number = state.names.find(new.name(place).unwrap_or_default(), new.hash(place), place);
        }
        *number
    });
}

/// How many examples have no feature that the model knows by name.
pub(crate) fn unknown_examples(state: &FeatureState, batch: &Batch) -> u64 {
    let FeatureNames::Names(names) = &state.names else { return 0 };
    // Rows are in order: the first feature is the one that is known, if any is.
    let is_unknown =
        |i: &usize| batch.row(*i).indices.first().is_none_or(|first| *first as usize >= names.len());
    (0..batch.len()).filter(is_unknown).count() as u64
}
