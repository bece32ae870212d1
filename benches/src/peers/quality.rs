//! How good the models are: test error, non-zero weights, and the mean of sensitivity and specificity. Once each, since
//! the data and the learners never change.

use std::collections::HashMap;
use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};

use crate::sets::{Set, text};
use crate::{Setting, child};

/// What a model is worth.
pub(crate) struct Quality {
    pub(crate) name: String,
    pub(crate) ours: bool,
    /// Shares of the test examples.
    pub(crate) error: f64,
    pub(crate) balanced: f64,
    pub(crate) nonzeros: u64,
}

/// Our learners, with their knobs as they come, and the flags of the run.
const BALANCED: &[(&str, &[&str])] = &[
    ("ada-rda", &[]),
    ("ada-fobos", &[]),
    ("ftrl", &[]),
    ("arow", &[]),
    ("arow", &["--normalize", "l2"]),
    ("ssol", &[]),
    ("ssol", &["--normalize", "l2"]),
    ("fsol", &[]),
    ("scw1", &[]),
    ("narow", &[]),
    ("narow", &["--normalize", "l2"]),
];
const UNBALANCED: &[(&str, &[&str])] = &[
    ("arow", &[]),
    ("arow", &["--balanced"]),
    ("ada-rda", &["--balanced"]),
    ("ada-rda", &["--cost-fn", "99"]),
    ("ada-fobos", &["--balanced"]),
    ("cs-ssol", &["--balanced"]),
];

/// Trains and tests everybody on a set.
pub(crate) fn measure(setting: &Setting, set: &Set) -> Vec<Quality> {
    let mut all = Vec::new();
    for (learner, flags) in if set.unbalanced { UNBALANCED } else { BALANCED } {
        eprintln!("{}: quality of {learner}", set.name);
        all.push(thalweg(setting, set, learner, flags));
    }
    if setting.python.is_some() {
        let variants: &[&[&str]] = if set.unbalanced {
            &[&[]]
        } else {
            &[
                &[],
                &["--ftrl", "--ftrl_alpha", "2", "--l1", "1"],
                &["--ftrl", "--ftrl_alpha", "0.1", "--l1", "0.3"],
            ]
        };
        for variant in variants {
            eprintln!("{}: quality of vw {}", set.name, variant.join(" "));
            all.push(vowpal_wabbit(setting, set, variant));
        }
    }
    if !set.unbalanced {
        all.extend(liblinear(set));
    }
    all
}

fn thalweg(setting: &Setting, set: &Set, learner: &str, flags: &[&str]) -> Quality {
    let (train, test) = (text(&set.train), text(&set.test));
    let mut arguments = vec!["train", &train, "-a", learner, "-t", &test, "--json"];
    arguments.extend(flags);
    let output = child::output(&setting.thalweg, &child::words(&arguments)).unwrap();
    let report: serde_json::Value = serde_json::from_str(output.lines().last().unwrap()).unwrap();
    Quality {
        name: format!("thalweg {learner} {}", flags.join(" ")).trim_end().to_string(),
        ours: true,
        error: report["test"]["error"].as_f64().unwrap(),
        balanced: report["test"]["balanced_accuracy"].as_f64().unwrap(),
        nonzeros: report["nonzeros"].as_u64().unwrap(),
    }
}

/// A run of Vowpal Wabbit with the logistic loss.
pub(crate) fn vw(setting: &Setting, set: &Set, data: &str, more: &[&str]) -> (PathBuf, Vec<String>) {
    let bits = set.bits.to_string();
    let mut arguments = vec!["-m", "vowpalwabbit", "-d", data, "--quiet", "--loss_function", "logistic"];
    // A model knows its own number of bits.
    if !more.contains(&"-i") {
        arguments.extend(["-b", &bits]);
    }
    arguments.extend(more);
    (setting.python.clone().unwrap(), child::words(&arguments))
}

fn vowpal_wabbit(setting: &Setting, set: &Set, variant: &[&str]) -> Quality {
    let (model, readable, scores) = (set.beside("vwm"), set.beside("readable"), set.beside("scores"));
    let run = |data: &str, more: &[&str]| {
        let (program, arguments) = vw(setting, set, data, more);
        child::run(&program, &arguments);
    };
    run(&set.beside("vw"), &[variant, &["-f", &model, "--readable_model", &readable]].concat());
    run(&set.test_for_vw(), &["-t", "-i", &model, "-p", &scores]);
    // `feature:weight` and what else it remembers of the feature.
    let weight = |line: &str| line.split_once(':')?.1.split(' ').next()?.parse::<f64>().ok();
    let nonzeros = lines(&readable)
        .skip_while(|line| !line.starts_with("Checksum"))
        .skip(1)
        .filter(|line| {
            line.starts_with(|c: char| c.is_ascii_digit()) && weight(line).is_some_and(|w| w != 0.0)
        })
        .count();
    let weighted = if set.unbalanced { " with an importance of 99 for positives" } else { "" };
    let name = format!("vw {}", variant.join(" ")).trim_end().to_string() + weighted;
    scored(name, set, lines(&scores).map(|score| score.trim().parse::<f64>().unwrap() > 0.0), nonzeros as u64)
}

fn liblinear(set: &Set) -> Option<Quality> {
    let (model, labels) = (set.beside("liblinear"), set.beside("scores"));
    let run = |program: &str, arguments: &[&str]| child::output(Path::new(program), &child::words(arguments));
    // It was trained when it was timed.
    if !Path::new(&model).exists() {
        return None;
    }
    run("liblinear-predict", &["-q", &text(&set.test), &model, &labels])?;
    let weights = lines(&model).skip_while(|line| line != "w").skip(1);
    let nonzeros = weights.filter(|weight| weight.trim().parse().is_ok_and(|w: f64| w != 0.0)).count();
    let positive = lines(&labels).map(|label| label == "1");
    Some(scored("liblinear -s 1 (batch)".into(), set, positive, nonzeros as u64))
}

fn lines(file: &str) -> impl Iterator<Item = String> {
    BufReader::new(File::open(file).unwrap()).lines().map(Result::unwrap)
}

/// Compares predictions with the labels of the test set.
fn scored(name: String, set: &Set, positive: impl Iterator<Item = bool>, nonzeros: u64) -> Quality {
    let mut counts: HashMap<(bool, bool), f64> = HashMap::new();
    for (line, predicted) in lines(&text(&set.test)).zip(positive) {
        *counts.entry((line.starts_with("1 "), predicted)).or_default() += 1.0;
    }
    let count = |truth, predicted| counts.get(&(truth, predicted)).copied().unwrap_or(0.0);
    let (missed, alarms) = (count(true, false), count(false, true));
    let (found, rejected) = (count(true, true), count(false, false));
    Quality {
        name,
        ours: false,
        error: (missed + alarms) / (missed + alarms + found + rejected),
        balanced: f64::midpoint(found / (found + missed), rejected / (rejected + alarms)),
        nonzeros,
    }
}
