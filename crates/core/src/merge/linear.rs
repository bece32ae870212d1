//! Two-class learners that merge.

use crate::cell::Cell;
use crate::learner::{Learner, Merge, same_kind};
use crate::linear::Linear;
use crate::rule::Rule;
use crate::table::Table;

use super::cells::{Cells, CellsByFeature, gain_of_common, join_common};
use super::gain::Gain;
use super::merging::{Merging, Numbering, Unmergeable};

impl<C: Cell> CellsByFeature<C> for Table<C> {
    fn classes(&self) -> usize {
        1
    }

    fn each_feature(&self, see: &mut dyn FnMut(u32)) {
        self.live().for_each(|(feature, _)| see(feature));
    }

    fn cell(&self, feature: u32, _class: usize) -> Option<C> {
        Some(*self.get(feature))
    }
}

impl<R: Rule> Merge for Linear<R> {
    fn merging(&self) -> Merging {
        if self.rule.half_life().is_some() { Merging::NOT_FORGETTING } else { R::MERGING }
    }

    fn share(&mut self, shards: u32) -> Result<(), Unmergeable> {
        self.check_mergeable()?;
        let cells = Cells::new(&self.rule, shards);
        self.table.for_each_mut(|cell| *cell = cells.shared(*cell));
        Ok(())
    }

    fn gain(&self, base: &dyn Learner, shards: u32, numbering: &dyn Numbering) -> Result<Gain, Unmergeable> {
        self.check_mergeable()?;
        let base = same_kind(self, base)?;
        let mut gain = self.progress.gain(&base.progress)?;
        let examples = gain.examples();
        gain.common = gain_of_common(R::MERGING, &self.rule.memory(), &base.rule.memory(), examples);
        Cells::new(&self.rule, shards).gains(&self.table, &base.table, examples, numbering, &mut gain);
        Ok(gain)
    }

    fn take_in(&mut self, gain: &Gain) -> Result<(), Unmergeable> {
        self.check_mergeable()?;
        if gain.classes() > 1 {
            return Err(Unmergeable::Misfit("sums for many classes"));
        }
        let Self { rule, table, .. } = self;
        let common = join_common(R::MERGING, &rule.memory(), &gain.common, gain.examples())?;
        rule.recall(&common).map_err(Unmergeable::Misfit)?;
        let mut joined = Vec::with_capacity(gain.changed());
        Cells::new(rule, 1).join(
            gain,
            |feature, _| *table.get(feature),
            |feature, _, cell| joined.push((feature, cell)),
        )?;
        joined.into_iter().for_each(|(feature, cell)| table.set(feature, cell));
        if gain.changed() > 0 {
            rule.take_stock(&mut table.live().map(|(_, cell)| cell));
        }
        self.progress.take_in(gain);
        Ok(())
    }
}
