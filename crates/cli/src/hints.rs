//! What was probably meant by a flag that does not exist: one of another verb, of another program, or a knob of the learner.

use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{Arg, Command};
use thalweg_core::learners::{self, Entry, LEARNERS};

/// Names of other programs (Vowpal Wabbit, scikit-learn, LIBLINEAR) and near misses, with dashes; the flag that does the same, if there is one; and a tip.
const ELSEWHERE: &[(&[&str], &str, &str)] = &[
    (&["-d", "--data", "--input", "--file"], "", "data is named without a flag: thalweg train FILE"),
    (&["-b", "--bit-precision", "--bits"], "hash-bits", "--hash-bits N numbers features by a hash of N bits"),
    (
        &["--l1", "--penalty", "--regularization"],
        "",
        "sparsity is a knob of the learner: -a sarow:kappa=0.5 or -a ssol:lambda=0.1",
    ),
    (&["--l2"], "", "it is a knob of some learners: -a ftrl:ridge=0.1"),
    (
        &["-l", "--learning-rate", "--lr", "--eta0"],
        "",
        "the step size is a knob of the learner: -a ogd:eta=0.5",
    ),
    (&["--loss-function"], "", "the loss is a knob of the learner: -a ogd:loss=logistic"),
    (
        &["--final-regressor", "--save", "--save-model", "-m"],
        "model",
        "-f FILE writes the model, -i FILE reads one",
    ),
    (&["--initial-regressor", "--load", "--model-in"], "resume", "-i FILE goes on with a model"),
    (&["-r", "--raw-predictions", "--scores"], "predictions", "-p FILE writes scores and predicted labels"),
    (
        &["--testonly", "--test-size", "--cv", "--holdout-off", "--validation-split"],
        "test",
        "-t FILE measures on other data, --holdout 10% on a part that is not learned from",
    ),
    (
        &["--oaa", "--ect", "--csoaa", "--classes", "--num-class"],
        "multiclass",
        "--multiclass learns any number of classes",
    ),
    (&["--quadratic", "--interactions"], "interact", "--interact PAIR multiplies features"),
    (&["--ngram"], "ngrams", "--ngrams 1..2 makes features of words in a row"),
    (
        &["--noconstant", "--constant", "--intercept", "--fit-intercept"],
        "bias",
        "there is no constant feature unless --bias adds one",
    ),
    (&["--cache-file", "-c", "-k"], "cache", "--cache keeps a cache beside each file"),
    (
        &["-e", "--epochs", "--epoch", "--max-iter", "--n-iter", "--iterations"],
        "passes",
        "--passes N goes through the data N times",
    ),
    (
        &["--scale-pos-weight", "--classweight"],
        "balanced",
        "--balanced follows the imbalance, --cost-fn says what a miss costs, --class-weight what an error on a class costs",
    ),
    (&["--random-state", "--random-seed"], "seed", "--seed N is the seed"),
    (&["-j", "--n-jobs", "--jobs", "--num-threads"], "threads", "--threads N reads on N threads"),
    (&["--memory", "--mem"], "max-memory", "--max-memory SIZE is the limit"),
    (&["-v", "--verbose"], "", "progress is shown unless --quiet"),
    (&["-o", "--out", "--output"], "model", "-f FILE writes the model, -p FILE the predictions"),
    (&["--label", "--y", "--label-column"], "label-col", "--label-col COLUMN is the label"),
    (
        &["--sample-weight", "--weight", "--weights-col"],
        "importance-col",
        "--importance-col COLUMN is the importance of an example",
    ),
    (&["--features-col", "--drop", "--exclude"], "ignore", "--ignore NAME leaves a column out"),
    (&["--algorithm", "--algo", "--solver", "--classifier"], "learner", "-a NAME chooses the learner"),
    (&["--output-format", "--out-format"], "to", "--to FORMAT is the format of the output"),
    (&["--input-format", "--in-format", "--type"], "format", "--format FORMAT is the format of the data"),
    (
        &["--cutoff", "--decision-threshold"],
        "threshold",
        "--threshold X takes scores above X for positive, --target finds the threshold",
    ),
    (
        &["--standardize", "--scaler", "--normalise"],
        "scale",
        "--prepare does it for any learner; --scale and --normalize choose how",
    ),
    (
        &["--link", "--proba", "--predict-proba", "--calibrate"],
        "probabilities",
        "--probabilities learns to turn scores into probabilities",
    ),
    (&["--metric", "--scoring", "--score"], "metrics", "--metrics a,b,c chooses what is reported"),
    (&["--no-progress", "--silent"], "quiet", "--quiet shows no progress"),
    (
        &["--limit", "--max-features-per-example", "-n"],
        "",
        "to take the first lines of a file: head -n 1000 FILE | thalweg train -",
    ),
];

/// The message for an error of the command line, if there is a better tip than its own.
pub(crate) fn message(error: &clap::Error, program: &Command, words: &[String]) -> Option<String> {
    if error.kind() != ErrorKind::UnknownArgument {
        return None;
    }
    let Some(ContextValue::String(given)) = error.get(ContextKind::InvalidArg) else { return None };
    let verb =
        program.get_subcommands().find(|verb| words.get(1).is_some_and(|word| word == verb.get_name()))?;
    let tip = tip(given, verb, program, words)?;
    Some(format!(
        "error: unexpected argument '{given}' found\n\n  tip: {tip}\n\nFor more information, try '--help'.\n"
    ))
}

fn tip(given: &str, verb: &Command, program: &Command, words: &[String]) -> Option<String> {
    let name = given.split('=').next()?.replace('_', "-");
    let dashed = given.contains('_') && has(verb, &name);
    if dashed {
        return Some(format!("it is spelled {name}"));
    }
    let known = ELSEWHERE.iter().find(|(names, ..)| names.contains(&name.as_str()));
    if let Some((_, flag, tip)) = known {
        return Some(format!("{tip}{}", where_it_is(flag, verb, program)));
    }
    knob(&name, verb, words).or_else(|| {
        let other = program.get_subcommands().find(|other| has(other, &name))?;
        Some(format!("{name} is a flag of `thalweg {}`", other.get_name()))
    })
}

/// The verb that has a flag which this one has not.
fn where_it_is(flag: &str, verb: &Command, program: &Command) -> String {
    let flag = format!("--{flag}");
    let other = program.get_subcommands().find(|other| has(other, &flag));
    match other.filter(|_| !has(verb, &flag)) {
        Some(other) => format!(" (in `thalweg {}`)", other.get_name()),
        None => String::new(),
    }
}

/// Does a verb have this flag, `--long` or `-s`?
fn has(verb: &Command, flag: &str) -> bool {
    let long = |arg: &Arg| arg.get_long().is_some_and(|long| flag.strip_prefix("--") == Some(long));
    let short = |arg: &Arg| arg.get_short().is_some_and(|short| flag == format!("-{short}"));
    verb.get_arguments().any(|arg| long(arg) || short(arg))
}

/// What a knob of a learner looks like on the command line.
fn knob(name: &str, verb: &Command, words: &[String]) -> Option<String> {
    let knob = &name.strip_prefix("--").filter(|_| has(verb, "--learner"))?.replace('-', "_");
    let spec =
        words.iter().position(|word| word == "-a" || word == "--learner").and_then(|at| words.get(at + 1));
    let chosen = spec.map_or(thalweg::DEFAULT_LEARNER, String::as_str).split(':').next().unwrap_or_default();
    let likely = [chosen, "ssol"].into_iter().filter_map(|name| learners::find(name).ok());
    let entry: &Entry = likely.chain(LEARNERS).find(|entry| entry.has_knob(knob))?;
    let given = words.iter().position(|word| word.replace('_', "-").split('=').next() == Some(name))?;
    let value = words[given].split_once('=').map(|(_, value)| value);
    let next = words.get(given + 1).map(String::as_str).filter(|word| !word.starts_with("--"));
    let value = value.or(next).unwrap_or("VALUE");
    Some(format!("{knob} is a knob of the learner: -a {}:{knob}={value}", entry.name))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What a command is told.
    fn told(command: &str) -> String {
        let words: Vec<String> = command.split(' ').map(str::to_string).collect();
        let error = crate::command().try_get_matches_from(&words).unwrap_err();
        message(&error, &crate::command(), &words).unwrap_or_default()
    }

    #[test]
    fn flags_of_other_verbs_and_programs_are_explained() {
        for (command, tip) in [
            (
                "thalweg eval x --predict_proba -i m",
                "--probabilities learns to turn scores into probabilities (in `thalweg train`)",
            ),
            ("thalweg train x -a ssol --lambda 0.1", "lambda is a knob of the learner: -a ssol:lambda=0.1"),
            ("thalweg train x -a arow --r=2", "r is a knob of the learner: -a arow:r=2"),
            (
                "thalweg train x -a arow:r=1 --lambda 0.1",
                "lambda is a knob of the learner: -a ssol:lambda=0.1",
            ),
            ("thalweg train x --l1 1e-6", "sparsity is a knob of the learner: -a sarow:kappa=0.5"),
            ("thalweg train x -a ogd --power_t 0.3", "power_t is a knob of the learner: -a ogd:power_t=0.3"),
            ("thalweg train -d x", "data is named without a flag"),
            ("thalweg train x -b 18", "--hash-bits N"),
            ("thalweg train x --max_iter 5", "--passes N goes through the data N times"),
            ("thalweg eval x -i m --passes 5", "--passes is a flag of `thalweg train`"),
            ("thalweg train x --label_col y", "it is spelled --label-col"),
            ("thalweg predict x -i m --n_jobs 3", "--threads N reads on N threads"),
        ] {
            assert!(told(command).contains(&format!("tip: {tip}")), "{command}: {}", told(command));
        }
        assert_eq!(told("thalweg train x --learnr ssol"), "", "a slip of the finger is left to clap");
    }

    #[test]
    fn no_flag_that_exists_is_explained_and_tips_name_flags_that_exist() {
        let program = crate::command();
        for (names, flag, tip) in ELSEWHERE {
            let exists = |flag: &str| program.get_subcommands().any(|verb| has(verb, flag));
            assert!(flag.is_empty() || exists(&format!("--{flag}")), "{flag}");
            let everywhere = |flag: &str| program.get_subcommands().all(|verb| has(verb, flag));
            assert!(!names.iter().any(|name| everywhere(name)), "{names:?}");
            for word in tip.split([' ', ';', ',']).filter(|word| word.starts_with('-') && word.len() > 1) {
                assert!(exists(word) || word == "-n", "{word} of {tip}");
            }
        }
    }
}
