//! Scores in descending order, in groups of those that are not told apart.

/// Examples of two classes whose scores are not told apart.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Group {
    /// The lowest score. A threshold of this value flags the whole group and all groups before it.
    pub lowest: f64,
    /// The highest score.
    pub highest: f64,
    /// Importance of the positives.
    pub positives: f64,
    /// Importance of the negatives.
    pub negatives: f64,
}

impl Group {
    /// Do all of them have the same score? Then nothing is lost by not telling them apart.
    pub fn is_one_score(&self) -> bool {
        self.lowest == self.highest
    }
}

/// Scores of positives and negatives, which can be gone through from the highest to the lowest.
pub trait Groups {
    /// Visits the groups in descending order of their scores. No group is without importance.
    fn visit(&self, visitor: &mut dyn FnMut(Group));

    /// Importance of all positives and of all negatives.
    fn class_totals(&self) -> (f64, f64) {
        let mut totals = (0.0, 0.0);
        self.visit(&mut |group| {
            totals.0 += group.positives;
            totals.1 += group.negatives;
        });
        totals
    }
}
