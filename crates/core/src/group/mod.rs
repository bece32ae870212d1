//! Many learners that go through the same examples together, as a search for good knobs does.
//!
//! Learners of one rule keep what they know of a feature side by side: a look-up, and a wait for memory, serve all of them. Each learns exactly
//! what it would learn alone, to the bit.

mod cell_blocks;
mod separate;
mod side_by_side;

use crate::learner::{Group, Learner};

pub(crate) use side_by_side::SideBySide;

/// Puts learners into groups, at most so many into each, in their order. Neighbors of one rule share a group.
pub fn groups(learners: Vec<Box<dyn Learner>>, most: usize) -> Vec<Box<dyn Group>> {
    let mut groups: Vec<Box<dyn Group>> = Vec::new();
    for learner in learners {
        let begun = groups.last_mut().filter(|group| group.len() < most.max(1));
        let left = match begun {
            Some(group) => group.add(learner).err(),
            None => Some(learner),
        };
        if let Some(learner) = left {
            let mut group = learner.empty_group().unwrap_or_else(|| Box::new(separate::Separate::default()));
            // A group for learners of this kind takes the first of them.
            let refused = group.add(learner).is_err();
            debug_assert!(!refused);
            groups.push(group);
        }
    }
    groups
}

#[cfg(test)]
mod tests;
