//! The flags of what is learned: what a model remembers, and what one that goes on may repeat.

use clap::{Args, ValueEnum};
use thalweg::{Config, Target};

use crate::args::{Normalize, ScaleBy};
use crate::reading::ReadingArgs;

/// What is learned and how examples are prepared.
#[derive(Args)]
pub(crate) struct ModelArgs {
    /// The learner, NAME or NAME:KNOB=VALUE,...
    ///
    /// For example ssol:eta=1,lambda=1e-4. `thalweg learners` lists them, `thalweg learners NAME` describes one. [default: sarow]
    #[arg(short = 'a', long = "learner", value_name = "LEARNER")]
    pub(crate) learner: Option<String>,

    #[command(flatten)]
    setup: SetupArgs,
}

/// What any learner is told, and how examples are prepared.
#[derive(Args)]
// Flags are either there or not.
#[allow(clippy::struct_excessive_bools)]
pub(crate) struct SetupArgs {
    /// Examples per batch, for learners that need batches
    ///
    /// By default such a learner takes all of the data as one batch.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    batch: Option<u64>,

    #[command(flatten)]
    reading: ReadingArgs,

    /// Make every value 1
    #[arg(long)]
    binary: bool,

    /// Prepare values so that their units do not matter
    ///
    /// The same as --scale typical --normalize count --bias. This is the default for sarow.
    #[arg(long)]
    prepare: bool,

    /// Leave values as they are
    ///
    /// This is the default for all learners but sarow.
    #[arg(long, conflicts_with = "prepare")]
    raw: bool,

    /// Divide values by what is known of their feature
    ///
    /// What is known follows from the examples so far. Scaling comes before --normalize.
    #[arg(long, value_enum, value_name = "HOW")]
    scale: Option<ScaleBy>,

    /// Divide every example by its length
    #[arg(long, value_enum, value_name = "NORM")]
    normalize: Option<Normalize>,

    /// Add a bias: a constant feature of value 1
    #[arg(long)]
    bias: bool,

    /// Add no bias
    #[arg(long, conflicts_with = "bias")]
    no_bias: bool,

    /// The positive label; all others are negative
    ///
    /// By default the greater of two labels is positive: numbers by size, words by the alphabet.
    #[arg(long, value_name = "LABEL", allow_hyphen_values = true)]
    positive: Option<String>,

    /// Learn any number of classes
    ///
    /// Without a value: hinge if the learner supports it, else ovr.
    #[arg(long, value_enum, value_name = "HOW", num_args = 0..=1, default_missing_value = "any", conflicts_with = "positive")]
    multiclass: Option<Multiclass>,

    /// Allow at most this many classes
    ///
    /// Used with --multiclass. [default: 4096, or as many as the model has]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(2..))]
    max_classes: Option<u32>,

    /// Cost of a missed positive (false negative) [default: 1]
    #[arg(long, value_name = "COST", value_parser = cost, allow_negative_numbers = true)]
    cost_fn: Option<f64>,

    /// Cost of a false alarm (false positive) [default: 1]
    #[arg(long, value_name = "COST", value_parser = cost, allow_negative_numbers = true)]
    cost_fp: Option<f64>,

    /// The column or key of what an error on the example costs
    ///
    /// An amount of money, say. It multiplies the cost of the class, weighs the example in learning, and counts in the reported cost only.
    #[arg(long, value_name = "COLUMN")]
    cost_col: Option<String>,

    /// What an error on a label costs, LABEL=WEIGHT
    ///
    /// May be repeated, for any number of classes. Labels that are not named have a weight of 1. With two classes --positive must be given.
    #[arg(long, value_name = "LABEL=WEIGHT", allow_hyphen_values = true)]
    class_weight: Vec<String>,

    /// Scale the cost of a miss by the class imbalance
    ///
    /// The cost of a missed positive is multiplied by (negatives+10)/(positives+10) of the stream so far.
    #[arg(long)]
    balanced: bool,

    /// Let --balanced follow a ratio that changes
    ///
    /// After so many examples, an example counts half in the class imbalance. By default all examples count alike.
    #[arg(long, value_name = "N", value_parser = half_life, requires = "balanced", allow_negative_numbers = true)]
    balance_half_life: Option<f64>,

    /// Forget: after N examples what was learned counts half
    ///
    /// For streams that change. Learners with variances can forget; others say why they cannot.
    #[arg(long, value_name = "N", value_parser = half_life, allow_negative_numbers = true)]
    forget: Option<f64>,
}

/// What is made of scores.
#[derive(Args)]
pub(crate) struct DecisionArgs {
    /// Scores above this are positive [default: 0]
    #[arg(long, value_name = "SCORE", allow_negative_numbers = true)]
    threshold: Option<f64>,

    /// Move the threshold so that this holds on the stream
    ///
    /// 'recall>=0.9', 'precision>=0.8', 'alerts<=200/100000', f1 (or f2, f0.5), or cost. The threshold follows the scores of the stream, is saved with the
    /// model, and is used by predict, eval and explain.
    #[arg(long, value_name = "TARGET", conflicts_with = "threshold")]
    target: Option<Target>,

    /// Learn to turn scores into probabilities
    ///
    /// Predictions then have a probability, which is that of the stream as it is, whatever the costs.
    #[arg(long)]
    probabilities: bool,
}

impl DecisionArgs {
    /// A configuration with what these flags say.
    pub(crate) fn add_to(&self, config: Config) -> Config {
        Config {
            threshold: self.threshold,
            target: self.target,
            probabilities: self.probabilities.then_some(true),
            ..config
        }
    }
}

/// How many classes are told apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Multiclass {
    /// The true class must beat its strongest rival by 1
    Hinge,
    /// Each class against all others
    Ovr,
    #[value(hide = true)]
    Any,
}

impl From<Multiclass> for thalweg::Multiclass {
    fn from(how: Multiclass) -> Self {
        match how {
            Multiclass::Hinge => Self::Hinge,
            Multiclass::Ovr => Self::Ovr,
            Multiclass::Any => Self::Any,
        }
    }
}

fn half_life(text: &str) -> Result<f64, String> {
    let half_life = text.replace(['_', ','], "").parse().ok();
    half_life
        .filter(|examples: &f64| *examples >= 1.0 && examples.is_finite())
        .ok_or_else(|| "must be a number of examples, at least 1".into())
}

fn cost(text: &str) -> Result<f64, String> {
    let cost = text.parse().ok().filter(|c: &f64| *c > 0.0 && c.is_finite());
    cost.ok_or_else(|| "a cost must be a number greater than 0".into())
}

impl ModelArgs {
    /// What the flags say.
    pub(crate) fn config(&self) -> Config {
        Config { learner: self.learner.clone(), ..self.setup.config() }
    }
}

impl SetupArgs {
    /// What the flags say.
    pub(crate) fn config(&self) -> Config {
        let set = |flag: bool| flag.then_some(true);
        Config {
            batch: self.batch,
            multiclass: self.multiclass.map(Into::into),
            max_classes: self.max_classes,
            positive: self.positive.clone(),
            cost_fn: self.cost_fn,
            cost_fp: self.cost_fp,
            class_weight: self.class_weight.clone(),
            cost_col: self.cost_col.clone(),
            balanced: set(self.balanced),
            balance_half_life: self.balance_half_life,
            forget: self.forget,
            binary: set(self.binary),
            scale: self.scale.map(Into::into),
            normalize: self.normalize.map(Into::into),
            prepare: set(self.prepare).or(self.raw.then_some(false)),
            bias: set(self.bias).or(self.no_bias.then_some(false)),
            ..self.reading.config()
        }
    }
}
