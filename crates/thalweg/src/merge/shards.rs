//! Shards of a stream, learned side by side.

use thalweg_core::{Batch, Task};
use thalweg_data::merge::join_many;
use thalweg_data::{ExampleUse, Input, Settings, open};

use crate::config::Config;
use crate::error::Result;
use crate::model::Model;
use crate::trainer::Trainer;

use super::delta::Delta;
use super::side_by_side::side_by_side;
use super::tree::merge_deltas;

/// What one of so many shards learns from its inputs, starting from the base.
pub fn learn_shard(base: &Model, inputs: &[Input], shards: u32, config: &Config) -> Result<Delta> {
    let mut trainer = Trainer::resume_with(base.shared(shards)?, config.clone())?;
    if !inputs.is_empty() {
        trainer.run(inputs, &mut ())?;
    }
    trainer.into_model()?.delta(base, shards)
}

/// Learns from shards side by side, in rounds: every shard has a list of inputs for each round, learns from it what the base of the round does not know
/// yet, and the base with all that was learned is that of the next round. The result depends on the shards and rounds, and not on how many threads there
/// are or which is faster.
///
/// Without a base, two labels are looked for in the inputs before anything is learned, so that a shard which has only one of them knows which class it is.
pub fn train_shards(config: &Config, base: Option<Model>, shards: &[Vec<Vec<Input>>]) -> Result<Model> {
    let mut base = match base {
        Some(base) => base,
        None => untrained(config, shards)?,
    };
    // Each has a thread of its own, which also reads.
    let config = Config { threads: config.threads.or(Some(0)), ..config.clone() };
    let config = Config { learner: None, labels: Vec::new(), positive: None, ..config };
    let rounds = shards.iter().map(Vec::len).max().unwrap_or(0);
    for round in 0..rounds {
        let learn = |shard: usize| {
            let inputs = shards[shard].get(round).map(Vec::as_slice).unwrap_or_default();
            learn_shard(&base, inputs, shards.len() as u32, &config)
        };
        base = Model::apply(&base, &merge_deltas(&side_by_side(shards.len(), learn)?)?)?;
    }
    Ok(base)
}

/// A model that has learned nothing, and knows the two labels of the inputs.
fn untrained(config: &Config, shards: &[Vec<Vec<Input>>]) -> Result<Model> {
    let mut config = config.clone();
    let told = config.positive.is_some() || !config.labels.is_empty();
    if !told && config.task(config.learner_name())? == Task::Binary {
        config.labels = two_labels(&config, shards)?;
    }
    Trainer::new(config)?.into_model()
}

/// The two labels of the inputs, in their order, as far as they have to be read to find them; nothing if there are not two.
fn two_labels(config: &Config, shards: &[Vec<Vec<Input>>]) -> Result<Vec<String>> {
    let mut found: Vec<String> = Vec::new();
    for inputs in shards.iter().flatten().filter(|inputs| !inputs.is_empty()) {
        let settings = Settings {
            reading: config.reading()?,
            used_for: ExampleUse::Learning,
            // Each as if it were alone: one that has a single label does not say which class it is.
            labels: config.fresh_labels(Task::Binary)?,
            ..config.input_settings()
        };
        let (mut reader, mut batch, mut more) = (open(inputs, settings)?, Batch::default(), true);
        while more {
            more = reader.read(&mut batch)?;
            let names = reader.labels().names().iter().filter(|name| !name.is_empty()).cloned();
            found = join_many(&found, &names.collect::<Vec<_>>(), 0).0;
            if found.len() > 1 {
                return Ok(found);
            }
        }
    }
    Ok(Vec::new())
}
