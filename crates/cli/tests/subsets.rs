//! `convert` with only some of the examples, or in several files.
#![allow(missing_docs, clippy::unwrap_used)]

mod common;

use std::collections::BTreeSet;

use common::Workplace;

impl Workplace {
    fn lines(&self, name: &str) -> Vec<String> {
        String::from_utf8(self.read(name)).unwrap().lines().map(String::from).collect()
    }

    fn count(&self, name: &str, label: &str) -> usize {
        self.lines(name).iter().filter(|line| line.split(' ').next() == Some(label)).count()
    }
}

/// 600 ham and 300 spam, each line another.
fn mails() -> Workplace {
    let work = Workplace::new();
    let label = |i: usize| if i % 3 == 2 { "spam" } else { "ham" };
    let rows: String = (0..900).map(|i| format!("{} |w n:{}\n", label(i), i + 2)).collect();
    work.write("a.vw", rows);
    work
}

#[test]
fn positives_become_a_share_of_the_examples_exactly() {
    let work = mails();
    work.ok("convert a.vw b.vw --positives 1% -q");
    assert_eq!((work.count("b.vw", "ham"), work.count("b.vw", "spam")), (600, 6));
    work.ok("convert a.vw b.vw --positives 0.5 --sample 100 -q");
    assert_eq!((work.count("b.vw", "ham"), work.count("b.vw", "spam")), (50, 50));
    work.ok("convert a.vw b.vw --positives 10% --positive ham -q");
    assert_eq!((work.count("b.vw", "ham"), work.count("b.vw", "spam")), (33, 300));
    let screen = work.screen("convert a.vw b.vw --positives 25%");
    assert!(screen.contains("examples           800 of 900\n"), "{screen}");
    assert!(screen.contains("classes            ham (600), spam (200)\n"), "{screen}");
    // The order stays.
    let all = work.lines("a.vw");
    let chosen: BTreeSet<String> = work.lines("b.vw").into_iter().collect();
    assert!(all.iter().filter(|line| chosen.contains(*line)).eq(work.lines("b.vw").iter()));
    work.write("many.svm", "1 1:1\n2 1:2\n3 1:3\n3 1:4\n3 1:5\n");
    let outcome = work.run("convert many.svm c.svm --positives 20%");
    assert!(outcome.code == 1 && outcome.stderr.contains("--positive"), "{}", outcome.stderr);
    work.ok("convert many.svm c.svm --positives 40% --positive 3 -q");
    assert_eq!(work.lines("c.svm").len(), 3);
}

#[test]
fn parts_have_every_example_once_also_in_random_order_and_any_memory() {
    let work = mails();
    let outcome = work.ok("convert a.vw b.vw.zst --to vw --split train=80:test=20 --stratified --json");
    let json: serde_json::Value = serde_json::from_str(&outcome.stdout).unwrap();
    assert_eq!(json["files"][0]["file"], "b.train.vw.zst");
    assert_eq!(json["files"][0]["class_examples"], serde_json::json!([480, 240]));
    assert_eq!(json["files"][1]["class_examples"], serde_json::json!([120, 60]));
    let parts = |flags: &str, seed: u64| {
        work.ok(&format!("convert a.vw b.vw --split 1:1:1 --seed {seed} -q {flags}"));
        ["b.1.vw", "b.2.vw", "b.3.vw"].map(|name| work.lines(name))
    };
    let (plain, other) = (parts("", 1), parts("", 2));
    assert_eq!(plain.each_ref().map(Vec::len), [300; 3]);
    assert_ne!(plain, other);
    let mut all: Vec<String> = plain.concat();
    all.sort();
    let mut expected = work.lines("a.vw");
    expected.sort();
    assert!(all == expected);
    // The same examples in another order, which does not depend on memory.
    let shuffled = parts("--shuffle", 1);
    assert_eq!(parts("--shuffle --max-memory 4K", 1), shuffled);
    for (plain, shuffled) in plain.iter().zip(&shuffled) {
        assert_ne!(plain, shuffled);
        assert_eq!(plain.iter().collect::<BTreeSet<_>>(), shuffled.iter().collect::<BTreeSet<_>>());
    }
}

#[test]
fn every_format_keeps_what_it_has_and_parts_of_a_table_have_the_same_columns() {
    let work = Workplace::new();
    let rows: String = (0..40).map(|i| format!("{},{},only{i}\n", i % 2, i + 1)).collect();
    work.write("a.csv", format!("label,n,word\n{rows}"));
    for format in ["csv", "tsv", "jsonl", "vw", "parquet", "arrow"] {
        for order in ["", "--shuffle"] {
            work.ok(&format!("convert a.csv b.{format} --split 3:1 --stratified -q {order}"));
            let mut labels = Vec::new();
            for part in 1..=2 {
                work.ok(&format!("convert b.{part}.{format} back.vw -q"));
                labels.push((work.count("back.vw", "0"), work.count("back.vw", "1")));
            }
            assert_eq!(labels, [(15, 15), (5, 5)], "{format} {order}");
        }
    }
    assert_eq!(work.lines("b.1.csv")[0], work.lines("b.2.csv")[0]);
    work.ok("convert a.csv b.svm --hash-bits 10 --sample 25% -q");
    assert_eq!(work.lines("b.svm").len(), 10);
}

#[test]
fn what_makes_no_sense_is_refused_and_leaves_no_file() {
    let work = mails();
    work.write("old.1.vw", "old");
    for (args, reason) in [
        ("convert - b.vw --format vw --sample 1%", "cannot be standard input"),
        ("convert a.vw - --to vw --split 1:1", "standard output"),
        ("convert a.vw b.thwcache --sample 1%", "a cache has all examples"),
        ("convert a.vw b.vw --stratified", "--stratified is for"),
        ("convert a.vw b.vw --seed 0", "--seed is for"),
        ("convert a.vw b.vw --positive spam", "--positives"),
        ("convert a.vw b.vw --split 80", "80:20"),
        ("convert a.vw b.vw --sample 0", "1%"),
        ("convert a.vw a.vw --sample 1%", "overwrite"),
    ] {
        let outcome = work.run_with(args, "1 |w a\n");
        assert!(outcome.code == 2 && outcome.stderr.contains(reason), "{args}: {}", outcome.stderr);
    }
    for (args, reason) in [
        ("convert a.vw b.vw --sample 1000", "only 900 examples"),
        ("convert a.vw b.vw --positives 0.01%", "none of the positives"),
        ("convert a.vw b.vw --positives 1% --positive eggs", "no label is \"eggs\""),
        // Numbers only: the second file cannot be written, and the first is not replaced.
        ("convert a.vw old.svm --to libsvm --split 1:1", "LIBSVM"),
    ] {
        let outcome = work.run(args);
        assert!(outcome.code == 1 && outcome.stderr.contains(reason), "{args}: {}", outcome.stderr);
    }
    assert!(!work.path("b.vw").exists() && !work.path("old.1.svm").exists());
}
