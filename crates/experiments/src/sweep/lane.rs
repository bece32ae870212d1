//! Learners of a group, with what is measured of each.

use std::time::Duration;

use thalweg::{Class, Config, Decision, Learner, MeasuredIn, Result};
use thalweg_core::Outcomes;
use thalweg_core::learner::Group;
use thalweg_eval::ProgressiveFigures;

use super::objective::Losses;
use super::parts::{Part, View};
use crate::cpu_time::CpuTime;

/// A group of learners of one part.
pub(super) struct Lane {
    pub(super) part: usize,
    pub(super) group: Box<dyn Group>,
    pub(super) runs: Vec<Run>,
    outcomes: Vec<Outcomes>,
    predicted: Vec<Class>,
}

/// A learner of a group.
pub(super) struct Run {
    pub(super) candidate: usize,
    pub(super) figures: ProgressiveFigures,
    decision: Decision,
    /// What each example of the last block that was measured has cost, if somebody asked.
    pub(super) losses: Vec<(usize, f64)>,
    /// Its share of the time that the group took.
    pub(super) learning: Duration,
    pub(super) examples: u64,
}

impl Run {
    pub(super) fn new(candidate: usize, learner: &dyn Learner, config: &Config) -> Result<Self> {
        Ok(Self {
            candidate,
            figures: config.figures_of(learner, MeasuredIn::Training)?,
            decision: Decision::by(learner).at(config.threshold),
            losses: Vec::new(),
            learning: Duration::ZERO,
            examples: 0,
        })
    }
}

impl Lane {
    pub(super) fn new(part: usize, group: Box<dyn Group>, runs: Vec<Run>) -> Self {
        let outcomes = vec![Outcomes::default(); runs.len()];
        Self { part, group, runs, outcomes, predicted: Vec::new() }
    }

    /// All learn from a block, and what is new to them is measured.
    pub(super) fn learn(
        &mut self,
        part: Part,
        view: &View,
        is_new: bool,
        losses: Option<&Losses>,
    ) -> Result<()> {
        let began = CpuTime::now();
        self.group.learn(&view.learned, &mut self.outcomes[..self.runs.len()])?;
        let share = began.elapsed() / self.runs.len().max(1) as u32;
        for (run, outcomes) in self.runs.iter_mut().zip(&mut self.outcomes) {
            run.learning += share;
            run.examples += view.learned.len() as u64;
            run.losses.clear();
            if part == Part::Everything || (part.learns_what_it_is_measured_on() && !is_new) {
                continue;
            }
            if !part.learns_what_it_is_measured_on() {
                // Examples that were only scored have no loss of their own.
                outcomes.losses.clear();
                outcomes.updated.clear();
            }
            run.measure(view, outcomes, &mut self.predicted);
            if let Some(losses) = losses {
                run.losses.extend(losses.of(&view.measured, &self.predicted));
            }
        }
        Ok(())
    }

    /// The data has ended: those that take all of it as one batch learn now.
    pub(super) fn finish(&mut self) {
        let began = CpuTime::now();
        self.group.finish();
        let share = began.elapsed() / self.runs.len().max(1) as u32;
        self.runs.iter_mut().for_each(|run| run.learning += share);
    }

    /// Lets go of a candidate; what was measured of it.
    pub(super) fn remove(&mut self, candidate: usize) -> Option<Run> {
        let place = self.runs.iter().position(|run| run.candidate == candidate)?;
        self.group.remove(place);
        Some(self.runs.remove(place))
    }
}

impl Run {
    fn measure(&mut self, view: &View, outcomes: &Outcomes, predicted: &mut Vec<Class>) {
        self.decision.decide(outcomes, predicted);
        // A learner that waits for its first batch has no opinion that could be measured.
        let known_from = outcomes.before_knowledge();
        if known_from == 0 {
            return self.figures.observe(&view.measured, outcomes, predicted);
        }
        let mut known = view.measured.clone();
        known.set_labels(|i| view.measured.labels()[i].filter(|_| i >= known_from));
        self.figures.observe(&known, outcomes, predicted);
    }
}
