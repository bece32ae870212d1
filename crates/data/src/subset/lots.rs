//! Lots that examples draw.

use rand::{Rng, SeedableRng};
use rand_pcg::Pcg64;
use thalweg_core::Class;
use thalweg_core::random::scramble;

use super::class_counts::place;
use crate::error::{Error, Result};

/// Keeps the lots apart from a random order that has the same seed.
const STREAM: u64 = 0x6c6f_7473;

/// What examples draw: each belongs to a group, and draws one of the lots that are left for it.
#[derive(Clone, Debug)]
pub struct Lots {
    random: Pcg64,
    /// The group of every label, by its place.
    groups: Vec<usize>,
    urns: Vec<Urn>,
}

/// The lots of a group.
#[derive(Clone, Debug)]
pub(super) struct Urn {
    /// How many are left in all, and for each part. The others are blanks.
    pub(super) left: u64,
    pub(super) parts: Vec<u64>,
}

impl Lots {
    pub(super) fn new(seed: u64, groups: Vec<usize>, urns: Vec<Urn>) -> Self {
        Self { random: Pcg64::seed_from_u64(scramble(seed ^ STREAM)), groups, urns }
    }

    /// How many examples will be kept.
    pub fn winners(&self) -> u64 {
        self.urns.iter().flat_map(|urn| &urn.parts).sum()
    }

    /// The part of the next example, which has this label; none, if it is left out. Examples must come as they were counted.
    pub fn draw(&mut self, label: Option<Class>) -> Result<Option<usize>> {
        let urn = self.groups.get(place(label)).and_then(|group| self.urns.get_mut(*group));
        let urn = urn.filter(|urn| urn.left > 0).ok_or(Error::DataChanged)?;
        // A number below those that are left: the product with 64 random bits is as good as unbiased.
        let mut lot = ((u128::from(self.random.next_u64()) * u128::from(urn.left)) >> 64) as u64;
        urn.left -= 1;
        for (part, left) in urn.parts.iter_mut().enumerate() {
            if lot < *left {
                *left -= 1;
                return Ok(Some(part));
            }
            lot -= *left;
        }
        Ok(None)
    }
}
