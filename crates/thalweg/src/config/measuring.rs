//! What a configuration says of how good a learner is: what is measured, on which examples, and what is made of scores.

use thalweg_core::{Costs, Learner, Task};
use thalweg_data::stream::Milestones;
use thalweg_eval::{Classes, Context, Keeping, ProgressiveFigures};

use super::Config;
use super::costs::positive;
use crate::error::ConfigError;
use crate::holdout::Holdout;

/// What becomes of the examples that are measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MeasuredIn {
    /// They are learned from after they were scored.
    Training,
    /// They are only scored.
    Testing,
}

/// The columns of the progress table where mistakes have a price.
const PRICED: &[&str] = &["cost", "balanced_accuracy"];

/// What there is besides scores and labels.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Kinds {
    pub(crate) probabilities: bool,
    /// Does the data say what an error on each example costs?
    pub(crate) example_costs: bool,
}

impl Config {
    pub(crate) fn milestones(&self) -> Milestones {
        self.progress.unwrap_or_default()
    }

    /// The examples that are held out, if any.
    pub fn held_out(&self) -> Result<Option<Holdout>, ConfigError> {
        let share = self.holdout.map(|holdout| share("holdout", holdout)).transpose()?;
        Ok(share.map(Holdout::new))
    }

    /// The costs that are reported: those that were declared for the report, or else those that the learner works with.
    pub(crate) fn reported_costs(&self, learner: &dyn Learner) -> Result<Costs, ConfigError> {
        let Costs { missed, false_alarm, .. } = learner.costs();
        let (missed, false_alarm) = self.report_cost.unwrap_or((missed, false_alarm));
        let (missed, false_alarm) = (positive("report_cost", missed)?, positive("report_cost", false_alarm)?);
        Ok(Costs { missed, false_alarm, ..Costs::default() })
    }

    /// The costs that a threshold aims at: those of the report, or else those of the learner, which may follow the class ratio.
    pub(crate) fn costs_to_aim_at(&self, learner: &dyn Learner) -> Result<Costs, ConfigError> {
        if self.report_cost.is_some() { self.reported_costs(learner) } else { Ok(learner.costs()) }
    }

    /// The share of labels that may be asked for, if it is limited.
    pub(crate) fn budget(&self) -> Result<Option<f64>, ConfigError> {
        if self.label_budget.is_some() && self.holdout.is_some() {
            return Err(ConfigError::Together("label_budget", "holdout"));
        }
        if self.label_budget.is_some() && self.number_of_passes() > 1 {
            // Every pass would ask for labels of other examples.
            return Err(ConfigError::Together("label_budget", "passes"));
        }
        self.label_budget.map(|budget| share("label_budget", budget)).transpose()
    }

    /// No figures yet, for whoever goes through the data without a [`Trainer`](crate::Trainer): nothing but scores and labels is known.
    pub fn figures_of(
        &self,
        learner: &dyn Learner,
        measured: MeasuredIn,
    ) -> Result<ProgressiveFigures, ConfigError> {
        let kinds = Kinds { probabilities: false, example_costs: self.cost_col.is_some() };
        self.no_figures(learner, kinds, measured)
    }

    /// No figures yet, for a learner and what else there is.
    pub(crate) fn no_figures(
        &self,
        learner: &dyn Learner,
        kinds: Kinds,
        measured: MeasuredIn,
    ) -> Result<ProgressiveFigures, ConfigError> {
        let Kinds { probabilities, example_costs } = kinds;
        let classes = match learner.task() {
            Task::Binary => Classes::Two,
            Task::Hinge | Task::Ovr => Classes::Many,
        };
        self.check_two_classes(classes)?;
        let learns = measured == MeasuredIn::Training;
        let context = Context {
            classes,
            costs: self.reported_costs(learner)?,
            example_costs,
            sum_weight: self.report_sum.map(sum_weight).transpose()?,
            learns,
            probabilities,
            scores: if learns { Keeping::Binned } else { Keeping::Exact },
        };
        let mut figures = ProgressiveFigures::new(context);
        if self.curves == Some(true) {
            if classes == Classes::Two {
                figures = figures.with_scores();
            }
            if probabilities {
                figures = figures.with_calibration()?;
            }
        }
        if !learns {
            return Ok(figures.with(&self.metrics)?);
        }
        // Who declares costs wants to see them.
        let priced = classes == Classes::Two
            && self.metrics.is_empty()
            && (example_costs || !context.costs.are_equal());
        Ok(if priced { figures.with_columns(PRICED)? } else { figures.with_columns(&self.metrics)? })
    }

    /// What is only said of two classes.
    fn check_two_classes(&self, classes: Classes) -> Result<(), ConfigError> {
        let set = [("report_cost", self.report_cost.is_some()), ("report_sum", self.report_sum.is_some())];
        match set.into_iter().find(|(_, is_set)| *is_set) {
            Some((field, _)) if classes == Classes::Many => Err(ConfigError::Together(field, "multiclass")),
            _ => Ok(()),
        }
    }
}

fn share(field: &'static str, share: f64) -> Result<f64, ConfigError> {
    let must = "be a share between 0 and 1, such as 0.1";
    let fits = share > 0.0 && share < 1.0;
    if fits { Ok(share) } else { Err(ConfigError::Value { field, must, got: share.to_string() }) }
}

fn sum_weight(weight: f64) -> Result<f64, ConfigError> {
    if (0.0..=1.0).contains(&weight) {
        return Ok(weight);
    }
    let must = "be a weight from 0 to 1";
    Err(ConfigError::Value { field: "report_sum", must, got: weight.to_string() })
}
