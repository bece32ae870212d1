//! Where progress goes: a table on the terminal, JSON lines, a live page.

use crate::report::Progress;

/// Takes progress as it happens.
pub trait Sink {
    /// Is there anybody who looks at progress? Working it out takes time.
    fn is_watched(&self) -> bool {
        true
    }

    /// A line of progress.
    fn progress(&mut self, progress: &Progress);

    /// Something that the user should know, such as a bad line.
    fn note(&mut self, line: &str);

    /// Bytes of the inputs read so far.
    fn consumed(&mut self, bytes: u64);
}
