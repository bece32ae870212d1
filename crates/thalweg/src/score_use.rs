//! What is made of scores on their way through a stream: a class by a threshold, a probability, an alarm. A model keeps all of it, so that a run that
//! goes on is the run that never stopped.

use serde::{Deserialize, Serialize};
use thalweg_core::{Batch, Class, Costs, Learner, Outcomes, Task};

use crate::calibration::Calibrator;
use crate::config::Config;
use crate::decision::Decision;
use crate::drift::Alarm;
use crate::drift_watch::{DriftAction, DriftWatch};
use crate::error::ConfigError;
use crate::threshold::{Target, ThresholdTuner};

/// What a model does with scores, besides taking those above 0 for positive.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct ScoreUse {
    /// The threshold that was declared.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) threshold: Option<f64>,
    /// The threshold that follows a target.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) tuner: Option<ThresholdTuner>,
    /// Turns scores into probabilities.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) calibrator: Option<Calibrator>,
    /// Looks whether mistakes become more frequent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) drift: Option<DriftWatch>,
}

/// What became of the scores of a batch.
#[derive(Clone, Debug, Default)]
pub(crate) struct Predicted {
    /// The class of each example.
    pub(crate) classes: Vec<Class>,
    /// Probabilities, laid out as the scores; none if there are none.
    pub(crate) probabilities: Vec<f64>,
}

impl Predicted {
    pub(crate) fn append(&mut self, other: &mut Self) {
        self.classes.append(&mut other.classes);
        self.probabilities.append(&mut other.probabilities);
    }

    pub(crate) fn clear(&mut self) {
        self.classes.clear();
        self.probabilities.clear();
    }
}

impl ScoreUse {
    /// The same with what a configuration asks for besides. What there is already goes on.
    pub(crate) fn with(mut self, config: &Config, learner: &dyn Learner) -> Result<Self, ConfigError> {
        let two_classes = learner.task() == Task::Binary;
        if let Some(threshold) = config.threshold {
            if config.target.is_some() || self.tuner.is_some() {
                return Err(ConfigError::Together("threshold", "target"));
            }
            self.threshold = Some(checked_threshold(threshold, learner.task())?);
        }
        if let (Some(target), None) = (config.target, &self.tuner) {
            check_two_classes("target", two_classes)?;
            let start = match Decision::by(learner).at(self.threshold.take()) {
                Decision::Above(threshold) => threshold,
                Decision::AtLeast(threshold) => threshold.next_down(),
                Decision::Highest => 0.0,
            };
            // Other targets have nothing to do with costs, so what is reported does not change the model.
            let costs = match target {
                Target::Cost => config.costs_to_aim_at(learner)?,
                _ => Costs::default(),
            };
            self.tuner = Some(ThresholdTuner::new(target, costs, start));
        }
        if config.probabilities == Some(true) && self.calibrator.is_none() {
            self.calibrator = Some(Calibrator::new(learner.task()));
        }
        if let Some(action) = config.on_drift {
            // Raising variances by a factor of 1 changes nothing, and tells whether it can be done.
            if action == DriftAction::Boost && !learner.fork().boost(1.0) {
                return Err(ConfigError::NoVariance { setting: "`on_drift` boost", learner: learner.spec() });
            }
            match &mut self.drift {
                Some(watch) => watch.action = action,
                none => *none = Some(DriftWatch::new(action)),
            }
        }
        Ok(self)
    }

    /// Which class a score means to a model that does not learn.
    pub(crate) fn decision(&self, learner: &dyn Learner) -> Decision {
        match &self.tuner {
            Some(tuner) => Decision::Above(tuner.lasting_threshold()),
            None => Decision::by(learner).at(self.threshold),
        }
    }

    /// Does it follow the stream?
    fn follows(&self) -> bool {
        self.tuner.is_some() || self.calibrator.is_some() || self.drift.is_some()
    }

    /// Predicts the examples of a batch from their scores, each before its own label is looked at. `is_new` says whether the learner had
    /// not learned from the example when it scored it: only new ones show how good it is. `is_told` says whether the label was asked for.
    pub(crate) fn predict_and_follow(
        &mut self,
        decision: Decision,
        batch: &Batch,
        outcomes: &Outcomes,
        is_new: impl Fn(usize) -> bool,
        is_told: impl Fn(usize) -> bool,
        predicted: &mut Predicted,
    ) -> Vec<Alarm> {
        let decision = decision.at(self.threshold);
        predicted.clear();
        if !self.follows() {
            decision.decide(outcomes, &mut predicted.classes);
            return Vec::new();
        }
        let mut alarms = Vec::new();
        for i in 0..outcomes.len() {
            let scores = outcomes.scores_of(i);
            let class = match &self.tuner {
                Some(tuner) => Class::from(scores[0] > tuner.threshold()),
                None => decision.class(scores),
            };
            predicted.classes.push(class);
            self.push_probabilities(scores, &mut predicted.probabilities);
            let is_new = is_new(i);
            let label = batch.labels()[i].filter(|_| is_new && is_told(i));
            if is_new && outcomes.is_scored(i) {
                self.follow(scores, label, f64::from(batch.importances()[i]), f64::from(batch.cost(i)));
            }
            if let Some(drift) = &mut self.drift {
                // By the learner's own threshold: one that is steered makes more mistakes of one kind on purpose.
                let own = decision.class(scores);
                alarms.extend(drift.observe(label.map(|label| label != own)));
            }
        }
        alarms
    }

    fn follow(&mut self, scores: &[f64], label: Option<Class>, importance: f64, cost: f64) {
        if let Some(tuner) = &mut self.tuner {
            // Alerts are counted whether they have a label or not.
            let stake = if tuner.target() == Target::Cost { importance * cost } else { importance };
            tuner.observe(scores[0], label.map(|label| label == 1), stake);
        }
        if let (Some(calibrator), Some(label)) = (&mut self.calibrator, label) {
            calibrator.observe(scores, label, importance);
        }
    }

    /// Probabilities of all examples, laid out as their scores; none without a calibrator.
    pub(crate) fn probabilities(&self, outcomes: &Outcomes, probabilities: &mut Vec<f64>) {
        probabilities.clear();
        if self.calibrator.is_some() {
            (0..outcomes.len()).for_each(|i| self.push_probabilities(outcomes.scores_of(i), probabilities));
        }
    }

    fn push_probabilities(&self, scores: &[f64], probabilities: &mut Vec<f64>) {
        match (&self.calibrator, scores) {
            (None, _) => {}
            (Some(calibrator), [score]) => probabilities.push(calibrator.probability(*score)),
            (Some(calibrator), scores) => {
                let mut of_classes = Vec::new();
                calibrator.probabilities(scores, &mut of_classes);
                probabilities.append(&mut of_classes);
            }
        }
    }
}

fn check_two_classes(setting: &'static str, two_classes: bool) -> Result<(), ConfigError> {
    if two_classes { Ok(()) } else { Err(ConfigError::Together(setting, "multiclass")) }
}

/// A threshold that a model of this task can have.
pub(crate) fn checked_threshold(threshold: f64, task: Task) -> Result<f64, ConfigError> {
    check_two_classes("threshold", task == Task::Binary)?;
    if threshold.is_finite() {
        return Ok(threshold);
    }
    let must = "be a finite number";
    Err(ConfigError::Value { field: "threshold", must, got: threshold.to_string() })
}
