//! What `thalweg train` does without flags, from raw values to the score: golden traces from a slow float64 reference. One has mixed units, one sparse examples of
//! length 1, one dense examples of length 1.
#![allow(missing_docs, clippy::unwrap_used)]

use std::collections::BTreeMap;
use std::sync::Arc;

use serde::Deserialize;
use thalweg::observer::{Refusal, Seen};
use thalweg::{Config, Format, Input, Observer, Predictions, Predictor, Trainer};
use thalweg_core::{BIAS, REAL};

#[derive(Deserialize)]
struct Trace {
    examples: Vec<String>,
    scores: Vec<f64>,
    unseen: String,
    unseen_score: f64,
    weights: BTreeMap<u32, f64>,
    bias: f64,
}

struct Scores(Vec<f64>);

impl Observer for Scores {
    fn batch(&mut self, seen: &Seen<'_>) -> Result<(), Refusal> {
        self.0.extend((0..seen.batch.len()).map(|i| seen.outcomes.scores_of(i)[0]));
        Ok(())
    }
}

#[test]
fn training_without_flags_follows_the_reference() {
    let traces: Vec<Trace> = serde_json::from_str(include_str!("../traces/no_flags.json")).unwrap();
    assert_eq!(traces.len(), 3);
    traces.iter().for_each(follows);
}

fn follows(trace: &Trace) {
    // The mean of 2015 and the width of 30 years leave four digits of an f32.
    let tolerance = if REAL == "f64" { 1e-9 } else { 3e-3 };
    let mut trainer = Trainer::new(Config::default()).unwrap();
    let mut scores = Scores(Vec::new());
    let input = Input::bytes("trace.svm", trace.examples.join("\n").into_bytes());
    trainer.run(&[input], &mut scores).unwrap();
    assert_eq!(scores.0.len(), trace.scores.len());
    for (round, (ours, theirs)) in scores.0.iter().zip(&trace.scores).enumerate() {
        assert!((ours - theirs).abs() < tolerance, "round {}: score {ours}, trace {theirs}", round + 1);
    }

    let model = Arc::new(trainer.into_model().unwrap());
    let ours: BTreeMap<u32, f64> =
        model.learner().weights().iter().map(|weight| (weight.feature, weight.value)).collect();
    for feature in trace.weights.keys().chain(ours.keys()).filter(|feature| **feature != BIAS) {
        let [ours, theirs] = [&ours, &trace.weights].map(|all| all.get(feature).copied().unwrap_or(0.0));
        assert!((ours - theirs).abs() < tolerance, "weight {feature} is {ours}, trace {theirs}");
    }
    assert!((ours[&BIAS] - trace.bias).abs() < tolerance);

    let mut predictions = Predictions::default();
    let unseen = format!("1 {}\n", trace.unseen);
    Predictor::new(model).score_records(unseen.as_bytes(), Format::LIBSVM, &mut predictions).unwrap();
    assert!((predictions.scores(0)[0] - trace.unseen_score).abs() < tolerance);
}
