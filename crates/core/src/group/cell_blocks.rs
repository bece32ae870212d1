//! The cells of many learners: all that are about one feature are next to each other.

use crate::batch::Row;
use crate::cell::{Cell, stays_finite};
use crate::fetch::fetch;
use crate::large_pages::with_room;
use crate::linear::Home;
use crate::slots::Slot;
use crate::table::Table;

/// A processor fetches so many bytes at a time.
const LINE: usize = 64;
/// Blocks that take more bytes than this are asked for ahead.
const LARGE: usize = 1 << 20;

/// A block of cells for each feature, with one cell for each learner.
#[derive(Clone)]
pub(super) struct CellBlocks<C> {
    /// The number of a feature's block. Block 0 is that of features never seen.
    numbers: Table<Slot>,
    /// The blocks, one after the other.
    cells: Vec<C>,
    width: usize,
}

impl<C: Cell> CellBlocks<C> {
    /// Blocks of no learner.
    pub(super) fn new() -> Self {
        Self { numbers: Table::new(Slot { number: 0 }), cells: Vec::new(), width: 0 }
    }

    /// Adds a learner, with what it knows.
    pub(super) fn add_member(&mut self, table: &Table<C>) {
        let blocks = self.cells.len().checked_div(self.width).unwrap_or(1);
        let mut wider = with_room((self.width + 1) * blocks);
        for block in 0..blocks {
            wider.extend_from_slice(&self.cells[block * self.width..(block + 1) * self.width]);
            wider.push(table.fresh());
        }
        (self.cells, self.width) = (wider, self.width + 1);
        for (feature, cell) in table.live() {
            let start = self.start_to_write(feature);
            self.cells[start + self.width - 1] = *cell;
        }
    }

    /// Takes a learner out.
    pub(super) fn remove_member(&mut self, member: usize) {
        let width = self.width;
        let mut column = 0;
        self.cells.retain(|_| {
            let kept = column != member;
            column = (column + 1) % width;
            kept
        });
        self.width -= 1;
    }

    /// What one learner knows, on its own.
    pub(super) fn table_of(&self, member: usize) -> Table<C> {
        let fresh = self.cells[member];
        let mut table = Table::new(fresh);
        for (feature, slot) in self.numbers.live() {
            let cell = self.cells[slot.number as usize * self.width + member];
            if cell != fresh {
                table.set(feature, cell);
            }
        }
        table
    }

    /// How many cells of a learner, of features that it knows, are like this.
    pub(super) fn count(&self, member: usize, is: impl Fn(&C) -> bool) -> usize {
        let fresh = self.cells[member];
        let cells = self.cells.iter().skip(member).step_by(self.width);
        cells.filter(|cell| **cell != fresh && is(cell)).count()
    }

    pub(super) fn memory(&self) -> usize {
        self.numbers.memory() + self.cells.capacity() * size_of::<C>()
    }

    /// Where the blocks of an example's features begin. Features never seen get one if the example is to be learned from.
    #[inline(always)]
    pub(super) fn find(&mut self, row: Row, is_learned: bool, starts: &mut Vec<usize>) {
        starts.clear();
        starts.extend(
            row.indices.iter().map(|feature| self.numbers.get(*feature).number as usize * self.width),
        );
        if is_learned {
            for (start, feature) in starts.iter_mut().zip(row.indices) {
                if *start == 0 {
                    *start = self.start_to_write(*feature);
                }
            }
        }
    }

    /// Where the block of a feature begins; a new feature gets one.
    fn start_to_write(&mut self, feature: u32) -> usize {
        let number = self.numbers.get(feature).number as usize;
        if number > 0 {
            return number * self.width;
        }
        let start = self.cells.len();
        if start + self.width > self.cells.capacity() {
            let mut grown = with_room(2 * self.cells.capacity() + self.width);
            grown.append(&mut self.cells);
            self.cells = grown;
        }
        self.cells.extend_from_within(..self.width);
        self.numbers.set(feature, Slot { number: (start / self.width) as u32 });
        start
    }

    /// Lets the processor fetch the blocks that begin here, if there are more than it has at hand.
    #[inline(always)]
    pub(super) fn fetch(&self, starts: &[usize]) {
        if self.cells.len() * size_of::<C>() <= LARGE {
            return;
        }
        for start in starts {
            for at in (0..self.width).step_by((LINE / size_of::<C>()).max(1)) {
                fetch(self.cells.as_ptr().wrapping_add(start + at));
            }
        }
    }

    /// The cell that a learner has for features never seen.
    #[inline(always)]
    pub(super) fn fresh(&self, member: usize) -> C {
        self.cells[member]
    }

    /// Copies the cells of a learner from the blocks that begin here.
    #[inline(always)]
    pub(super) fn gather(&self, member: usize, starts: &[usize], cells: &mut [C]) {
        let from = &self.cells[member..];
        for (cell, start) in cells.iter_mut().zip(starts) {
            *cell = from[*start];
        }
    }
}

/// The cells of one learner, of an example whose blocks have been found.
pub(super) struct Column<'a, C> {
    pub(super) blocks: &'a mut CellBlocks<C>,
    pub(super) member: usize,
    pub(super) starts: &'a [usize],
}

impl<C: Cell> Home<C> for Column<'_, C> {
    #[inline(always)]
    fn store(&mut self, _features: &[u32], cells: &[C], _places: &[usize]) {
        let to = &mut self.blocks.cells[self.member..];
        for (cell, start) in cells.iter().zip(self.starts) {
            to[*start] = *cell;
        }
    }

    #[cold]
    fn stay_finite(&self, change: &impl Fn(&mut C)) -> bool {
        let cells = self.blocks.cells.iter().skip(self.member).step_by(self.blocks.width);
        cells.fold(true, |all, cell| all & stays_finite(cell, change))
    }

    /// All but the block of features never seen, which stay fresh.
    #[cold]
    fn change_all(&mut self, change: impl Fn(&mut C)) {
        let (width, first) = (self.blocks.width, self.member + self.blocks.width);
        self.blocks.cells.iter_mut().skip(first).step_by(width).for_each(change);
    }

    fn table(&mut self) -> Option<&mut Table<C>> {
        None
    }
}
