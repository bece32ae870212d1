//! `thalweg compare`: several learners over penalties and orders of the data.

use std::path::{Path, PathBuf};

use anyhow::Context;
use clap::Args;
use thalweg::{Config, Input, cores};
use thalweg_eval::{counted, grouped};
use thalweg_experiments::compare::{
    self, CompareError, Comparison, Entrant, Outcome, entrants, measured_in, split_learners,
};
use thalweg_experiments::grid::Range;
use thalweg_experiments::{DataSet, Order, Orders};
use thalweg_page::{Experiment, Note, Part, Row, Severity, experiment_html};

use crate::args::{DataArgs, inputs};
use crate::files::Files;
use crate::measuring::MetricArgs;
use crate::options::SetupArgs;
use crate::progress;
use crate::watch::Watch;
use crate::{interrupt, output, run_page, usage};

#[derive(Args)]
pub(crate) struct Compare {
    #[command(flatten)]
    data: DataArgs,

    #[command(flatten)]
    setup: SetupArgs,

    /// One more learner to compare, NAME or NAME:KNOB=VALUE,...; may be repeated
    #[arg(short = 'a', long = "learner", value_name = "LEARNER")]
    learner: Vec<String>,

    /// The learners to compare, separated by commas
    ///
    /// NAME or NAME:KNOB=VALUE,... each, as in ssol,rda,ftrl:beta=1. `thalweg learners` lists them.
    #[arg(long, value_name = "LIST")]
    learners: Vec<String>,

    /// The penalties to try, A..B:N or a list
    ///
    /// 1e-8..1e-2:9 is nine numbers, each a constant factor from the next. It is for learners that have the knob lambda. Others, and all learners without
    /// this flag, go along their own sparsity knob (lambda, kappa, features), around its default. Short for --path lambda=RANGE.
    #[arg(long, value_name = "RANGE")]
    lambda: Option<String>,

    /// A knob to try values of, KNOB=RANGE or LEARNER.KNOB=RANGE
    ///
    /// A range is A..B:N, powers such as 2^-4..2^4, or a list. May be repeated; a learner goes along the first path whose knob it has.
    #[arg(long, value_name = "KNOB=RANGE")]
    path: Vec<String>,

    /// Points of a path that nobody gave; 1 is the default setting only
    #[arg(long, value_name = "N", default_value_t = 9, value_parser = clap::value_parser!(u16).range(1..=1000))]
    points: u16,

    /// Random orders of the data that every setting goes through
    #[arg(long, value_name = "N", default_value_t = 10, value_parser = clap::value_parser!(u32).range(1..=100_000))]
    repeat: u32,

    /// The seed of the first order; the next order has the next seed
    #[arg(long, value_name = "N", default_value_t = 0)]
    seed: u64,

    /// Go through the orders of this file instead
    ///
    /// Each line has the numbers of all examples, from 0, separated by blanks.
    #[arg(long, value_name = "FILE", value_hint = clap::ValueHint::FilePath, conflicts_with_all = ["repeat", "seed"])]
    orders: Option<PathBuf>,

    /// Measure on this data
    ///
    /// By default every example is scored before it is learned from, and figures are of all examples of the first pass.
    #[arg(short = 't', long = "test", value_name = "DATA", value_hint = clap::ValueHint::FilePath)]
    test: Vec<String>,

    /// How often to go through the data
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u64).range(1..))]
    passes: u64,

    #[command(flatten)]
    metrics: MetricArgs,

    /// Write a page with the tables and figures to this HTML file
    ///
    /// The page needs no network and no other file.
    #[arg(long, value_name = "FILE", value_hint = clap::ValueHint::FilePath)]
    report: Option<PathBuf>,

    /// Write figures to this folder, as SVG
    ///
    /// sparsity.svg and time.svg show the first metric and the time of learning against sparsity, knob.svg the metric against knobs of --path that
    /// are not about sparsity, online.svg the metric as examples come.
    #[arg(long, value_name = "DIR", value_hint = clap::ValueHint::DirPath)]
    figures: Option<PathBuf>,

    /// Write all settings of all learners to this file, as CSV
    #[arg(long, value_name = "FILE", value_hint = clap::ValueHint::FilePath)]
    csv: Option<PathBuf>,

    /// Trials that run at once [default: one per core]
    ///
    /// Seconds are processor time of one trial, so that they hardly depend on it; with 1 they are most exact.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    jobs: Option<u16>,

    /// Print no progress and no messages
    #[arg(short, long)]
    quiet: bool,

    /// Print the outcome as JSON
    #[arg(long)]
    json: bool,
}

/// The files of the figures, without their ending.
const FIGURES: [&str; 4] = ["sparsity", "time", "knob", "online"];

impl Compare {
    pub(crate) fn run(&self) -> anyhow::Result<()> {
        let (inputs, tests) = (self.data.inputs()?, self.test_data()?);
        let config = self.config();
        let metrics = compare::metrics(&config).map_err(told)?;
        let entrants = self.entrants(&config, !tests.is_empty())?;
        let files = self.files(&inputs, &tests)?;
        let page = self.report.as_deref().map(|path| files.create(path)).transpose()?;
        let csv = self.csv.as_deref().map(|path| files.create(path)).transpose()?;
        if let Some(folder) = &self.figures {
            std::fs::create_dir_all(folder).with_context(|| folder.display().to_string())?;
        }
        interrupt::listen()?;
        let data = self.read(&inputs, |watch| DataSet::read(&inputs, &config, &interrupt::get(), watch))?;
        let reading = Config { reject_file: None, ..config.clone() };
        let read_test = |watch: &mut Watch| data.read_test(&tests, &reading, &interrupt::get(), watch);
        let test = if tests.is_empty() { None } else { Some(self.read(&tests, read_test)?) };
        let orders = match &self.orders {
            Some(file) => Orders::Given(Order::read(file, data.len())?),
            None => Orders::Random { rows: data.len(), count: self.repeat as usize, seed: self.seed },
        };
        let jobs = self.jobs.map_or_else(cores, usize::from);
        let comparison = Comparison {
            data: &data,
            test: test.as_ref(),
            orders: &orders,
            entrants: &entrants,
            metrics: &metrics,
            jobs,
        };
        let bar = progress::counter(comparison.trials() as u64, "trials", self.quiet || self.json);
        let outcome = comparison.run(&interrupt::get(), |done, _| bar.set_position(done as u64));
        bar.finish_and_clear();
        let outcome = outcome.map_err(told)?;
        if outcome.done == 0 {
            return interrupt::check();
        }
        // A file that cannot be written is no reason to keep what was found from the others, and from the screen.
        let mut written = Ok(());
        if let Some(folder) = &self.figures {
            written = write_figures(&outcome, folder, &files);
        }
        if let Some(file) = csv {
            written = written.and(output::write_all(file, &compare::csv(&outcome)));
        }
        if let Some(file) = page {
            written = written.and(output::write_all(file, &experiment_html(&Self::page(&outcome))));
        }
        let shown = if self.json { output::json_line(&outcome)? } else { text(&outcome) };
        if !files.takes_stdout() {
            output::print(&shown)?;
        }
        written?;
        interrupt::check()
    }

    fn config(&self) -> Config {
        Config {
            learner: None,
            passes: Some(self.passes),
            // Nobody asked for the curves of every trial.
            curves: None,
            ..self.metrics.add_to(self.data.add_to(self.setup.config()))
        }
    }

    fn entrants(&self, config: &Config, tested: bool) -> anyhow::Result<Vec<Entrant>> {
        let lists = self.learners.iter().chain(&self.learner);
        let learners: Vec<String> = lists.flat_map(|list| split_learners(list)).collect();
        if learners.is_empty() {
            return Err(usage("no learners: name some, such as --learners ssol,ftrl,sarow"));
        }
        let lambda = self.lambda.as_ref().map(|range| format!("lambda={range}"));
        let paths = lambda.iter().chain(&self.path).map(|path| path.parse::<Range>());
        let paths = paths.collect::<Result<Vec<Range>, _>>().map_err(usage)?;
        entrants(&learners, &paths, usize::from(self.points), config, measured_in(tested)).map_err(told)
    }

    fn files(&self, inputs: &[Input], tests: &[Input]) -> anyhow::Result<Files> {
        let orders: Vec<Input> = self.orders.iter().cloned().map(Input::File).collect();
        let read = Files::default().reading("test data", tests).reading("the orders", &orders);
        let mut files = self
            .data
            .files(read, inputs)?
            .writing("the report", self.report.as_ref())?
            .writing("the CSV", self.csv.as_ref())?;
        for name in self.figures.iter().flat_map(|folder| FIGURES.map(|name| figure_file(folder, name))) {
            files = files.writing("a figure", Some(&name))?;
        }
        Ok(files)
    }

    fn test_data(&self) -> anyhow::Result<Vec<Input>> {
        let inputs = inputs(&self.test)?;
        if inputs.contains(&Input::Stdin) {
            return Err(usage("test data must be files"));
        }
        Ok(inputs)
    }

    /// Reads data with a bar, unless it is interrupted.
    fn read(
        &self,
        inputs: &[Input],
        read: impl FnOnce(&mut Watch) -> thalweg::Result<DataSet>,
    ) -> anyhow::Result<DataSet> {
        let mut watch = Watch::bar(inputs, self.quiet, self.json);
        let data = read(&mut watch);
        drop(watch);
        interrupt::check()?;
        Ok(data?)
    }

    fn page(outcome: &Outcome) -> Experiment {
        let mut parts: Vec<Part> = compare::table(outcome)
            .into_iter()
            .map(|(name, table)| Part { explanation: String::new(), name, table, ..Part::default() })
            .collect();
        if let Some(first) = parts.first_mut() {
            first.explanation = explained(outcome);
        }
        let figures: Vec<_> = compare::figures(outcome).into_iter().map(|(_, plot)| plot).collect();
        parts.insert(0, Part { name: "Figures".into(), figures, ..Part::default() });
        let table = compare::rows(outcome);
        parts.push(Part { name: "All settings".into(), table, folded: true, ..Part::default() });
        let mut notes = vec![Note {
            severity: Severity::Remark,
            text: "The best setting of each learner was chosen by the figures that are shown here; on new data it will be a little worse.".into(),
        }];
        if !outcome.is_complete() {
            notes.push(Note { severity: Severity::Warning, text: unfinished(outcome) });
        }
        let fact = |name: &str, value: String| Row { name: name.into(), value };
        let mut facts = vec![
            fact("Data", outcome.data.name.clone()),
            fact("Examples", grouped(outcome.data.examples as u64)),
            fact("Features", grouped(outcome.data.features as u64)),
            fact("Orders", grouped(outcome.orders as u64)),
            fact("Trials", grouped(outcome.done as u64)),
        ];
        if let Some(test) = &outcome.test {
            facts.push(fact(
                "Test data",
                format!("{}, {} examples", test.name, grouped(test.examples as u64)),
            ));
        }
        Experiment {
            kind: "Comparison".into(),
            title: outcome.data.name.clone(),
            command: run_page::command(),
            made_at: run_page::now(),
            version: run_page::VERSION.into(),
            notes,
            parts,
            facts,
        }
    }
}

/// The tables, with what they mean.
fn text(outcome: &Outcome) -> String {
    let mut text = compare::shown(outcome) + "\n" + &explained(outcome) + "\n";
    if outcome.learners.iter().all(|learner| learner.best.is_none()) {
        let first = outcome.metrics.first().map_or("", |metric| &metric.name);
        text = format!("{first} is not defined on these examples, such as where all have the same label.\n");
    }
    if !outcome.is_complete() {
        text += &format!("{}\n", unfinished(outcome));
    }
    text
}

fn explained(outcome: &Outcome) -> String {
    let measured = match &outcome.test {
        Some(test) => format!("Measured on {} test examples", grouped(test.examples as u64)),
        None => "Measured on each example before it was learned from".into(),
    };
    let orders = if outcome.orders == 1 {
        "one order".into()
    } else {
        format!("{} orders", grouped(outcome.orders as u64))
    };
    let test = if outcome.orders < 2 {
        String::new()
    } else {
        " p: paired t-test against the best over the same orders, corrected for the number of learners (Holm); * below 0.05.".into()
    };
    let bad = match outcome.data.bad_lines + outcome.test.as_ref().map_or(0, |test| test.bad_lines) {
        0 => String::new(),
        bad => format!(" {} skipped.", counted(bad, "bad line was", "bad lines were")),
    };
    format!("{measured}, {orders}.{bad}{test}")
}

fn unfinished(outcome: &Outcome) -> String {
    format!(
        "Interrupted: {} of {} trials were done.",
        grouped(outcome.done as u64),
        grouped(outcome.trials as u64)
    )
}

fn figure_file(folder: &Path, name: &str) -> PathBuf {
    folder.join(format!("{name}.svg"))
}

fn write_figures(outcome: &Outcome, folder: &Path, files: &Files) -> anyhow::Result<()> {
    for (name, plot) in compare::figures(outcome) {
        output::write_all(files.create(&figure_file(folder, name))?, &plot.svg())?;
    }
    Ok(())
}

/// What the library says, as an error with the right exit code.
fn told(error: CompareError) -> anyhow::Error {
    match error {
        CompareError::Library(error) => error.into(),
        error => usage(error),
    }
}
