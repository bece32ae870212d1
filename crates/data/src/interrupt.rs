//! A wish, from outside, that the data should end here.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Ends the data wherever it is when the wish comes. What was read by then is given out; nothing more is waited for.
#[derive(Clone, Debug, Default)]
pub struct Interrupt(Arc<AtomicBool>);

impl Interrupt {
    /// Whoever wants the data to end sets this: a signal handler, another thread.
    pub fn flag(&self) -> Arc<AtomicBool> {
        Arc::clone(&self.0)
    }

    /// Has the wish come?
    pub fn has_come(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}
