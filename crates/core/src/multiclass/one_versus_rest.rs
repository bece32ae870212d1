//! Each class against all others: one two-class learner per class, of any kind. A class that appears in mid-stream gets
//! its learner then.

use serde_json::{Value, json};

use crate::batch::{Batch, Class};
use crate::class_costs::ClassWeights;
use crate::codec::{split_block, write_block};
use crate::cost::{ClassCost, Costs};
use crate::keyed_hash::KeyedSet;
use crate::learner::{
    Chosen, Counts, Inspect, Learner, Merge, Persist, Setup, StateError, Task, TooLarge, Weight, same_kind,
};
use crate::member::{Member, Need};
use crate::merge::{Gain, Merging, Numbering, Unmergeable};
use crate::outcomes::{Outcome, Outcomes};

/// A learner per class.
pub(crate) struct OneVersusRest {
    /// What a new class begins with.
    fresh: Box<dyn Member>,
    members: Vec<Box<dyn Member>>,
    counts: Counts,
    /// How much examples of each class count, for all members.
    weights: ClassWeights,
    /// For all members together.
    max_memory: u64,
    view: Batch,
}

impl OneVersusRest {
    /// A learner that has seen nothing.
    pub(crate) fn new(fresh: Box<dyn Member>, setup: &Setup) -> Self {
        let (members, counts, view) = (Vec::new(), Counts::default(), Batch::default());
        let (weights, max_memory) = (setup.class_weights.clone(), setup.max_memory);
        let mut learner = Self { fresh, members, counts, weights, max_memory, view };
        learner.grow(setup.classes);
        learner
    }

    /// Adds members until there are so many.
    fn grow(&mut self, classes: usize) {
        let classes = classes.max(self.members.len());
        self.members.resize_with(classes, || self.fresh.fork_member());
    }

    /// How many classes are known before each example, and after the last: a label makes its class known.
    fn known(&self, batch: &Batch) -> Vec<usize> {
        let mut known = vec![self.members.len()];
        let mut most = self.members.len();
        for label in batch.labels() {
            most = most.max(label.map_or(0, |class| class as usize + 1));
            known.push(most);
        }
        known
    }

    /// May the batch be learned from, after which so many classes are known?
    fn check_memory(&mut self, batch: &Batch, classes: usize) -> Result<(), TooLarge> {
        let new = classes.saturating_sub(self.members.len()) as u64;
        let known = self.members.iter().map(|member| member.most_needed(batch));
        let most = known.fold(self.fresh.most_needed(batch).saturating_mul(new), |most, member| {
            most.saturating_add(member)
        });
        if most <= self.max_memory {
            return Ok(());
        }
        let mut largest = self.fresh.fork_member().needed(batch);
        let mut bytes = largest.bytes.saturating_mul(new);
        for member in &mut self.members {
            let need = member.needed(batch);
            bytes = bytes.saturating_add(need.bytes);
            largest = largest.or_larger(need);
        }
        Need { bytes, ..largest }.within(self.max_memory)
    }
}

/// Turns the members' outcomes, one column each, into one row of scores per example.
fn gather(columns: &[Outcomes], known: impl Fn(usize) -> usize, examples: usize, outcomes: &mut Outcomes) {
    let mut scores = Vec::new();
    for i in 0..examples {
        if columns[..known(i)].iter().any(|column| !column.is_scored(i)) {
            outcomes.push_unscored(known(i));
            continue;
        }
        scores.clear();
        scores.extend(columns[..known(i)].iter().map(|column| column.scores[i]));
        outcomes.push_scores(&scores);
    }
}

impl Learner for OneVersusRest {
    fn learn(&mut self, batch: &Batch, outcomes: &mut Outcomes) -> Result<(), TooLarge> {
        let known = self.known(batch);
        self.check_memory(batch, known[batch.len()])?;
        self.grow(known[batch.len()]);
        outcomes.clear();
        self.view.clone_from(batch);
        if !self.weights.are_equal() {
            // An example counts as many as its weight says, compared with the middle of all weights: so it makes a difference to learners
            // whose steps are bounded, and does not overshoot with those whose steps are not.
            let middle = self.weights.range().middle();
            let weight = |class: Class| self.weights.of(class as usize) / middle;
            self.view.weigh(|i| batch.labels()[i].map_or(1.0, weight));
        }
        let mut columns = vec![Outcomes::default(); self.members.len()];
        for (class, (member, column)) in self.members.iter_mut().zip(&mut columns).enumerate() {
            // Before a class is known nobody could learn that an example is not of it.
            self.view.set_labels(|i| {
                let label = batch.labels()[i].filter(|_| known[i + 1] > class)?;
                Some(Class::from(label as usize == class))
            });
            member.learn_unlimited(&self.view, column);
        }
        gather(&columns, |i| known[i], batch.len(), outcomes);
        outcomes.before_knowledge = columns.iter().map(|column| column.before_knowledge).max().unwrap_or(0);
        for i in 0..batch.len() {
            let loss = columns.iter().map(|column| column.losses[i]).sum();
            let updated = columns.iter().any(|column| column.updated[i]);
            outcomes.push_outcome(Outcome { loss, updated });
            let learned = batch.labels()[i].is_some() && batch.importances()[i] != 0.0;
            self.counts.examples += u64::from(learned);
            self.counts.updates += u64::from(updated);
        }
        Ok(())
    }

    fn finish(&mut self) {
        self.members.iter_mut().for_each(|member| member.finish());
    }

    fn score(&self, batch: &Batch, outcomes: &mut Outcomes) {
        outcomes.clear();
        let mut columns = vec![Outcomes::default(); self.members.len()];
        self.members.iter().zip(&mut columns).for_each(|(member, column)| member.score(batch, column));
        gather(&columns, |_| columns.len(), batch.len(), outcomes);
    }

    /// That of missing the class, where it is set against the others.
    fn class_costs(&self) -> Vec<ClassCost> {
        let positives =
            self.members.iter().map(|member| member.class_costs().into_iter().find(|c| c.class == 1));
        let weighed = |(class, positive): (usize, Option<ClassCost>)| {
            let positive = positive?;
            let cost = (positive.cost * self.weights.of(class)).min(f64::MAX);
            Some(ClassCost { class: class as Class, cost, ..positive })
        };
        positives.enumerate().filter_map(weighed).collect()
    }

    fn score_with_variance(&self, batch: &Batch, outcomes: &mut Outcomes, variances: &mut Vec<f64>) {
        outcomes.clear();
        variances.clear();
        let mut columns = vec![(Outcomes::default(), Vec::new()); self.members.len()];
        for (member, (scores, variances)) in self.members.iter().zip(&mut columns) {
            member.score_with_variance(batch, scores, variances);
        }
        let (scores, columns): (Vec<Outcomes>, Vec<Vec<f64>>) = columns.into_iter().unzip();
        gather(&scores, |_| scores.len(), batch.len(), outcomes);
        if self.has_variance() {
            variances.extend((0..batch.len()).flat_map(|i| columns.iter().map(move |column| column[i])));
        }
    }

    fn boost(&mut self, factor: f64) -> bool {
        self.members.iter_mut().fold(self.fresh.boost(factor), |can, member| can & member.boost(factor))
    }
}

impl Inspect for OneVersusRest {
    fn spec(&self) -> String {
        self.fresh.spec()
    }

    fn costs(&self) -> Costs {
        self.fresh.costs()
    }

    fn class_weights(&self) -> ClassWeights {
        self.weights.clone()
    }

    fn task(&self) -> Task {
        Task::Ovr
    }

    fn classes(&self) -> usize {
        self.members.len()
    }

    /// Refusals are the members' own: one that takes its examples by the batch may take back what it refused only for the time being.
    fn counts(&self) -> Counts {
        let rejected = self.members.iter().map(|member| member.counts().rejected).sum();
        Counts { rejected, ..self.counts }
    }

    fn features(&self) -> usize {
        self.members.iter().map(|member| member.features()).max().unwrap_or_default()
    }

    fn nonzeros(&self) -> usize {
        self.members.iter().map(|member| member.nonzeros()).sum()
    }

    fn memory(&self) -> usize {
        self.members.iter().map(|member| member.memory()).sum()
    }

    fn weights(&self) -> Vec<Weight> {
        let mut all = Vec::new();
        for (class, member) in self.members.iter().enumerate() {
            all.extend(member.weights().into_iter().map(|w| Weight { class: Some(class as Class), ..w }));
        }
        all
    }

    /// The best of each class before the second best of any. A feature may be chosen for several classes, but comes once.
    fn chosen(&self) -> Vec<Chosen> {
        let ranked = self.members.iter().flat_map(|member| member.chosen().into_iter().enumerate());
        let mut ranked: Vec<(usize, Chosen)> = ranked.collect();
        ranked.sort_by(|(rank, a), (other, b)| {
            rank.cmp(other).then(b.score.total_cmp(&a.score)).then(a.feature.cmp(&b.feature))
        });
        let mut seen = KeyedSet::default();
        ranked.into_iter().map(|(_, chosen)| chosen).filter(|chosen| seen.insert(chosen.feature)).collect()
    }

    fn variance(&self, feature: u32, class: Option<Class>) -> Option<f64> {
        self.members.get(class? as usize)?.variance(feature, None)
    }

    fn has_variance(&self) -> bool {
        self.fresh.has_variance()
    }

    fn half_life(&self) -> Option<f64> {
        self.fresh.half_life()
    }
}

impl Persist for OneVersusRest {
    fn state(&self) -> Value {
        let members: Vec<Value> = self.members.iter().map(|member| member.state()).collect();
        json!({ "counts": self.counts(), "classes": members })
    }

    fn write_cells(&self, out: &mut Vec<u8>) {
        for member in &self.members {
            write_block(out, |out| member.write_cells(out));
        }
    }

    fn restore(&mut self, state: &Value, mut cells: &[u8]) -> Result<(), StateError> {
        self.counts = Counts::read(state)?;
        let classes = std::mem::take(&mut self.members).len();
        for state in state["classes"].as_array().ok_or_else(|| StateError::new("classes"))? {
            let (own, others) = split_block(cells)?;
            let mut member = self.fresh.fork_member();
            member.restore(state, own)?;
            self.members.push(member);
            cells = others;
        }
        self.grow(classes);
        if cells.is_empty() { Ok(()) } else { Err(StateError::new("cells")) }
    }

    fn fork(&self) -> Box<dyn Learner> {
        self.fork_with(0, self.max_memory)
    }

    fn fork_with(&self, classes: usize, max_memory: u64) -> Box<dyn Learner> {
        let members = self.members.iter().map(|member| member.fork_member()).collect();
        let (fresh, view) = (self.fresh.fork_member(), Batch::default());
        let weights = self.weights.clone();
        let mut copy = Self { fresh, members, counts: self.counts, weights, max_memory, view };
        copy.grow(classes);
        Box::new(copy)
    }

    fn can_renumber(&self) -> bool {
        self.fresh.can_renumber()
    }

    fn renumber(&mut self, new: &dyn Fn(u32) -> Option<u32>) {
        self.members.iter_mut().for_each(|member| member.renumber(new));
    }
}

impl Merge for OneVersusRest {
    fn merging(&self) -> Merging {
        self.fresh.merging()
    }

    fn share(&mut self, shards: u32) -> Result<(), Unmergeable> {
        self.fresh.share(shards)?;
        self.members.iter_mut().try_for_each(|member| member.share(shards))
    }

    fn gain(&self, base: &dyn Learner, shards: u32, numbering: &dyn Numbering) -> Result<Gain, Unmergeable> {
        let base = same_kind(self, base)?;
        let mut gain = Gain::since(self.counts, base.counts)?;
        for (class, member) in self.members.iter().enumerate() {
            let began = base.members.get(class).unwrap_or(&base.fresh);
            gain.members.push(member.gain(began.as_ref(), shards, numbering)?);
        }
        Ok(gain)
    }

    fn take_in(&mut self, gain: &Gain) -> Result<(), Unmergeable> {
        if gain.members.len() > self.members.len() {
            return Err(Unmergeable::Misfit("more classes than it knows"));
        }
        self.members.iter_mut().zip(&gain.members).try_for_each(|(member, gain)| member.take_in(gain))?;
        self.counts = gain.on_top_of(self.counts);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::learners;

    /// Examples of these classes, each with a hundred features of its own.
    fn batch(classes: impl Iterator<Item = Class>) -> Batch {
        let mut batch = Batch::default();
        for (i, class) in (0..).zip(classes) {
            let features = (0..100).map(|feature| (1000 * i + feature, 1.0));
            batch.push(features, Some(class)).unwrap();
        }
        batch
    }

    /// What one member does not need is left to the others.
    #[test]
    fn the_limit_is_for_all_members_together() {
        let built = |max_memory| {
            let setup = Setup { task: Task::Ovr, max_memory, ..Setup::default() };
            learners::build("dcd", &setup).unwrap()
        };
        let mut outcomes = Outcomes::default();
        // For two classes a hundred examples wait, for the eight that come later only eight.
        let (early, late) = (batch((0..100).map(|i| i % 2)), batch(2..10));
        let mut learner = built(u64::MAX);
        learner.learn(&early, &mut outcomes).unwrap();
        let needed = built(0).learn(&early, &mut outcomes).unwrap_err().needed;
        let limited = |max_memory| {
            let mut learner = learner.fork_with(0, max_memory);
            learner.learn(&late, &mut Outcomes::default())
        };
        // Ten members would have to do with a tenth each, which is less than the first two have already.
        limited(2 * needed).unwrap();
        let refused = limited(needed).unwrap_err();
        assert!(refused.needed > needed && refused.needed < 2 * needed, "{refused}");
    }

    /// A learner that chooses leaves many weights at 0, but what it has chosen for any class is chosen.
    #[test]
    fn what_is_chosen_for_any_class_is_chosen_the_best_of_each_class_first() {
        let setup = Setup { task: Task::Ovr, ..Setup::default() };
        let mut learner = learners::build("sbcw1:features=30,sigma=0.001", &setup).unwrap();
        let mut batch = Batch::default();
        for i in 0..60 {
            // The first features say most, so one group is enough.
            let features = (0..40).map(|j| (100 * (i % 3) + j, 1.0 / f64::from(1 + j)));
            batch.push(features, Some(i % 3)).unwrap();
        }
        learner.learn(&batch, &mut Outcomes::default()).unwrap();
        learner.finish();
        let chosen: Vec<u32> = learner.chosen().iter().map(|chosen| chosen.feature).collect();
        let unique: std::collections::BTreeSet<u32> = chosen.iter().copied().collect();
        assert_eq!(unique.len(), chosen.len());
        assert!(chosen.len() >= 30 && learner.nonzeros() < 30, "{} of {}", learner.nonzeros(), chosen.len());
    }

    #[test]
    fn a_copy_may_know_more_classes_and_a_restored_one_forgets_none() {
        for task in [Task::Ovr, Task::Hinge] {
            let built =
                |classes| learners::build("arow", &Setup { task, classes, ..Setup::default() }).unwrap();
            let mut learner = built(0);
            learner.learn(&batch([0, 1, 2].into_iter()), &mut Outcomes::default()).unwrap();
            assert_eq!([learner.classes(), learner.fork_with(2, 9).classes()], [3, 3]);
            assert_eq!(learner.fork_with(5, 9).classes(), 5);
            let mut cells = Vec::new();
            learner.write_cells(&mut cells);
            for (given, known) in [(0, 3), (5, 5)] {
                let mut restored = built(given);
                assert_eq!(restored.classes(), given);
                restored.restore(&learner.state(), &cells).unwrap();
                assert_eq!(restored.classes(), known);
                assert_eq!(restored.weights(), learner.weights());
            }
        }
    }
}
