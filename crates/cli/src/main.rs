//! The `thalweg` program: one file per verb.
#![allow(clippy::print_stdout, clippy::print_stderr)]

mod args;
mod compare;
mod completions;
mod convert;
mod describe;
mod escape;
mod eval;
mod explain;
mod files;
mod generate;
mod help;
mod hints;
mod inspect;
mod interrupt;
mod learners;
mod measuring;
mod merge;
mod options;
mod output;
mod predict;
mod prediction_line;
mod progress;
mod progress_log;
mod reading;
mod report;
mod reproduce;
mod retraining;
mod run_page;
mod select;
mod selection_file;
mod spelling;
mod subset;
mod sweep;
mod sweep_report;
mod train;
mod watch;
mod wrong_usage;

use std::io::ErrorKind;
use std::process::ExitCode;

use clap::{CommandFactory, FromArgMatches, Parser, Subcommand};

use interrupt::Interrupted;
use wrong_usage::Usage;
pub(crate) use wrong_usage::usage;

/// Sparse, cost-sensitive, second-order online classification of streams.
///
/// Results go to standard output, diagnostics to standard error. Exit codes: 0 success (also if the reader of a pipe goes
/// away), 1 failure (data, files, models), 2 usage error (flags, learners, knobs, options that contradict the model), 130 and
/// 143 interrupted by Ctrl-C or SIGTERM.
#[derive(Parser)]
#[command(name = "thalweg", version, max_term_width = 100, after_help = FIRST_STEPS)]
struct Cli {
    #[command(subcommand)]
    verb: Verb,
}

const FIRST_STEPS: &str = "\
First steps:
  thalweg describe mails.csv                         # what is in it, and what to try
  thalweg train mails.csv --text subject -f m.thw    # learn
  thalweg predict -i m.thw new.csv                   # use
  thalweg train --help                               # all flags, with examples";

#[derive(Subcommand)]
enum Verb {
    /// Train a model, in one pass or more.
    Train(Box<train::Train>),
    /// Score data with a model: score, tab, predicted label.
    Predict(predict::Predict),
    /// Evaluate a model on labeled data.
    Eval(eval::Eval),
    /// Show what is in a model.
    Inspect(inspect::Inspect),
    /// Show what each feature of an example adds to its score.
    Explain(explain::Explain),
    /// Summarize data and suggest a command to try.
    Describe(Box<describe::Describe>),
    /// Compare learners over penalties and random orders of the data.
    Compare(Box<compare::Compare>),
    /// Try many settings of learners in one reading of the data.
    Sweep(Box<sweep::SweepArgs>),
    /// Join what several models have learned.
    Merge(merge::Merge),
    /// Choose the features that matter, and reduce the data to them.
    Select(Box<select::Select>),
    /// Write data in another format.
    Convert(Box<convert::Convert>),
    /// Make synthetic data.
    Generate(generate::Generate),
    /// List the learners, or describe one.
    Learners(learners::Learners),
    /// Run the papers' tables and figures, ours beside the published numbers.
    Reproduce(reproduce::Reproduce),
    /// Print a completion script for a shell.
    Completions(completions::Completions),
}

/// `--multiclass` may stand alone, also before a file, which is then not its value.
fn arguments() -> impl Iterator<Item = std::ffi::OsString> {
    let mut all = std::env::args_os().peekable();
    std::iter::from_fn(move || {
        let argument = all.next()?;
        let alone = !all.peek().is_some_and(|next| next == "hinge" || next == "ovr");
        Some(if argument == "--multiclass" && alone { "--multiclass=any".into() } else { argument })
    })
}

/// The command line, with its help laid out.
fn command() -> clap::Command {
    help::laid_out(Cli::command())
}

/// Says what is wrong with the command line, or shows the help that was asked for.
fn refused(error: &clap::Error) -> ExitCode {
    let words: Vec<String> = std::env::args_os().map(|word| word.to_string_lossy().into_owned()).collect();
    let Some(message) = hints::message(error, &command(), &words) else { error.exit() };
    message.lines().for_each(progress::say);
    ExitCode::from(2)
}

fn main() -> ExitCode {
    let parsed = command().try_get_matches_from(arguments()).and_then(|found| Cli::from_arg_matches(&found));
    let verb = match parsed {
        Ok(Cli { verb }) => verb,
        Err(error) => return refused(&error),
    };
    let result = match verb {
        Verb::Train(train) => train.run(),
        Verb::Predict(predict) => predict.run(),
        Verb::Eval(eval) => eval.run(),
        Verb::Explain(explain) => explain.run(),
        Verb::Describe(describe) => describe.run(),
        Verb::Compare(compare) => compare.run(),
        Verb::Sweep(sweep) => sweep.run(),
        Verb::Merge(merge) => merge.run(),
        Verb::Select(select) => select.run(),
        Verb::Convert(convert) => convert.run(),
        Verb::Generate(generate) => generate.run(),
        Verb::Inspect(inspect) => inspect.run(),
        Verb::Learners(learners) => learners.run(),
        Verb::Reproduce(reproduce) => reproduce.run(),
        Verb::Completions(completions) => completions.run(command()),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) if is_closed_pipe(&error) => ExitCode::SUCCESS,
        Err(error) => {
            progress::say(&spelling::with_flags(&format!("thalweg: {error:#}")));
            match error.downcast_ref::<Interrupted>() {
                Some(interrupted) => ExitCode::from(interrupted.exit_code()),
                None if is_usage(&error) => ExitCode::from(2),
                None => ExitCode::FAILURE,
            }
        }
    }
}

fn is_usage(error: &anyhow::Error) -> bool {
    let by_config = error.downcast_ref::<thalweg::Error>().is_some_and(thalweg::Error::is_usage);
    by_config || error.is::<Usage>()
}

/// Whoever reads our output (`| head`) has seen enough; that is not an error.
fn is_closed_pipe(error: &anyhow::Error) -> bool {
    let cause = match error.downcast_ref::<thalweg::Error>() {
        Some(thalweg::Error::Observer(cause)) => cause.downcast_ref::<std::io::Error>(),
        _ => error.downcast_ref::<std::io::Error>(),
    };
    cause.is_some_and(|cause| cause.kind() == ErrorKind::BrokenPipe)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_command_line_is_consistent() {
        command().debug_assert();
    }
}
