//! How the help is laid out: the heading that each flag stands under, and the examples at the end.

use clap::{Arg, ArgAction, Command};

/// The headings in the order in which they are shown, each with the flags below it. `verb.flag` is a flag of one verb only.
const HEADINGS: &[(&str, &[&str])] = &[
    ("Model", &["predict.model", "eval.model", "explain.model", "base"]),
    (
        "Data",
        &[
            "format",
            "to",
            "no_header",
            "delimiter",
            "decimal_comma",
            "encoding",
            "sample",
            "positives",
            "convert.positive",
            "split",
            "stratified",
            "convert.shuffle",
            "convert.seed",
            "examples",
            "skip",
            "generate.seed",
            "reproduce.data",
        ],
    ),
    ("Columns", &["label_col", "importance_col", "id_col", "ignore", "category", "date"]),
    (
        "Features",
        &["text", "url", "ngrams", "chars", "text_values", "interact", "names", "hash_bits", "max_features"],
    ),
    ("Values", &["prepare", "raw", "binary", "scale", "normalize", "bias", "no_bias"]),
    (
        "Learning",
        &[
            "learner",
            "learners",
            "lambda",
            "path",
            "points",
            "repeat",
            "orders",
            "features",
            "from",
            "grid",
            "resume",
            "passes",
            "shards",
            "rounds",
            "progressive",
            "folds",
            "holdout",
            "race",
            "shuffle",
            "seed",
            "batch",
            "forget",
            "on_drift",
            "label_budget",
            "repeat",
            "quick",
        ],
    ),
    (
        "Classes and costs",
        &[
            "positive",
            "multiclass",
            "max_classes",
            "cost_fn",
            "cost_fp",
            "cost_col",
            "class_weight",
            "balanced",
            "balance_half_life",
        ],
    ),
    ("Decisions", &["threshold", "target", "probabilities", "confidence", "abstain_below", "review"]),
    (
        "Measuring",
        &[
            "objective",
            "metrics",
            "report_cost",
            "report_sum",
            "curve",
            "judge",
            "select.test",
            "select.holdout",
            "progress",
        ],
    ),
    (
        "Output",
        &[
            "train.model",
            "merge.model",
            "sweep.model",
            "test",
            "predictions",
            "report",
            "figures",
            "csv",
            "log_json",
            "top",
            "weights",
            "class",
            "output",
            "reduced",
            "markdown",
            "work",
            "stored",
            "quiet",
            "json",
            "help",
        ],
    ),
    ("Bad lines", &["strict", "max_bad", "reject_file"]),
    ("Speed and memory", &["jobs", "threads", "max_memory", "cache"]),
];

/// Flags that several verbs have and one of them means in a way of its own.
const MEANT_OTHERWISE: &[(&str, &str)] = &[
    (
        "select.learner",
        "The learner, NAME or NAME:KNOB=VALUE,...\n\nFor example l1svm:c=0.1. sbcw1, sbcw2, sofs and fgm choose features by \
         themselves; of other learners, the strongest weights are taken. [default: arow, with --prepare]",
    ),
    (
        "select.prepare",
        "Prepare values so that their units do not matter\n\nThe same as --scale typical --normalize count --bias. This is \
         the default if no learner is named.",
    ),
    ("select.raw", "Leave values as they are\n\nThis is the default if a learner other than sarow is named."),
];

/// The examples of each verb.
const EXAMPLES: &[(&str, &str)] = &[
    (
        "train",
        "\
# Learn from a file, test on another, and keep the model
thalweg train spam.svm.zst -t test.svm -f spam.thw

# Learn from the words of a column of a table
thalweg train mails.csv --label-col class --text subject -f mails.thw

# Choose a learner and its knobs
thalweg train spam.svm -a ssol:schedule=constant,lambda=0.3 --normalize l2

# The default learner with fewer weights
thalweg train spam.svm -a sarow:kappa=1

# Rare positives: a missed one costs 20 times a false alarm
thalweg train fraud.csv --positive fraud --cost-fn 20 -f fraud.thw

# Learn on all cores side by side, and merge what they have learned
thalweg train spam.svm --shards 8 -f spam.thw

# Go on with a model
thalweg train more.svm -i spam.thw -f spam.thw",
    ),
    (
        "merge",
        "\
# Two machines have learned, each from its own data
thalweg merge monday.thw tuesday.thw -f both.thw

# Both went on with the model of last week
thalweg merge monday.thw tuesday.thw --base week.thw -f week.thw",
    ),
    (
        "predict",
        "\
# Score a file
thalweg predict -i spam.thw new.svm -p scores.tsv

# Answer a live stream line by line
tail -f log.jsonl | thalweg predict -i log.thw --format jsonl",
    ),
    (
        "eval",
        "\
thalweg eval -i spam.thw labelled.svm
thalweg eval -i spam.thw 'days/*.svm.zst' --json",
    ),
    (
        "inspect",
        "\
# The ten strongest features
thalweg inspect spam.thw --top 10

# All weights, feature and weight separated by a tab
thalweg inspect spam.thw --weights > weights.tsv",
    ),
    (
        "explain",
        "\
# Why these messages have their scores
thalweg explain -i mails.thw new.csv --top 5

# One line of standard input
echo '{\"subject\": \"free money\"}' | thalweg explain -i mails.thw",
    ),
    (
        "describe",
        "\
thalweg describe mails.csv
thalweg describe mails.csv --label-col class --text subject",
    ),
    (
        "compare",
        "\
# Three learners, each along its own sparsity knob, over ten random orders, with figures
thalweg compare spam.svm --learners ssol,ftrl,sarow --figures figures

# The papers' way: one path of penalties, twenty orders, measured on test data
thalweg compare train.svm -t test.svm --learners fsol,ssol,rda --lambda 1e-8..1e-2:9 --repeat 20 --report compare.html

# Default settings, what a missed positive costs
thalweg compare fraud.svm --learners sarow,cs-ssol,acog1 --points 1 --report-cost 20:1 --normalize l2",
    ),
    (
        "sweep",
        "\
# The best step size and regularization of a learner
thalweg sweep spam.svm -a ssol --grid eta=2^-1..2^9 --grid r=2^-5..2^5 -f best.thw

# Several learners, five folds, by what mistakes cost
thalweg sweep fraud.csv --positive fraud --cost-fn 20 -a sarow -a arow --grid r=2^-6..2^2 --folds 5

# Drop what is clearly worse on the way
thalweg sweep clicks.svm -a ftrl --grid alpha=2^-6..2^2 --grid lambda=0.01..10:7 --race",
    ),
    (
        "select",
        "\
# The hundred features that matter most
thalweg select spam.svm --features 100

# The data with only these features, and test data with the same
thalweg select spam.svm --features 100 -o chosen.tsv --reduced small.svm.zst -q
thalweg select test.svm --from chosen.tsv --reduced small.test.svm.zst -q

# How many features are enough?
thalweg select spam.svm --features 1000 --curve -t test.svm",
    ),
    (
        "convert",
        "\
# A table as Vowpal Wabbit text
thalweg convert mails.csv mails.vw.zst

# Between standard input and standard output
zcat mails.csv.gz | thalweg convert - - --format csv --to jsonl

# In random order, also what does not fit into memory
thalweg convert sorted.svm.zst mixed.svm.zst --shuffle --seed 1

# A random fifth for tests, with as many spam in it as in the rest
thalweg convert mails.csv mails.csv --split train=80:test=20 --stratified

# One positive in a hundred examples
thalweg convert web.svm.zst rare.svm.zst --positives 1%

# A cache, which is read fastest
thalweg convert big.svm.zst big.thwcache",
    ),
    (
        "generate",
        "\
# Training data and test data
thalweg generate url-like --examples 100000 -o train.svm.zst
thalweg generate url-like --examples 10000 --skip 100000 -o test.svm.zst

# One positive in a hundred examples
thalweg generate rcv1-like --positives 1% -o rare.svm",
    ),
    (
        "learners",
        "\
thalweg learners
thalweg learners ssol",
    ),
    (
        "reproduce",
        "\
# What there is, and which data is missing
thalweg reproduce --data data

# A table; german is part of the program
thalweg reproduce zhao2019-table2 --data data

# All of it, as a document with figures
thalweg reproduce all --data data --repeat 3 --markdown reproduction.md",
    ),
    (
        "completions",
        "\
# bash, for the current user
thalweg completions bash > ~/.local/share/bash-completion/completions/thalweg",
    ),
];

/// The command line with headings and examples.
pub(crate) fn laid_out(program: Command) -> Command {
    EXAMPLES.iter().fold(program, |program, (verb, examples)| {
        let lines =
            examples.lines().map(|line| if line.is_empty() { "\n".into() } else { format!("  {line}\n") });
        let examples = format!("Examples:\n{}", lines.collect::<String>().trim_end());
        program.mut_subcommand(verb, |declared| {
            let verb = with_headings(verb, &declared);
            verb.after_help("--help says more, with examples.").after_long_help(examples)
        })
    })
}

/// The same verb with its flags below headings. These are shown in the order of the first flag of each, so the flags are put in order.
fn with_headings(name: &'static str, verb: &Command) -> Command {
    let help = Arg::new("help").short('h').long("help").action(ArgAction::Help);
    let help = help.help("Print help; -h is shorter").display_order(1000);
    let mut flags: Vec<Arg> = verb.get_arguments().cloned().chain([help]).collect();
    flags.sort_by_key(|flag| place(name, flag));
    let headed = flags.into_iter().map(|flag| {
        let heading = place(name, &flag).map_or("Other", |at| HEADINGS[at].0);
        let own = format!("{name}.{}", flag.get_id());
        let meant = MEANT_OTHERWISE.iter().find(|(flag, _)| *flag == own);
        let flag = meant.map_or(flag.clone(), |(_, help)| flag.long_help(*help));
        if flag.is_positional() { flag } else { flag.help_heading(heading) }
    });
    let about = verb.get_about().cloned().unwrap_or_default();
    Command::new(name).about(about).disable_help_flag(true).args(headed)
}

/// Which of the headings a flag stands under.
fn place(verb: &str, flag: &Arg) -> Option<usize> {
    let id = flag.get_id().as_str();
    let own = format!("{verb}.{id}");
    let under = |name: &str| HEADINGS.iter().position(|(_, flags)| flags.contains(&name));
    under(&own).or_else(|| under(id))
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;
    use crate::Cli;

    #[test]
    fn every_flag_has_a_heading_and_every_verb_examples() {
        let program = laid_out(Cli::command());
        for verb in program.get_subcommands() {
            let name = verb.get_name();
            for flag in verb.get_arguments().filter(|flag| !flag.is_positional()) {
                let heading = flag.get_help_heading();
                assert_ne!(heading, Some("Other"), "{name} --{}: add it to HEADINGS", flag.get_id());
            }
            assert!(EXAMPLES.iter().any(|(verb, text)| *verb == name && text.contains(name)), "{name}");
        }
    }

    #[test]
    fn every_name_below_a_heading_is_a_flag() {
        let program = laid_out(Cli::command());
        let exists = |name: &str| {
            let (of, id) = name.split_once('.').unwrap_or(("", name));
            let verbs = program.get_subcommands().filter(|verb| of.is_empty() || verb.get_name() == of);
            verbs.flat_map(Command::get_arguments).any(|flag| flag.get_id() == id)
        };
        for (heading, flags) in HEADINGS {
            flags.iter().for_each(|flag| assert!(exists(flag), "{heading}: {flag}"));
        }
    }

    /// Examples are commands that the program takes.
    #[test]
    fn examples_can_be_parsed() {
        let lines = EXAMPLES.iter().flat_map(|(_, text)| text.lines());
        for line in lines.filter(|line| !line.trim_start().starts_with('#')) {
            let Some(at) = line.find("thalweg ") else { continue };
            let command = line[at..].split(" > ").next().unwrap_or_default();
            let words = command.split(' ').map(|word| word.trim_matches('\''));
            let parsed = laid_out(Cli::command()).try_get_matches_from(words);
            assert!(parsed.is_ok(), "{line}: {parsed:?}");
        }
    }
}
