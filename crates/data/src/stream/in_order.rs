//! What is done to examples in the order of the stream, by the thread that learns from them: names get their numbers, values
//! their scale.

use std::ops::Range;
use std::sync::Arc;

use thalweg_core::{BIAS, Batch};

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
    pub(crate) feature_state: FeatureState,
    /// What is left to prepare once values are scaled; nothing if they are not.
    pub(crate) prepare: Option<Prepare>,
    pub(crate) used_for: ExampleUse,
    /// Names that all threads share, which will not get other numbers, and how many lookups of others there were.
    shared_names: Arc<SharedNames>,
    missed: usize,
    /// Examples before they are scaled.
    raw: Batch,
    /// How many names the model knows that examples are scored with, and how many examples had none of them.
    model_names: Option<u32>,
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
}

/// No name has this number.
const UNKNOWN: u32 = BIAS;

impl PendingExamples {
    pub(crate) fn new(batch: Batch, names: PieceNames, skipped: Vec<usize>) -> Self {
        let numbers = vec![UNKNOWN; names.new_names().len()];
        Self { batch, names, numbers, skipped }
    }

    /// Names have got other numbers.
    pub(crate) fn forget_numbers(&mut self) {
        self.numbers.fill(UNKNOWN);
    }
}

impl InOrderSteps {
    pub(crate) fn new(
        feature_state: FeatureState,
        prepare: Option<Prepare>,
        used_for: ExampleUse,
        shared_names: Arc<SharedNames>,
    ) -> Self {
        // What a model knows is shared at once.
        let model_names = match (&feature_state.names, used_for) {
            (FeatureNames::Names(names), ExampleUse::Scoring) => Some(names.len() as u32),
            _ => None,
        };
        let (missed, raw) = (usize::MAX, Batch::default());
        let mut new =
            Self { feature_state, prepare, used_for, shared_names, missed, raw, model_names, unknown: 0 };
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
        let FeatureState { names: FeatureNames::Names(known), eviction: Some(eviction), .. } =
            &mut self.feature_state
        else {
            return examples.len();
        };
        if self.used_for == ExampleUse::Scoring {
            return examples.len();
        }
        let PendingExamples { batch, names, numbers, .. } = waiting;
        let (first, new) = (names.first_new(), names.new_names());
        for (done, example) in examples.clone().enumerate() {
            for &feature in batch.row(example).indices.iter().filter(|feature| **feature != BIAS) {
                let Some(place) = feature.checked_sub(first) else { continue };
                let number = &mut numbers[place as usize];
                if *number == UNKNOWN {
                    *number = known.number_of_hash(new.name(place).unwrap_or_default(), new.hash(place));
                }
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
            &mut self.feature_state
        else {
            return None;
        };
        let new = eviction.evict(names, weighted)?;
        scales.renumber(|feature| new.of(feature));
        Some(new)
    }

    /// Does all of this to a batch, whose examples come from `waiting` and are the next in the stream.
    pub(crate) fn apply(&mut self, batch: &mut Batch, waiting: &mut PendingExamples) {
        let PendingExamples { names, numbers, .. } = waiting;
        let (first, new) = (names.first_new(), names.new_names());
        if !new.is_empty() {
            batch.renumber(first, |local| {
                let place = local - first;
                let number = &mut numbers[place as usize];
                if *number == UNKNOWN {
                    self.missed = self.missed.saturating_add(1);
                    *number =
                        self.feature_state.names.number(new.name(place).unwrap_or_default(), new.hash(place));
                }
                *number
            });
            self.publish_names();
        }
        if let Some(names) = self.model_names {
            // Rows are in order: the first feature is the one that is known, if any is.
            let is_unknown = |i: &usize| batch.row(*i).indices.first().is_none_or(|first| *first >= names);
            self.unknown += (0..batch.len()).filter(is_unknown).count() as u64;
        }
        if let (Some(eviction), ExampleUse::Learning) = (&mut self.feature_state.eviction, self.used_for) {
            eviction.observe(batch);
        }
        if let Some(prepare) = self.prepare {
            std::mem::swap(&mut self.raw, batch);
            batch.clear();
            let scales = &mut self.feature_state.scales;
            for i in 0..self.raw.len() {
                if self.used_for == ExampleUse::Learning {
                    scales.observe(self.raw.row(i));
                }
                prepare.apply_to(&self.raw, i, batch, |feature, x| scales.apply(feature, x));
            }
        }
    }
}
