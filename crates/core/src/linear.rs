//! The one loop around every [`Rule`].
//!
//! An example's cells are gathered into a scratch row, moved there, checked, and only then written back. So an
//! update is carried out whole or not at all, and no NaN or infinity ever reaches the table.
//!
//! One thing at a time: a plain loop over cells side by side does several of them at once. Loops, and not closures, which may stay
//! functions of their own that know nothing of the processor that the loop around them was compiled for.

use pulp::{Arch, NullaryFnOnce};
use serde_json::Value;

use crate::Real;
use crate::batch::{Batch, Class, Row};
use crate::cell::Cell;
use crate::cost::Costs;
use crate::learner::{Counts, Learner, Outcome, Outcomes, Tally, Weight};
use crate::model::{ModelError, read_cells, write_cells};
use crate::params::spec;
use crate::rule::{Fold, Rule, Seen};
use crate::table::Table;

/// A two-class linear learner that follows a rule.
#[derive(Clone)]
pub struct Linear<R: Rule> {
    name: &'static str,
    rule: R,
    table: Table<R::Cell>,
    tally: Tally,
    scratch: Scratch<R::Cell>,
}

/// The cells of one example, their weights, and where they belong.
#[derive(Clone)]
struct Scratch<C> {
    cells: Vec<C>,
    settled: Vec<f64>,
    places: Vec<usize>,
}

impl<C> Default for Scratch<C> {
    fn default() -> Self {
        Self { cells: Vec::new(), settled: Vec::new(), places: Vec::new() }
    }
}

impl<C: Cell> Scratch<C> {
    /// Works out the weights of the cells.
    #[inline(always)]
    fn settle<R: Rule<Cell = C>>(&mut self, rule: &R) {
        self.settled.resize(self.cells.len(), 0.0);
        for (settled, cell) in self.settled.iter_mut().zip(&self.cells) {
            *settled = rule.weight(cell);
        }
    }
}

impl<R: Rule> Linear<R> {
    /// A learner that has seen nothing. A rule may go by several names.
    pub fn new(name: &'static str, rule: R, costs: Costs) -> Self {
        let table = Table::new(rule.fresh());
        Self { name, rule, table, tally: Tally::new(costs), scratch: Scratch::default() }
    }

    /// The score, summed as learning sums it.
    #[inline(always)]
    fn score(&self, row: Row, scratch: &mut Scratch<R::Cell>) -> f64 {
        self.table.gather(row.indices, &mut scratch.cells, &mut scratch.places);
        scratch.settle(&self.rule.now());
        sum(&scratch.cells, row.values, &scratch.settled, |_, x, w, seen| seen.score += w * x).score
    }

    /// The score of an example whose label is not known.
    #[cold]
    fn score_only(&mut self, row: Row) -> f64 {
        let mut scratch = std::mem::take(&mut self.scratch);
        let score = self.score(row, &mut scratch);
        self.scratch = scratch;
        score
    }

    /// Learns from an example; its score from before, and what came of it.
    #[inline(always)]
    fn learn(&mut self, row: Row, positive: bool, weight: f64) -> (f64, Outcome) {
        let Self { rule, table, tally, scratch, .. } = self;
        let now = &rule.now();
        table.gather(row.indices, &mut scratch.cells, &mut scratch.places);
        if R::FOLD != Fold::Never {
            let survey =
                sum(&scratch.cells, row.values, row.values, |cell, x, _, survey| now.survey(cell, x, survey));
            for (cell, x) in scratch.cells.iter_mut().zip(row.values) {
                *cell = now.fold(*cell, f64::from(*x), &survey);
            }
        }
        scratch.settle(now);
        let Scratch { cells, settled, places } = scratch;
        let seen = sum(cells, row.values, settled, |cell, x, w, seen| now.look(cell, x, w, seen));

        let target = tally.target(positive, weight);
        let loss = rule.loss(&seen, &target);
        let unmoved = (seen.score, Outcome { loss, updated: false });
        if weight == 0.0 {
            return unmoved;
        }
        let step = rule.decide(&seen, &target, loss);
        let moved = step.is_some() || R::FOLD == Fold::Always || R::AFTERWARDS;
        if let Some(step) = step {
            now.step_all(cells, row.values, settled, step);
        }
        if R::AFTERWARDS {
            for cell in cells.iter_mut() {
                now.afterwards(cell);
            }
        }
        let mut finite = true;
        if moved {
            // Not `all`, which looks at one after the other.
            for cell in cells.iter() {
                finite &= cell.is_finite();
            }
        }
        if !seen.score.is_finite() || !finite {
            tally.counts.rejected += 1;
            return unmoved;
        }
        if moved {
            table.scatter(row.indices, cells, places);
        }
        if R::SELECTS && step.is_some() {
            rule.select(row.indices, table);
        }
        rule.tick(step);
        if let Some(rebase) = rule.rebase() {
            table.for_each_mut(rebase);
        }
        tally.learned(positive, step.is_some());
        (seen.score, Outcome { loss, updated: step.is_some() })
    }
}

/// Sums are made in so many parts: an addition has to wait for the one before it.
const LANES: usize = 4;

#[inline]
fn total(lanes: [f64; LANES]) -> f64 {
    let [a, b, c, d] = lanes;
    (a + b) + (c + d)
}

/// What looking at all features adds up to.
#[inline(always)]
fn sum<C, W: Copy>(
    cells: &[C],
    values: &[Real],
    weights: &[W],
    look: impl Fn(&C, f64, W, &mut Seen),
) -> Seen {
    let mut lanes = [Seen::default(); LANES];
    let (cells, last_cells) = cells.as_chunks::<LANES>();
    let (values, last_values) = values.as_chunks::<LANES>();
    let (weights, last_weights) = weights.as_chunks::<LANES>();
    for ((cells, values), weights) in cells.iter().zip(values).zip(weights) {
        for k in 0..LANES {
            look(&cells[k], f64::from(values[k]), weights[k], &mut lanes[k]);
        }
    }
    for (((cell, x), w), lane) in last_cells.iter().zip(last_values).zip(last_weights).zip(&mut lanes) {
        look(cell, f64::from(*x), *w, lane);
    }
    Seen {
        score: total(lanes.map(|lane| lane.score)),
        norm2: total(lanes.map(|lane| lane.norm2)),
        variance: total(lanes.map(|lane| lane.variance)),
    }
}

/// Learning from a batch, compiled for several kinds of processors. All of them round alike.
struct LearnBatch<'a, R: Rule> {
    learner: &'a mut Linear<R>,
    batch: &'a Batch,
    outcomes: &'a mut Outcomes,
}

impl<R: Rule> NullaryFnOnce for LearnBatch<'_, R> {
    type Output = ();

    #[inline(always)]
    fn call(self) {
        let Self { learner, batch, outcomes } = self;
        let large = learner.table.is_large();
        outcomes.clear();
        for i in 0..batch.len() {
            // While one example is learned from, the cells of the next come from memory.
            if large && i + 1 < batch.len() {
                learner.table.fetch(batch.row(i + 1).indices);
            }
            let (score, outcome) = match batch.known(i) {
                Some((positive, weight)) => learner.learn(batch.row(i), positive, weight),
                None => (learner.score_only(batch.row(i)), Outcome::NOTHING),
            };
            outcomes.push_score(score);
            outcomes.push_outcome(outcome);
        }
    }
}

/// Scoring a batch, compiled for several kinds of processors as learning is.
struct ScoreBatch<'a, R: Rule> {
    learner: &'a Linear<R>,
    batch: &'a Batch,
    outcomes: &'a mut Outcomes,
}

impl<R: Rule> NullaryFnOnce for ScoreBatch<'_, R> {
    type Output = ();

    #[inline(always)]
    fn call(self) {
        let Self { learner, batch, outcomes } = self;
        let large = learner.table.is_large();
        let mut scratch = Scratch::default();
        outcomes.clear();
        for i in 0..batch.len() {
            if large && i + 1 < batch.len() {
                learner.table.fetch(batch.row(i + 1).indices);
            }
            outcomes.push_score(learner.score(batch.row(i), &mut scratch));
        }
    }
}

impl<R: Rule> Learner for Linear<R> {
    fn spec(&self) -> String {
        spec(self.name, &self.rule)
    }

    fn costs(&self) -> Costs {
        self.tally.prices.costs
    }

    fn learn_batch(&mut self, batch: &Batch, outcomes: &mut Outcomes) {
        // Compiled once more for processors that do twice as much at a time.
        Arch::new().dispatch(LearnBatch { learner: self, batch, outcomes });
    }

    fn score_batch(&self, batch: &Batch, outcomes: &mut Outcomes) {
        Arch::new().dispatch(ScoreBatch { learner: self, batch, outcomes });
    }

    fn weights(&self) -> Vec<Weight> {
        let weight = |(feature, cell)| Weight { feature, class: None, value: self.rule.weight(cell) };
        let all = self.table.live().map(weight);
        all.filter(|w| w.value != 0.0).collect()
    }

    fn variance(&self, feature: u32, _class: Option<Class>) -> Option<f64> {
        self.rule.variance(self.table.get(feature))
    }

    /// Rules that select keep a list of features of their own.
    fn can_renumber(&self) -> bool {
        !R::SELECTS
    }

    fn renumber(&mut self, new: &dyn Fn(u32) -> Option<u32>) {
        self.table.renumber(new);
    }

    fn nonzeros(&self) -> usize {
        self.table.live().filter(|(_, cell)| self.rule.weight(cell) != 0.0).count()
    }

    fn features(&self) -> usize {
        self.table.live().count()
    }

    fn memory(&self) -> usize {
        self.table.memory()
    }

    fn counts(&self) -> Counts {
        self.tally.counts
    }

    fn state(&self) -> Value {
        self.tally.state(&self.rule.memory())
    }

    fn write_cells(&self, out: &mut Vec<u8>) {
        write_cells(&self.table, out);
    }

    fn restore(&mut self, state: &Value, cells: &[u8]) -> Result<(), ModelError> {
        self.tally.restore(state)?;
        self.rule.recall(&state["rule"]).map_err(|field| ModelError::State(field.to_string()))?;
        self.table = read_cells(self.rule.fresh(), cells)?;
        Ok(())
    }

    fn fork(&self) -> Box<dyn Learner> {
        Box::new(self.clone())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::learners::{ada_fobos::AdaFobos, arow::Arow, perceptron::Perceptron, sgft::Sgft, ssol::Ssol};

    /// Learns once as the processor likes it, once as any processor would.
    fn same_on_all_processors<R: Rule>() {
        let mut batch = Batch::default();
        for i in 0..400u32 {
            let features = (0..i % 23).map(|k| ((i * 7 + k * k * 31) % 300, f64::from(k % 5) - 1.3));
            batch.push(features, Some(u32::from((i * i + i / 3) % 5 < 2))).unwrap();
        }
        let learner = Linear::new(R::NAME, R::default(), Costs::default());
        let (mut dispatched, mut plain) = (learner.clone(), learner);
        let (mut outcomes, mut plain_outcomes) = (Outcomes::default(), Outcomes::default());
        dispatched.learn_batch(&batch, &mut outcomes);
        LearnBatch { learner: &mut plain, batch: &batch, outcomes: &mut plain_outcomes }.call();
        assert_eq!(outcomes, plain_outcomes);
        let cells = |learner: &Linear<R>| {
            let mut bytes = Vec::new();
            learner.write_cells(&mut bytes);
            bytes
        };
        assert!(dispatched.counts().updates > 50);
        assert_eq!(cells(&dispatched), cells(&plain));
    }

    #[test]
    fn all_processors_learn_the_same() {
        same_on_all_processors::<Perceptron>();
        same_on_all_processors::<Arow>();
        same_on_all_processors::<Ssol>();
        same_on_all_processors::<Sgft>();
        same_on_all_processors::<AdaFobos>();
    }
}
