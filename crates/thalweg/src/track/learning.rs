//! How a track learns from a batch: as a whole, in parts between which something may be done about drift, or one by one where labels are scarce.

use std::ops::Range;
use std::time::{Duration, Instant};

use thalweg_core::{Batch, Class, Learner, Outcomes, Setup, learners};

use super::{Budgeted, Track};
use crate::drift_watch::{BOOST, DriftAction, DriftWatch};
use crate::error::{ConfigError, Result};
use crate::score_use::{Predicted, ScoreUse};

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

impl Measured<'_> {
    /// Those of some of the examples.
    fn of(self, part: Range<usize>) -> Self {
        match self {
            Measured::HeldOut(held_out) => Measured::HeldOut(&held_out[part]),
            other => other,
        }
    }

    /// Is example `i` learned from?
    fn is_learned(self, i: usize) -> bool {
        if let Measured::HeldOut(held_out) = self { !held_out[i] } else { true }
    }

    /// Is example `i` measured?
    fn is_measured(self, i: usize) -> bool {
        match self {
            Measured::All => true,
            Measured::Nothing => false,
            Measured::HeldOut(held_out) => held_out[i],
        }
    }
}

impl Track {
    /// Scores the examples, then learns from them. Nothing is learned if that would take too much memory.
    pub(crate) fn learn(&mut self, batch: &Batch, measured: Measured) -> Result<()> {
        if let Some(Budgeted { with_all_labels, .. }) = &mut self.budget {
            with_all_labels.learn(batch, measured)?;
        }
        let until_check = self.score_use.drift.as_ref().and_then(DriftWatch::until_check);
        let Some(first) = until_check.filter(|until| *until < batch.len()) else {
            self.learn_part(batch, measured)?;
            return self.act_on_drift();
        };
        let (mut outcomes, mut predicted) = (Outcomes::default(), Predicted::default());
        let (mut part, mut start, mut end) = (Batch::default(), 0, first);
        while start < batch.len() {
            part.clear();
            part.extend_from(batch, start..end);
            self.learn_part(&part, measured.of(start..end))?;
            outcomes.append(&mut self.outcomes);
            predicted.append(&mut self.predicted);
            self.act_on_drift()?;
            let next = self.score_use.drift.as_ref().and_then(DriftWatch::until_check);
            (start, end) = (end, (end + next.unwrap_or(batch.len())).min(batch.len()));
        }
        (self.outcomes, self.predicted) = (outcomes, predicted);
        Ok(())
    }

    /// Hands over what was said of the last batch.
    pub(crate) fn tell(&mut self, outcomes: &mut Outcomes, predicted: &mut Predicted) {
        outcomes.append(&mut self.outcomes);
        predicted.append(&mut self.predicted);
    }

    /// Measures what others said of examples before they learned from them.
    pub(crate) fn observe(&mut self, batch: &Batch, outcomes: &Outcomes, predicted: &Predicted) {
        self.examples += batch.labels().iter().flatten().count() as u64;
        let Predicted { classes, probabilities } = predicted;
        self.figures.observe_with_probabilities(batch, outcomes, classes, probabilities);
    }

    /// Goes on with what several have learned that began with this learner, which took so long.
    pub(crate) fn merged(&mut self, learner: Box<dyn Learner>, score_use: ScoreUse, took: Duration) {
        (self.learner, self.score_use) = (learner, score_use);
        self.learning += took;
    }

    fn learn_part(&mut self, batch: &Batch, measured: Measured) -> Result<()> {
        let began = Instant::now();
        let learned = self.learn_weighed(batch, measured);
        if matches!(measured, Measured::HeldOut(_)) || self.budget.is_some() {
            // Examples that were only scored have no loss of their own.
            self.outcomes.losses.clear();
        }
        if matches!(measured, Measured::HeldOut(_)) {
            self.outcomes.updated.clear();
        }
        self.learning += began.elapsed();
        learned?;
        self.examples += batch.labels().iter().flatten().count() as u64;
        self.predict_and_measure(batch, measured);
        Ok(())
    }

    /// Learns from examples that are as important as their costs make them.
    fn learn_weighed(&mut self, batch: &Batch, measured: Measured) -> Result<()> {
        if batch.costs().is_empty() {
            return self.learn_labelled(batch, measured);
        }
        let mut weighed = std::mem::take(&mut self.weighed);
        weighed.clone_from(batch);
        weighed.weigh(|i| f64::from(batch.cost(i)));
        let learned = self.learn_labelled(&weighed, measured);
        self.weighed = weighed;
        learned
    }

    /// Learns from examples whose labels may be used.
    fn learn_labelled(&mut self, batch: &Batch, measured: Measured) -> Result<()> {
        match measured {
            _ if self.budget.is_some() => self.learn_within_budget(batch, measured),
            Measured::All | Measured::Nothing => Ok(self.learner.learn(batch, &mut self.outcomes)?),
            Measured::HeldOut(_) => {
                relabel(&mut self.relabelled, batch, |i| measured.is_learned(i));
                Ok(self.learner.learn(&self.relabelled, &mut self.outcomes)?)
            }
        }
    }

    /// Predicts each example before its label is looked at, then measures those that are new.
    fn predict_and_measure(&mut self, batch: &Batch, measured: Measured) {
        // A learner that waits for its first batch has no opinion that could be measured.
        let known_from = self.outcomes.before_knowledge();
        let is_new = |i: usize| i >= known_from && measured.is_measured(i);
        let alarms = self.score_use.predict_and_follow(
            self.decision,
            batch,
            &self.outcomes,
            is_new,
            |i| self.budget.as_ref().is_none_or(|budgeted| budgeted.asked[i]),
            &mut self.predicted,
        );
        self.alarm_count += alarms.len() as u64;
        self.alarms.extend(alarms);
        let measured_batch = match measured {
            Measured::Nothing => return,
            Measured::All if known_from == 0 => batch,
            Measured::All | Measured::HeldOut(_) => {
                relabel(&mut self.relabelled, batch, is_new);
                &self.relabelled
            }
        };
        let Predicted { classes, probabilities } = &self.predicted;
        self.figures.observe_with_probabilities(measured_batch, &self.outcomes, classes, probabilities);
    }

    /// One by one: whether a label is asked for depends on what was learned from all examples before.
    fn learn_within_budget(&mut self, batch: &Batch, measured: Measured) -> Result<()> {
        let Some(Budgeted { budget, asked, .. }) = &mut self.budget else { return Ok(()) };
        self.outcomes.clear();
        asked.clear();
        let (mut one, mut outcome, mut variances) = (Batch::default(), Outcomes::default(), Vec::new());
        for i in 0..batch.len() {
            one.clear();
            one.push_from(batch, i);
            self.learner.score_with_variance(&one, &mut outcome, &mut variances);
            let has_label = batch.labels()[i].is_some() && measured.is_learned(i);
            asked.push(has_label && budget.asks(outcome.scores[0], variances.first().copied()));
            if asked.last() == Some(&false) {
                one.set_labels(|_| None::<Class>);
            }
            self.learner.learn(&one, &mut outcome)?;
            self.outcomes.append(&mut outcome);
        }
        Ok(())
    }

    /// Does what is to be done about a change of the stream, if it is time.
    fn act_on_drift(&mut self) -> Result<()> {
        match self.score_use.drift.as_mut().and_then(DriftWatch::due) {
            None | Some(DriftAction::Warn) => {}
            Some(DriftAction::Boost) => _ = self.learner.boost(BOOST),
            Some(DriftAction::Reset) => {
                let setup = Setup {
                    costs: self.learner.costs(),
                    class_weights: self.learner.class_weights(),
                    task: self.learner.task(),
                    classes: self.learner.classes(),
                    max_memory: self.max_memory,
                    forget: self.learner.half_life(),
                };
                let fresh = learners::build(&self.learner.spec(), &setup).map_err(ConfigError::from)?;
                self.begin_anew(fresh.fork_with(self.learner.classes(), self.max_memory));
            }
        }
        Ok(())
    }
}

/// Copies a batch in which only some examples have a label.
fn relabel(to: &mut Batch, from: &Batch, keeps_label: impl Fn(usize) -> bool) {
    to.clear();
    to.extend_from(from, 0..from.len());
    to.set_labels(|i| from.labels()[i].filter(|_| keeps_label(i)));
}
