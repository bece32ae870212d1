//! Golden traces: what the papers' algorithms say in every round, from a slow float64 transcription of the papers.
//! Every registered learner must have one, and must follow it.
#![allow(missing_docs, clippy::unwrap_used, clippy::print_stderr)]

use std::collections::BTreeMap;

use thalweg_core::learners::{self, LEARNERS};
use thalweg_core::{Learner, Outcomes, REAL};
use thalweg_laws::{Run, Task, Traces};

fn tolerance() -> f64 {
    if REAL == "f64" { 1e-9 } else { 1e-4 }
}

fn close(ours: f64, theirs: f64) -> bool {
    (ours - theirs).abs() <= tolerance() * theirs.abs().max(1.0)
}

fn follow(run: &Run, task: &Task) {
    let at = |round: usize| format!("{} on {}, round {}", run.learner, run.task, round + 1);
    let mut learner = learners::build(&run.learner, run.costs()).unwrap();
    let mut outcomes = Outcomes::default();
    learner.learn_batch(&task.batch(), &mut outcomes);
    for t in 0..task.y.len() {
        let (ours, theirs) = (outcomes.scores[t], run.score[t]);
        assert!(close(ours, theirs), "{}: score {ours}, trace {theirs}", at(t));
        assert_eq!(outcomes.updated[t], run.updated[t], "{}: updated", at(t));
        assert_eq!(outcomes.predicted(t) == 1, run.predicted[t] > 0, "{}: predicted", at(t));
        let (ours, theirs) = (outcomes.losses[t], run.loss[t]);
        assert!(close(ours, theirs), "{}: loss {ours}, trace {theirs}", at(t));
    }
    let ours = dense_weights(learner.as_ref(), task.d);
    for (feature, (ours, theirs)) in ours.iter().zip(&run.weights).enumerate() {
        assert!(close(*ours, *theirs), "{}: weight of {feature} is {ours}, trace {theirs}", run.learner);
        assert!(
            (*ours == 0.0) == (*theirs == 0.0) || theirs.abs() < tolerance(),
            "{}: zero {feature}",
            run.learner
        );
    }
}

fn dense_weights(learner: &dyn Learner, d: u32) -> Vec<f64> {
    let mut dense = vec![0.0; d as usize];
    learner.weights().iter().for_each(|w| dense[w.feature as usize] = w.value);
    dense
}

#[test]
fn every_learner_follows_its_traces() {
    let traces = Traces::binary();
    let mut followed = BTreeMap::new();
    for run in &traces.runs {
        if let Some(entry) = run.entry() {
            follow(run, &traces.tasks[&run.task]);
            *followed.entry(entry.name).or_insert(0) += 1;
        }
    }
    for entry in LEARNERS {
        assert!(followed.contains_key(entry.name), "{} is registered but has no trace", entry.name);
    }
    eprintln!("{} traces of {} learners in {REAL}", followed.values().sum::<i32>(), followed.len());
}
