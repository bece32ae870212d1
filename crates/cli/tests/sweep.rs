//! `thalweg sweep`.
#![allow(missing_docs, clippy::unwrap_used)]

mod common;

use std::fs;

use common::{Workplace, repository};
use serde_json::Value;

fn german() -> Workplace {
    let place = Workplace::new();
    fs::copy(repository("data/german.numer.svm.zst"), place.path("german.numer.svm.zst")).unwrap();
    place
}

fn json(place: &Workplace, flags: &str) -> Value {
    serde_json::from_str(&place.ok(&format!("sweep {flags} --json")).stdout).unwrap()
}

#[test]
fn with_folds_every_metric_is_a_mean_over_all_of_them() {
    let place = german();
    let flags = "german.numer.svm.zst -a arow --grid r=1,8 --folds 4 --metrics f1,missed";
    let report = json(&place, &format!("{flags} --csv all.csv"));
    let best = &report["candidates"][0];
    let folds = best["folds"].as_array().unwrap();
    assert_eq!(folds.len(), 4);
    let missed: f64 = folds.iter().map(|fold| fold["missed"].as_f64().unwrap()).sum();
    let csv = String::from_utf8(place.read("all.csv")).unwrap();
    let lines: Vec<Vec<&str>> = csv.lines().map(|line| line.split(',').collect()).collect();
    let column = lines[0].iter().position(|name| *name == "missed").unwrap();
    assert_eq!(lines[1][column].parse::<f64>().unwrap(), missed / 4.0, "{csv}");
    let table = place.ok(&format!("sweep {flags}")).stdout;
    assert_eq!(table.lines().nth(1).unwrap().matches('±').count(), 3, "{table}");
}

#[test]
fn weights_of_two_classes_are_costs() {
    let place = german();
    let weights = "german.numer.svm.zst -a arow --grid r=1,8 --positive 1 --class-weight 1=5";
    let costs = "german.numer.svm.zst -a arow --grid r=1,8 --positive 1 --cost-fn 5";
    let (weights, costs) = (json(&place, weights), json(&place, costs));
    assert_eq!((&weights["objective"], &costs["objective"]), (&"cost".into(), &"cost".into()));
    assert_eq!(weights["candidates"][0]["value"], costs["candidates"][0]["value"]);
}

#[test]
fn what_could_not_be_measured_is_told_with_its_cause() {
    let place = german();
    place.write("three.svm", "1 1:1\n-1 1:2\n1 2:1\n");
    place.write("same.svm", "1 1:1\n1 1:2\n1 2:1\n");
    let refused = |flags: &str, code: i32, message: &str| {
        let outcome = place.run(&format!("sweep {flags}"));
        assert_eq!(outcome.code, code, "{flags}: {}", outcome.stderr);
        assert!(outcome.stderr.contains(message), "{flags}: {}", outcome.stderr);
        assert_eq!(outcome.stdout, "");
    };
    refused(
        "three.svm --grid kappa=1,2 --folds 50",
        1,
        "of 50 folds got none of the 3 examples: use fewer folds",
    );
    refused("same.svm --grid kappa=1,2 --objective roc_auc", 1, "roc_auc is not defined");
    refused("german.numer.svm.zst -a l1svm --grid c=1,2", 1, "learn only at its end (--batch)");
    refused(
        "german.numer.svm.zst --grid kappa=1,2 --objective nonsense",
        2,
        "--objective: there is no metric",
    );
    let importance = "german.numer.svm.zst --importance-col w --grid kappa=1,2 --race";
    refused(importance, 2, "--importance-col says that some examples count more than others");
    let some = place.ok("sweep german.numer.svm.zst -a l1svm -a arow --normalize l2").stdout;
    assert!(some.contains("\n- not measured: "), "{some}");
}

#[test]
fn bad_lines_are_counted() {
    let place = Workplace::new();
    place.write("some.svm", "1 1:1\n-1 1:x\n-1 1:2\n1 2:1\n-1 3:1\n");
    let outcome = place.ok("sweep some.svm --grid kappa=1,2");
    assert!(outcome.stdout.contains("4 examples (1 bad line skipped) in "), "{}", outcome.stdout);
    assert_eq!(json(&place, "some.svm --grid kappa=1,2")["bad_lines"], 1);
}

#[cfg(target_os = "linux")]
#[test]
fn what_was_found_is_shown_even_if_a_file_cannot_be_written() {
    let place = german();
    for file in ["--csv", "--report", "-f"] {
        let outcome = place.run(&format!("sweep german.numer.svm.zst --grid kappa=1,2 {file} /dev/full"));
        assert_eq!(outcome.code, 1, "{}", outcome.stderr);
        assert!(outcome.stderr.contains("/dev/full"), "{file}: {}", outcome.stderr);
        assert!(outcome.stdout.contains("retrain  thalweg train "), "{file}: {}", outcome.stdout);
    }
}

#[test]
fn the_command_to_retrain_is_one_also_behind_the_end_of_flags() {
    let place = german();
    let stdout = place.ok("sweep --grid kappa=1,2 -- german.numer.svm.zst").stdout;
    let command = stdout.lines().find_map(|line| line.strip_prefix("retrain  thalweg ")).unwrap();
    place.ok(&format!("{command} "));
}
