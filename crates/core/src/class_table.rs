//! A table with K cells per feature, one for each class. Classes may be added at any time.

use crate::batch::BIAS;
use crate::cell::{Cell, stays_finite};
use crate::codec::{read_cells, write_cells};
use crate::learner::StateError;
use crate::slots::Slot;
use crate::table::Table;

/// A model file that claims more classes than this is not believed.
const MOST_CLASSES: usize = 1 << 20;

/// One cell for each feature and class.
#[derive(Clone, Debug)]
pub(crate) struct ClassTable<C> {
    fresh: C,
    classes: usize,
    slots: Table<Slot>,
    /// `classes` cells for every slot.
    cells: Vec<C>,
}

impl<C: Cell> ClassTable<C> {
    /// An empty table for so many classes.
    pub(crate) fn new(fresh: C, classes: usize) -> Self {
        Self { fresh, classes, slots: Table::new(Slot { number: 0 }), cells: Vec::new() }
    }

    /// Cells per feature.
    pub(crate) fn classes(&self) -> usize {
        self.classes
    }

    /// Adds fresh cells for new classes to every feature.
    pub(crate) fn grow(&mut self, classes: usize) {
        if classes <= self.classes {
            return;
        }
        let rows = self.cells.len() / self.classes.max(1);
        let mut wider = Vec::with_capacity(rows * classes);
        for row in self.cells.chunks_exact(self.classes.max(1)) {
            wider.extend_from_slice(row);
            wider.resize(wider.len() + classes - self.classes, self.fresh);
        }
        self.cells = wider;
        self.classes = classes;
    }

    /// Appends the feature's cells, one per class.
    #[inline]
    pub(crate) fn gather(&self, feature: u32, into: &mut Vec<C>) {
        match self.slots.get(feature).number as usize {
            0 => into.resize(into.len() + self.classes, self.fresh),
            slot => into.extend_from_slice(&self.cells[(slot - 1) * self.classes..slot * self.classes]),
        }
    }

    /// The feature's cells, if it has any.
    #[inline]
    pub(crate) fn get(&self, feature: u32) -> Option<&[C]> {
        match self.slots.get(feature).number as usize {
            0 => None,
            slot => Some(&self.cells[(slot - 1) * self.classes..slot * self.classes]),
        }
    }

    /// Stores the feature's cells.
    #[inline]
    pub(crate) fn set(&mut self, feature: u32, row: &[C]) {
        let slot = match self.slots.get(feature).number as usize {
            0 => {
                let slot = self.cells.len() / self.classes + 1;
                self.cells.resize(slot * self.classes, self.fresh);
                self.slots.set(feature, Slot { number: slot as u32 });
                slot
            }
            slot => slot,
        };
        self.cells[(slot - 1) * self.classes..slot * self.classes].copy_from_slice(row);
    }

    /// See [`Table::renumber`].
    pub(crate) fn renumber(&mut self, new: impl Fn(u32) -> Option<u32>) {
        let mut table = Self::new(self.fresh, self.classes);
        for (feature, row) in self.live() {
            let number = if feature == BIAS { Some(BIAS) } else { new(feature) };
            if let Some(number) = number {
                table.set(number, row);
            }
        }
        *self = table;
    }

    /// Changes every cell.
    pub(crate) fn for_each_mut(&mut self, change: impl Fn(&mut C)) {
        self.cells.iter_mut().for_each(change);
    }

    /// Would every cell still be finite after the change?
    pub(crate) fn stays_finite(&self, change: &impl Fn(&mut C)) -> bool {
        self.cells.iter().all(|cell| stays_finite(cell, change))
    }

    /// The features that have something to remember, in increasing order, with their cells.
    pub(crate) fn live(&self) -> impl Iterator<Item = (u32, &[C])> {
        let rows = self.slots.live().filter_map(|(feature, _)| Some((feature, self.get(feature)?)));
        rows.filter(|(_, row)| row.iter().any(|cell| *cell != self.fresh))
    }

    /// Bytes that the cells occupy in memory.
    pub(crate) fn memory(&self) -> usize {
        self.slots.memory() + self.cells.capacity() * size_of::<C>()
    }

    /// Appends the features that have something to remember, and `classes` cells for each.
    pub(crate) fn write(&self, out: &mut Vec<u8>) {
        write_cells(self.live(), out);
    }

    /// Reads what [`Self::write`] wrote.
    pub(crate) fn read(fresh: C, classes: usize, bytes: &[u8]) -> Result<Self, StateError> {
        if classes > MOST_CLASSES {
            return Err(StateError::new("classes"));
        }
        let mut table = Self::new(fresh, classes);
        read_cells(bytes, classes, |feature, row| table.set(feature, row))?;
        Ok(table)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cell::Plain;

    fn plain(w: f64) -> Plain {
        Plain { w: w as crate::Real }
    }

    #[test]
    fn cells_stay_with_their_feature_when_classes_are_added() {
        let mut table = ClassTable::new(plain(0.0), 2);
        table.set(9, &[plain(1.0), plain(2.0)]);
        table.set(4_000_000_000, &[plain(3.0), plain(4.0)]);
        table.set(5, &[plain(0.0), plain(0.0)]);
        table.grow(3);
        let rows: Vec<_> = table.live().map(|(feature, row)| (feature, row.to_vec())).collect();
        assert_eq!(
            rows,
            [
                (9, vec![plain(1.0), plain(2.0), plain(0.0)]),
                (4_000_000_000, vec![plain(3.0), plain(4.0), plain(0.0)])
            ]
        );
        let mut bytes = Vec::new();
        table.write(&mut bytes);
        let back = ClassTable::read(plain(0.0), 3, &bytes).unwrap();
        assert_eq!(back.live().map(|(f, row)| (f, row.to_vec())).collect::<Vec<_>>(), rows);
        assert!(ClassTable::read(plain(0.0), 2, &bytes).is_err());
    }
}
