//! What every reader offers.

use std::sync::Arc;

use thalweg_core::Batch;

use super::bad_lines::BadLine;
use super::milestones::Milestones;
use super::position::Position;
use crate::error::Result;
use crate::feature_state::FeatureState;
use crate::labels::classes::Labels;
use crate::names::eviction::NewNumbers;
use crate::names::feature_names::FeatureNames;
use crate::registry::Format;

/// A source of batches.
pub trait Reader: Send {
    /// Fills the batch with the next examples; `false` when there are none left.
    fn read(&mut self, batch: &mut Batch) -> Result<bool>;

    /// The place of example `i` of the batch that was read last among all examples of the data. It is the same in every pass.
    fn ordinal(&self, i: usize) -> u64;

    /// Begins again, for the next pass.
    fn rewind(&mut self) -> Result<()>;

    /// Which label is which class.
    fn labels(&self) -> &Labels;

    /// What is known of features.
    fn feature_state(&self) -> &FeatureState;

    /// What was found out about labels and features, for whoever goes on with it.
    fn into_state(self: Box<Self>) -> (Labels, Arc<FeatureState>);

    /// What features are called.
    fn names(&self) -> &FeatureNames {
        &self.feature_state().names
    }

    /// The name of a feature of the batch that was read last, also where examples are scored and the model does not know it.
    fn feature_name(&self, feature: u32) -> String {
        self.names().name(feature)
    }

    /// Would the next [`Self::read`] wait for data to arrive? Whoever holds back output should let go of it before.
    fn would_wait(&mut self) -> bool {
        false
    }

    /// The place behind the batch that was read last, if reading can go on from there another time.
    fn position(&self) -> Option<Position> {
        None
    }

    /// The labels as of the batch that was read last. [`Self::labels`] may know more, because pieces are read ahead of batches.
    fn labels_so_far(&self) -> Labels {
        self.labels().clone()
    }

    /// To be called after every batch that was learned from. If there are more features than there may be: evicts some, those that
    /// `weighted` lists last. Returns the features' new numbers, which the learner must take over.
    fn evict_features(&mut self, _weighted: &dyn Fn() -> Vec<u32>) -> Option<NewNumbers> {
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

    /// What separates the fields of the data, if it is a table of text: of several inputs, those of the first.
    fn delimiter(&self) -> Option<char> {
        None
    }

    /// What was read so far.
    fn counts(&self) -> ReadCounts;

    /// What went wrong besides since the last call, and was got over: caches that could not be written, or were damaged.
    fn warnings(&mut self) -> Vec<String> {
        Vec::new()
    }

    /// Bad lines since the last call, up to the first [`SHOWN`](crate::stream::bad_lines::SHOWN) of all.
    fn take_bad_lines(&mut self) -> Vec<BadLine>;
}

/// What was read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ReadCounts {
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

impl ReadCounts {
    /// The number of examples of the next batch after `examples`: up to 4096, and batches end at milestones.
    pub(crate) fn next_batch(examples: u64, milestones: Milestones) -> usize {
        const MOST: u64 = 1 << 12;
        (milestones.after(examples) - examples).min(MOST) as usize
    }
}

/// What examples are for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ExampleUse {
    /// To learn from: what is known of features grows with them.
    #[default]
    Learning,
    /// To be scored: scales and counts stay as they are.
    Scoring,
}
