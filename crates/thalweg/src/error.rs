//! Why something failed. Every message is complete. Settings are named by their field of [`Config`](crate::Config) in backticks, so that a front
//! end can spell them its own way.

use thalweg_core::TooLarge;
use thalweg_core::learners::BuildError;
use thalweg_core::model::ModelError;
use thalweg_data::labels::NoSuchClass;
use thalweg_data::ordered_map::ThreadDied;
use thalweg_eval::MetricError;

use crate::merge::DeltaError;
use crate::observer::Refusal;

/// The result of what the library does.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// Why something failed.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The configuration is wrong, or contradicts a model.
    #[error(transparent)]
    Config(#[from] ConfigError),
    /// Data or a file could not be read or written.
    #[error(transparent)]
    Data(#[from] thalweg_data::Error),
    /// A file is not a usable model.
    #[error("{file}: {cause}")]
    Model {
        /// The file.
        file: String,
        /// What is wrong with it.
        cause: ModelError,
    },
    /// What was learned would not have been a usable model.
    #[error("{file}: the model could not be read back, and was not written: {cause}")]
    Unreadable {
        /// The file, which stays as it was.
        file: String,
        /// What is wrong with the model.
        cause: ModelError,
    },
    /// Models do not merge.
    #[error(transparent)]
    Merge(#[from] DeltaError),
    /// More memory would be needed than is allowed.
    #[error(transparent)]
    TooLarge(#[from] TooLarge),
    /// There was no example to learn from.
    #[error("nothing was learned: {}", why_nothing(*.refused))]
    NothingLearned {
        /// Examples that were refused because their update would not have been finite.
        refused: u64,
    },
    /// The features of a batch are numbers, but those of the model have names.
    #[error("the features of the model have names; a batch of numbered features cannot be used with it")]
    FeaturesHaveNames,
    /// The features of examples have names, but those of the model are numbers.
    #[error("the features of the model are numbers; features with names need `names` or `hash_bits`")]
    FeaturesHaveNoNames,
    /// A label that the model cannot have.
    #[error("{0}")]
    Label(String),
    /// A batch has a class that there cannot be.
    #[error(transparent)]
    Class(#[from] NoSuchClass),
    /// A name that no feature has where features are numbered in this way.
    #[error("{name} must be {must}")]
    NotAFeature {
        /// The name.
        name: String,
        /// What would be right.
        must: &'static str,
    },
    /// An observer wants the run to end.
    #[error(transparent)]
    Observer(Refusal),
}

impl From<ThreadDied> for Error {
    fn from(died: ThreadDied) -> Self {
        thalweg_data::Error::from(died).into()
    }
}

impl Error {
    /// Is the caller to blame, and not the data?
    pub fn is_usage(&self) -> bool {
        matches!(self, Error::Config(_))
    }
}

fn why_nothing(refused: u64) -> String {
    match refused {
        0 => "there were no examples to learn from".into(),
        1 => "the only example was refused, its update would not be finite".into(),
        refused => format!("all {refused} examples were rejected: their updates would not be finite"),
    }
}

impl From<MetricError> for ConfigError {
    fn from(error: MetricError) -> Self {
        Self::Metric(error)
    }
}

/// What is wrong with a configuration.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ConfigError {
    /// The learner cannot be built.
    #[error(transparent)]
    Learner(#[from] BuildError),
    /// The model was trained with something else.
    #[error("the model was trained with {known}, but {given} was given")]
    Contradiction {
        /// Which field.
        field: String,
        /// What the model was trained with.
        known: String,
        /// What the configuration says.
        given: String,
    },
    /// A value that is not accepted.
    #[error("`{field}` must {must}, got {got}")]
    Value {
        /// Which field.
        field: &'static str,
        /// What would be right.
        must: &'static str,
        /// What was given.
        got: String,
    },
    /// Two fields that exclude each other.
    #[error("`{0}` and `{1}` cannot be used together")]
    Together(&'static str, &'static str),
    /// A field that means nothing without another.
    #[error("`{0}` needs `{1}`")]
    Needs(&'static str, &'static str),
    /// Not a pair of namespaces.
    #[error("`interact`: {0}")]
    Interaction(String),
    /// A metric that does not exist, or that such a run does not have.
    #[error("`metrics`: {0}")]
    Metric(MetricError),
    /// The learner keeps no variances.
    #[error(
        "{setting} needs a learner with a variance for every weight, such as sarow or arow, and not {learner}"
    )]
    NoVariance {
        /// What was asked for.
        setting: &'static str,
        /// The learner.
        learner: String,
    },
    /// The learner has no batches.
    #[error("{learner} learns from one example at a time; `batch` is for {takers}")]
    NoBatches {
        /// The learner.
        learner: &'static str,
        /// Those that do.
        takers: String,
    },
    /// The learner cannot forget single features.
    #[error("`max_features`: {learner} cannot drop single features")]
    CannotForget {
        /// The learner.
        learner: String,
    },
    /// One score speaks for both of two classes.
    #[error("a class can be chosen only in models with many classes; with two classes there is one score")]
    OneScoreForBoth,
    /// The model has no such class.
    #[error("the model has no class {0}")]
    UnknownClass(String),
    /// There is nobody to learn.
    #[error("there is no learner")]
    NoLearner,
    /// What is kept in memory keeps all features.
    #[error(
        "`max_features` cannot be used with data that is held in memory (to shuffle it or to read it again)"
    )]
    KeptInMemory,
}
