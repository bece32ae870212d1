//! One learner on its way through a stream, with its progressive figures.

use std::time::{Duration, Instant};

use thalweg_core::learner::Counts;
use thalweg_core::{Batch, Class, Learner, Outcomes, Task};
use thalweg_data::Labels;
use thalweg_eval::{Figures, Progress, ProgressiveFigures};

use crate::decision::Decision;
use crate::error::Result;
use crate::report;

/// A learner that goes through a stream, possibly beside others.
pub struct Track {
    learner: Box<dyn Learner>,
    decision: Decision,
    figures: ProgressiveFigures,
    outcomes: Outcomes,
    predicted: Vec<Class>,
    /// What the learner had done before it came here.
    before: Counts,
    learning: Duration,
    /// What the learner was told.
    max_memory: u64,
}

impl Track {
    pub(crate) fn new(learner: Box<dyn Learner>) -> Self {
        Self {
            decision: Decision::by(learner.as_ref()),
            figures: ProgressiveFigures::new(report::context(learner.as_ref(), true)),
            before: learner.counts(),
            learner,
            outcomes: Outcomes::default(),
            predicted: Vec::new(),
            learning: Duration::ZERO,
            max_memory: u64::MAX,
        }
    }

    /// The same for a learner that may take so much memory, and knows these labels. It is copied only if that makes a difference.
    pub(crate) fn limited(self, labels: &Labels, max_memory: u64) -> Self {
        let classes = labels.names().len();
        let knows = self.learner.task() == Task::Binary || classes <= self.learner.classes();
        if self.max_memory == max_memory && knows {
            return self;
        }
        Self { learner: self.learner.fork_with(classes, max_memory), max_memory, ..self }
    }

    /// Scores the examples, then learns from them. Nothing is learned if that would take too much memory.
    pub(crate) fn learn(&mut self, batch: &Batch) -> Result<()> {
        let began = Instant::now();
        let learned = self.learner.learn(batch, &mut self.outcomes);
        self.learning += began.elapsed();
        learned?;
        self.decision.decide(&self.outcomes, &mut self.predicted);
        self.figures.observe(batch, &self.outcomes, &self.predicted);
        Ok(())
    }

    /// The data has ended, for now.
    pub(crate) fn finish(&mut self) {
        let began = Instant::now();
        self.learner.finish();
        self.learning += began.elapsed();
    }

    pub(crate) fn renumber(&mut self, new: &dyn Fn(u32) -> Option<u32>) {
        self.learner.renumber(new);
    }

    pub(crate) fn into_learner(self) -> Box<dyn Learner> {
        self.learner
    }

    /// A line of progress, unless nothing was learned from yet.
    pub(crate) fn progress(&mut self, labels: &Labels) -> Option<Progress> {
        self.figures.progress(self.learner.nonzeros(), |class| labels.name(class).to_string())
    }

    /// The learner.
    pub fn learner(&self) -> &dyn Learner {
        self.learner.as_ref()
    }

    /// Labelled examples that it has seen here.
    pub fn examples(&self) -> u64 {
        self.figures.examples()
    }

    /// Its progressive figures: every example was scored before it was learned from.
    pub fn figures(&self, labels: &Labels) -> Figures {
        report::figures(&self.figures, labels)
    }

    /// What became of the last batch.
    pub fn outcomes(&self) -> &Outcomes {
        &self.outcomes
    }

    /// The classes that were predicted for the last batch.
    pub fn predicted(&self) -> &[Class] {
        &self.predicted
    }

    /// Examples that were refused here because their update would not have been finite.
    pub fn rejected(&self) -> u64 {
        // What was refused at the end of the data, for the time being, may have been learned from after all.
        self.learner.counts().rejected.saturating_sub(self.before.rejected)
    }

    /// Has the learner learned anything here?
    pub fn has_learned(&self) -> bool {
        let learned = self.learner.counts().examples > self.before.examples;
        self.figures.examples() > 0 && (self.rejected() == 0 || learned)
    }

    /// The time spent learning.
    pub fn learning(&self) -> Duration {
        self.learning
    }
}
