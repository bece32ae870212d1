//! Blocks of as many examples each, however the data is cut into pieces: what happens at their ends does not depend on that.

use thalweg::{Batch, Examples, Observer, Result};

/// Examples that are learned from at once. Enough that waking threads costs nothing beside it, few enough to stay in a processor's cache.
pub(super) const BLOCK: usize = 2048;

/// Some examples, with their places in the data.
#[derive(Default)]
pub(super) struct Block {
    pub(super) batch: Batch,
    pub(super) ordinals: Vec<u64>,
}

impl Block {
    pub(super) fn is_empty(&self) -> bool {
        self.ordinals.is_empty()
    }

    fn clear(&mut self) {
        self.batch.clear();
        self.ordinals.clear();
    }
}

/// Cuts the examples of a run into blocks.
pub(super) struct Blocks {
    pub(super) examples: Examples,
    read: Block,
    /// How many of the examples that were read last are in a block.
    used: usize,
}

impl Blocks {
    pub(super) fn new(examples: Examples) -> Self {
        Self { examples, read: Block::default(), used: 0 }
    }

    /// Fills a block with the next examples. It is not full only at the end of the data, and empty behind it.
    pub(super) fn fill(&mut self, block: &mut Block, observer: &mut dyn Observer) -> Result<()> {
        block.clear();
        while block.ordinals.len() < BLOCK {
            if self.used == self.read.ordinals.len() {
                self.used = 0;
                self.read.clear();
                if !self.examples.read(&mut self.read.batch, observer)? {
                    self.read.clear();
                    break;
                }
                let examples = &self.examples;
                self.read.ordinals.extend((0..self.read.batch.len()).map(|i| examples.ordinal(i)));
            }
            let end = self.read.ordinals.len().min(self.used + BLOCK - block.ordinals.len());
            block.batch.extend_from(&self.read.batch, self.used..end);
            block.ordinals.extend_from_slice(&self.read.ordinals[self.used..end]);
            self.used = end;
        }
        Ok(())
    }
}
