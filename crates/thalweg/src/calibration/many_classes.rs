//! Many classes: a probability for each.

use serde::{Deserialize, Serialize};

use super::two_classes::TwoClasses;

/// How many examples are remembered: a part of those so far, within limits.
const FORGETTING: f64 = 4.0;
const SHORTEST_MEMORY: f64 = 20.0;
const LONGEST_MEMORY: f64 = 2000.0;
/// An example changes the logarithm of the sharpness by no more than this.
const LONGEST_STEP: f64 = 0.5;
/// The sharpness is from e⁻⁶⁰⁰ to e⁶⁰⁰: scores may have any scale.
const LARGEST: f64 = 600.0;
/// No example counts for more than so many average ones.
const LARGEST_IMPORTANCE: f64 = 10.0;

/// The softmax of scores times a sharpness (one over the temperature), which is learned by Newton steps on its logarithm. Then the probability of the class
/// with the highest score is calibrated as that of two classes: it is right, or it is not. The others share the rest as before.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct ManyClasses {
    /// The logarithm of the sharpness; none before the first example whose scores differ.
    sharpness: Option<f64>,
    curvature: f64,
    examples: u64,
    /// The average importance of an example.
    importance: f64,
    highest: TwoClasses,
}

impl ManyClasses {
    pub(super) fn probabilities(&self, scores: &[f64], out: &mut Vec<f64>) {
        let Some(top) = self.softmax(scores, out) else { return };
        let rest: f64 = others(out, top).sum();
        if rest <= 0.0 {
            return;
        }
        // The class with the highest score stays ahead of all others, whatever is rounded.
        let rival = others(out, top).fold(0.0, f64::max) / rest;
        let p = self.highest.probability(log_odds(out[top], rest)).max(rival / (1.0 + rival) * (1.0 + 1e-12));
        for (class, probability) in out.iter_mut().enumerate() {
            *probability = if class == top { p } else { *probability / rest * (1.0 - p) };
        }
    }

    pub(super) fn observe(&mut self, scores: &[f64], class: usize, importance: f64) {
        if importance.is_nan() || importance <= 0.0 || class >= scores.len() {
            return;
        }
        let importance = importance.min(f64::from(f32::MAX));
        let mut p = Vec::with_capacity(scores.len());
        let Some(top) = self.softmax(scores, &mut p) else { return };
        let rest: f64 = others(&p, top).sum();
        if self.sharpness.is_some() && rest > 0.0 {
            self.highest.observe(log_odds(p[top], rest), top == class, importance);
        }
        self.sharpen(scores, &p, class, importance);
    }

    /// What is learned from two streams of these weights, side by side.
    pub(super) fn pooled(&self, weight: f64, other: &Self, others: f64) -> Self {
        let mean = |a: f64, b: f64| (a * weight + b * others) / (weight + others);
        let (sharpness, curvature) = match (self.sharpness, other.sharpness) {
            (Some(a), Some(b)) => (Some(mean(a, b)), mean(self.curvature, other.curvature)),
            (Some(_), None) => (self.sharpness, self.curvature),
            (None, _) => (other.sharpness, other.curvature),
        };
        Self {
            sharpness,
            curvature,
            examples: self.examples.saturating_add(other.examples),
            importance: mean(self.importance, other.importance),
            highest: self.highest.pooled(weight, &other.highest, others),
        }
    }

    /// Without what all streams had counted in common, so many times too often.
    pub(super) fn without(&mut self, common: &Self, times: u64) {
        self.examples = self.examples.saturating_sub(common.examples.saturating_mul(times));
        self.highest.without(&common.highest, times);
    }

    fn sharpen(&mut self, scores: &[f64], p: &[f64], class: usize, importance: f64) {
        let range =
            scores.iter().fold(f64::MIN, |a, b| a.max(*b)) - scores.iter().fold(f64::MAX, |a, b| a.min(*b));
        if range <= 0.0 {
            return;
        }
        self.examples += 1;
        self.importance += (importance - self.importance) / (self.examples as f64).min(LONGEST_MEMORY);
        let weight = (importance / self.importance).min(LARGEST_IMPORTANCE);
        let Some(sharpness) = self.sharpness else {
            (self.sharpness, self.curvature) = (Some(-range.ln()), 1.0);
            return;
        };
        let scaled = |k: usize| sharpness.exp() * (scores[k] - scores[class]);
        let mean: f64 = p.iter().enumerate().map(|(k, p)| p * scaled(k)).sum();
        let variance: f64 = p.iter().enumerate().map(|(k, p)| p * (scaled(k) - mean).powi(2)).sum();
        if !mean.is_finite() || !variance.is_finite() {
            return;
        }
        let memory = (self.examples as f64 / FORGETTING).clamp(SHORTEST_MEMORY, LONGEST_MEMORY);
        self.curvature = (self.curvature * (1.0 - 1.0 / memory) + weight * variance).clamp(1e-6, f64::MAX);
        let step = (weight * mean / self.curvature).clamp(-LONGEST_STEP, LONGEST_STEP);
        self.sharpness = Some((sharpness - step).clamp(-LARGEST, LARGEST));
    }

    /// The softmax, and the first of the classes with the highest score. All classes are alike if a score is no number, or nothing was learned.
    fn softmax(&self, scores: &[f64], out: &mut Vec<f64>) -> Option<usize> {
        out.clear();
        let higher = |best: usize, next: usize| if scores[next] > scores[best] { next } else { best };
        let top = (0..scores.len()).reduce(higher)?;
        let sharpness = self.sharpness.map_or(0.0, f64::exp);
        let exponent = |score: f64| (sharpness * (score - scores[top])).min(0.0);
        out.extend(scores.iter().map(|score| exponent(*score).exp()));
        let sum: f64 = out.iter().sum();
        out.iter_mut().for_each(|p| *p /= sum);
        if scores.iter().any(|score| !score.is_finite()) {
            out.fill(1.0 / scores.len() as f64);
            return None;
        }
        Some(top)
    }
}

fn others(p: &[f64], top: usize) -> impl Iterator<Item = f64> + '_ {
    p.iter().enumerate().filter(move |(class, _)| *class != top).map(|(_, p)| *p)
}

/// The log odds of the highest class.
fn log_odds(top: f64, rest: f64) -> f64 {
    (top / rest).ln()
}
