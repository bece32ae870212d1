//! Sentences that are true of every learner in the registry, in every variant that has a trace.
//!
//! A law that a learner cannot keep is excused by what the learner says of itself (`Rule::SYMMETRIC`, `Rule::FOLD`,
//! `Rule::COSTS`), never by its name.
#![allow(missing_docs, clippy::unwrap_used)]

use thalweg::Decision;
use thalweg_core::cost::{CostUse, Costs};
use thalweg_core::learners::{self, LEARNERS, with_knob};
use thalweg_core::model::ModelFile;
use thalweg_core::rule::Fold;
use thalweg_core::{BIAS, Batch, Learner, Outcomes, Real, Setup, Task, Weight};
use thalweg_laws::{Candidate, Example, batch, bytes, candidates, learn, stream};

fn for_every(law: impl Fn(&Candidate)) {
    let all = candidates();
    assert!(!all.is_empty());
    all.iter().for_each(law);
}

fn score(learner: &dyn Learner, batch: &Batch) -> Vec<f64> {
    let mut outcomes = Outcomes::default();
    learner.score(batch, &mut outcomes);
    outcomes.scores
}

fn bits(scores: &[f64]) -> Vec<u64> {
    scores.iter().map(|score| score.to_bits()).collect()
}

#[test]
fn an_explicit_zero_is_an_absent_feature() {
    for_every(|c| {
        let examples = c.stream(300, 1);
        let with_zeros: Vec<Example> = examples
            .iter()
            .map(|(x, y)| (x.iter().copied().chain([(7, 0.0), (1_000, 0.0)]).collect(), *y))
            .collect();
        let (mut a, mut b) = (c.build(), c.build());
        assert_eq!(learn(a.as_mut(), &examples), learn(b.as_mut(), &with_zeros), "{c}");
        assert_eq!(bytes(a.as_ref()), bytes(b.as_ref()), "{c}");
    });
}

#[test]
fn learning_returns_the_score_from_before_bit_for_bit() {
    for_every(|c| {
        let mut learner = c.build();
        for example in c.stream(300, 2) {
            let before = score(learner.as_ref(), &batch(std::slice::from_ref(&example)));
            let said = learn(learner.as_mut(), &[example]).scores;
            // A rule that folds the example into its metric first says another score, by definition.
            assert!(
                c.entry.fold != Fold::Never || bits(&before) == bits(&said),
                "{}: {before:?} {said:?}",
                c.spec
            );
        }
    });
}

#[test]
fn the_score_does_not_see_the_label() {
    for_every(|c| {
        let mut learner = c.build();
        for (x, y) in c.stream(300, 3) {
            let other = learn(learner.fork().as_mut(), &[(x.clone(), (y + 1) % c.classes())]).scores;
            assert_eq!(bits(&learn(learner.as_mut(), &[(x, y)]).scores), bits(&other), "{c}");
        }
    });
}

#[test]
fn one_batch_or_many_is_the_same() {
    for_every(|c| {
        let examples = c.stream(300, 4);
        let (mut whole, mut parts) = (c.build(), c.build());
        learn(whole.as_mut(), &examples);
        for part in examples.chunks(7) {
            learn(parts.as_mut(), part);
        }
        assert_eq!(bytes(whole.as_ref()), bytes(parts.as_ref()), "{c}");
    });
}

#[test]
fn flipping_labels_flips_scores() {
    for_every(|c| {
        if !c.entry.symmetric || c.task != Task::Binary {
            return;
        }
        let examples = stream(300, 5);
        let flipped: Vec<Example> = examples.iter().map(|(x, y)| (x.clone(), 1 - y)).collect();
        let (a, b) = (learn(c.build().as_mut(), &examples), learn(c.build().as_mut(), &flipped));
        assert!(a.scores.iter().zip(&b.scores).all(|(a, b)| *a == -*b), "{c}");
    });
}

#[test]
fn an_empty_example_does_no_harm() {
    for_every(|c| {
        let mut learner = c.build();
        let empty: [Example; 2] = [(Vec::new(), 0), (Vec::new(), 1)];
        assert!(learn(learner.as_mut(), &empty).scores.iter().all(|score| *score == 0.0), "{c}");
        assert_eq!(learner.nonzeros(), 0, "{c}");
        learn(learner.as_mut(), &c.stream(100, 6));
        learn(learner.as_mut(), &empty);
        assert!(learner.weights().iter().all(|w| w.value.is_finite()), "{c}");
    });
}

#[test]
fn a_heavier_penalty_keeps_no_more_weights() {
    for_every(|c| {
        if !c.entry.has_knob("lambda") || c.task != Task::Binary {
            return;
        }
        let kept = ["0", "0.01", "1", "10000"].map(|lambda| {
            let spec = with_knob(&c.spec, "lambda", lambda);
            let mut learner = learners::build(&spec, &Setup { task: c.task, ..Setup::default() }).unwrap();
            learn(learner.as_mut(), &c.stream(600, 7));
            learner.nonzeros()
        });
        assert!(kept.is_sorted_by(|a, b| a >= b), "{c}: {kept:?}");
        assert!(kept[3] < kept[0], "{c}: {kept:?}");
    });
}

#[test]
fn a_learner_whose_special_part_is_switched_off_is_its_parent() {
    for (child, parent) in [
        ("fobos:eta=0.3,lambda=0,power_t=0.5", "ogd:eta=0.3,power_t=0.5"),
        ("stg:eta=0.3,lambda=0,k=3,power_t=0.5", "ogd:eta=0.3,power_t=0.5"),
        ("sgl1:eta=0.3,lambda=0", "ogd:eta=0.3,power_t=0.5"),
        ("sgl1-cumulative:eta=0.3,lambda=0", "ogd:eta=0.3,power_t=0.5"),
        ("sgft:eta=0.3,lambda=0,p=3", "ogd:eta=0.3,power_t=0.5"),
        ("sgft-cumulative:eta=0.3,lambda=0,p=inf", "ogd:eta=0.3,power_t=0.5"),
        ("fsol:eta=0.3,lambda=0", "ogd:eta=0.3,power_t=0"),
        ("fsol:eta=0.3,lambda=0,schedule=rda", "ogd:eta=0.3,power_t=0"),
        ("cs-fsol:eta=0.3,lambda=0", "fsol:eta=0.3,lambda=0"),
        ("cs-ssol:eta=2,lambda=1", "ssol:eta=2,lambda=1"),
        ("cog1:eta=0.3", "ogd:eta=0.3,power_t=0"),
        ("cog2:eta=0.3", "ogd:eta=0.3,power_t=0"),
        ("acog1:eta=2", "acog2:eta=2"),
        ("sgft:lambda=0.01,p=1e12", "sgft:lambda=0.01,p=inf"),
        ("sofs:features=1000", "arow"),
        ("scw1:confidence=0.8,c=1e9", "cw:confidence=0.8"),
        ("scw2:confidence=0.8,c=1e16", "cw:confidence=0.8"),
    ] {
        let examples = stream(600, 8);
        let [a, b] = [child, parent].map(|spec| {
            let mut learner = learners::build(spec, &Setup::default()).unwrap();
            learn(learner.as_mut(), &examples).scores
        });
        let close = |(a, b): (&f64, &f64)| (a - b).abs() <= 1e4 * f64::from(Real::EPSILON) * b.abs().max(1.0);
        assert!(a.iter().zip(&b).all(close), "{child} and {parent}");
    }
}

#[test]
fn the_sparse_sketch_says_what_the_dense_one_says() {
    for knobs in [
        "1:sketch=4,gamma=2",
        "2:sketch=4,gamma=0.5,start=identity",
        "2:sketch=1,seed=7",
        "1:sketch=7",
        "2:every=3",
        "1:sketch=20,every=7",
        "1:sketch=12,rate=2",
        "2:power=0.6",
        "1:every=7,rate=2,gamma=0.5",
        "2:dimensions=30",
        "1:precondition=diagonal",
        "2:precondition=diagonal,every=4,dimensions=50",
    ] {
        let examples = stream(600, 8);
        let [sparse, dense] = ["ssacog", "sacog"].map(|name| {
            let mut learner = learners::build(&format!("{name}{knobs}"), &Setup::default()).unwrap();
            learn(learner.as_mut(), &examples).scores
        });
        // Sketches are f64 in every build; the two forms round differently in every one of 600 rounds.
        let gap =
            sparse.iter().zip(&dense).map(|(a, b)| (a - b).abs() / b.abs().max(1.0)).fold(0.0, f64::max);
        assert!(gap < 1e-9, "{knobs}: {gap}");
    }
}

#[test]
fn save_load_continue_equals_not_having_stopped() {
    for_every(|c| {
        let examples = c.stream(400, 9);
        let (first, second) = examples.split_at(150);
        let mut straight = c.build();
        learn(straight.as_mut(), first);
        let mut resumed = ModelFile::from_bytes(&bytes(straight.as_ref())).unwrap().learner;
        assert_eq!(learn(straight.as_mut(), second), learn(resumed.as_mut(), second), "{c}");
        assert_eq!(bytes(straight.as_ref()), bytes(resumed.as_ref()), "{c}");
    });
}

#[test]
fn after_the_end_of_the_data_learning_goes_on_as_if_there_had_been_none() {
    for_every(|c| {
        let examples = c.stream(400, 9);
        let (first, second) = examples.split_at(130);
        let (mut straight, mut ended) = (c.build(), c.build());
        learn(straight.as_mut(), first);
        learn(ended.as_mut(), first);
        ended.finish();
        let mut resumed = ModelFile::from_bytes(&bytes(ended.as_ref())).unwrap().learner;
        assert_eq!(resumed.weights(), ended.weights(), "{c}");
        assert_eq!(learn(straight.as_mut(), second), learn(resumed.as_mut(), second), "{c}");
        assert_eq!(bytes(straight.as_ref()), bytes(resumed.as_ref()), "{c}");
    });
}

#[test]
fn a_batch_ends_with_the_data() {
    for entry in LEARNERS.iter().filter(|entry| entry.has_knob("batch")) {
        let examples = stream(130, 20);
        let weights = [130, 131, 1000].map(|size| {
            let mut learner =
                learners::build(&with_knob(entry.name, "batch", size), &Setup::default()).unwrap();
            learn(learner.as_mut(), &examples);
            learner.finish();
            learner.weights()
        });
        let mut whole = learners::build(entry.name, &Setup::default()).unwrap();
        learn(whole.as_mut(), &examples);
        assert_eq!(whole.nonzeros(), 0, "{}: nothing is learned before the batch is full", entry.name);
        whole.finish();
        assert!(whole.nonzeros() > 0, "{}", entry.name);
        assert!(weights.iter().all(|weights| *weights == whole.weights()), "{}", entry.name);
    }
}

#[test]
fn an_example_of_importance_zero_is_a_no_op() {
    for_every(|c| {
        let mut learner = c.build();
        learn(learner.as_mut(), &c.stream(100, 10));
        let before = bytes(learner.as_ref());
        let mut ignored = Batch::default();
        for (x, y) in c.stream(50, 11) {
            ignored.push_with_importance(x, Some(y), 0.0).unwrap();
        }
        learner.learn(&ignored, &mut Outcomes::default()).unwrap();
        assert_eq!(bytes(learner.as_ref()), before, "{c}");
    });
}

#[test]
fn an_importance_acts_like_a_cost() {
    for_every(|c| {
        if !matches!(c.entry.costs, CostUse::Slope | CostUse::Strength) || c.task != Task::Binary {
            return;
        }
        let examples = c.stream(300, 19);
        let mut important = Batch::default();
        for (x, y) in &examples {
            important.push_with_importance(x.iter().copied(), Some(*y), 3.0).unwrap();
        }
        let spec = c.with_steps_set();
        let mut heavy = learners::build(&spec, &Setup::default()).unwrap();
        let mut outcomes = Outcomes::default();
        heavy.learn(&important, &mut outcomes).unwrap();
        let costs = Costs { missed: 3.0, false_alarm: 3.0, ..Costs::default() };
        let mut dear = learners::build(&spec, &Setup { costs, ..Setup::default() }).unwrap();
        assert_eq!(bits(&outcomes.scores), bits(&learn(dear.as_mut(), &examples).scores), "{spec}");
    });
}

/// Whoever must get by with little memory lets go of features; what is left must not remember them, and must go on as before.
#[test]
fn features_can_get_other_numbers_or_none() {
    for_every(|c| {
        let mut learner = c.build();
        if !learner.can_renumber() {
            return;
        }
        let examples = stream(150, 31);
        learn(learner.as_mut(), &examples);
        let (fresh, before) = (c.build(), learner.weights());
        let new = |feature: u32| (!feature.is_multiple_of(3)).then_some(1000 - feature);
        let mut renumbered = learner.fork();
        renumbered.renumber(&new);
        let expected = |w: &Weight| (w.feature == BIAS).then_some(BIAS).or_else(|| new(w.feature));
        let expected = before.iter().filter_map(|w| Some(Weight { feature: expected(w)?, ..*w }));
        let mut expected: Vec<Weight> = expected.collect();
        expected.sort_by_key(|w| (w.class, w.feature));
        assert_eq!(renumbered.weights(), expected, "{c}");
        for feature in (0..200).step_by(3) {
            assert_eq!(renumbered.variance(1000 - feature, None), fresh.variance(feature, None), "{c}");
        }
        // Other names for the same features make no difference to what is learned.
        learner.renumber(&|feature| Some(feature + 7));
        let mut same = learner.fork();
        same.renumber(&|feature| feature.checked_sub(7));
        learn(same.as_mut(), &examples);
        let moved = |(row, class): &Example| (row.iter().map(|(f, x)| (f + 7, *x)).collect(), *class);
        learn(learner.as_mut(), &examples.iter().map(moved).collect::<Vec<Example>>());
        learner.renumber(&|feature| feature.checked_sub(7));
        assert!(bytes(learner.as_ref()) == bytes(same.as_ref()), "{c}");
    });
}

#[test]
fn an_example_without_a_label_is_only_scored() {
    for_every(|c| {
        let mut learner = c.build();
        learn(learner.as_mut(), &c.stream(100, 12));
        let before = bytes(learner.as_ref());
        let mut unlabelled = Batch::default();
        for (x, _) in c.stream(50, 13) {
            unlabelled.push(x, None).unwrap();
        }
        let mut outcomes = Outcomes::default();
        learner.learn(&unlabelled, &mut outcomes).unwrap();
        assert_eq!(outcomes.scores, score(learner.as_ref(), &unlabelled), "{c}");
        assert_eq!(bytes(learner.as_ref()), before, "{c}");
    });
}

#[test]
fn the_number_of_a_feature_has_no_meaning() {
    for_every(|c| {
        if c.entry.numbered {
            return;
        }
        let examples = c.stream(400, 14);
        let renumbered: Vec<Example> = examples
            .iter()
            .map(|(x, y)| (x.iter().map(|&(i, x)| (i * 70_000_001 + 3, x)).collect(), *y))
            .collect();
        assert_eq!(
            learn(c.build().as_mut(), &examples),
            learn(c.build().as_mut(), &renumbered),
            "{}",
            c.spec
        );
    });
}

#[test]
fn an_update_that_would_not_be_finite_changes_nothing() {
    // Sums are f64, so in f64 builds the squares of the values must still fit.
    let huge = (f64::from(Real::MAX) / 4.0).min(1e150);
    for_every(|c| {
        let mut learner = c.build();
        learn(learner.as_mut(), &c.stream(100, 15));
        for class in [0, 1, 0, 1, 1, 0] {
            let (before, rejected) = (bytes(learner.as_ref()), learner.counts().rejected);
            learn(learner.as_mut(), &[(vec![(1, huge), (2, -huge), (3, 1.0)], class)]);
            assert!(learner.weights().iter().all(|w| w.value.is_finite()), "{c}");
            // With a learner per class each decides for itself.
            if learner.counts().rejected > rejected && c.task != Task::Ovr {
                let after = ModelFile::from_bytes(&bytes(learner.as_ref())).unwrap().learner;
                let before = ModelFile::from_bytes(&before).unwrap().learner;
                assert_eq!(after.weights(), before.weights(), "{c}");
                assert_eq!(after.counts().examples, before.counts().examples, "{c}");
            }
        }
        let outcomes = learn(learner.as_mut(), &c.stream(100, 16));
        assert!(outcomes.scores.iter().all(|s| s.is_finite()), "{c}");
    });
}

#[test]
fn dearer_misses_are_fewer_misses() {
    for_every(|c| {
        // With its default knobs: a heavy penalty can outweigh any cost.
        if !c.is_default() || matches!(c.entry.costs, CostUse::Refused(_)) {
            return;
        }
        // With a constant feature there is something to give way: more alarms for fewer misses.
        let constant = |(x, y): Example| (x.into_iter().chain([(61, 1.0)]).collect(), y);
        let examples: Vec<Example> = stream(1_000, 17).into_iter().map(constant).collect();
        let misses = [1.0, 20.0].map(|missed| {
            let costs = Costs { missed, ..Costs::default() };
            let mut learner = learners::build(&c.spec, &Setup { costs, ..Setup::default() }).unwrap();
            let outcomes = learn(learner.as_mut(), &examples);
            let predicted = Decision::of(Task::Binary).classes(&outcomes);
            examples
                .iter()
                .zip(predicted)
                .filter(|((_, class), predicted)| *class == 1 && *predicted == 0)
                .count()
        });
        assert!(misses[1] < misses[0], "{c}: {misses:?} misses");
    });
}

#[test]
fn a_class_may_appear_at_any_time() {
    for_every(|c| {
        if c.task == Task::Binary {
            return;
        }
        let mut learner = c.build();
        let (late, early): (Vec<Example>, Vec<Example>) =
            c.stream(400, 18).into_iter().partition(|(_, class)| *class == 3);
        let before = learn(learner.as_mut(), &early);
        assert_eq!(learner.classes(), 3, "{c}");
        assert!(
            Decision::Highest.classes(&before).iter().all(|class| *class < 3),
            "{c}: a class is predicted that nobody knows"
        );
        learn(learner.as_mut(), &late);
        assert_eq!(learner.classes(), 4, "{c}");
        let after = learn(learner.as_mut(), &late);
        assert!(Decision::Highest.classes(&after).contains(&3), "{c}: the new class is never found");
    });
}
