//! Models that merge: names, labels, scales, thresholds and probabilities of several become those of one.
#![allow(missing_docs, clippy::unwrap_used)]

use std::path::{Path, PathBuf};

use thalweg::{
    Config, Delta, Format, Input, Model, Predictions, Predictor, Scale, Trainer, merge_deltas, train_shards,
};

/// Made-up messages as JSON lines: from so many on, so many of them.
fn messages(from: usize, count: usize) -> String {
    let line = |i: usize| {
        let n = i.wrapping_mul(2_654_435_761) >> 7;
        let spam = n.is_multiple_of(3);
        let (label, word) = if spam { ("spam", "prize") } else { ("ham", "lunch") };
        let (a, b) = (n % 97, (n >> 9) % 53);
        format!("{{\"text\": \"{word}{} w{a} v{b} new{}\", \"label\": \"{label}\"}}\n", n % 5, i / 40)
    };
    (from..from + count).map(line).collect()
}

fn config() -> Config {
    Config::default().text("text").labels("ham").labels("spam")
}

fn learned(config: Config, records: &str) -> Model {
    let mut trainer = Trainer::new(config).unwrap();
    trainer.learn_records(records.as_bytes(), Format::JSONL).unwrap();
    trainer.into_model().unwrap()
}

fn went_on(model: Model, records: &str) -> Model {
    let mut trainer = Trainer::resume(model).unwrap();
    trainer.learn_records(records.as_bytes(), Format::JSONL).unwrap();
    trainer.into_model().unwrap()
}

fn copy(model: &Model) -> Model {
    Model::from_bytes(&model.to_bytes()).unwrap()
}

fn scores(model: &Model, records: &str) -> Vec<f64> {
    let (predictor, mut predictions) = (Predictor::new(copy(model).into()), Predictions::default());
    predictor.score_records(records.as_bytes(), Format::JSONL, &mut predictions).unwrap();
    (0..predictions.len()).map(|i| predictions.scores(i)[0]).collect()
}

fn mistakes(model: &Model, records: &str) -> usize {
    let (predictor, mut predictions) = (Predictor::new(copy(model).into()), Predictions::default());
    predictor.score_records(records.as_bytes(), Format::JSONL, &mut predictions).unwrap();
    let labels = records.lines().map(|line| if line.contains("\"spam\"") { "spam" } else { "ham" });
    labels.enumerate().filter(|(i, label)| predictor.label(&predictions, *i) != *label).count()
}

#[test]
fn models_of_other_words_are_joined_by_their_words_in_any_order() {
    let parts: Vec<String> = (0..4).map(|i| messages(500 * i, 500)).collect();
    let models: Vec<Model> = parts.iter().map(|part| learned(config(), part)).collect();
    let of = |order: &[usize]| {
        let models: Vec<&Model> = order.iter().map(|i| &models[*i]).collect();
        Model::merge(None, &models).unwrap()
    };
    let merged = of(&[0, 1, 2, 3]);
    assert!(merged.to_bytes() == of(&[3, 1, 0, 2]).to_bytes(), "the order has no influence");
    assert_eq!(merged.learner().counts().examples, 2000);
    assert_eq!(merged.labels().names(), ["ham", "spam"]);
    let new = messages(5000, 1000);
    assert!(mistakes(&merged, &new) <= mistakes(&learned(config(), &parts.concat()), &new) + 10);
    // It loads, and goes on as what was loaded does.
    let (a, b) = (went_on(copy(&merged), &new), went_on(merged, &new));
    assert!(a.to_bytes() == b.to_bytes());
    assert_eq!(a.learner().counts().examples, 3000);
}

#[test]
fn a_copy_of_the_base_changes_nothing_and_one_model_is_itself() {
    let base = learned(config().probabilities(true), &messages(0, 600));
    let model = went_on(copy(&base), &messages(600, 700));
    let untouched = copy(&base);
    let merged = Model::merge(Some(&base), &[&model, &untouched]).unwrap();
    let alone = Model::merge(Some(&base), &[&model]).unwrap();
    assert!(merged.to_bytes() == alone.to_bytes());
    assert!(Model::merge(Some(&base), &[&untouched]).unwrap().to_bytes() == base.to_bytes());
    let new = messages(9000, 300);
    let apart = scores(&alone, &new).into_iter().zip(scores(&model, &new)).map(|(a, b)| (a - b).abs());
    assert!(apart.fold(0.0, f64::max) < 1e-4);
    assert_eq!(alone.learner().counts(), model.learner().counts());
}

#[test]
fn deltas_add_up_as_bytes_and_damage_is_noticed() {
    let base = learned(config().target("recall>=0.9".parse::<thalweg::Target>().unwrap()), &messages(0, 900));
    let delta = |i: usize| {
        let shard = went_on(base.shared(3).unwrap(), &messages(1000 * (i + 1), 400));
        shard.delta(&base, 3).unwrap()
    };
    let deltas = [delta(0), delta(1), delta(2)];
    for delta in &deltas {
        assert_eq!(Delta::from_bytes(&delta.to_bytes()).unwrap(), *delta);
        assert!(delta.new_names() > 5 && delta.examples() == 400 && delta.changed() > 50);
    }
    let nothing = copy(&base).delta(&base, 1).unwrap();
    assert_eq!((nothing.examples(), nothing.changed(), nothing.new_names()), (0, 0, 0));
    assert_eq!(nothing.plus(&deltas[0]).unwrap(), deltas[0]);
    assert_eq!(deltas[0].plus(&deltas[1]).unwrap(), deltas[1].plus(&deltas[0]).unwrap());
    let sum = merge_deltas(&deltas).unwrap();
    assert_eq!(sum, deltas[0].plus(&deltas[1]).unwrap().plus(&deltas[2]).unwrap());
    let merged = Model::apply(&base, &sum).unwrap();
    assert_eq!(merged.learner().counts().examples, 900 + 3 * 400);
    assert!(mistakes(&merged, &messages(7000, 500)) < 25);
    // Of another base, or none at all.
    let error = |result: thalweg::Result<Model>| result.err().unwrap().to_string();
    assert_eq!(error(Model::apply(&merged, &sum)), "the deltas are of different base models");
    assert!(merge_deltas(&[]).is_err());
    let bytes = deltas[0].to_bytes();
    for at in (0..bytes.len()).step_by(11) {
        assert!(Delta::from_bytes(&bytes[..at]).is_err(), "cut at {at}");
        let mut damaged = bytes.clone();
        damaged[at] ^= 0x10;
        assert!(Delta::from_bytes(&damaged).is_err(), "flipped byte {at}");
        // Damage that has a checksum of its own.
        let end = damaged.len() - 4;
        let checksum = crc32fast::hash(&damaged[..end]);
        damaged[end..].copy_from_slice(&checksum.to_le_bytes());
        if let Ok(sum) = Delta::from_bytes(&damaged).and_then(|delta| delta.plus(&deltas[1])) {
            _ = Model::apply(&base, &sum);
        }
    }
}

#[test]
fn models_that_are_not_alike_say_in_what() {
    let model = |config: Config| learned(config, &messages(0, 200));
    let plain = model(config());
    for (other, part) in [
        (config().learner("arow"), "sarow"),
        (config().cost_fn(3.0), "`cost_fn` is not the same"),
        (config().probabilities(true), "`probabilities` is not the same"),
        (config().normalize(thalweg::Norm::L2), "`normalize` is not the same"),
        (config().ngrams((1, 2)), "`ngrams` is not the same"),
        (config().chars((2, 3)), "`chars` is not the same"),
        (config().hash_bits(16u32), "`hash_bits` is not the same"),
        (config().learner("dcd"), "dcd"),
    ] {
        let error = Model::merge(None, &[&plain, &model(other)]).err().unwrap().to_string();
        assert!(error.contains(part), "{error}");
    }
    let batch = model(config().learner("dcd"));
    let error = Model::merge(None, &[&batch, &batch]).err().unwrap().to_string();
    assert!(
        error.contains("dcd") && error.contains("cannot be merged: what it finds for a batch"),
        "{error}"
    );
    // One that has learned less than what it is said to have begun with, or as much, but not the same.
    let longer = learned(config(), &messages(0, 300));
    assert!(Model::merge(Some(&longer), &[&plain]).is_err());
    let other = learned(config(), &messages(700, 200));
    let error = |base: &Model, model| Model::merge(Some(base), &[model]).err().unwrap().to_string();
    let errors = [error(&other, &plain), error(&plain, &other)];
    assert!(errors.iter().any(|error| error.contains("did not begin with the base")), "{errors:?}");
}

fn write(folder: &Path, name: &str, records: &str) -> Input {
    let path: PathBuf = folder.join(name);
    std::fs::write(&path, records).unwrap();
    Input::File(path)
}

/// Shards of a stream, in parts for each round.
fn shards(folder: &Path, shards: usize, rounds: usize, examples: usize) -> Vec<Vec<Vec<Input>>> {
    let each = examples / shards;
    let segment = |shard: usize, round: usize| {
        let (from, to) = (each * round / rounds, each * (round + 1) / rounds);
        let records = messages(shard * each + from, to - from);
        vec![write(folder, &format!("{shard}-{round}.jsonl"), &records)]
    };
    (0..shards).map(|shard| (0..rounds).map(|round| segment(shard, round)).collect()).collect()
}

#[test]
fn shards_learn_nearly_what_one_stream_does_whatever_the_scales() {
    let (folder, new) = (tempfile::tempdir().unwrap(), messages(50_000, 2000));
    for config in [
        config(),
        config().learner("arow"),
        config().learner("ftrl").scale(Scale::Rms),
        config().learner("pa1:c=0.1").scale(Scale::Max),
        config().learner("arow").scale(Scale::Deviation),
        config().hash_bits(16u32),
        config().learner("arow").max_features(300u64),
        config().balanced(true).target("f1".parse::<thalweg::Target>().unwrap()).probabilities(true),
    ] {
        let alone = learned(config.clone(), &messages(0, 6000));
        for rounds in [1, 3] {
            let shards = shards(folder.path(), 4, rounds, 6000);
            let together = train_shards(&config, None, &shards).unwrap();
            assert_eq!(together.learner().counts().examples, 6000);
            let (ours, theirs) = (mistakes(&together, &new), mistakes(&alone, &new));
            assert!(ours <= theirs + 60, "{config:?}, {rounds} rounds: {ours} {theirs}");
            let again = train_shards(&Config { threads: Some(2), ..config.clone() }, None, &shards).unwrap();
            assert!(together.to_bytes() == again.to_bytes(), "the number of threads has no influence");
        }
    }
}

#[test]
fn a_shard_may_have_one_class_or_nothing_at_all() {
    let folder = tempfile::tempdir().unwrap();
    let only = |label: &str, from: usize| {
        let lines = messages(from, 900);
        let lines = lines.lines().filter(|line| line.contains(label));
        lines.fold(String::new(), |all, line| all + line + "\n")
    };
    let inputs = [
        vec![vec![write(folder.path(), "a", &only("\"ham\"", 0))]],
        vec![vec![write(folder.path(), "b", "")]],
        vec![vec![write(folder.path(), "c", &only("\"spam\"", 900))]],
        vec![],
    ];
    let config = Config::default().text("text").format(Format::JSONL);
    let model = train_shards(&config, None, &inputs).unwrap();
    assert_eq!(model.labels().names(), ["ham", "spam"]);
    assert!(mistakes(&model, &messages(4000, 500)) < 20);
}

#[test]
fn classes_that_only_some_have_seen_are_joined_by_name() {
    let record = |i: usize, classes: &[&str]| {
        let class = classes[i * 7919 % 101 % classes.len()];
        format!("{{\"text\": \"{class}{} common w{}\", \"label\": \"{class}\"}}\n", i % 3, i % 11)
    };
    let part = |classes: &[&str]| (0..400).map(|i| record(i, classes)).collect::<String>();
    for multiclass in [thalweg::Multiclass::Hinge, thalweg::Multiclass::Ovr] {
        let config = Config::default().learner("arow").text("text").multiclass(multiclass);
        let (a, b) =
            (learned(config.clone(), &part(&["x", "10", "y"])), learned(config, &part(&["9", "y", "z"])));
        let merged = Model::merge(None, &[&a, &b]).unwrap();
        assert_eq!(merged.labels().names(), ["9", "10", "x", "y", "z"]);
        assert!(merged.to_bytes() == Model::merge(None, &[&b, &a]).unwrap().to_bytes());
        let all = ["x", "9", "z", "10", "y"];
        let (predictor, mut predictions) = (Predictor::new(merged.into()), Predictions::default());
        for class in all {
            let record = format!("{{\"text\": \"{class}1 {class}2 common\"}}\n");
            predictor.score_records(record.as_bytes(), Format::JSONL, &mut predictions).unwrap();
            assert_eq!(predictor.label(&predictions, 0), class);
        }
    }
}
