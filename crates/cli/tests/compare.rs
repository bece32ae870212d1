//! `thalweg compare`.
#![allow(missing_docs, clippy::unwrap_used)]

mod common;

use std::fs;

use common::{Workplace, repository};
use serde_json::Value;

fn german() -> Workplace {
    let place = Workplace::new();
    for name in ["german.numer.svm.zst", "german.permutations.txt"] {
        fs::copy(repository("data").join(name), place.path(name)).unwrap();
    }
    place
}

#[test]
fn learners_are_compared_and_drawn() {
    let place = german();
    let outcome = place.ok(
        "compare german.numer.svm.zst --learners ssol:eta=1,r=2,ftrl,arow --normalize l2 --points 3 --repeat 4 \
         --figures drawn/here --csv all.csv --report page.html",
    );
    assert_eq!(outcome.stderr, "");
    let lines: Vec<&str> = outcome.stdout.lines().collect();
    assert!(
        lines[0].starts_with("The best setting") && lines[1].starts_with("learner "),
        "{}",
        outcome.stdout
    );
    let best = lines[2..5].iter().filter(|line| line.trim_end().ends_with("best")).count();
    assert_eq!(best, 1, "{}", outcome.stdout);
    assert!(
        outcome.stdout.contains("Measured on each example before it was learned from, 4 orders. p: paired")
    );

    let csv = String::from_utf8(place.read("all.csv")).unwrap();
    // Three settings of two learners, one of the third.
    assert_eq!(csv.lines().count(), 1 + 3 + 3 + 1, "{csv}");
    assert!(csv.starts_with("learner,knob,value,setting,repeats,error,error_deviation,sparsity,"), "{csv}");
    assert!(csv.contains("\n\"ssol:eta=1,r=2\",lambda,10.0,\"ssol:eta=1,r=2,lambda=10\",4,0."), "{csv}");

    for name in ["sparsity", "time", "online"] {
        let svg = String::from_utf8(place.read(&format!("drawn/here/{name}.svg"))).unwrap();
        assert!(svg.starts_with("<svg xmlns=") && svg.contains(">ftrl</text>"), "{name}");
    }
    let page = String::from_utf8(place.read("page.html")).unwrap();
    assert_eq!(page.matches("<svg").count(), 3);
    assert!(page.contains("thalweg compare") || page.contains("compare</span>"));
}

#[test]
fn the_published_orders_give_the_published_mean() {
    let place = german();
    let json = place.ok(
        "compare german.numer.svm.zst --learners perceptron --normalize l2 --orders german.permutations.txt \
         --metrics balanced_accuracy --json",
    );
    let outcome: Value = serde_json::from_str(&json.stdout).unwrap();
    let setting = &outcome["learners"][0]["settings"][0];
    let mean = setting["metrics"]["balanced_accuracy"]["mean"].as_f64().unwrap();
    assert_eq!(format!("{:.3}", 100.0 * mean), "53.760");
    assert_eq!((&setting["repeats"], &outcome["orders"]), (&20.into(), &20.into()));
}

#[test]
fn outcomes_do_not_depend_on_the_number_of_jobs() {
    let place = german();
    let run = |jobs: u32| {
        let flags = "--learners rda,sarow --lambda 1e-4,1e-3 --points 2 --repeat 3 --json";
        let json = place.ok(&format!("compare german.numer.svm.zst {flags} --jobs {jobs}")).stdout;
        let mut outcome: Value = serde_json::from_str(&json).unwrap();
        for learner in outcome["learners"].as_array_mut().unwrap() {
            for setting in learner["settings"].as_array_mut().unwrap() {
                setting.as_object_mut().unwrap().remove("seconds");
            }
        }
        outcome
    };
    assert_eq!(run(1), run(2));
}

#[test]
fn test_data_and_costs_count() {
    let place = Workplace::new();
    let rows = |from: u32| -> String {
        (from..from + 60)
            .map(|i| format!("{} {}:1 9:1\n", if i % 3 == 0 { "1" } else { "-1" }, i % 3 + 1))
            .collect()
    };
    place.write("train.svm", rows(0)).write("test.svm", rows(60));
    // pa takes no costs and is measured by them.
    let outcome = place
        .ok("compare train.svm -t test.svm --learners pa,cs-ssol --cost-fn 9 --points 1 --repeat 2 --json");
    let outcome: Value = serde_json::from_str(&outcome.stdout).unwrap();
    assert_eq!(outcome["metrics"][0]["name"], "cost");
    assert_eq!(outcome["test"]["examples"], 60);
    for learner in outcome["learners"].as_array().unwrap() {
        assert_eq!(learner["settings"][0]["metrics"]["cost"]["mean"], 0.0, "{learner}");
    }
}

#[test]
fn weights_of_two_classes_are_costs_also_to_those_that_take_none() {
    let place = german();
    let cost = |flags: &str| {
        let run =
            format!("compare german.numer.svm.zst --learners romma --points 1 --repeat 2 {flags} --json");
        let outcome: Value = serde_json::from_str(&place.ok(&run).stdout).unwrap();
        outcome["learners"][0]["settings"][0]["metrics"]["cost"]["mean"].as_f64()
    };
    let declared = cost("--cost-fn 5");
    assert!(declared.is_some());
    assert_eq!(cost("--positive 1 --class-weight 1=5"), declared);
}

#[test]
fn knobs_that_are_not_about_sparsity_have_a_figure() {
    let place = german();
    let run = "compare german.numer.svm.zst --learners arow,acog1 --repeat 2 --figures drawn";
    place.ok(&format!("{run} --path arow.r=2^-2..2^2 --path acog1.eta=1,4"));
    let drawn = |name: &str| String::from_utf8(place.read(&format!("drawn/{name}.svg"))).unwrap();
    assert!(drawn("knob").contains(">r of arow, eta of acog1<"), "{}", drawn("knob"));
    // No weight is zero: the axis goes from none to all, and not below none.
    assert!(!drawn("sparsity").contains("-100"), "{}", drawn("sparsity"));
    place.ok(&format!("{run}/one --path r=1,2,3"));
    let one = String::from_utf8(place.read("drawn/one/knob.svg")).unwrap();
    assert!(one.contains(">Error against r<"), "{one}");
}

#[test]
fn a_penalty_of_zero_is_a_zero() {
    let place = german();
    let shown = place.ok("compare german.numer.svm.zst --learners ssol --lambda 0 --repeat 2").stdout;
    assert!(shown.contains(" lambda=0 "), "{shown}");
}

#[test]
fn what_is_not_defined_is_said() {
    let place = Workplace::new();
    place.write("same.svm", "1 1:1\n1 1:2\n1 2:1\nx y\n");
    let shown =
        place.ok("compare same.svm --learners arow,pa --metrics roc_auc --points 1 --repeat 2").stdout;
    assert!(shown.starts_with("roc_auc is not defined on these examples"), "{shown}");
    let shown = place.ok("compare same.svm --learners arow,pa --points 1 --repeat 2").stdout;
    assert!(shown.contains(" 2 orders. 1 bad line was skipped. p: "), "{shown}");
}

#[cfg(target_os = "linux")]
#[test]
fn the_outcome_is_shown_even_if_a_file_cannot_be_written() {
    let place = german();
    let run = "compare german.numer.svm.zst --learners arow --points 1 --repeat 2";
    for file in ["--csv /dev/full", "--report /dev/full", "--figures /proc/nowhere"] {
        let outcome = place.run(&format!("{run} {file}"));
        assert_eq!(outcome.code, 1, "{}", outcome.stderr);
        assert_eq!(outcome.stdout.contains("The best setting"), file.contains("full"), "{}", outcome.stdout);
    }
}

#[test]
fn what_is_wrong_is_said_before_work_begins() {
    let place = german();
    let refused = |flags: &str, code: i32, message: &str| {
        let outcome = place.run(&format!("compare {flags}"));
        assert_eq!(outcome.code, code, "{flags}: {}", outcome.stderr);
        assert!(outcome.stderr.contains(message), "{flags}: {}", outcome.stderr);
        assert_eq!(outcome.stdout, "");
    };
    refused("german.numer.svm.zst", 2, "no learners: name some");
    refused("german.numer.svm.zst --learners ssol,arrow", 2, "did you mean \"arow\"?");
    refused("german.numer.svm.zst --learners ssol --lambda 1e-8..1e-2", 2, "say how many");
    refused(
        "german.numer.svm.zst --learners arow --lambda 1e-8..1e-2:3",
        2,
        "no learner here goes along lambda",
    );
    refused("german.numer.svm.zst --learners arow --metrics eror", 2, "did you mean \"error\"?");
    refused(
        "german.numer.svm.zst --learners arow --metrics updates",
        2,
        "does not say which learner is better",
    );
    refused("missing.svm --learners arow", 1, "missing.svm");
    refused("german.numer.svm.zst --learners arow --orders missing.txt", 1, "missing.txt");
    refused("german.numer.svm.zst --learners arow --csv german.numer.svm.zst", 2, "would overwrite it");
}

#[cfg(unix)]
#[test]
fn ctrl_c_prints_what_is_known() {
    use std::process::{Command, Stdio};

    let place = german();
    let child = Command::new(env!("CARGO_BIN_EXE_thalweg"))
        .current_dir(place.path("."))
        .args("compare german.numer.svm.zst --learners arow,ssol --repeat 20000 --jobs 1".split(' '))
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    std::thread::sleep(std::time::Duration::from_secs(3));
    assert!(Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap().success());
    let output = child.wait_with_output().unwrap();
    let stdout = String::from_utf8(output.stdout).unwrap();
    assert_eq!(output.status.code(), Some(130), "{stdout}");
    assert!(stdout.contains("Interrupted: ") && stdout.contains(" of 200,000 trials were done."), "{stdout}");
    assert!(stdout.contains("ssol"), "{stdout}");
}
