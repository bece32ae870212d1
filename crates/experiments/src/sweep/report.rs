//! What a sweep found.

use std::cmp::Ordering;

use serde::Serialize;
use thalweg_eval::Figures;

use super::objective::Objective;
use crate::grid::Candidate;
use crate::summary::Summary;

/// What a sweep found, the best candidates first.
#[derive(Clone, Debug, Serialize)]
pub struct SweepReport {
    /// The metric that candidates are compared by.
    pub objective: String,
    /// Other metrics that were asked for.
    pub metrics: Vec<String>,
    /// How they were measured: `progressive`, `holdout` or `folds`.
    pub validation: &'static str,
    /// Labelled examples of the data.
    pub examples: u64,
    /// Lines that could not be read.
    pub bad_lines: u64,
    /// Was the data ended by an interrupt?
    pub interrupted: bool,
    /// How often the data was gone through.
    pub passes: u64,
    /// All of the time that it took.
    pub seconds: f64,
    /// All candidates, the best first.
    pub candidates: Vec<CandidateReport>,
}

/// What was found of a candidate.
#[derive(Clone, Debug, Serialize)]
pub struct CandidateReport {
    /// The candidate's place in the grid, counted from 1.
    pub number: usize,
    /// Learner and settings.
    #[serde(flatten)]
    pub candidate: Candidate,
    /// The value of the objective; with folds the mean over them. None if it is not defined.
    pub value: Option<f64>,
    /// With folds, the standard deviation over them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub deviation: Option<f64>,
    /// All figures; none with folds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub figures: Option<Figures>,
    /// With folds, the figures of each.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub folds: Vec<Figures>,
    /// Weights that are not zero.
    pub nonzeros: usize,
    /// The time to learn from an example. Candidates that learned side by side share theirs.
    pub nanoseconds: f64,
    /// Is no other candidate at least as good in value, non-zeros and time, and better in one of them?
    pub pareto: bool,
    /// If it left the race: when, and because of whom.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub eliminated: Option<Eliminated>,
}

/// Why a candidate left the race.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Eliminated {
    /// After how many measured examples.
    pub at_examples: u64,
    /// The number of the candidate that was better.
    pub by: usize,
    /// So many times less likely is the difference, if the two were equally good.
    pub odds: f64,
}

impl CandidateReport {
    /// A metric; with folds its mean and deviation over them. None if it is not defined, be it in one fold.
    pub fn summary(&self, metric: &str) -> Option<Summary> {
        Summary::of_all(self.figures.iter().chain(&self.folds).map(|figures| figures.value(metric)))
    }

    /// Was there any example that the candidate could be measured on?
    pub fn is_measured(&self) -> bool {
        self.figures.iter().chain(&self.folds).any(|figures| figures.examples() > 0)
    }
}

impl SweepReport {
    /// The best candidate, if anything could be measured.
    pub fn winner(&self) -> Option<&CandidateReport> {
        self.candidates.first().filter(|best| best.value.is_some())
    }

    /// Sorts the candidates, and marks those that no other is better than in every respect.
    pub(super) fn ranked(mut self, objective: &Objective) -> Self {
        // Those that left the race had fewer examples to be measured on.
        self.candidates.sort_by(|a, b| {
            a.eliminated
                .is_some()
                .cmp(&b.eliminated.is_some())
                .then_with(|| objective.compare(a.value, b.value))
                .then_with(|| a.nonzeros.cmp(&b.nonzeros))
                .then_with(|| a.number.cmp(&b.number))
        });
        let front: Vec<bool> = self
            .candidates
            .iter()
            .map(|one| !self.candidates.iter().any(|other| beats(objective, other, one)))
            .collect();
        self.candidates
            .iter_mut()
            .zip(front)
            .for_each(|(one, front)| one.pareto = front && one.value.is_some());
        self
    }
}

/// Is a candidate at least as good as another in all respects, and better in one?
fn beats(objective: &Objective, a: &CandidateReport, b: &CandidateReport) -> bool {
    let value = objective.compare(a.value, b.value);
    // A race ends the measuring of those that are worse.
    if a.eliminated.is_some() {
        return false;
    }
    // Times that differ by less than a tenth are the same: they are not measured more exactly than that.
    let time = match a.nanoseconds / b.nanoseconds {
        ratio if ratio < 0.9 => Ordering::Less,
        ratio if ratio > 1.1 => Ordering::Greater,
        _ => Ordering::Equal,
    };
    let all = [value, a.nonzeros.cmp(&b.nonzeros), time];
    all.iter().all(|order| *order != Ordering::Greater) && all.contains(&Ordering::Less)
}
