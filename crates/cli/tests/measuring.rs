//! What is measured, on which examples, and where it is written.
#![allow(missing_docs, clippy::unwrap_used)]

mod common;

use common::Workplace;
use common::made_up::{features, is_positive, three_classes, two_classes};
use serde_json::Value;
use thalweg_core::random::scramble;

const NEVER: usize = usize::MAX;

fn json(text: &str) -> Value {
    serde_json::from_str(text).unwrap_or_else(|error| panic!("{error}: {text}"))
}

fn objects(text: &str) -> Vec<Value> {
    text.lines().map(json).collect()
}

fn workplace() -> Workplace {
    let work = Workplace::new();
    work.write("a.svm", two_classes(0..1000, NEVER)).write("b.svm", two_classes(1000..1600, NEVER));
    work
}

/// Scores of predictions as text.
fn scores(predictions: &str) -> Vec<f64> {
    predictions.lines().map(|line| line.split('\t').next().unwrap().parse().unwrap()).collect()
}

/// The share of pairs of a positive and a negative in which the positive has the higher score; ties count half.
fn area_under_roc(scores: &[f64], from: usize) -> f64 {
    let (mut right, mut pairs) = (0.0, 0.0);
    for i in (0..scores.len()).filter(|i| is_positive(from + i)) {
        for j in (0..scores.len()).filter(|j| !is_positive(from + j)) {
            pairs += 1.0;
            right +=
                if scores[i] > scores[j] { 1.0 } else { 0.5 * f64::from(u8::from(scores[i] == scores[j])) };
        }
    }
    right / pairs
}

#[test]
fn the_area_under_the_curve_is_the_share_of_pairs_in_order() {
    let work = workplace();
    for learner in ["-a arow", "-a ssol", "", "-a perceptron --binary"] {
        work.ok(&format!("train a.svm -q {learner} -f model.thw"));
        let expected = area_under_roc(&scores(&work.ok("predict b.svm -i model.thw").stdout), 1000);
        assert!(expected > 0.7 && expected < 1.0, "{learner}: {expected}");
        for threads in [0, 4] {
            let eval = format!("eval b.svm -i model.thw --json --metrics roc_auc --threads {threads}");
            let report = json(&work.ok(&eval).stdout);
            let area = report["roc_auc"].as_f64().unwrap();
            assert!((area - expected).abs() < 1e-9, "{learner}: {area} and not {expected}");
        }
        // Of training it is approximate: scores are kept in bins.
        let report =
            json(&work.ok(&format!("train a.svm {learner} -q --json --metrics roc_auc -p p.tsv")).stdout);
        let expected = area_under_roc(&scores(&String::from_utf8(work.read("p.tsv")).unwrap()), 0);
        let area = report["roc_auc"].as_f64().unwrap();
        assert!((area - expected).abs() < 0.01, "{learner}: {area} and not {expected}");
    }
}

#[test]
fn losses_of_probabilities_are_those_of_the_predictions() {
    let work = workplace();
    work.ok("train a.svm -q -a arow --probabilities -f model.thw");
    let predictions = work.ok("predict b.svm -i model.thw").stdout;
    let (mut log_loss, mut brier) = (0.0, 0.0);
    for (i, line) in predictions.lines().enumerate() {
        let p: f64 = line.split('\t').nth(2).unwrap().parse().unwrap();
        let of_truth = if is_positive(1000 + i) { p } else { 1.0 - p };
        log_loss -= of_truth.ln() / 600.0;
        brier += (1.0 - of_truth).powi(2) / 600.0;
    }
    let report = json(&work.ok("eval b.svm -i model.thw --json --metrics log_loss,brier_score").stdout);
    let told = |name: &str| report[name].as_f64().unwrap_or_else(|| panic!("{name}: {report}"));
    assert!((told("log_loss") - log_loss).abs() < 1e-9, "{log_loss}: {report}");
    assert!((told("brier_score") - brier).abs() < 1e-9, "{brier}: {report}");
}

#[test]
fn metrics_are_the_columns_of_progress() {
    let work = workplace();
    let names = "f1,recall,precision,roc_auc,matthews_corrcoef";
    let outcome = work.ok(&format!("train a.svm -a arow --json --metrics {names} -p p.tsv --progress 250"));
    let lines = objects(&outcome.stderr);
    assert_eq!(lines.len(), 4, "{}", outcome.stderr);
    let predicted = String::from_utf8(work.read("p.tsv")).unwrap();
    let is_flagged: Vec<bool> = predicted.lines().map(|line| line.ends_with("\t1")).collect();
    let recall = |range: std::ops::Range<usize>| {
        let positives: Vec<usize> = range.filter(|i| is_positive(*i)).collect();
        positives.iter().filter(|i| is_flagged[**i]).count() as f64 / positives.len() as f64
    };
    for (i, line) in lines.iter().enumerate() {
        assert_eq!(line["examples"], 250 * (i + 1));
        for (key, range) in [("metrics", 0..250 * (i + 1)), ("metrics_since_last", 250 * i..250 * (i + 1))] {
            assert!(names.split(',').all(|name| line[key][name].is_f64()), "{line}");
            let (told, expected) = (line[key]["recall"].as_f64().unwrap(), recall(range));
            assert!((told - expected).abs() < 1e-12, "{key}: {told} and not {expected}");
        }
    }
    let table = work.ok(&format!("train a.svm -a arow --metrics {names}")).stderr;
    assert!(table.lines().take(2).any(|line| line.contains("recall")), "{table}");
}

#[test]
fn progress_comes_when_it_was_asked_for_and_changes_nothing() {
    let work = workplace();
    work.ok("train a.svm -q -f model.thw --target f1 --probabilities");
    for (every, expected) in [
        ("300", vec![300, 600, 900, 1000]),
        ("x10", vec![1, 10, 100, 1000]),
        ("1000", vec![1000]),
        ("5000", vec![1000]),
    ] {
        let train = format!("train a.svm --json -f other.thw --target f1 --probabilities --progress {every}");
        let lines = objects(&work.ok(&train).stderr);
        let examples: Vec<u64> = lines.iter().map(|line| line["examples"].as_u64().unwrap()).collect();
        assert_eq!(examples, expected, "{every}");
        assert!(work.read("model.thw") == work.read("other.thw"), "{every}");
    }
}

#[test]
fn figures_of_several_passes_are_of_the_first_or_of_held_out_examples() {
    let work = workplace();
    let report =
        |flags: &str| json(&work.ok(&format!("train a.svm -q --json -a arow -p p.tsv {flags}")).stdout);
    let (once, thrice) = (report(""), report("--passes 3"));
    assert_eq!((&once["figures_of"], &thrice["figures_of"]), (&"all_examples".into(), &"first_pass".into()));
    assert_eq!((&once["error"], &once["examples"]), (&thrice["error"], &thrice["examples"]));
    for flags in ["", "--shuffle", "--shuffle --seed 9"] {
        let held_out = report(&format!("--passes 3 --holdout 20% {flags}"));
        assert_eq!(held_out["figures_of"], "held_out", "{flags}");
        assert_eq!(held_out["examples"], 200, "{flags}");
        let lines = String::from_utf8(work.read("p.tsv")).unwrap().lines().count();
        assert_eq!(lines, 1000, "{flags}: one line for each record of the first pass");
    }
    // The last pass is measured: by its model, the held-out examples are as good as test data.
    work.ok("train a.svm -q -a arow --passes 3 --holdout 20% -f model.thw");
    let held_out: String = two_classes(0..1000, NEVER)
        .lines()
        .enumerate()
        .filter(|(i, _)| (i % 5) as u64 == scramble(*i as u64 / 5) % 5)
        .map(|(_, line)| format!("{line}\n"))
        .collect();
    work.write("held_out.svm", held_out);
    let of_model = json(&work.ok("eval held_out.svm -i model.thw --json").stdout)["error"].as_f64().unwrap();
    let told = report("--passes 3 --holdout 20%")["error"].as_f64().unwrap();
    assert!((of_model - told).abs() < 0.05, "{of_model} and {told}");
}

#[test]
fn sparsity_is_among_all_features_that_came() {
    let work = workplace();
    let features: std::collections::BTreeSet<usize> = (0..1000)
        .flat_map(|i| {
            let number = |pair: &str| pair.split(':').next().unwrap().parse().unwrap();
            features(i, NEVER).split_whitespace().map(number).collect::<Vec<usize>>()
        })
        .collect();
    for learner in ["arow", "ssol", "fobos:lambda=0.01"] {
        let report = json(&work.ok(&format!("train a.svm -q --json -a {learner}")).stdout);
        assert_eq!(report["features"].as_u64().unwrap() as usize, features.len(), "{learner}");
        let (nonzeros, sparsity) =
            (report["nonzeros"].as_f64().unwrap(), report["sparsity"].as_f64().unwrap());
        assert!((sparsity - (1.0 - nonzeros / features.len() as f64)).abs() < 1e-12, "{learner}");
    }
}

#[test]
fn the_log_has_all_progress_and_ends_with_the_report() {
    let work = workplace();
    work.write("log.jsonl", "an old log\n");
    let flags = "-a arow --metrics f1 --probabilities -t b.svm --log-json log.jsonl";
    let quiet = work.ok(&format!("train a.svm -q {flags} -f model.thw"));
    assert_eq!((quiet.stdout.as_str(), quiet.stderr.as_str()), ("", ""));
    let log = objects(&String::from_utf8(work.read("log.jsonl")).unwrap());
    let (last, progress) = log.split_last().unwrap();
    assert!(progress.iter().all(|line| line["progress"]["examples"].is_u64()), "{progress:?}");
    assert_eq!(progress.len(), 11, "1, 2, 4 ... 512, 1000");
    let report = &last["report"];
    assert_eq!((&report["examples"], &report["test"]["examples"]), (&1000.into(), &600.into()));
    // It is the report that is printed.
    let mut printed = json(&work.ok(&format!("train a.svm --json {flags} -f model.thw")).stdout);
    let mut logged =
        objects(&String::from_utf8(work.read("log.jsonl")).unwrap()).pop().unwrap()["report"].take();
    for report in [&mut printed, &mut logged] {
        report["seconds"].take();
        report["test"]["seconds"].take();
    }
    assert_eq!(printed, logged);
}

#[test]
fn a_log_may_go_to_standard_output() {
    let work = workplace();
    let outcome = work.ok("train a.svm -q -a arow --log-json -");
    assert!(!work.path("-").exists());
    let log = objects(&outcome.stdout);
    assert!(log.len() == 12 && log[11]["report"]["examples"] == 1000, "{}", outcome.stdout);
}

/// Ten thousand records with names that would be commands to a browser.
fn table(rows: usize) -> String {
    let row = |i: usize| {
        let label = if is_positive(i) { "</script><script>alert(1)</script>" } else { "<b>&\"ham'" };
        format!("\"{}\",<img src=x onerror=alert({})>,{}\n", label.replace('"', "\"\""), i % 300, i % 7)
    };
    "label,</style><script>,n\n".to_string() + &(0..rows).map(row).collect::<String>()
}

#[test]
fn pages_are_small_and_show_names_as_text() {
    let work = Workplace::new();
    work.write("a.csv", table(4000)).write("b.csv", table(500));
    work.ok(
        "train a.csv -q -f model.thw --probabilities --report train.html -t b.csv --metrics f1 --holdout 10%",
    );
    work.ok("eval b.csv -i model.thw -q --report eval.html");
    for name in ["train.html", "eval.html"] {
        let page = String::from_utf8(work.read(name)).unwrap();
        assert!(page.len() < 1_000_000, "{name}: {} bytes", page.len());
        assert!(page.to_lowercase().starts_with("<!doctype html>"), "{name}");
        for raw in ["<script>alert", "<img src=x", "<b>&\"ham", "</style><script>"] {
            assert!(!page.contains(raw), "{name} has {raw}");
        }
        assert!(page.contains("alert(1)"), "{name}: the label is shown");
        // Nothing is fetched.
        for address in ["src=\"http", "href=\"http", "@import", "url(http"] {
            assert!(!page.contains(address), "{name} has {address}");
        }
        assert_eq!(page.matches("<script").count(), page.matches("</script>").count(), "{name}");
    }
}

#[test]
fn pages_of_many_classes_features_and_lines_stay_small() {
    let work = Workplace::new();
    work.write("a.svm", three_classes(0..3000, NEVER));
    let classes: String =
        (0..4000).map(|i| format!("class{} {}:1 {}:1\n", i % 500, i % 500, 1000 + i)).collect();
    work.write("many.svm", classes);
    for train in ["a.svm --progress 1", "many.svm --progress 100"] {
        work.ok(&format!("train {train} -q -a arow --multiclass --report page.html"));
        let page = work.read("page.html");
        assert!(page.len() < 1_000_000, "{train}: {} bytes", page.len());
    }
}

#[test]
fn a_report_on_a_page_changes_nothing_else() {
    let work = workplace();
    work.ok("train a.svm -q -a arow -f plain.thw -p plain.tsv");
    work.ok("train a.svm -q -a arow -f paged.thw -p paged.tsv --report page.html --log-json log.jsonl --metrics f1");
    assert!(work.read("plain.thw") == work.read("paged.thw"));
    assert!(work.read("plain.tsv") == work.read("paged.tsv"));
}
