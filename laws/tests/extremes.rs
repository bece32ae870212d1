//! What is true of every learner whatever it is given: examples beyond all measure, knobs at their limits, batches with nothing in them.
#![allow(missing_docs, clippy::unwrap_used)]

use serde_json::Value;
use thalweg_core::cost::Costs;
use thalweg_core::learners::{self, Entry, LEARNERS, with_knob};
use thalweg_core::model::{Header, ModelFile};
use thalweg_core::rule::Family;
use thalweg_core::{Batch, Learner, Outcomes, Real, Setup, Task};
use thalweg_laws::{Example, bytes, candidates, learn, stream};

/// Values at which squares, products or sums leave f32, and some far from that.
const VALUES: [f64; 8] =
    [1e9, 1e19, -2e19, 1e30, 3e38, 1e-38, Real::MAX as f64 / 3.0, -1.0 / Real::MAX as f64];

/// Extreme examples among usual ones: of one feature, of two that cancel, of more than are done at once.
fn extreme_examples(classes: u32) -> Vec<Example> {
    let mut all: Vec<Example> = stream(3, 40);
    for (x, i) in VALUES.into_iter().zip(0..) {
        all.push((vec![(7, x)], i % classes));
        all.push((vec![(1, x), (2, -x), (3, 1.0)], (i + 1) % classes));
        all.push((vec![(1, 1.0), (7, -0.5)], (i / 2) % classes));
        all.push((vec![(7, -x), (8, 1.0)], (i + 1) % classes));
        all.push(((0..20).map(|feature| (feature, x / 30.0)).collect(), (i + 2) % classes));
    }
    all
}

/// A learner as it is by default, with each of its numbers very large and very small, and with its words.
fn at_the_limits(entry: &Entry) -> Vec<String> {
    let usual =
        if entry.has_knob("batch") { with_knob(entry.name, "batch", 2) } else { entry.name.to_string() };
    let mut all = Vec::new();
    let full = entry.has_knob("covariance").then(|| with_knob(&usual, "covariance", "full"));
    for usual in [usual].into_iter().chain(full) {
        all.extend(with_extremes(entry, &usual));
        all.push(usual);
    }
    all
}

fn with_extremes(entry: &Entry, usual: &str) -> Vec<String> {
    let mut all = Vec::new();
    for knob in (entry.knobs)() {
        let extremes: Vec<&str> = match knob.kind.as_str() {
            "number" => vec!["1e308", "1e-300"],
            "auto|number" => vec!["auto", "1e308", "1e-300"],
            words => words.split('|').filter(|word| !word.contains(' ')).collect(),
        };
        // Batches that end with the data are tried below.
        let extremes = extremes.into_iter().filter(|text| (knob.name, *text) != ("batch", "auto"));
        all.extend(extremes.map(|text| with_knob(usual, knob.name, text)));
    }
    all
}

/// Every learner at its limits, for every task that it supports.
fn for_every(law: impl Fn(&Entry, &str, Task)) {
    for entry in LEARNERS {
        for spec in at_the_limits(entry) {
            for task in [Task::Binary, Task::Ovr, Task::Hinge] {
                if learners::build(&spec, &Setup { task, ..Setup::default() }).is_ok() {
                    law(entry, &spec, task);
                }
            }
        }
    }
}

/// How often a learner refused, and all else that it is. Each of the learners of one class against the rest refuses for itself, and each of those that race.
fn refusals(learner: &dyn Learner) -> Vec<(u64, Value, Vec<u8>)> {
    let file = bytes(learner);
    let (header, start) = Header::read(&file).unwrap();
    let cells = &file[start..start + header.cells as usize];
    let parts = parts(&header.state, cells);
    let part = |(mut state, cells): (Value, Vec<u8>)| {
        let rejected = state["counts"]["rejected"].take().as_u64().unwrap();
        (rejected, state, cells)
    };
    parts.into_iter().map(part).collect()
}

/// The learners that a learner is made of, if it is made of others.
fn parts(state: &Value, mut cells: &[u8]) -> Vec<(Value, Vec<u8>)> {
    let lists = ["members", "classes"].map(|list| state[list].as_array());
    let Some(members) = lists.into_iter().flatten().next() else {
        return vec![(state.clone(), cells.to_vec())];
    };
    let mut all = Vec::new();
    for member in members {
        let (length, rest) = cells.split_first_chunk::<8>().unwrap();
        let (own, others) = rest.split_at(u64::from_le_bytes(*length) as usize);
        all.extend(parts(member, own));
        cells = others;
    }
    all
}

#[test]
fn whatever_comes_the_model_can_be_read_and_a_refusal_changes_nothing() {
    for_every(|entry, spec, task| {
        let classes = if task == Task::Binary { 2 } else { 3 };
        let first = VALUES.map(|x| vec![(vec![(7, x)], 0), (vec![(7, -x)], 1)]);
        for examples in [extreme_examples(classes)].into_iter().chain(first) {
            // That a class exists is known from its label, whatever becomes of its example.
            let setup = Setup { task, classes: classes as usize, ..Setup::default() };
            let mut learner = learners::build(spec, &setup).unwrap();
            for example in examples {
                learn_and_look(entry, learner.as_mut(), &example);
            }
        }
    });
}

/// Learns from an example; the model must read back the same, and whoever refused must be what it was.
fn learn_and_look(entry: &Entry, learner: &mut dyn Learner, example: &Example) {
    let (before, weights) = (refusals(learner), learner.weights());
    learn(learner, std::slice::from_ref(example));
    let what = || format!("{} ({:?}) {example:?}", learner.spec(), learner.task());
    let file = bytes(learner);
    let back = ModelFile::from_bytes(&file).unwrap_or_else(|error| panic!("{}: {error}", what()));
    assert!(bytes(back.learner.as_ref()) == file, "{}: reads back as another model", what());
    let after = refusals(learner);
    // One that lost its race has left.
    let same = before.len() == after.len();
    for (before, after) in before.iter().zip(after).filter(|_| same) {
        if after.0 == before.0 {
            continue;
        }
        if !entry.has_knob("batch") {
            assert_eq!(before.1, after.1, "{}", what());
            assert!(before.2 == after.2, "{}: a refused update left a trace", what());
        } else if learner.task() == Task::Binary {
            // A batch is refused as a whole: its examples are gone, and nothing is learned from them.
            assert_eq!(weights, learner.weights(), "{}", what());
        }
    }
}

#[test]
fn scores_and_losses_are_finite_whatever_comes() {
    for_every(|_, spec, task| {
        let mut learner = learners::build(spec, &Setup { task, ..Setup::default() }).unwrap();
        let classes = if task == Task::Binary { 2 } else { 3 };
        let examples = extreme_examples(classes);
        let check = |outcomes: &Outcomes| {
            let numbers = outcomes.scores.iter().chain(&outcomes.losses);
            assert!(numbers.clone().all(|number| number.is_finite()), "{spec} ({task:?}): {outcomes:?}");
            assert!(outcomes.losses.iter().sum::<f64>().is_finite(), "{spec} ({task:?})");
            for &i in outcomes.unscored() {
                assert!(outcomes.scores_of(i).iter().all(|score| *score == 0.0), "{spec} ({task:?})");
                assert!(outcomes.updated.get(i) != Some(&true) || task == Task::Ovr, "{spec} ({task:?})");
            }
        };
        let outcomes = learn(learner.as_mut(), &examples);
        check(&outcomes);
        let refused = learner.counts().rejected;
        assert!(refused >= outcomes.unscored().len() as u64, "{spec} ({task:?}): {outcomes:?}");
        learner.finish();
        let mut outcomes = Outcomes::default();
        learner.score(&thalweg_laws::batch(&examples), &mut outcomes);
        check(&outcomes);
        // Whatever came before, there is no weight for what has never been seen.
        learner.score(&thalweg_laws::batch(&[(vec![(1000, 2.0)], 1)]), &mut outcomes);
        assert!(
            outcomes.is_scored(0) && outcomes.scores.iter().all(|score| *score == 0.0),
            "{spec} ({task:?})"
        );
    });
}

/// A variance of 0 stays 0: its feature could not be learned any more.
#[test]
fn a_huge_value_leaves_its_feature_a_variance() {
    for_every(|entry, spec, task| {
        let full = spec.contains("covariance=full");
        if entry.family == Family::Sketched || full || entry.has_knob("batch") {
            return; // not one variance for each feature
        }
        for x in [1e3, 1e4, 1e5, 1e9, 1e18] {
            for others in [vec![], vec![(8, 1.0), (9, -0.5)]] {
                let mut learner = learners::build(spec, &Setup { task, ..Setup::default() }).unwrap();
                let example = |class| ([vec![(7, x)], others.clone()].concat(), class);
                learn(learner.as_mut(), &[example(1), example(0), example(1)]);
                let class = (task != Task::Binary).then_some(1);
                let left = learner.variance(7, class);
                assert!(left.is_none_or(|left| left > 0.0), "{spec} ({task:?}) {x} {others:?}: {left:?}");
            }
        }
    });
}

/// A column in other units than the rest, that tells the classes apart.
#[test]
fn a_feature_of_huge_values_is_learned() {
    for learner in ["ssol", "cs-ssol", "arow", "cw", "scw1", "scw2", "acog1", "acog2", "narow", "sop"] {
        for shared in [false, true] {
            let knobs = (learners::find(learner).unwrap().knobs)();
            let mut spec = learner.to_string();
            if knobs.iter().any(|knob| knob.name == "lambda") {
                spec = with_knob(&spec, "lambda", 1e-6);
            }
            if shared && knobs.iter().any(|knob| knob.name == "denominator") {
                spec = with_knob(&spec, "denominator", "shared");
            }
            let mut built = learners::build(&spec, &Setup::default()).unwrap();
            let noise = stream(1000, 46).into_iter();
            let examples: Vec<Example> = noise
                .map(|(x, class)| {
                    let sign = if class == 1 { 1.0 } else { -1.0 };
                    ([vec![(200, 1e4 * sign)], x].concat(), class)
                })
                .collect();
            let outcomes = learn(built.as_mut(), &examples);
            let wrong = |(i, (_, class)): &(usize, &Example)| (outcomes.scores[*i] >= 0.0) != (*class == 1);
            let mistakes = examples.iter().enumerate().filter(wrong).count();
            assert!(mistakes < 20, "{spec}: {mistakes} mistakes");
        }
    }
}

/// Batches in which there is little or nothing to learn from.
fn poor_batches() -> Vec<Vec<Example>> {
    let (empty, one) = ((Vec::new(), 0), (vec![(3, 1.0), (5, -2.0)], 1));
    vec![
        vec![],
        vec![empty.clone()],
        vec![one.clone()],
        vec![empty.clone(), (Vec::new(), 1), empty.clone(), (Vec::new(), 1)],
        vec![one.clone(); 5],
        vec![one.clone(), (one.0.clone(), 0), one.clone(), (one.0.clone(), 0)],
        stream(20, 41).into_iter().map(|(x, _)| (x, 0)).collect(),
        stream(20, 42).into_iter().map(|(x, _)| (x, 1)).collect(),
        vec![empty.clone(), one, empty],
    ]
}

#[test]
fn a_batch_with_little_to_learn_from_does_no_harm() {
    let mut specs: Vec<(String, Task)> = candidates().into_iter().map(|c| (c.spec, c.task)).collect();
    for entry in LEARNERS.iter().filter(|entry| entry.has_knob("batch")) {
        let batch = |size: &str| (with_knob(entry.name, "batch", size), Task::Binary);
        specs.extend(["auto", "1", "2", "3"].map(batch));
    }
    for (spec, task) in specs {
        for examples in poor_batches() {
            let mut learner = learners::build(&spec, &Setup { task, ..Setup::default() }).unwrap();
            for _ in 0..2 {
                learn(learner.as_mut(), &examples);
                learner.finish();
                learner.score(&Batch::default(), &mut Outcomes::default());
                let file = bytes(learner.as_ref());
                let back = ModelFile::from_bytes(&file)
                    .unwrap_or_else(|error| panic!("{spec} {examples:?}: {error}"));
                assert!(bytes(back.learner.as_ref()) == file, "{spec} {examples:?}");
            }
        }
    }
}

/// What a learner of batches refuses at the end of the data is refused for the time being.
#[test]
fn learning_goes_on_after_a_batch_that_was_refused_at_the_end() {
    for entry in LEARNERS.iter().filter(|entry| entry.has_knob("batch")) {
        for task in [Task::Binary, Task::Ovr] {
            let spec = with_knob(entry.name, "batch", 4);
            let costs = Costs { missed: 1e300, ..Costs::default() };
            let mut learner = learners::build(&spec, &Setup { costs, task, ..Setup::default() }).unwrap();
            for example in extreme_examples(2) {
                learn(learner.as_mut(), &[example]);
                learner.finish();
            }
            assert!(learner.counts().rejected <= 200, "{spec} ({task:?}): {:?}", learner.counts());
        }
    }
}

#[test]
fn knobs_that_multiply_time_or_memory_have_a_limit() {
    for entry in LEARNERS {
        for knob in (entry.knobs)().iter().filter(|knob| knob.kind == "whole number") {
            // A seed may be any number, and what is done less often takes less time.
            if ["seed", "every", "k"].contains(&knob.name) {
                continue;
            }
            let spec = with_knob(entry.name, knob.name, u64::from(u32::MAX) + 1);
            let error = learners::build(&spec, &Setup::default()).err().map(|error| error.to_string());
            assert!(error.is_some_and(|error| error.contains("must be between 1 and ")), "{spec}");
        }
    }
}

/// What waits takes memory too, with or without features, and so do the covariances of groups.
#[test]
fn a_batch_is_refused_before_it_exhausts_the_memory() {
    let batches = [vec![(Vec::new(), 0); 1000], stream(1000, 43)];
    for entry in LEARNERS.iter().filter(|entry| entry.has_knob("batch")) {
        for (examples, task) in batches.iter().flat_map(|all| [(all, Task::Binary), (all, Task::Ovr)]) {
            let setup = Setup { task, classes: 4, max_memory: 100_000, ..Setup::default() };
            let mut learner = learners::build(entry.name, &setup).unwrap();
            let batch = thalweg_laws::batch(examples);
            let fits = |_: &i32| learner.learn(&batch, &mut Outcomes::default()).is_ok();
            let most = (0..1000).take_while(fits).count();
            assert!(most < 5, "{} ({task:?}): {most} thousand examples in 100 kB", entry.name);
        }
    }
    let wide: Example = ((0..5_000).map(|feature| (feature, 1.0)).collect(), 1);
    for learner in ["bcw1", "sbcw1:group=1000000", "sbcw2:features=100000"] {
        let setup = Setup { max_memory: 10_000_000, ..Setup::default() };
        let mut learner = learners::build(learner, &setup).unwrap();
        let batch = thalweg_laws::batch(std::slice::from_ref(&wide));
        assert!(learner.learn(&batch, &mut Outcomes::default()).is_err(), "{}", learner.spec());
    }
}

/// Not even a class that a label of the batch made known.
#[test]
fn nothing_is_learned_from_a_batch_that_needs_too_much_memory() {
    let mut specs: Vec<String> =
        LEARNERS.iter().filter(|e| e.has_knob("batch")).map(|e| e.name.into()).collect();
    specs.push("arow:covariance=full".into());
    for (spec, task) in specs.iter().flat_map(|spec| [(spec, Task::Binary), (spec, Task::Ovr)]) {
        let setup = Setup { task, max_memory: 200_000, ..Setup::default() };
        let mut learner = learners::build(spec, &setup).unwrap();
        learn(learner.as_mut(), &stream(30, 44));
        let before = bytes(learner.as_ref());
        let wide = |i: u32| ((0..100).map(|feature| (100 * i + feature, 1.0)).collect(), i % 5);
        let mut large: Vec<Example> = (0..200).map(wide).collect();
        large.iter_mut().filter(|_| task == Task::Binary).for_each(|(_, class)| *class %= 2);
        let mut outcomes = Outcomes::default();
        let refused = learner.learn(&thalweg_laws::batch(&large), &mut outcomes);
        assert_eq!(refused.unwrap_err().allowed, 200_000, "{spec} ({task:?})");
        assert!(bytes(learner.as_ref()) == before, "{spec} ({task:?})");
        learn(learner.as_mut(), &stream(30, 45));
        assert!(bytes(learner.as_ref()) != before, "{spec} ({task:?})");
    }
}
