//! `thalweg convert`: the same examples in another format.

use std::collections::HashSet;
use std::path::PathBuf;

use clap::Args;
use serde::Serialize;
use thalweg_core::Batch;
use thalweg_data::Format;
use thalweg_data::{Cache, Dictionary, Input, Labels, Reader, Settings, Writer, cache, is_stdout, open};
use thalweg_data::{FeatureNames, Naming, Reading};
use thalweg_eval::{bytes, grouped};

use crate::args::format_parser;
use crate::files::Files;
use crate::progress::{self, say_all};
use crate::reading::ReadingArgs;
use crate::report::table;
use crate::{interrupt, output, usage};

const READ_TWICE: &str = "a table needs to know its columns first, so the data is read twice: name a file";

#[derive(Args)]
pub(crate) struct Convert {
    /// The file to read; - is standard input
    #[arg(value_name = "IN", value_hint = clap::ValueHint::FilePath)]
    input: String,

    /// The file to write; - is standard output
    ///
    /// .gz, .zst, .bz2 and .xz are compressed. .thwcache is a cache, which is read fastest.
    #[arg(value_name = "OUT", value_hint = clap::ValueHint::FilePath)]
    output: PathBuf,

    /// The format of IN
    ///
    /// By default the end of its name tells it, or else its first lines do.
    #[arg(long, value_name = "FORMAT", value_parser = format_parser())]
    format: Option<Format>,

    /// The format of OUT
    ///
    /// By default the end of its name tells it.
    #[arg(long, value_name = "FORMAT", value_parser = format_parser())]
    to: Option<Format>,

    /// IN has no header; its columns are called 1, 2, 3
    #[arg(long)]
    no_header: bool,

    #[command(flatten)]
    reading: ReadingArgs,

    /// No progress bar and no summary
    #[arg(short, long)]
    quiet: bool,

    /// Print the summary as JSON
    #[arg(long)]
    json: bool,
}

/// What was written.
#[derive(Serialize)]
struct Summary {
    file: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    bytes: Option<u64>,
    format: String,
    examples: u64,
    bad_lines: u64,
    classes: Vec<String>,
    features: u64,
    nonzeros: u64,
}

impl Summary {
    fn text(&self) -> String {
        let size = self.bytes.map_or_else(String::new, |size| format!(", {}", bytes(size)));
        table(&[
            ("written", format!("{}{size} of {}", self.file, self.format)),
            ("examples", grouped(self.examples)),
            ("bad lines", grouped(self.bad_lines)),
            ("classes", self.classes.join(", ")),
            ("features", grouped(self.features)),
            ("non-zeros", grouped(self.nonzeros)),
        ])
    }
}

impl Convert {
    pub(crate) fn run(&self) -> anyhow::Result<()> {
        let input: Input = self.input.as_str().into();
        let files = Files::default().reading("data", std::slice::from_ref(&input));
        let files = files.writing("the output", Some(&self.output))?;
        interrupt::listen()?;
        if self.output.to_string_lossy().ends_with(cache::ENDING) {
            return self.keep(&input);
        }
        let Some(to) = self.to.or_else(|| Format::of_name(&self.output.to_string_lossy())) else {
            return Err(usage(format!("{}: say the format with --to", self.output.display())));
        };
        let tabular = to.is_table();
        if tabular && input == Input::Stdin {
            return Err(usage(READ_TWICE));
        }
        let mut reading = self.reading.config().reading()?;
        if tabular {
            reading.naming.get_or_insert(Naming::Names);
        }
        self.write(&input, to, reading, tabular, &files)
    }

    fn settings(&self, reading: Reading) -> Settings {
        Settings {
            format: self.format,
            reading: Reading { headless: self.no_header, ..reading },
            interrupt: interrupt::get(),
            labels: Labels::many().at_most(usize::MAX),
            unlabelled: true,
            threads: thalweg::cores(),
            ..Settings::default()
        }
    }

    /// Makes a cache, which is written while the data is read.
    fn keep(&self, input: &Input) -> anyhow::Result<()> {
        if self.to.is_some() {
            return Err(usage("a cache has no format of its own: leave --to out"));
        }
        if *input == Input::Stdin || self.input.ends_with(cache::ENDING) {
            return Err(usage("a cache is made of a file that is none"));
        }
        let cache = Cache::At(self.output.clone());
        let settings = Settings { cache, ..self.settings(self.reading.config().reading()?) };
        let mut reader = open(std::slice::from_ref(input), settings)?;
        self.pass(reader.as_mut(), input, "cache", None)
    }

    fn write(
        &self,
        input: &Input,
        to: Format,
        reading: Reading,
        tabular: bool,
        files: &Files,
    ) -> anyhow::Result<()> {
        let file = files.create(&self.output)?;
        let mut reader = open(std::slice::from_ref(input), self.settings(reading))?;
        let mut batch = Batch::default();
        // Features that have names have columns of their own there, unless they turn out to be too many.
        let tabular = tabular || (to.is_columnar() && matches!(reader.names(), FeatureNames::Names(_)));
        if tabular {
            if *input == Input::Stdin {
                return Err(usage(READ_TWICE));
            }
            while reader.read(&mut batch)? {}
            reader.rewind()?;
        }
        let writer = Writer::new(file, to, reader.names(), None)?;
        self.pass(reader.as_mut(), input, to.name(), Some(writer))
    }

    /// Goes through the data with a progress bar, writes it unless reading has written it already, and says what there was.
    fn pass(
        &self,
        reader: &mut dyn Reader,
        input: &Input,
        to: &str,
        mut writer: Option<Writer>,
    ) -> anyhow::Result<()> {
        let mut screen = progress::bar_only(std::slice::from_ref(input), self.quiet, self.json);
        let mut batch = Batch::default();
        let (mut examples, mut nonzeros, mut features) = (0u64, 0u64, HashSet::new());
        loop {
            let more = reader.read(&mut batch);
            reader.take_bad_lines().iter().for_each(|bad| screen.bad_line(bad));
            reader.warnings().iter().for_each(|warning| screen.warn(warning));
            if !more? {
                break;
            }
            examples += batch.len() as u64;
            nonzeros += batch.nonzeros() as u64;
            features.extend(batch.columns().indices.iter().copied());
            if let Some(writer) = &mut writer {
                writer.write(&batch, Dictionary { labels: reader.labels(), names: reader.names() })?;
            }
            screen.consumed(reader.counts().consumed);
        }
        interrupt::check()?;
        writer.map_or(Ok(()), Writer::finish)?;
        drop(screen);
        if self.quiet && !self.json {
            return Ok(());
        }
        let stdout = is_stdout(&self.output);
        let size = || std::fs::metadata(&self.output).ok().map(|found| found.len());
        let summary = Summary {
            file: self.output.display().to_string(),
            bytes: if stdout { None } else { size() },
            format: to.into(),
            examples,
            bad_lines: reader.counts().bad,
            classes: reader.labels().names().to_vec(),
            features: features.len() as u64,
            nonzeros,
        };
        let report = if self.json { output::json_line(&summary)? } else { summary.text() };
        if stdout {
            say_all(&report);
            return Ok(());
        }
        output::print(&report)
    }
}
