//! Which class a score means, and what is too doubtful to be told.
#![allow(missing_docs, clippy::unwrap_used)]

mod common;

use std::path::Path;

use common::made_up::{features, is_positive, three_classes, two_classes};
use common::{Workplace, repository};
use serde_json::Value;

const NEVER: usize = usize::MAX;

fn json(text: &str) -> Value {
    serde_json::from_str(text).unwrap_or_else(|error| panic!("{error}: {text}"))
}

/// Scores and labels of predictions as text. What could not be scored is `None`.
fn scores_and_labels(predictions: &str) -> Vec<Option<(f64, String)>> {
    let line = |line: &str| {
        let mut fields = line.split('\t');
        let (score, label) = (fields.next().unwrap(), fields.next().unwrap());
        Some((score.parse().ok()?, label.to_string()))
    };
    predictions.lines().map(line).collect()
}

/// The labels of LIBSVM data, as the program calls them.
fn labels(text: &str) -> Vec<String> {
    text.lines().map(|line| line.split(' ').next().unwrap().trim_start_matches('+').to_string()).collect()
}

fn bundled(name: &str) -> String {
    let bytes = std::fs::read(repository(&format!("data/{name}"))).unwrap();
    String::from_utf8(zstd::decode_all(&bytes[..]).unwrap()).unwrap()
}

/// A workplace with a model whose threshold was steered.
fn steered(flags: &str) -> Workplace {
    let work = Workplace::new();
    work.write("a.svm", two_classes(0..1500, NEVER)).write("b.svm", two_classes(1500..2100, NEVER));
    work.ok(&format!("train a.svm -q -f model.thw {flags}"));
    work
}

#[test]
fn every_verb_uses_the_threshold_of_the_model() {
    for flags in
        ["-a arow --target recall>=0.9", "-a ssol --target precision>=0.9", "-a arow --threshold -0.4"]
    {
        let work = steered(flags);
        let threshold = json(&work.ok("inspect model.thw --json").stdout)["threshold"].as_f64().unwrap();
        assert!(threshold != 0.0, "{flags}");
        let predicted = scores_and_labels(&work.ok("predict b.svm -i model.thw").stdout);
        let mut between = 0;
        for (score, label) in predicted.iter().flatten() {
            assert_eq!(label == "1", *score > threshold, "{flags}: {score} and {threshold}");
            between += u32::from((*score > threshold) != (*score > 0.0));
        }
        assert!(between > 0, "{flags}: {threshold} makes no difference");
        let explained = work.ok("explain b.svm -i model.thw --json").stdout;
        let explained: Vec<Value> = explained.lines().map(json).collect();
        assert_eq!(explained.len(), predicted.len());
        for (explained, predicted) in explained.iter().zip(predicted.iter().flatten()) {
            assert_eq!(explained["predicted"], predicted.1.as_str());
        }
        let report = json(&work.ok("eval b.svm -i model.thw --json").stdout);
        assert_eq!(report["decision"]["threshold"].as_f64(), Some(threshold));
    }
}

#[test]
fn a_threshold_on_the_command_line_overrides_that_of_the_model() {
    let work = steered("-a arow --target recall>=0.9");
    let before = work.read("model.thw");
    for threshold in [-1.5, 0.0, 0.25, 1e300] {
        let predicted = work.ok(&format!("predict b.svm -i model.thw --threshold {threshold}")).stdout;
        for (score, label) in scores_and_labels(&predicted).iter().flatten() {
            assert_eq!(label == "1", *score > threshold, "{score} and {threshold}");
        }
        let report =
            json(&work.ok(&format!("eval b.svm -i model.thw --json --threshold {threshold}")).stdout);
        assert_eq!(report["decision"]["threshold"].as_f64(), Some(threshold), "{report}");
    }
    assert_eq!(work.read("model.thw"), before);
}

#[test]
fn figures_of_an_evaluation_are_those_of_its_predictions() {
    for flags in ["-a arow", "-a arow --target recall>=0.9", "-a ssol --threshold 0.3", "--target f1"] {
        let work = steered(flags);
        for file in ["a.svm", "b.svm"] {
            let truth = labels(&String::from_utf8(work.read(file)).unwrap());
            let predicted = scores_and_labels(&work.ok(&format!("predict {file} -i model.thw")).stdout);
            let pairs = truth.iter().zip(predicted.iter().map(|line| &line.as_ref().unwrap().1));
            let (mut missed, mut false_alarms, mut positives) = (0, 0, 0);
            for (truth, predicted) in pairs {
                positives += u32::from(truth == "1");
                missed += u32::from(truth == "1" && predicted == "-1");
                false_alarms += u32::from(truth == "-1" && predicted == "1");
            }
            let report = json(&work.ok(&format!("eval {file} -i model.thw --json")).stdout);
            let figure = |name: &str| report[name].as_f64().unwrap_or_else(|| panic!("{name}: {report}"));
            let wrong = f64::from(missed + false_alarms);
            assert_eq!((figure("missed"), figure("false_alarms")), (missed.into(), false_alarms.into()));
            assert!((figure("error") - wrong / truth.len() as f64).abs() < 1e-12, "{flags}");
            let recall = 1.0 - f64::from(missed) / f64::from(positives);
            assert!((figure("sensitivity") - recall).abs() < 1e-12, "{flags}");
        }
    }
}

/// The recall of a whole stream and of its second half, from the predictions of training.
fn recall(file: &Path, truth: &[String], flags: &str) -> [f64; 2] {
    let work = Workplace::new();
    work.ok(&format!("train {} -q -p p.tsv {flags}", file.display()));
    let predicted = scores_and_labels(&String::from_utf8(work.read("p.tsv")).unwrap());
    assert_eq!(predicted.len(), truth.len());
    [0, truth.len() / 2].map(|from| {
        let pairs = truth.iter().zip(predicted.iter().map(|line| &line.as_ref().unwrap().1)).skip(from);
        let positives: Vec<bool> =
            pairs.filter(|(truth, _)| *truth == "1").map(|(_, predicted)| predicted == "1").collect();
        positives.iter().filter(|found| **found).count() as f64 / positives.len() as f64
    })
}

#[test]
fn a_recall_that_was_asked_for_holds_on_bundled_streams() {
    for file in ["smsspam.train.svm.zst", "german.numer.svm.zst"] {
        let (path, truth) = (repository(&format!("data/{file}")), labels(&bundled(file)));
        for learner in ["-a arow --normalize l2 --bias", "-a ssol --normalize l2 --bias", ""] {
            for wanted in [0.7, 0.8, 0.9] {
                let [whole, half] = recall(&path, &truth, &format!("{learner} --target recall>={wanted}"));
                assert!((whole - wanted).abs() <= 0.015, "{file} {learner}: {whole} for {wanted}");
                // Later examples make up for earlier ones, so half of a short stream may be further off.
                let far = if file.starts_with("sms") && wanted == 0.9 { 0.03 } else { 0.05 };
                assert!((half - wanted).abs() <= far, "{file} {learner}: {half} for {wanted}");
            }
        }
    }
}

/// Records with bad lines among them; every seventh is bad.
fn with_bad_lines() -> (String, usize) {
    let line = |i: usize| {
        if i % 7 == 3 {
            return "+1 nonsense\n".to_string();
        }
        format!("{}{}\n", if is_positive(i) { "+1" } else { "-1" }, features(i, NEVER))
    };
    ((0..5000).map(line).collect(), 5000)
}

#[test]
fn doubtful_records_are_in_the_review_with_their_numbers() {
    for flags in ["-a arow", "-a arow --probabilities", "-a ssol --probabilities --target recall>=0.8"] {
        let work = steered(flags);
        let (text, records) = with_bad_lines();
        work.write("c.svm", text);
        let plain = work.ok("predict c.svm -i model.thw").stdout;
        let plain: Vec<&str> = plain.lines().collect();
        for threads in [0, 4] {
            let abstain = format!("predict c.svm -i model.thw --abstain-below 0.9 --threads {threads}");
            let outcome = work.ok(&format!("{abstain} -p p.tsv --review review.tsv"));
            let told = String::from_utf8(work.read("p.tsv")).unwrap();
            let review = String::from_utf8(work.read("review.tsv")).unwrap();
            let mut review = review.lines().map(|line| line.split_once('\t').unwrap()).peekable();
            let mut doubtful = 0;
            let told: Vec<&str> = told.lines().collect();
            assert_eq!((told.len(), plain.len()), (records, records));
            for (i, (told, plain)) in told.iter().zip(&plain).enumerate() {
                let fields = |line: &str| line.split('\t').map(String::from).collect::<Vec<_>>();
                let (told, plain) = (fields(told), fields(plain));
                assert_eq!(told[0], plain[0], "{flags}: the score of record {}", i + 1);
                let is_bad = i % 7 == 3;
                assert_eq!(told[0] == "?", is_bad);
                if is_bad || told[1] != "?" {
                    assert_eq!(told[1], plain[1]);
                    continue;
                }
                doubtful += 1;
                let (number, line) = review.next().unwrap();
                assert_eq!(number, (i + 1).to_string(), "{flags}");
                assert_eq!(fields(line)[..2], plain[..2], "what would have been predicted");
            }
            assert_eq!(review.next(), None);
            assert!(doubtful > 10 && doubtful < records / 2, "{flags}: {doubtful}");
            let note = format!("{doubtful} records were too doubtful to predict");
            assert!(outcome.stderr.replace(',', "").contains(&note), "{}", outcome.stderr);
        }
    }
}

#[test]
fn doubtful_records_as_json_are_objects_with_their_numbers() {
    let work = Workplace::new();
    let flags = "train a.svm -q -f model.thw -a arow --multiclass --probabilities";
    work.write("a.svm", three_classes(0..1500, NEVER)).write("b.svm", three_classes(1500..1900, NEVER));
    work.ok(flags);
    work.ok("predict b.svm -i model.thw --json --abstain-below 0.8 -p p.jsonl --review r.jsonl --confidence");
    let objects =
        |name: &str| String::from_utf8(work.read(name)).unwrap().lines().map(json).collect::<Vec<Value>>();
    let (predictions, review) = (objects("p.jsonl"), objects("r.jsonl"));
    assert_eq!(predictions.len(), 400);
    let doubtful: Vec<usize> =
        (0..400).filter(|i| predictions[*i]["abstained"].as_bool() == Some(true)).collect();
    let numbers: Vec<usize> = review.iter().map(|r| r["record"].as_u64().unwrap() as usize - 1).collect();
    assert_eq!(numbers, doubtful);
    assert!(!doubtful.is_empty() && doubtful.len() < 400);
    for (i, prediction) in predictions.iter().enumerate() {
        let probabilities = prediction["probabilities"].as_object().unwrap();
        let sum: f64 = probabilities.values().map(|p| p.as_f64().unwrap()).sum();
        assert!((sum - 1.0).abs() < 1e-9, "{prediction}");
        assert_eq!(prediction["deviations"].as_object().unwrap().len(), 3);
        assert_eq!(prediction["predicted"].is_null(), doubtful.contains(&i));
    }
    for reviewed in &review {
        let label = reviewed["predicted"].as_str().unwrap();
        assert!(reviewed["probabilities"][label].as_f64().unwrap() < 0.8, "{reviewed}");
    }
}

#[test]
fn probabilities_are_those_of_the_stream() {
    let work = steered("-a arow --probabilities --cost-fn 20");
    let predictions = work.ok("predict b.svm -i model.thw").stdout;
    let truth = labels(&String::from_utf8(work.read("b.svm")).unwrap());
    let probability = |line: &str| line.split('\t').nth(2).unwrap().parse::<f64>().unwrap();
    let probabilities: Vec<f64> = predictions.lines().map(probability).collect();
    assert!(probabilities.iter().all(|p| (0.0..=1.0).contains(p)));
    let expected: f64 = probabilities.iter().sum();
    let positives = truth.iter().filter(|label| *label == "1").count() as f64;
    assert!((expected - positives).abs() < 0.25 * positives, "{expected} of {positives}");
    // Higher scores are more probable.
    let mut pairs: Vec<(f64, f64)> = scores_and_labels(&predictions)
        .iter()
        .flatten()
        .map(|(score, _)| *score)
        .zip(probabilities)
        .collect();
    pairs.sort_by(|a, b| a.0.total_cmp(&b.0));
    assert!(pairs.is_sorted_by(|a, b| a.1 <= b.1));
}
