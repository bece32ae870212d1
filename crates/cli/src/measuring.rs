//! The flags of what is measured and reported, whatever the learner was told.

use std::path::PathBuf;

use clap::Args;
use thalweg::Config;
use thalweg_eval::METRICS;

/// What is measured, and where it is written besides.
#[derive(Args)]
pub(crate) struct MeasuringArgs {
    #[command(flatten)]
    metrics: MetricArgs,

    /// Write a page with curves and a threshold slider to this HTML file
    ///
    /// The page needs no network and no other file.
    #[arg(long, value_name = "FILE", value_hint = clap::ValueHint::FilePath)]
    pub(crate) report: Option<PathBuf>,
}

/// What is measured.
#[derive(Args)]
pub(crate) struct MetricArgs {
    /// Metrics to report, separated by commas
    #[arg(long, value_name = "LIST", value_delimiter = ',', long_help = metrics_help())]
    metrics: Vec<String>,

    /// Report what mistakes cost: a miss, and a false alarm
    ///
    /// For example 50:1. It changes what is reported, not what is learned: see --cost-fn and --cost-fp for that. By default the costs of the model
    /// are reported.
    #[arg(long, value_name = "FN:FP", value_parser = two_costs)]
    report_cost: Option<(f64, f64)>,

    /// Report WEIGHT x sensitivity + (1 - WEIGHT) x specificity
    #[arg(long, value_name = "WEIGHT", value_parser = weight)]
    report_sum: Option<f64>,
}

impl MeasuringArgs {
    /// A configuration with what these flags say.
    pub(crate) fn add_to(&self, config: Config) -> Config {
        Config { curves: self.report.is_some().then_some(true), ..self.metrics.add_to(config) }
    }
}

impl MetricArgs {
    /// A configuration with what these flags say.
    pub(crate) fn add_to(&self, config: Config) -> Config {
        Config {
            metrics: self.metrics.clone(),
            report_cost: self.report_cost,
            report_sum: self.report_sum,
            ..config
        }
    }
}

fn metrics_help() -> String {
    let names: Vec<&str> = METRICS.iter().map(|metric| metric.name).collect();
    format!(
        "Metrics to report, separated by commas\n\nWhile training they are the columns of the progress table, each with its value so far and \
         since the last line. Known are {}; <beta> and <k> stand for a number, as in f2 and top_3.",
        names.join(", ")
    )
}

/// What a miss and a false alarm cost.
fn two_costs(text: &str) -> Result<(f64, f64), String> {
    let cost = |text: &str| text.trim().parse().ok().filter(|cost: &f64| *cost > 0.0 && cost.is_finite());
    let both = text.split_once(':').and_then(|(missed, alarm)| Some((cost(missed)?, cost(alarm)?)));
    both.ok_or_else(|| "must be two numbers greater than 0, such as 50:1".into())
}

fn weight(text: &str) -> Result<f64, String> {
    let weight = text.parse().ok().filter(|weight| (0.0..=1.0).contains(weight));
    weight.ok_or_else(|| "must be a number from 0 to 1".into())
}
