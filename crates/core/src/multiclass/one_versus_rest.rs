//! Each class against all others: one two-class learner per class, of any kind. A class that appears in mid-stream gets
//! its learner then.

use serde_json::{Value, json};

use crate::batch::{Batch, Class};
use crate::cost::Costs;
use crate::learner::{Counts, Learner, Outcome, Outcomes, Task, TooLarge, Weight};
use crate::model::ModelError;

/// A learner per class.
pub struct OneVersusRest {
    /// What a new class begins with.
    fresh: Box<dyn Learner>,
    members: Vec<Box<dyn Learner>>,
    counts: Counts,
    most_memory: u64,
    view: Batch,
}

impl OneVersusRest {
    /// A learner that has seen nothing, not even a class.
    pub fn new(fresh: Box<dyn Learner>) -> Self {
        let (members, counts, view) = (Vec::new(), Counts::default(), Batch::default());
        Self { fresh, members, counts, most_memory: u64::MAX, view }
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
    fn spec(&self) -> String {
        self.fresh.spec()
    }

    fn costs(&self) -> Costs {
        self.fresh.costs()
    }

    fn task(&self) -> Task {
        Task::Ovr
    }

    fn classes(&self) -> usize {
        self.members.len()
    }

    fn declare_classes(&mut self, classes: usize) {
        if self.members.len() < classes {
            self.members.resize_with(classes, || self.fresh.fork());
            self.limit_memory(self.most_memory);
        }
    }

    /// Each member may take its share.
    fn limit_memory(&mut self, bytes: u64) {
        self.most_memory = bytes;
        let share = bytes / self.members.len().max(1) as u64;
        self.members.iter_mut().for_each(|member| member.limit_memory(share));
    }

    fn check(&self, batch: &Batch) -> Result<(), TooLarge> {
        let all = |one: TooLarge| TooLarge {
            needed: one.needed.saturating_mul(self.members.len() as u64),
            allowed: self.most_memory,
            ..one
        };
        self.members.iter().try_for_each(|member| member.check(batch)).map_err(all)
    }

    fn learn_batch(&mut self, batch: &Batch, outcomes: &mut Outcomes) {
        outcomes.clear();
        let known = self.known(batch);
        self.declare_classes(known[batch.len()]);
        self.view.clone_from(batch);
        let mut columns = vec![Outcomes::default(); self.members.len()];
        for (class, (member, column)) in self.members.iter_mut().zip(&mut columns).enumerate() {
            // Before a class is known nobody could learn that an example is not of it.
            self.view.set_labels(|i| {
                let label = batch.labels()[i].filter(|_| known[i + 1] > class)?;
                Some(Class::from(label as usize == class))
            });
            member.learn_batch(&self.view, column);
        }
        gather(&columns, |i| known[i], batch.len(), outcomes);
        for i in 0..batch.len() {
            let loss = columns.iter().map(|column| column.losses[i]).sum();
            let updated = columns.iter().any(|column| column.updated[i]);
            outcomes.push_outcome(Outcome { loss, updated });
            let learned = batch.labels()[i].is_some() && batch.importances()[i] != 0.0;
            self.counts.examples += u64::from(learned);
            self.counts.updates += u64::from(updated);
        }
    }

    fn finish(&mut self) {
        self.members.iter_mut().for_each(|member| member.finish());
    }

    fn score_batch(&self, batch: &Batch, outcomes: &mut Outcomes) {
        outcomes.clear();
        let mut columns = vec![Outcomes::default(); self.members.len()];
        self.members.iter().zip(&mut columns).for_each(|(member, column)| member.score_batch(batch, column));
        gather(&columns, |_| columns.len(), batch.len(), outcomes);
    }

    fn weights(&self) -> Vec<Weight> {
        let mut all = Vec::new();
        for (class, member) in self.members.iter().enumerate() {
            all.extend(member.weights().into_iter().map(|w| Weight { class: Some(class as Class), ..w }));
        }
        all
    }

    fn variance(&self, feature: u32, class: Option<Class>) -> Option<f64> {
        self.members.get(class? as usize)?.variance(feature, None)
    }

    fn can_renumber(&self) -> bool {
        self.fresh.can_renumber()
    }

    fn renumber(&mut self, new: &dyn Fn(u32) -> Option<u32>) {
        self.members.iter_mut().for_each(|member| member.renumber(new));
    }

    fn nonzeros(&self) -> usize {
        self.members.iter().map(|member| member.nonzeros()).sum()
    }

    fn features(&self) -> usize {
        self.members.iter().map(|member| member.features()).max().unwrap_or_default()
    }

    fn memory(&self) -> usize {
        self.members.iter().map(|member| member.memory()).sum()
    }

    /// Refusals are the members' own: one that takes its examples by the batch may take back what it refused only for the time being.
    fn counts(&self) -> Counts {
        let rejected = self.members.iter().map(|member| member.counts().rejected).sum();
        Counts { rejected, ..self.counts }
    }

    fn state(&self) -> Value {
        let members: Vec<Value> = self.members.iter().map(|member| member.state()).collect();
        json!({ "counts": self.counts(), "classes": members })
    }

    fn write_cells(&self, out: &mut Vec<u8>) {
        for member in &self.members {
            let mut cells = Vec::new();
            member.write_cells(&mut cells);
            out.extend_from_slice(&(cells.len() as u64).to_le_bytes());
            out.append(&mut cells);
        }
    }

    fn restore(&mut self, state: &Value, mut cells: &[u8]) -> Result<(), ModelError> {
        let misfit = |field: &str| ModelError::State(field.to_string());
        self.counts = serde_json::from_value(state["counts"].clone()).map_err(|_| misfit("counts"))?;
        self.members.clear();
        for state in state["classes"].as_array().ok_or_else(|| misfit("classes"))? {
            let (length, rest) = cells.split_first_chunk::<8>().ok_or_else(|| misfit("cells"))?;
            let length = usize::try_from(u64::from_le_bytes(*length)).map_err(|_| misfit("cells"))?;
            let (own, others) = rest.split_at_checked(length).ok_or_else(|| misfit("cells"))?;
            let mut member = self.fresh.fork();
            member.restore(state, own)?;
            self.members.push(member);
            cells = others;
        }
        self.limit_memory(self.most_memory);
        if cells.is_empty() { Ok(()) } else { Err(misfit("cells")) }
    }

    fn fork(&self) -> Box<dyn Learner> {
        let members = self.members.iter().map(|member| member.fork()).collect();
        let (fresh, view) = (self.fresh.fork(), Batch::default());
        Box::new(Self { fresh, members, counts: self.counts, most_memory: self.most_memory, view })
    }
}
