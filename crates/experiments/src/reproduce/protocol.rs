//! How a configuration is run once.

use thalweg::{Batch, Decision, Interrupt, Task, learners};
use thalweg_core::{Outcomes, Setup};
use thalweg_eval::Confusion;

use super::ReproduceError;
use super::configuration::{Configuration, Run};
use super::examples::Examples;
use super::outcome::{CurvePoint, Outcome};
use crate::cpu_time::CpuTime;

/// Points of an online curve.
const POINTS: usize = 50;

/// Rows of the examples that are learned from, how often, and what is predicted.
struct Plan {
    learned: Vec<u32>,
    passes: usize,
    predicted: Predicted,
}

enum Predicted {
    /// Every example before it is learned from.
    Learned,
    /// These rows, at the end.
    Rows(Vec<u32>),
    /// The test data, at the end.
    Test,
}

impl Plan {
    fn new(run: Run, examples: &Examples, repetition: usize) -> Self {
        match run {
            Run::Progressive => {
                let learned = examples.order(repetition).rows().to_vec();
                Self { learned, passes: 1, predicted: Predicted::Learned }
            }
            Run::Given => {
                let learned = examples.order(repetition).rows().to_vec();
                Self { learned, passes: 1, predicted: Predicted::Test }
            }
            Run::Split { train } => {
                let order = examples.order(repetition);
                let (learned, held) = order.rows().split_at(train.min(examples.train.len()));
                Self { learned: learned.to_vec(), passes: 1, predicted: Predicted::Rows(held.to_vec()) }
            }
            Run::Folds { folds, passes } => {
                // Folds are parts of one random order, the others stay in this order.
                let order = examples.order(repetition / folds);
                let (count, fold) = (examples.train.len(), repetition % folds);
                let held = count * fold / folds..count * (fold + 1) / folds;
                let rows = order.rows();
                let learned = [&rows[..held.start], &rows[held.end..]].concat();
                Self { learned, passes, predicted: Predicted::Rows(rows[held].to_vec()) }
            }
        }
    }
}

impl Configuration {
    /// An error if the learner cannot be built.
    pub fn check(&self) -> Result<(), ReproduceError> {
        let setup = Setup { costs: self.missed.costs(1.0), ..Setup::default() };
        learners::build(&self.spec, &setup).map(drop).map_err(|error| self.wrong(&error))
    }

    fn wrong(&self, error: &dyn std::fmt::Display) -> ReproduceError {
        ReproduceError::Learner { configuration: self.to_string(), error: error.to_string() }
    }

    /// Learns and predicts once; nothing if the interrupt came first.
    pub fn run(
        &self,
        examples: &Examples,
        repetition: usize,
        interrupt: &Interrupt,
    ) -> Result<Option<Outcome>, ReproduceError> {
        self.run_seen(examples, repetition, interrupt, |_| {})
    }

    /// As `run`; `see` gets the scores of every example, in learning and in prediction.
    pub(super) fn run_seen(
        &self,
        examples: &Examples,
        repetition: usize,
        interrupt: &Interrupt,
        mut see: impl FnMut(&[f64]),
    ) -> Result<Option<Outcome>, ReproduceError> {
        let plan = Plan::new(self.run, examples, repetition);
        let costs = self.missed.costs(examples.imbalance());
        let setup = Setup { costs, task: examples.task, classes: examples.classes, ..Setup::default() };
        let mut learner = learners::build(&self.spec, &setup).map_err(|error| self.wrong(&error))?;
        let decision = Decision::of(learner.task());
        let progressive = matches!(plan.predicted, Predicted::Learned);
        let (mut confusion, mut curve, mut seconds) = (Confusion::default(), Vec::new(), 0.0);
        let (mut batch, mut outcomes) = (Batch::default(), Outcomes::default());
        for _ in 0..plan.passes {
            let mut seen = 0;
            for rows in plan.learned.chunks(plan.learned.len().div_ceil(POINTS).max(1)) {
                if interrupt.has_come() {
                    return Ok(None);
                }
                batch.clear();
                rows.iter().for_each(|row| batch.push_from(&examples.train, *row as usize));
                let began = CpuTime::now();
                learner.learn(&batch, &mut outcomes).map_err(|error| self.wrong(&error))?;
                seconds += began.elapsed().as_secs_f64();
                (0..outcomes.len()).for_each(|i| see(outcomes.scores_of(i)));
                seen += rows.len() as u64;
                if progressive {
                    add(&mut confusion, &batch, &decision.classes(&outcomes));
                    curve.push(CurvePoint::new(seen, &confusion));
                }
            }
        }
        let began = CpuTime::now();
        learner.finish();
        seconds += began.elapsed().as_secs_f64();
        if let Some(asked) = match &plan.predicted {
            Predicted::Learned => None,
            Predicted::Test => Some(&examples.test),
            Predicted::Rows(rows) => {
                batch.clear();
                rows.iter().for_each(|row| batch.push_from(&examples.train, *row as usize));
                Some(&batch)
            }
        } {
            let mut outcomes = Outcomes::default();
            learner.score(asked, &mut outcomes);
            (0..outcomes.len()).for_each(|i| see(outcomes.scores_of(i)));
            add(&mut confusion, asked, &decision.classes(&outcomes));
        }
        let classes = if learner.task() == Task::Binary { 1 } else { examples.classes };
        let mut outcome = Outcome::new(&confusion, seconds, learner.nonzeros(), classes * examples.features);
        outcome.curve = curve;
        Ok(Some(outcome))
    }
}

fn add(confusion: &mut Confusion, batch: &Batch, predicted: &[thalweg::Class]) {
    for (truth, predicted) in batch.labels().iter().zip(predicted) {
        if let Some(truth) = truth {
            confusion.add(*truth, *predicted, 1.0);
        }
    }
}
