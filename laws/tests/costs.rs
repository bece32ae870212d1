//! What is true of costs, whichever learner takes them.
#![allow(missing_docs, clippy::unwrap_used)]

use thalweg::Decision;
use thalweg_core::cost::{CostUse, Costs};
use thalweg_core::learners::{self, with_knob};
use thalweg_core::model::ModelFile;
use thalweg_core::{ClassWeights, Setup, Task};
use thalweg_laws::{Candidate, Example, bytes, candidates, learn};

fn for_every(law: impl Fn(&Candidate)) {
    candidates().iter().for_each(law);
}

/// Steps that follow the costs do not depend on what costs are counted in.
#[test]
fn costs_in_cents_are_costs_in_dollars() {
    for_every(|c| {
        let scaled = matches!(c.entry.costs, CostUse::Slope | CostUse::Strength);
        if !scaled || c.task != Task::Binary || c.with_steps_set() == c.spec {
            return;
        }
        let examples = c.stream(300, 23);
        let [dollars, cents] = [1.0, 4.0].map(|unit| {
            let costs = Costs { missed: 16.0 * unit, false_alarm: unit, balanced: true, ..Costs::default() };
            let mut learner = learners::build(&c.spec, &Setup { costs, ..Setup::default() }).unwrap();
            learn(learner.as_mut(), &examples).scores
        });
        let close = |(a, b): (&f64, &f64)| (a - b).abs() <= 1e-4 * a.abs().max(1.0);
        assert!(dollars.iter().zip(&cents).all(close), "{c}");
    });
}

/// What costs follow from is stored: learning goes on with the same costs, and they can be read.
#[test]
fn costs_go_on_where_they_were() {
    for_every(|c| {
        if matches!(c.entry.costs, CostUse::Refused(_)) {
            return;
        }
        let class_weights = match c.task {
            Task::Binary => ClassWeights::default(),
            Task::Hinge | Task::Ovr => ClassWeights::new(vec![2.0, 1.0, 0.5]),
        };
        for balance_half_life in [None, Some(20.0)] {
            let costs = Costs { balanced: true, balance_half_life, ..Costs::default() };
            let setup =
                Setup { costs, class_weights: class_weights.clone(), task: c.task, ..Setup::default() };
            let mut learner = learners::build(&c.spec, &setup).unwrap();
            let (before, after) = (c.stream(150, 29), c.stream(100, 30));
            learn(learner.as_mut(), &before);
            let mut same = ModelFile::from_bytes(&bytes(learner.as_ref())).unwrap().learner;
            assert_eq!(same.class_costs(), learner.class_costs(), "{c}");
            assert_eq!(same.class_costs().len(), learner.classes(), "{c}");
            learn(learner.as_mut(), &after);
            learn(same.as_mut(), &after);
            assert!(bytes(learner.as_ref()) == bytes(same.as_ref()), "{c}, half-life {balance_half_life:?}");
        }
    });
}

#[test]
fn a_class_of_more_weight_is_missed_less() {
    for_every(|c| {
        // With its default knobs: a heavy penalty can outweigh any cost.
        let usual = c.spec == c.entry.name || c.spec == with_knob(c.entry.name, "batch", 50);
        if c.task == Task::Binary || !usual || matches!(c.entry.costs, CostUse::Refused(_)) {
            return;
        }
        let constant = |(x, y): Example| (x.into_iter().chain([(61, 1.0)]).collect(), y);
        let examples: Vec<Example> = c.stream(1_000, 17).into_iter().map(constant).collect();
        let misses = [1.0, 20.0].map(|weight| {
            let class_weights = ClassWeights::new(vec![1.0, weight]);
            let setup = Setup { class_weights, task: c.task, ..Setup::default() };
            let mut learner = learners::build(&c.spec, &setup).unwrap();
            let predicted = Decision::of(c.task).classes(&learn(learner.as_mut(), &examples));
            let of_class = examples.iter().zip(predicted).filter(|((_, class), _)| *class == 1);
            of_class.filter(|(_, predicted)| *predicted != 1).count()
        });
        assert!(misses[1] < misses[0], "{c}: {misses:?} misses");
    });
}
