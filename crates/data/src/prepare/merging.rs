//! Scales that several have learned, as those of one.

use thalweg_core::cell::Cell;
use thalweg_core::merge::{Gain, Numbering};
use thalweg_core::table::Table;
use thalweg_core::{BIAS, Real};

use super::scales::{Largest, Scale, Scales, Squares, Sums};

/// By their numbers in bytes.
const SCALES: [Option<Scale>; 5] =
    [None, Some(Scale::Typical), Some(Scale::Max), Some(Scale::Deviation), Some(Scale::Rms)];

/// What scales have learned since a base, as sums.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct ScaleGain {
    /// Whose sums these are: of magnitudes the largest is taken, all others add up.
    pub(crate) scale: Option<Scale>,
    pub(crate) sums: Gain,
    /// Of typical values: those of common features, and what the lengths of examples are.
    pub(crate) moments: Gain,
    pub(crate) lengths: u16,
}

impl ScaleGain {
    pub(crate) fn of(sums: Gain) -> Self {
        Self { sums, ..Self::default() }
    }

    /// Adds what another has learned; nothing if it scales in another way.
    pub(crate) fn add(&mut self, other: &Self) -> Option<()> {
        if other.scale.is_none() || self.scale.is_none() {
            if self.scale.is_none() {
                *self = other.clone();
            }
            return Some(());
        }
        if self.scale != other.scale {
            return None;
        }
        if self.scale == Some(Scale::Max) {
            self.sums.join(&other.sums, f64::max);
        } else {
            self.sums.add(&other.sums);
        }
        self.moments.add(&other.moments);
        self.lengths = super::unit_length::Lengths::joined_numbers(self.lengths, other.lengths)?;
        Some(())
    }

    pub(crate) fn renumber(&mut self, new: &dyn Fn(u32) -> u32) {
        self.sums.renumber(new);
        self.moments.renumber(new);
    }

    pub(crate) fn write(&self, out: &mut Vec<u8>) {
        let place = SCALES.iter().position(|scale| *scale == self.scale).unwrap_or_default();
        out.push(place as u8);
        out.extend_from_slice(&self.lengths.to_le_bytes());
        self.sums.write(out);
        self.moments.write(out);
    }

    pub(crate) fn read(bytes: &mut &[u8]) -> Option<Self> {
        let (place, rest) = bytes.split_first()?;
        let scale = *SCALES.get(usize::from(*place))?;
        let (lengths, mut rest) = rest.split_first_chunk()?;
        let (sums, moments) = (Gain::read(&mut rest).ok()?, Gain::read(&mut rest).ok()?);
        *bytes = rest;
        Some(Self { scale, sums, moments, lengths: u16::from_le_bytes(*lengths) })
    }
}

/// The gains of all features of a table; `gain` works out that of one, and says whether there is any.
pub(super) fn gain_of_table<C: Cell>(
    now: &Table<C>,
    base: &Table<C>,
    sums: usize,
    numbering: &dyn Numbering,
    mut gain: impl FnMut(&C, &C, &mut [f64]) -> bool,
) -> Gain {
    let of_gain = |feature: u32| if feature == BIAS { BIAS } else { numbering.of_gain(feature) };
    let mut features: Vec<(u32, &C)> = now.live().map(|(feature, cell)| (of_gain(feature), cell)).collect();
    features.sort_unstable_by_key(|(number, _)| *number);
    let (mut all, mut row) = (Gain::of_features(sums), vec![0.0; sums]);
    for (number, cell) in features {
        if cell != base.get(number) && gain(cell, base.get(number), &mut row) {
            all.push(number, &row);
        }
    }
    all
}

/// By how much two numbers have grown.
fn grown(now: [f64; 2], before: [f64; 2], gain: &mut [f64]) -> bool {
    gain.copy_from_slice(&[now[0] - before[0], now[1] - before[1]]);
    true
}

impl Scales {
    /// What they have learned since a base.
    pub(crate) fn gain(&self, base: &Self, numbering: &dyn Numbering) -> ScaleGain {
        let fresh;
        let base = if matches!(base, Scales::None) {
            fresh = Self::new(self.scale());
            &fresh
        } else {
            base
        };
        let gain = match (self, base) {
            (Scales::Typical(now), Scales::Typical(base)) => now.gain(base, numbering),
            (Scales::Max(now), Scales::Max(base)) => {
                let magnitude = |now: &Largest, _: &Largest, gain: &mut [f64]| {
                    gain[0] = f64::from(now.magnitude);
                    true
                };
                ScaleGain::of(gain_of_table(now, base, 1, numbering, magnitude))
            }
            (Scales::Deviation(now, examples), Scales::Deviation(base, before)) => {
                let sums = |now: &Sums, before: &Sums, gain: &mut [f64]| {
                    grown([now.values, now.squares], [before.values, before.squares], gain)
                };
                let mut gain = ScaleGain::of(gain_of_table(now, base, 2, numbering, sums));
                gain.sums.set_common(vec![examples.saturating_sub(*before) as f64]);
                gain
            }
            (Scales::Rms(now), Scales::Rms(base)) => {
                let sums = |now: &Squares, before: &Squares, gain: &mut [f64]| {
                    grown([now.occurrences, now.squares], [before.occurrences, before.squares], gain)
                };
                ScaleGain::of(gain_of_table(now, base, 2, numbering, sums))
            }
            _ => return ScaleGain::default(),
        };
        ScaleGain { scale: self.scale(), ..gain }
    }

    /// Takes in what others have learned; nothing if they scale in another way.
    pub(crate) fn take_in(&mut self, gain: &ScaleGain) -> Option<()> {
        if gain.scale.is_none() {
            return Some(());
        }
        if matches!(self, Scales::None) {
            *self = Self::new(gain.scale);
        }
        if self.scale() != gain.scale {
            return None;
        }
        let features = gain.sums.features();
        match self {
            Scales::None => {}
            Scales::Typical(typical) => typical.take_in(gain)?,
            Scales::Max(table) => {
                for (feature, sums) in features {
                    let magnitude = (*sums.first()? as Real).max(table.get(feature).magnitude);
                    table.set(feature, Largest { magnitude });
                }
            }
            Scales::Deviation(table, examples) => {
                for (feature, sums) in features {
                    let [value, square] = sums.first_chunk()?;
                    let Sums { values, squares } = *table.get(feature);
                    table.set(feature, Sums { values: values + value, squares: squares + square });
                }
                *examples = examples.saturating_add(gain.sums.common().first().copied()? as u64);
            }
            Scales::Rms(table) => {
                for (feature, sums) in features {
                    let [more, square] = sums.first_chunk()?;
                    let Squares { occurrences, squares } = *table.get(feature);
                    let sum = Squares { occurrences: occurrences + more, squares: squares + square };
                    table.set(feature, sum);
                }
            }
        }
        Some(())
    }

    fn scale(&self) -> Option<Scale> {
        match self {
            Scales::None => None,
            Scales::Typical(_) => Some(Scale::Typical),
            Scales::Max(_) => Some(Scale::Max),
            Scales::Deviation(..) => Some(Scale::Deviation),
            Scales::Rms(_) => Some(Scale::Rms),
        }
    }
}
