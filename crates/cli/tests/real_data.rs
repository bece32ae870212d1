//! Real data sets that may not be bundled: errors must stay where they were measured.
#![allow(missing_docs, clippy::unwrap_used)]

mod common;

use std::path::Path;
use std::process::ExitCode;

use common::Workplace;
use thalweg_laws::data_sets::{DataTest, run_all};

fn main() -> ExitCode {
    run_all(&[
        DataTest { name: "two_classes_a9a", files: &["a9a.zst", "a9a.t.zst"], run: two_classes_a9a },
        DataTest { name: "phishing_addresses", files: &["pdd_urls.tsv.zst"], run: phishing_addresses },
        DataTest {
            name: "twenty_classes_news20_and_ten_usps",
            files: &["news20.zst", "news20.t.zst", "usps.zst", "usps.t.zst"],
            run: twenty_classes_news20_and_ten_usps,
        },
    ])
}

/// Trains on one file, tests on another; the report.
fn report(folder: &Path, train: &str, test: &str, flags: &str) -> serde_json::Value {
    let path = |name: &str| folder.join(name).display().to_string();
    let outcome = Workplace::new().ok(&format!(
        "train {} -t {} --normalize l2 -q --json {flags}",
        path(train),
        path(test)
    ));
    serde_json::from_str(&outcome.stdout).unwrap()
}

fn two_classes_a9a(folder: &Path) {
    for (learner, most) in
        [("arow", 0.153), ("acog2", 0.153), ("ada-rda", 0.154), ("ssol", 0.157), ("scw1", 0.162)]
    {
        let report = report(folder, "a9a.zst", "a9a.t.zst", &format!("-a {learner}"));
        let error = report["test"]["error"].as_f64().unwrap();
        assert!(error <= most, "{learner}: {error}");
        assert_eq!(
            (report["examples"].as_u64(), report["test"]["examples"].as_u64()),
            (Some(32_561), Some(16_281))
        );
    }
}

/// From raw strings to a named model in one command.
fn phishing_addresses(folder: &Path) {
    let work = Workplace::new();
    let file = folder.join("pdd_urls.tsv.zst").display().to_string();
    for (learner, most) in [("", 0.0223), ("-a ssol --normalize l2", 0.021)] {
        let flags = "--no-header --label-col 1 --url 2 --shuffle -f urls.thw --json";
        let report = work.ok(&format!("train {file} {flags} {learner}")).stdout;
        let report: serde_json::Value = serde_json::from_str(&report).unwrap();
        // Every address was scored before it was learned from.
        assert!(report["error"].as_f64().unwrap() < most, "{report}");
        assert_eq!(report["examples"].as_u64(), Some(73_575));
    }
    let strongest = work.ok("inspect urls.thw").stdout;
    assert!(strongest.contains("2=domain=") || strongest.contains("2=label"), "{strongest}");
}

fn twenty_classes_news20_and_ten_usps(folder: &Path) {
    for (data, learner, how, most) in [
        ("news20", "pa1", "hinge", 0.19),
        ("news20", "arow", "ovr", 0.19),
        ("news20", "sgft:eta=30,lambda=1e-5", "hinge", 0.25),
        ("usps", "arow", "hinge", 0.105),
        ("usps", "ssol", "ovr", 0.13),
    ] {
        let flags = format!("-a {learner} --multiclass {how}");
        let report = report(folder, &format!("{data}.zst"), &format!("{data}.t.zst"), &flags);
        let error = report["test"]["error"].as_f64().unwrap();
        assert!(error <= most, "{data}, {learner} {how}: {error}");
        let classes = if data == "usps" { 10 } else { 20 };
        assert_eq!(report["test"]["confusion"].as_array().unwrap().len(), classes);
    }
}
