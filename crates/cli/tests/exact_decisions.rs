//! Thresholds, probabilities and what is known of drift belong to the model: however the data comes, models and predictions are the same.
#![allow(missing_docs, clippy::unwrap_used)]

mod common;

use common::Workplace;
use common::made_up::{three_classes, two_classes};

/// Settings that keep more than weights, for two classes.
const TWO_CLASSES: &[&str] = &[
    "-a arow --target recall>=0.9",
    "-a arow --target precision>=0.7",
    "-a arow --target alerts<=10%",
    "-a ssol --target f1",
    "-a acog2 --target cost --cost-fn 5",
    "-a arow --threshold -0.25",
    "-a arow --probabilities",
    "-a arow --forget 500",
    "-a arow --on-drift warn",
    "-a arow --on-drift boost",
    "-a arow --on-drift reset",
    "-a ssol --on-drift reset --balanced --balance-half-life 300",
    "-a bcw1 --batch 90 --on-drift reset --target recall>=0.9 --probabilities",
    "-a arow --target recall>=0.9 --probabilities --on-drift boost --forget 5000",
    "--target recall>=0.9 --probabilities --on-drift reset --forget 5000",
];

/// The same for three.
const THREE_CLASSES: &[&str] = &[
    "-a arow --multiclass hinge --probabilities --on-drift reset --class-weight 1=3",
    "-a arow --multiclass ovr --probabilities --on-drift boost --forget 700",
    "-a ssol --multiclass ovr --probabilities --on-drift reset --balanced --balance-half-life 300",
];

const CHANGE: usize = 2500;
/// No multiple of what anything is done at.
const PARTS: [usize; 4] = [0, 1501, 2777, 5000];

/// A stream as one file, as three, and with the last two as one.
fn write_stream(work: &Workplace, text: impl Fn(std::ops::Range<usize>) -> String) {
    let parts: Vec<String> = PARTS.windows(2).map(|ends| text(ends[0]..ends[1])).collect();
    work.write("abc.svm", parts.concat()).write("bc.svm", parts[1..].concat());
    for (name, part) in ["a.svm", "b.svm", "c.svm"].iter().zip(&parts) {
        work.write(name, part);
    }
}

fn all_settings() -> impl Iterator<Item = (&'static str, Workplace)> {
    let two = TWO_CLASSES.iter().map(|flags| {
        let work = Workplace::new();
        write_stream(&work, |places| two_classes(places, CHANGE));
        (*flags, work)
    });
    let three = THREE_CLASSES.iter().map(|flags| {
        let work = Workplace::new();
        write_stream(&work, |places| three_classes(places, CHANGE));
        (*flags, work)
    });
    two.chain(three)
}

/// The model and the predictions of a run that succeeds.
fn trained(work: &Workplace, what: &str) -> (Vec<u8>, String) {
    work.ok(&format!("train {what} -q -f model.thw -p predictions.tsv"));
    (work.read("model.thw"), String::from_utf8(work.read("predictions.tsv")).unwrap())
}

#[test]
fn a_run_that_goes_on_is_the_run_that_never_stopped() {
    for (flags, work) in all_settings() {
        let (whole, predictions) = trained(&work, &format!("abc.svm {flags}"));
        let mut resumed = trained(&work, &format!("a.svm {flags}"));
        for part in ["b.svm", "c.svm"] {
            let (model, more) = trained(&work, &format!("{part} -i model.thw"));
            resumed = (model, resumed.1 + &more);
        }
        assert!(resumed.0 == whole, "{flags}: the model");
        assert!(resumed.1 == predictions, "{flags}: predictions");
        // What the model was trained with may be repeated.
        trained(&work, &format!("a.svm {flags}"));
        let (again, _) = trained(&work, &format!("bc.svm -i model.thw {flags}"));
        assert!(again == whole, "{flags}: repeated");
    }
}

#[test]
fn threads_caches_pipes_and_pieces_do_not_matter() {
    for (flags, work) in all_settings() {
        let expected = trained(&work, &format!("abc.svm --threads 0 {flags}"));
        for other in [
            "abc.svm --threads 1",
            "abc.svm --threads 4",
            "abc.svm --cache",
            "abc.svm --cache --threads 4",
            "a.svm b.svm c.svm --threads 4",
            "a.svm bc.svm --cache",
        ] {
            assert!(trained(&work, &format!("{other} {flags}")) == expected, "{other} {flags}");
        }
        let piped =
            work.run_with(&format!("train - -q --format libsvm {flags} -f piped.thw"), work.read("abc.svm"));
        assert_eq!(piped.code, 0, "{}", piped.stderr);
        assert!(work.read("piped.thw") == expected.0, "piped: {flags}");
    }
}

/// Would notice if the tests above were about streams on which nothing happens.
#[test]
fn the_stream_gives_alarms_and_moves_the_threshold() {
    let work = Workplace::new();
    write_stream(&work, |places| two_classes(places, CHANGE));
    let flags = "--target recall>=0.9 --probabilities --forget 5000 --json -q";
    for action in ["warn", "boost", "reset"] {
        let outcome = work.ok(&format!("train abc.svm -a arow --on-drift {action} {flags}"));
        let report: serde_json::Value = serde_json::from_str(&outcome.stdout).unwrap();
        assert!(report["drift_alarms"].as_u64() >= Some(1), "{report}");
        assert!(report["decision"]["threshold"].as_f64() < Some(0.0), "{report}");
    }
    let models = ["", "--on-drift warn", "--on-drift boost", "--on-drift reset"].map(|flags| {
        trained(&work, &format!("abc.svm -a arow {flags}"));
        work.ok("predict abc.svm -i model.thw -q").stdout
    });
    assert_eq!(models[0], models[1], "a warning changes nothing");
    assert!(models[2] != models[0] && models[3] != models[0] && models[2] != models[3]);
}

/// What a label can change comes after it.
#[test]
fn a_label_has_no_influence_on_its_own_prediction() {
    let (work, flipped_at) = (Workplace::new(), 2600);
    for flags in TWO_CLASSES.iter().filter(|flags| !flags.contains("bcw1")) {
        let lines: Vec<String> = two_classes(0..3200, CHANGE).lines().map(String::from).collect();
        let mut flipped = lines.clone();
        let (sign, rest) = lines[flipped_at].split_at(2);
        flipped[flipped_at] = format!("{}{rest}", if sign == "+1" { "-1" } else { "+1" });
        work.write("a.svm", lines.join("\n")).write("b.svm", flipped.join("\n"));
        let [a, b] = ["a.svm", "b.svm"].map(|file| {
            let predictions = trained(&work, &format!("{file} {flags}")).1;
            predictions.lines().map(String::from).collect::<Vec<_>>()
        });
        assert_eq!(a.len(), 3200);
        assert_eq!(a[..=flipped_at], b[..=flipped_at], "{flags}");
        assert_ne!(a[flipped_at + 1..], b[flipped_at + 1..], "{flags}");
    }
}
