use super::*;
use crate::batch::Batch;
use crate::learner::Setup;
use crate::learners::{LEARNERS, build};
use crate::outcomes::Outcomes;

fn examples() -> Batch {
    let mut batch = Batch::default();
    for i in 0..300u32 {
        let features = (0..=(i % 23)).map(|k| ((i * 7 + k * k * 31) % 300, f64::from(k % 5) - 1.3));
        let label = (i % 17 != 3).then(|| u32::from((i * i + i / 3) % 5 < 2));
        batch.push(features, label).unwrap();
    }
    batch
}

fn bytes(learner: &dyn Learner) -> (String, String, Vec<u8>) {
    let mut cells = Vec::new();
    learner.write_cells(&mut cells);
    (learner.spec(), learner.state().to_string(), cells)
}

/// Two spellings of each learner that has a number among its knobs.
fn specs() -> Vec<String> {
    let of = |entry: &crate::learners::Entry| {
        let numbers = (entry.knobs)().into_iter().filter(|knob| knob.kind == "number");
        let half = numbers.filter_map(|knob| Some((knob.name, knob.default.parse::<f64>().ok()? / 2.0)));
        let changed = half
            .filter(|(_, value)| *value > 0.0)
            .map(|(knob, value)| format!("{}:{knob}={value}", entry.name));
        let changed = changed.filter(|spec| build(spec, &Setup::default()).is_ok());
        std::iter::once(entry.name.to_string()).chain(changed).collect::<Vec<_>>()
    };
    LEARNERS.iter().filter(|entry| !entry.has_knob("batch")).flat_map(of).collect()
}

#[test]
fn each_learns_what_it_would_learn_alone() {
    let (batch, setup) = (examples(), Setup::default());
    let mut alone: Vec<_> = specs().iter().map(|spec| build(spec, &setup).unwrap()).collect();
    let mut groups = groups(specs().iter().map(|spec| build(spec, &setup).unwrap()).collect(), 16);
    assert!(groups.len() < alone.len() * 2 / 3, "neighbors share groups");
    let mut single = Outcomes::default();
    for half in [0..140, 140..batch.len()] {
        let mut part = Batch::default();
        part.extend_from(&batch, half);
        let mut number = 0;
        for group in &mut groups {
            let mut outcomes = vec![Outcomes::default(); group.len()];
            group.learn(&part, &mut outcomes).unwrap();
            for (member, outcomes) in outcomes.iter().enumerate() {
                alone[number].learn(&part, &mut single).unwrap();
                assert_eq!(*outcomes, single, "{}", alone[number].spec());
                assert_eq!(group.nonzeros(member), alone[number].nonzeros(), "{}", alone[number].spec());
                assert_eq!(bytes(group.learner(member).as_ref()), bytes(alone[number].as_ref()));
                number += 1;
            }
        }
        assert_eq!(number, alone.len());
    }
}

#[test]
fn learners_that_know_something_go_on_in_a_group_and_may_leave_it() {
    let (batch, setup) = (examples(), Setup::default());
    let mut learners: Vec<_> =
        ["arow:r=0.1", "arow:r=1", "arow:r=10"].iter().map(|spec| build(spec, &setup).unwrap()).collect();
    let mut outcomes = vec![Outcomes::default(); 3];
    learners[1].learn(&batch, &mut outcomes[0]).unwrap();
    let mut groups = groups(learners.iter().map(|learner| learner.fork()).collect(), 16);
    assert_eq!((groups.len(), groups[0].len()), (1, 3));
    groups[0].learn(&batch, &mut outcomes).unwrap();
    groups[0].remove(0);
    groups[0].learn(&batch, &mut outcomes[..2]).unwrap();
    for learner in &mut learners[1..] {
        learner.learn(&batch, &mut outcomes[2]).unwrap();
        learner.learn(&batch, &mut outcomes[2]).unwrap();
    }
    for member in 0..2 {
        assert_eq!(bytes(groups[0].learner(member).as_ref()), bytes(learners[member + 1].as_ref()));
    }
}

#[test]
fn learners_of_other_kinds_are_kept_apart() {
    let build = |spec: &str| build(spec, &Setup::default()).unwrap();
    let learners = ["arow", "arow:covariance=full", "ssacog1", "sofs", "scw1", "scw1:c=2", "scw2"].map(build);
    let sizes: Vec<usize> = groups(learners.into(), 16).iter().map(|group| group.len()).collect();
    assert_eq!(sizes, [1, 3, 2, 1]);
}
