//! Golden traces: what the papers' algorithms say in every round, from a slow float64 transcription of the papers.
//! Every registered learner must have one, and must follow it.
#![allow(missing_docs, clippy::unwrap_used, clippy::print_stderr)]

use std::collections::BTreeMap;

use thalweg::Decision;
use thalweg_core::learners::LEARNERS;
use thalweg_core::{Batch, Learner, Outcomes, REAL, Real};
use thalweg_laws::{Examples, Numbers, Run, Traces};

fn tolerance() -> f64 {
    if REAL == "f64" { 1e-9 } else { 1e-4 }
}

fn close(ours: f64, theirs: f64) -> bool {
    (ours - theirs).abs() <= tolerance() * theirs.abs().max(1.0)
}

fn follow(run: &Run, task: &Examples) {
    let at = |round: usize| format!("{} on {}, round {}", run.learner, run.task, round + 1);
    let mut learner = run.build();
    let mut outcomes = Outcomes::default();
    learner.learn(&task.batch(), &mut outcomes).unwrap();
    let predicted = Decision::of(learner.task()).classes(&outcomes);
    assert_eq!(predicted.len(), task.y.len());
    for (t, predicted) in predicted.into_iter().enumerate() {
        let (ours, theirs) = (outcomes.scores_of(t), run.score[t].as_slice());
        assert_eq!(ours.len(), theirs.len(), "{}: number of scores", at(t));
        let fits = ours.iter().zip(theirs).all(|(ours, theirs)| close(*ours, *theirs));
        assert!(fits, "{}: score {ours:?}, trace {theirs:?}", at(t));
        assert_eq!(outcomes.updated[t], run.updated[t], "{}: updated", at(t));
        assert_eq!(predicted, run.predicted[t].max(0) as u32, "{}: predicted", at(t));
        let (ours, theirs) = (outcomes.losses[t], run.loss[t]);
        assert!(close(ours, theirs), "{}: loss {ours}, trace {theirs}", at(t));
    }
    let theirs: Vec<f64> = run.weights.iter().flat_map(Numbers::as_slice).copied().collect();
    let ours = dense_weights(learner.as_ref(), task.d, theirs.len());
    for (position, (ours, theirs)) in ours.iter().zip(&theirs).enumerate() {
        assert!(close(*ours, *theirs), "{}: weight {position} is {ours}, trace {theirs}", run.learner);
        let both_zero = (*ours == 0.0) == (*theirs == 0.0) || theirs.abs() < tolerance();
        assert!(both_zero, "{}: weight {position} is {ours}, trace {theirs}", run.learner);
    }
}

/// All weights, class after class.
fn dense_weights(learner: &dyn Learner, d: u32, length: usize) -> Vec<f64> {
    let mut dense = vec![0.0; length];
    learner
        .weights()
        .iter()
        .for_each(|w| dense[(w.class.unwrap_or(0) * d + w.feature - 1) as usize] = w.value);
    dense
}

/// Follows all traces of registered learners; how many there were of each.
fn follow_all(traces: &Traces, follow: impl Fn(&Run, &Examples)) -> BTreeMap<&'static str, usize> {
    let mut followed = BTreeMap::new();
    for run in &traces.runs {
        if let Some(entry) = run.entry() {
            follow(run, &traces.tasks[&run.task]);
            *followed.entry(entry.name).or_insert(0) += 1;
        }
    }
    eprintln!("{} traces of {} learners in {REAL}", followed.values().sum::<usize>(), followed.len());
    followed
}

/// Follows a learner that takes its examples by the batch. Those that stop when they are close enough may be farther off.
fn follow_batches(run: &Run, task: &Examples) {
    let iterative = run.entry().is_some_and(|entry| entry.has_knob("tolerance"));
    let allowed = if iterative { tolerance().max(1e-6) } else { tolerance() };
    let close = |ours: f64, theirs: f64| (ours - theirs).abs() <= allowed * theirs.abs().max(1.0);
    let mut learner = run.build();
    let all = task.batch();
    let size = run.options.batch.unwrap();
    for (number, after) in run.per_batch.iter().enumerate() {
        let mut part = Batch::default();
        (number * size..(number + 1) * size).for_each(|i| part.push_from(&all, i));
        learner.learn(&part, &mut Outcomes::default()).unwrap();
        let at = format!("{} on {}, batch {}", run.learner, run.task, number + 1);
        let weights = dense_weights(learner.as_ref(), task.d, after.weights.len());
        for (feature, (ours, theirs)) in weights.iter().zip(&after.weights).enumerate() {
            assert!(close(*ours, *theirs), "{at}: weight {feature} is {ours}, trace {theirs}");
            assert!((*ours == 0.0) == (*theirs == 0.0) || theirs.abs() < allowed, "{at}: weight {feature}");
        }
        for (feature, theirs) in after.variances.iter().flatten().enumerate() {
            let ours = learner.variance(feature as u32 + 1, None).unwrap();
            assert!(close(ours, *theirs), "{at}: variance {feature} is {ours}, trace {theirs}");
        }
        if let Some(theirs) = &after.features {
            let mut ours: Vec<u32> = learner.chosen().iter().map(|c| c.feature - 1).collect();
            ours.sort_unstable();
            assert_eq!(&ours, theirs, "{at}: features");
        }
    }
}

#[test]
fn every_learner_follows_its_traces() {
    let mut followed = follow_all(&Traces::binary(), follow);
    followed.extend(follow_all(&Traces::ftrl(), follow));
    followed.extend(follow_all(&Traces::sarow(), follow));
    followed.extend(follow_all(&Traces::auto(), follow));
    followed.extend(follow_all(&Traces::batch(), follow_batches));
    followed.extend(follow_all(&Traces::sketches(), follow));
    followed.extend(follow_all(&Traces::bcw(), follow_batches));
    assert_eq!(follow_all(&Traces::variants(), follow).len(), 10);
    for entry in LEARNERS {
        assert!(followed.contains_key(entry.name), "{} is registered but has no trace", entry.name);
    }
}

#[test]
fn learners_of_many_classes_follow_their_traces() {
    assert_eq!(follow_all(&Traces::multiclass(), follow).len(), 7);
}

/// `make test` says which precision it asks for.
#[test]
fn the_precision_is_the_one_that_was_asked_for() {
    let size = if REAL == "f64" { size_of::<f64>() } else { size_of::<f32>() };
    assert_eq!(size_of::<Real>(), size);
    if let Ok(asked) = std::env::var("THALWEG_REAL") {
        assert_eq!(REAL, asked);
    }
}
