//! Examples that are held out have no part in what is learned, in no pass and no order.
#![allow(missing_docs, clippy::unwrap_used)]

use std::sync::Arc;

use thalweg::{Config, Format, Input, Predictions, Predictor, Target, Trainer};
use thalweg_core::random::scramble;

const END: usize = 700;

/// Of every so many examples in a row one is held out, at a random place among them.
fn is_held_out(place: usize, share: f64) -> bool {
    let row_of = |place: usize| (place as f64 * share) as u64;
    let row = row_of(place);
    let start = (0..=place).rev().take_while(|other| row_of(*other) == row).last().unwrap_or(place);
    let length = (start..start + END).take_while(|other| row_of(*other) == row).count();
    (place - start) as u64 == scramble(row) % length as u64
}

/// Records whose labels are turned around where `flipped` says so. Some lines are bad.
fn lines(flipped: impl Fn(usize) -> bool) -> String {
    let line = |i: usize| {
        let spam = (i * 7).is_multiple_of(3) != flipped(i);
        let (told, label) =
            (if (i * 7).is_multiple_of(3) { "a" } else { "b" }, if spam { "spam" } else { "ham" });
        let bad = if i % 50 == 3 { "ham |a:nonsense:1\n" } else { "" };
        format!("{bad}{label} | {told}{} n{} n{}\n", i * 13 % 7, i * 31 % 97, i * 17 % 41)
    };
    (0..END).map(line).collect()
}

fn configs() -> Vec<(Config, f64)> {
    let config = |learner: &str| Config::parse(learner).unwrap().positive("spam");
    let mut all = Vec::new();
    for share in [0.1, 0.3] {
        for passes in [1u64, 3] {
            let base = |learner: &str| config(learner).holdout(share).passes(passes);
            all.push((base("arow"), share));
            all.push((base("sarow").balanced(true), share));
            all.push((base("ssol").shuffle(true), share));
            all.push((base("arow").shuffle(true).seed(7u64), share));
            all.push((base("bcw1:batch=64"), share));
        }
    }
    all
}

fn trained(config: &Config, text: String) -> Trainer {
    let mut trainer = Trainer::new(config.clone()).unwrap();
    trainer.run(&[Input::bytes("a.vw", text.into_bytes())], &mut ()).unwrap();
    trainer
}

#[test]
fn labels_of_held_out_examples_change_figures_and_nothing_else() {
    for (config, share) in configs() {
        let as_it_is = trained(&config, lines(|_| false));
        let flipped = trained(&config, lines(|i| is_held_out(i, share)));
        let [a, b] = [&as_it_is, &flipped].map(|trainer| trainer.report().figures);
        let held_out = (END as f64 * share).floor() as u64;
        // Before its first batch is full, a learner has no opinion that could be measured.
        let opinionless = config.learner.as_deref() == Some("bcw1:batch=64") && config.passes == Some(1);
        let measured = if opinionless { a.examples().min(held_out - 1) } else { held_out };
        assert_eq!(a.examples(), measured, "{config:?}");
        let (a, b) = (a.value("error").unwrap(), b.value("error").unwrap());
        assert!((a + b - 1.0).abs() < 1e-9, "{config:?}: {a} and {b}");
        let [a, b] = [as_it_is, flipped].map(|trainer| trainer.into_model().unwrap().to_bytes());
        assert!(a == b, "{config:?}");
        // One that is learned from makes a difference.
        let other = trained(&config, lines(|i| i == 100)).into_model().unwrap().to_bytes();
        assert!(!is_held_out(100, share) && a != other, "{config:?}");
    }
}

#[test]
fn scores_do_not_depend_on_held_out_labels_even_where_the_threshold_follows_them() {
    let target: Target = "recall>=0.8".parse().unwrap();
    let config = Config::parse("arow").unwrap().positive("spam").holdout(0.2).passes(2u64);
    let config = config.target(target).probabilities(true);
    let scores = [false, true].map(|flips| {
        let model = trained(&config, lines(|i| flips && is_held_out(i, 0.2))).into_model().unwrap();
        let (predictor, mut predictions) = (Predictor::new(Arc::new(model)), Predictions::default());
        predictor.score_records(lines(|_| false).as_bytes(), Format::VW, &mut predictions).unwrap();
        (0..predictions.len()).map(|i| predictions.scores(i)[0]).collect::<Vec<_>>()
    });
    assert_eq!(scores[0], scores[1]);
}

#[test]
fn records_call_after_call_are_held_out_as_those_of_a_file() {
    for learner in ["arow", "ssol", "bcw1:batch=64"] {
        let config = Config::parse(learner).unwrap().positive("spam").holdout(0.15);
        let expected = trained(&config, lines(|_| false));
        for chunk in [1, 37, END] {
            let mut trainer = Trainer::new(config.clone()).unwrap();
            let text = lines(|_| false);
            let all: Vec<&str> = text.split_inclusive('\n').collect();
            for records in all.chunks(chunk) {
                trainer.learn_records(records.concat().as_bytes(), Format::VW).unwrap();
            }
            let [a, b] = [&expected, &trainer].map(|trainer| trainer.report().figures);
            assert_eq!((a.examples(), a.value("error")), (b.examples(), b.value("error")), "{learner}");
            let bytes = trainer.into_model().unwrap().to_bytes();
            let model = trained(&config, lines(|_| false)).into_model().unwrap();
            assert!(bytes == model.to_bytes(), "{learner} in chunks of {chunk}");
        }
    }
}

#[test]
fn a_share_that_is_none_is_refused() {
    for share in [0.0, 1.0, -0.5, 2.0, f64::NAN] {
        let Err(error) = Trainer::new(Config::default().holdout(share)) else { panic!("{share}") };
        assert!(error.to_string().contains("holdout"), "{error}");
    }
}
