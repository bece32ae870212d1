//! `thalweg convert`: the same examples in another format.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use clap::Args;
use serde::Serialize;
use thalweg::Config;
use thalweg_core::Batch;
use thalweg_data::Format;
use thalweg_data::{Cache, ClassCounts, Destination, Dictionary, Input, Labels, Reader, Settings, Subset};
use thalweg_data::{FeatureNames, MemoryLimit, Naming, OutputFile, RandomOrder, Reading, Written};
use thalweg_data::{cache, is_stdout, open};
use thalweg_eval::{bytes, grouped};

use crate::args::{TableArgs, format_parser, size};
use crate::files::Files;
use crate::progress::{self, say_all};
use crate::reading::ReadingArgs;
use crate::report::table;
use crate::subset::SubsetArgs;
use crate::{interrupt, output, usage};

const COUNTED_FIRST: &str = "--sample, --positives and --split count the examples first, so the input is read twice and cannot be standard input: give a file";
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
    subset: SubsetArgs,

    /// The most memory to use, such as 512M or 8G
    ///
    /// This limits the examples that --shuffle holds in memory, and data that has to be read as a whole. Names of features come on top of it.
    #[arg(long, default_value = "4G", value_name = "SIZE", value_parser = size)]
    max_memory: u64,

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
    /// The file and its size, if it is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    file: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    bytes: Option<u64>,
    /// The files, if they are several.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    files: Vec<FileSummary>,
    format: String,
    /// Examples that were read, and that were written.
    read: u64,
    examples: u64,
    bad_lines: u64,
    classes: Vec<String>,
    /// How many examples of each class were written.
    class_examples: Vec<u64>,
    features: u64,
    nonzeros: u64,
}

/// What one of several files has got.
#[derive(Serialize)]
struct FileSummary {
    file: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    bytes: Option<u64>,
    examples: u64,
    class_examples: Vec<u64>,
}

impl Summary {
    fn text(&self) -> String {
        let size = |size: Option<u64>| size.map_or_else(String::new, |size| format!(", {}", bytes(size)));
        let written = match &self.file {
            Some(file) => vec![format!("{file}{} of {}", size(self.bytes), self.format)],
            None => self
                .files
                .iter()
                .map(|part| {
                    let (file, bytes, examples) = (&part.file, size(part.bytes), grouped(part.examples));
                    format!("{file}{bytes} of {}: {examples} examples", self.format)
                })
                .collect(),
        };
        let examples = match grouped(self.examples) {
            all if self.examples == self.read => all,
            some => format!("{some} of {}", grouped(self.read)),
        };
        let mut rows: Vec<(&str, String)> = Vec::new();
        written.into_iter().for_each(|file| rows.push((if rows.is_empty() { "written" } else { "" }, file)));
        rows.extend([
            ("examples", examples),
            ("bad lines", grouped(self.bad_lines)),
            ("classes", self.classes_text()),
            ("features", grouped(self.features)),
            ("non-zeros", grouped(self.nonzeros)),
        ]);
        table(&rows)
    }

    /// The names of classes; if examples were left out or divided, also how many each has.
    fn classes_text(&self) -> String {
        if self.examples == self.read && self.files.is_empty() {
            return self.classes.join(", ");
        }
        let counts: Vec<&[u64]> = match &self.files[..] {
            [] => vec![&self.class_examples],
            files => files.iter().map(|file| &file.class_examples[..]).collect(),
        };
        let of =
            |class: usize| counts.iter().map(|counts| grouped(counts[class])).collect::<Vec<_>>().join(" + ");
        let classes = self.classes.iter().enumerate();
        classes.map(|(class, name)| format!("{name} ({})", of(class))).collect::<Vec<_>>().join(", ")
    }
}

impl Convert {
    pub(crate) fn run(&self) -> anyhow::Result<()> {
        let input: Input = self.input.as_str().into();
        let (subset, paths) = (self.subset.subset()?, self.subset.paths(&self.output)?);
        let mut files = Files::default().reading("data", std::slice::from_ref(&input));
        for path in &paths {
            files = files.writing("the output", Some(path))?;
        }
        interrupt::listen()?;
        if self.output.to_string_lossy().ends_with(cache::ENDING) {
            return self.keep(&input, &subset);
        }
        let Some(to) = self.to.or_else(|| Format::of_name(&self.output.to_string_lossy())) else {
            return Err(usage(format!(
                "{}: the name does not tell the format; use --to",
                self.output.display()
            )));
        };
        let tabular = to.is_table();
        if input == Input::Stdin {
            if !subset.is_all() {
                return Err(usage(COUNTED_FIRST));
            }
            if tabular && !self.subset.shuffle {
                return Err(usage(READ_TWICE));
            }
        }
        let mut reading = self.config().reading()?;
        if tabular {
            reading.naming.get_or_insert(Naming::Names);
        }
        let files = paths.iter().map(|path| files.create(path)).collect::<anyhow::Result<Vec<_>>>()?;
        let reader = open(std::slice::from_ref(&input), self.settings(reading))?;
        self.write(&input, reader, to, &subset, files)
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
            memory: MemoryLimit(self.max_memory),
            ..Settings::default()
        }
    }

    /// Makes a cache, which is written while the data is read.
    fn keep(&self, input: &Input, subset: &Subset) -> anyhow::Result<()> {
        if self.to.is_some() {
            return Err(usage("a cache has no format: leave out --to"));
        }
        if *input == Input::Stdin || self.input.ends_with(cache::ENDING) {
            return Err(usage("a cache is made from a data file, not from standard input or another cache"));
        }
        if self.subset.shuffle {
            return Err(usage("a cache has the order of its file: write another format with --shuffle"));
        }
        if !subset.is_all() {
            return Err(usage(
                "a cache has all examples of its file: write another format with --sample, --positives or --split, and make a cache of that",
            ));
        }
        let cache = Cache::At(self.output.clone());
        let settings = Settings { cache, ..self.settings(self.config().reading()?) };
        let mut reader = open(std::slice::from_ref(input), settings)?;
        let (mut kept, mut features) = (Written::default(), HashSet::new());
        let read = self.read(reader.as_mut(), input, &mut |batch, _| {
            kept.examples.add(batch);
            kept.nonzeros += batch.nonzeros() as u64;
            features.extend(batch.columns().indices.iter().copied());
            Ok(())
        })?;
        interrupt::check()?;
        self.tell(&self.summary("cache", read, &[kept], features.len() as u64, reader.as_ref())?)
    }

    fn write(
        &self,
        input: &Input,
        mut reader: Box<dyn Reader>,
        to: Format,
        subset: &Subset,
        files: Vec<OutputFile>,
    ) -> anyhow::Result<()> {
        // Features that have names have columns of their own there, unless they turn out to be too many.
        let needs_names =
            to.is_table() || (to.is_columnar() && matches!(reader.names(), FeatureNames::Names(_)));
        let lots = if subset.is_all() {
            if needs_names && !self.subset.shuffle {
                if *input == Input::Stdin {
                    return Err(usage(READ_TWICE));
                }
                self.read(reader.as_mut(), input, &mut |_, _| Ok(()))?;
                reader.rewind()?;
            }
            None
        } else {
            let mut counts = ClassCounts::default();
            self.read(reader.as_mut(), input, &mut |batch, _| {
                counts.add(batch);
                Ok(())
            })?;
            interrupt::check()?;
            reader.rewind()?;
            Some(subset.lots(&counts, reader.labels())?)
        };
        let order = self.subset.shuffle.then(|| self.random_order());
        let mut destination = Destination::new(files, to, reader.names(), lots, order.as_ref())?;
        let read =
            self.read(reader.as_mut(), input, &mut |batch, names| Ok(destination.take(batch, names)?))?;
        interrupt::check()?;
        let names = Dictionary { labels: reader.labels(), names: reader.names() };
        let bar = progress::counter(read, "examples", self.quiet || self.json || order.is_none());
        let features = destination.features();
        let written = destination.finish(names, &interrupt::get(), &mut |examples| bar.inc(examples))?;
        bar.finish_and_clear();
        interrupt::check()?;
        self.tell(&self.summary(to.name(), read, &written, features, reader.as_ref())?)
    }

    fn random_order(&self) -> RandomOrder {
        let folder = match self.output.parent() {
            _ if is_stdout(&self.output) => std::env::temp_dir(),
            Some(folder) if !folder.as_os_str().is_empty() => folder.to_path_buf(),
            _ => PathBuf::from("."),
        };
        RandomOrder { seed: self.subset.seed(), memory: MemoryLimit(self.max_memory), folder }
    }

    /// Goes through the data with a progress bar, and says how many examples there were.
    fn read(
        &self,
        reader: &mut dyn Reader,
        input: &Input,
        take: &mut dyn FnMut(&Batch, Dictionary) -> anyhow::Result<()>,
    ) -> anyhow::Result<u64> {
        let mut screen = progress::bar_only(std::slice::from_ref(input), self.quiet, self.json);
        let (mut batch, mut examples) = (Batch::default(), 0);
        loop {
            let more = reader.read(&mut batch);
            reader.take_bad_lines().iter().for_each(|bad| screen.bad_line(bad));
            reader.warnings().iter().for_each(|warning| screen.warn(warning));
            if !more? {
                return Ok(examples);
            }
            examples += batch.len() as u64;
            take(&batch, Dictionary { labels: reader.labels(), names: reader.names() })?;
            screen.consumed(reader.counts().consumed);
        }
    }

    fn summary(
        &self,
        format: &str,
        read: u64,
        written: &[Written],
        features: u64,
        reader: &dyn Reader,
    ) -> anyhow::Result<Summary> {
        let classes = reader.labels().names().to_vec();
        let by_class =
            |counts: &ClassCounts| (0..).map(|class| counts.of(class)).take(classes.len()).collect();
        let size =
            |path: &Path| std::fs::metadata(path).ok().filter(|_| !is_stdout(path)).map(|found| found.len());
        let paths = self.subset.paths(&self.output)?;
        let parts = paths.iter().zip(written).map(|(path, written)| FileSummary {
            file: path.display().to_string(),
            bytes: size(path),
            examples: written.examples.total(),
            class_examples: by_class(&written.examples),
        });
        let files: Vec<FileSummary> = parts.collect();
        let class_examples: Vec<u64> = (0..classes.len())
            .map(|class| files.iter().map(|file| file.class_examples[class]).sum())
            .collect();
        let only = files.len() == 1;
        Ok(Summary {
            file: only.then(|| self.output.display().to_string()),
            bytes: if only { size(&self.output) } else { None },
            format: format.into(),
            read,
            examples: files.iter().map(|file| file.examples).sum(),
            files: if only { Vec::new() } else { files },
            bad_lines: reader.counts().bad,
            classes,
            class_examples,
            features,
            nonzeros: written.iter().map(|part| part.nonzeros).sum(),
        })
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
