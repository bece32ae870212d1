//! Who learns from which examples, and is measured on which.

use thalweg::{Batch, Holdout};
use thalweg_core::random::scramble;

use super::blocks::Block;

/// How candidates are measured.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Validation {
    /// On every example of the first pass, before it is learned from.
    Progressive,
    /// On this share of the examples, which nobody learns from.
    Holdout(f64),
    /// On each of so many folds, by learners that do not learn from it.
    Folds(u32),
}

/// Some of the learners: all of them learn from the same examples.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Part {
    /// Learns from every example, and is measured on each before that.
    Progressive,
    /// Learns from all but those that are held out, and is measured on these.
    HeldOut,
    /// Learns from all but those of this fold, and is measured on these.
    Fold(u32),
    /// Learns from every example, and is not measured: the model of a cross-validated learner.
    Everything,
}

impl Part {
    /// All parts, with the one whose learners become models last.
    pub(super) fn all(validation: Validation) -> Vec<Self> {
        match validation {
            Validation::Progressive => vec![Part::Progressive],
            Validation::Holdout(_) => vec![Part::HeldOut],
            Validation::Folds(folds) => (0..folds).map(Part::Fold).chain([Part::Everything]).collect(),
        }
    }

    /// Are examples that are measured also learned from? Then only those of the first pass are new.
    pub(super) fn learns_what_it_is_measured_on(self) -> bool {
        self == Part::Progressive
    }
}

/// A block as a part sees it.
#[derive(Default)]
pub(super) struct View {
    /// Examples that are not learned from have no label here; the others are as important as errors on them are costly.
    pub(super) learned: Batch,
    /// Examples that are not measured have no label here.
    pub(super) measured: Batch,
}

/// The block as each part sees it.
pub(super) fn views(validation: Validation, parts: &[Part], block: &Block) -> Vec<View> {
    let holdout = match validation {
        Validation::Holdout(share) => Some(Holdout::new(share)),
        Validation::Progressive | Validation::Folds(_) => None,
    };
    let fold = |i: usize| match validation {
        Validation::Folds(folds) => (scramble(block.ordinals[i]) % u64::from(folds)) as u32,
        Validation::Progressive | Validation::Holdout(_) => 0,
    };
    let is_held_out = |i: usize| holdout.is_some_and(|holdout| holdout.holds(block.ordinals[i]));
    let view = |part: &Part| match *part {
        Part::Progressive => with(block, |_| true, |_| true),
        Part::HeldOut => with(block, |i| !is_held_out(i), is_held_out),
        Part::Fold(own) => with(block, |i| fold(i) != own, |i| fold(i) == own),
        Part::Everything => with(block, |_| true, |_| false),
    };
    parts.iter().map(view).collect()
}

fn with(block: &Block, is_learned: impl Fn(usize) -> bool, is_measured: impl Fn(usize) -> bool) -> View {
    let only = |keeps: &dyn Fn(usize) -> bool| {
        let mut batch = block.batch.clone();
        batch.set_labels(|i| block.batch.labels()[i].filter(|_| keeps(i)));
        batch
    };
    let mut learned = only(&is_learned);
    if !block.batch.costs().is_empty() {
        learned.weigh(|i| f64::from(block.batch.cost(i)));
    }
    View { learned, measured: only(&is_measured) }
}
