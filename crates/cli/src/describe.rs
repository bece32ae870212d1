//! `thalweg describe`: what data is like, and what to try with it.

use clap::Args;
use serde::Serialize;
use thalweg::{ColumnKind, Config, DescribedData, Description, Input, LongRuns, Spread, kinds_of_columns};
use thalweg_core::Real;
use thalweg_data::FeatureNames;
use thalweg_data::labels::MOST_CLASSES;
use thalweg_eval::{counted, grouped, percent};

use crate::args::DataArgs;
use crate::escape::{shell_quoted, visible};
use crate::reading::ReadingArgs;
use crate::report::{self, table};
use crate::watch::Watch;

#[derive(Args)]
pub(crate) struct Describe {
    #[command(flatten)]
    data: DataArgs,

    #[command(flatten)]
    reading: ReadingArgs,

    /// No progress bar
    #[arg(short, long)]
    quiet: bool,

    /// Print JSON
    #[arg(long)]
    json: bool,
}

#[derive(Serialize)]
struct Report {
    examples: u64,
    bad_lines: u64,
    unlabelled: u64,
    /// Examples of every label.
    labels: Vec<(String, u64)>,
    /// Share of the rarer of two labels.
    #[serde(skip_serializing_if = "Option::is_none")]
    rare: Option<f64>,
    importances: bool,
    ids: bool,
    features: u64,
    /// The highest number, of features that are known by numbers.
    #[serde(skip_serializing_if = "Option::is_none")]
    dimension: Option<u64>,
    nonzeros: u64,
    features_per_example: Spread,
    examples_per_feature: Spread,
    features_seen_once: u64,
    smallest_value: f64,
    largest_value: f64,
    /// Share of the values that are 1.
    ones: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    long_runs: Option<LongRuns>,
    advice: Vec<Advice>,
    command: String,
}

/// A flag to try, and why.
#[derive(Serialize)]
struct Advice {
    flag: String,
    why: String,
}

impl Describe {
    pub(crate) fn run(&self) -> anyhow::Result<()> {
        let inputs = self.data.inputs()?;
        let config = self.data.add_to(self.reading.config());
        let mut watch = Watch::bar(&inputs, self.quiet, self.json);
        let data = thalweg::describe(&inputs, &config, &mut watch);
        drop(watch);
        let data = data?;
        if data.description.examples() == 0 {
            let names: Vec<String> = inputs.iter().map(Input::name).collect();
            anyhow::bail!("{}: the data is empty", names.join(", "));
        }
        let report = Report::new(&data, &config);
        report::print(self.json, &report, || report.text())
    }
}

impl Report {
    fn new(data: &DescribedData, config: &Config) -> Self {
        let (seen, names) = (&data.description, &data.features.names);
        let count = |(class, name): (usize, &String)| (name.clone(), seen.of_class(class as u32));
        let labels: Vec<(String, u64)> = data.labels.names().iter().enumerate().map(count).collect();
        let labelled: u64 = labels.iter().map(|(_, count)| count).sum();
        let fewest = labels.iter().map(|(_, count)| *count).min().unwrap_or(0);
        let rare = (labels.len() == 2).then(|| fewest as f64 / labelled as f64);
        let numbers = matches!(names, FeatureNames::Numbers);
        let dimension = seen.each().map(|(feature, _)| u64::from(feature)).max().filter(|_| numbers);
        let advice = advise(seen, names, config, labels.len(), rare, data.long_runs);
        let command = command(&advice);
        let (smallest_value, largest_value) = seen.range();
        Self {
            examples: seen.examples(),
            bad_lines: data.bad_lines,
            unlabelled: seen.unlabelled(),
            labels,
            rare,
            importances: seen.has_importances(),
            ids: seen.has_ids(),
            features: seen.features(),
            dimension,
            nonzeros: seen.nonzeros(),
            features_per_example: seen.lengths(),
            examples_per_feature: seen.frequencies(),
            features_seen_once: seen.once(),
            smallest_value,
            largest_value,
            ones: seen.ones(),
            long_runs: data.long_runs,
            advice,
            command,
        }
    }

    fn text(&self) -> String {
        const SHOWN: usize = 20;
        let has = |what: bool| if what { "yes" } else { "no" };
        let share = |count: u64| percent(Some(count as f64 / self.examples.max(1) as f64));
        let mut lines = vec![
            ("examples", grouped(self.examples)),
            ("bad lines", grouped(self.bad_lines)),
            ("unlabelled", grouped(self.unlabelled)),
        ];
        for (name, count) in self.labels.iter().take(SHOWN) {
            lines.push(("label", format!("{name}: {} ({})", grouped(*count), share(*count))));
        }
        if self.labels.len() > SHOWN {
            lines.push((
                "",
                format!("and {}", counted((self.labels.len() - SHOWN) as u64, "more label", "more labels")),
            ));
        }
        let highest = self.dimension.map_or_else(String::new, |d| format!(", numbered up to {d}"));
        lines.extend([
            ("importances", has(self.importances).into()),
            ("ids", has(self.ids).into()),
            ("features", format!("{}{highest}", grouped(self.features))),
            ("non-zeros", grouped(self.nonzeros)),
            ("per example", spread(&self.features_per_example, "features")),
            ("per feature", spread(&self.examples_per_feature, "examples")),
            ("seen only once", counted(self.features_seen_once, "feature", "features")),
            (
                "values",
                // As short as they were written.
                format!(
                    "from {} to {}, {:.1} % are 1",
                    self.smallest_value as Real,
                    self.largest_value as Real,
                    100.0 * self.ones
                ),
            ),
        ]);
        let why = |advice: &Advice| format!("  {:<24} {}\n", visible(&advice.flag), advice.why);
        let advice: String = self.advice.iter().map(why).collect();
        format!("{}\ntry\n  {}\n{advice}", table(&lines), visible(&self.command))
    }
}

fn spread(spread: &Spread, of: &str) -> String {
    let Spread { min, q25, median, q75, q99, max, mean } = spread;
    let [min, q25, median, q75, q99, max] = [min, q25, median, q75, q99, max].map(|number| grouped(*number));
    format!(
        "{min} to {max} {of}, half have {q25} to {q75}, median {median}, 99 % up to {q99}, mean {mean:.2}"
    )
}

/// So few examples are gone through quickly, and gain from several passes.
const FEW_EXAMPLES: u64 = 100_000;
/// A class that is rarer than this may want costs.
const RARE: f64 = 0.2;

/// What the figures suggest.
fn advise(
    seen: &Description,
    names: &FeatureNames,
    config: &Config,
    classes: usize,
    rare: Option<f64>,
    long_runs: Option<LongRuns>,
) -> Vec<Advice> {
    let mut all = Vec::new();
    let mut say = |flag: String, why: String| all.push(Advice { flag, why });
    if classes < 2 {
        say(
            String::new(),
            "there is only one label: use --label-col if another column is the label, or --positive".into(),
        );
    }
    let kinds = kinds_of_columns(seen.each(), names, config);
    if kinds.iter().any(|(_, kind)| *kind == ColumnKind::DecimalCommas) {
        say("--decimal-comma".into(), "numbers such as 3,14 are taken for words".into());
    }
    for (column, kind) in kinds {
        let (flag, why) = match kind {
            ColumnKind::Addresses => ("--url", "nearly every example has a different web address there"),
            ColumnKind::Sentences => ("--text", "nearly every example has a different text there"),
            ColumnKind::Dates => ("--date", "there are dates, or times"),
            ColumnKind::Codes => {
                ("--ignore", "nearly every example has a different value there, as in an id column")
            }
            ColumnKind::DecimalCommas => continue,
        };
        say(format!("{flag} {}", shell_quoted(&column)), why.into());
    }
    if classes > MOST_CLASSES {
        let why = format!(
            "there are {classes} labels: is this column really the label? --label-col chooses another"
        );
        say(String::new(), why);
    } else if classes > 2 {
        say("--multiclass".into(), format!("there are {classes} labels"));
    }
    if let Some(rare) = rare.filter(|rare| *rare < RARE) {
        let why = format!(
            "only {} have the rarer label: if a miss costs more than a false alarm, add --balanced or --cost-fn",
            percent(Some(rare))
        );
        say(String::new(), why);
    }
    let few = seen.examples() <= FEW_EXAMPLES;
    if let Some(LongRuns { runs, expected, .. }) = long_runs {
        let why = format!("labels come in {runs} runs, where random order has about {expected:.0}");
        say("--shuffle".into(), why);
    } else if few {
        say("--shuffle".into(), "every pass in another order".into());
    }
    if few {
        say("--passes 5".into(), "a few passes pay where there are few examples".into());
    }
    all
}

/// The command that was given, as a command to train, with the flags.
fn command(advice: &[Advice]) -> String {
    let given = std::env::args_os().skip(2).map(|word| word.to_string_lossy().into_owned());
    let given = given.filter(|word| !["--json", "-q", "--quiet"].contains(&word.as_str()));
    let quoted = |word: String| shell_quoted(&word);
    let flags = advice.iter().filter(|advice| !advice.flag.is_empty()).map(|advice| advice.flag.clone());
    let words: Vec<String> = given.map(quoted).chain(flags).collect();
    format!("thalweg train {} -f model.thw", words.join(" "))
}
