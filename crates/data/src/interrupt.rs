//! A wish, from outside, that the data should end here.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Ends the data wherever it is when the wish comes. What was read by then is given out; nothing more is waited for.
#[derive(Clone, Debug, Default)]
pub struct Interrupt {
    flag: Arc<AtomicBool>,
    /// Another wish that counts as well.
    wider: Option<Arc<AtomicBool>>,
}

impl Interrupt {
    /// Whoever wants the data to end sets this: a signal handler, another thread.
    pub fn flag(&self) -> Arc<AtomicBool> {
        Arc::clone(&self.flag)
    }

    /// Has the wish come?
    pub fn has_come(&self) -> bool {
        let is_set = |flag: &AtomicBool| flag.load(Ordering::Relaxed);
        is_set(&self.flag) || self.wider.as_ref().is_some_and(|wider| is_set(wider))
    }

    /// A wish of its own that ends a part of what this one ends: it has come if either has.
    #[must_use]
    pub fn narrower(&self) -> Self {
        Self { flag: Arc::default(), wider: Some(Arc::clone(&self.flag)) }
    }

    /// The data is to end.
    pub fn set(&self) {
        self.flag.store(true, Ordering::Relaxed);
    }
}
