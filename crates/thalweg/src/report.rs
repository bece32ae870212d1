//! What a run achieved.

use serde::Serialize;
use thalweg_core::learner::Standings;
use thalweg_core::{ClassCost, Costs, Learner, Task};
use thalweg_data::{FeatureNames, Labels};
use thalweg_eval::{Calibration, CalibrationBin, Figures, OperatingCurve, ProgressiveFigures, Scores};

use crate::decision::Decision;
use crate::label_order::LongRuns;
use crate::score_use::ScoreUse;
use crate::threshold::{Target, TargetStatus};

/// What training achieved.
#[derive(Clone, Debug, Serialize)]
pub struct TrainReport {
    /// The learner with all its knobs.
    pub learner: String,
    /// How the race of learners went, if there was one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub race: Option<RaceReport>,
    /// How often it went through the data.
    pub passes: u64,
    /// Was the run interrupted before the end of the data?
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub interrupted: bool,
    /// Lines that could not be read.
    pub bad_lines: u64,
    /// Examples whose features had to be sorted or summed.
    pub sorted_examples: u64,
    /// Examples that were refused because their update would not have been finite.
    pub rejected: u64,
    /// Where the time went.
    pub seconds: Seconds,
    /// Labelled examples of the data, in one pass.
    #[serde(skip)]
    pub examples: u64,
    /// Which examples the figures are of.
    pub figures_of: FiguresOf,
    /// The figures. Every example was scored before it was learned from, if it was at all.
    #[serde(flatten)]
    pub figures: Figures,
    /// The threshold and its target, with two classes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub decision: Option<DecisionReport>,
    /// What errors on each class cost in the end, if not all cost 1.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub class_costs: Vec<CostOfClass>,
    /// How often mistakes became more frequent, if that was watched.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub drift_alarms: Option<u64>,
    /// How many labels were used, if there was a budget.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub label_budget: Option<LabelsUsed>,
    /// The costs that are reported.
    #[serde(skip)]
    pub costs: Costs,
    /// What each threshold would have given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub curves: Option<Curves>,
    /// Were values left as they are instead of scaled, because the examples have length 1?
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub unit_length: bool,
    /// Weights that are not zero.
    pub nonzeros: usize,
    /// Features that the data has, or that the learner remembers from before.
    pub features: usize,
    /// Classes that the learner knows.
    #[serde(skip)]
    pub classes: usize,
    /// Bytes of memory that the features occupy.
    pub memory: usize,
    /// Of hashed features: numbers in use, and about how many of them several names share.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub shared_numbers: Option<(u64, u64)>,
    /// Features that were forgotten because there were too many.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub evicted: Option<u64>,
    /// Share of zeros among the weights of all features.
    pub sparsity: Option<f64>,
    /// Is the data sorted by label?
    #[serde(skip_serializing_if = "Option::is_none")]
    pub long_runs: Option<LongRuns>,
    /// The file that the model was written to.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model: Option<Saved>,
    /// What the model achieved on test data.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub test: Option<EvalReport>,
}

/// How a race of learners went.
#[derive(Clone, Debug, Serialize)]
pub struct RaceReport {
    /// The learner that is left, or that leads.
    pub leader: String,
    /// Is it the one that is left? Else the model has all that are not eliminated.
    pub decided: bool,
    /// After how many examples it was decided, or how many have been looked at.
    pub examples: u64,
    /// All that took part.
    pub contenders: Vec<Contender>,
}

/// A learner in a race.
#[derive(Clone, Debug, Serialize)]
pub struct Contender {
    /// The learner with all its knobs.
    pub learner: String,
    /// Its average loss for as long as it took part: the share of errors, or their cost as a share of the dearest.
    pub loss: Option<f64>,
    /// After how many examples it was eliminated.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub eliminated_at: Option<u64>,
    /// Which learner it was worse than.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub by: Option<String>,
    /// The natural logarithm of the odds that were won by betting that it is worse.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub evidence: Option<f64>,
}

impl RaceReport {
    pub(crate) fn of(standings: &Standings<'_>) -> Self {
        let Standings { contenders, leader, race, decided } = *standings;
        let contender = |(number, learner): (usize, &String)| {
            let out = race.eliminated().iter().find(|out| out.contender == number);
            let examples = out.map_or(race.examples(), |out| out.at_examples);
            Contender {
                learner: learner.clone(),
                loss: (examples > 0).then(|| race.total_loss(number) / examples as f64),
                eliminated_at: out.map(|out| out.at_examples),
                by: out.map(|out| contenders[out.by].clone()),
                evidence: out.map(|out| out.evidence),
            }
        };
        Self {
            leader: contenders[leader].clone(),
            decided,
            examples: race.examples(),
            contenders: contenders.iter().enumerate().map(contender).collect(),
        }
    }
}

/// Which examples the figures of training are of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum FiguresOf {
    /// All examples, each before it was learned from.
    AllExamples,
    /// All examples of the first of several passes. In later passes they have been learned from before.
    FirstPass,
    /// Examples that were held out, in the last pass.
    HeldOut,
    /// None: the learner has learned from all of the data at once, and knew nothing before.
    Nothing,
}

/// Which scores are positive.
#[derive(Clone, Debug, Serialize)]
pub struct DecisionReport {
    /// Scores above this are positive.
    pub threshold: f64,
    /// What it is steered towards.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub target: Option<Target>,
    /// Whether that succeeded, in words.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub status: Option<String>,
}

impl DecisionReport {
    /// The threshold of a model that learns, if it is not simply that of the learner.
    pub(crate) fn of(learner: &dyn Learner, score_use: &ScoreUse) -> Option<Self> {
        let (Decision::Above(threshold) | Decision::AtLeast(threshold)) = score_use.decision(learner) else {
            return None;
        };
        match &score_use.tuner {
            Some(tuner) => Some(Self::steered(threshold, tuner.target(), tuner.status())),
            None => score_use.threshold.map(Self::fixed),
        }
    }

    pub(crate) fn fixed(threshold: f64) -> Self {
        Self { threshold, target: None, status: None }
    }

    pub(crate) fn steered(threshold: f64, target: Target, status: TargetStatus) -> Self {
        Self { threshold, target: Some(target), status: Some(status.to_string()) }
    }
}

/// What an error on a class costs.
#[derive(Clone, Debug, Serialize)]
pub struct CostOfClass {
    /// The label.
    pub label: String,
    /// What an error on an example of the class costs.
    pub cost: f64,
    /// Examples of the class so far, or what is left of them.
    pub examples: f64,
}

/// What errors on each class cost at the moment; nothing if all cost 1.
pub(crate) fn class_costs(learner: &dyn Learner, labels: &Labels) -> Vec<CostOfClass> {
    let costs = learner.class_costs();
    if costs.iter().all(|cost| cost.cost == 1.0) {
        return Vec::new();
    }
    let named = |cost: &ClassCost| CostOfClass {
        label: labels.name(cost.class).to_string(),
        cost: cost.cost,
        examples: cost.count,
    };
    costs.iter().map(named).collect()
}

/// How many labels were used.
#[derive(Clone, Debug, Serialize)]
pub struct LabelsUsed {
    /// Labels that were asked for.
    pub asked: u64,
    /// Of so many examples.
    pub of: u64,
    /// The figures of the same learner with all labels.
    pub with_all_labels: Figures,
}

impl From<((u64, u64), Figures)> for LabelsUsed {
    fn from(((asked, of), with_all_labels): ((u64, u64), Figures)) -> Self {
        Self { asked, of, with_all_labels }
    }
}

/// What each threshold gives, and how right probabilities are.
#[derive(Clone, Debug, Serialize)]
pub struct Curves {
    /// Two classes: thresholds from the highest to the lowest.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub thresholds: Option<OperatingCurve>,
    /// Bins of predicted probabilities.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub calibration: Vec<CalibrationBin>,
}

/// A curve has so many points at most.
const POINTS: usize = 1000;

impl Curves {
    /// The curves of what was kept; nothing if nothing was.
    pub(crate) fn of(scores: Option<&Scores>, calibration: Option<&Calibration>) -> Option<Self> {
        let thresholds = scores.map(|scores| scores.curve(POINTS));
        let calibration = calibration.map(Calibration::table).unwrap_or_default();
        (thresholds.is_some() || !calibration.is_empty()).then_some(Self { thresholds, calibration })
    }
}

/// Where the time went.
#[derive(Clone, Copy, Debug, Default, Serialize)]
pub struct Seconds {
    /// From beginning to end.
    pub total: f64,
    /// Waiting for the reader, which works at the same time.
    pub reading: f64,
    /// Learning.
    pub learning: f64,
}

/// A file that a model was written to.
#[derive(Clone, Debug, Serialize)]
pub struct Saved {
    /// Its name.
    pub file: String,
    /// Its size.
    pub bytes: u64,
}

/// What a model achieves on data that it does not learn from.
#[derive(Clone, Debug, Serialize)]
pub struct EvalReport {
    /// The names of the inputs.
    pub data: Vec<String>,
    /// Lines that could not be read.
    pub bad_lines: u64,
    /// Examples that have no finite score, and count as having a score of 0.
    #[serde(skip_serializing_if = "is_zero")]
    pub unscored: u64,
    /// Examples that have no feature that the model knows, of so many that were read.
    #[serde(skip)]
    pub unknown: u64,
    /// See [`Self::unknown`].
    #[serde(skip)]
    pub read: u64,
    /// From beginning to end.
    pub seconds: f64,
    /// The threshold and its target, with two classes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub decision: Option<DecisionReport>,
    /// The figures.
    #[serde(flatten)]
    pub figures: Figures,
    /// The costs that are reported.
    #[serde(skip)]
    pub costs: Costs,
    /// What each threshold would give.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub curves: Option<Curves>,
}

#[allow(clippy::trivially_copy_pass_by_ref)] // as serde wants it
fn is_zero(count: &u64) -> bool {
    *count == 0
}

/// The figures so far, with the names of the classes.
pub(crate) fn figures(run: &ProgressiveFigures, labels: &Labels) -> Figures {
    run.figures(|class| labels.name(class).to_string())
}

/// Of hashed features: how many numbers are in use, and about how many of them several names share.
pub(crate) fn shared_numbers(names: &FeatureNames, used: usize) -> Option<(u64, u64)> {
    match names {
        FeatureNames::Hashed(hashed) => Some((used as u64, hashed.shared(used as u64))),
        FeatureNames::Numbers | FeatureNames::Names(_) => None,
    }
}

/// Share of the weights that are zero: one weight per feature, or one per feature and class.
pub(crate) fn sparsity(learner: &dyn Learner, nonzeros: usize, features: usize) -> Option<f64> {
    let per_feature = if learner.task() == Task::Binary { 1 } else { learner.classes() };
    let all = features * per_feature;
    (all > 0).then(|| 1.0 - nonzeros as f64 / all as f64)
}
