//! Learning from records in memory and from batches of numbers, call after call.

use std::sync::Arc;

use thalweg_core::Batch;
use thalweg_data::{FeatureNames, FeatureState, Format, Labels, Naming, ReadCounts, Reading, RecordReader};

use super::{Learned, State, Trainer, weighted};
use crate::error::{Error, Result};
use crate::observer::Observer;
use crate::track::Measured;

impl Trainer {
    /// Learns from records that are in memory: one or a thousand of them. Tables begin with their header, if they have one, in every call.
    ///
    /// Which of two labels is positive is only known when both have been seen (or when the configuration says it): until then examples wait.
    pub fn learn_records(&mut self, records: &[u8], format: Format) -> Result<Learned> {
        self.learn_records_with(records, format, &mut ())
    }

    /// The same with an observer, who sees the score of every example from before it was learned from.
    pub fn learn_records_with(
        &mut self,
        records: &[u8],
        format: Format,
        observer: &mut dyn Observer,
    ) -> Result<Learned> {
        let mut reader = self.record_reader()?;
        let added = reader.add(records, format).map_err(Error::from);
        // What came before an error is learned from, as it is in files.
        let learned = self.learn_ready(&mut reader, observer);
        let bad = reader.take_bad_lines();
        if reader.has_read() {
            self.remember_table(format, reader.delimiter());
        }
        self.state = State::Records(reader);
        Ok(Learned { examples: added.and(learned)?, bad })
    }

    /// The reader of records, which goes on where the last call ended.
    fn record_reader(&mut self) -> Result<Box<RecordReader>> {
        if let State::AtRest(labels, features) = &self.state {
            let reader = RecordReader::new(self.settings(labels, features))?;
            self.rejects_begun = true;
            self.state = State::Records(Box::new(reader));
        }
        match std::mem::replace(&mut self.state, State::AtRest(Labels::default(), Arc::default())) {
            State::Records(reader) => Ok(reader),
            State::AtRest(..) => unreachable!("it was just made"),
        }
    }

    /// Learns from what is not held back.
    fn learn_ready(&mut self, reader: &mut RecordReader, observer: &mut dyn Observer) -> Result<u64> {
        let (mut batch, before) = (std::mem::take(&mut self.batch), self.examples());
        let mut result = Ok(());
        while result.is_ok() && reader.read(&mut batch) {
            if self.examples() == 0 {
                self.announce(reader.labels());
            }
            self.unfinished = true;
            let held_out = self.held_out_next(&batch);
            result = self.learn(
                &batch,
                measured(&held_out),
                reader.skipped(),
                reader.labels(),
                &reader.feature_state().names,
                observer,
            );
            if let Some(new) = reader.evict_features(&|| weighted(&self.tracks)) {
                self.take_over(&new);
            }
            result = result.and_then(|()| self.check_memory(reader.feature_state()));
        }
        self.batch = batch;
        result.map(|()| self.examples() - before)
    }

    /// Learns from a batch of numbered features, prepared as the configuration says. Classes are numbers: of two, 1 is positive.
    pub fn learn_batch(&mut self, batch: &Batch) -> Result<()> {
        self.check_numbers()?;
        self.learn_numbers(batch, Measured::All)
    }

    /// The same with a batch of an earlier pass. Nothing is measured, and no threshold or probability follows it: its examples have been learned
    /// from.
    pub fn learn_batch_again(&mut self, batch: &Batch) -> Result<()> {
        self.check_numbers()?;
        self.learn_numbers(batch, Measured::Nothing)
    }

    /// All features of the next batches have numbers below this, so that tables may be made in one go. What is learned does not depend on it.
    pub fn expect_features(&mut self, below: u32) {
        // Whoever limits memory gets no more than is needed.
        if self.config.max_memory.is_none() {
            self.tracks.iter_mut().for_each(|track| track.expect_features(below));
        }
    }

    pub(super) fn check_numbers(&self) -> Result<()> {
        if self.numbers_only(self.feature_state()) { Ok(()) } else { Err(Error::FeaturesHaveNames) }
    }

    /// Learns from a batch whose features have the numbers that the model gives them.
    pub(super) fn learn_numbers(&mut self, batch: &Batch, measured: Measured) -> Result<()> {
        self.settle()?;
        let State::AtRest(labels, features) = &mut self.state else { unreachable!("it was settled") };
        // Taken out, so that nobody else holds it and it need not be copied.
        let (mut labels, mut features) = (std::mem::take(labels), std::mem::take(features));
        let result = self.learn_prepared(batch, measured, &mut labels, &mut features);
        let examples = batch.len() as u64;
        let counts =
            ReadCounts { examples: if result.is_ok() { examples } else { 0 }, ..ReadCounts::default() };
        self.rest(labels, features, counts);
        result
    }

    fn learn_prepared(
        &mut self,
        batch: &Batch,
        is_measured: Measured,
        labels: &mut Labels,
        features: &mut Arc<FeatureState>,
    ) -> Result<()> {
        if let Some(highest) = batch.labels().iter().flatten().max() {
            labels.know_classes(*highest)?;
        }
        self.announce(labels);
        self.unfinished = true;
        let mut memory = std::mem::take(&mut self.batch);
        let prepare = self.examples.prepare;
        let prepared = Arc::make_mut(features).prepare_to_learn(prepare, batch, &mut memory);
        let held_out = self.held_out_next(batch);
        let measured = if held_out.is_empty() { is_measured } else { measured(&held_out) };
        let learned = self.learn(prepared, measured, &[], labels, &features.names, &mut ());
        self.batch = memory;
        learned.and_then(|()| self.check_memory(features))
    }

    /// Counts the next examples; for each, whether it is held out.
    fn held_out_next(&mut self, batch: &Batch) -> Vec<bool> {
        let first = self.in_pass;
        self.in_pass += batch.len() as u64;
        self.labelled += batch.labels().iter().flatten().count() as u64;
        self.held_out(batch.len(), |i| first + i as u64)
    }

    fn numbers_only(&self, features: &FeatureState) -> bool {
        let Reading { naming, max_features, .. } = &self.examples.reading;
        let told = matches!(naming, None | Some(Naming::Numbers)) && max_features.is_none();
        told && matches!(features.names, FeatureNames::Numbers)
    }

    /// What is known of labels and features, with what waited learned from.
    pub(super) fn at_rest(&mut self) -> Result<(Labels, Arc<FeatureState>)> {
        self.settle()?;
        match &mut self.state {
            State::AtRest(labels, features) => Ok((labels.clone(), Arc::clone(features))),
            State::Records(_) => unreachable!("it was settled"),
        }
    }

    /// Learns from examples that wait for a label which did not come, as if the data had ended.
    pub(super) fn settle(&mut self) -> Result<()> {
        if matches!(self.state, State::AtRest(..)) {
            return Ok(());
        }
        let resting = State::AtRest(Labels::default(), Arc::default());
        let State::Records(mut reader) = std::mem::replace(&mut self.state, resting) else { return Ok(()) };
        reader.settle();
        let learned = self.learn_ready(&mut reader, &mut ());
        let counts = reader.counts();
        let (labels, features) = reader.into_state();
        self.rest(labels, features, counts);
        learned.map(|_| ())
    }
}

/// Every example is new; those that are held out are not learned from.
fn measured(held_out: &[bool]) -> Measured<'_> {
    if held_out.is_empty() { Measured::All } else { Measured::HeldOut(held_out) }
}
