//! How many examples there are of each class.

use thalweg_core::{Batch, Class};

/// How many examples there are of each class.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ClassCounts {
    /// Examples without a label, then those of the classes in their order.
    counts: Vec<u64>,
}

impl ClassCounts {
    /// Counts the examples of a batch.
    pub fn add(&mut self, batch: &Batch) {
        batch.labels().iter().for_each(|label| self.add_label(*label));
    }

    /// Counts one example.
    pub fn add_label(&mut self, label: Option<Class>) {
        let place = place(label);
        if place >= self.counts.len() {
            self.counts.resize(place + 1, 0);
        }
        self.counts[place] += 1;
    }

    /// All examples.
    pub fn total(&self) -> u64 {
        self.counts.iter().sum()
    }

    /// Those of a class.
    pub fn of(&self, class: Class) -> u64 {
        self.counts.get(place(Some(class))).copied().unwrap_or(0)
    }

    /// Those without a label.
    pub fn unlabelled(&self) -> u64 {
        self.counts.first().copied().unwrap_or(0)
    }

    /// By [`place`].
    pub(super) fn by_place(&self) -> &[u64] {
        &self.counts
    }
}

/// The place of a label among the counts.
pub(super) fn place(label: Option<Class>) -> usize {
    label.map_or(0, |class| class as usize + 1)
}
