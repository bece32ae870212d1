//! What is true of the variance of a score, for every learner that has one.
#![allow(missing_docs, clippy::unwrap_used)]

use thalweg_core::learners::{self, Forgets};
use thalweg_core::rule::Family;
use thalweg_core::{Batch, Learner, Outcomes, Real, Setup, Task};
use thalweg_laws::{Candidate, Example, batch, bytes, candidates, learn, stream};

/// Scores and their variances.
fn score(learner: &dyn Learner, batch: &Batch) -> (Outcomes, Vec<f64>) {
    let (mut outcomes, mut variances) = (Outcomes::default(), vec![7.0]);
    learner.score_with_variance(batch, &mut outcomes, &mut variances);
    (outcomes, variances)
}

/// Is what is known of a feature independent of other features?
fn is_diagonal(c: &Candidate) -> bool {
    c.entry.family != Family::Sketched && !c.spec.contains("covariance=full")
}

#[test]
fn scores_are_those_without_variances_and_every_one_has_its_variance() {
    let mut with = 0;
    for c in candidates() {
        let mut learner = c.build();
        let examples = batch(&c.stream(100, 51));
        for _ in 0..2 {
            let before = bytes(learner.as_ref());
            let (outcomes, variances) = score(learner.as_ref(), &examples);
            let mut plain = Outcomes::default();
            learner.score(&examples, &mut plain);
            assert_eq!(outcomes, plain, "{c}");
            assert_eq!(before, bytes(learner.as_ref()), "{c}: scoring has changed it");
            let expected = if learner.has_variance() { plain.scores.len() } else { 0 };
            assert_eq!(variances.len(), expected, "{c}");
            assert!(variances.iter().all(|variance| variance.is_finite() && *variance >= 0.0), "{c}");
            learn(learner.as_mut(), &c.stream(300, 50));
        }
        with += usize::from(learner.has_variance());
        assert!(!matches!(c.entry.forgets, Forgets::OnRequest) || learner.has_variance(), "{c}");
    }
    assert!(with > 30, "{with}");
}

#[test]
fn features_that_are_independent_add_up() {
    for c in candidates() {
        let mut learner = c.build();
        learn(learner.as_mut(), &c.stream(300, 52));
        if !learner.has_variance() || !is_diagonal(&c) {
            continue;
        }
        // Some features are new.
        let new: Example = (vec![(1, 0.5), (3, -1.5), (500, 2.0), (3_000_000_000, 0.25)], 0);
        let examples: Vec<Example> = c.stream(50, 53).into_iter().chain([new]).collect();
        let (outcomes, variances) = score(learner.as_ref(), &batch(&examples));
        let mut left = &variances[..];
        for (i, (x, _)) in examples.iter().enumerate() {
            let own;
            (own, left) = left.split_at(outcomes.scores_of(i).len());
            for (class, variance) in (0..).zip(own) {
                let class = (c.task != Task::Binary).then_some(class);
                let of = |&(feature, x): &(u32, f64)| x * x * learner.variance(feature, class).unwrap();
                let expected: f64 = x.iter().map(of).sum();
                let gap = (expected - variance).abs();
                assert!(gap <= 8.0 * f64::from(Real::EPSILON) * expected, "{c}: {expected} {variance}");
            }
        }
    }
}

#[test]
fn learning_from_an_example_makes_its_score_more_certain() {
    for c in candidates() {
        let mut learner = c.build();
        // Directions of a sketch turn as examples come, which may forget others. In a race, another learner may take the lead.
        let changes = matches!(c.entry.family, Family::Sketched | Family::Race);
        if !learner.has_variance() || c.task != Task::Binary || changes {
            continue;
        }
        let (mut first, mut then) = (0.0, 0.0);
        for example in stream(300, 54) {
            let example = [example];
            let before = score(learner.as_ref(), &batch(&example)).1[0];
            let moved = learn(learner.as_mut(), &example).updated[0];
            let after = score(learner.as_ref(), &batch(&example)).1[0];
            assert!(after <= before * (1.0 + 8.0 * f64::from(Real::EPSILON)), "{c}: {before} {after}");
            if moved {
                (first, then) = (first + before, then + after);
            }
        }
        assert!(then < 0.95 * first, "{c}: {first} {then}");
    }
}

#[test]
fn a_full_covariance_is_a_quadratic_form() {
    let mut learner = learners::build("arow:covariance=full,r=0.5", &Setup::default()).unwrap();
    let size = 70;
    let mut sigma: Vec<Vec<f64>> =
        (0..size).map(|i| (0..size).map(|j| f64::from(u8::from(i == j))).collect()).collect();
    for example in stream(300, 55) {
        let mut z = vec![0.0; size];
        let product = |row: &Vec<f64>| example.0.iter().map(|&(j, x)| row[j as usize] * x).sum::<f64>();
        z.iter_mut().zip(&sigma).for_each(|(z, row)| *z = product(row));
        let expected: f64 = example.0.iter().map(|&(i, x)| z[i as usize] * x).sum();
        let example = [example];
        let variance = score(learner.as_ref(), &batch(&example)).1[0];
        assert!((variance - expected).abs() <= 1e-9 * expected, "{variance} {expected}");
        if learn(learner.as_mut(), &example).updated[0] {
            for i in 0..size {
                for j in 0..size {
                    sigma[i][j] -= z[i] * z[j] / (expected + 0.5);
                }
            }
        }
    }
}

/// The two forms keep the same sketch, so they must say the same of what it has seen.
#[test]
fn both_forms_of_a_sketch_have_the_same_variances() {
    for knobs in ["1:sketch=4,gamma=2", "2:sketch=1,seed=7", "1:sketch=7,every=3"] {
        let [sparse, dense] = ["ssacog", "sacog"].map(|name| {
            let mut learner = learners::build(&format!("{name}{knobs}"), &Setup::default()).unwrap();
            learn(learner.as_mut(), &stream(300, 56));
            score(learner.as_ref(), &batch(&stream(100, 57))).1
        });
        let lengths: Vec<f64> =
            stream(100, 57).iter().map(|(x, _)| x.iter().map(|(_, x)| x * x).sum()).collect();
        for ((sparse, dense), length) in sparse.iter().zip(&dense).zip(&lengths) {
            assert!((sparse - dense).abs() <= 1e-9 * length, "{knobs}: {sparse} {dense}");
            assert!(*sparse <= length * (1.0 + 1e-9), "{knobs}: {sparse} {length}");
        }
        assert!(sparse.iter().sum::<f64>() < 0.95 * lengths.iter().sum::<f64>(), "{knobs}");
    }
}

#[test]
fn variances_are_finite_whatever_comes() {
    let values = [1e9, -2e19, 1e30, 3e38, 1e-38, f64::from(Real::MAX) / 3.0];
    let rows = values.map(|x| vec![(1, x), (2, -x), (7, 1.0), (90, x)]);
    let extreme: Vec<Example> = (0..).zip(rows).map(|(i, row)| (row, i % 2)).collect();
    for c in candidates() {
        let mut learner = c.build();
        for _ in 0..2 {
            let (_, variances) = score(learner.as_ref(), &batch(&extreme));
            let fine = |variance: &f64| (0.0..=1e300).contains(variance);
            assert!(variances.iter().all(fine), "{c}: {variances:?}");
            learn(learner.as_mut(), &c.stream(20, 58));
            learn(learner.as_mut(), &extreme);
        }
    }
}
