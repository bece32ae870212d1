//! What is known of features besides what a learner knows: what they are called, how large their values are, how often they occur.

use std::borrow::Borrow;

use thalweg_core::model::Sections;
use thalweg_core::{Batch, Row};

use crate::examples::reading::Reading;
use crate::names::eviction::Eviction;
use crate::names::feature_names::{FeatureNames, Naming};
use crate::names::vocabulary::Damage;
use crate::prepare::preparation::Prepare;
use crate::prepare::scales::Scales;

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
        prepare_all(prepare, batch, memory, &mut self.scales, Scales::observe)
    }

    /// Prepares examples that are to be scored.
    pub fn prepare_to_score<'a>(
        &self,
        prepare: Prepare,
        batch: &'a Batch,
        memory: &'a mut Batch,
    ) -> &'a Batch {
        prepare_all(prepare, batch, memory, &mut &self.scales, |_, _| {})
    }

    /// The form that a model keeps.
    pub fn write(&self) -> Sections {
        let counts = self.eviction.as_ref().map(Eviction::write).unwrap_or_default();
        let all = [(NAMES, self.names.write()), (SCALES, self.scales.write()), (COUNTS, counts)];
        let some = all.into_iter().filter(|(_, bytes)| !bytes.is_empty());
        some.map(|(name, bytes)| (name.to_string(), bytes)).collect()
    }

    /// Reads what a model keeps that was made with these options.
    pub fn read(reading: &Reading, prepare: Prepare, sections: &Sections) -> Result<Self, Damage> {
        let section = |name: &str| sections.get(name).map(Vec::as_slice).unwrap_or_default();
        let names = FeatureNames::read(reading.naming.unwrap_or(Naming::Numbers), section(NAMES))?;
        let scales = Scales::read(prepare.scale, section(SCALES)).ok_or(Damage::Scales)?;
        let eviction =
            reading.max_features.map(|limit| Eviction::read(limit, section(COUNTS)).ok_or(Damage::Counts));
        Ok(Self { names, scales, eviction: eviction.transpose()? })
    }
}

/// Prepares all examples with the scales that there are when it is an example's turn.
fn prepare_all<'a, S: Borrow<Scales>>(
    prepare: Prepare,
    batch: &'a Batch,
    memory: &'a mut Batch,
    scales: &mut S,
    observe: impl Fn(&mut S, Row),
) -> &'a Batch {
    if prepare == Prepare::default() {
        return batch;
    }
    memory.clear();
    let (alone, in_order) = (prepare.alone(), prepare.in_order());
    let mut by_itself = Batch::default();
    for i in 0..batch.len() {
        match in_order {
            None => alone.apply_to(batch, i, memory, |_, x| x),
            Some(rest) => {
                by_itself.clear();
                alone.apply_to(batch, i, &mut by_itself, |_, x| x);
                observe(scales, by_itself.row(0));
                rest.apply_to(&by_itself, 0, memory, |feature, x| (*scales).borrow().apply(feature, x));
            }
        }
    }
    memory
}
