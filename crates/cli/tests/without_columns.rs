//! A program that was built without Parquet and Arrow says so: `cargo test -p thalweg-cli --no-default-features --test without_columns`.
#![cfg(not(feature = "columns"))]
#![allow(missing_docs, clippy::unwrap_used)]

mod common;

use common::Workplace;

#[test]
fn files_of_columns_are_refused_with_a_reason_and_all_else_works() {
    let work = Workplace::new();
    work.write("a.parquet", "PAR1").write("b", "ARROW1").write("c.svm", "1 1:1\n0 2:1\n");
    for (command, title) in [
        ("train a.parquet", "Parquet"),
        ("describe b", "Arrow"),
        ("convert c.svm d.parquet", "Parquet"),
        ("convert c.svm d.arrow", "Arrow"),
    ] {
        let outcome = work.run(command);
        let reason = format!("it is {title}, and this program was built without Parquet and Arrow support");
        assert!(outcome.code == 1 && outcome.stderr.contains(&reason), "{command}: {}", outcome.stderr);
    }
    assert!(!work.path("d.parquet").exists() && !work.path("d.arrow").exists());
    work.ok("convert c.svm d.jsonl -q");
    work.ok("train d.jsonl -q");
}
