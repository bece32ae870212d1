//! Several learners over a path of penalties and the same orders of the data.

mod error;
mod figures;
mod outcome;
mod path;
mod text;

use thalweg::{Config, Interrupt, MeasuredIn};
use thalweg_eval::{Better, Chosen, Figures};

pub use error::CompareError;
pub use figures::figures;
pub use outcome::{CurveSummary, DataFacts, LearnerOutcome, MetricFacts, Outcome, SettingOutcome};
pub use path::{Entrant, Setting, entrants, split_learners};
pub use text::{csv, rows, shown, table};

use outcome::Measured;

use crate::data_set::DataSet;
use crate::order::Orders;
use crate::queue::{Done, run_all};
use crate::trial::{Trial, TrialResult, milestones};

/// Online curves have so many points.
const CURVE_POINTS: usize = 40;

/// What is compared.
pub struct Comparison<'a> {
    /// What is learned from.
    pub data: &'a DataSet,
    /// What models are measured on; without it, figures are of the first pass, in which every example was scored before it was learned from.
    pub test: Option<&'a DataSet>,
    /// The orders that every setting of every learner goes through.
    pub orders: &'a Orders,
    /// The learners.
    pub entrants: &'a [Entrant],
    /// What is measured. The first metric says who is best.
    pub metrics: &'a [Chosen],
    /// How many trials run at once.
    pub jobs: usize,
}

/// The metrics of these names, the first of which says who is best. With none: the cost if costs are declared, else the error.
pub fn metrics(config: &Config) -> Result<Vec<Chosen>, CompareError> {
    let usual: &[&str] = match (config.declares_costs(), config.balanced) {
        (_, Some(true)) => &["balanced_accuracy"],
        (true, _) => &["cost", "balanced_accuracy"],
        (false, _) => &["error"],
    };
    let names: Vec<&str> = config.metrics.iter().map(String::as_str).collect();
    let names = if names.is_empty() { usual } else { &names[..] };
    let find = |name: &&str| thalweg_eval::find(name).map_err(thalweg::ConfigError::from);
    let metrics = names.iter().map(find).collect::<Result<Vec<Chosen>, _>>()?;
    match metrics.first().filter(|first| first.entry.better == Better::Neither) {
        Some(first) => Err(CompareError::NoDirection(first.name())),
        None => Ok(metrics),
    }
}

impl Comparison<'_> {
    /// How many trials there are.
    pub fn trials(&self) -> usize {
        self.orders.len() * self.settings().count()
    }

    fn settings(&self) -> impl Iterator<Item = &Setting> {
        self.entrants.iter().flat_map(|entrant| &entrant.settings)
    }

    /// Runs all trials. After an interrupt the outcome is of those that were done: orders come one after the other, so that all learners
    /// have been through the same ones, but for the last.
    pub fn run(
        &self,
        interrupt: &Interrupt,
        mut tell: impl FnMut(usize, usize),
    ) -> Result<Outcome, CompareError> {
        let settings: Vec<&Setting> = self.settings().collect();
        let milestones = milestones(self.data.len(), CURVE_POINTS);
        let run = |job: usize| {
            let (order, setting) = (self.orders.get(job / settings.len()), settings[job % settings.len()]);
            let trial = Trial {
                test: self.test,
                milestones: &milestones,
                ..Trial::new(&setting.config, self.data, &order)
            };
            Ok::<_, thalweg::Error>(trial.run(interrupt)?.map(|result| self.measured(&result)))
        };
        let tell = |done: &Done<Measured>| tell(done.done, done.total);
        let results = run_all(self.trials(), self.jobs, interrupt, run, tell)?;
        Ok(Outcome::of(self.data, self.test, self.entrants, self.metrics, self.orders.len(), &results))
    }

    fn measured(&self, result: &TrialResult) -> Measured {
        let figures = result.test.as_ref().unwrap_or(&result.figures);
        let value = |figures: &Figures, metric: &Chosen| match metric.entry.name {
            "nonzeros" => Some(result.nonzeros as f64),
            "updates" => Some(result.updates as f64),
            _ => figures.value(&metric.name()),
        };
        let first = self.metrics.first();
        Measured {
            values: self.metrics.iter().map(|metric| value(figures, metric)).collect(),
            nonzeros: result.nonzeros as f64,
            sparsity: result.sparsity,
            seconds: result.seconds,
            curve: result
                .curve
                .iter()
                .map(|point| (point.examples, first.and_then(|metric| point.figures.value(&metric.name()))))
                .collect(),
        }
    }
}

/// What is measured where there is test data, and where there is none.
pub fn measured_in(tested: bool) -> &'static [MeasuredIn] {
    if tested { &[MeasuredIn::Training, MeasuredIn::Testing] } else { &[MeasuredIn::Training] }
}
