//! `thalweg select`: what it chooses, the selection applied to other data, and how good models are with it.
#![allow(missing_docs, clippy::unwrap_used)]

mod common;

use std::collections::BTreeSet;

use common::Workplace;
use common::made_up::uniform;
use serde_json::Value;

/// Examples from one place to another whose label features 1 to 5 tell, each in a third of them; 95 others tell nothing.
fn told(from: usize, to: usize) -> String {
    let line = |place: usize| {
        let label = uniform(place, 0) < 0.5;
        let value = if label { 1 } else { -1 };
        let telling = (1..=5).filter(|i| uniform(place, *i) < 0.34).map(|i| format!(" {i}:{value}"));
        let others = (6..=100).filter(|i| uniform(place, *i) < 0.1).map(|i| format!(" {i}:1"));
        format!("{}{}\n", if label { "+1" } else { "-1" }, telling.chain(others).collect::<String>())
    };
    (from..to).map(line).collect()
}

/// Examples whose label nothing tells.
fn noise(examples: usize) -> String {
    let line = |place: usize| {
        let features = (1..=200).filter(|i| uniform(place, *i) < 0.2).map(|i| format!(" {i}:1"));
        format!("{}{}\n", u8::from(uniform(place, 0) < 0.5), features.collect::<String>())
    };
    (0..examples).map(line).collect()
}

fn features(text: &str) -> BTreeSet<String> {
    let names = text.lines().flat_map(|line| line.split(' ').skip(1));
    names.map(|feature| feature.split(':').next().unwrap().to_string()).collect()
}

fn json(text: &str) -> Value {
    serde_json::from_str(text).unwrap()
}

#[test]
fn what_tells_the_label_is_chosen_and_the_constant_is_no_feature() {
    let work = Workplace::new();
    work.write("a.svm", told(0, 600));
    let shown = work.ok("select a.svm --features 5 -q").stdout;
    let chosen: BTreeSet<&str> = shown.lines().skip(1).map(|line| line.split('\t').next().unwrap()).collect();
    assert_eq!(chosen, BTreeSet::from(["1", "2", "3", "4", "5"]));
    let all = work.run("select a.svm --features 500");
    assert_eq!(all.stdout.lines().count(), 101, "no bias: {}", all.stdout);
    assert!(all.stderr.contains("only 100 features have a weight"), "{}", all.stderr);
    assert!(
        all.stderr.contains("chosen by arow") && all.stderr.contains("on prepared values"),
        "{}",
        all.stderr
    );
}

#[test]
fn other_data_gets_the_same_features() {
    let work = Workplace::new();
    work.write("train.svm", told(0, 600)).write("test.svm", told(600, 900));
    for file in ["chosen.tsv", "chosen.json"] {
        work.ok(&format!("select train.svm --features 7 -q -o {file} --reduced small.svm"));
        work.ok(&format!("select train.svm --from {file} -q --reduced same.svm"));
        assert_eq!(work.read("same.svm"), work.read("small.svm"), "{file}");
        let said = work.ok(&format!("select test.svm --from {file} --json --reduced small.test.svm"));
        let said = json(&said.stdout);
        assert_eq!((&said["features"], &said["examples"]), (&7.into(), &300.into()));
        let reduced = String::from_utf8(work.read("small.test.svm")).unwrap();
        let train = String::from_utf8(work.read("small.svm")).unwrap();
        assert_eq!(features(&reduced), features(&train));
        let labels = |text: &str| {
            text.lines().map(|line| line.split(' ').next().unwrap().parse().unwrap()).collect::<Vec<i8>>()
        };
        assert_eq!(labels(&reduced), labels(&told(600, 900)));
        // The best of the file, from standard input to standard output.
        let few =
            work.run_with(&format!("select - --from {file} --features 2 -q --reduced -"), told(600, 900));
        assert_eq!(features(&few.stdout).len(), 2, "{}", few.stderr);
    }
}

#[test]
fn a_file_of_features_says_how_data_is_read() {
    let work = Workplace::new();
    let mails = "class,subject,links\nspam,win cash now,3\nham,see you tomorrow,\nspam,cash #1 now,2\nham,lunch tomorrow,0\n";
    work.write("mails.csv", mails).write("more.csv", "class,subject,links\nham,cash tomorrow,7\n,nothing,\n");
    for (flags, file) in [("", "c.tsv"), ("", "c.json"), ("--hash-bits 18", "c.tsv")] {
        let choose = format!("select mails.csv --label-col class --text subject {flags} --features 4 -q");
        work.ok(&format!("{choose} -o {file} --reduced small.vw"));
        work.ok(&format!("select mails.csv --from {file} -q --reduced same.vw"));
        assert_eq!(work.read("same.vw").len(), work.read("small.vw").len(), "{flags} {file}");
        work.ok(&format!("select more.csv --from {file} -q --reduced more.vw"));
        let more = String::from_utf8(work.read("more.vw")).unwrap();
        assert!(more.starts_with("ham |") && more.lines().count() == 2, "{more}");
        assert_eq!(more.contains("tomorrow"), flags.is_empty(), "{more}");
    }
}

#[test]
fn a_selection_that_cannot_be_applied_is_refused() {
    let work = Workplace::new();
    work.write("a.svm", told(0, 50)).write("bad.tsv", "1\t2\t3\n").write("other.tsv", "feature\n777\n");
    for (args, code, why) in [
        ("select a.svm --from other.tsv", 2, "--reduced"),
        ("select a.svm --from other.tsv --reduced r.svm -a arow", 2, "cannot be given"),
        ("select a.svm --from other.tsv --reduced r.svm --text x", 2, "cannot be given"),
        ("select a.svm --from none.tsv --reduced r.svm", 1, "none.tsv"),
        ("select a.svm --from bad.tsv --reduced r.svm", 1, "the columns must be feature, score and weight"),
        ("select a.svm --from other.tsv --reduced other.tsv", 2, "other.tsv"),
        ("select a.svm --curve", 2, "-t FILE, or --holdout 20%"),
        ("select a.svm --holdout 20%", 2, "--curve"),
        ("select - --curve -t a.svm", 2, "reads the data twice"),
    ] {
        let refused = work.run(args);
        assert_eq!(refused.code, code, "{args}: {}", refused.stderr);
        assert!(refused.stderr.contains(why), "{args}: {}", refused.stderr);
    }
    let said = work.run("select a.svm --from other.tsv --reduced r.svm");
    assert!(said.stderr.contains("none of the features is in the data"), "{}", said.stderr);
}

#[test]
fn a_curve_shows_how_many_features_are_enough() {
    let work = Workplace::new();
    work.write("train.svm", told(0, 600)).write("test.svm", told(600, 900));
    for measured in ["-t test.svm", "--holdout 33%"] {
        let shown =
            json(&work.ok(&format!("select train.svm --features 8 --curve {measured} --json")).stdout);
        let points = shown["curve"]["points"].as_array().unwrap();
        let counts: Vec<u64> = points.iter().map(|point| point["features"].as_u64().unwrap()).collect();
        assert_eq!(counts, [1, 2, 5, 8, 100], "{measured}");
        let error: Vec<f64> = points.iter().map(|point| point["error"].as_f64().unwrap()).collect();
        assert!(error[0] > error[1] + 0.05 && error[1] > error[2] + 0.05, "{measured}: {error:?}");
        let examples = points[0]["examples"].as_f64().unwrap();
        assert!((197.0..=300.0).contains(&examples), "{measured}: {examples}");
        assert!(shown["curve"]["judge"].as_str().unwrap().starts_with("sarow:"));
        assert_eq!((shown["features"].as_array().unwrap().len(), &points[4]["all"]), (8, &true.into()));
    }
    let judged = json(&work.ok("select train.svm --curve -t test.svm --judge dcd --json -q").stdout);
    assert!(judged["curve"]["judge"].as_str().unwrap().starts_with("dcd:"));
}

/// A curve that had seen what it is measured on would find something in noise.
#[test]
fn nothing_is_found_in_noise() {
    let work = Workplace::new();
    work.write("noise.svm", noise(500));
    let errors = |flags: &str| {
        let shown =
            work.ok(&format!("select noise.svm --features 50 --curve --json -q --judge dcd {flags}")).stdout;
        let points = json(&shown)["curve"]["points"].as_array().unwrap().clone();
        points.iter().map(|point| point["error"].as_f64().unwrap()).collect::<Vec<f64>>()
    };
    let (seen, unseen) = (errors("-t noise.svm"), errors("--holdout 40%"));
    assert!(seen[6] < 0.3, "what was learned from: {seen:?}");
    assert!(unseen.iter().all(|error| (0.4..0.6).contains(error)), "what was not: {unseen:?}");
}

#[test]
fn of_many_classes_as_many_features_are_chosen_as_were_asked_for() {
    let work = Workplace::new();
    let line = |place: usize| {
        let class = (uniform(place, 0) * 4.0) as usize;
        let feature = |i: usize| {
            let told = if uniform(place, i) < 0.7 { class } else { (uniform(place, 50 + i) * 4.0) as usize };
            format!(" {}:1", 1 + 40 * told + (uniform(place, 100 + i) * 40.0) as usize)
        };
        format!("{class}{}\n", (0..6).map(feature).collect::<String>())
    };
    work.write("four.svm", (0..400).map(line).collect::<String>());
    for learner in ["sbcw1:sigma=0.01", "sbcw2:sigma=0.1", "fgm", "sofs", "arow"] {
        let shown = work.run(&format!("select four.svm --multiclass -a {learner} --features 80"));
        let chosen: BTreeSet<&str> =
            shown.stdout.lines().skip(1).map(|line| line.split('\t').next().unwrap()).collect();
        assert_eq!(chosen.len(), 80, "{learner}: {}", shown.stderr);
    }
    let curve =
        json(&work.ok("select four.svm --multiclass --features 80 --curve --holdout 25% --json").stdout);
    let error = |at: usize| curve["curve"]["points"][at]["error"].as_f64().unwrap();
    assert!(error(0) > 0.6 && error(6) < 0.5, "{curve}");
}

#[test]
fn nothing_is_chosen_from_nothing() {
    let work = Workplace::new();
    work.write("empty.svm", "");
    let outcome = work.run("select empty.svm");
    assert_eq!((outcome.code, &outcome.stdout[..]), (1, ""), "{}", outcome.stderr);
    assert!(outcome.stderr.contains("nothing was learned"), "{}", outcome.stderr);
}
