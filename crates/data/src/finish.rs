//! What is done to examples in the order of the stream, by the thread that learns from them: names get their numbers, values
//! their scale.

use thalweg_core::{BIAS, Batch};

use crate::features::Prepare;
use crate::known::Known;
use crate::names::Vocabulary;
use crate::reader::Purpose;
use crate::reading::FeatureNames;
use crate::room::{NewNumbers, Room};

/// What is known so far, and what is left to do.
#[derive(Default)]
pub(crate) struct Finish {
    pub(crate) known: Known,
    /// What is left to prepare once values are scaled; nothing if they are not.
    pub(crate) prepare: Option<Prepare>,
    pub(crate) purpose: Purpose,
    /// Examples before they are scaled.
    raw: Batch,
}

/// Examples that wait for their turn, with the names of their portion.
#[derive(Debug, Default)]
pub(crate) struct Waiting {
    pub(crate) batch: Batch,
    /// The names of the features, if they have names: their numbers are places here.
    pub(crate) names: Vocabulary,
    /// The numbers of these names in the stream, as far as they are known.
    numbers: Vec<u32>,
}

/// No name has this number.
const UNKNOWN: u32 = BIAS;

impl Waiting {
    pub(crate) fn new(batch: Batch, names: Vocabulary) -> Self {
        let numbers = vec![UNKNOWN; names.len()];
        Self { batch, names, numbers }
    }

    /// Names have got other numbers.
    pub(crate) fn forget_numbers(&mut self) {
        self.numbers.fill(UNKNOWN);
    }
}

impl Finish {
    pub(crate) fn new(known: Known, prepare: Option<Prepare>, purpose: Purpose) -> Self {
        Self { known, prepare, purpose, raw: Batch::default() }
    }

    /// How many examples may come before features must have a chance to leave.
    pub(crate) fn until_look(&self) -> u64 {
        let room = self.known.room.as_ref().filter(|_| self.purpose == Purpose::Learning);
        room.map_or(u64::MAX, Room::until_look)
    }

    /// See [`Reader::make_room`](crate::Reader::make_room).
    pub(crate) fn make_room(&mut self, weighted: &dyn Fn() -> Vec<u32>) -> Option<NewNumbers> {
        let Known { names: FeatureNames::Names(names), scales, room: Some(room) } = &mut self.known else {
            return None;
        };
        let new = room.make(names, weighted)?;
        scales.renumber(|feature| new.of(feature));
        Some(new)
    }

    /// Finishes a batch, whose examples come from `waiting` and are the next in the stream.
    pub(crate) fn finish(&mut self, batch: &mut Batch, waiting: &mut Waiting) {
        if !waiting.names.is_empty() {
            let Waiting { names, numbers, .. } = waiting;
            batch.renumber(|local| {
                let number = &mut numbers[local as usize];
                if *number == UNKNOWN {
                    *number =
                        self.known.names.number(names.name(local).unwrap_or_default(), names.hash(local));
                }
                *number
            });
        }
        if let (Some(room), Purpose::Learning) = (&mut self.known.room, self.purpose) {
            room.observe(batch);
        }
        if let Some(prepare) = self.prepare {
            std::mem::swap(&mut self.raw, batch);
            batch.clear();
            let scales = &mut self.known.scales;
            for i in 0..self.raw.len() {
                if self.purpose == Purpose::Learning {
                    scales.observe(self.raw.row(i));
                }
                prepare.apply_to(&self.raw, i, batch, |feature, x| scales.apply(feature, x));
            }
        }
    }
}
