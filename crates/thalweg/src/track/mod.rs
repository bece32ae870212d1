//! One learner on its way through a stream, with its progressive figures.

mod learning;

use std::time::{Duration, Instant};

use thalweg_core::learner::Counts;
use thalweg_core::{BIAS, Batch, Class, Learner, Outcomes, Task};
use thalweg_data::Labels;
use thalweg_eval::{Calibration, Figures, Progress, ProgressiveFigures, Scores};

use crate::config::{Config, Kinds, MeasuredIn};
use crate::decision::Decision;
use crate::drift::Alarm;
use crate::drift_watch::DriftAction;
use crate::error::{ConfigError, Result};
use crate::label_budget::LabelBudget;
use crate::report;
use crate::score_use::{Predicted, ScoreUse};

pub(crate) use learning::Measured;

/// A learner that goes through a stream, possibly beside others.
pub struct Track {
    learner: Box<dyn Learner>,
    /// Which class a score means to the learner itself.
    decision: Decision,
    score_use: ScoreUse,
    kinds: Kinds,
    figures: ProgressiveFigures,
    outcomes: Outcomes,
    predicted: Predicted,
    /// Examples of the last batch with other labels, and with other importances.
    relabelled: Batch,
    weighed: Batch,
    /// Changes of the stream that nobody was told of yet, and all of them.
    alarms: Vec<Alarm>,
    alarm_count: u64,
    budget: Option<Budgeted>,
    /// Labelled examples so far, in all passes.
    examples: u64,
    /// What the learner had done before it came here.
    before: Counts,
    /// What learners did here that had to begin anew.
    replaced: Counts,
    learning: Duration,
    /// What the learner was told.
    max_memory: u64,
}

/// A learner that has to do with few labels, beside one that gets all of them.
struct Budgeted {
    budget: LabelBudget,
    /// For each example of the last batch, whether its label was asked for.
    asked: Vec<bool>,
    with_all_labels: Box<Track>,
}

impl Track {
    /// A learner with what was made of its scores so far.
    pub(crate) fn new(
        learner: Box<dyn Learner>,
        score_use: ScoreUse,
        example_costs: bool,
        config: &Config,
    ) -> Result<Self, ConfigError> {
        let score_use = score_use.with(config, learner.as_ref())?;
        let kinds = Kinds { probabilities: score_use.calibrator.is_some(), example_costs };
        let figures = config.no_figures(learner.as_ref(), kinds, MeasuredIn::Training)?;
        let budget = match config.budget()? {
            Some(share) if learner.task() == Task::Binary => {
                let rest = Config { label_budget: None, ..config.clone() };
                let with_all_labels = Self::new(learner.fork(), score_use.clone(), example_costs, &rest)?;
                let budget = LabelBudget::new(share, config.reported_costs(learner.as_ref())?);
                Some(Budgeted { budget, asked: Vec::new(), with_all_labels: Box::new(with_all_labels) })
            }
            Some(_) => return Err(ConfigError::Together("label_budget", "multiclass")),
            None => None,
        };
        Ok(Self {
            decision: Decision::by(learner.as_ref()),
            score_use,
            kinds,
            figures,
            before: learner.counts(),
            replaced: Counts::default(),
            learner,
            outcomes: Outcomes::default(),
            predicted: Predicted::default(),
            relabelled: Batch::default(),
            weighed: Batch::default(),
            alarms: Vec::new(),
            alarm_count: 0,
            budget,
            examples: 0,
            learning: Duration::ZERO,
            max_memory: u64::MAX,
        })
    }

    /// The same for a learner that may take so much memory, and knows these labels. It is copied only if that makes a difference.
    pub(crate) fn limited(mut self, labels: &Labels, max_memory: u64) -> Self {
        if let Some(Budgeted { budget, asked, with_all_labels }) = self.budget {
            let with_all_labels = Box::new(with_all_labels.limited(labels, max_memory));
            self.budget = Some(Budgeted { budget, asked, with_all_labels });
        }
        let classes = labels.names().len();
        let knows = self.learner.task() == Task::Binary || classes <= self.learner.classes();
        if self.max_memory == max_memory && knows {
            return self;
        }
        Self { learner: self.learner.fork_with(classes, max_memory), max_memory, ..self }
    }

    /// Measures anew.
    pub(crate) fn forget_figures(&mut self, config: &Config) -> Result<(), ConfigError> {
        self.figures = config.no_figures(self.learner.as_ref(), self.kinds, MeasuredIn::Training)?;
        self.budget.as_mut().map_or(Ok(()), |budget| budget.with_all_labels.forget_figures(config))
    }

    pub(crate) fn expect_features(&mut self, below: u32) {
        self.learner.expect_features(below);
    }

    /// The data has ended, for now.
    pub(crate) fn finish(&mut self) {
        let began = Instant::now();
        self.learner.finish();
        self.learning += began.elapsed();
    }

    pub(crate) fn renumber(&mut self, new: &dyn Fn(u32) -> Option<u32>) {
        self.learner.renumber(new);
        if let Some(budget) = &mut self.budget {
            budget.with_all_labels.renumber(new);
        }
    }

    pub(crate) fn into_parts(self) -> (Box<dyn Learner>, ScoreUse) {
        (self.learner, self.score_use)
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

    /// What each threshold would have given, if `curves` was set.
    pub fn scores(&self) -> Option<&Scores> {
        self.figures.scores()
    }

    /// How right probabilities were, if `curves` was set.
    pub fn calibration(&self) -> Option<&Calibration> {
        self.figures.calibration()
    }

    /// What became of the last batch.
    pub fn outcomes(&self) -> &Outcomes {
        &self.outcomes
    }

    /// The classes that were predicted for the last batch.
    pub fn predicted(&self) -> &[Class] {
        &self.predicted.classes
    }

    /// The probabilities that were predicted for the last batch, laid out as its scores; empty without `probabilities`.
    pub fn probabilities(&self) -> &[f64] {
        &self.predicted.probabilities
    }

    pub(crate) fn score_use(&self) -> &ScoreUse {
        &self.score_use
    }

    /// For each example of the last batch, whether the learner remembers all of its features. Empty if it may remember none.
    pub(crate) fn remembered(&self) -> &[bool] {
        let resets = self.score_use.drift.as_ref().is_some_and(|drift| drift.action == DriftAction::Reset);
        let remembers = !resets && self.learner.remembers(BIAS).is_some();
        if remembers { &self.outcomes.updated } else { &[] }
    }

    /// Changes of the stream since this was last asked.
    pub(crate) fn take_alarms(&mut self) -> Vec<Alarm> {
        std::mem::take(&mut self.alarms)
    }

    /// How often the stream has changed.
    pub fn alarms(&self) -> u64 {
        self.alarm_count
    }

    /// With a label budget: labels that were asked for, of so many, and the figures of a learner that got all of them.
    pub(crate) fn spent(&self, labels: &Labels) -> Option<((u64, u64), Figures)> {
        let Budgeted { budget, with_all_labels, .. } = self.budget.as_ref()?;
        Some((budget.spent(), with_all_labels.figures(labels)))
    }

    /// Examples that changed the weights here; batches, for learners that take them by the batch.
    pub fn updates(&self) -> u64 {
        self.counts().updates
    }

    /// Examples that were refused here because their update would not have been finite.
    pub fn rejected(&self) -> u64 {
        // What was refused at the end of the data, for the time being, may have been learned from after all.
        self.counts().rejected
    }

    /// Has the learner learned anything here?
    pub fn has_learned(&self) -> bool {
        self.examples > 0 && (self.rejected() == 0 || self.counts().examples > 0)
    }

    /// What was done here.
    fn counts(&self) -> Counts {
        let (now, before, replaced) = (self.learner.counts(), self.before, self.replaced);
        Counts {
            examples: replaced.examples + now.examples.saturating_sub(before.examples),
            updates: replaced.updates + now.updates.saturating_sub(before.updates),
            rejected: replaced.rejected + now.rejected.saturating_sub(before.rejected),
        }
    }

    /// Goes on with a learner that has seen nothing.
    fn begin_anew(&mut self, learner: Box<dyn Learner>) {
        self.replaced = self.counts();
        self.before = Counts::default();
        self.learner = learner;
    }

    /// The time spent learning.
    pub fn learning(&self) -> Duration {
        self.learning
    }
}
