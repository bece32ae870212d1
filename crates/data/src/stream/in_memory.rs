//! All examples in memory: for shuffling, and for several passes over what can be read only once.

use std::sync::Arc;

use thalweg_core::Batch;

use super::bad_lines::BadLine;
use super::milestones::Milestones;
use super::pass_order::PassOrder;
use super::reader::{ReadCounts, Reader};
use crate::error::{Error, Result};
use crate::feature_state::FeatureState;
use crate::interrupt::Interrupt;
use crate::labels::classes::Labels;
use crate::limit::MemoryLimit;
use crate::prepare::preparation::Prepare;
use crate::registry::Format;

/// Examples held in memory, in the order of the data or shuffled anew for every pass.
pub struct InMemory {
    reader: Box<dyn Reader>,
    examples: Batch,
    /// How examples are prepared when it is their turn, in every pass anew: scales depend on what came before.
    prepare: Prepare,
    state: Arc<FeatureState>,
    prepared: Batch,
    order: PassOrder,
    /// Where the batch that was read last begins in this order, and the next one.
    batch_start: usize,
    at: usize,
    milestones: Milestones,
    interrupt: Interrupt,
    /// Records that were skipped: of all examples, unless they are shuffled, and among those handed out last.
    all_skipped: Vec<usize>,
    skipped: Vec<usize>,
}

impl InMemory {
    /// Reads everything from a reader that does not prepare examples, and tells what the reader has to say on the way. With a seed, every pass has its
    /// own random order.
    pub fn read_all(
        mut reader: Box<dyn Reader>,
        prepare: Prepare,
        seed: Option<u64>,
        milestones: Milestones,
        interrupt: Interrupt,
        limit: MemoryLimit,
        tell: &mut dyn FnMut(&mut dyn Reader),
    ) -> Result<Self> {
        let (mut examples, mut batch) = (Batch::default(), Batch::default());
        let mut all_skipped = Vec::new();
        loop {
            let more = reader.read(&mut batch);
            tell(reader.as_mut());
            let more = more?;
            all_skipped.extend(reader.skipped().iter().map(|before| examples.len() + before));
            if !more {
                break;
            }
            (0..batch.len()).for_each(|i| examples.push_from(&batch, i));
            let needed = examples.memory() as u64;
            if needed > limit.0 {
                return Err(Error::ExamplesInMemory { examples: examples.len() as u64, limit });
            }
        }
        let order = PassOrder::new(examples.len(), seed);
        if seed.is_some() {
            all_skipped.clear();
        }
        let (skipped, prepared) = (Vec::new(), Batch::default());
        let state = Arc::new(reader.feature_state().clone());
        Ok(Self {
            reader,
            examples,
            prepare,
            state,
            prepared,
            order,
            batch_start: 0,
            at: 0,
            milestones,
            interrupt,
            all_skipped,
            skipped,
        })
    }
}

impl Reader for InMemory {
    fn read(&mut self, batch: &mut Batch) -> Result<bool> {
        batch.clear();
        self.skipped.clear();
        if self.interrupt.has_come() {
            return Ok(false);
        }
        let end =
            (self.at + ReadCounts::next_batch(self.at as u64, self.milestones)).min(self.order.rows().len());
        self.order.rows()[self.at..end].iter().for_each(|&i| batch.push_from(&self.examples, i));
        if self.prepare != Prepare::default() {
            let state = Arc::make_mut(&mut self.state);
            state.prepare_to_learn(self.prepare, batch, &mut self.prepared);
            std::mem::swap(batch, &mut self.prepared);
        }
        let last = if batch.is_empty() { usize::MAX } else { end };
        let here = self.all_skipped.iter().filter(|before| (self.at..last).contains(before));
        self.skipped.extend(here.map(|before| before - self.at));
        (self.batch_start, self.at) = (self.at, end);
        Ok(!batch.is_empty())
    }

    fn ordinal(&self, i: usize) -> u64 {
        self.order.rows()[self.batch_start + i] as u64
    }

    fn rewind(&mut self) -> Result<()> {
        self.at = 0;
        self.order.next_pass();
        Ok(())
    }

    fn skipped(&self) -> &[usize] {
        &self.skipped
    }

    fn labels(&self) -> &Labels {
        self.reader.labels()
    }

    fn into_state(self: Box<Self>) -> (Labels, Arc<FeatureState>) {
        let (labels, _) = self.reader.into_state();
        (labels, self.state)
    }

    fn feature_state(&self) -> &FeatureState {
        &self.state
    }

    fn format(&self) -> Format {
        self.reader.format()
    }

    fn delimiter(&self) -> Option<char> {
        self.reader.delimiter()
    }

    fn counts(&self) -> ReadCounts {
        let counts = self.reader.counts();
        // So many bytes as these examples are of all: what is read has been read before.
        let share = self.at as f64 / self.order.rows().len().max(1) as f64;
        ReadCounts { consumed: (counts.consumed as f64 * share) as u64, ..counts }
    }

    fn warnings(&mut self) -> Vec<String> {
        self.reader.warnings()
    }

    fn take_bad_lines(&mut self) -> Vec<BadLine> {
        self.reader.take_bad_lines()
    }
}
