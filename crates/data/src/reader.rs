//! What every reader offers, and how to open one.

use std::sync::Arc;

use thalweg_core::Batch;

use crate::bad::{BadLine, Policy};
use crate::chunks::Chunks;
use crate::error::Result;
use crate::features::Prepare;
use crate::formats::LineFormat;
use crate::formats::libsvm::Libsvm;
use crate::labels::Labels;
use crate::lines::LineReader;
use crate::pipeline::feed;
use crate::source::Input;
use crate::stream::Stream;

/// A source of batches.
pub trait Reader: Send {
    /// Fills the batch with the next examples; `false` when there are none left.
    fn read(&mut self, batch: &mut Batch) -> Result<bool>;

    /// Begins again, for the next pass.
    fn rewind(&mut self) -> Result<()>;

    /// Which label is which class.
    fn labels(&self) -> &Labels;

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
    /// How many threads read ahead; with none, the caller's own reads. The number has no influence on what is read.
    pub threads: usize,
    /// Keep what was read from each file in a cache beside it, and read that instead as long as the file is the same.
    pub cache: bool,
}

/// Opens the inputs one after the other, and looks ahead until it is known which label is which class.
pub fn open(inputs: &[Input], settings: Settings) -> Result<Box<dyn Reader>> {
    let Settings { prepare, labels, unlabelled, bad_lines, threads, cache } = settings;
    let inputs: Arc<[Input]> = Arc::from(inputs);
    let consumed = Arc::default();
    let lines = Arc::new(LineReader { format: Libsvm, prepare, unlabelled });
    let begin = {
        let (inputs, consumed) = (Arc::clone(&inputs), Arc::clone(&consumed));
        Box::new(move || {
            let cached = cache.then(|| lines.how());
            let chunks = Chunks::new(Arc::clone(&inputs), Arc::clone(&consumed), cached);
            feed(chunks, Arc::clone(&lines), threads)
        })
    };
    Ok(Box::new(Stream::open(inputs, Libsvm::NAME, labels, bad_lines, consumed, begin)?))
}
