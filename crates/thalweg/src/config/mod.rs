//! One description of a run. The command line's flags, Python's keywords and a server's JSON are spellings of it.

mod costs;
mod data;
mod measuring;

use std::collections::BTreeSet;
use std::fmt;
use std::path::PathBuf;

use serde::de::{self, MapAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize};
use thalweg_core::learners::{self, LEARNERS, with_knob};
use thalweg_core::rule::Values;
use thalweg_core::{Setup, Task};
use thalweg_data::expand::Value as TextValues;
use thalweg_data::labels::MOST_CLASSES;
use thalweg_data::stream::{BadLineLimit, Milestones};
use thalweg_data::{Encoding, Format, Labels, Norm, Scale};

use crate::drift_watch::DriftAction;
use crate::error::{ConfigError, Result};
use crate::threshold::Target;

/// The learner of a run that names none.
pub const DEFAULT_LEARNER: &str = "sarow";

pub(crate) use measuring::Kinds;
pub use measuring::MeasuredIn;

/// Declares the fields of [`Config`], a method for each that sets it, and the list of them.
macro_rules! config {
    ($( $(#[doc = $doc:literal])* $name:ident: $kind:tt<$type:ty>, )*) => {
        /// What is learned, how records are read and prepared, and what a run may take.
        ///
        /// A field that is not set has its default, or the value that the model to go on with was trained with. All fields have a method of
        /// the same name: `Config::parse("arow")?.text("subject").bias(true)`. Lists grow by one with every call.
        ///
        /// As JSON it is one flat object, in which unknown fields are errors:
        ///
        /// ```
        /// # use thalweg::Config;
        /// let config: Config = serde_json::from_str(r#"{"learner": "ssol:lambda=0.3", "text": ["subject"], "bias": true}"#)?;
        /// assert_eq!(config, Config::parse("ssol:lambda=0.3")?.text("subject").bias(true));
        /// assert!(serde_json::from_str::<Config>(r#"{"lerner": "ssol"}"#).is_err());
        /// # Ok::<(), Box<dyn std::error::Error>>(())
        /// ```
        #[derive(Clone, Debug, Default, PartialEq, Serialize)]
        pub struct Config {
            $( $(#[doc = $doc])* #[serde(skip_serializing_if = "is_unset")] pub $name: $kind<$type>, )*
        }

        impl Config {
            $( config!(@setter $(#[doc = $doc])* $name: $kind<$type>); )*

            /// The names of all fields.
            pub const FIELDS: &'static [&'static str] = &[$(stringify!($name)),*];

            /// What each of them is.
            pub const DOCS: &'static [&'static str] = &[$(concat!($($doc),*)),*];

            /// Sets a field to the next value of a map.
            fn read_field<'de, A: MapAccess<'de>>(&mut self, field: &str, map: &mut A) -> Result<(), A::Error> {
                match field {
                    $( stringify!($name) => self.$name = map.next_value()?, )*
                    _ => return Err(de::Error::unknown_field(field, Self::FIELDS)),
                }
                Ok(())
            }
        }
    };
    (@setter $(#[doc = $doc:literal])* $name:ident: Option<$type:ty>) => {
        $(#[doc = $doc])*
        #[must_use]
        pub fn $name(mut self, value: impl Into<$type>) -> Self {
            self.$name = Some(value.into());
            self
        }
    };
    (@setter $(#[doc = $doc:literal])* $name:ident: Vec<$type:ty>) => {
        $(#[doc = $doc])*
        #[must_use]
        pub fn $name(mut self, value: impl Into<$type>) -> Self {
            self.$name.push(value.into());
            self
        }
    };
}

config! {
    /// The learner and its knobs, `name:knob=value,...`.
    learner: Option<String>,
    /// How many examples make a batch, for learners that take them by the batch. Default: all of the data.
    batch: Option<u64>,
    /// Learn any number of classes, and how. Default: two classes.
    multiclass: Option<Multiclass>,
    /// Allow at most this many classes. Default: 4096.
    max_classes: Option<u32>,
    /// The labels, where they are known before the data comes; of two the negative one first. Default: the labels of the data, in order.
    labels: Vec<String>,
    /// The label of the positive class; all others are negative. Default: the greater of two labels.
    positive: Option<String>,
    /// The cost of a missed positive (a false negative). Default: 1.
    cost_fn: Option<f64>,
    /// The cost of a false alarm (a false positive). Default: 1.
    cost_fp: Option<f64>,
    /// Multiply the cost of a missed positive by the imbalance so far, (negatives + 10) / (positives + 10).
    balanced: Option<bool>,
    /// After how many examples one counts half in the imbalance, so that `balanced` follows a ratio that changes. Default: all count alike.
    balance_half_life: Option<f64>,
    /// What an error on an example of a label costs, `LABEL=WEIGHT`. Default: 1. Of two classes, `positive` or `labels` must say which is which.
    class_weight: Vec<String>,

    /// After how many examples what was learned counts half: for streams that change. Default: nothing is forgotten.
    forget: Option<f64>,
    /// Watch for a sudden rise of mistakes, and what to do then. Default: nobody watches.
    on_drift: Option<DriftAction>,
    /// Ask for the labels of this share of the examples only, where the learner is unsure. Default: all.
    label_budget: Option<f64>,

    /// Two classes: what is above this score is positive. Default: 0.
    threshold: Option<f64>,
    /// Two classes: move the threshold so that this holds on the stream. Default: the threshold stays where it is.
    target: Option<Target>,
    /// Learn to turn scores into probabilities.
    probabilities: Option<bool>,

    /// The metrics to report besides the usual ones, by name; of training, these are the columns of the progress table.
    metrics: Vec<String>,
    /// Report what mistakes cost: a missed positive, and a false alarm. Default: the costs that are learned with.
    report_cost: Option<(f64, f64)>,
    /// Report sensitivity times this weight plus specificity times the rest.
    report_sum: Option<f64>,
    /// Work out how certain each score is.
    confidence: Option<bool>,
    /// Report what every threshold would give, and how right probabilities are.
    curves: Option<bool>,

    /// The format of the data. Default: what the end of a file's name, or else its first lines, tell.
    format: Option<Format>,
    /// Tables have no header; columns are named 1, 2, 3 and so on.
    no_header: Option<bool>,
    /// How text is encoded that does not begin with a byte order mark. Default: UTF-8.
    encoding: Option<Encoding>,
    /// What separates the fields of tables, an ASCII character. Default: what their first lines show: a comma, a tab, a semicolon or a bar.
    delimiter: Option<char>,
    /// Numbers of tables have a comma before their decimals: `3,14`.
    decimal_comma: Option<bool>,
    /// The column or key of the label. Default: `label`.
    label_col: Option<String>,
    /// The column or key of an example's importance.
    importance_col: Option<String>,
    /// The column or key of what an error on an example costs, besides what an error on its class does.
    cost_col: Option<String>,
    /// The column or key of an example's id, which predictions repeat.
    id_col: Option<String>,
    /// Columns, keys or namespaces to ignore.
    ignore: Vec<String>,
    /// Columns that hold codes: each value is a feature of its own, also if it is a number.
    category: Vec<String>,
    /// Columns that hold dates or times: weekday, month, hour and the years since 2000 become features.
    date: Vec<String>,
    /// Columns that hold text: its words become features.
    text: Vec<String>,
    /// Columns that hold web addresses: their parts become features.
    url: Vec<String>,
    /// How many words in a row make a feature, from and to. Default: (1, 1), or none where `chars` is set.
    ngrams: Option<(usize, usize)>,
    /// How many characters in a row make a feature, from and to. Default: none.
    chars: Option<(usize, usize)>,
    /// What the value of a word is. Default: binary.
    text_values: Option<TextValues>,
    /// Pairs of namespaces or columns whose features are multiplied: `ab` (first letters) or `user:item`.
    interact: Vec<String>,
    /// Treat numbered features as names.
    names: Option<bool>,
    /// Number features by a hash of their names, of so many bits.
    hash_bits: Option<u32>,
    /// The most features to keep. When there are more, the rarest are forgotten, those without a weight first.
    max_features: Option<u64>,

    /// Make every value 1.
    binary: Option<bool>,
    /// Prepare values so that their units do not matter: `scale` typical, `normalize` count and `bias`, each unless it is set. Default: true for
    /// sarow, the default learner, and auto, and false for all others.
    prepare: Option<bool>,
    /// Divide every value by what is known of its feature so far.
    scale: Option<Scale>,
    /// Divide every example by its length.
    normalize: Option<Norm>,
    /// Add a bias: a constant feature of value 1.
    bias: Option<bool>,

    /// How often to go through the data. Default: once.
    passes: Option<u64>,
    /// Cut the data into so many shards, which are learned side by side and merged. Default: all is learned in order.
    shards: Option<u32>,
    /// With shards, how often they are merged on the way, and go on from what they have learned together. Default: 1, in the end.
    rounds: Option<u32>,
    /// Hold out this share of the examples, spread over the data: they are never learned from, and figures are of them alone. Default: none.
    holdout: Option<f64>,
    /// After how many examples progress is told. Default: at the powers of two.
    progress: Option<Milestones>,
    /// Read all data into memory and visit it in random order, a new order in each pass.
    shuffle: Option<bool>,
    /// The seed of the random order. Default: 0.
    seed: Option<u64>,
    /// How many threads read ahead; the result does not depend on it. Default: one for every core.
    threads: Option<usize>,
    /// The most bytes that a model may take, and data that has to be in memory. Default: 4 GiB.
    max_memory: Option<u64>,
    /// Keep what was read from FILE in FILE.thwcache, and read that the next time.
    cache: Option<bool>,
    /// Stop at the first bad line.
    strict: Option<bool>,
    /// Stop when more lines than this are bad.
    max_bad: Option<BadLineLimit>,
    /// Write bad lines to this file.
    reject_file: Option<PathBuf>,
}

/// Reads a configuration field by field, so that an error names the field whose value is wrong.
impl<'de> Deserialize<'de> for Config {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(Fields)
    }
}

struct Fields;

impl<'de> Visitor<'de> for Fields {
    type Value = Config;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object with the fields of a configuration")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Config, A::Error> {
        let (mut config, mut seen) = (Config::default(), BTreeSet::new());
        while let Some(field) = map.next_key::<String>()? {
            let known = Config::FIELDS.contains(&field.as_str());
            config.read_field(&field, &mut map).map_err(|error| {
                if known { de::Error::custom(format_args!("`{field}`: {error}")) } else { error }
            })?;
            if seen.contains(&field) {
                return Err(de::Error::custom(format_args!("`{field}` is set twice")));
            }
            seen.insert(field);
        }
        Ok(config)
    }
}

fn is_unset<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}

/// How many classes are told apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Multiclass {
    /// Hinge where the learner can, else one-versus-rest.
    Any,
    /// The true class must beat its strongest rival by 1.
    Hinge,
    /// Each class against all others.
    Ovr,
}

impl Multiclass {
    /// Does a model of this task do what is asked for?
    pub(crate) fn accepts(self, task: Task) -> bool {
        match self {
            Multiclass::Any => task != Task::Binary,
            Multiclass::Hinge => task == Task::Hinge,
            Multiclass::Ovr => task == Task::Ovr,
        }
    }

    /// What was asked for where the task is this.
    pub(crate) fn of(task: Task) -> Option<Self> {
        match task {
            Task::Binary => None,
            Task::Hinge => Some(Multiclass::Hinge),
            Task::Ovr => Some(Multiclass::Ovr),
        }
    }
}

impl Config {
    /// A configuration for this learner, `name:knob=value,...`.
    pub fn parse(learner: &str) -> Result<Self> {
        in_full(learner)?;
        Ok(Self::default().learner(learner))
    }

    /// The learner as it was named.
    pub(crate) fn learner_name(&self) -> &str {
        self.learner.as_deref().unwrap_or(DEFAULT_LEARNER)
    }

    /// This learner with the size of its batches, if that is set.
    pub fn spec_of(&self, learner: &str) -> Result<String, ConfigError> {
        let Some(size) = self.batch else { return Ok(learner.to_string()) };
        let entry = learners::find(name_of(learner))?;
        if entry.has_knob("batch") {
            return Ok(with_knob(learner, "batch", size));
        }
        let takers = LEARNERS.iter().filter(|entry| entry.has_knob("batch")).map(|entry| entry.name);
        Err(ConfigError::NoBatches { learner: entry.name, takers: takers.collect::<Vec<_>>().join(", ") })
    }

    /// Two classes, or many and how this learner learns them.
    pub fn task(&self, learner: &str) -> Result<Task, ConfigError> {
        Ok(match self.multiclass {
            None => Task::Binary,
            Some(Multiclass::Hinge) => Task::Hinge,
            Some(Multiclass::Ovr) => Task::Ovr,
            Some(Multiclass::Any) => {
                if learners::find(name_of(learner))?.one_of_k {
                    Task::Hinge
                } else {
                    Task::Ovr
                }
            }
        })
    }

    /// What a learner is built with, besides its knobs and the classes that the data turns out to have.
    pub fn setup(&self, learner: &str) -> Result<Setup, ConfigError> {
        let task = self.task(learner)?;
        let (costs, class_weights) = (self.costs(task)?, self.class_weights(task)?);
        let (max_memory, forget) = (self.memory_limit().0, self.forget);
        Ok(Setup { costs, class_weights, task, max_memory, forget, ..Setup::default() })
    }

    /// Which label is which class, as far as it is known before the data comes.
    pub(crate) fn fresh_labels(&self, task: Task) -> Result<Labels, ConfigError> {
        let labels = match (task, &self.positive, &self.labels[..]) {
            (Task::Hinge | Task::Ovr, Some(_), _) => {
                return Err(ConfigError::Together("multiclass", "positive"));
            }
            (_, Some(_), [_, ..]) => return Err(ConfigError::Together("labels", "positive")),
            (Task::Hinge | Task::Ovr, None, []) if self.class_weight.is_empty() => Labels::many(),
            (Task::Hinge | Task::Ovr, None, _) => Labels::of_many(&self.labels_known_before()?),
            (Task::Binary, Some(positive), []) => Labels::positive(positive),
            (Task::Binary, None, []) => Labels::default(),
            (Task::Binary, None, [negative, positive]) => {
                Labels::of_two(&[negative.clone(), positive.clone()], false)
            }
            (Task::Binary, None, names) => {
                let got = format!("{} of them", names.len());
                return Err(ConfigError::Value {
                    field: "labels",
                    must: "be two, or any number where `multiclass` is set",
                    got,
                });
            }
        };
        let mut seen = BTreeSet::new();
        if let Some(twice) = labels.names().iter().find(|name| !name.is_empty() && !seen.insert(*name)) {
            let must = "be different from each other";
            return Err(ConfigError::Value { field: "labels", must, got: format!("\"{twice}\" twice") });
        }
        Ok(labels.at_most(self.class_limit()))
    }

    pub(crate) fn class_limit(&self) -> usize {
        self.max_classes.map_or(MOST_CLASSES, |most| most as usize)
    }

    pub(crate) fn number_of_passes(&self) -> u64 {
        self.passes.unwrap_or(1)
    }
}

/// Are values prepared for this learner, unless the run says otherwise?
pub(crate) fn is_prepared(learner: &str) -> bool {
    learners::find(name_of(learner)).is_ok_and(|entry| entry.values == Values::Prepared)
}

/// The name of a learner, without its knobs.
pub(crate) fn name_of(spec: &str) -> &str {
    spec.split(':').next().unwrap_or_default().trim()
}

/// A learner with all its knobs, each spelled in one way.
pub(crate) fn in_full(spec: &str) -> Result<String, ConfigError> {
    Ok(learners::build(spec, &Setup::default())?.spec())
}

/// As many threads as the machine has cores.
pub fn cores() -> usize {
    std::thread::available_parallelism().map_or(1, std::num::NonZero::get)
}
