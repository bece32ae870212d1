//! What cannot be measured, decided or written is said before anything is lost.
#![allow(missing_docs, clippy::unwrap_used)]

mod common;

use common::Workplace;
use common::made_up::{three_classes, two_classes};

/// A workplace with data, a model, and a copy of it.
fn workplace() -> Workplace {
    let work = Workplace::new();
    work.write("a.svm", two_classes(0..300, 150)).write("three.svm", three_classes(0..300, 150));
    work.ok("train a.svm -q -a arow --target recall>=0.9 -f model.thw");
    work.ok("train a.svm -q -a arow -f plain.thw");
    work.ok("train three.svm -q -a arow --multiclass -f three.thw");
    work.write("old.thw", "what was there before");
    work
}

/// The command fails as one that was spelled wrong, says this, and touches nothing.
fn refused(work: &Workplace, command: &str, words: &[&str]) {
    let files = ["a.svm", "three.svm", "model.thw", "plain.thw", "three.thw", "old.thw"];
    let before = files.map(|name| work.read(name));
    let outcome = work.run(command);
    assert_ne!(outcome.code, 0, "{command} succeeds");
    assert_eq!(outcome.stdout, "", "{command}");
    for word in words {
        assert!(outcome.stderr.contains(word), "{command} does not say {word}:\n{}", outcome.stderr);
    }
    for forbidden in ["panicked", "RUST_BACKTRACE", "`"] {
        let quoted = forbidden == "`" && outcome.stderr.contains("`thalweg ");
        assert!(quoted || !outcome.stderr.contains(forbidden), "{command}: {}", outcome.stderr);
    }
    assert!(files.map(|name| work.read(name)) == before, "{command} changed a file");
    assert!(!work.path("new.thw").exists(), "{command} wrote a model");
}

#[test]
fn metrics_that_are_not_there() {
    let work = workplace();
    refused(&work, "train a.svm -q -f new.thw --metrics roc_acu", &["roc_acu", "roc_auc"]);
    refused(&work, "train a.svm -q -f old.thw --metrics recal", &["recal"]);
    refused(&work, "eval a.svm -i model.thw --metrics f1,balanced_acuracy", &["balanced_accuracy"]);
    refused(&work, "eval a.svm -i model.thw --metrics xyzzy", &["xyzzy"]);
    refused(&work, "train a.svm -f new.thw --metrics log_loss", &["log_loss", "--probabilities"]);
    refused(&work, "eval a.svm -i model.thw --metrics log_loss", &["log_loss", "--probabilities"]);
    refused(&work, "eval three.svm -i three.thw --metrics roc_auc", &["roc_auc", "two classes"]);
    refused(&work, "eval a.svm -i model.thw --report-cost 5", &["--report-cost", "50:1"]);
    refused(&work, "eval a.svm -i model.thw --report-cost 5:0", &["greater than 0"]);
    refused(&work, "eval a.svm -i model.thw --report-cost nan:1", &["greater than 0"]);
    refused(&work, "eval a.svm -i model.thw --report-sum 1.5", &["from 0 to 1"]);
    for of_two in ["--report-cost 5:1", "--report-sum 0.5"] {
        let flag = of_two.split(' ').next().unwrap();
        let train = format!("train three.svm -f new.thw --multiclass {of_two}");
        refused(&work, &train, &[flag, "--multiclass"]);
        refused(&work, &format!("eval three.svm -i three.thw {of_two}"), &[flag, "--multiclass"]);
    }
    refused(&work, "train a.svm -f new.thw --progress 0", &["--progress"]);
    refused(&work, "train a.svm -f new.thw --progress x1", &["--progress"]);
}

#[test]
fn targets_and_thresholds_that_make_no_sense() {
    let work = workplace();
    for (target, word) in [
        ("recall>=2", "out of range"),
        ("recall>=0", "out of range"),
        ("recall>=nan", "recall>=0.9"),
        ("recall=0.9", "recall>=0.9"),
        ("recall<=0.9", "recall>=0.9"),
        ("recall", "recall>=0.9"),
        ("precision>=1", "out of range"),
        ("alerts<=5", "such as 200/100000"),
        ("alerts>=5%", "alerts<=200/100000"),
        ("alerts<=5/0", "out of range"),
        ("f0", "out of range"),
        ("f-1", "out of range"),
        ("accuracy", "there is no target"),
    ] {
        refused(&work, &format!("train a.svm -q -f new.thw --target {target}"), &[word, "--target"]);
    }
    refused(&work, "train a.svm -q -f new.thw --target=", &["there is no target", "--target"]);
    refused(&work, "train three.svm -q -f new.thw --multiclass --target f1", &["--target", "--multiclass"]);
    refused(
        &work,
        "train three.svm -q -f new.thw --multiclass --threshold 1",
        &["--threshold", "--multiclass"],
    );
    refused(&work, "eval three.svm -i three.thw --threshold 1", &["--threshold", "--multiclass"]);
    refused(&work, "predict three.svm -i three.thw --threshold 1", &["--threshold", "--multiclass"]);
    for number in ["nan", "inf", "-inf", "much"] {
        for command in ["train a.svm -f new.thw", "predict a.svm -i model.thw", "eval a.svm -i model.thw"] {
            refused(&work, &format!("{command} --threshold {number}"), &["threshold"]);
        }
    }
    refused(&work, "train a.svm -q -f new.thw --target f1 --threshold 1", &["--target", "--threshold"]);
    // A model that goes on keeps its target.
    refused(
        &work,
        "train a.svm -i model.thw -f old.thw --target recall>=0.8",
        &["recall>=0.9", "recall>=0.8"],
    );
    refused(&work, "train a.svm -i model.thw -f old.thw --threshold 1", &["--threshold", "--target"]);
    work.ok("train a.svm -q -i model.thw -f again.thw --target recall>=90%");
    work.ok("train a.svm -q -i plain.thw -f later.thw --target recall>=90%");
}

#[test]
fn what_a_learner_cannot_do() {
    let work = workplace();
    for learner in ["perceptron", "ogd", "pa1"] {
        refused(&work, &format!("train a.svm -q -f new.thw -a {learner} --forget 100"), &["forget", learner]);
        let boost = format!("train a.svm -q -f new.thw -a {learner} --on-drift boost");
        refused(&work, &boost, &["--on-drift", learner]);
    }
    refused(&work, "train a.svm -q -f new.thw --forget 0", &["--forget", "at least 1"]);
    refused(&work, "train a.svm -q -f new.thw --forget -5", &["--forget"]);
    refused(&work, "train a.svm -q -f new.thw --forget inf", &["--forget", "at least 1"]);
    refused(&work, "train a.svm -q -f new.thw --on-drift panic", &["--on-drift", "boost"]);
    refused(&work, "train a.svm -q -i plain.thw -f old.thw --forget 100", &["--forget"]);
    for share in ["0", "1", "100%", "0%", "-5%", "nan", "x"] {
        refused(
            &work,
            &format!("train a.svm -q -f new.thw --label-budget={share}"),
            &["--label-budget", "10%"],
        );
        refused(&work, &format!("train a.svm -q -f new.thw --holdout={share}"), &["--holdout", "10%"]);
    }
    let budget = "train three.svm -q -f new.thw --multiclass --label-budget 10%";
    refused(&work, budget, &["--label-budget", "--multiclass"]);
    let budget = "train a.svm -q -f new.thw --passes 2 --label-budget 10%";
    refused(&work, budget, &["--label-budget", "--passes"]);
    refused(&work, "predict three.svm -i three.thw --abstain-below 0.9", &["--probabilities"]);
    work.ok("train a.svm -q -a perceptron -f perceptron.thw");
    refused(&work, "predict a.svm -i perceptron.thw --confidence", &["--confidence", "perceptron"]);
    refused(&work, "predict a.svm -i perceptron.thw --abstain-below 0.9", &["--probabilities"]);
    refused(&work, "predict a.svm -i model.thw --abstain-below 0.3", &["from 0.5 to 1"]);
    refused(&work, "predict a.svm -i model.thw --review r.tsv", &["--abstain-below"]);
    assert!(!work.path("r.tsv").exists());
}

#[test]
fn weights_of_classes_that_make_no_sense() {
    let work = workplace();
    let train = "train three.svm -q -f new.thw -a arow --multiclass --class-weight";
    for weight in ["5", "1=", "=5", "1=-2", "1=0", "1=inf", "1=nan", "1=x"] {
        refused(&work, &format!("{train}={weight}"), &["--class-weight"]);
    }
    refused(&work, &format!("{train} 1=2 --class-weight 1=3"), &["--class-weight", "once"]);
    // Of two classes one must know which is which.
    refused(&work, "train a.svm -q -f new.thw -a arow --class-weight 1=5", &["--class-weight", "--positive"]);
    let two = "train a.svm -q -f new.thw -a arow --positive 1 --class-weight 1=5";
    refused(&work, &format!("{two} --cost-fn 2"), &["--class-weight", "--cost-fn"]);
    refused(&work, &format!("{two} --class-weight a=5 --class-weight b=5"), &["--class-weight"]);
    refused(&work, "train a.svm -q -f new.thw --balance-half-life 100", &["--balanced"]);
    refused(&work, "train a.svm -q -f new.thw --balanced --balance-half-life 0", &["at least 1"]);
}

#[test]
fn a_weight_for_a_label_that_never_comes_is_noticed() {
    let work = workplace();
    let warning = "warning: no example has the label \"7\" (--class-weight)\n";
    let warned = |command: &str| work.ok(command).stderr.contains(warning);
    for how in ["--multiclass hinge", "--multiclass ovr"] {
        let train = format!("train three.svm -q -a arow -f new.thw {how} --class-weight");
        assert!(warned(&format!("{train} 1=2 --class-weight 7=5")), "{how}");
        assert!(!warned(&format!("{train} 1=2 --class-weight 2=5")), "{how}");
    }
    assert!(warned("train a.svm -q -a arow --positive 1 --class-weight 7=5"));
    assert!(!warned("train a.svm -q -a arow --positive 1 --class-weight=-1=5 --class-weight 1=2"));
    // Of several negative labels the names are not kept.
    assert!(!warned("train three.svm -q -a arow --positive 1 --class-weight 7=5"));
}

#[test]
fn reports_and_logs_are_not_written_over_what_is_needed() {
    let work = workplace();
    refused(&work, "train a.svm -q -f new.thw --report a.svm", &["a.svm", "the report"]);
    refused(&work, "train a.svm -q -f old.thw --report old.thw", &["old.thw", "the report"]);
    refused(&work, "train a.svm -q -f new.thw --report new.thw", &["new.thw", "the report"]);
    refused(&work, "train a.svm -q -i model.thw -f new.thw --report model.thw", &["model.thw"]);
    refused(&work, "train a.svm -q -f new.thw --log-json new.thw", &["new.thw", "the log"]);
    refused(&work, "train a.svm -q -f old.thw --log-json old.thw", &["old.thw", "the log"]);
    refused(&work, "train a.svm -q -f new.thw --log-json a.svm", &["a.svm", "the log"]);
    refused(&work, "train a.svm -q -f new.thw -t three.svm --log-json three.svm", &["three.svm"]);
    refused(&work, "train a.svm -q -f new.thw --log-json x --report x", &["x cannot be both"]);
    refused(&work, "train a.svm -q -f new.thw -p x --report ./x", &["cannot be both"]);
    refused(&work, "train a.svm -q -f new.thw -p - --report -", &["standard output"]);
    refused(&work, "eval a.svm -i model.thw --report model.thw", &["model.thw", "the report"]);
    refused(&work, "eval a.svm -i model.thw --report a.svm", &["a.svm", "the report"]);
    let review = "predict a.svm -i model.thw --abstain-below 0.9 --review";
    refused(&work, &format!("{review} a.svm"), &["a.svm", "review"]);
    refused(&work, &format!("{review} model.thw"), &["model.thw", "review"]);
    refused(&work, &format!("{review} x -p x"), &["cannot be both"]);
    assert!(!work.path("x").exists());
}

/// A page that cannot be written is noticed before hours of training are.
#[test]
fn folders_that_are_not_there_are_noticed_before_training() {
    let work = workplace();
    refused(&work, "train a.svm -f new.thw --report nowhere/page.html", &["nowhere/page.html"]);
    refused(&work, "train a.svm -f old.thw --report nowhere/page.html", &["nowhere/page.html"]);
    refused(&work, "train a.svm -f new.thw --log-json nowhere/log.jsonl", &["nowhere/log.jsonl"]);
    refused(&work, "eval a.svm -i model.thw --report nowhere/page.html", &["nowhere/page.html"]);
    refused(
        &work,
        "predict a.svm -i model.thw --abstain-below 0.9 --review nowhere/r.tsv",
        &["nowhere/r.tsv"],
    );
    // No line of progress: nothing was learned yet.
    let outcome = work.run("train a.svm -f new.thw --report nowhere/page.html");
    assert_eq!(outcome.stderr.lines().count(), 1, "{}", outcome.stderr);
}

#[test]
fn an_error_of_the_data_keeps_what_was_learned_and_the_old_page() {
    let work = workplace();
    work.write("bad.svm", "+1 nonsense\n").write("page.html", "old page");
    let outcome = work.run("train a.svm bad.svm -q --strict -a arow -f new.thw --report page.html");
    assert_ne!(outcome.code, 0);
    assert!(outcome.stderr.contains("new.thw.rescued"), "{}", outcome.stderr);
    assert_eq!(work.read("page.html"), b"old page");
    work.ok("eval a.svm -i new.thw.rescued");
}
