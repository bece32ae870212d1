//! The papers' multi-class loss (Oiwa et al. 2011, equation 15): the true class must beat its strongest rival by 1.
//!
//! ```text
//! z = argmax over the classes other than y of w_z·x
//! loss = max(0, 1 − w_y·x + w_z·x)
//! ```
//!
//! This is the two-class loss of a positive example whose features are x in the cells of class y and −x in those of
//! class z. So the same rule looks at both, decides once, and steps the true class up and the rival down. The weight of class y is the
//! cost of the error.

use serde_json::{Value, json};

use crate::batch::{Batch, Class, Row};
use crate::cell::{Cell, stays_finite};
use crate::class_costs::{ClassWeights, RunningClassCosts};
use crate::class_table::ClassTable;
use crate::cost::{ClassCost, Costs};
use crate::learner::{
    Counts, Inspect, Learner, Merge, Persist, Setup, StateError, Task, TooLarge, Weight, same_kind,
};
use crate::merge::{
    Cells, CellsByFeature, Gain, Merging, Numbering, Unmergeable, gain_of_common, join_common,
};
use crate::outcomes::{Outcome, Outcomes, bounded_variance, is_score, strongest};
use crate::params::spec;
use crate::rule::Rule;
use crate::saturating_real;
use crate::seen::{Seen, Target};

/// A linear learner of K classes that follows a rule.
#[derive(Clone)]
pub(crate) struct OneOfK<R: Rule> {
    name: &'static str,
    rule: R,
    table: ClassTable<R::Cell>,
    costs: RunningClassCosts,
    counts: Counts,
    /// The example's cells: K for each of its features.
    row_cells: Vec<R::Cell>,
    scores: Vec<f64>,
}

impl<R: Rule> OneOfK<R> {
    /// A learner that has seen nothing.
    pub(crate) fn new(name: &'static str, rule: R, setup: &Setup) -> Self {
        let table = ClassTable::new(rule.fresh(), setup.classes);
        let costs = RunningClassCosts::new(setup.costs, setup.class_weights.clone());
        let (row_cells, scores) = (Vec::new(), Vec::new());
        Self { name, rule, table, costs, counts: Counts::default(), row_cells, scores }
    }

    /// The score of every class.
    fn score_row(&self, row: Row, scores: &mut Vec<f64>) {
        scores.clear();
        scores.resize(self.table.classes(), 0.0);
        for (feature, x) in row.iter() {
            if let Some(cells) = self.table.get(feature) {
                let weights = cells.iter().map(|cell| self.rule.weight(cell));
                scores.iter_mut().zip(weights).for_each(|(score, w)| *score += f64::from(w) * x);
            }
        }
    }

    /// x'Σx for every class.
    fn variances_of_row(&self, row: Row, sums: &mut Vec<f64>) {
        let variance = |cell: &R::Cell| self.rule.variance(cell).map_or(0.0, f64::from);
        sums.clear();
        sums.resize(self.table.classes(), 0.0);
        for (feature, x) in row.iter() {
            let square = x * x;
            if let Some(cells) = self.table.get(feature) {
                sums.iter_mut().zip(cells).for_each(|(sum, cell)| *sum += variance(cell) * square);
            } else {
                let fresh = variance(&self.rule.fresh());
                sums.iter_mut().for_each(|sum| *sum += fresh * square);
            }
        }
    }

    fn learn_row(&mut self, row: Row, class: usize, importance: f64) -> Outcome {
        self.table.grow(class + 1);
        let Self { rule, table, costs, counts, row_cells, scores, .. } = self;
        scores.resize(table.classes(), 0.0);
        let others = scores.iter().copied().enumerate().filter(|(other, _)| *other != class);
        let Some(rival) = strongest(others) else {
            return Outcome::NOTHING; // the only class so far: there is nothing to tell it from
        };

        row_cells.clear();
        row.indices.iter().for_each(|&feature| table.gather(feature, row_cells));
        let k = table.classes();
        let values = || row.values.iter().copied();
        let mut seen = Seen { score: scores[class] - scores[rival], ..Seen::default() };
        for ((cells, x), feature) in row_cells.chunks_exact(k).zip(values()).zip(row.indices) {
            let square = f64::from(x) * f64::from(x);
            let counted = if rule.length().counts(*feature) { square } else { 0.0 };
            for cell in [&cells[class], &cells[rival]] {
                seen.norm2 += counted;
                seen.variance += rule.variance(cell).map_or(0.0, |variance| f64::from(variance) * square);
            }
        }
        if seen.score == 0.0 && rival < class {
            // A tie goes to the lower class: the true class has lost, and rules that act on mistakes must see it.
            seen.score = -f64::MIN_POSITIVE;
        }
        let target = Target { y: 1.0, cost: costs.of(class), importance, costs: costs.range(class, k) };
        let loss = rule.loss(&seen, &target);
        if !scores.iter().chain([&loss, &seen.variance]).all(|number| is_score(*number)) {
            // Its loss is that of no opinion.
            counts.rejected += u64::from(importance != 0.0);
            return Outcome { loss: rule.loss(&Seen::default(), &target), updated: false };
        }
        let unmoved = Outcome { loss, updated: false };
        if importance == 0.0 {
            return unmoved;
        }
        let step = rule.decide(&seen, &target, loss);
        if let Some(step) = step {
            for (cells, x) in row_cells.chunks_exact_mut(k).zip(values()) {
                for (class, x) in [(class, x), (rival, -x)] {
                    let settled = rule.weight(&cells[class]);
                    rule.step(&mut cells[class], x, settled, step);
                }
            }
        }
        if R::AFTERWARDS {
            row_cells.iter_mut().for_each(|cell| rule.afterwards(cell));
        }
        let mut next = rule.now();
        next.tick(step);
        let rebase = next.rebase();
        let spoils = |change: &_| {
            !(table.stays_finite(change) && row_cells.iter().all(|cell| stays_finite(cell, change)))
        };
        let moved = step.is_some() || R::AFTERWARDS;
        let non_finite = moved && !row_cells.iter().all(Cell::is_finite);
        if non_finite || !next.is_finite() || rebase.as_ref().is_some_and(spoils) {
            counts.rejected += 1;
            return unmoved;
        }
        if moved {
            row.indices
                .iter()
                .zip(row_cells.chunks_exact(k))
                .for_each(|(&feature, cells)| table.set(feature, cells));
        }
        rule.take_over(next);
        if let Some(rebase) = rebase {
            table.for_each_mut(rebase);
        }
        costs.count(class);
        counts.examples += 1;
        counts.updates += u64::from(step.is_some());
        Outcome { loss, updated: step.is_some() }
    }
}

impl<R: Rule> Learner for OneOfK<R> {
    fn learn(&mut self, batch: &Batch, outcomes: &mut Outcomes) -> Result<(), TooLarge> {
        outcomes.clear();
        for (i, (label, &importance)) in batch.labels().iter().zip(batch.importances()).enumerate() {
            let row = batch.row(i);
            let mut scores = std::mem::take(&mut self.scores);
            self.score_row(row, &mut scores);
            outcomes.push_scores(&scores);
            self.scores = scores;
            let outcome = label
                .map_or(Outcome::NOTHING, |class| self.learn_row(row, class as usize, f64::from(importance)));
            outcomes.push_outcome(outcome);
        }
        Ok(())
    }

    fn score(&self, batch: &Batch, outcomes: &mut Outcomes) {
        outcomes.clear();
        let mut scores = Vec::new();
        for i in 0..batch.len() {
            self.score_row(batch.row(i), &mut scores);
            outcomes.push_scores(&scores);
        }
    }

    fn score_with_variance(&self, batch: &Batch, outcomes: &mut Outcomes, variances: &mut Vec<f64>) {
        self.score(batch, outcomes);
        variances.clear();
        if self.has_variance() {
            let mut sums = Vec::new();
            for i in 0..batch.len() {
                self.variances_of_row(batch.row(i), &mut sums);
                variances.extend(sums.iter().map(|variance| bounded_variance(*variance)));
            }
        }
    }

    fn boost(&mut self, factor: f64) -> bool {
        let rule = self.rule.now();
        if R::FADES {
            self.table.for_each_mut(|cell| *cell = rule.faded(*cell, saturating_real(factor.max(1.0))));
        }
        R::FADES
    }

    fn class_costs(&self) -> Vec<ClassCost> {
        self.costs.all(self.table.classes())
    }
}

impl<R: Rule> Inspect for OneOfK<R> {
    fn spec(&self) -> String {
        spec(self.name, &self.rule)
    }

    fn costs(&self) -> Costs {
        self.costs.declared
    }

    fn class_weights(&self) -> ClassWeights {
        self.costs.weights.clone()
    }

    fn task(&self) -> Task {
        Task::Hinge
    }

    fn classes(&self) -> usize {
        self.table.classes()
    }

    fn counts(&self) -> Counts {
        self.counts
    }

    fn features(&self) -> usize {
        self.table.live().count()
    }

    fn nonzeros(&self) -> usize {
        self.table.live().flat_map(|(_, cells)| cells).filter(|cell| self.rule.weight(cell) != 0.0).count()
    }

    fn memory(&self) -> usize {
        self.table.memory()
    }

    fn weights(&self) -> Vec<Weight> {
        let mut weights = Vec::new();
        for (feature, cells) in self.table.live() {
            let values = cells.iter().map(|cell| f64::from(self.rule.weight(cell)));
            let all =
                values.enumerate().map(|(class, value)| Weight { feature, class: Some(class as u32), value });
            weights.extend(all.filter(|w| w.value != 0.0));
        }
        weights.sort_by_key(|w| (w.class, w.feature));
        weights
    }

    fn variance(&self, feature: u32, class: Option<Class>) -> Option<f64> {
        let fresh = self.rule.fresh();
        let known = class.map(|class| class as usize).filter(|class| *class < self.classes())?;
        self.rule.variance(self.table.get(feature).map_or(&fresh, |cells| &cells[known])).map(f64::from)
    }

    fn has_variance(&self) -> bool {
        self.rule.variance(&self.rule.fresh()).is_some()
    }

    fn half_life(&self) -> Option<f64> {
        self.rule.half_life()
    }
}

impl<R: Rule> Persist for OneOfK<R> {
    fn state(&self) -> Value {
        let mut state =
            json!({ "counts": self.counts, "classes": self.table.classes(), "rule": self.rule.memory() });
        if let Some(counts) = self.costs.state() {
            state["class_counts"] = counts;
        }
        state
    }

    fn write_cells(&self, out: &mut Vec<u8>) {
        self.table.write(out);
    }

    fn restore(&mut self, state: &Value, cells: &[u8]) -> Result<(), StateError> {
        self.counts = Counts::read(state)?;
        if !self.costs.restore(&state["class_counts"]) {
            return Err(StateError::new("class_counts"));
        }
        let classes = state["classes"].as_u64().ok_or_else(|| StateError::new("classes"))?;
        self.rule.recall(&state["rule"]).map_err(StateError::new)?;
        let known = self.table.classes();
        self.table = ClassTable::read(self.rule.fresh(), classes as usize, cells)?;
        self.table.grow(known);
        Ok(())
    }

    fn fork(&self) -> Box<dyn Learner> {
        Box::new(self.clone())
    }

    fn fork_with(&self, classes: usize, _max_memory: u64) -> Box<dyn Learner> {
        let mut copy = self.clone();
        copy.table.grow(classes);
        Box::new(copy)
    }

    fn can_renumber(&self) -> bool {
        !R::SELECTS
    }

    fn renumber(&mut self, new: &dyn Fn(u32) -> Option<u32>) {
        self.table.renumber(new);
    }
}

impl<C: Cell> CellsByFeature<C> for ClassTable<C> {
    fn classes(&self) -> usize {
        ClassTable::classes(self)
    }

    fn each_feature(&self, see: &mut dyn FnMut(u32)) {
        self.live().for_each(|(feature, _)| see(feature));
    }

    fn cell(&self, feature: u32, class: usize) -> Option<C> {
        self.get(feature)?.get(class).copied()
    }
}

impl<R: Rule> Merge for OneOfK<R> {
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
        let mut gain = Gain::since(self.counts, base.counts)?;
        let examples = gain.examples();
        gain.common = gain_of_common(R::MERGING, &self.rule.memory(), &base.rule.memory(), examples);
        gain.set_class_counts(self.costs.counts(), base.costs.counts(), self.costs.fade());
        Cells::new(&self.rule, shards).gains(&self.table, &base.table, examples, numbering, &mut gain);
        Ok(gain)
    }

    fn take_in(&mut self, gain: &Gain) -> Result<(), Unmergeable> {
        self.check_mergeable()?;
        let Self { rule, table, costs, counts, .. } = self;
        if gain.classes() > table.classes() {
            return Err(Unmergeable::Misfit("more classes than it knows"));
        }
        let common = join_common(R::MERGING, &rule.memory(), &gain.common, gain.examples())?;
        rule.recall(&common).map_err(Unmergeable::Misfit)?;
        let (fresh, mut row) = (rule.fresh(), Vec::new());
        let mut joined = Vec::with_capacity(gain.changed());
        let cell_of = |feature, class| table.cell(feature, class).unwrap_or(fresh);
        Cells::new(rule, 1)
            .join(gain, cell_of, |feature, class, cell| joined.push((feature, class, cell)))?;
        for (feature, class, cell) in joined {
            row.clear();
            table.gather(feature, &mut row);
            row[class] = cell;
            table.set(feature, &row);
        }
        if gain.changed() > 0 {
            rule.take_stock(&mut table.live().flat_map(|(_, cells)| cells));
        }
        let mut class_counts = costs.counts().to_vec();
        gain.join_class_counts(&mut class_counts, costs.fade());
        costs.set_counts(class_counts);
        *counts = gain.on_top_of(*counts);
        Ok(())
    }
}
