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
    /// Examples of the last batch with other labels.
    relabelled: Batch,
    /// Labelled examples so far, in all passes.
    examples: u64,
    /// What the learner had done before it came here.
    before: Counts,
    learning: Duration,
    /// What the learner was told.
    max_memory: u64,
}

/// Which examples of a batch are measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Measured<'a> {
    /// All: each of them is scored before it is learned from.
    All,
    /// None: they were learned from in an earlier pass.
    Nothing,
    /// Those that are held out, which are not learned from; for each example whether it is.
    HeldOut(&'a [bool]),
}

impl Track {
    pub(crate) fn new(learner: Box<dyn Learner>) -> Self {
        Self {
            decision: Decision::by(learner.as_ref()),
            figures: no_figures(learner.as_ref()),
            before: learner.counts(),
            learner,
            outcomes: Outcomes::default(),
            predicted: Vec::new(),
            relabelled: Batch::default(),
            examples: 0,
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
    pub(crate) fn learn(&mut self, batch: &Batch, measured: Measured) -> Result<()> {
        let began = Instant::now();
        let learned = match measured {
            Measured::All | Measured::Nothing => self.learner.learn(batch, &mut self.outcomes),
            Measured::HeldOut(held_out) => {
                relabel(&mut self.relabelled, batch, |i| !held_out[i]);
                let learned = self.learner.learn(&self.relabelled, &mut self.outcomes);
                // Examples that are held out have no loss of their own: they were only scored.
                self.outcomes.losses.clear();
                self.outcomes.updated.clear();
                learned
            }
        };
        self.learning += began.elapsed();
        learned?;
        self.examples += batch.labels().iter().flatten().count() as u64;
        self.decision.decide(&self.outcomes, &mut self.predicted);
        self.measure(batch, measured);
        Ok(())
    }

    fn measure(&mut self, batch: &Batch, measured: Measured) {
        // A learner that waits for its first batch has no opinion that could be measured.
        let known_from = self.outcomes.before_knowledge();
        match measured {
            Measured::Nothing => return,
            Measured::All if known_from == 0 => {
                return self.figures.observe(batch, &self.outcomes, &self.predicted);
            }
            Measured::All => relabel(&mut self.relabelled, batch, |i| i >= known_from),
            Measured::HeldOut(held_out) => {
                relabel(&mut self.relabelled, batch, |i| i >= known_from && held_out[i]);
            }
        }
        self.figures.observe(&self.relabelled, &self.outcomes, &self.predicted);
    }

    /// Measures anew.
    pub(crate) fn forget_figures(&mut self) {
        self.figures = no_figures(self.learner.as_ref());
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

    /// A line of progress, unless nothing was measured yet.
    pub(crate) fn progress(&mut self, labels: &Labels) -> Option<Progress> {
        self.figures.progress(self.learner.nonzeros(), |class| labels.name(class).to_string())
    }

    /// The learner.
    pub fn learner(&self) -> &dyn Learner {
        self.learner.as_ref()
    }

    /// Labelled examples that it has seen here, in all passes.
    pub fn examples(&self) -> u64 {
        self.examples
    }

    /// Its figures: of the first pass, in which every example was scored before it was learned from, or of the examples that were held out in the last
    /// pass.
    pub fn figures(&self, labels: &Labels) -> Figures {
        report::figures(&self.figures, labels)
    }

    /// Was anything measured?
    pub(crate) fn has_figures(&self) -> bool {
        self.figures.examples() > 0
    }

    /// What became of the last batch.
    pub fn outcomes(&self) -> &Outcomes {
        &self.outcomes
    }

    /// The classes that were predicted for the last batch.
    pub fn predicted(&self) -> &[Class] {
        &self.predicted
    }

    /// Examples that changed the weights here; batches, for learners that take them by the batch.
    pub fn updates(&self) -> u64 {
        self.learner.counts().updates.saturating_sub(self.before.updates)
    }

    /// Examples that were refused here because their update would not have been finite.
    pub fn rejected(&self) -> u64 {
        // What was refused at the end of the data, for the time being, may have been learned from after all.
        self.learner.counts().rejected.saturating_sub(self.before.rejected)
    }

    /// Has the learner learned anything here?
    pub fn has_learned(&self) -> bool {
        let learned = self.learner.counts().examples > self.before.examples;
        self.examples > 0 && (self.rejected() == 0 || learned)
    }

    /// The time spent learning.
    pub fn learning(&self) -> Duration {
        self.learning
    }
}

fn no_figures(learner: &dyn Learner) -> ProgressiveFigures {
    ProgressiveFigures::new(report::context(learner, true))
}

/// Copies a batch in which only some examples have a label.
fn relabel(to: &mut Batch, from: &Batch, keeps_label: impl Fn(usize) -> bool) {
    to.clear();
    to.extend_from(from, 0..from.len());
    to.set_labels(|i| from.labels()[i].filter(|_| keeps_label(i)));
}
