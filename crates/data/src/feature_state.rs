//! What is known of features besides what a learner knows: what they are called, how large their values are, how often they occur.

use thalweg_core::Batch;
use thalweg_core::model::Sections;

use crate::examples::reading::Reading;
use crate::names::eviction::Eviction;
use crate::names::feature_names::{FeatureNames, Naming};
use crate::names::vocabulary::Damage;
use crate::prepare::preparation::Prepare;
use crate::prepare::scales::{Scaler, Scales};

/// What a stream finds out about its features, and a model keeps.
#[derive(Clone, Debug, Default)]
pub struct FeatureState {
    /// What they are called.
    pub names: FeatureNames,
    /// How large their values are.
    pub scales: Scales,
    /// How often they occur, if there is a limit to their number.
    pub eviction: Option<Eviction>,
}

const NAMES: &str = "names";
const SCALES: &str = "scales";
const COUNTS: &str = "counts";

impl FeatureState {
    /// Bytes of memory that it holds.
    pub fn memory(&self) -> usize {
        self.names.memory() + self.scales.memory() + self.eviction.as_ref().map_or(0, Eviction::memory)
    }

    /// Prepares examples that are to be learned from, and learns their scales. What is left as it is need not be copied to `memory`.
    pub fn prepare_to_learn<'a>(
        &mut self,
        prepare: Prepare,
        batch: &'a Batch,
        memory: &'a mut Batch,
    ) -> &'a Batch {
        if prepare.scale.is_some() && matches!(self.scales, Scales::None) {
            self.scales = Scales::new(prepare.scale);
        }
        prepare_all(prepare, batch, memory, &mut self.scales)
    }

    /// Prepares examples that are to be scored.
    pub fn prepare_to_score<'a>(
        &self,
        prepare: Prepare,
        batch: &'a Batch,
        memory: &'a mut Batch,
    ) -> &'a Batch {
        prepare_all(prepare, batch, memory, self.scales.known())
    }

    /// The form that a model keeps.
    pub fn write(&self) -> Sections {
        let counts = self.eviction.as_ref().map(Eviction::write).unwrap_or_default();
        let all = [(NAMES, self.names.write()), (SCALES, self.scales.write()), (COUNTS, counts)];
        let some = all.into_iter().filter(|(_, bytes)| !bytes.is_empty());
        some.map(|(name, bytes)| (name.to_string(), bytes)).collect()
    }

    /// Reads what a model keeps that was made with these options. One that has read nothing keeps no scales or counts.
    pub fn read(reading: &Reading, prepare: Prepare, sections: &Sections) -> Result<Self, Damage> {
        let names = sections.get(NAMES).map(Vec::as_slice).unwrap_or_default();
        let names = FeatureNames::read(reading.naming.unwrap_or(Naming::Numbers), names)?;
        let scales = match sections.get(SCALES) {
            Some(bytes) => Scales::read(prepare.scale, bytes).ok_or(Damage::Scales)?,
            None => Scales::None,
        };
        let counts = reading.max_features.zip(sections.get(COUNTS));
        let eviction = counts.map(|(limit, bytes)| Eviction::read(limit, bytes).ok_or(Damage::Counts));
        Ok(Self { names, scales, eviction: eviction.transpose()? })
    }
}

/// Prepares all examples.
fn prepare_all<'a>(
    prepare: Prepare,
    batch: &'a Batch,
    memory: &'a mut Batch,
    scaler: impl Scaler,
) -> &'a Batch {
    if prepare == Prepare::default() {
        return batch;
    }
    prepare.alone().apply_to_all(batch, memory);
    if let Some(rest) = prepare.in_order() {
        rest.finish(memory, scaler);
    }
    memory
}
