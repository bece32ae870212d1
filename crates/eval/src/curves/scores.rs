//! Scores of two classes, kept or in a histogram.

use crate::curves::area::Estimate;
use crate::curves::goal::Goal;
use crate::curves::groups::{Group, Groups};
use crate::curves::histogram::ScoreHistogram;
use crate::curves::kept::KeptScores;
use crate::curves::operating::{OperatingCurve, OperatingPoint};

/// Scores of positives and negatives.
#[derive(Debug)]
pub enum Scores {
    /// In constant memory.
    Binned(ScoreHistogram),
    /// As they are, up to [`Self::MOST_KEPT`] of them.
    Kept(KeptScores),
}

impl Scores {
    /// If there are more scores than this (800 MB of them), they are no longer kept but put into a histogram.
    pub const MOST_KEPT: usize = 50_000_000;

    /// No scores yet, in a histogram from the start.
    pub fn binned() -> Self {
        Self::Binned(ScoreHistogram::new())
    }

    /// No scores yet, kept as they are.
    pub fn kept() -> Self {
        Self::Kept(KeptScores::default())
    }

    /// Adds an example. A score that is not a number counts as 0, one beyond all numbers as the largest number.
    #[inline]
    pub fn add(&mut self, score: f64, positive: bool, importance: f64) {
        match self {
            Self::Binned(histogram) => histogram.add(score, positive, importance),
            Self::Kept(kept) => {
                kept.add(score, positive, importance);
                self.bin_if_more_than(Self::MOST_KEPT);
            }
        }
    }

    /// Puts scores into a histogram if more of them are kept than this.
    fn bin_if_more_than(&mut self, most: usize) {
        if let Self::Kept(kept) = self
            && kept.number() > most
        {
            *self = Self::Binned(kept.binned());
        }
    }

    /// Area under the ROC curve; none without positives or negatives.
    pub fn roc_auc(&self) -> Option<Estimate> {
        match self {
            Self::Binned(histogram) => histogram.roc_auc(),
            Self::Kept(kept) => kept.roc_auc(),
        }
    }

    /// Average precision (the area under the steps of the precision-recall curve); none without positives.
    pub fn average_precision(&self) -> Option<Estimate> {
        match self {
            Self::Binned(histogram) => histogram.average_precision(),
            Self::Kept(kept) => kept.average_precision(),
        }
    }

    /// The operating points, thinned to at most so many.
    pub fn curve(&self, most_points: usize) -> OperatingCurve {
        OperatingCurve::of(self, most_points)
    }

    /// The operating point that serves a goal best, of all; none if no point does.
    pub fn best(&self, goal: Goal) -> Option<OperatingPoint> {
        goal.best_of(self)
    }
}

impl Groups for Scores {
    fn visit(&self, visitor: &mut dyn FnMut(Group)) {
        match self {
            Self::Binned(histogram) => histogram.visit(visitor),
            Self::Kept(kept) => kept.visit(visitor),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scores_go_on_as_a_histogram_when_there_are_too_many() {
        let (mut kept, mut binned) = (Scores::kept(), Scores::binned());
        for i in 0..1000 {
            let (score, positive, importance) =
                (f64::from(i * 7919 % 1000) / 300.0 - 1.0, i % 3 == 0, f64::from(i % 5));
            kept.add(score, positive, importance);
            kept.bin_if_more_than(500);
            binned.add(score, positive, importance);
            assert_eq!(matches!(kept, Scores::Kept(_)), i < 626, "{i}");
        }
        assert_eq!(kept.curve(usize::MAX), binned.curve(usize::MAX));
        assert_eq!(
            (kept.roc_auc(), kept.average_precision()),
            (binned.roc_auc(), binned.average_precision())
        );
    }
}
