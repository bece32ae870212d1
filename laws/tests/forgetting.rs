//! Forgetting does what it says, for every learner that can: the same as if every cell grew with every example.
#![allow(missing_docs, clippy::unwrap_used)]

use std::collections::BTreeMap;

use thalweg_core::learners::{self, Forgets, LEARNERS};
use thalweg_core::model::ModelFile;
use thalweg_core::rule::Family;
use thalweg_core::{Batch, Learner, Outcomes, REAL, Real, Setup, Task};
use thalweg_laws::{Candidate, Example, batch, bytes, candidates, learn, stream};

fn forgetful(spec: &str, task: Task, half_life: f64) -> Box<dyn Learner> {
    learners::build(spec, &Setup { task, forget: Some(half_life), ..Setup::default() }).unwrap()
}

/// Every candidate that can forget. In a race another learner may lead at any time, and fewer take part if they have to forget: the laws are about its members.
fn for_every(law: impl Fn(&Candidate)) {
    let can = |c: &Candidate| {
        c.entry.forgets == Forgets::OnRequest
            && c.entry.family != Family::Race
            && !c.spec.contains("covariance=full")
    };
    let all: Vec<Candidate> = candidates().into_iter().filter(can).collect();
    assert!(all.len() > 20, "{}", all.len());
    all.iter().for_each(law);
}

/// Mean and variance of every feature. (The sum and the metric of the rules that are written with those follow.)
#[derive(Default)]
struct Beliefs(BTreeMap<u32, (f64, f64)>);

impl Beliefs {
    fn of(&self, feature: u32) -> (f64, f64) {
        self.0.get(&feature).copied().unwrap_or((0.0, 1.0))
    }

    fn sum(&self, x: &[(u32, f64)], part: impl Fn(f64, f64, f64) -> f64) -> f64 {
        x.iter().map(|&(feature, x)| part(self.of(feature).0, self.of(feature).1, x)).sum()
    }

    fn change(&mut self, x: &[(u32, f64)], change: impl Fn(f64, f64, f64) -> (f64, f64)) {
        for &(feature, x) in x {
            let (mu, sigma) = self.of(feature);
            self.0.insert(feature, change(mu, sigma, x));
        }
    }

    /// Every cell, after every example.
    fn grow(&mut self, half_life: f64) {
        let growth = (1.0 / half_life).exp2();
        self.0.values_mut().for_each(|belief| belief.1 = (belief.1 * growth).min(1.0));
    }
}

/// One round of a learner: the score before it.
type Round = fn(&mut Beliefs, &[(u32, f64)], y: f64, t: f64) -> f64;

fn arow(all: &mut Beliefs, x: &[(u32, f64)], y: f64, _t: f64) -> f64 {
    let (score, v) = (all.sum(x, |mu, _, x| mu * x), all.sum(x, |_, sigma, x| sigma * x * x));
    let loss = 1.0 - y * score;
    if loss > 0.0 {
        all.change(x, |mu, sigma, x| (mu + loss * y * sigma * x / (v + 1.0), 1.0 / (1.0 / sigma + x * x)));
    }
    score
}

fn sarow(all: &mut Beliefs, x: &[(u32, f64)], y: f64, _t: f64) -> f64 {
    let cut = |mu: f64, sigma: f64| if mu * mu > 0.15 * 0.15 * sigma { mu } else { 0.0 };
    let (score, v) = (all.sum(x, |mu, sigma, x| cut(mu, sigma) * x), all.sum(x, |_, sigma, x| sigma * x * x));
    let loss = 1.0 - y * score;
    if loss > 0.0 {
        all.change(x, |mu, sigma, x| {
            let smaller = 1.0 / (1.0 / sigma + x * x / 0.1);
            (mu + loss * y * sigma * x / (v + 0.1), smaller.max(sigma.min(0.0003)))
        });
    }
    score
}

fn acog(all: &mut Beliefs, x: &[(u32, f64)], y: f64, _t: f64) -> f64 {
    let score = all.sum(x, |mu, _, x| mu * x);
    if y * score < 1.0 {
        all.change(x, |mu, sigma, x| {
            let sigma = 1.0 / (1.0 / sigma + x * x);
            (mu + 4.0 * y * sigma * x, sigma)
        });
    }
    score
}

/// θ = μ / σ.
fn narow(all: &mut Beliefs, x: &[(u32, f64)], y: f64, _t: f64) -> f64 {
    let chi = all.sum(x, |_, sigma, x| sigma * x * x);
    let precision = if chi > 0.1 { 10.0 - 1.0 / chi } else { 0.0 };
    let entered = |sigma: f64, x: f64| 1.0 / (1.0 / sigma + precision * x * x);
    let score = all.sum(x, |mu, sigma, x| mu / sigma * entered(sigma, x) * x);
    if y * score < 1.0 {
        all.change(x, |mu, sigma, x| {
            let after = entered(sigma, x);
            ((mu / sigma + y * x) * after, after)
        });
    }
    score
}

/// θ = μ / σ, as in SSOL with λ = 0.
fn ssol(all: &mut Beliefs, x: &[(u32, f64)], y: f64, _t: f64) -> f64 {
    let v = all.sum(x, |_, sigma, x| sigma * x * x);
    all.change(x, |mu, sigma, x| {
        let after = sigma - sigma * sigma * x * x / (2.0 + v);
        (mu / sigma * after, after)
    });
    let score = all.sum(x, |mu, _, x| mu * x);
    if y * score < 1.0 {
        all.change(x, |mu, sigma, x| (mu + 4.0 * y * x * sigma, sigma));
    }
    score
}

#[test]
fn it_is_as_if_every_cell_grew_with_every_example() {
    let rounds: [(&str, Round); 5] =
        [("arow", arow), ("sarow", sarow), ("acog1", acog), ("narow", narow), ("ssol:lambda=0", ssol)];
    let examples = stream(3000, 61);
    for (spec, round) in rounds {
        // A weight that is cut or not, by a hair's breadth, makes a difference for ever.
        if spec == "sarow" && REAL == "f32" {
            continue;
        }
        // The factor is worked into the cells never, three times, and fifteen times.
        for half_life in [1000.0, 25.0, 5.0] {
            let mut learner = forgetful(spec, Task::Binary, half_life);
            let ours = learn(learner.as_mut(), &examples).scores;
            let mut all = Beliefs::default();
            let mut furthest: f64 = 0.0;
            for (((x, class), ours), t) in examples.iter().zip(&ours).zip(1..) {
                let score = round(&mut all, x, if *class == 1 { 1.0 } else { -1.0 }, f64::from(t));
                all.grow(half_life);
                furthest = furthest.max((score - ours).abs() / score.abs().max(1.0));
            }
            let bound = if REAL == "f64" { 1e-8 } else { 2e-3 };
            assert!(furthest < bound, "{spec}, half-life {half_life}: {furthest}");
            for (feature, (_, sigma)) in &all.0 {
                let ours = learner.variance(*feature, None).unwrap();
                assert!((ours - sigma).abs() <= bound * sigma, "{spec} {feature}: {ours} {sigma}");
            }
        }
    }
}

#[test]
fn what_is_not_seen_loses_half_of_its_precision_in_a_half_life() {
    for_every(|c| {
        if c.task != Task::Binary {
            return;
        }
        let mut learner = forgetful(&c.spec, c.task, 10.0);
        let prior = learner.variance(5, None).unwrap();
        while learner.variance(5, None).unwrap() > prior / 20.0 {
            learn(learner.as_mut(), &[(vec![(5, 3.0)], 1), (vec![(5, 3.0)], 0)]);
            if learner.counts().examples > 5000 {
                return; // a learner that needs more than that is seldom so sure
            }
        }
        let mut before = learner.variance(5, None).unwrap();
        for _ in 0..8 {
            learn(learner.as_mut(), &(0..10).map(|i| (vec![(9, 1.0)], i % 2)).collect::<Vec<Example>>());
            let after = learner.variance(5, None).unwrap();
            let expected = (2.0 * before).min(prior);
            assert!((after - expected).abs() <= 1e-5 * expected, "{c}: {before} {after}");
            before = after;
        }
        assert_eq!(before, prior, "{c}");
    });
}

#[test]
fn save_load_continue_equals_not_having_stopped() {
    for_every(|c| {
        for half_life in [3.0, 100.0] {
            let examples = c.stream(400, 62);
            let (first, second) = examples.split_at(150);
            let mut straight = forgetful(&c.spec, c.task, half_life);
            learn(straight.as_mut(), first);
            let mut resumed = ModelFile::from_bytes(&bytes(straight.as_ref())).unwrap().learner;
            assert_eq!(resumed.half_life(), Some(half_life), "{c}");
            let mut copy = straight.fork_with(0, u64::MAX);
            let expected = learn(straight.as_mut(), second);
            for other in [&mut resumed, &mut copy] {
                assert_eq!(expected, learn(other.as_mut(), second), "{c}");
                assert_eq!(bytes(straight.as_ref()), bytes(other.as_ref()), "{c}");
            }
            let mut parts = forgetful(&c.spec, c.task, half_life);
            examples.chunks(7).for_each(|part| {
                learn(parts.as_mut(), part);
            });
            assert_eq!(bytes(straight.as_ref()), bytes(parts.as_ref()), "{c}");
        }
    });
}

#[test]
fn other_numbers_for_features_make_no_difference() {
    for_every(|c| {
        let mut learner = forgetful(&c.spec, c.task, 20.0);
        assert!(learner.can_renumber(), "{c}");
        let examples = c.stream(150, 63);
        learn(learner.as_mut(), &examples);
        let mut same = learner.fork();
        learner.renumber(&|feature| Some(feature + 7));
        let moved = |(row, class): &Example| (row.iter().map(|(f, x)| (f + 7, *x)).collect(), *class);
        learn(learner.as_mut(), &examples.iter().map(moved).collect::<Vec<Example>>());
        learn(same.as_mut(), &examples);
        learner.renumber(&|feature| feature.checked_sub(7));
        assert_eq!(bytes(learner.as_ref()), bytes(same.as_ref()), "{c}");
    });
}

#[test]
fn a_half_life_beyond_all_streams_changes_nothing() {
    for_every(|c| {
        let examples = c.stream(300, 64);
        let (mut plain, mut forgets) = (c.build(), forgetful(&c.spec, c.task, 1e300));
        assert_eq!(learn(plain.as_mut(), &examples), learn(forgets.as_mut(), &examples), "{c}");
        let cells = |learner: &dyn Learner| {
            let mut cells = Vec::new();
            learner.write_cells(&mut cells);
            cells
        };
        assert_eq!(cells(plain.as_ref()), cells(forgets.as_ref()), "{c}");
        // A model that does not forget has no trace of it.
        assert!(!String::from_utf8_lossy(&bytes(plain.as_ref())).contains("forget"), "{c}");
    });
}

#[test]
fn whatever_comes_all_stays_finite_and_can_be_read() {
    let values = [1e9, -2e19, 1e30, 3e38, 1e-38, f64::from(Real::MAX) / 3.0];
    for_every(|c| {
        for half_life in [1.0, 1.5, 1e9, 1e300] {
            let mut learner = forgetful(&c.spec, c.task, half_life);
            for x in values {
                let extreme = [(vec![(1, x), (2, -x), (7, 1.0)], 0), (vec![(7, -x), (8, 1.0)], 1)];
                learn(learner.as_mut(), &extreme);
                let outcomes = learn(learner.as_mut(), &c.stream(100, 65));
                assert!(outcomes.scores.iter().chain(&outcomes.losses).all(|n| n.is_finite()), "{c}");
                let file = bytes(learner.as_ref());
                let back = ModelFile::from_bytes(&file).unwrap_or_else(|error| panic!("{c}: {error}"));
                assert_eq!(bytes(back.learner.as_ref()), file, "{c}");
                assert!(learner.weights().iter().all(|w| w.value.is_finite()), "{c}");
                let mut variances = (0..90).filter_map(|f| learner.variance(f, Some(0)));
                assert!(variances.all(f64::is_finite), "{c}");
            }
            learner.boost(1e300);
            learn(learner.as_mut(), &c.stream(100, 66));
        }
    });
}

#[test]
fn others_say_why_they_do_not_forget() {
    let error = |spec: &str, half_life: f64| {
        let setup = Setup { forget: Some(half_life), ..Setup::default() };
        learners::build(spec, &setup).err().unwrap().to_string()
    };
    for entry in LEARNERS {
        if let Forgets::Never(reason) = entry.forgets {
            assert_eq!(
                error(entry.name, 100.0),
                format!("{} cannot forget (`forget`): {reason}", entry.name)
            );
        }
    }
    assert_eq!(
        error("pa", 100.0),
        "pa cannot forget (`forget`): it has nothing to forget: its steps do not shrink"
    );
    assert!(error("arow:covariance=full", 100.0).contains("covariance=diagonal"));
    for none in [0.0, 0.999, -5.0, f64::NAN, f64::INFINITY] {
        assert_eq!(error("arow", none), "`forget` is a half-life of at least 1 example", "{none}");
    }
}

#[test]
fn a_boost_multiplies_variances_up_to_the_prior_and_keeps_weights() {
    let score = |learner: &dyn Learner, batch: &Batch| {
        let mut outcomes = Outcomes::default();
        learner.score(batch, &mut outcomes);
        outcomes.scores
    };
    for c in candidates() {
        for half_life in [None, Some(30.0)] {
            let setup = Setup { task: c.task, forget: half_life, ..Setup::default() };
            let Ok(mut learner) = learners::build(&c.spec, &setup) else { continue };
            learn(learner.as_mut(), &c.stream(300, 67));
            let (before, file) = (learner.fork(), bytes(learner.as_ref()));
            let can = learner.boost(5.0);
            assert_eq!(can, c.entry.forgets == Forgets::OnRequest, "{c}");
            if !can {
                assert_eq!(bytes(learner.as_ref()), file, "{c}");
                continue;
            }
            assert_eq!(learner.features(), before.features(), "{c}");
            let class = (c.task != Task::Binary).then_some(1);
            let prior = c.build().variance(0, None).unwrap_or(1.0);
            for feature in 0..70 {
                let variance = |of: &dyn Learner| of.variance(feature, class).unwrap();
                let expected = (5.0 * variance(before.as_ref())).min(prior);
                let after = variance(learner.as_ref());
                assert!((after - expected).abs() <= 1e-5 * expected, "{c} {feature}: {after} {expected}");
            }
            // A weight may be cut when it is less certain.
            let cuts = c.entry.has_knob("kappa") || c.spec.contains("truncate=metric");
            if !cuts && c.entry.family != Family::Race {
                let examples = batch(&c.stream(100, 68));
                let scores =
                    score(before.as_ref(), &examples).into_iter().zip(score(learner.as_ref(), &examples));
                let close = |(a, b): (f64, f64)| (a - b).abs() <= 1e-4 * a.abs().max(1.0);
                assert!(scores.into_iter().all(close), "{c}");
            }
            let resumed = ModelFile::from_bytes(&bytes(learner.as_ref())).unwrap().learner;
            assert_eq!(bytes(resumed.as_ref()), bytes(learner.as_ref()), "{c}");
        }
    }
}
