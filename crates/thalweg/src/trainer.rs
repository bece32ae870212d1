//! Learning: one or several learners over one reading of the data.

use std::time::{Duration, Instant};

use thalweg_core::{Batch, Setup, Task, TooLarge};
use thalweg_data::{
    Cache, FeatureState, Format, Input, Interrupt, KeptInMemory, Labels, MemoryReader, Purpose, ReadSettings, Reader, RecordReader, TableFormat, open,
};

use crate::config::Config;
use crate::contradiction;
use crate::error::{ConfigError, Error, Result};
use crate::model::{ExampleConfig, Model};
use crate::observer::{Observer, Seen};
use crate::track::Track;

/// Learns from files, from records in memory, or from batches of numbers, in any order.
///
/// ```
/// # use thalweg::{Config, Format, Trainer};
/// let mut trainer = Trainer::new(Config::parse("arow")?.text("subject"))?;
/// trainer.learn_records(b"{\"subject\": \"free money\", \"label\": \"spam\"}\n", Format::Jsonl)?;
/// trainer.learn_records(b"{\"subject\": \"lunch at noon\", \"label\": \"ham\"}\n", Format::Jsonl)?;
/// let model = trainer.into_model()?;
/// assert_eq!(model.labels().names(), ["ham", "spam"]);
/// # Ok::<(), thalweg::Error>(())
/// ```
pub struct Trainer {
    config: Config,
    examples: ExampleConfig,
    tracks: Vec<Track>,
    /// What the stream knows between two runs; nothing while a run has it.
    state: State,
    interrupt: Interrupt,
    /// Does it go on with a model?
    resumed: bool,
    run: RunCounts,
}

/// Who holds what is known of labels and features.
enum State {
    AtRest(Labels, FeatureState),
    /// Records come one call after the other.
    Records(Box<RecordReader>),
}
