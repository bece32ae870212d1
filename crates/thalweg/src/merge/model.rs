//! Models as shards, and shards as a model.

use std::sync::Arc;

use thalweg_core::merge::Unmergeable;
use thalweg_core::{Class, REAL, Setup, Task, learners};
use thalweg_data::merge::{FeatureGain, join_many, join_two};
use thalweg_data::{Labels, Naming};

use crate::error::{ConfigError, Result};
use crate::model::{ExampleConfig, Model};
use crate::score_use::ScoreUse;

use super::delta::{Delta, Terms};
use super::delta_error::DeltaError;
use super::pooled::PooledScoreUse;
use super::tree::merge_deltas;

impl Model {
    /// What each of so many shards starts from. They are less sure of what the model believes, as all of them will correct it; with one shard
    /// it is the model itself.
    pub fn shared(&self, shards: u32) -> Result<Self> {
        let mut learner = self.learner().fork();
        learner.share(shards).map_err(DeltaError::from)?;
        Ok(self.with_learner(learner))
    }

    /// What was learned since a base, of which this model was one of so many shards. Of models that went on with the base itself, each is one of 1.
    pub fn delta(&self, base: &Self, shards: u32) -> Result<Delta> {
        let (ours, began) = (self.terms(base.checksum()), base.terms(0));
        ours.check_alike(&began)?;
        let task = self.learner().task();
        let (features, numbers) = FeatureGain::new(self.features(), base.features());
        let is_unchanged = self.learner().counts() == base.learner().counts();
        let mut gain = self.learner().gain(base.learner(), shards, &numbers).map_err(DeltaError::from)?;
        if gain.counts().examples == 0 && gain.changed() > 0 {
            return Err(DeltaError::NotOfBase.into());
        }
        let mut labels = ours.labels.clone();
        if task != Task::Binary {
            if !ours.labels.starts_with(&began.labels) {
                return Err(DeltaError::OtherBase.into());
            }
            let (joined, [of_ours, _]) = in_base_order(&ours.labels, &began.labels);
            gain.reorder_classes(&of_ours, joined.len());
            labels = joined;
        }
        let examples = gain.counts().examples;
        let scores = (!is_unchanged).then(|| PooledScoreUse::of(self.score_use(), examples));
        let terms = Terms { labels, known_labels: began.labels.len(), scores, ..ours };
        Ok(Delta { terms, gain, features })
    }

    /// The base with a delta.
    pub fn apply(base: &Self, delta: &Delta) -> Result<Self> {
        let terms = &delta.terms;
        if terms.base != base.checksum() {
            return Err(DeltaError::OtherBase.into());
        }
        let began = base.terms(terms.base);
        began.check_alike(terms)?;
        let task = terms.task;
        let read = ExampleConfig::read(terms.options.clone()).map_err(DeltaError::from)?;
        let examples = base.examples().joined(&read).map_err(DeltaError::Setting)?;
        let labels = match task {
            Task::Binary => {
                join_two(&began.labels, &terms.labels, examples.rest).map_err(DeltaError::from)?
            }
            Task::Hinge | Task::Ovr => terms.labels.clone(),
        };
        let misfit = || DeltaError::Learner(Unmergeable::Misfit("what it says of features"));
        let naming = examples.reading.naming.unwrap_or(Naming::Numbers);
        let limit = examples.reading.max_features;
        let features = delta.features.apply_to(base.features(), naming, limit).ok_or_else(misfit)?;
        let mut learner = base.learner().fork_with(labels.len(), u64::MAX);
        learner.take_in(&delta.gain).map_err(DeltaError::from)?;
        let labels = match task {
            Task::Binary => Labels::of_two(&labels, examples.rest),
            Task::Hinge | Task::Ovr => Labels::of_many(&labels),
        };
        let score_use = match &terms.scores {
            Some(pooled) => pooled.after(base.score_use()),
            None => base.score_use().clone(),
        };
        Ok(Self::new(learner, labels, Arc::new(features), examples, score_use))
    }

    /// What several models have learned that went on with the same base, or that began with nothing, as one model. The order of the models makes no
    /// difference.
    pub fn merge(base: Option<&Self>, models: &[&Self]) -> Result<Self> {
        let first = models.first().ok_or(DeltaError::Nothing)?;
        let nothing;
        let base = if let Some(base) = base {
            base
        } else {
            nothing = first.untrained()?;
            &nothing
        };
        let mut deltas = models.iter().map(|model| model.delta(base, 1)).collect::<Result<Vec<_>>>()?;
        deltas.sort_by_cached_key(Delta::to_bytes);
        Self::apply(base, &merge_deltas(&deltas)?)
    }

    /// The same kind of model, as it was before it learned anything.
    fn untrained(&self) -> Result<Self> {
        let learner = self.learner();
        let setup = Setup {
            costs: learner.costs(),
            class_weights: learner.class_weights(),
            task: learner.task(),
            forget: learner.half_life(),
            ..Setup::default()
        };
        let fresh = learners::build(&learner.spec(), &setup).map_err(ConfigError::from)?;
        let labels = match learner.task() {
            Task::Binary => Labels::of_two(&[], self.examples().rest),
            Task::Hinge | Task::Ovr => Labels::many(),
        };
        let score_use = ScoreUse { threshold: self.score_use().threshold, ..ScoreUse::default() };
        Ok(Self::new(fresh, labels, Arc::default(), self.examples().clone(), score_use))
    }

    fn terms(&self, base: u32) -> Terms {
        let learner = self.learner();
        Terms {
            base,
            learner: learner.spec(),
            task: learner.task(),
            costs: learner.costs(),
            class_weights: learner.class_weights(),
            options: self.examples().write(),
            labels: self.labels().names().to_vec(),
            known_labels: 0,
            scores: None,
            real: REAL.to_string(),
        }
    }
}

/// Labels of a model in the order of a delta, and their places there.
fn in_base_order(ours: &[String], base: &[String]) -> (Vec<String>, [Vec<Class>; 2]) {
    // Those of the base have kept their places, as new labels come after them.
    join_many(ours, base, base.len())
}
