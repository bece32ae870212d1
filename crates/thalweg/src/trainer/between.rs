//! What a trainer does between two calls that learn: it scores, gives a model, and tells the numbers of names, for callers that keep learning.

use std::sync::Arc;

use thalweg_core::{Batch, Class};
use thalweg_data::{FeatureNames, Naming};

use super::{State, Trainer};
use crate::decision::Decision;
use crate::error::{ConfigError, Error, Result};
use crate::model::Model;
use crate::predictor::Predictions;
use crate::scoring::Scoring;
use crate::track::Measured;

impl Trainer {
    /// Scores a batch of numbered features with what was learned so far, and learns nothing. Many threads may do so at once.
    pub fn score_batch(&self, batch: &Batch, out: &mut Predictions) -> Result<()> {
        if !matches!(self.feature_state().names, FeatureNames::Numbers) {
            return Err(Error::FeaturesHaveNames);
        }
        self.score_numbers(batch, out);
        Ok(())
    }

    fn score_numbers(&self, batch: &Batch, out: &mut Predictions) {
        let track = &self.tracks[0];
        let (learner, score_use) = (track.learner(), track.score_use());
        let mut memory = Batch::default();
        let prepared = self.feature_state().prepare_to_score(self.examples.prepare, batch, &mut memory);
        let scoring = Scoring { learner, score_use, decision: self.decision(), with_variances: false };
        out.form(|opinion| scoring.score(prepared, opinion));
    }

    /// Which class a score means at the moment.
    pub fn decision(&self) -> Decision {
        let track = &self.tracks[0];
        track.score_use().decision(track.learner())
    }

    /// The number of a named feature, which is added if it is new: for [`Self::learn_named`]. `names` or `hash_bits` must be set.
    pub fn feature_number(&mut self, name: &[u8]) -> Result<u32> {
        self.feature_names()?.add(name).ok_or(Error::FeaturesHaveNoNames)
    }

    /// What features are called, for more names.
    fn feature_names(&mut self) -> Result<&mut FeatureNames> {
        self.settle()?;
        let State::AtRest(_, features) = &mut self.state else { unreachable!("it was settled") };
        let names = &mut Arc::make_mut(features).names;
        if matches!(names, FeatureNames::Numbers) {
            let naming = self.examples.reading.naming.filter(|naming| *naming != Naming::Numbers);
            if self.examples.reading.max_features.is_some() {
                return Err(ConfigError::KeptInMemory.into());
            }
            *names = naming.and_then(FeatureNames::new).ok_or(Error::FeaturesHaveNoNames)?;
        }
        Ok(names)
    }

    /// The number of a named feature, if it is known.
    pub fn known_feature(&self, name: &[u8]) -> Option<u32> {
        self.feature_state().names.number_of(name)
    }

    /// The class of a label. Where there are many classes, a new label is a new class.
    pub fn class_of(&mut self, label: &str) -> Result<Class> {
        self.settle()?;
        let State::AtRest(labels, _) = &mut self.state else { unreachable!("it was settled") };
        let class = labels.class_at_once(label).map_err(|refusal| Error::Label(refusal.message().into()))?;
        class.ok_or_else(|| Error::Label(format!("\"{label}\" is no label of the model")))
    }

    /// Learns from examples whose features have the numbers of [`Self::feature_number`], and whose classes are those of [`Self::class_of`].
    pub fn learn_named(&mut self, batch: &Batch) -> Result<()> {
        self.feature_names()?;
        self.learn_numbers(batch, Measured::All)
    }

    /// Scores examples whose features have the numbers of [`Self::known_feature`].
    pub fn score_named(&self, batch: &Batch, out: &mut Predictions) {
        self.score_numbers(batch, out);
    }

    /// Was anything learned since the learner was told that the data has ended?
    pub fn is_unfinished(&self) -> bool {
        self.unfinished
    }

    /// Tells the learner that the data has ended, for now: one that waits for a full batch makes do with what it has. Learning may go on as if it
    /// had never ended.
    pub fn end_of_data(&mut self) -> Result<()> {
        self.settle()?;
        if self.unfinished {
            self.finish();
        }
        Ok(())
    }

    /// A copy of the model as it is now. Learning may go on.
    pub fn model(&mut self) -> Result<Model> {
        let (labels, features) = self.at_rest()?;
        let track = &self.tracks[0];
        let mut learner = track.learner().fork();
        if self.unfinished {
            learner.finish();
        }
        Ok(Model::new(learner, labels, features, self.examples.clone(), track.score_use().clone()))
    }
}
