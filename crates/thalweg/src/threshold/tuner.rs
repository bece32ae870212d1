//! Steers the threshold of a stream of two classes.

use std::fmt;

use serde::{Deserialize, Serialize};
use thalweg_core::Costs;

use super::cuts;
use super::level::{Level, mean};
use super::score_sketch::{ScoreSketch, Sides};
use super::target::Target;

/// Examples of each kind that a target needs before it is steered to.
const ENOUGH: u64 = 10;
/// The memory of a quantile holds so many examples beyond it, that of a curve so many examples of the rarer class.
const EXAMPLES_BEYOND: f64 = 200.0;
const RARER_EXAMPLES: f64 = 500.0;
/// The parts of a quantile, and of the rarer class, that are worth a bin.
const PART_OF_QUANTILE: f64 = 1.0 / 24.0;
const PART_OF_CURVE: f64 = 1.0 / 64.0;
/// How far an alert moves the precision to aim at, and how far it moves at most, as parts of the distance of the target to 0 or 1.
const PRECISION_GAIN: f64 = 0.02;
const PRECISION_REACH: f64 = 0.5;
/// No alert counts for more than so many average examples.
const LARGEST_ALERT: f64 = 10.0;
/// The lasting threshold is an average over this part of the events, and at most so many.
const AVERAGED: f64 = 4.0;
const LONGEST_AVERAGE: f64 = 20_000.0;
/// Scores and importances beyond these are as good as infinite.
const LARGEST_SCORE: f64 = 1e300;
const LARGEST_IMPORTANCE: f64 = f32::MAX as f64;

/// Chooses the decision threshold on the way through a stream: an example is positive if its score is greater than [`Self::threshold`].
///
/// In every round the caller decides with the threshold as it is, then shows the example to [`Self::observe`]. So no label has a part in the decision on its
/// own example. The scores must be those from before learning. The same rounds give the same thresholds, also if the tuner was stored and read back in between.
///
/// ```
/// # use thalweg::{Costs, ThresholdTuner};
/// let mut tuner = ThresholdTuner::new("recall>=0.9".parse()?, Costs::default(), 0.0);
/// let (mut found, mut missed) = (0, 0);
/// for round in 0..10_000 {
///     let positive = round % 10 == 0;
///     let score = f64::from(round * 7919 % 1000) / 1000.0 - if positive { 1.0 } else { 2.0 };
///     if positive && score > tuner.threshold() { found += 1 } else if positive { missed += 1 }
///     tuner.observe(score, Some(positive), 1.0);
/// }
/// assert!(found >= 880 && missed >= 80, "{found}, {missed}");
/// # Ok::<(), thalweg::TargetError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ThresholdTuner {
    target: Target,
    costs: Costs,
    /// The learner's own threshold.
    start: f64,
    now: f64,
    lasting: f64,
    /// Events when the lasting threshold was last averaged.
    averaged: u64,
    sketch: ScoreSketch,
    /// Errors to allow: missed positives, or alerts.
    level: Level,
    /// What is added to the precision to aim at.
    lift: f64,
    status: TargetStatus,
}

/// How the target is doing.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub enum TargetStatus {
    /// There were too few examples: the learner's own threshold is used.
    TooFew,
    /// The threshold is steered.
    Steered,
    /// No threshold has the precision wanted, on examples of late: that with the best precision is used.
    OutOfReach {
        /// The best precision, estimated with caution.
        best: f64,
    },
}

impl TargetStatus {
    /// Of two streams: what any of them achieves can be achieved.
    fn pooled(self, other: Self) -> Self {
        match (self, other) {
            (TargetStatus::Steered, _) | (_, TargetStatus::Steered) => TargetStatus::Steered,
            (TargetStatus::OutOfReach { best: a }, TargetStatus::OutOfReach { best: b }) => {
                TargetStatus::OutOfReach { best: a.max(b) }
            }
            (TargetStatus::TooFew, other) | (other, TargetStatus::TooFew) => other,
        }
    }
}

impl fmt::Display for TargetStatus {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            TargetStatus::TooFew => {
                write!(
                    f,
                    "too few examples: fewer than {ENOUGH} of a class; the learner's own threshold is used"
                )
            }
            TargetStatus::Steered => f.write_str("the threshold is steered to the target"),
            TargetStatus::OutOfReach { best } => {
                write!(
                    f,
                    "out of reach: the best precision of late is about {best:.2}, whatever the threshold; that one is used"
                )
            }
        }
    }
}

impl ThresholdTuner {
    /// A tuner that has seen nothing. It starts with the learner's own threshold (for a learner that takes a score of 0 for positive, the number next
    /// below 0). The costs are for [`Target::Cost`].
    pub fn new(target: Target, costs: Costs, start: f64) -> Self {
        let rate = |share: f64| share.min(1.0 - share);
        let quantile = |sides, share| {
            let finest = PART_OF_QUANTILE * rate(share);
            ScoreSketch::new(sides, finest, EXAMPLES_BEYOND / rate(share))
        };
        let (sketch, wanted) = match target {
            Target::Recall { least } => (quantile(Sides::Second, least), 1.0 - least),
            Target::Alerts { most, per } => (quantile(Sides::First, most / per), most / per),
            Target::Precision { .. } | Target::F { .. } | Target::Cost => {
                (ScoreSketch::new(Sides::Both, PART_OF_CURVE, RARER_EXAMPLES), 0.5)
            }
        };
        Self {
            target,
            costs,
            start,
            now: start,
            lasting: start,
            averaged: 0,
            sketch,
            level: Level::new(wanted),
            lift: 0.0,
            status: TargetStatus::TooFew,
        }
    }

    /// What the threshold is steered towards.
    pub fn target(&self) -> Target {
        self.target
    }

    /// The costs that it was built with.
    pub fn costs(&self) -> Costs {
        self.costs
    }

    /// How the target is doing.
    pub fn status(&self) -> TargetStatus {
        self.status
    }

    /// The threshold for the next example of the stream. It makes up for errors that were made: it is `f64::MIN`, so everything is positive, where another
    /// missed positive would break the target, and `f64::MAX` where another alert would.
    #[inline]
    pub fn threshold(&self) -> f64 {
        match self.target {
            Target::Recall { .. } if self.level.now() <= 0.0 => f64::MIN,
            Target::Alerts { .. } if self.level.now() <= 0.0 => f64::MAX,
            _ => self.now,
        }
    }

    /// The threshold for a model that learns no more: an average of those of late.
    pub fn lasting_threshold(&self) -> f64 {
        self.lasting
    }

    /// Shows an example with its score from before learning, after it was decided on. Examples without a label count for [`Target::Alerts`] only. An
    /// example with an importance of 2 counts as two.
    #[inline]
    pub fn observe(&mut self, score: f64, positive: Option<bool>, importance: f64) {
        if score.is_nan() || importance.is_nan() || importance <= 0.0 {
            return;
        }
        let flagged = score > self.threshold();
        let (score, importance) =
            (score.clamp(-LARGEST_SCORE, LARGEST_SCORE), importance.min(LARGEST_IMPORTANCE));
        let side = match (self.target, positive) {
            (Target::Alerts { .. }, _) => {
                self.level.observe(flagged, importance);
                0
            }
            (Target::Recall { .. }, Some(true)) => {
                self.level.observe(!flagged, importance);
                1
            }
            (Target::Recall { .. }, Some(false)) | (_, None) => return,
            (Target::Precision { least }, Some(positive)) => {
                if flagged {
                    self.lift_precision(least, positive, importance);
                }
                usize::from(positive)
            }
            (Target::F { .. } | Target::Cost, Some(positive)) => usize::from(positive),
        };
        if self.sketch.add(score, side, importance) {
            self.steer();
        }
    }

    /// If alerts were less precise than wanted, more precision is aimed at.
    fn lift_precision(&mut self, least: f64, hit: bool, importance: f64) {
        let room = least.min(1.0 - least);
        let weight = self.sketch.relative(importance).min(LARGEST_ALERT);
        let step = PRECISION_GAIN * room * weight * (least - f64::from(u8::from(hit)));
        self.lift = (self.lift + step).clamp(-PRECISION_REACH * room, PRECISION_REACH * room);
    }

    /// The tuner of two streams of these weights, side by side. Thresholds are means, scores of late are pooled.
    pub(crate) fn pooled(&self, weight: f64, other: &Self, others: f64) -> Self {
        // Who has not begun to steer has no say in where.
        let (weight, others) = match (self.status, other.status) {
            (TargetStatus::TooFew, TargetStatus::TooFew) => (weight, others),
            (TargetStatus::TooFew, _) => (0.0, others),
            (_, TargetStatus::TooFew) => (weight, 0.0),
            _ => (weight, others),
        };
        let mean = |a: f64, b: f64| mean(a, weight, b, others);
        Self {
            target: self.target,
            costs: self.costs,
            start: self.start,
            now: mean(self.now, other.now),
            lasting: mean(self.lasting, other.lasting),
            averaged: self.averaged.saturating_add(other.averaged),
            sketch: self.sketch.pooled(weight, &other.sketch, others),
            level: self.level.pooled(weight, &other.level, others),
            lift: mean(self.lift, other.lift),
            status: self.status.pooled(other.status),
        }
    }

    /// Without what all streams had counted in common, so many times too often.
    pub(crate) fn without(&mut self, common: Option<&Self>, times: u64) {
        if let Some(common) = common {
            self.averaged = self.averaged.saturating_sub(common.averaged.saturating_mul(times));
            self.sketch.without(&common.sketch, times);
            self.level.without(&common.level, times);
        }
    }

    /// The sketch has changed.
    fn steer(&mut self) {
        if !self.has_enough() {
            return;
        }
        self.status = TargetStatus::Steered;
        let (bins, totals) = (self.sketch.bins(), self.sketch.totals());
        let found = match self.target {
            Target::Recall { .. } => cuts::with_at_most_below(bins, 1, self.level.now() * totals[1]),
            Target::Alerts { .. } => cuts::with_at_most_above(bins, 0, self.level.now() * totals[0]),
            Target::Precision { least } => {
                let (lowest, (best, at)) = cuts::by_precision(bins, least + self.lift);
                if best < least {
                    self.status = TargetStatus::OutOfReach { best };
                }
                lowest.or(Some(at))
            }
            Target::F { beta } => {
                let recall = beta * beta;
                cuts::best(bins, |above| {
                    (1.0 + recall) * above[1] / (above[0] + above[1] + recall * totals[1])
                })
            }
            Target::Cost => {
                let imbalance = if self.costs.balanced { totals[0] / totals[1] } else { 1.0 };
                let (missed, false_alarm) = (self.costs.missed * imbalance, self.costs.false_alarm);
                cuts::best(bins, |above| (missed * above[1] - false_alarm * above[0]) / (missed * totals[1]))
            }
        };
        if let Some(threshold) = found.filter(|threshold| threshold.is_finite()) {
            self.now = threshold;
            self.average();
        }
    }

    fn has_enough(&self) -> bool {
        let [negatives, positives] = self.sketch.events();
        match self.target {
            Target::Recall { .. } => positives >= ENOUGH,
            // The first alert is due.
            Target::Alerts { most, per } => negatives as f64 * most >= per,
            Target::Precision { .. } | Target::F { .. } | Target::Cost => negatives.min(positives) >= ENOUGH,
        }
    }

    fn average(&mut self) {
        let events = self.sketch.events().iter().sum();
        let (first, new) = (self.averaged == 0, (events - self.averaged) as f64);
        self.averaged = events;
        let memory = (events as f64 / AVERAGED).min(LONGEST_AVERAGE);
        let part = if first { 1.0 } else { 1.0 - (-new / memory).exp() };
        self.lasting += (self.now - self.lasting) * part;
    }
}
