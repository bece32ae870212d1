//! What people see: each command's output and each error message, compared with `tests/snapshots`.
//! After an intended change: `INSTA_UPDATE=always cargo test -p thalweg --test screens`, and read the difference.
#![allow(missing_docs, clippy::unwrap_used)]

mod common;

use common::Workplace;

/// Small whole numbers, so that f32 and f64 builds print the same.
const TOY: &str = "\
+1 1:1 3:2
-1 2:1 3:1
+1 1:2 4:1
-1 2:2
+1 1:1 2:1 3:1
-1 3:2 4:4
";

const MESSY: &str = "\
# a comment
spam 1:1 3:2

ham 2:1 3.5:1
ham 2:1 3:nan
spam 4294967295:1
ham 3:1 2:1 2:1
ham 2:1 3:x
inf 1:1
1:3
spam 1:2 4:1\r
ham 2:2";

fn workplace() -> Workplace {
    let work = Workplace::new();
    work.write("toy.svm", TOY).write("messy.svm", MESSY);
    work
}

#[test]
fn training_and_using_a_model() {
    let work = workplace();
    assert_screen!(
        "train",
        work.screen("train toy.svm -a perceptron -f toy.thw -p scores.tsv --passes 2 -t toy.svm")
    );
    assert_screen!("train_predictions", String::from_utf8(work.read("scores.tsv")).unwrap());
    assert_screen!("predict", work.screen("predict -i toy.thw toy.svm"));
    assert_screen!("predict_unlabelled", work.screen_with("predict -i toy.thw -", "1:1\n? 2:1\n"));
    assert_screen!("eval", work.screen("eval -i toy.thw toy.svm"));
    assert_screen!("select", work.screen("select toy.svm -a perceptron --features 2 -q"));
    assert_screen!("select_curve", work.screen("select toy.svm --features 2 --curve -t toy.svm -q"));
    assert_screen!("inspect", work.screen("inspect toy.thw --top 3"));
    assert_screen!("inspect_weights", work.screen("inspect toy.thw --weights"));
    assert_screen!("inspect_weights_json", work.screen("inspect toy.thw --weights --json"));
    assert_screen!("inspect_json", work.screen("inspect toy.thw --top 1 --json"));
    assert_screen!(
        "train_json",
        work.screen("train toy.svm -a perceptron -f toy.thw --cost-fn 2 --json -t toy.svm")
    );
    assert_screen!("train_quiet", work.screen("train toy.svm -a perceptron -q"));
}

#[test]
fn many_classes() {
    let work = workplace();
    work.write("three.svm", "red 1:1\ngreen 2:1\nblue 3:2\nred 1:2 3:1\ngreen 2:1 1:1\nblue 3:1\n");
    assert_screen!(
        "many_train",
        work.screen("train three.svm --multiclass -a perceptron -f m.thw -p - --passes 3")
    );
    assert_screen!("many_eval", work.screen("eval -i m.thw three.svm"));
    assert_screen!("many_eval_json", work.screen("eval -i m.thw three.svm --json"));
    assert_screen!("many_predict", work.screen_with("predict -i m.thw", "1:1\npurple 2:1\n"));
    assert_screen!("many_inspect", work.screen("inspect m.thw --top 4"));
    assert_screen!("many_weights", work.screen("inspect m.thw --weights --json"));
    let messages: Vec<String> = [
        "train three.svm --multiclass hinge -a ssol",
        "train three.svm --multiclass --balanced -a arow",
        "train three.svm --multiclass --positive red",
        "train three.svm --multiclass ovr -i m.thw",
        "train three.svm --positive red -i m.thw",
        "train toy.svm -a cw --cost-fn 2",
    ]
    .iter()
    .map(|args| work.screen(args))
    .collect();
    assert_screen!("many_usage", messages.join("\n"));
}

#[test]
fn bad_lines_are_shown_skipped_kept_or_the_end() {
    let work = workplace();
    assert_screen!(
        "bad_lines",
        work.screen("train messy.svm -a perceptron -f m.thw --reject-file rejected.svm")
    );
    assert_screen!("bad_lines_rejected", String::from_utf8(work.read("rejected.svm")).unwrap());
    assert_screen!(
        "bad_lines_strict",
        work.screen("train messy.svm -a perceptron -f strict.thw --strict -q")
    );
    assert!(!work.path("strict.thw").exists(), "a failed run writes no model");
    assert_screen!("bad_lines_limit", work.screen("train messy.svm -a perceptron --max-bad 2 -q"));
    assert_screen!("bad_lines_percent", work.screen("train messy.svm -a perceptron --max-bad 1% -q"));
    assert_screen!("nothing_read", work.screen_with("train - -q", "a b c\nd e f\n"));
}

#[test]
fn mistakes_of_usage_are_explained() {
    let work = workplace();
    work.ok("train toy.svm -a pa1:c=0.5 --normalize l2 --cost-fn 3 -f m.thw -q");
    let messages: Vec<String> = [
        "train toy.svm -a sol",
        "train toy.svm -a ssol:etta=1",
        "train toy.svm -a ssol:eta",
        "train toy.svm -a ssol:eta=-1",
        "train toy.svm -a pa --balanced",
        "train toy.svm --cost-fn -1",
        "train toy.svm --max-bad lots",
        "train toy.svm --max-memory lots",
        "train toy.svm -a arow:covariance=full --multiclass hinge",
        "train toy.svm -i m.thw -a pa2",
        "train toy.svm -i m.thw -a pa1:c=1",
        "train toy.svm -i m.thw --normalize l1",
        "train toy.svm -i m.thw --bias",
        "train toy.svm -i m.thw --balanced",
        "train toy.svm -i m.thw --cost-fn 4",
        "train toy.svm -i m.thw --positive -1",
        "train toy.svm --reject-file toy.svm",
        "train toy.svm -p ./toy.svm",
        "predict -i m.thw toy.svm -p toy.svm",
        "train - -",
        "learners arrow",
    ]
    .iter()
    .map(|args| work.screen(args))
    .collect();
    assert_screen!("usage", messages.join("\n"));
    work.ok("train toy.svm -i m.thw -a pa1:c=5e-1 --normalize l2 --cost-fn 3 --positive +1 -q");
}

#[test]
fn failures_name_the_file_and_the_reason() {
    let work = workplace();
    work.ok("train toy.svm -a arow -f m.thw -q");
    let bytes = work.read("m.thw");
    work.write("cut.thw", &bytes[..bytes.len() - 7]);
    let mut damaged = bytes.clone();
    let at = damaged.len() - 9;
    damaged[at] ^= 1;
    work.write("damaged.thw", &damaged);
    work.write("newer.thw", String::from_utf8_lossy(&bytes).replacen("model 3", "model 4", 1));
    work.write("three.svm", "1 1:1\n2 1:2\n\n3 1:3\n");
    work.write("ones.svm", "1 1:1\n".repeat(70_000) + "2 1:1\n");
    let messages: Vec<String> = [
        "train nowhere.svm -q",
        "train . -q",
        "train toy.svm -f nowhere/m.thw -q",
        "train three.svm -q",
        "train toy.svm -q -a arow:covariance=full --max-memory 50",
        "train ones.svm -q",
        "predict -i nowhere.thw toy.svm",
        "predict -i toy.svm toy.svm",
        "predict -i cut.thw toy.svm",
        "inspect newer.thw",
        "eval -i m.thw three.svm",
    ]
    .iter()
    .map(|args| work.screen(args))
    .collect();
    assert_screen!("failures", messages.join("\n"));
    assert!(
        work.run("predict -i damaged.thw toy.svm").stderr.contains("the model is damaged (its checksum is")
    );
}

#[test]
fn learners_are_listed_and_described() {
    let work = workplace();
    assert_screen!("learners", work.screen("learners"));
    assert_screen!("learners_ssol", work.screen("learners ssol"));
    assert_screen!("learners_perceptron_json", work.screen("learners perceptron --json"));
}

#[test]
fn help_version_and_completions() {
    let work = workplace();
    assert_screen!("help", work.screen("--help"));
    assert_screen!("help_train", work.screen("train --help"));
    assert_screen!("help_train_short", work.screen("train -h"));
    assert!(work.ok("--version").stdout.starts_with("thalweg "));
    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        assert!(work.ok(&format!("completions {shell}")).stdout.contains("thalweg"), "{shell}");
    }
}
