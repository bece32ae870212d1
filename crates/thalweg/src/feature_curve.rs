//! How good a model is with only the best features: the same learner on the same data, with more and more of them.

use std::collections::HashMap;
use std::sync::Arc;

use serde::Serialize;
use thalweg_core::{Batch, Task};
use thalweg_data::stream::BadLinePolicy;
use thalweg_data::{Cache, FeatureNames, Input, Interrupt, Prepare, Settings, open};
use thalweg_eval::Confusion;

use crate::config::{Config, DEFAULT_LEARNER, Multiclass};
use crate::error::{ConfigError, Result};
use crate::holdout::Holdout;
use crate::model::Model;
use crate::predictor::{Labelling, Predictions, Predictor, settings_for};
use crate::selection::Selection;
use crate::trainer::Trainer;

/// How good models are with more and more features. None of the examples that they are measured on was used to choose features or to learn.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct FeatureCurve {
    /// The learner that was trained with the features.
    pub judge: String,
    /// A point for each number of features, the last for all of the data's.
    pub points: Vec<CurvePoint>,
}

/// How good a model is with so many features.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct CurvePoint {
    /// How many features it was given.
    pub features: usize,
    /// Are these all that there are?
    pub all: bool,
    /// Importance of the examples that it was measured on.
    pub examples: f64,
    /// Importance of those it was wrong about.
    pub mistakes: f64,
    /// The share of these.
    pub error: Option<f64>,
    /// The mean over the classes of the share of its examples that were recognized.
    pub balanced_accuracy: Option<f64>,
}

/// 1, 2, 5, 10, 20, 50 and so on, and the last itself.
fn geometric_path(last: usize) -> Vec<usize> {
    let steps = (0..)
        .flat_map(|power| [1, 2, 5].map(|digit: usize| digit.saturating_mul(10_usize.saturating_pow(power))));
    steps.take_while(|step| *step < last).chain((last > 0).then_some(last)).collect()
}

/// Trains a judge (by default what `train` trains) with the first features of a selection, for more and more of them, and with all. The model has to
/// have learned from these inputs with this configuration. Models are measured on the tests, or if there are none, on the examples that
/// `holdout` held out.
pub fn feature_curve(
    model: &Model,
    selection: &Selection,
    [inputs, tests]: [&[Input]; 2],
    config: &Config,
    judge: Option<&str>,
    interrupt: &Interrupt,
) -> Result<FeatureCurve> {
    let held_out = config.held_out()?;
    if tests.is_empty() && held_out.is_none() {
        return Err(ConfigError::Needs("curve", "holdout").into());
    }
    let ranks = selection.features.iter().enumerate().map(|(rank, chosen)| (chosen.number, rank)).collect();
    let data = Data { model, config, interrupt, ranks };
    let config = judged_by(judge.unwrap_or(DEFAULT_LEARNER), config, model);
    let path = geometric_path(selection.features.len()).into_iter().map(Some).chain([None]);
    let new = |features| Ok(Judge { features, trainer: Trainer::new(config.clone())? });
    let mut judges = path.map(new).collect::<Result<Vec<Judge>>>()?;
    let waiting = data.train(inputs, &mut judges, held_out)?;
    let mut judged = judges.into_iter().map(Judge::trained).collect::<Result<Vec<Judged>>>()?;
    if tests.is_empty() {
        data.measure(&waiting, &mut judged)?;
    } else {
        data.read(tests, |batch| data.measure(batch, &mut judged))?;
    }
    let judge = judged.first().map_or_else(String::new, |judged| judged.predictor.model().learner().spec());
    Ok(FeatureCurve { judge, points: judged.iter().map(Judged::point).collect() })
}

/// A model in the making.
struct Judge {
    /// How many features it sees; nothing: all.
    features: Option<usize>,
    trainer: Trainer,
}

impl Judge {
    fn trained(self) -> Result<Judged> {
        let predictor = Predictor::new(Arc::new(self.trainer.into_model()?));
        Ok(Judged { features: self.features, predictor, confusion: Confusion::default() })
    }
}

/// A model that is measured.
struct Judged {
    features: Option<usize>,
    predictor: Predictor,
    confusion: Confusion,
}

impl Judged {
    fn point(&self) -> CurvePoint {
        CurvePoint {
            features: self.features.unwrap_or_else(|| without_bias(self.predictor.model())),
            all: self.features.is_none(),
            examples: self.confusion.total(),
            mistakes: self.confusion.mistakes(),
            error: self.confusion.error(),
            balanced_accuracy: self.confusion.balanced_accuracy(),
        }
    }
}

/// Data as the model reads it, and which of its features are the best.
struct Data<'a> {
    model: &'a Model,
    config: &'a Config,
    interrupt: &'a Interrupt,
    /// The place of each chosen feature.
    ranks: HashMap<u32, usize>,
}

impl Data<'_> {
    /// Is it one of the best so many, or if there is no such number, any that the model knows?
    fn has(&self, features: Option<usize>, feature: u32) -> bool {
        match (features, self.model.feature_names()) {
            (Some(count), _) => self.ranks.get(&feature).is_some_and(|rank| *rank < count),
            (None, FeatureNames::Names(names)) => (feature as usize) < names.len(),
            (None, FeatureNames::Numbers | FeatureNames::Hashed(_)) => true,
        }
    }

    /// Some examples with only the features that a judge sees.
    fn reduced(
        &self,
        batch: &Batch,
        examples: impl Iterator<Item = usize>,
        features: Option<usize>,
    ) -> Batch {
        let mut reduced = Batch::default();
        for i in examples {
            let row = batch.row(i);
            let kept = row.iter().filter(|(feature, _)| self.has(features, *feature));
            let pushed = reduced.push_with_importance(kept, batch.labels()[i], batch.importances()[i]);
            debug_assert!(pushed.is_ok(), "the values of an example are finite");
            reduced.set_cost(batch.cost(i));
        }
        reduced
    }

    /// Reads inputs as the model does, but does not prepare them, which is left to the judges.
    fn read(&self, inputs: &[Input], mut take: impl FnMut(&Batch) -> Result<()>) -> Result<()> {
        let settings = Settings {
            prepare: Prepare::default(),
            interrupt: self.interrupt.clone(),
            // The file of rejected lines, and the cache, belong to the first reading.
            bad_lines: BadLinePolicy::default(),
            cache: Cache::No,
            ..settings_for(self.model, self.config, Labelling::Needed)
        };
        let mut reader = open(inputs, settings)?;
        let mut batch = Batch::default();
        while reader.read(&mut batch)? {
            take(&batch)?;
        }
        Ok(())
    }

    /// All judges learn from one reading. Returns the examples that are held out.
    fn train(&self, inputs: &[Input], judges: &mut [Judge], held_out: Option<Holdout>) -> Result<Batch> {
        let (mut ordinal, mut waiting) = (0, Batch::default());
        self.read(inputs, |batch| {
            let is_held_out =
                |i: &usize| held_out.is_some_and(|held_out| held_out.holds(ordinal + *i as u64));
            let (held, learned): (Vec<usize>, Vec<usize>) = (0..batch.len()).partition(is_held_out);
            ordinal += batch.len() as u64;
            held.into_iter().for_each(|i| waiting.push_from(batch, i));
            for Judge { features, trainer } in judges.iter_mut() {
                trainer.learn_batch(&self.reduced(batch, learned.iter().copied(), *features))?;
            }
            Ok(())
        })?;
        Ok(waiting)
    }

    fn measure(&self, batch: &Batch, judged: &mut [Judged]) -> Result<()> {
        let mut predictions = Predictions::default();
        for Judged { features, predictor, confusion } in judged {
            predictor.score_batch(&self.reduced(batch, 0..batch.len(), *features), &mut predictions)?;
            for (i, label) in batch.labels().iter().enumerate() {
                if let Some(label) = label {
                    confusion.add(*label, predictions.class(i), f64::from(batch.importances()[i]));
                }
            }
        }
        Ok(())
    }
}

/// How many features have left a trace in the model, besides the constant.
fn without_bias(model: &Model) -> usize {
    model.learner().features().saturating_sub(usize::from(model.examples().prepare.bias))
}

/// What a judge is built with: all that was said but what belongs to the learner that chose, and to the reading of data.
fn judged_by(judge: &str, config: &Config, model: &Model) -> Config {
    let labels = model.labels().names().to_vec();
    let known = labels.iter().all(|label| !label.is_empty());
    Config {
        learner: Some(judge.into()),
        multiclass: (model.learner().task() != Task::Binary).then_some(Multiclass::Any),
        max_classes: config.max_classes,
        labels: if known { labels } else { Vec::new() },
        cost_fn: config.cost_fn,
        cost_fp: config.cost_fp,
        balanced: config.balanced,
        balance_half_life: config.balance_half_life,
        class_weight: config.class_weight.clone(),
        binary: config.binary,
        prepare: config.prepare,
        scale: config.scale,
        normalize: config.normalize,
        bias: config.bias,
        max_memory: config.max_memory,
        ..Config::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_geometric_and_end_where_they_should() {
        assert_eq!(geometric_path(0), [0; 0]);
        assert_eq!(geometric_path(1), [1]);
        assert_eq!(geometric_path(10), [1, 2, 5, 10]);
        assert_eq!(geometric_path(66), [1, 2, 5, 10, 20, 50, 66]);
        assert_eq!(geometric_path(usize::MAX).last(), Some(&usize::MAX));
    }
}
