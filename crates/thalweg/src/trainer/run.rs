//! Going through the data of files and other inputs: passes, batches, progress.

use std::sync::Arc;
use std::time::Instant;

use thalweg_core::Batch;
use thalweg_data::{InMemory, Input, Labels, Reader, open};

use super::{Pass, State, Trainer, weighted};
use crate::error::{ConfigError, Error, Result};
use crate::label_order::{self, LabelOrder, LongRuns};
use crate::observer::{Observer, Told};
use crate::track::{Measured, Track};

impl Trainer {
    /// Goes through the data of all inputs, as often as the configuration says.
    ///
    /// After an error the trainer holds what was learned before it.
    pub fn run(&mut self, inputs: &[Input], observer: &mut dyn Observer) -> Result<()> {
        if let Some(cut) = self.cut()? {
            return self.run_in_shards(inputs, cut, observer);
        }
        let began = Instant::now();
        let reader = self.open(inputs, observer);
        self.reading += began.elapsed();
        let mut reader = reader?;
        // The reader has it now, and nobody else.
        self.state = State::AtRest(reader.labels().clone(), Arc::default());
        self.announce(reader.labels());
        let result = self.all_passes(reader.as_mut(), observer);
        self.tell_unfollowed(observer);
        self.take_back(reader);
        result
    }

    /// Takes back what a reader knows.
    pub(crate) fn take_back(&mut self, reader: Box<dyn Reader>) {
        let (counts, format, delimiter) = (reader.counts(), reader.format(), reader.delimiter());
        let (labels, features) = reader.into_state();
        self.rest(labels, features, counts);
        if counts.examples > 0 {
            self.remember_table(format, delimiter);
        }
    }

    pub(crate) fn open(&mut self, inputs: &[Input], observer: &mut dyn Observer) -> Result<Box<dyn Reader>> {
        let (labels, features) = self.at_rest()?;
        let several_passes = self.config.number_of_passes() > 1 && inputs.iter().any(Input::is_read_once);
        let shuffle = self.config.shuffle.unwrap_or_default();
        if several_passes && self.examples.reading.max_features.is_some() {
            return Err(ConfigError::KeptInMemory.into());
        }
        let mut settings = self.settings(&labels, &features);
        self.rejects_begun = true;
        if !several_passes && !shuffle {
            return Ok(open(inputs, settings)?);
        }
        let prepare = std::mem::take(&mut settings.prepare);
        let reader = open(inputs, settings)?;
        let seed = shuffle.then(|| self.config.seed.unwrap_or_default());
        let (interrupt, limit) = (self.interrupt.clone(), self.config.memory_limit());
        let milestones = self.config.milestones();
        let tell = &mut |reader: &mut dyn Reader| Told::by(reader).pass_on(observer);
        Ok(Box::new(InMemory::read_all(reader, prepare, seed, milestones, interrupt, limit, tell)?))
    }

    fn all_passes(&mut self, reader: &mut dyn Reader, observer: &mut dyn Observer) -> Result<()> {
        let passes = self.config.number_of_passes();
        for pass in 1..=passes {
            if self.interrupt.has_come() {
                break;
            }
            if pass > 1 {
                reader.rewind()?;
            }
            observer.pass(pass, passes);
            let pass = if pass == 1 { Pass::First } else { Pass::Later };
            self.one_pass(reader, observer, pass)?;
        }
        Ok(())
    }

    fn one_pass(&mut self, reader: &mut dyn Reader, observer: &mut dyn Observer, pass: Pass) -> Result<()> {
        let mut batch = std::mem::take(&mut self.batch);
        let order_matters = pass == Pass::First
            && self.tracks.iter().any(|track| label_order::matters_to(&track.learner().spec()));
        self.order = LabelOrder::default();
        (self.in_pass, self.shown) = (0, 0);
        self.show_next = self.config.milestones().after(0);
        if pass == Pass::Later && self.holdout.is_some() {
            // The model is another one now, and examples that are held out are new to it in every pass.
            self.tracks.iter_mut().try_for_each(|track| track.forget_figures(&self.config))?;
        }
        let result = loop {
            match self.one_batch(reader, &mut batch, observer, pass) {
                Ok(true) if order_matters => {
                    self.order.observe(&batch);
                    self.tell_long_runs(self.order.early(), observer);
                }
                Ok(true) => {}
                Ok(false) => break Ok(()),
                Err(error) => break Err(error),
            }
        };
        self.batch = batch;
        if self.in_pass > self.shown && self.is_measured(pass) {
            self.show_progress(reader.labels(), observer);
        }
        self.tell_long_runs(self.order.found(), observer);
        if pass == Pass::First && result.is_ok() {
            let task = self.tracks[0].learner().task();
            let warnings = self.weighted_labels.warnings(&self.config, reader.labels(), task);
            warnings.iter().for_each(|warning| observer.warning(warning));
        }
        result
    }

    /// Tells that thresholds and probabilities follow scores from before learning, and there were none that mean anything.
    fn tell_unfollowed(&self, observer: &mut dyn Observer) {
        let follows =
            |track: &Track| track.score_use().tuner.is_some() || track.score_use().calibrator.is_some();
        if self.examples() > 0 && self.tracks.iter().any(|track| follows(track) && !track.has_figures()) {
            observer.warning(
                "the learner saw all of the data at once, so `target` and `probabilities` could follow nothing: use `batch`",
            );
        }
    }

    /// Tells once that the data is sorted.
    pub(super) fn tell_long_runs(&mut self, found: Option<LongRuns>, observer: &mut dyn Observer) {
        if let (None, Some(runs)) = (self.long_runs, found) {
            observer.long_runs(&runs);
            self.long_runs = found;
        }
    }

    /// Learns from the next batch; `false` at the end of the data.
    fn one_batch(
        &mut self,
        reader: &mut dyn Reader,
        batch: &mut Batch,
        observer: &mut dyn Observer,
        pass: Pass,
    ) -> Result<bool> {
        if reader.would_wait() {
            observer.idle().map_err(Error::Observer)?;
        }
        let began = Instant::now();
        let more = reader.read(batch);
        self.reading += began.elapsed();
        Told::by(reader).pass_on(observer);
        let more = more?;
        let batch_to_look_at = more.then_some(&*batch);
        let look = self.first_look.look(batch_to_look_at, reader.format(), reader.names(), &self.config);
        look.iter().for_each(|advice| observer.warning(advice));
        if !more {
            observer.skipped_at_end(reader.skipped().len()).map_err(Error::Observer)?;
            self.finish();
            return Ok(false);
        }
        if pass == Pass::First && !self.config.class_weight.is_empty() {
            self.weighted_labels.observe(batch);
        }
        let before = self.examples();
        let held_out = self.held_out(batch.len(), |i| reader.ordinal(i));
        let measured = match (&held_out[..], pass) {
            ([_, ..], _) => Measured::HeldOut(&held_out),
            ([], Pass::First) => Measured::All,
            ([], Pass::Later) => Measured::Nothing,
        };
        let learned =
            self.learn(batch, measured, reader.skipped(), reader.labels(), reader.names(), observer);
        let labelled = self.examples() - before;
        self.in_pass += labelled;
        self.labelled += if pass == Pass::First { labelled } else { 0 };
        // Also after an error: what comes next begins with the features that may be kept.
        if let Some(new) = reader.evict_features(&|| weighted(&self.tracks)) {
            self.take_over(&new);
        }
        learned?;
        self.check_memory(reader.feature_state())?;
        if self.in_pass >= self.show_next {
            if self.is_measured(pass) {
                self.show_progress(reader.labels(), observer);
            }
            self.show_next = self.config.milestones().after(self.in_pass);
        }
        Ok(true)
    }

    /// Are there figures of this pass? After the first one, examples have been learned from before.
    fn is_measured(&self, pass: Pass) -> bool {
        pass == Pass::First || self.holdout.is_some()
    }

    pub(super) fn show_progress(&mut self, labels: &Labels, observer: &mut dyn Observer) {
        self.shown = self.in_pass;
        if observer.wants_progress()
            && let Some(progress) = self.tracks.first_mut().and_then(|track| track.progress(labels))
        {
            observer.progress(&progress);
        }
    }
}
