//! `thalweg convert`: the same examples in another format.

use std::collections::HashSet;
use std::path::PathBuf;

use clap::Args;
use serde::Serialize;
use thalweg::Config;
use thalweg_core::Batch;
use thalweg_data::Format;
use thalweg_data::{Cache, Dictionary, Input, Labels, Reader, Settings, Writer, cache, is_stdout, open};
use thalweg_data::{ExternalShuffle, FeatureNames, MemoryLimit, Naming, OutputFile, Reading};
use thalweg_eval::{bytes, grouped};

use crate::args::{TableArgs, format_parser, size};
use crate::files::Files;
use crate::progress::{self, say_all};
use crate::reading::ReadingArgs;
use crate::report::table;
use crate::{interrupt, output, usage};

const READ_TWICE: &str = "a table must know its columns first, so the input is read twice and cannot be standard input: give a file";

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
    /// By default it follows from the file name, or else from the first lines.
    #[arg(long, value_name = "FORMAT", value_parser = format_parser())]
    format: Option<Format>,

    /// The format of OUT
    ///
    /// By default it follows from the file name.
    #[arg(long, value_name = "FORMAT", value_parser = format_parser())]
    to: Option<Format>,

    #[command(flatten)]
    table: TableArgs,

    #[command(flatten)]
    reading: ReadingArgs,

    #[command(flatten)]
    order: OrderArgs,

    /// No progress bar and no summary
    #[arg(short, long)]
    quiet: bool,

    /// Print the summary as JSON
    #[arg(long)]
    json: bool,
}

/// In which order the examples are written.
#[derive(Args)]
struct OrderArgs {
    /// Write the examples in random order
    ///
    /// What does not fit into --max-memory goes through temporary files in the folder of OUT (of standard output, in that for temporary files), which
    /// need about as much room as the data. Every order is equally likely, and follows from the seed alone.
    #[arg(long)]
    shuffle: bool,

    /// The seed of the random order
    #[arg(long, value_name = "N", default_value_t = 0, requires = "shuffle")]
    seed: u64,

    /// The most memory to use, such as 512M or 8G
    ///
    /// This limits the examples that --shuffle holds in memory, and data that has to be read as a whole. Names of features come on top of it.
    #[arg(long, default_value = "4G", value_name = "SIZE", value_parser = size)]
    max_memory: u64,
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
            return Err(usage(format!(
                "{}: the name does not tell the format; use --to",
                self.output.display()
            )));
        };
        let tabular = to.is_table();
        if tabular && input == Input::Stdin && !self.order.shuffle {
            return Err(usage(READ_TWICE));
        }
        let mut reading = self.config().reading()?;
        if tabular {
            reading.naming.get_or_insert(Naming::Names);
        }
        self.write(&input, to, reading, tabular, &files)
    }

    fn config(&self) -> Config {
        self.table.add_to(self.reading.config())
    }

    fn settings(&self, reading: Reading) -> Settings {
        Settings {
            format: self.format,
            delimiter: self.config().delimiter,
            reading,
            interrupt: interrupt::get(),
            labels: Labels::many().at_most(usize::MAX),
            unlabelled: true,
            threads: thalweg::cores(),
            memory: MemoryLimit(self.order.max_memory),
            ..Settings::default()
        }
    }

    /// Makes a cache, which is written while the data is read.
    fn keep(&self, input: &Input) -> anyhow::Result<()> {
        if self.to.is_some() {
            return Err(usage("a cache has no format: leave out --to"));
        }
        if *input == Input::Stdin || self.input.ends_with(cache::ENDING) {
            return Err(usage("a cache is made from a data file, not from standard input or another cache"));
        }
        if self.order.shuffle {
            return Err(usage("a cache has the order of its file: write another format with --shuffle"));
        }
        let cache = Cache::At(self.output.clone());
        let settings = Settings { cache, ..self.settings(self.config().reading()?) };
        let mut reader = open(std::slice::from_ref(input), settings)?;
        let read = self.read(reader.as_mut(), input, &mut |_, _| Ok(()))?;
        interrupt::check()?;
        self.tell(&read.summary(self, "cache", reader.as_ref()))
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
        if self.order.shuffle {
            return self.write_shuffled(input, to, reader.as_mut(), file);
        }
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
        let mut writer = Writer::new(file, to, reader.names(), None)?;
        let read = self.read(reader.as_mut(), input, &mut |batch, names| Ok(writer.write(batch, names)?))?;
        interrupt::check()?;
        writer.finish()?;
        self.tell(&read.summary(self, to.name(), reader.as_ref()))
    }

    /// Reads everything before it writes anything, so that all names are known then.
    fn write_shuffled(
        &self,
        input: &Input,
        to: Format,
        reader: &mut dyn Reader,
        file: OutputFile,
    ) -> anyhow::Result<()> {
        let folder = match self.output.parent() {
            _ if is_stdout(&self.output) => std::env::temp_dir(),
            Some(folder) if !folder.as_os_str().is_empty() => folder.to_path_buf(),
            _ => PathBuf::from("."),
        };
        let mut shuffle = ExternalShuffle::new(self.order.seed, MemoryLimit(self.order.max_memory), folder);
        let read = self.read(reader, input, &mut |batch, _| Ok(shuffle.push(batch)?))?;
        interrupt::check()?;
        let mut writer = Writer::new(file, to, reader.names(), None)?;
        let names = Dictionary { labels: reader.labels(), names: reader.names() };
        let bar = progress::counter(read.examples, self.quiet || self.json);
        shuffle.finish(&interrupt::get(), &mut |batch| {
            bar.inc(batch.len() as u64);
            writer.write(batch, names)
        })?;
        bar.finish_and_clear();
        interrupt::check()?;
        writer.finish()?;
        self.tell(&read.summary(self, to.name(), reader))
    }

    /// Goes through the data with a progress bar.
    fn read(
        &self,
        reader: &mut dyn Reader,
        input: &Input,
        take: &mut dyn FnMut(&Batch, Dictionary) -> anyhow::Result<()>,
    ) -> anyhow::Result<Read> {
        let mut screen = progress::bar_only(std::slice::from_ref(input), self.quiet, self.json);
        let (mut batch, mut read) = (Batch::default(), Read::default());
        loop {
            let more = reader.read(&mut batch);
            reader.take_bad_lines().iter().for_each(|bad| screen.bad_line(bad));
            reader.warnings().iter().for_each(|warning| screen.warn(warning));
            if !more? {
                return Ok(read);
            }
            read.examples += batch.len() as u64;
            read.nonzeros += batch.nonzeros() as u64;
            read.features.extend(batch.columns().indices.iter().copied());
            take(&batch, Dictionary { labels: reader.labels(), names: reader.names() })?;
            screen.consumed(reader.counts().consumed);
        }
    }

    /// Says what there was.
    fn tell(&self, summary: &Summary) -> anyhow::Result<()> {
        if self.quiet && !self.json {
            return Ok(());
        }
        let report = if self.json { output::json_line(summary)? } else { summary.text() };
        if is_stdout(&self.output) {
            say_all(&report);
            return Ok(());
        }
        output::print(&report)
    }
}

/// What was read.
#[derive(Default)]
struct Read {
    examples: u64,
    nonzeros: u64,
    features: HashSet<u32>,
}

impl Read {
    fn summary(self, convert: &Convert, format: &str, reader: &dyn Reader) -> Summary {
        let path = &convert.output;
        let size = || std::fs::metadata(path).ok().map(|found| found.len());
        Summary {
            file: path.display().to_string(),
            bytes: if is_stdout(path) { None } else { size() },
            format: format.into(),
            examples: self.examples,
            bad_lines: reader.counts().bad,
            classes: reader.labels().names().to_vec(),
            features: self.features.len() as u64,
            nonzeros: self.nonzeros,
        }
    }
}
