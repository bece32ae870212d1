//! The observer of a run: what is told while it goes on.

use thalweg_eval::Progress;

/// Receives progress and messages during a run.
pub(crate) trait Observer {
    /// Whether progress is looked at at all. Computing it takes time.
    fn is_watched(&self) -> bool {
        true
    }

    /// Receives a line of the progress table.
    fn progress(&mut self, progress: &Progress);

    /// Receives a message for the user, such as a line that could not be read.
    fn note(&mut self, line: &str);

    /// Receives the number of bytes of the inputs that have been read.
    fn consumed(&mut self, bytes: u64);
}
