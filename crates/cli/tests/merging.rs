//! `thalweg merge`, and `train --shards`.
#![allow(missing_docs, clippy::unwrap_used)]

mod common;

use common::{Workplace, repository};

fn workplace() -> Workplace {
    let work = Workplace::new();
    for part in ["train", "test"] {
        let from = repository(&format!("data/smsspam.{part}.tsv.zst"));
        std::fs::copy(from, work.path(&format!("{part}.tsv.zst"))).unwrap();
    }
    work
}

fn mistakes(work: &Workplace, model: &str) -> u64 {
    let report = work.ok(&format!("eval -i {model} test.tsv.zst --json")).stdout;
    serde_json::from_str::<serde_json::Value>(&report).unwrap()["mistakes"].as_f64().unwrap() as u64
}

#[test]
fn merged_models_are_models_whatever_their_order() {
    let work = workplace();
    work.ok("convert train.tsv.zst part.jsonl --split a=50:b=50 --text text -q");
    for part in ["a", "b"] {
        work.ok(&format!("train part.{part}.jsonl -f {part}.thw -q"));
    }
    let said = work.ok("merge a.thw b.thw -f ab.thw").stdout;
    assert!(said.contains("examples           4,459\n") && said.contains("ab.thw, "), "{said}");
    work.ok("merge b.thw a.thw -f ba.thw -q");
    assert!(work.read("ab.thw") == work.read("ba.thw"));
    work.ok("merge a.thw --base a.thw -f same.thw -q");
    assert!(work.read("same.thw") == work.read("a.thw"));
    // Both go on, and what they had in common is counted once.
    for part in ["a", "b"] {
        work.ok(&format!("train part.{part}.jsonl -i ab.thw -f {part}2.thw -q"));
    }
    let json = work.ok("merge a2.thw b2.thw --base ab.thw -f ab.thw --json").stdout;
    let summary: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert_eq!((summary["models"].as_u64(), summary["examples"].as_u64()), (Some(2), Some(2 * 4459)));
    work.ok("train part.a.jsonl -i ab.thw -f more.thw -q");
}

#[test]
fn what_cannot_be_merged_is_refused_and_nothing_is_overwritten() {
    let work = workplace();
    work.ok("train train.tsv.zst --text text -f sarow.thw -q");
    work.ok("train train.tsv.zst --text text -f arow.thw -a arow -q");
    work.ok("train train.tsv.zst --text text -f dcd.thw -a dcd -q");
    work.ok("train train.tsv.zst --text text -f hashed.thw --hash-bits 16 -q");
    let sarow = work.read("sarow.thw");
    for (args, part) in [
        ("merge sarow.thw arow.thw -f m.thw", "models that merge must be alike, but one has "),
        ("merge dcd.thw -f m.thw", "cannot be merged: what it finds for a batch is a solution"),
        ("merge sarow.thw nowhere.thw -f m.thw", "nowhere.thw"),
        ("merge sarow.thw train.tsv.zst -f m.thw", "train.tsv.zst: not a Thalweg model"),
        ("merge sarow.thw sarow.thw -f sarow.thw", "sarow.thw is a model; the model would overwrite it"),
        ("merge sarow.thw arow.thw sarow.thw -f m.thw", "sarow.thw is named twice, and what it knows would"),
        (
            "merge sarow.thw ./sarow.thw -f m.thw",
            "./sarow.thw is the same file as sarow.thw, and what it knows",
        ),
        ("merge sarow.thw hashed.thw -f m.thw", "alike, but --hash-bits is not the same"),
        ("merge arow.thw --base sarow.thw -f m.thw", "models that merge must be alike"),
        ("train train.tsv.zst --text text --shards 2 -a dcd -f m.thw -q", "cannot be merged"),
        ("train train.tsv.zst --text text --shards 2 --passes 2 -f m.thw", "cannot be used with"),
        ("train train.tsv.zst --text text --rounds 2 -f m.thw", "--shards"),
        ("train train.tsv.zst --text text --shards 0 -f m.thw", "--shards"),
    ] {
        let outcome = work.run(args);
        assert!(outcome.code != 0 && outcome.stderr.contains(part), "{args}: {}", outcome.stderr);
        assert!(!work.path("m.thw").exists(), "{args}");
    }
    assert!(work.read("sarow.thw") == sarow);
}

#[test]
fn shards_learn_nearly_what_the_stream_says_and_always_the_same() {
    let work = workplace();
    work.ok("train train.tsv.zst --text text -f alone.thw -q");
    let alone = mistakes(&work, "alone.thw");
    let report = work.ok("train train.tsv.zst --text text --shards 4 --rounds 3 -f shards.thw").stdout;
    assert!(report.contains("examples           4,459 in 1 pass"), "{report}");
    // Progress says how many features the last example has.
    let last_features = |flags: &str| {
        let shown = work.ok(&format!("train train.tsv.zst --text text {flags} -f shown.thw")).stderr;
        shown.lines().last().unwrap().split_whitespace().nth(5).unwrap().to_string()
    };
    assert_eq!(last_features("--shards 1"), last_features(""));
    assert!(mistakes(&work, "shards.thw") <= alone + 8, "{} {alone}", mistakes(&work, "shards.thw"));
    work.ok("train train.tsv.zst --text text --shards 4 --rounds 3 --threads 1 -f again.thw -q");
    assert!(work.read("again.thw") == work.read("shards.thw"));
    // Where data comes from makes no difference, and a model goes on.
    work.ok("train train.tsv.zst --text text --shards 4 --rounds 3 --cache -f cached.thw -q");
    work.ok("train train.tsv.zst --text text --shards 4 --rounds 3 --cache -f cached.thw -q");
    assert!(work.read("cached.thw") == work.read("shards.thw"));
    work.ok("train test.tsv.zst -i shards.thw --shards 3 --rounds 2 -f longer.thw -q");
    let header = work.ok("inspect longer.thw --json").stdout;
    assert!(header.contains("5574"), "{header}");
    work.ok("train train.tsv.zst --text text --shards 4 --shuffle --target f1 --probabilities --balanced -f all.thw -q");
    assert!(mistakes(&work, "all.thw") <= alone + 15);
    // One shard, merged once, has learned in order.
    work.ok("train train.tsv.zst --text text --shards 1 --rounds 1 -a arow -f one.thw -q");
    work.ok("train train.tsv.zst --text text -a arow -f arow.thw -q");
    assert_eq!(mistakes(&work, "one.thw"), mistakes(&work, "arow.thw"));
}

/// The second round of each shard is refused as a whole: in f32 the squares are not finite.
#[test]
fn shards_that_refuse_all_examples_of_a_round_do_not_cost_the_model() {
    let work = Workplace::new();
    let sound = (0..40).map(|i| format!("{} {}:1 5:0.5\n", i % 2, i % 2 + 1));
    let refused = (0..40).map(|i| format!("{} 1:1e38 2:1e38\n", i % 2));
    work.write("mixed.svm", sound.chain(refused).collect::<String>());
    for flags in ["--probabilities", "--target precision>=0.8", "--target recall>=0.9"] {
        work.ok(&format!("train mixed.svm --raw -a arow --shards 2 --rounds 2 {flags} -f mixed.thw -q"));
        let predictions = work.ok("predict -i mixed.thw mixed.svm").stdout;
        assert!(predictions.lines().count() == 80 && !predictions.contains("NaN"), "{flags}: {predictions}");
    }
}
