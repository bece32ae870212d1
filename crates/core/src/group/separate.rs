//! Learners that have nothing to share but their examples.

use crate::batch::Batch;
use crate::learner::{Group, Learner, TooLarge};
use crate::outcomes::Outcomes;

/// Learners of any kind, one after the other.
#[derive(Default)]
pub(super) struct Separate {
    learners: Vec<Box<dyn Learner>>,
}

impl Group for Separate {
    fn len(&self) -> usize {
        self.learners.len()
    }

    /// Those that could share more have groups of their own.
    fn add(&mut self, learner: Box<dyn Learner>) -> Result<(), Box<dyn Learner>> {
        if learner.empty_group().is_some() {
            return Err(learner);
        }
        self.learners.push(learner);
        Ok(())
    }

    fn learn(&mut self, batch: &Batch, outcomes: &mut [Outcomes]) -> Result<(), TooLarge> {
        self.learners
            .iter_mut()
            .zip(outcomes)
            .try_for_each(|(learner, outcomes)| learner.learn(batch, outcomes))
    }

    fn finish(&mut self) {
        self.learners.iter_mut().for_each(|learner| learner.finish());
    }

    fn nonzeros(&self, member: usize) -> usize {
        self.learners[member].nonzeros()
    }

    fn learner(&self, member: usize) -> Box<dyn Learner> {
        self.learners[member].fork()
    }

    fn remove(&mut self, member: usize) {
        self.learners.remove(member);
    }

    fn memory(&self) -> usize {
        self.learners.iter().map(|learner| learner.memory()).sum()
    }
}
