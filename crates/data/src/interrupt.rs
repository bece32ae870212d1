//! A wish, from outside, that the data should end here.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Ends the data wherever it is when the wish comes. What was read by then is given out; nothing more is waited for.
#[derive(Clone, Debug, Default)]
pub struct Interrupt {
    flag: Arc<AtomicBool>,
    /// Other wishes that count as well.
    wider: Vec<Arc<AtomicBool>>,
}

impl Interrupt {
    /// Whoever wants the data to end sets this: a signal handler, another thread.
    pub fn flag(&self) -> Arc<AtomicBool> {
        Arc::clone(&self.flag)
    }

    /// Has the wish come?
    pub fn has_come(&self) -> bool {
        let is_set = |flag: &AtomicBool| flag.load(Ordering::Relaxed);
        is_set(&self.flag) || self.wider.iter().any(|wider| is_set(wider))
    }

    /// A wish of its own that ends a part of what this one ends: it has come if either has.
    #[must_use]
    pub fn narrower(&self) -> Self {
        let wider = self.wider.iter().chain([&self.flag]).cloned().collect();
        Self { flag: Arc::default(), wider }
    }

    /// The data is to end.
    pub fn set(&self) {
        self.flag.store(true, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wish_ends_what_is_narrower_however_narrow() {
        let all = Interrupt::default();
        let part = all.narrower();
        let [smallest, other] = [part.narrower(), part.narrower()];
        smallest.set();
        assert!(smallest.has_come() && !other.has_come() && !part.has_come() && !all.has_come());
        all.set();
        assert!(other.has_come() && part.has_come());
    }
}
