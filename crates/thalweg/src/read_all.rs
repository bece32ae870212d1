//! All examples of some inputs in memory, for whoever goes through them often and in many orders.

use std::sync::Arc;

use thalweg_core::Batch;
use thalweg_data::{Error as DataError, FeatureState, Input, Interrupt, Labels, Settings, open};

use crate::config::Config;
use crate::error::{ConfigError, Result};
use crate::observer::{Observer, Told};

/// All examples of some inputs, as they were read. Nothing is prepared yet: scales depend on the order in which examples come.
#[derive(Clone, Debug, Default)]
pub struct AllExamples {
    /// The examples, in the order of the data.
    pub batch: Batch,
    /// Which label is which class.
    pub labels: Labels,
    /// What features are called.
    pub features: Arc<FeatureState>,
    /// Lines that could not be read.
    pub bad_lines: u64,
}

/// Reads all examples of the inputs as the configuration says. With other examples, labels and features are numbered as they are there: test data
/// is read after training data. If the interrupt comes, the examples are those that were read by then.
pub fn read_all(
    inputs: &[Input],
    config: &Config,
    like: Option<&AllExamples>,
    interrupt: &Interrupt,
    observer: &mut dyn Observer,
) -> Result<AllExamples> {
    let reading = config.reading()?;
    if reading.max_features.is_some() {
        return Err(ConfigError::KeptInMemory.into());
    }
    let labels = match like {
        Some(like) => like.labels.clone(),
        None => config.fresh_labels(config.task(config.learner_name())?)?,
    };
    let settings = Settings {
        reading,
        labels,
        feature_state: like.map(|like| Arc::clone(&like.features)).unwrap_or_default(),
        interrupt: interrupt.clone(),
        ..config.input_settings()
    };
    let limit = settings.memory;
    let mut reader = open(inputs, settings)?;
    let (mut all, mut batch) = (Batch::default(), Batch::default());
    loop {
        let more = reader.read(&mut batch);
        Told::by(reader.as_mut()).pass_on(observer);
        if !more? {
            break;
        }
        all.extend_from(&batch, 0..batch.len());
        if all.memory() as u64 > limit.0 {
            return Err(DataError::ExamplesInMemory { examples: all.len() as u64, limit }.into());
        }
    }
    let bad_lines = reader.counts().bad;
    let (labels, features) = reader.into_state();
    Ok(AllExamples { batch: all, labels, features, bad_lines })
}
