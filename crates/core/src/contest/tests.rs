//! Tests of contests.

use super::*;
use crate::learners::{arow, build, ftrl, perceptron, sarow};
use crate::model::{ModelFile, Sections};
use crate::random::scramble;

const TERMS: Terms = Terms { name: "auto", alpha: 0.2, lead: 1.0, most_examples: 1_000 };
static CANDIDATES: [Candidate; 4] = [
    Candidate { entry: Entry::rule::<perceptron::Perceptron>(), knobs: &[] },
    Candidate { entry: Entry::belief::<sarow::Sarow>(), knobs: &[] },
    Candidate { entry: Entry::belief_with_covariance::<arow::Arow>(), knobs: &[("r", "0.2")] },
    Candidate { entry: Entry::rule::<ftrl::Ftrl>(), knobs: &[("lambda", "50")] },
];

fn contest(setup: &Setup) -> Contest {
    Contest::new(TERMS, &CANDIDATES, setup).unwrap()
}

/// Noisy examples, some without a label and some of no importance.
fn stream(examples: std::ops::Range<u64>, classes: u64) -> Batch {
    let mut batch = Batch::default();
    for i in examples {
        let random = |salt: u64| scramble(i * 64 + salt);
        let value = |feature: u64| (random(feature) % 2001) as f64 / 1000.0 - 1.0;
        let class = (0..classes).max_by(|a, b| value(*a).total_cmp(&value(*b))).unwrap_or(0);
        let class = if classes == 2 { u64::from(value(0) + value(1) > value(2)) } else { class };
        let noisy = if random(40) % 5 == 0 { random(41) % classes } else { class };
        let features = (0..12).filter(|feature| random(50 + feature) % 4 > 0 || *feature < 4);
        let features = features.map(|feature| (feature as u32, value(feature)));
        let importance = if random(42) % 11 == 0 { 0.0 } else { 1.0 };
        let label = (random(43) % 13 > 0).then_some(noisy as Class);
        batch.push_with_importance(features, label, importance).unwrap();
    }
    batch
}

fn bytes(learner: &dyn Learner) -> Vec<u8> {
    let (options, labels) = (serde_json::Map::new(), Vec::new());
    ModelFile { learner: learner.fork(), options, labels, sections: Sections::new() }.to_bytes()
}

fn setups() -> [Setup; 4] {
    let binary = Setup::default();
    let balanced = Costs { balanced: true, missed: 3.0, ..Costs::default() };
    [
        binary.clone(),
        Setup { costs: balanced, ..binary.clone() },
        Setup { task: Task::Hinge, ..binary.clone() },
        Setup { task: Task::Ovr, costs: balanced, ..binary },
    ]
}

fn classes(setup: &Setup) -> u64 {
    if setup.task == Task::Binary { 2 } else { 4 }
}

#[test]
fn a_decided_contest_is_its_winner() {
    for setup in setups() {
        let all = stream(0..2_000, classes(&setup));
        let (mut learner, mut outcomes) = (contest(&setup), Outcomes::default());
        learner.learn(&all, &mut outcomes).unwrap();
        assert!(learner.standings().unwrap().decided);
        let mut alone = build(&learner.spec(), &setup).unwrap();
        assert_ne!(learner.spec(), "auto");
        alone.learn(&all, &mut Outcomes::default()).unwrap();
        assert!(bytes(&learner) == bytes(alone.as_ref()), "{}", learner.spec());
        assert_eq!(outcomes.len(), all.len());
    }
}

#[test]
fn what_is_said_is_what_the_leader_says() {
    let all = stream(0..1_500, 2);
    let mut learner = contest(&Setup::default());
    let specs = learner.specs.clone();
    let said = specs.iter().map(|spec| {
        let (mut alone, mut outcomes) = (build(spec, &Setup::default()).unwrap(), Outcomes::default());
        alone.learn(&all, &mut outcomes).unwrap();
        outcomes
    });
    let said: Vec<Outcomes> = said.collect();
    let mut leaders = Vec::new();
    for i in 0..all.len() {
        let (mut one, mut outcome) = (Batch::default(), Outcomes::default());
        one.push_from(&all, i);
        let leader = learner.leader;
        learner.learn(&one, &mut outcome).unwrap();
        assert_eq!(outcome.scores, said[leader].scores_of(i), "{i}");
        assert_eq!(outcome.losses[0], said[leader].losses[i], "{i}");
        leaders.push(leader);
    }
    leaders.dedup();
    // The first leads at the beginning, though it is the worst.
    assert!(leaders[0] == 0 && leaders.len() > 1, "{leaders:?}");
    let race = learner.standings().unwrap().race.clone();
    assert!(race.eliminated().iter().any(|out| out.contender == 0), "{race:?}");
}

#[test]
fn stops_and_batches_make_no_difference() {
    for setup in setups() {
        let (classes, mut whole) = (classes(&setup), contest(&setup));
        let mut outcomes = Outcomes::default();
        whole.learn(&stream(0..1_300, classes), &mut outcomes).unwrap();
        for cut in [1, 63, 75, 200, 1_000] {
            let mut parts = contest(&setup);
            let mut said = Outcomes::default();
            parts.learn(&stream(0..cut, classes), &mut said).unwrap();
            let mut first = said.clone();
            let mut resumed: Box<dyn Learner> = Box::new(contest(&setup));
            if parts.winner().is_some() {
                resumed = build(&parts.spec(), &setup).unwrap();
            }
            let mut cells = Vec::new();
            parts.write_cells(&mut cells);
            let state = serde_json::from_str(&parts.state().to_string()).unwrap();
            resumed.restore(&state, &cells).unwrap();
            assert_eq!(resumed.spec(), parts.spec());
            for start in (cut..1_300).step_by(77) {
                resumed.learn(&stream(start..(start + 77).min(1_300), classes), &mut said).unwrap();
                first.append(&mut said);
            }
            assert!(first == outcomes, "{cut}");
            assert!(bytes(resumed.as_ref()) == bytes(&whole), "{cut}");
        }
    }
}

#[test]
fn who_cannot_do_what_is_asked_for_does_not_take_part() {
    let forgetting = contest(&Setup { forget: Some(100.0), ..Setup::default() });
    assert_eq!(forgetting.specs.len(), 2);
    assert_eq!(forgetting.half_life(), Some(100.0));
}

#[test]
fn a_damaged_state_is_refused() {
    let mut learner = contest(&Setup::default());
    learner.learn(&stream(0..100, 2), &mut Outcomes::default()).unwrap();
    let mut cells = Vec::new();
    learner.write_cells(&mut cells);
    let state = learner.state();
    assert!(contest(&Setup::default()).restore(&state, &cells).is_ok());
    for (field, value) in [
        ("contenders", json!(["arow"])),
        ("leader", json!(17)),
        ("next_look", json!(3)),
        ("members", json!([])),
        ("race", json!({})),
        ("race", json!(Race::new(3, 0.2))),
    ] {
        let mut damaged = state.clone();
        damaged[field] = value;
        assert!(contest(&Setup::default()).restore(&damaged, &cells).is_err(), "{field}");
    }
    assert!(contest(&Setup::default()).restore(&state, &cells[..cells.len() - 1]).is_err());
}

#[test]
fn errors_are_judged_by_what_they_cost() {
    let costs =
        [ClassCost { class: 0, cost: 1.0, count: 0.0 }, ClassCost { class: 1, cost: 4.0, count: 0.0 }];
    assert_eq!(relative_prices(&costs), [0.25, 1.0]);
    assert_eq!([error(&[2.0], 1), error(&[2.0], 0), error(&[0.0], 0)], [0.0, 1.0, 0.5]);
    assert_eq!([error(&[1.0, 3.0, 2.0], 1), error(&[1.0, 3.0, 2.0], 2), error(&[], 0)], [0.0, 1.0, 1.0]);
}
