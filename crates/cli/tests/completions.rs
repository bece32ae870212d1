//! What bash makes of the completion script.
#![cfg(unix)]
#![allow(missing_docs, clippy::unwrap_used)]

mod common;

use std::process::Command;

use common::Workplace;

/// The words that bash offers behind this line, cut as bash cuts it.
fn offered(work: &Workplace, words: &[&str]) -> Vec<String> {
    let quoted: Vec<String> = words.iter().map(|word| format!("'{word}'")).collect();
    let (last, before) = (words[words.len() - 1], words[words.len() - 2]);
    // Without a terminal, bash has no options of a running completion to change.
    let script = format!(
        "compopt() {{ :; }}; source thalweg.bash; COMP_WORDS=({}); COMP_CWORD={}; \
         function=$(complete -p thalweg | sed 's/.*-F \\([^ ]*\\).*/\\1/'); \
         $function thalweg '{last}' '{before}'; printf '%s\\n' \"${{COMPREPLY[@]}}\"",
        quoted.join(" "),
        words.len() - 1,
    );
    let output = Command::new("bash").arg("-c").arg(script).current_dir(work.path("")).output().unwrap();
    let errors = String::from_utf8(output.stderr).unwrap();
    assert!(errors.is_empty(), "{errors}");
    String::from_utf8(output.stdout).unwrap().split_whitespace().map(str::to_string).collect()
}

#[test]
fn bash_completes_verbs_flags_learners_knobs_and_formats() {
    let work = Workplace::new();
    work.write("thalweg.bash", work.ok("completions bash").stdout);
    let offered = |words: &[&str]| offered(&work, words);
    assert_eq!(offered(&["thalweg", "tr"]), ["train"]);
    assert_eq!(offered(&["thalweg", "train", "--label"]), ["--label-col", "--label-budget"]);
    assert_eq!(offered(&["thalweg", "train", "--on-drift", "b"]), ["boost"]);
    assert_eq!(offered(&["thalweg", "eval", "--cur"]), ["--curve"]);
    assert_eq!(offered(&["thalweg", "train", "x.svm", "-a", "aro"]), ["aromma", "arow"]);
    assert_eq!(offered(&["thalweg", "select", "--learner", "sbcw"]), ["sbcw1", "sbcw2"]);
    assert_eq!(offered(&["thalweg", "train", "--format", "js"]), ["jsonl"]);
    assert_eq!(offered(&["thalweg", "eval", "--format", "par"]), ["parquet"]);
    assert_eq!(offered(&["thalweg", "train", "--multiclass", "o"]), ["ovr"]);
    assert_eq!(offered(&["thalweg", "learners", "fso"]), ["fsol"]);
    assert!(offered(&["thalweg", "train", "-a", "ssol", ":"]).contains(&"lambda=".to_string()));
    assert_eq!(offered(&["thalweg", "train", "-a", "ssol", ":", "lam"]), ["lambda="]);
    assert_eq!(
        offered(&["thalweg", "train", "-a", "ssol", ":", "eta", "=", "1,lam"]),
        ["1,lambda="],
        "only the last piece of the word is replaced"
    );
    assert!(offered(&["thalweg", "train", "-a", "nobody", ":", "x"]).is_empty());
}
