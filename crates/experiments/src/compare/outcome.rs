//! What came of a comparison.

use std::cmp::Ordering;
use std::collections::BTreeMap;

use serde::Serialize;
use thalweg_eval::{Better, Chosen};

use super::path::Entrant;
use crate::data_set::DataSet;
use crate::significance::{holm, paired};
use crate::summary::Summary;

/// What one trial says, in short.
#[derive(Clone, Debug)]
pub(super) struct Measured {
    /// One for each metric.
    pub(super) values: Vec<Option<f64>>,
    pub(super) nonzeros: f64,
    pub(super) sparsity: f64,
    pub(super) seconds: f64,
    /// The first metric of the first pass, after some of the examples.
    pub(super) curve: Vec<(u64, Option<f64>)>,
}

/// What came of a comparison.
#[derive(Clone, Debug, Serialize)]
pub struct Outcome {
    /// What was learned from.
    pub data: DataFacts,
    /// What models were measured on, if that was other data.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub test: Option<DataFacts>,
    /// How many orders of the data there are.
    pub orders: usize,
    /// Trials that were done, of so many.
    pub done: usize,
    /// See [`Self::done`].
    pub trials: usize,
    /// What was measured; the first says who is best.
    pub metrics: Vec<MetricFacts>,
    /// The learners, in the order in which they were named.
    pub learners: Vec<LearnerOutcome>,
    /// The metrics as the registry has them.
    #[serde(skip)]
    pub(super) chosen: Vec<Chosen>,
}

/// What data was like.
#[derive(Clone, Debug, Serialize)]
pub struct DataFacts {
    /// What it is called.
    pub name: String,
    /// Number of examples.
    pub examples: usize,
    /// Number of features that occur.
    pub features: usize,
    /// Lines that could not be read.
    pub bad_lines: u64,
}

/// A metric.
#[derive(Clone, Debug, Serialize)]
pub struct MetricFacts {
    /// Its name.
    pub name: String,
    /// Is a higher value better?
    pub higher_is_better: bool,
}

/// A learner along its path.
#[derive(Clone, Debug, Serialize)]
pub struct LearnerOutcome {
    /// As it was named.
    pub learner: String,
    /// The knob of its path.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub knob: Option<String>,
    /// Its settings, in the order of the path.
    pub settings: Vec<SettingOutcome>,
    /// Which of them is best in the first metric.
    pub best: Option<usize>,
    /// Is it the best learner?
    pub is_best: bool,
    /// How likely its best setting would differ so much from that of the best learner by the luck of the orders: paired over the same orders,
    /// corrected for the number of learners. Nothing for the best learner itself, and where there are fewer than two orders.
    pub p_value: Option<f64>,
}

/// A setting over all orders.
#[derive(Clone, Debug, Serialize)]
pub struct SettingOutcome {
    /// The learner with the knob of its path.
    pub learner: String,
    /// The value of that knob.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub value: Option<f64>,
    /// How many orders were gone through.
    pub repeats: usize,
    /// The metrics; those that are not defined are missing.
    pub metrics: BTreeMap<String, Summary>,
    /// Share of the weights that are zero.
    pub sparsity: Option<Summary>,
    /// Weights that are not zero.
    pub nonzeros: Option<Summary>,
    /// Processor time of learning.
    pub seconds: Option<Summary>,
    /// The first metric of the first pass, after some of the examples.
    pub curve: Vec<CurveSummary>,
    /// The first metric, order by order.
    #[serde(skip)]
    values: Vec<Option<f64>>,
}

/// A point of an online curve.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct CurveSummary {
    /// Examples so far.
    pub examples: u64,
    /// The metric of all examples so far.
    #[serde(flatten)]
    pub value: Summary,
}

/// A probability below this is taken for a difference.
pub(super) const SIGNIFICANT: f64 = 0.05;

impl Outcome {
    /// The results are those of all settings of all learners in the first order, then in the second, and so on.
    pub(super) fn of(
        data: &DataSet,
        test: Option<&DataSet>,
        entrants: &[Entrant],
        metrics: &[Chosen],
        orders: usize,
        results: &[Option<Measured>],
    ) -> Self {
        let facts = |data: &DataSet| DataFacts {
            name: data.name().into(),
            examples: data.len(),
            features: data.features(),
            bad_lines: data.bad_lines(),
        };
        let settings = entrants.iter().map(|entrant| entrant.settings.len()).sum::<usize>();
        let mut number = 0..settings;
        let learners = entrants.iter().map(|entrant| {
            let outcomes = entrant.settings.iter().zip(&mut number).map(|(setting, i)| {
                let over_orders: Vec<Option<&Measured>> =
                    results.iter().skip(i).step_by(settings.max(1)).map(Option::as_ref).collect();
                let learner = setting.config.learner.clone().unwrap_or_default();
                SettingOutcome::of(learner, setting.value, metrics, &over_orders)
            });
            LearnerOutcome {
                learner: entrant.learner.clone(),
                knob: entrant.knob.clone(),
                settings: outcomes.collect(),
                best: None,
                is_best: false,
                p_value: None,
            }
        });
        let metric = |metric: &Chosen| MetricFacts {
            name: metric.name(),
            higher_is_better: metric.entry.better == Better::Higher,
        };
        let mut outcome = Self {
            data: facts(data),
            test: test.map(facts),
            orders,
            done: results.iter().flatten().count(),
            trials: results.len(),
            metrics: metrics.iter().map(metric).collect(),
            learners: learners.collect(),
            chosen: metrics.to_vec(),
        };
        outcome.find_best();
        outcome
    }

    /// Finds the best setting of each learner, the best learner, and how the others differ from it.
    fn find_best(&mut self) {
        for i in 0..self.learners.len() {
            let settings = &self.learners[i].settings;
            let best = (0..settings.len()).filter(|j| self.first(&settings[*j]).is_some());
            self.learners[i].best =
                best.reduce(|a, b| if self.is_better(&settings[b], &settings[a]) { b } else { a });
        }
        let with_best: Vec<usize> =
            (0..self.learners.len()).filter(|i| self.learners[*i].best().is_some()).collect();
        let winner = with_best.iter().copied().reduce(|a, b| {
            match (self.learners[a].best(), self.learners[b].best()) {
                (Some(now), Some(next)) if self.is_better(next, now) => b,
                _ => a,
            }
        });
        let Some(winner) = winner else { return };
        self.learners[winner].is_best = true;
        let others: Vec<(usize, f64)> = with_best
            .into_iter()
            .filter(|i| *i != winner)
            .filter_map(|i| Some((i, self.learners[i].best()?.differs_from(self.learners[winner].best()?)?)))
            .collect();
        let corrected = holm(&others.iter().map(|(_, p)| *p).collect::<Vec<_>>());
        for ((i, _), p) in others.into_iter().zip(corrected) {
            self.learners[i].p_value = Some(p);
        }
    }

    /// The first metric of a setting.
    pub(super) fn first(&self, setting: &SettingOutcome) -> Option<Summary> {
        setting.metrics.get(&self.metrics.first()?.name).copied()
    }

    /// Is one setting better than another? Of equal ones the sparser.
    pub(super) fn is_better(&self, a: &SettingOutcome, b: &SettingOutcome) -> bool {
        let (Some(one), Some(other)) = (self.first(a), self.first(b)) else { return false };
        let higher = self.metrics.first().is_some_and(|metric| metric.higher_is_better);
        let order = if higher { one.mean.total_cmp(&other.mean) } else { other.mean.total_cmp(&one.mean) };
        let sparsity = |setting: &SettingOutcome| setting.sparsity.map_or(0.0, |sparsity| sparsity.mean);
        match order {
            Ordering::Equal => sparsity(a) > sparsity(b),
            order => order == Ordering::Greater,
        }
    }

    /// The best setting of a learner that is at least so sparse.
    pub fn best_from<'a>(&self, learner: &'a LearnerOutcome, sparsity: f64) -> Option<&'a SettingOutcome> {
        let sparse = learner.settings.iter().filter(|setting| {
            self.first(setting).is_some() && setting.sparsity.is_some_and(|found| found.mean >= sparsity)
        });
        sparse.reduce(|best, next| if self.is_better(next, best) { next } else { best })
    }

    /// Was everything done?
    pub fn is_complete(&self) -> bool {
        self.done == self.trials
    }
}

impl LearnerOutcome {
    /// Its best setting.
    pub fn best(&self) -> Option<&SettingOutcome> {
        self.settings.get(self.best?)
    }

    /// Is it worse than the best learner, and not by chance?
    pub fn is_worse(&self) -> bool {
        self.p_value.is_some_and(|p| p < SIGNIFICANT)
    }
}

impl SettingOutcome {
    fn of(learner: String, value: Option<f64>, metrics: &[Chosen], orders: &[Option<&Measured>]) -> Self {
        let done: Vec<&Measured> = orders.iter().filter_map(|order| *order).collect();
        let summary =
            |of: fn(&Measured) -> f64| Summary::of(&done.iter().map(|one| of(one)).collect::<Vec<_>>());
        let metric = |(i, metric): (usize, &Chosen)| {
            Some((metric.name(), Summary::of_all(done.iter().map(|one| one.values[i]))?))
        };
        let points = done.first().map_or(0, |first| first.curve.len());
        let curve = (0..points).filter_map(|i| {
            let value = Summary::of_all(done.iter().map(|one| one.curve.get(i).and_then(|point| point.1)))?;
            Some(CurveSummary { examples: done[0].curve[i].0, value })
        });
        Self {
            learner,
            value,
            repeats: done.len(),
            metrics: metrics.iter().enumerate().filter_map(metric).collect(),
            sparsity: summary(|one| one.sparsity),
            nonzeros: summary(|one| one.nonzeros),
            seconds: summary(|one| one.seconds),
            curve: curve.collect(),
            values: orders
                .iter()
                .map(|order| order.and_then(|one| one.values.first().copied().flatten()))
                .collect(),
        }
    }

    /// How likely the difference to another setting is by chance, over the orders that both went through.
    fn differs_from(&self, other: &Self) -> Option<f64> {
        let pairs = self.values.iter().zip(&other.values).filter_map(|(a, b)| Some(((*a)?, (*b)?)));
        let (a, b): (Vec<f64>, Vec<f64>) = pairs.unzip();
        paired(&a, &b)
    }
}
