//! A two-class learner as one of those that tell many classes apart, each of them one class from the rest.
//!
//! They share one limit of memory. So whoever owns them asks first how much a batch would need, and then lets all of them learn from it,
//! or none.

use crate::batch::Batch;
use crate::learner::{Learner, TooLarge};
use crate::outcomes::Outcomes;

/// A two-class learner.
pub(crate) trait Member: Learner {
    /// Learning from the batch would need no more bytes than this. It is a quick estimate.
    fn most_needed(&self, _batch: &Batch) -> u64 {
        0
    }

    /// What learning from the batch would need, counted.
    fn needed(&mut self, _batch: &Batch) -> Need {
        Need::default()
    }

    /// [`Learner::learn`] without a limit.
    fn learn_unlimited(&mut self, batch: &Batch, outcomes: &mut Outcomes);

    /// [`Persist::fork`](crate::learner::Persist::fork) as a member.
    fn fork_member(&self) -> Box<dyn Member>;
}

/// The memory that a learner would need.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Need {
    /// What is large.
    pub(crate) what: &'static str,
    /// How many features or examples there would be.
    pub(crate) count: u64,
    /// Which of the two.
    pub(crate) of: &'static str,
    pub(crate) bytes: u64,
}

impl Need {
    /// Of two the one of more bytes.
    pub(crate) fn or_larger(self, other: Self) -> Self {
        if other.bytes > self.bytes { other } else { self }
    }

    /// Is it allowed?
    pub(crate) fn within(self, allowed: u64) -> Result<(), TooLarge> {
        let Self { what, count, of, bytes: needed } = self;
        if needed <= allowed { Ok(()) } else { Err(TooLarge { what, count, of, needed, allowed }) }
    }
}

/// [`Learner::learn`] of a learner that may take this much memory.
pub(crate) fn learn_within(
    allowed: u64,
    member: &mut impl Member,
    batch: &Batch,
    outcomes: &mut Outcomes,
) -> Result<(), TooLarge> {
    if member.most_needed(batch) > allowed {
        member.needed(batch).within(allowed)?;
    }
    member.learn_unlimited(batch, outcomes);
    Ok(())
}
