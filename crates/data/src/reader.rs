//! What every reader offers, and how to open one.

use std::collections::VecDeque;

use thalweg_core::Batch;

use crate::bad::{BadLine, Policy};
use crate::error::Result;
use crate::features::Prepare;
use crate::formats::libsvm::Libsvm;
use crate::labels::Labels;
use crate::source::Input;
use crate::text::TextReader;

/// A source of batches.
pub trait Reader: Send {
    /// Fills the batch with the next examples; `false` when there are none left.
    fn read(&mut self, batch: &mut Batch) -> Result<bool>;

    /// Begins again, for the next pass.
    fn rewind(&mut self) -> Result<()>;

    /// Which label is which class.
    fn labels(&self) -> &Labels;

    /// The same, to change it.
    fn labels_mut(&mut self) -> &mut Labels;

    /// What was read so far.
    fn census(&self) -> Census;

    /// Bad lines since the last call, up to the first [`SHOWN`](crate::bad::SHOWN) of all.
    fn complaints(&mut self) -> Vec<BadLine>;
}

/// What was read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Census {
    /// Lines, of whatever kind (first pass).
    pub lines: u64,
    /// Examples (all passes).
    pub examples: u64,
    /// Lines that could not be read (first pass).
    pub bad: u64,
    /// Examples whose features had to be sorted or summed (first pass).
    pub sorted: u64,
    /// Bytes read from the inputs in this pass, before decompression.
    pub consumed: u64,
}

impl Census {
    /// The number of examples of the next batch after `examples`: batches double from 1 example up to 4096, so that a
    /// slow stream shows progress at once and the powers of two fall between batches.
    pub(crate) fn next_batch(examples: u64) -> usize {
        const MOST: u64 = 1 << 12;
        examples.clamp(1, MOST) as usize
    }
}

/// How data is read.
#[derive(Clone, Debug, Default)]
pub struct Settings {
    /// What is done to every example.
    pub prepare: Prepare,
    /// Which label is which class.
    pub labels: Labels,
    /// May examples lack a label?
    pub unlabelled: bool,
    /// What to do with bad lines.
    pub bad_lines: Policy,
}

/// Opens the inputs one after the other, and looks ahead until it is known which label is which class.
pub fn open(inputs: &[Input], settings: Settings) -> Result<Box<dyn Reader>> {
    let reader = TextReader::new(Libsvm, inputs.to_vec(), settings)?;
    Ok(Box::new(LookAhead::new(Box::new(reader))?))
}

/// Holds examples back until it is known which label is which class: only all labels together tell.
struct LookAhead {
    reader: Box<dyn Reader>,
    waiting: VecDeque<Batch>,
}

impl LookAhead {
    fn new(mut reader: Box<dyn Reader>) -> Result<Self> {
        let mut waiting: VecDeque<Batch> = VecDeque::new();
        let mut held_back = 0;
        while reader.labels().look_ahead(held_back) > 0 {
            let mut batch = Batch::default();
            if !reader.read(&mut batch)? {
                break;
            }
            held_back += batch.len();
            waiting.push_back(batch);
        }
        if let Some(new) = reader.labels_mut().settle() {
            waiting.iter_mut().for_each(|batch| batch.relabel(|class| new[class as usize]));
        }
        Ok(Self { reader, waiting })
    }
}

impl Reader for LookAhead {
    fn read(&mut self, batch: &mut Batch) -> Result<bool> {
        match self.waiting.pop_front() {
            Some(next) => {
                *batch = next;
                Ok(true)
            }
            None => self.reader.read(batch),
        }
    }

    fn rewind(&mut self) -> Result<()> {
        self.waiting.clear();
        self.reader.rewind()
    }

    fn labels(&self) -> &Labels {
        self.reader.labels()
    }

    fn labels_mut(&mut self) -> &mut Labels {
        self.reader.labels_mut()
    }

    fn census(&self) -> Census {
        self.reader.census()
    }

    fn complaints(&mut self) -> Vec<BadLine> {
        self.reader.complaints()
    }
}
