//! Where progress goes: a table on the terminal, JSON lines, a live page.

use crate::report::Progress;

/// Takes progress as it happens.
pub trait Sink {
    /// A line of progress.
    fn progress(&mut self, progress: &Progress);

    /// Bytes of the inputs read so far.
    fn consumed(&mut self, bytes: u64);
}

/// Takes progress and does nothing with it.
pub struct Silent;

impl Sink for Silent {
    fn progress(&mut self, _: &Progress) {}
    fn consumed(&mut self, _: u64) {}
}
