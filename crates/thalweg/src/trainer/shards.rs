//! Learning in shards: threads learn side by side from parts of the data, and what they have learned is merged after every round.

use std::sync::Arc;
use std::time::Instant;

use thalweg_core::{Batch, Outcomes};
use thalweg_data::stream::PassOrder;
use thalweg_data::{FeatureState, Input, Labels, Prepare, ReadCounts, Reader, open};

use super::{State, Trainer};
use crate::config::Config;
use crate::error::{ConfigError, Result};
use crate::merge::{Delta, merge_deltas, side_by_side};
use crate::model::Model;
use crate::observer::{Observer, Told};
use crate::score_use::Predicted;
use crate::track::Measured;

/// So many examples are learned from at a time.
const AT_A_TIME: usize = 1024;

/// Rounds, unless the run says otherwise: docs/guide/scaling.md.
const DEFAULT_ROUNDS: u32 = 1;

/// How a run is cut.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Cut {
    pub(crate) shards: usize,
    pub(crate) rounds: usize,
}

impl Cut {
    /// The examples of a shard in a round, of so many. Neighbours go to different shards, and a shard of n examples has those from n·r/R on in round r.
    fn part(self, examples: usize, shard: usize, round: usize) -> impl Iterator<Item = usize> {
        let own = examples.saturating_sub(shard).div_ceil(self.shards);
        let (from, to) = (own * round / self.rounds, own * (round + 1) / self.rounds);
        (from..to).map(move |i| i * self.shards + shard)
    }
}

/// What a shard has said of examples before it learned from them.
#[derive(Default)]
struct Said {
    /// Labels and importances alone, but for the last of each batch.
    examples: Batch,
    outcomes: Outcomes,
    predicted: Predicted,
}

impl Trainer {
    /// Goes through the data of all inputs in shards, which learn side by side. All of it is held in memory. Figures are of examples as their shard scored
    /// them before it learned from them.
    pub(super) fn run_in_shards(
        &mut self,
        inputs: &[Input],
        cut: Cut,
        observer: &mut dyn Observer,
    ) -> Result<()> {
        let began = Instant::now();
        let read = self.read_for_shards(inputs, observer);
        self.reading += began.elapsed();
        let examples = read?;
        observer.pass(1, 1);
        self.learn_in_shards(&examples, cut, observer)?;
        self.tell_long_runs(self.order.found(), observer);
        Ok(())
    }

    /// Learns from a batch of numbered features in so many shards, which are merged after each of so many rounds: see `shards` of
    /// [`Config`](crate::Config).
    pub fn learn_batch_in_shards(&mut self, batch: &Batch, shards: u32, rounds: u32) -> Result<()> {
        self.check_numbers()?;
        let (mut labels, features) = self.at_rest()?;
        if let Some(highest) = batch.labels().iter().flatten().max() {
            labels.know_classes(*highest)?;
        }
        self.announce(&labels);
        self.rest(labels, features, ReadCounts { examples: batch.len() as u64, ..ReadCounts::default() });
        self.labelled += batch.labels().iter().flatten().count() as u64;
        let cut = Cut { shards: shards.max(1) as usize, rounds: rounds.max(1) as usize };
        self.learn_in_shards(batch, cut, &mut ())
    }

    /// All examples as they were read, in the order in which they are learned from. What they are called is known then.
    fn read_for_shards(&mut self, inputs: &[Input], observer: &mut dyn Observer) -> Result<Batch> {
        let (labels, features) = self.at_rest()?;
        let mut settings = self.settings(&labels, &features);
        self.rejects_begun = true;
        settings.prepare = Prepare::default();
        let limit = settings.memory;
        let mut reader = open(inputs, settings)?;
        let (mut all, mut batch) = (Batch::default(), Batch::default());
        let read: Result<()> = loop {
            let more = reader.read(&mut batch);
            Told::by(reader.as_mut()).pass_on(observer);
            match more {
                Ok(true) => {}
                Ok(false) => break Ok(()),
                Err(error) => break Err(error.into()),
            }
            self.look_at(&batch, reader.as_ref());
            all.extend_from(&batch, 0..batch.len());
            if all.memory() as u64 > limit.0 {
                let error = thalweg_data::Error::ExamplesInMemory { examples: all.len() as u64, limit };
                break Err(error.into());
            }
        };
        self.take_back(reader);
        read?;
        if self.config.shuffle.unwrap_or_default() {
            let order = PassOrder::new(all.len(), Some(self.config.seed.unwrap_or_default()));
            let in_order = std::mem::take(&mut all);
            order.rows().iter().for_each(|i| all.push_from(&in_order, *i));
        }
        Ok(all)
    }

    /// Takes note of examples that will be learned from.
    fn look_at(&mut self, batch: &Batch, reader: &dyn Reader) {
        self.order.observe(batch);
        self.weighted_labels.observe(batch);
        self.labelled += batch.labels().iter().flatten().count() as u64;
        self.seen_features.observe(batch, reader.names(), &[]);
    }

    /// Learns from examples that have been read, in shards.
    fn learn_in_shards(&mut self, examples: &Batch, cut: Cut, observer: &mut dyn Observer) -> Result<()> {
        for round in 0..cut.rounds {
            if self.interrupt.has_come() {
                break;
            }
            let (labels, features) = self.at_rest()?;
            let began = Instant::now();
            let base = self.base(&labels, &features);
            let learned = side_by_side(cut.shards, |shard| {
                let part = cut.part(examples.len(), shard, round);
                self.learn_shard(&base, cut.shards, examples, part)
            })?;
            let (deltas, said): (Vec<_>, Vec<Said>) = learned.into_iter().unzip();
            let merged = Model::apply(&base, &merge_deltas(&deltas)?)?;
            let (learner, _, features, _, score_use) = merged.into_parts();
            self.tracks[0].merged(learner, score_use, began.elapsed());
            for Said { examples, outcomes, predicted } in &said {
                self.tracks[0].observe(examples, outcomes, predicted);
                self.in_pass += examples.len() as u64;
            }
            self.unfinished = false;
            self.state = State::AtRest(labels.clone(), features);
            self.show_progress(&labels, observer);
        }
        Ok(())
    }

    /// The model as it is, for shards to begin with.
    fn base(&self, labels: &Labels, features: &Arc<FeatureState>) -> Model {
        let track = &self.tracks[0];
        let classes = labels.names().len();
        let learner = track.learner().fork_with(classes, self.config.memory_limit().0);
        let score_use = track.score_use().clone();
        Model::new(learner, labels.clone(), Arc::clone(features), self.examples.clone(), score_use)
    }

    /// What one of so many shards learns from its part of the examples, and what it says of them before.
    fn learn_shard(
        &self,
        base: &Model,
        shards: usize,
        examples: &Batch,
        part: impl Iterator<Item = usize>,
    ) -> Result<(Delta, Said)> {
        let config = Config { max_memory: self.config.max_memory, ..Config::default() };
        let mut trainer = Self::resume_with(base.shared(shards as u32)?, config)?;
        let (mut said, mut batch) = (Said::default(), Batch::default());
        let mut part = part.peekable();
        while part.peek().is_some() && !self.interrupt.has_come() {
            batch.clear();
            part.by_ref().take(AT_A_TIME).for_each(|i| batch.push_from(examples, i));
            trainer.learn_numbers(&batch, Measured::All)?;
            trainer.tracks[0].tell(&mut said.outcomes, &mut said.predicted);
            let last = batch.len() - 1;
            for i in 0..last {
                let example =
                    said.examples.push_with_importance([], batch.labels()[i], batch.importances()[i]);
                example.expect("it has no features");
            }
            // Progress shows how many features the last example has, prepared ones if there is anything to prepare.
            let prepared = if trainer.batch.is_empty() { &batch } else { &trainer.batch };
            said.examples.push_from(prepared, last);
        }
        Ok((trainer.into_model()?.delta(base, shards as u32)?, said))
    }

    /// How the run is cut, if it is.
    pub(super) fn cut(&self) -> Result<Option<Cut>, ConfigError> {
        let Some(shards) = self.config.shards else {
            return if self.config.rounds.is_some() {
                Err(ConfigError::Needs("rounds", "shards"))
            } else {
                Ok(None)
            };
        };
        let given = |given: bool, name: &'static str| if given { Some(name) } else { None };
        let refused = [
            given(self.config.number_of_passes() > 1, "passes"),
            given(self.holdout.is_some(), "holdout"),
            given(self.config.label_budget.is_some(), "label_budget"),
            given(self.config.on_drift.is_some(), "on_drift"),
        ];
        if let Some(name) = refused.into_iter().flatten().next() {
            return Err(ConfigError::Together("shards", name));
        }
        if self.examples.reading.max_features.is_some() {
            return Err(ConfigError::KeptInMemory);
        }
        Ok(Some(Cut {
            shards: shards as usize,
            rounds: self.config.rounds.unwrap_or(DEFAULT_ROUNDS) as usize,
        }))
    }
}
