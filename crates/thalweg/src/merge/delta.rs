//! What a model has learned since its base: small enough to be sent, and deltas add up.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use thalweg_core::merge::Gain;
use thalweg_core::{ClassWeights, Costs, REAL, Task};
use thalweg_data::merge::{FeatureGain, join_many, join_two};

use crate::error::Result;
use crate::model::ExampleConfig;

use super::delta_error::DeltaError;
use super::pooled::PooledScoreUse;

const MAGIC: &[u8] = b"thalweg delta 1\n";

/// What a model has learned since a base model, or what several have learned since the same base.
///
/// Names, labels and weights that did not change are not in it. Deltas add up ([`merge_deltas`](crate::merge_deltas)), and the base with a delta is a
/// model ([`Model::apply`](crate::Model::apply)).
#[derive(Clone, Debug, PartialEq)]
pub struct Delta {
    pub(super) terms: Terms,
    pub(super) gain: Gain,
    pub(super) features: FeatureGain,
}

/// What is readable of a delta: what its models must have in common, and what is small.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Terms {
    /// The checksum of the base.
    pub(super) base: u32,
    pub(super) learner: String,
    pub(super) task: Task,
    pub(super) costs: Costs,
    pub(super) class_weights: ClassWeights,
    pub(super) options: Map<String, Value>,
    /// The labels, those of the base first where there are many.
    pub(super) labels: Vec<String>,
    /// How many labels the base has.
    pub(super) known_labels: usize,
    /// What is made of scores; nothing if nothing was learned.
    pub(super) scores: Option<PooledScoreUse>,
    pub(super) real: String,
}

fn damaged(what: impl Into<String>) -> DeltaError {
    DeltaError::Damaged(what.into())
}

impl Terms {
    /// What both have in common. The gains have been made to fit.
    fn plus(&self, other: &Self, labels: Vec<String>) -> Result<Self, DeltaError> {
        if self.base != other.base {
            return Err(DeltaError::OtherBase);
        }
        self.check_alike(other)?;
        let scores = match (&self.scores, &other.scores) {
            (Some(a), Some(b)) => Some(a.plus(b).map_err(|name| DeltaError::Setting(name.into()))?),
            (some, None) | (None, some) => some.clone(),
        };
        let options = joined_options(&self.options, &other.options)?;
        Ok(Self { options, labels, scores, ..self.clone() })
    }

    /// An error unless the learners are of one kind.
    pub(super) fn check_alike(&self, other: &Self) -> Result<(), DeltaError> {
        if self.learner != other.learner {
            let (ours, theirs) = (self.learner.clone(), other.learner.clone());
            return Err(DeltaError::Unlike { ours, theirs });
        }
        let same = [
            ("multiclass", self.task == other.task),
            ("cost_fn", self.costs.missed == other.costs.missed),
            ("cost_fp", self.costs.false_alarm == other.costs.false_alarm),
            ("balanced", self.costs == other.costs),
            ("class_weight", self.class_weights == other.class_weights),
        ];
        let different = same.into_iter().find(|(_, same)| !same);
        different.map_or(Ok(()), |(name, _)| Err(DeltaError::Setting(name.into())))
    }
}

/// What a model remembers of how examples are made, of two that may not both have read something.
fn joined_options(
    ours: &Map<String, Value>,
    theirs: &Map<String, Value>,
) -> Result<Map<String, Value>, DeltaError> {
    let read = |options: &Map<String, Value>| {
        ExampleConfig::read(options.clone()).map_err(|cause| damaged(cause.to_string()))
    };
    let (ours, theirs) = (read(ours)?, read(theirs)?);
    Ok(ours.joined(&theirs).map_err(DeltaError::Setting)?.write())
}

impl Delta {
    /// How many examples were learned from.
    pub fn examples(&self) -> u64 {
        self.gain.counts().examples
    }

    /// How many features have changed, those of every class counted.
    pub fn changed(&self) -> usize {
        self.gain.changed()
    }

    /// How many names are new.
    pub fn new_names(&self) -> usize {
        self.features.names().len()
    }

    /// The sum of two deltas of the same base: the order makes no difference.
    pub fn plus(&self, other: &Self) -> Result<Self> {
        Ok(Self::sum(self.clone(), other.clone())?)
    }

    pub(super) fn sum(mut a: Self, mut b: Self) -> Result<Self, DeltaError> {
        let (ours, theirs) = (&a.terms, &b.terms);
        let rest = ours.options.get("rest") == Some(&true.into())
            || theirs.options.get("rest") == Some(&true.into());
        let labels = if ours.task == Task::Binary {
            join_two(&ours.labels, &theirs.labels, rest)?
        } else {
            let (labels, [of_a, of_b]) = join_many(&ours.labels, &theirs.labels, ours.known_labels);
            a.gain.reorder_classes(&of_a, labels.len());
            b.gain.reorder_classes(&of_b, labels.len());
            labels
        };
        let terms = a.terms.plus(&b.terms, labels)?;
        let misfit = || DeltaError::Setting("how features are numbered and scaled".into());
        let [of_a, of_b] = a.features.add(&b.features).ok_or_else(misfit)?;
        a.gain.renumber(&|feature| of_a.of(feature));
        b.gain.renumber(&|feature| of_b.of(feature));
        a.gain.add(&b.gain);
        Ok(Self { terms, ..a })
    }

    /// Its bytes: the same delta always has the same.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = MAGIC.to_vec();
        bytes.extend(serde_json::to_vec(&self.terms).unwrap_or_default());
        bytes.push(b'\n');
        self.gain.write(&mut bytes);
        self.features.write(&mut bytes);
        let checksum = crc32fast::hash(&bytes);
        bytes.extend_from_slice(&checksum.to_le_bytes());
        bytes
    }

    /// Reads what [`Self::to_bytes`] wrote.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self> {
        Ok(Self::read(bytes)?)
    }

    fn read(bytes: &[u8]) -> Result<Self, DeltaError> {
        let cut_short = || damaged("it is cut short");
        let (content, checksum) = bytes.split_last_chunk::<4>().ok_or_else(cut_short)?;
        let rest = content
            .strip_prefix(MAGIC)
            .ok_or_else(|| damaged("it does not begin with \"thalweg delta 1\""))?;
        if crc32fast::hash(content) != u32::from_le_bytes(*checksum) {
            return Err(damaged("its checksum does not fit"));
        }
        let end = rest.iter().position(|byte| *byte == b'\n').ok_or_else(cut_short)?;
        let terms: Terms =
            serde_json::from_slice(&rest[..end]).map_err(|cause| damaged(cause.to_string()))?;
        if terms.real != REAL {
            return Err(damaged(format!(
                "it holds {} numbers, this program was built for {REAL}",
                terms.real
            )));
        }
        let mut rest = &rest[end + 1..];
        let gain = Gain::read(&mut rest).map_err(|cause| damaged(cause.to_string()))?;
        let features = FeatureGain::read(&mut rest).ok_or_else(|| damaged("what it says of features"))?;
        if terms.known_labels > terms.labels.len() {
            return Err(damaged("it has fewer labels than its base"));
        }
        if rest.is_empty() { Ok(Self { terms, gain, features }) } else { Err(damaged("more bytes follow")) }
    }
}
