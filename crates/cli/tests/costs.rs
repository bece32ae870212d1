//! What mistakes cost: what is reported, and what is learned.
#![allow(missing_docs, clippy::unwrap_used)]

mod common;

use common::Workplace;
use common::made_up::{class, is_positive, three_classes, two_classes};
use serde_json::Value;

const NEVER: usize = usize::MAX;

fn json(text: &str) -> Value {
    serde_json::from_str(text).unwrap_or_else(|error| panic!("{error}: {text}"))
}

fn workplace() -> Workplace {
    let work = Workplace::new();
    work.write("a.svm", two_classes(0..1200, NEVER)).write("b.svm", two_classes(1200..1700, NEVER));
    work.write("three.svm", three_classes(0..1200, NEVER))
        .write("more.svm", three_classes(1200..1700, NEVER));
    work
}

/// Misses and false alarms, counted from predictions of the examples from this place on.
fn mistakes(predictions: &str, from: usize) -> (f64, f64) {
    let (mut missed, mut false_alarms) = (0.0, 0.0);
    for (i, line) in predictions.lines().enumerate() {
        match (is_positive(from + i), line.split('\t').nth(1).unwrap()) {
            (true, "-1") => missed += 1.0,
            (false, "1") => false_alarms += 1.0,
            _ => {}
        }
    }
    (missed, false_alarms)
}

fn close(a: &Value, b: f64) -> bool {
    a.as_f64().is_some_and(|a| (a - b).abs() <= 1e-9 * b.abs().max(1.0))
}

/// A table whose positives cost what the column says.
fn with_amounts(examples: usize) -> String {
    let amount = |i: usize| if is_positive(i) { (i * 37 % 500) as f64 / 4.0 } else { 1.5 };
    let row = |i: usize| {
        let (label, shift) = if is_positive(i) { (1, 2.0) } else { (-1, 0.0) };
        let noise = (i * 7919 % 1000) as f64 / 250.0;
        format!("{label},{},{:.3},{:.3}\n", amount(i), shift + noise, noise)
    };
    let rows: String = (0..examples).map(row).collect();
    format!("label,amount,x,y\n{rows}")
}

#[test]
fn a_column_says_what_an_error_on_each_example_costs() {
    let work = workplace();
    let table = with_amounts(1200);
    work.write("amounts.csv", table.as_bytes());
    let report =
        json(&work.ok("train amounts.csv --cost-col amount --cost-fn 2 -f m.thw -p p.tsv --json").stdout);
    let predictions = String::from_utf8(work.read("p.tsv")).unwrap();
    let (mut cost, mut mistakes) = (0.0, 0);
    for (row, line) in table.lines().skip(1).zip(predictions.lines()) {
        let fields: Vec<&str> = row.split(',').collect();
        if line.split('\t').nth(1) != Some(fields[0]) {
            let of_class = if fields[0] == "1" { 2.0 } else { 1.0 };
            cost += of_class * fields[1].parse::<f64>().unwrap();
            mistakes += 1;
        }
    }
    // Errors are counted, and only costs add up to amounts.
    assert!(close(&report["cost"], cost) && report["mistakes"] == mistakes, "{report} is not {cost}");
    // Learning weighs examples by them, as importance does.
    work.ok("train amounts.csv --importance-col amount --cost-fn 2 -q -p weighed.tsv");
    assert!(work.read("weighed.tsv") == work.read("p.tsv"));
    // A cache has them, and a model remembers the column.
    for _ in 0..2 {
        work.ok("train amounts.csv --cost-col amount --cost-fn 2 -q -f cached.thw --cache");
        assert!(work.read("cached.thw") == work.read("m.thw"));
    }
    let report = json(&work.ok("eval -i m.thw amounts.csv --json").stdout);
    let amounts = table.lines().skip(1).map(|row| row.split(',').collect::<Vec<_>>());
    let positive = amounts.filter(|fields| fields[0] == "1");
    let all: f64 = positive.map(|fields| 2.0 * fields[1].parse::<f64>().unwrap()).sum();
    assert!(close(&report["cost_of_flagging_nothing"], all), "{report}");
    let bad = work.run("train amounts.csv --cost-col sum -q");
    assert!(bad.stderr.contains("there is no column \"sum\" for the cost"), "{}", bad.stderr);
}

#[test]
fn reported_costs_change_the_report_alone() {
    let work = workplace();
    for learner in ["-a arow", "-a ssol --cost-fn 3", "--balanced", "-a arow --target f1 --probabilities"] {
        work.ok(&format!("train a.svm -q {learner} -f plain.thw -p plain.tsv"));
        let command =
            format!("train a.svm {learner} -f priced.thw -p priced.tsv --json --report-cost 50:2.5");
        let report = json(&work.ok(&command).stdout);
        assert!(work.read("plain.thw") == work.read("priced.thw"), "{learner}");
        assert!(work.read("plain.tsv") == work.read("priced.tsv"), "{learner}");
        let (missed, false_alarms) = mistakes(&String::from_utf8(work.read("priced.tsv")).unwrap(), 0);
        assert!(missed > 0.0 && false_alarms > 0.0, "{learner}");
        assert!(close(&report["cost"], 50.0 * missed + 2.5 * false_alarms), "{learner}: {report}");
        let positives = (0..1200).filter(|i| is_positive(*i)).count() as f64;
        assert!(close(&report["cost_of_flagging_nothing"], 50.0 * positives), "{report}");
        assert!(close(&report["cost_of_flagging_everything"], 2.5 * (1200.0 - positives)), "{report}");
    }
}

#[test]
fn the_cost_of_an_evaluation_is_that_of_its_predictions() {
    let work = workplace();
    work.ok("train a.svm -q -a arow --cost-fn 4 -f model.thw");
    for (flags, of_miss, of_alarm) in [
        ("", 4.0, 1.0),
        ("--report-cost 10:3", 10.0, 3.0),
        ("--report-cost 0.5:0.25 --threshold -1", 0.5, 0.25),
    ] {
        let threshold =
            flags.split("--threshold").nth(1).map_or(String::new(), |t| format!("--threshold{t}"));
        let predictions = work.ok(&format!("predict b.svm -i model.thw {threshold}")).stdout;
        let (missed, false_alarms) = mistakes(&predictions, 1200);
        let report = json(&work.ok(&format!("eval b.svm -i model.thw --json {flags}")).stdout);
        assert!(close(&report["cost"], of_miss * missed + of_alarm * false_alarms), "{flags}: {report}");
        assert!(close(&report["missed"], missed) && close(&report["false_alarms"], false_alarms));
    }
    let report = json(&work.ok("eval b.svm -i model.thw --json --report-sum 0.7").stdout);
    let [sensitivity, specificity] =
        ["sensitivity", "specificity"].map(|name| report[name].as_f64().unwrap());
    let sum = report.as_object().unwrap().iter().find(|(name, _)| name.contains("sum")).unwrap().1;
    assert!(close(sum, 0.7 * sensitivity + 0.3 * specificity), "{report}");
}

/// Where the target is the lowest cost, it is that of the costs which are reported.
#[test]
fn the_lowest_cost_is_that_of_the_costs_that_are_reported() {
    let work = workplace();
    let cost = |flags: &str| {
        let train = format!("train a.svm -q -a arow {flags} --json --report-cost 20:1");
        json(&work.ok(&train).stdout)["cost"].as_f64().unwrap()
    };
    assert!(cost("--target cost") < 0.7 * cost(""), "{} and {}", cost("--target cost"), cost(""));
}

#[test]
fn a_curve_has_the_mistakes_of_every_threshold() {
    let work = workplace();
    work.ok("train a.svm -q -a arow -f model.thw");
    let report = json(&work.ok("eval b.svm -i model.thw --json --curve --report-cost 5:1").stdout);
    let curve = &report["curves"]["thresholds"];
    let points = curve["points"].as_array().unwrap();
    assert!(points.len() > 10, "{}", points.len());
    let predictions = work.ok("predict b.svm -i model.thw").stdout;
    let scores: Vec<f64> =
        predictions.lines().map(|line| line.split('\t').next().unwrap().parse().unwrap()).collect();
    for point in points {
        // The first flags nothing.
        let Some(threshold) = point["threshold"].as_f64() else { continue };
        let flagged = |positive: bool| {
            (0..scores.len()).filter(|i| scores[*i] >= threshold && is_positive(1200 + i) == positive).count()
        };
        assert!(close(&point["true_positives"], flagged(true) as f64), "{point}");
        assert!(close(&point["false_positives"], flagged(false) as f64), "{point}");
    }
    let text = work.ok("eval b.svm -i model.thw --curve").stdout;
    assert!(text.lines().count() > 25 && text.lines().count() < 60, "{text}");
}

#[test]
fn weights_of_classes_are_learned_with_and_remembered() {
    let work = workplace();
    work.write("all.svm", three_classes(0..1700, NEVER));
    for learner in
        ["arow --multiclass hinge", "arow --multiclass ovr", "ssol --multiclass ovr", "sarow --multiclass"]
    {
        let weights = "--class-weight 1=8 --class-weight 2=0.5";
        work.ok(&format!("train three.svm -q -a {learner} -f equal.thw"));
        work.ok(&format!("train three.svm -q -a {learner} {weights} -f weighted.thw"));
        let recall_of_1 = |model: &str| {
            let predictions = work.ok(&format!("predict more.svm -i {model}")).stdout;
            let found = predictions
                .lines()
                .enumerate()
                .filter(|(i, line)| class(1200 + i) == 1 && line.split('\t').nth(1) == Some("1"));
            found.count()
        };
        assert!(recall_of_1("weighted.thw") > recall_of_1("equal.thw"), "{learner}");
        let inspected = json(&work.ok("inspect weighted.thw --json").stdout);
        let costs = inspected["class_costs"].as_array().unwrap();
        let cost = |label: &str| costs.iter().find(|cost| cost["label"] == label).unwrap()["cost"].as_f64();
        assert_eq!(["0", "1", "2"].map(cost), [Some(1.0), Some(8.0), Some(0.5)], "{learner}");
        assert_eq!(json(&work.ok("inspect equal.thw --json").stdout)["class_costs"], serde_json::json!([]));
        // A run that goes on keeps them, and may repeat them.
        work.ok(&format!("train all.svm -q -a {learner} {weights} -f whole.thw"));
        for repeated in ["", weights, "--class-weight 1=8"] {
            work.ok(&format!("train more.svm -q -i weighted.thw -f resumed.thw {repeated}"));
            assert!(work.read("whole.thw") == work.read("resumed.thw"), "{learner} {repeated}");
        }
        for other in ["--class-weight 1=7", "--class-weight 0=2"] {
            let refused = work.run(&format!("train more.svm -q -i weighted.thw -f resumed.thw {other}"));
            assert_eq!(refused.code, 2, "{}", refused.stderr);
            assert!(refused.stderr.contains("--class-weight"), "{}", refused.stderr);
        }
    }
}

#[test]
fn weights_of_two_classes_are_costs_by_another_name() {
    let work = workplace();
    let model = |flags: &str| {
        work.ok(&format!("train a.svm -q -a arow --positive 1 {flags} -f model.thw"));
        work.read("model.thw")
    };
    let named = model("--class-weight 1=5 --class-weight=-1=2");
    assert_eq!(named, model("--cost-fn 5 --cost-fp 2"));
    assert_ne!(named, model(""));
    assert_eq!(model("--class-weight +1=5"), model("--cost-fn 5"), "labels may be written as in the data");
}

#[test]
fn a_half_life_lets_the_balance_follow_the_stream() {
    let work = Workplace::new();
    // Positives are frequent at first, then rare.
    let all = two_classes(0..6000, NEVER);
    let lines: Vec<&str> = all.lines().collect();
    let (positive, negative): (Vec<&str>, Vec<&str>) = lines.iter().partition(|line| line.starts_with("+1"));
    let early = positive[..600].iter().zip(&negative[..600]).map(|(a, b)| format!("{a}\n{b}\n"));
    let rare = positive[600..660].iter().zip(negative[600..1800].chunks(20));
    let late = rare.map(|(a, b)| format!("{a}\n{}\n", b.join("\n")));
    work.write("a.svm", early.chain(late).collect::<String>());
    let cost = |flags: &str| {
        work.ok(&format!("train a.svm -q -a arow --balanced {flags} -f model.thw"));
        let inspected = json(&work.ok("inspect model.thw --json").stdout);
        let costs = inspected["class_costs"].as_array().unwrap().clone();
        costs.iter().find(|cost| cost["label"] == "1").unwrap()["cost"].as_f64().unwrap()
    };
    let (of_all, of_late) = (cost(""), cost("--balance-half-life 200"));
    assert!((of_all - 1810.0 / 670.0).abs() < 0.1, "{of_all}");
    assert!(of_late > 8.0 && of_late < 25.0, "{of_late}");
    // It is remembered, and cannot be changed.
    work.ok("train a.svm -q -i model.thw -f again.thw --balance-half-life 200 --balanced");
    let refused = work.run("train a.svm -q -i model.thw -f again.thw --balance-half-life 300 --balanced");
    assert_eq!(refused.code, 2);
    assert!(refused.stderr.contains("--balance-half-life"), "{}", refused.stderr);
}

#[test]
fn few_labels_are_asked_for_and_used() {
    let work = workplace();
    work.write("long.svm", two_classes(0..5000, NEVER));
    let report = json(&work.ok("train long.svm -a arow --label-budget 10% --json -q -f model.thw").stdout);
    let budget = &report["label_budget"];
    let (asked, of) = (budget["asked"].as_u64().unwrap(), budget["of"].as_u64().unwrap());
    assert_eq!(of, 5000);
    assert!((400..=510).contains(&asked), "{asked}");
    let learned = json(&work.ok("inspect model.thw --json").stdout)["state"]["counts"]["examples"].as_u64();
    assert_eq!(learned, Some(asked), "no other label was used");
    // With all labels it is what it is without a budget.
    let all = json(&work.ok("train long.svm -a arow --json -q").stdout);
    assert_eq!(budget["with_all_labels"]["error"], all["error"]);
    assert_eq!(report["examples"], 5000, "the figures are of all examples");
    // The same again.
    let first = work.read("model.thw");
    work.ok("train long.svm -a arow --label-budget 0.1 -q -f model.thw --threads 0");
    assert_eq!(work.read("model.thw"), first);
}
