//! Lines whose label is neither of the two that are known: how many are too many.

use thalweg_core::Batch;

use crate::error::{Error, Place, Result};

/// From this many labels on (and at the end of the data) the share of unexpected ones is checked.
const FIRST_CHECK: u64 = 1_000;
/// One in so many labels may be unexpected.
const ONE_IN: u64 = 100;
/// With so many labels in all, a single unexpected one is allowed.
const SINGLE: u64 = 20;

/// Counts labels that are neither of the two expected ones, and ends the run when there are too many: [`classes`](super::classes) says why.
#[derive(Debug, Default)]
pub(crate) struct UnexpectedLabels {
    /// Examples with a label before this piece, and in it.
    before: u64,
    here: u64,
    count: u64,
    first: Option<(Place, String)>,
}

impl UnexpectedLabels {
    /// The next piece begins, with these examples.
    pub(crate) fn begin_piece(&mut self, batch: &Batch) {
        self.before += self.here;
        self.here = batch.labels().iter().flatten().count() as u64;
    }

    /// An unexpected label, before which so many examples of the piece came.
    pub(crate) fn add(&mut self, before: usize, place: Place, message: String) -> Result<()> {
        self.first.get_or_insert((place, message));
        self.count += 1;
        let labels = self.before + before as u64 + 1;
        if labels >= FIRST_CHECK { self.check(labels) } else { Ok(()) }
    }

    /// All examples have been seen.
    pub(crate) fn check_at_end(&mut self) -> Result<()> {
        let labels = self.before + self.here;
        if self.count > 1 || labels < SINGLE { self.check(labels) } else { Ok(()) }
    }

    fn check(&mut self, labels: u64) -> Result<()> {
        match self.first.take_if(|_| self.count * ONE_IN > labels) {
            Some((place, message)) => Err(Error::Line { place, message }),
            None => Ok(()),
        }
    }
}
