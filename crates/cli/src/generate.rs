//! `thalweg generate`: made-up data with the shape of real data.

use std::ops::Range;
use std::path::PathBuf;
use std::thread;

use clap::{Args, ValueEnum};
use serde::Serialize;
use thalweg_core::Batch;
use thalweg_data::FeatureNames;
use thalweg_data::Format;
use thalweg_data::ordered_map::{OrderedMap, Source, ThreadDied, Work};
use thalweg_data::{Dictionary, Labels, Writer, is_stdout};
use thalweg_eval::{bytes, grouped, percent as share};
use thalweg_generate::{Generator, Shape};

use crate::files::Files;
use crate::output;
use crate::progress::{self, say_all};
use crate::report::table;
use thalweg::cores;

#[derive(Args)]
pub(crate) struct Generate {
    /// The kind of data
    #[arg(value_enum)]
    shape: Kind,

    /// How many examples to make
    #[arg(long, default_value_t = 100_000, value_name = "N")]
    examples: u64,

    /// Skip this many examples
    ///
    /// With the number of training examples, this makes a test set that training has not seen.
    #[arg(long, default_value_t = 0, value_name = "N")]
    skip: u64,

    /// The same seed gives the same data
    #[arg(long, value_name = "N", default_value_t = 0)]
    seed: u64,

    /// Drop positives until they are this share of the examples, such as 1%
    #[arg(long, value_name = "PERCENT", value_parser = percent)]
    positives: Option<f64>,

    /// Write the data to this file, as LIBSVM text
    ///
    /// .gz, .zst, .bz2 and .xz are compressed. - is standard output.
    #[arg(short, long, value_name = "FILE", value_hint = clap::ValueHint::FilePath)]
    output: PathBuf,

    /// No progress bar and no summary
    #[arg(short, long)]
    quiet: bool,

    /// Print the summary as JSON
    #[arg(long)]
    json: bool,
}

/// What was made.
#[derive(Serialize)]
struct Summary {
    file: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    bytes: Option<u64>,
    examples: u64,
    positives: u64,
}

impl Summary {
    fn text(&self) -> String {
        let size = self.bytes.map_or_else(String::new, |size| format!(", {}", bytes(size)));
        let share = share(Some(self.positives as f64 / self.examples.max(1) as f64));
        table(&[
            ("written", format!("{}{size}", self.file)),
            ("examples", grouped(self.examples)),
            ("positives", format!("{} ({share})", grouped(self.positives))),
        ])
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Kind {
    /// News texts: 47,236 features, about 75 real values, 5 % of the labels wrong
    Rcv1Like,
    /// Web addresses: 3,231,961 features, about 118 mostly binary values, 2 % of the labels wrong
    UrlLike,
    /// Web pages: 16,609,143 features, about 3,700 real values of an example of length 1, 60 % positive, 0.3 % of the labels wrong
    WebspamLike,
    /// The synthetic set of Wang et al. 2015, section 5.2: 1,000 features, 100 of which matter
    #[value(alias = "paper000")]
    SparseGaussian,
}

/// A share greater than 0 and below 1.
fn percent(text: &str) -> Result<f64, String> {
    let share = text.strip_suffix('%').and_then(|number| number.trim().parse::<f64>().ok());
    let share = share.filter(|share| *share > 0.0 && *share < 100.0);
    share
        .map(|share| share / 100.0)
        .ok_or_else(|| "must be a percentage between 0% and 100%, such as 1%".into())
}

/// Examples that are made and written together.
const BATCH: u64 = 1 << 10;

/// The numbers of the examples, by the batch.
struct Numbers {
    rest: Range<u64>,
}

impl Source for Numbers {
    type Item = Range<u64>;
    type Error = ThreadDied;

    fn next(&mut self, numbers: &mut Range<u64>) -> Result<bool, ThreadDied> {
        let end = self.rest.end.min(self.rest.start.saturating_add(BATCH));
        *numbers = self.rest.start..end;
        self.rest.start = end;
        Ok(!numbers.is_empty())
    }
}

/// Makes examples. Each follows from its number, so that it does not matter which thread makes it.
struct Examples(Generator);

impl Work<Range<u64>> for Examples {
    type Buffers = Option<Generator>;
    type Output = Batch;

    fn run(&self, numbers: &mut Range<u64>, generator: &mut Option<Generator>, batch: &mut Batch) {
        let generator = generator.get_or_insert_with(|| self.0.clone());
        batch.clear();
        generator.go_to(numbers.start);
        numbers.for_each(|_| generator.push(batch));
    }
}

impl Generate {
    pub(crate) fn run(&self) -> anyhow::Result<()> {
        let shape = match self.shape {
            Kind::Rcv1Like => Shape::Rcv1Like,
            Kind::UrlLike => Shape::UrlLike,
            Kind::WebspamLike => Shape::WebspamLike,
            Kind::SparseGaussian => Shape::SparseGaussian,
        };
        let generator = Generator::new(shape, self.seed, self.skip, self.positives);
        let names = FeatureNames::Numbers;
        let file = Files::default().create(&self.output)?;
        let mut writer = Writer::new(file, Format::default(), &names, None)?;
        let labels = Labels::of_two(&["-1".into(), "1".into()], false);
        let bar = progress::counter(self.examples, "examples", self.quiet || self.json);
        let (mut examples, mut positives) = (0, 0);
        self.make(generator, |batch| {
            bar.inc(batch.len() as u64);
            examples += batch.len() as u64;
            positives += batch.labels().iter().filter(|label| **label == Some(1)).count() as u64;
            Ok(writer.write(batch, Dictionary { labels: &labels, names: &names })?)
        })?;
        bar.finish_and_clear();
        writer.finish()?;
        if self.quiet && !self.json {
            return Ok(());
        }
        let stdout = is_stdout(&self.output);
        let size = || std::fs::metadata(&self.output).ok().map(|found| found.len());
        let file = self.output.display().to_string();
        let summary = Summary { file, bytes: if stdout { None } else { size() }, examples, positives };
        let report = if self.json { output::json_line(&summary)? } else { summary.text() };
        if stdout {
            say_all(&report);
            return Ok(());
        }
        output::print(&report)
    }

    /// Makes the examples on all cores.
    fn make(
        &self,
        generator: Generator,
        mut take: impl FnMut(&Batch) -> anyhow::Result<()>,
    ) -> anyhow::Result<()> {
        let numbers = Numbers { rest: self.skip..self.skip.saturating_add(self.examples) };
        let examples = Examples(generator);
        thread::scope(|scope| {
            let mut batches = OrderedMap::in_scope(scope, numbers, &examples, cores());
            let mut batch = Batch::default();
            while batches.next(&mut batch)? {
                take(&batch)?;
            }
            Ok(())
        })
    }
}
