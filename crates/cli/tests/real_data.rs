//! Real data sets that may not be bundled. Where a folder with them stands beside the repository (`../shared/data`, or
//! `THALWEG_DATA`), errors must stay where they were measured; elsewhere there is nothing to test.
#![allow(missing_docs, clippy::unwrap_used, clippy::print_stderr)]

mod common;

use std::path::PathBuf;

use common::{Workplace, repository};

fn folder() -> Option<PathBuf> {
    let folder = std::env::var_os("THALWEG_DATA").map_or_else(|| repository("../shared/data"), PathBuf::from);
    let found = folder.join("a9a.zst").is_file();
    if !found {
        eprintln!("no data sets in {}", folder.display());
    }
    found.then_some(folder)
}

/// Trains on one file, tests on another; the report.
fn report(train: &str, test: &str, flags: &str) -> Option<serde_json::Value> {
    let folder = folder()?;
    let path = |name: &str| folder.join(name).display().to_string();
    let outcome = Workplace::new().ok(&format!(
        "train {} -t {} --normalize l2 -q --json {flags}",
        path(train),
        path(test)
    ));
    Some(serde_json::from_str(&outcome.stdout).unwrap())
}

#[test]
fn two_classes_a9a() {
    for (learner, most) in
        [("arow", 0.153), ("acog2", 0.153), ("ada-rda", 0.154), ("ssol", 0.157), ("scw1", 0.162)]
    {
        if let Some(report) = report("a9a.zst", "a9a.t.zst", &format!("-a {learner}")) {
            let error = report["test"]["error"].as_f64().unwrap();
            assert!(error <= most, "{learner}: {error}");
            assert_eq!(
                (report["examples"].as_u64(), report["test"]["examples"].as_u64()),
                (Some(32_561), Some(16_281))
            );
        }
    }
}

/// From raw strings to a named model in one command.
#[test]
fn phishing_addresses() {
    let Some(folder) = folder() else { return };
    let work = Workplace::new();
    let file = folder.join("pdd_urls.tsv.zst").display().to_string();
    let flags = "--no-header --label-col 1 --url 2 --normalize l2 --shuffle -f urls.thw --json";
    let report = work.ok(&format!("train {file} {flags}")).stdout;
    let report: serde_json::Value = serde_json::from_str(&report).unwrap();
    // Every address was scored before it was learned from.
    assert!(report["error"].as_f64().unwrap() < 0.021, "{report}");
    assert_eq!(report["examples"].as_u64(), Some(73_575));
    let strongest = work.ok("inspect urls.thw").stdout;
    assert!(strongest.contains("2=domain=") || strongest.contains("2=label"), "{strongest}");
}

#[test]
fn twenty_classes_news20_and_ten_usps() {
    for (data, learner, how, most) in [
        ("news20", "pa1", "hinge", 0.19),
        ("news20", "arow", "ovr", 0.19),
        ("news20", "sgft:eta=30,lambda=1e-5", "hinge", 0.25),
        ("usps", "arow", "hinge", 0.105),
        ("usps", "ssol", "ovr", 0.13),
    ] {
        let flags = format!("-a {learner} --multiclass {how}");
        if let Some(report) = report(&format!("{data}.zst"), &format!("{data}.t.zst"), &flags) {
            let error = report["test"]["error"].as_f64().unwrap();
            assert!(error <= most, "{data}, {learner} {how}: {error}");
            let classes = if data == "usps" { 10 } else { 20 };
            assert_eq!(report["test"]["confusion"].as_array().unwrap().len(), classes);
        }
    }
}
