//! How large the values of features are, learned as the stream goes by: what every value is divided by.
//!
//! An example is counted first and divided then, so that the first value of a feature is not out of all proportion. A model keeps what was
//! counted, and a model that does not learn does not count.

use serde::{Deserialize, Serialize};
use thalweg_core::batch::{Row, RowMut};
use thalweg_core::table::Table;
use thalweg_core::{Real, cell};

use super::typical::{KnownValues, TypicalValues};
use super::unit_length::Scaled;

/// What values are divided by.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Scale {
    /// Values stay as they are.
    None,
    /// What is typical of the feature so far: values of usual size become 1, large ones are compressed, and features that every example has are
    /// centred. Sparse data whose examples all have length 1 is left as it is, as its units were chosen by somebody; [`Norm::Count`](super::Norm::Count) leaves it, too. Where examples are scored, a
    /// feature that was never learned from is left out.
    Typical,
    /// The largest magnitude of the feature so far. Values are between −1 and 1, and those that are always 1 stay so.
    Max,
    /// The feature's standard deviation so far, absent values counted as zeros. The mean is not subtracted: what is absent must
    /// stay absent.
    Deviation,
    /// The root mean square of the feature over its own occurrences so far. Values that are always 1 stay so. Where examples are scored, a
    /// feature that was never learned from is left out.
    Rms,
}

cell! {
    /// The largest magnitude.
    pub struct Largest {
        /// Of all values so far.
        magnitude: Real,
    }
}

cell! {
    /// What a standard deviation is made of.
    pub struct Sums {
        /// Σx.
        values: f64,
        /// Σx².
        squares: f64,
    }
}

cell! {
    /// What a root mean square is made of.
    pub struct Squares {
        /// How often the feature occurred.
        occurrences: f64,
        /// Σx².
        squares: f64,
    }
}

const NEVER: Squares = Squares { occurrences: 0.0, squares: 0.0 };

/// What was counted so far.
#[derive(Clone, Debug, Default)]
pub enum Scales {
    /// Values stay as they are.
    #[default]
    None,
    /// See [`Scale::Typical`].
    Typical(Box<TypicalValues>),
    /// See [`Scale::Max`].
    Max(Table<Largest>),
    /// See [`Scale::Deviation`].
    Deviation(Table<Sums>, u64),
    /// See [`Scale::Rms`].
    Rms(Table<Squares>),
}

/// What scales the values of an example.
pub(crate) trait Scaler {
    /// Scales them.
    fn scale(&mut self, row: &mut RowMut) -> Scaled;
}

/// Nothing is scaled.
pub(crate) struct AsTheyAre;

impl Scaler for AsTheyAre {
    #[inline(always)]
    fn scale(&mut self, _: &mut RowMut) -> Scaled {
        Scaled::EachFeature
    }
}

/// Scales that are learned: they count an example before they scale it, unless it has no importance.
impl Scaler for &mut Scales {
    #[inline(always)]
    fn scale(&mut self, row: &mut RowMut) -> Scaled {
        match self {
            _ if row.importance == 0.0 => self.known().scale(row),
            Scales::Typical(typical) => typical.learn_from(row),
            _ => {
                self.observe(row.row());
                self.apply_to(row)
            }
        }
    }
}

/// Scales that stay as they are.
pub(crate) enum KnownScales<'a> {
    Typical(KnownValues<'a>),
    Others(&'a Scales),
}

impl Scaler for KnownScales<'_> {
    #[inline(always)]
    fn scale(&mut self, row: &mut RowMut) -> Scaled {
        match self {
            KnownScales::Typical(typical) => typical.scale(row),
            KnownScales::Others(scales) => scales.apply_to(row),
        }
    }
}

impl Scales {
    /// Nothing seen so far.
    pub fn new(scale: Option<Scale>) -> Self {
        match scale {
            None | Some(Scale::None) => Scales::None,
            Some(Scale::Typical) => Scales::Typical(Box::default()),
            Some(Scale::Max) => Scales::Max(Table::new(Largest { magnitude: 0.0 })),
            Some(Scale::Deviation) => Scales::Deviation(Table::new(Sums { values: 0.0, squares: 0.0 }), 0),
            Some(Scale::Rms) => Scales::Rms(Table::new(NEVER)),
        }
    }

    /// Bytes of memory that they hold.
    pub(crate) fn memory(&self) -> usize {
        match self {
            Scales::None => 0,
            Scales::Typical(typical) => typical.memory(),
            Scales::Max(table) => table.memory(),
            Scales::Deviation(table, _) => table.memory(),
            Scales::Rms(table) => table.memory(),
        }
    }

    /// These scales, for examples that are scored.
    pub(crate) fn known(&self) -> KnownScales<'_> {
        match self {
            Scales::Typical(typical) => KnownScales::Typical(typical.known()),
            others => KnownScales::Others(others),
        }
    }

    /// Are examples left as they are, because they have length 1?
    pub fn leave_unit_length(&self) -> bool {
        matches!(self, Scales::Typical(typical) if typical.leave_unit_length())
    }

    fn apply_to(&self, row: &mut RowMut) -> Scaled {
        for (feature, x) in row.indices.iter().zip(row.values.iter_mut()) {
            *x = self.apply(*feature, *x);
        }
        Scaled::EachFeature
    }

    fn observe(&mut self, row: Row) {
        match self {
            Scales::None | Scales::Typical(_) => {}
            Scales::Max(table) => {
                for (feature, x) in row.indices.iter().zip(row.values) {
                    if x.abs() > table.get(*feature).magnitude {
                        table.set(*feature, Largest { magnitude: x.abs() });
                    }
                }
            }
            Scales::Deviation(table, examples) => {
                *examples += 1;
                for (feature, x) in row.iter() {
                    let Sums { values, squares } = *table.get(feature);
                    table.set(feature, Sums { values: values + x, squares: squares + x * x });
                }
            }
            Scales::Rms(table) => {
                for (feature, x) in row.iter() {
                    let Squares { occurrences, squares } = *table.get(feature);
                    table.set(feature, Squares { occurrences: occurrences + 1.0, squares: squares + x * x });
                }
            }
        }
    }

    /// A value of a feature, divided.
    fn apply(&self, feature: u32, value: Real) -> Real {
        let divisor = match self {
            Scales::None => return value,
            Scales::Typical(_) => unreachable!("they scale whole examples"),
            Scales::Max(table) => f64::from(table.get(feature).magnitude),
            Scales::Deviation(table, examples) => {
                let Sums { values, squares } = *table.get(feature);
                let count = (*examples).max(1) as f64;
                let mean = values / count;
                (squares / count - mean * mean).max(0.0).sqrt()
            }
            Scales::Rms(table) => match *table.get(feature) {
                // What is 0 is not there.
                Squares { occurrences: 0.0, .. } => return 0.0,
                Squares { occurrences, squares } => (squares / occurrences).sqrt(),
            },
        };
        // A feature never seen, or one that is always the same, is left alone.
        if divisor > 0.0 {
            (f64::from(value) / divisor).clamp(f64::from(Real::MIN), f64::from(Real::MAX)) as Real
        } else {
            value
        }
    }

    /// Gives features other numbers; those that get none are forgotten.
    pub(crate) fn renumber(&mut self, new: impl Fn(u32) -> Option<u32>) {
        match self {
            Scales::None => {}
            Scales::Typical(typical) => typical.renumber(new),
            Scales::Max(table) => table.renumber(new),
            Scales::Deviation(table, _) => table.renumber(new),
            Scales::Rms(table) => table.renumber(new),
        }
    }

    /// The form that a model keeps.
    pub fn write(&self) -> Vec<u8> {
        let mut bytes = Vec::new();
        match self {
            Scales::None => {}
            Scales::Typical(typical) => typical.write(&mut bytes),
            Scales::Max(table) => table.write(&mut bytes),
            Scales::Rms(table) => table.write(&mut bytes),
            Scales::Deviation(table, examples) => {
                bytes.extend_from_slice(&examples.to_le_bytes());
                table.write(&mut bytes);
            }
        }
        bytes
    }

    /// Reads what [`Scales::write`] wrote; nothing if it is something else.
    pub fn read(scale: Option<Scale>, bytes: &[u8]) -> Option<Self> {
        Some(match Self::new(scale) {
            Scales::None => Scales::None,
            Scales::Typical(_) => Scales::Typical(Box::new(TypicalValues::read(bytes).ok()?)),
            Scales::Max(_) => Scales::Max(Table::read(Largest { magnitude: 0.0 }, bytes).ok()?),
            Scales::Rms(_) => Scales::Rms(Table::read(NEVER, bytes).ok()?),
            Scales::Deviation(..) => {
                let (examples, cells) = bytes.split_first_chunk()?;
                let table = Table::read(Sums { values: 0.0, squares: 0.0 }, cells).ok()?;
                Scales::Deviation(table, u64::from_le_bytes(*examples))
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use thalweg_core::{BIAS, Batch};

    use super::super::preparation::Prepare;
    use super::*;

    fn scaled(scales: &mut Scales, rows: &[&[(u32, f64)]]) -> Vec<Vec<Real>> {
        let mut batch = Batch::default();
        rows.iter().for_each(|row| _ = batch.push(row.iter().copied(), None).unwrap());
        Prepare::default().finish(&mut batch, scales);
        (0..batch.len()).map(|i| batch.row(i).values.to_vec()).collect()
    }

    #[test]
    fn values_are_divided_by_the_largest_so_far() {
        let mut scales = Scales::new(Some(Scale::Max));
        let rows: [&[(u32, f64)]; 3] = [&[(1, 4.0), (2, 1.0)], &[(1, -8.0)], &[(1, 4.0), (BIAS, 3.0)]];
        assert_eq!(scaled(&mut scales, &rows), [vec![1.0, 1.0], vec![-1.0], vec![0.5, 3.0]]);
        assert_eq!(scales.apply(77, 5.0), 5.0);
        let again = Scales::read(Some(Scale::Max), &scales.write()).unwrap();
        assert_eq!(again.apply(1, 2.0), 0.25);
        scales.renumber(|feature| (feature == 1).then_some(5));
        assert_eq!((scales.apply(5, 2.0), scales.apply(1, 2.0)), (0.25, 2.0));
    }

    #[test]
    fn values_are_divided_by_their_root_mean_square() {
        let mut scales = Scales::new(Some(Scale::Rms));
        let rows: [&[(u32, f64)]; 3] = [&[(1, 3.0), (2, 1.0)], &[(2, 1.0)], &[(1, -4.0), (BIAS, 3.0)]];
        let all = scaled(&mut scales, &rows);
        assert_eq!((&all[0][..], &all[1][..]), (&[1.0, 1.0][..], &[1.0][..]));
        assert!((f64::from(all[2][0]) + 4.0 / 12.5f64.sqrt()).abs() < 1e-6);
        assert_eq!(
            (all[2][1], scales.apply(77, 5.0)),
            (3.0, 0.0),
            "the bias stays, what was never seen is left out"
        );
        let again = Scales::read(Some(Scale::Rms), &scales.write()).unwrap();
        assert_eq!(again.apply(1, -4.0), all[2][0]);
        scales.renumber(|feature| (feature == 1).then_some(5));
        assert_eq!((scales.apply(5, -4.0), scales.apply(1, 2.0)), (all[2][0], 0.0));
    }

    #[test]
    fn values_are_divided_by_their_deviation_with_absent_ones_as_zeros() {
        let mut scales = Scales::new(Some(Scale::Deviation));
        let rows: [&[(u32, f64)]; 3] = [&[(1, 2.0)], &[(2, 5.0)], &[(1, 4.0)]];
        let all = scaled(&mut scales, &rows);
        assert_eq!((all[0][0], all[1][0]), (2.0, 2.0));
        // 2, 0, 4: the mean is 2, the variance 8/3.
        assert!((f64::from(all[2][0]) - 4.0 / (8.0f64 / 3.0).sqrt()).abs() < 1e-6);
        let again = Scales::read(Some(Scale::Deviation), &scales.write()).unwrap();
        assert_eq!(again.apply(1, 4.0), all[2][0]);
        assert!(Scales::read(Some(Scale::Deviation), b"short").is_none());
        assert!(Scales::read(Some(Scale::Max), &scales.write()).is_none());
    }
}
