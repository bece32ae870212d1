//! Ours beside the published number.

use serde::Serialize;

use super::configuration::Configuration;
use super::exhibit::{Part, Row};
use super::metric::Metric;
use super::runner::{Options, known_repetitions};
use super::store::Store;
use crate::Summary;

/// Differences up to so many standard errors are noise.
const NOISE: f64 = 2.0;
/// How often the papers repeated what they give means of, at least.
const PUBLISHED_REPETITIONS: f64 = 10.0;
/// Half of the third decimal, and a little for sums in another order.
const ROUNDING: f64 = 0.000_501;

/// One number of a table.
#[derive(Clone, Debug, Serialize)]
pub struct Comparison {
    /// The metric.
    pub metric: Metric,
    /// Ours, if all repetitions are known.
    pub ours: Option<Summary>,
    /// The published mean, where there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub published: Option<f64>,
    /// The published standard deviation, where there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub published_deviation: Option<f64>,
    /// Ours less the published mean.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub difference: Option<f64>,
    /// What to make of it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub verdict: Option<Verdict>,
}

/// What to make of a difference.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Verdict {
    /// All printed decimals are the same.
    Same,
    /// Within two standard errors: other permutations.
    Noise,
    /// More than that.
    Differs,
}

impl Verdict {
    /// In a word.
    pub fn word(self) -> &'static str {
        match self {
            Verdict::Same => "same",
            Verdict::Noise => "within noise",
            Verdict::Differs => "differs",
        }
    }
}

/// A row of a table with all its numbers.
#[derive(Clone, Debug, Serialize)]
pub struct RowComparison {
    /// What the paper calls the learner.
    pub learner: String,
    /// What we call it.
    pub spec: String,
    /// One for each metric of the table.
    pub numbers: Vec<Comparison>,
    /// The knob that was chosen so that numbers come near the published ones, if there is one: then it says little that they do.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub matched: Option<String>,
    /// Why a number differs, if one does.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

impl RowComparison {
    /// Does a number differ by more than noise?
    pub fn differs(&self) -> bool {
        self.numbers.iter().any(|number| number.verdict == Some(Verdict::Differs))
    }

    /// What to make of its first number, or why one differs.
    pub fn remark(&self) -> String {
        let verdict = self.numbers.first().and_then(|number| number.verdict);
        match (&self.reason, verdict, &self.matched) {
            (Some(reason), ..) => format!("differs: {reason}"),
            (None, Some(Verdict::Noise), Some(knob)) => {
                format!("within noise, but {knob} was chosen to match")
            }
            (None, Some(verdict), _) => verdict.word().into(),
            (None, None, _) => String::new(),
        }
    }
}

/// All rows of a part of a table.
pub fn compare(part: &Part, store: &Store, options: &Options) -> Vec<RowComparison> {
    let repetitions = known_repetitions(part, store, options);
    part.rows.iter().map(|row| of_row(part, row, store, repetitions)).collect()
}

/// The values of a metric in all repetitions of a point.
pub(super) fn values(
    configuration: &Configuration,
    repetitions: usize,
    metric: Metric,
    weight: Option<f64>,
    store: &Store,
) -> Option<Vec<f64>> {
    (0..repetitions).map(|i| Some(metric.of(store.get(configuration, i)?, weight))).collect()
}

/// Their mean and spread.
pub(super) fn summary(
    configuration: &Configuration,
    repetitions: usize,
    metric: Metric,
    weight: Option<f64>,
    store: &Store,
) -> Option<Summary> {
    Summary::of(&values(configuration, repetitions, metric, weight, store)?)
}

fn of_row(part: &Part, row: &Row, store: &Store, repetitions: usize) -> RowComparison {
    let mut points = part.points(row);
    if let (Some(_), Some(first)) = (&part.best, part.show.first()) {
        let mean = |point: &super::exhibit::Point| {
            let sign = if first.falls() { -1.0 } else { 1.0 };
            let mean = summary(&point.configuration, repetitions, *first, None, store);
            mean.map_or(f64::NEG_INFINITY, |ours| sign * ours.mean)
        };
        // Of equal ones the last, which has the greatest penalty.
        points.reverse();
        points.sort_by(|a, b| mean(b).total_cmp(&mean(a)));
    }
    let point = &points[0];
    let numbers: Vec<Comparison> = part
        .show
        .iter()
        .map(|metric| {
            let ours = summary(&point.configuration, repetitions, *metric, None, store);
            of_number(part, *metric, ours, row.published.get(metric).copied())
        })
        .collect();
    let mut compared = RowComparison {
        learner: row.learner.clone(),
        spec: point.configuration.spec.clone(),
        numbers,
        matched: matched(part, row),
        reason: None,
    };
    if compared.differs() {
        compared.reason =
            Some(if row.reason.is_empty() { "not explained".into() } else { row.reason.clone() });
    }
    compared
}

/// The first knob of the row that was chosen to match.
fn matched(part: &Part, row: &Row) -> Option<String> {
    let mut knobs = row.spec.split([':', ',']).filter_map(|knob| knob.split_once('='));
    knobs.find_map(|(name, _)| part.matched.iter().find(|matched| *matched == name).cloned())
}

fn of_number(
    part: &Part,
    metric: Metric,
    ours: Option<Summary>,
    published: Option<(f64, Option<f64>)>,
) -> Comparison {
    let difference = ours.zip(published).map(|(ours, (mean, _))| ours.mean - mean);
    let verdict = ours
        .zip(published)
        .filter(|_| !metric.is_time())
        .map(|(ours, published)| verdict(&ours, published, part.has_published_orders()));
    Comparison {
        metric,
        ours,
        published: published.map(|(mean, _)| mean),
        published_deviation: published.and_then(|(_, deviation)| deviation),
        difference,
        verdict,
    }
}

fn verdict(ours: &Summary, (mean, deviation): (f64, Option<f64>), same_orders: bool) -> Verdict {
    let difference = (ours.mean - mean).abs();
    if difference <= ROUNDING {
        return Verdict::Same;
    }
    // A few runs say little of their spread, one says nothing: then it is taken to be the published one. And the other way round.
    let few = (ours.count as f64) < PUBLISHED_REPETITIONS;
    let spread = deviation.filter(|deviation| few && *deviation > 0.0).unwrap_or(ours.deviation);
    let published = deviation.unwrap_or(spread) / PUBLISHED_REPETITIONS.sqrt();
    let error = published.hypot(spread / (ours.count as f64).sqrt());
    if difference <= NOISE * error && !same_orders { Verdict::Noise } else { Verdict::Differs }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_difference_is_noise_up_to_two_standard_errors() {
        let ours = |mean: f64| Summary { mean, deviation: 1.0, count: 10 };
        // √(1 / 10 + 1 / 10) = 0.447
        assert_eq!(verdict(&ours(50.0004), (50.0, Some(1.0)), false), Verdict::Same);
        assert_eq!(verdict(&ours(50.8), (50.0, Some(1.0)), false), Verdict::Noise);
        assert_eq!(verdict(&ours(50.9), (50.0, Some(1.0)), false), Verdict::Differs);
        // √(1 / 10 + 1 / 3) = 0.658, whatever the deviation of three runs.
        for deviation in [0.01, 5.0] {
            let three = |mean: f64| Summary { mean, deviation, count: 3 };
            assert_eq!(verdict(&three(51.3), (50.0, Some(1.0)), false), Verdict::Noise);
            assert_eq!(verdict(&three(51.4), (50.0, Some(1.0)), false), Verdict::Differs);
        }
        // The same orders leave no room for noise.
        assert_eq!(verdict(&ours(50.8), (50.0, Some(1.0)), true), Verdict::Differs);
        assert_eq!(verdict(&ours(49.2), (50.0, None), false), Verdict::Noise);
    }
}
