//! Learners that follow one rule with different knobs.

use std::any::Any;

use pulp::{Arch, NullaryFnOnce};

use crate::batch::Batch;
use crate::group::cell_blocks::{CellBlocks, Column};
use crate::learner::{Group, Learner, TooLarge};
use crate::linear::{Linear, learn_loaded};
use crate::outcomes::{Outcome, Outcomes};
use crate::padded_row::PaddedRow;
use crate::progress::Progress;
use crate::rule::Rule;

/// Two-class learners of one rule. What they know of a feature is side by side.
pub(crate) struct SideBySide<R: Rule> {
    members: Vec<Member<R>>,
    blocks: CellBlocks<R::Cell>,
    padded: PaddedRow<R::Cell>,
    /// Where the blocks of an example's features begin, and those of the next.
    starts: Vec<usize>,
    next_starts: Vec<usize>,
}

/// A learner without its cells.
struct Member<R> {
    name: &'static str,
    rule: R,
    progress: Progress,
}

impl<R: Rule> SideBySide<R> {
    /// A group of no learners.
    pub(crate) fn empty() -> Box<dyn Group> {
        let (starts, next_starts) = (Vec::new(), Vec::new());
        Box::new(Self {
            members: Vec::new(),
            blocks: CellBlocks::new(),
            padded: PaddedRow::default(),
            starts,
            next_starts,
        })
    }

    /// All learn from an example whose blocks have been found.
    #[inline(always)]
    fn learn_row(&mut self, batch: &Batch, i: usize, outcomes: &mut [Outcomes]) {
        let Self { members, blocks, padded, starts, .. } = self;
        let row = batch.row(i);
        padded.load_values(row, blocks.fresh(0));
        for (k, (Member { rule, progress, .. }, outcomes)) in members.iter_mut().zip(outcomes).enumerate() {
            blocks.gather(k, starts, padded.cells_to_load(blocks.fresh(k)));
            let (score, outcome) = if let Some((positive, importance)) = batch.known(i) {
                let mut home = Column { blocks, member: k, starts };
                learn_loaded(rule, progress, padded, &mut home, row.indices, positive, importance)
            } else {
                padded.settle(&rule.now());
                (padded.score(), Outcome::NOTHING)
            };
            outcomes.push_score(score);
            outcomes.push_outcome(outcome);
        }
    }
}

/// Learning from a batch, compiled for several kinds of processors.
struct LearnBatch<'a, R: Rule> {
    group: &'a mut SideBySide<R>,
    batch: &'a Batch,
    outcomes: &'a mut [Outcomes],
}

impl<R: Rule> NullaryFnOnce for LearnBatch<'_, R> {
    type Output = ();

    #[inline(always)]
    fn call(self) {
        let Self { group, batch, outcomes } = self;
        outcomes.iter_mut().for_each(Outcomes::clear);
        let find = |group: &mut SideBySide<R>, i: usize| {
            let is_learned = batch.known(i).is_some_and(|(_, importance)| importance != 0.0);
            group.blocks.find(batch.row(i), is_learned, &mut group.next_starts);
            group.blocks.fetch(&group.next_starts);
        };
        if !batch.is_empty() {
            find(group, 0);
        }
        for i in 0..batch.len() {
            std::mem::swap(&mut group.starts, &mut group.next_starts);
            if i + 1 < batch.len() {
                find(group, i + 1);
            }
            group.learn_row(batch, i, outcomes);
        }
    }
}

impl<R: Rule> Group for SideBySide<R> {
    fn len(&self) -> usize {
        self.members.len()
    }

    fn add(&mut self, learner: Box<dyn Learner>) -> Result<(), Box<dyn Learner>> {
        if !(learner.as_ref() as &dyn Any).is::<Linear<R>>() {
            return Err(learner);
        }
        if let Ok(learner) = (learner as Box<dyn Any>).downcast::<Linear<R>>() {
            let Linear { name, rule, table, progress, .. } = *learner;
            self.blocks.add_member(&table);
            self.members.push(Member { name, rule, progress });
        }
        Ok(())
    }

    fn learn(&mut self, batch: &Batch, outcomes: &mut [Outcomes]) -> Result<(), TooLarge> {
        Arch::new().dispatch(LearnBatch { group: self, batch, outcomes });
        Ok(())
    }

    fn nonzeros(&self, member: usize) -> usize {
        let rule = self.members[member].rule.now();
        self.blocks.count(member, |cell| rule.weight(cell) != 0.0)
    }

    fn learner(&self, member: usize) -> Box<dyn Learner> {
        let Member { name, rule, progress } = &self.members[member];
        let learner = Linear::of(name, rule.clone(), self.blocks.table_of(member), progress.clone());
        Box::new(learner.in_groups(Self::empty))
    }

    fn remove(&mut self, member: usize) {
        self.members.remove(member);
        self.blocks.remove_member(member);
    }

    fn memory(&self) -> usize {
        self.blocks.memory()
    }
}
