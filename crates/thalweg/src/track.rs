//! One learner on its way through a stream, with its progressive figures.

use std::time::{Duration, Instant};

use thalweg_core::learner::Counts;
use thalweg_core::learners;
use thalweg_core::{Batch, Class, Learner, Outcomes, Setup};
use thalweg_eval::{ProgressiveFigures, Progress};
use thalweg_data::Labels;

use crate::decision::Decision;
use crate::error::{ConfigError, Result};

/// A learner that goes through a stream, possibly beside others.
pub struct Track {
    learner: Box<dyn Learner>,
    /// How to build the learner, as long as it has not learned anything: the number of classes may only be known when the data is open.
    fresh: Option<(String, Setup)>,
    decision: Decision,
    figures: ProgressiveFigures,
    outcomes: Outcomes,
    predicted: Vec<Class>,
    /// What the learner had done before this trainer.
    before: Counts,
    learning: Duration,
}

impl Track {
    /// A learner that has seen nothing.
    pub(crate) fn fresh(spec: String, setup: Setup) -> Result<Self, ConfigError> {
        let learner = learners::build(&spec, &setup)?;
        Ok(Self { fresh: Some((spec, setup)), ..Self::of(learner) })
    }

    /// A learner that goes on.
    pub(crate) fn of(learner: Box<dyn Learner>) -> Self {
        Self {
            fresh: None,
            decision: Decision::of(learner.task()),
            before: learner.counts(),
            learner,
            figures: ProgressiveFigures::default(),
            outcomes: Outcomes::default(),
            predicted: Vec::new(),
            learning: Duration::ZERO,
        }
    }

    /// These are the labels that are known before the first example.
    pub(crate) fn begin(&mut self, labels: &Labels) -> Result<(), ConfigError> {
        if let Some((spec, setup)) = self.fresh.take() {
            self.learner = learners::build(&spec, &Setup { classes: labels.names().len(), ..setup })?;
        }
        Ok(())
    }

    /// Scores the examples, then learns from them. Nothing is learned if that would take too much memory.
    pub(crate) fn learn(&mut self, batch: &Batch) -> Result<()> {
        let began = Instant::now();
        self.learner.learn(batch, &mut self.outcomes)?;
        self.learning += began.elapsed();
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

    pub(crate) fn learner_mut(&mut self) -> &mut dyn Learner {
        self.learner.as_mut()
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

    /// Its progressive figures: every example was scored before it was learned from.
    pub fn figures(&self) -> &ProgressiveFigures {
        &self.figures
    }

    /// What became of the last batch.
    pub fn outcomes(&self) -> &Outcomes {
        &self.outcomes
    }

    /// The classes that were predicted for the last batch.
    pub fn predicted(&self) -> &[Class] {
        &self.predicted
    }

    /// Examples that were refused by this trainer because their update would not have been finite.
    pub fn rejected(&self) -> u64 {
        // What was refused at the end of the data, for the time being, may have been learned from after all.
        self.learner.counts().rejected.saturating_sub(self.before.rejected)
    }

    /// Has this trainer taught the learner anything?
    pub fn has_learned(&self) -> bool {
        let learned = self.learner.counts().examples > self.before.examples;
        self.figures.examples() > 0 && (self.rejected() == 0 || learned)
    }

    /// The time spent learning.
    pub fn learning(&self) -> Duration {
        self.learning
    }
}
