//! Lines whose label is neither of the two that are known: how many are too many.

use thalweg_core::Batch;

use crate::error::{Error, Place, Result};

/// A share of strangers is meaningful from this many labels on (and at the end of the data).
const FIRST_CHECK: u64 = 1_000;
/// Of so many labels one may be a stranger.
const ONE_IN: u64 = 100;
/// Of so many labels in all, one alone may be.
const SINGLE: u64 = 20;

/// Counts strangers; [`labels`](crate::labels::classes) says why.
#[derive(Debug, Default)]
pub(crate) struct UnexpectedLabels {
    /// Examples with a label before this portion, and in it.
    before: u64,
    here: u64,
    count: u64,
    first: Option<(Place, String)>,
}

impl UnexpectedLabels {
    /// The next portion begins, with these examples.
    pub(crate) fn come_to(&mut self, batch: &Batch) {
        self.before += self.here;
        self.here = batch.labels().iter().flatten().count() as u64;
    }

    /// A stranger, before which so many examples of the portion came.
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
