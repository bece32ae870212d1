//! `thalweg reproduce`: the papers' tables and figures, ours beside the published numbers.

use std::io::IsTerminal;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use anyhow::Context;
use clap::Args;
use indicatif::{ProgressBar, ProgressStyle};
use serde_json::{Value, json};
use thalweg_experiments::reproduce::{self, Exhibit, Options, OutdatedRuns, Store};

use crate::progress::say;
use crate::{interrupt, output, usage};

#[derive(Args)]
#[allow(clippy::struct_excessive_bools)]
pub(crate) struct Reproduce {
    /// Tables and figures to run, such as zhao2019-table2, zhao2019 or all
    ///
    /// Without one, they are listed.
    #[arg(value_name = "NAME")]
    names: Vec<String>,

    /// The folder of the papers' data sets
    ///
    /// Files may be compressed. The list says which are missing, and where to get them. german is part of the program.
    #[arg(long, value_name = "DIR", value_hint = clap::ValueHint::DirPath)]
    data: Option<PathBuf>,

    /// At most this many repetitions of every run
    ///
    /// By default as many as in the paper. german is always repeated 20 times, because its permutations are published, and folds are always all run.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    repeat: Option<u32>,

    /// One repetition of every run
    #[arg(long, conflicts_with = "repeat")]
    quick: bool,

    /// Keep what has been run in this folder
    ///
    /// A run that was interrupted goes on where it stopped, and nothing is run twice, unless the data or what the learner does has changed.
    #[arg(long, value_name = "DIR", default_value = "thalweg-reproduce", value_hint = clap::ValueHint::DirPath)]
    work: PathBuf,

    /// Run nothing: show what is in the folder of --work
    ///
    /// Means are of the repetitions that are there, and say how many these are.
    #[arg(long)]
    stored: bool,

    /// Also write a document, with its figures in a folder beside it
    #[arg(long, value_name = "FILE", value_hint = clap::ValueHint::FilePath)]
    markdown: Option<PathBuf>,

    /// At most this many threads
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    threads: Option<u32>,

    /// No progress
    #[arg(short, long)]
    quiet: bool,

    /// Print JSON
    #[arg(long)]
    json: bool,
}

impl Reproduce {
    pub(crate) fn run(&self) -> anyhow::Result<()> {
        let all = reproduce::exhibits();
        let options = self.options()?;
        if self.names.is_empty() {
            return output::print(&if self.json {
                list_as_json(&all, &options)?
            } else {
                list(&all, &options)
            });
        }
        let chosen = chosen(&all, &self.names)?;
        reproduce::check(&chosen, &options).map_err(usage)?;
        let mut store = Store::open(&self.work, options.data.as_deref())?;
        if !self.stored {
            self.complete(&chosen, &mut store, &options)?;
        }
        output::print(&self.report(&chosen, &store, &options)?)?;
        if let Some(file) = &self.markdown {
            write_document(file, &chosen, &store, &options)?;
        }
        if interrupt::has_come() {
            say("The same command goes on where this run stopped.");
        }
        interrupt::check()
    }

    /// Runs what is not known yet, and tells what has to be run again.
    fn complete(&self, chosen: &[&Exhibit], store: &mut Store, options: &Options) -> anyhow::Result<()> {
        let OutdatedRuns { data, behaviour } = reproduce::outdated(chosen, store, options);
        if data + behaviour > 0 && !self.quiet {
            say(&format!(
                "Stored in {}, but run again: {data} results from other data, {behaviour} of learners or protocols that did something else.",
                self.work.display()
            ));
        }
        interrupt::listen()?;
        let mut screen = Screen::new(self.quiet || self.json);
        let end = interrupt::get();
        reproduce::run(chosen, store, options, &end, |progress| screen.show(progress))?;
        screen.bar.finish_and_clear();
        Ok(())
    }

    fn options(&self) -> anyhow::Result<Options> {
        if let Some(folder) = self.data.as_deref().filter(|folder| !folder.is_dir()) {
            return Err(usage(format!("--data {}: must be a folder", folder.display())));
        }
        if let Some(file) = self.markdown.as_deref().filter(|file| file.is_dir()) {
            return Err(usage(format!("--markdown {}: must be a file, not a folder", file.display())));
        }
        let repeat = if self.quick { Some(1) } else { self.repeat.map(|repeat| repeat as usize) };
        let threads = self.threads.map(|threads| threads as usize);
        Ok(Options { data: self.data.clone(), repeat, threads })
    }

    fn report(&self, chosen: &[&Exhibit], store: &Store, options: &Options) -> anyhow::Result<String> {
        if self.json {
            let all: Vec<Value> =
                chosen.iter().map(|exhibit| reproduce::json(exhibit, store, options)).collect();
            let claims = reproduce::claims(store, options);
            return output::json_line(&json!({ "exhibits": all, "claims": claims }));
        }
        let texts: Vec<String> =
            chosen.iter().map(|exhibit| reproduce::text(exhibit, store, options)).collect();
        Ok(texts.join("\n") + &reproduce::claims_as_text(&reproduce::claims(store, options)))
    }
}

/// Those of these names, in the order of the papers.
fn chosen<'a>(all: &'a [Exhibit], names: &[String]) -> anyhow::Result<Vec<&'a Exhibit>> {
    let is = |exhibit: &Exhibit, name: &str| {
        name == "all" || exhibit.name == name || exhibit.name.split('-').next() == Some(name)
    };
    if let Some(name) = names.iter().find(|name| !all.iter().any(|exhibit| is(exhibit, name))) {
        return Err(usage(format!("there is no table or figure \"{name}\"; `thalweg reproduce` lists all")));
    }
    Ok(all.iter().filter(|exhibit| names.iter().any(|name| is(exhibit, name))).collect())
}

fn list(all: &[Exhibit], options: &Options) -> String {
    let width = all.iter().map(|exhibit| exhibit.name.len()).max().unwrap_or_default();
    let mut text = String::new();
    let mut lacking: Vec<String> = Vec::new();
    let mut paper = "";
    for exhibit in all {
        if exhibit.paper() != paper {
            paper = exhibit.paper();
            text += &format!("{}{paper}\n", if text.is_empty() { "" } else { "\n" });
        }
        let sets = exhibit.sets();
        let missing: Vec<String> =
            sets.iter().filter_map(|set| set.files(options.data.as_deref()).err()).collect();
        let ready = match sets.len() - missing.len() {
            0 => "no data".to_string(),
            1 if missing.is_empty() => "1 data set".into(),
            ready if missing.is_empty() => format!("{ready} data sets"),
            ready => format!("{ready} of {} data sets", sets.len()),
        };
        text += &format!("  {:width$}  {} ({ready})\n", exhibit.name, exhibit.title);
        lacking.extend(missing);
    }
    lacking.sort();
    lacking.dedup();
    if !lacking.is_empty() {
        text += "\nMissing data\n";
        lacking.iter().for_each(|missing| text += &format!("  {missing}\n"));
    }
    text + "\nthalweg reproduce NAME --data DIR runs one; zhao2019 those of a paper, all all of them.\n"
}

fn list_as_json(all: &[Exhibit], options: &Options) -> anyhow::Result<String> {
    let described = |exhibit: &Exhibit| {
        let set = |set: &&reproduce::sets::Set| {
            let missing = set.files(options.data.as_deref()).err();
            json!({ "name": set.name, "remark": set.remark, "missing": missing })
        };
        let sets: Vec<Value> = exhibit.sets().iter().map(set).collect();
        json!({ "name": exhibit.name, "paper": exhibit.paper(), "title": exhibit.title, "protocol": exhibit.protocol, "sets": sets })
    };
    output::json_line(&all.iter().map(described).collect::<Vec<Value>>())
}

fn write_document(file: &Path, chosen: &[&Exhibit], store: &Store, options: &Options) -> anyhow::Result<()> {
    let stem =
        file.file_stem().map_or_else(|| "reproduction".into(), |stem| stem.to_string_lossy().into_owned());
    let document = reproduce::document(chosen, store, options, &stem);
    let folder = file.parent().unwrap_or(Path::new("")).join(&stem);
    if !document.figures.is_empty() {
        std::fs::create_dir_all(&folder).with_context(|| folder.display().to_string())?;
    }
    for (name, svg) in &document.figures {
        let path = folder.join(name);
        std::fs::write(&path, svg).with_context(|| path.display().to_string())?;
    }
    std::fs::write(file, document.markdown).with_context(|| file.display().to_string())
}

/// How long lines on standard error are apart where there is no terminal.
const PAUSE: Duration = Duration::from_secs(30);

/// Shows how far it is: a bar on a terminal, else a line now and then.
struct Screen {
    bar: ProgressBar,
    lines: bool,
    began: Instant,
    last: Instant,
}

impl Screen {
    fn new(quiet: bool) -> Self {
        let terminal = std::io::stderr().is_terminal();
        let bar = if quiet || !terminal { ProgressBar::hidden() } else { ProgressBar::new(0) };
        let style = ProgressStyle::with_template("{bar:30} {pos}/{len} runs, {msg}, {eta} left");
        bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
        let now = Instant::now();
        Self { bar, lines: !quiet && !terminal, began: now, last: now }
    }

    fn show(&mut self, progress: &reproduce::Progress) {
        self.bar.set_length(progress.total as u64);
        self.bar.set_position(progress.done as u64);
        self.bar.set_message(progress.set.to_string());
        if self.lines && self.last.elapsed() >= PAUSE && progress.done > 0 {
            self.last = Instant::now();
            let left =
                self.began.elapsed().mul_f64((progress.total - progress.done) as f64 / progress.done as f64);
            let left = left.as_secs().div_ceil(60);
            say(&format!(
                "{} of {} runs ({}), about {left} min left",
                progress.done, progress.total, progress.set
            ));
        }
    }
}
