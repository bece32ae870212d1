//! What the best candidate is best in.

use thalweg::{Batch, Class, Config, Costs};
use thalweg_eval::{Better, Chosen};

use super::error::SweepError;

/// A metric, and which of its values is better.
#[derive(Clone, Copy, Debug)]
pub struct Objective {
    metric: Chosen,
}

impl Objective {
    /// The metric of this name.
    pub fn new(name: &str) -> Result<Self, SweepError> {
        let metric = thalweg_eval::find(name).map_err(SweepError::UnknownObjective)?;
        match metric.entry.better {
            Better::Neither => Err(SweepError::NoObjective(name.into())),
            Better::Lower | Better::Higher => Ok(Self { metric }),
        }
    }

    /// What a configuration is about: costs if it declares any, else the error.
    pub fn of(config: &Config) -> Result<Self, SweepError> {
        let balanced = config.balanced == Some(true);
        let name = match (config.declares_costs(), balanced) {
            (_, true) => "balanced_accuracy",
            (true, false) => "cost",
            (false, false) => "error",
        };
        Self::new(name)
    }

    /// Its name in JSON.
    pub fn name(&self) -> String {
        self.metric.name()
    }

    /// The metric.
    pub fn metric(&self) -> Chosen {
        self.metric
    }

    /// Which of two values is better: less is the better one. What is not defined comes last.
    pub fn compare(&self, a: Option<f64>, b: Option<f64>) -> std::cmp::Ordering {
        match (a, b) {
            (Some(a), Some(b)) if self.metric.entry.better == Better::Higher => b.total_cmp(&a),
            (Some(a), Some(b)) => a.total_cmp(&b),
            (a, b) => b.is_some().cmp(&a.is_some()),
        }
    }

    /// What single examples cost, for a race: only of metrics that are means of that, where all examples count alike.
    pub(super) fn losses(&self, config: &Config, learner: &str) -> Result<Losses, SweepError> {
        if config.importance_col.is_some() {
            return Err(SweepError::RaceOfUnequals);
        }
        let (missed, false_alarm) = match self.name().as_str() {
            "error" | "accuracy" | "mistakes" => (1.0, 1.0),
            "cost" if config.cost_col.is_none() => {
                let declared = config.setup(learner)?.costs;
                config.report_cost.unwrap_or((declared.missed, declared.false_alarm))
            }
            other => return Err(SweepError::NoRace(other.into())),
        };
        let most = f64::max(missed, false_alarm);
        Ok(Losses {
            costs: Costs { missed: missed / most, false_alarm: false_alarm / most, ..Costs::default() },
        })
    }
}

/// What errors cost, the dearest 1.
pub(super) struct Losses {
    costs: Costs,
}

impl Losses {
    /// What each labelled example has cost: its place in the batch, and the loss.
    pub(super) fn of<'a>(
        &'a self,
        batch: &'a Batch,
        predicted: &'a [Class],
    ) -> impl Iterator<Item = (usize, f64)> + 'a {
        let loss = |(i, (label, predicted)): (usize, (&Option<Class>, &Class))| {
            let truth = (*label)?;
            let cost = match (truth == *predicted, truth) {
                (true, _) => 0.0,
                (false, 0) => self.costs.false_alarm,
                (false, _) => self.costs.missed,
            };
            Some((i, cost * f64::from(batch.importances()[i]).min(1.0)))
        };
        batch.labels().iter().zip(predicted).enumerate().filter_map(loss)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_race_counts_errors_by_their_declared_costs() {
        let most = |config: &Config| {
            let losses = Objective::of(config).unwrap().losses(config, "arow").unwrap();
            (losses.costs.missed, losses.costs.false_alarm)
        };
        assert_eq!(most(&Config::default()), (1.0, 1.0));
        assert_eq!(most(&Config::default().cost_fn(4.0)), (1.0, 0.25));
        assert_eq!(most(&Config::default().report_cost((1.0, 2.0))), (0.5, 1.0));
        let weighted = Config::default().positive("spam").class_weight("spam=4");
        assert_eq!(most(&weighted), (1.0, 0.25));
    }
}
