//! The scores of test data, as they are.

use std::sync::{Mutex, PoisonError};

use crate::curves::area::{Estimate, average_precision, roc_auc};
use crate::curves::groups::{Group, Groups};
use crate::curves::histogram::{ScoreHistogram, finite};

/// All scores, in 16 bytes each.
#[derive(Debug, Default)]
pub struct KeptScores {
    /// Sorted in place when they are gone through, which a reader may do too: another copy would be too large.
    all: Mutex<Vec<Kept>>,
}

#[derive(Clone, Copy, Debug)]
struct Kept {
    score: f64,
    /// Negative for an example of the negative class.
    importance: f64,
}

impl KeptScores {
    /// Adds an example. A score that is not a number counts as 0, one beyond all numbers as the largest number.
    pub fn add(&mut self, score: f64, positive: bool, importance: f64) {
        if importance > 0.0 {
            let importance = if positive { importance } else { -importance };
            self.list().push(Kept { score: finite(score), importance });
        }
    }

    fn list(&mut self) -> &mut Vec<Kept> {
        self.all.get_mut().unwrap_or_else(PoisonError::into_inner)
    }

    /// Number of scores.
    pub(super) fn number(&mut self) -> usize {
        self.list().len()
    }

    /// The same scores, no longer told apart.
    pub(super) fn binned(&mut self) -> ScoreHistogram {
        let mut histogram = ScoreHistogram::new();
        for Kept { score, importance } in self.list().iter() {
            histogram.add(*score, *importance > 0.0, importance.abs());
        }
        histogram
    }

    /// Area under the ROC curve; none without positives or negatives.
    pub fn roc_auc(&self) -> Option<Estimate> {
        roc_auc(self)
    }

    /// Average precision (the area under the steps of the precision-recall curve); none without positives.
    pub fn average_precision(&self) -> Option<Estimate> {
        average_precision(self)
    }
}

impl Groups for KeptScores {
    fn visit(&self, visitor: &mut dyn FnMut(Group)) {
        let mut all = self.all.lock().unwrap_or_else(PoisonError::into_inner);
        // Also by importance, so that sums do not depend on the order of the data.
        all.sort_unstable_by(|a, b| b.score.total_cmp(&a.score).then(b.importance.total_cmp(&a.importance)));
        for ties in all.chunk_by(|a, b| a.score == b.score) {
            let (mut positives, mut negatives) = (0.0, 0.0);
            for kept in ties {
                *(if kept.importance > 0.0 { &mut positives } else { &mut negatives }) +=
                    kept.importance.abs();
            }
            let score = ties[0].score;
            visitor(Group { lowest: score, highest: score, positives, negatives });
        }
    }
}
