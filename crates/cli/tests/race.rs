//! `-a auto`: the race of learners, as people see it.
#![allow(missing_docs, clippy::unwrap_used)]

mod common;

use std::fs;

use common::{Workplace, repository};
use serde_json::Value;

#[test]
fn model_and_page_say_how_the_race_stands() {
    let place = Workplace::new();
    fs::copy(repository("data/german.numer.svm.zst"), place.path("german.numer.svm.zst")).unwrap();
    let report = place.ok("train german.numer.svm.zst -a auto -f auto.thw --report page.html").stdout;
    let told = report.lines().find_map(|line| line.strip_prefix("race               ")).unwrap();
    assert!(told.starts_with("undecided after 1,000 examples, "), "{told}");
    let inspected = place.ok("inspect auto.thw").stdout;
    assert!(inspected.contains(&format!("\nrace               {told}\n")), "{inspected}");
    let page = String::from_utf8(place.read("page.html")).unwrap();
    assert!(page.contains(told), "{told}");
    let json: Value = serde_json::from_str(&place.ok("inspect auto.thw --json").stdout).unwrap();
    assert!(told.ends_with(&format!("; {} leads", json["race"]["leader"].as_str().unwrap())), "{told}");
}

#[test]
fn two_of_many_classes_are_told_with_the_weights() {
    let place = Workplace::new();
    fs::copy(repository("data/german.numer.svm.zst"), place.path("german.numer.svm.zst")).unwrap();
    let report = place.ok("train german.numer.svm.zst -a arow --multiclass").stdout;
    assert!(
        report.contains("\nnon-zero weights   48 of 24 features and 2 classes (0.00 % zero)\n"),
        "{report}"
    );
}
