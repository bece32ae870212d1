//! The one loop around every [`Rule`].
//!
//! An example's cells are gathered into a scratch row, moved there, checked, and only then written back. So an
//! update is carried out whole or not at all, and no NaN or infinity ever reaches the table.

use serde_json::Value;

use crate::batch::{Batch, Class, Row};
use crate::cell::Cell;
use crate::cost::Costs;
use crate::learner::{Counts, Learner, Outcome, Outcomes, Tally, Weight};
use crate::model::{ModelError, read_cells, write_cells};
use crate::params::spec;
use crate::rule::{Fold, Rule, Seen};
use crate::table::{Place, Table};

/// A two-class linear learner that follows a rule.
#[derive(Clone)]
pub struct Linear<R: Rule> {
    name: &'static str,
    rule: R,
    table: Table<R::Cell>,
    tally: Tally,
    /// The example's cells, and where they belong.
    scratch: Vec<R::Cell>,
    places: Vec<Place>,
}

impl<R: Rule> Linear<R> {
    /// A learner that has seen nothing. A rule may go by several names.
    pub fn new(name: &'static str, rule: R, costs: Costs) -> Self {
        let table = Table::new(rule.fresh());
        Self { name, rule, table, tally: Tally::new(costs), scratch: Vec::new(), places: Vec::new() }
    }

    fn score(&self, row: Row) -> f64 {
        // Not `sum`: that begins with −0, and learning begins with 0.
        row.iter().fold(0.0, |score, (feature, x)| score + self.rule.weight(self.table.get(feature)) * x)
    }

    /// Learns from an example; its score from before, and what came of it.
    fn learn(&mut self, row: Row, positive: bool, weight: f64) -> (f64, Outcome) {
        if self.table.is_near(row.indices) {
            // The usual case: a feature's place follows from its number.
            return self.learn_at(
                row,
                row.indices.iter().map(|&feature| Place::near(feature)),
                positive,
                weight,
            );
        }
        let mut places = std::mem::take(&mut self.places);
        places.clear();
        places.extend(row.indices.iter().map(|&feature| self.table.find(feature)));
        let learned = self.learn_at(row, places.iter().copied(), positive, weight);
        self.places = places;
        learned
    }

    /// The same, where each feature's place is known.
    #[inline]
    fn learn_at(
        &mut self,
        row: Row,
        places: impl ExactSizeIterator<Item = Place> + Clone,
        positive: bool,
        weight: f64,
    ) -> (f64, Outcome) {
        let Self { rule, table, tally, scratch, .. } = self;
        let values = || row.values.iter().map(|&x| f64::from(x));
        let cells = || places.clone().map(|place| table.at(place)).zip(values());

        let mut seen = Seen::default();
        scratch.clear();
        if R::FOLD == Fold::Never {
            cells().for_each(|(cell, x)| rule.look(cell, x, &mut seen));
        } else {
            let mut survey = Seen::default();
            cells().for_each(|(cell, x)| rule.survey(cell, x, &mut survey));
            scratch.extend(cells().map(|(cell, x)| rule.fold(*cell, x, &survey)));
            scratch.iter().zip(values()).for_each(|(cell, x)| rule.look(cell, x, &mut seen));
        }

        let target = tally.target(positive, weight);
        let loss = rule.loss(&seen, &target);
        let unmoved = (seen.score, Outcome { loss, updated: false });
        if weight == 0.0 {
            return unmoved;
        }
        let step = rule.decide(&seen, &target, loss);
        let moved = step.is_some() || R::FOLD == Fold::Always || R::AFTERWARDS;
        // One thing at a time: loops over cells side by side do several of them at once.
        if moved && R::FOLD == Fold::Never {
            scratch.extend(cells().map(|(cell, _)| *cell));
        }
        if let Some(step) = step {
            scratch.iter_mut().zip(values()).for_each(|(cell, x)| rule.step(cell, x, step));
        }
        if R::AFTERWARDS {
            scratch.iter_mut().for_each(|cell| rule.afterwards(cell));
        }
        // Not `all`, which looks at one after the other.
        let finite = || scratch.iter().fold(true, |finite, cell| finite & cell.is_finite());
        if !seen.score.is_finite() || (moved && !finite()) {
            tally.counts.rejected += 1;
            return unmoved;
        }
        if moved {
            for ((place, &feature), &cell) in places.zip(row.indices).zip(scratch.iter()) {
                table.put(place, feature, cell);
            }
            table.tidy();
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

impl<R: Rule> Learner for Linear<R> {
    fn spec(&self) -> String {
        spec(self.name, &self.rule)
    }

    fn costs(&self) -> Costs {
        self.tally.prices.costs
    }

    fn learn_batch(&mut self, batch: &Batch, outcomes: &mut Outcomes) {
        let large = self.table.is_large();
        let mut next = 1;
        outcomes.collect(batch, |row, known| {
            // While one example is learned from, the cells of the next come from memory.
            if large && next < batch.len() {
                self.table.fetch(batch.row(next).indices);
            }
            next += 1;
            match known {
                Some((positive, weight)) => self.learn(row, positive, weight),
                None => (self.score(row), Outcome::NOTHING),
            }
        });
    }

    fn score_batch(&self, batch: &Batch, outcomes: &mut Outcomes) {
        outcomes.clear();
        let large = self.table.is_large();
        for i in 0..batch.len() {
            if large && i + 1 < batch.len() {
                self.table.fetch(batch.row(i + 1).indices);
            }
            outcomes.push_score(self.score(batch.row(i)));
        }
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
