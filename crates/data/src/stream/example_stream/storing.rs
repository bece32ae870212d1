//! The caches of a stream: what is read is stored, and what is stored and damaged is read again.

use std::sync::Arc;

use super::Stream;
use crate::cache::{self, CacheWriter, Destination};
use crate::error::{Error, Result};
use crate::source::input::Input;

/// A cache in the making.
pub(super) struct Storing {
    input: usize,
    destination: Arc<Destination>,
    writer: CacheWriter,
}

/// What has been read of an input, in case its cache turns out to be damaged.
#[derive(Default)]
pub(super) struct Mended {
    /// Examples of the last input in the portions so far.
    pub(super) examples_before: usize,
    /// Inputs whose caches were damaged in this pass.
    inputs: Vec<usize>,
    /// Lines and examples of the last of them that came from its cache, and will come once more.
    known: (u64, usize),
}

impl Stream {
    /// The next portion as it comes; `false` at the end.
    pub(super) fn next_of_feed(&mut self) -> Result<bool> {
        let feed = self.feed.get_or_insert_with(|| (self.begin)(None));
        let more = feed.next(&mut self.portion)?;
        match self.portion.failure.take_if(|failure| matches!(failure, Error::DamagedCache { .. })) {
            Some(damage) if more => Err(damage),
            _ => Ok(more),
        }
    }

    /// If the error is that a cache beside its source is damaged, the source is read instead, and the cache is made anew.
    pub(super) fn mend(&mut self, error: Error) -> Result<()> {
        let Error::DamagedCache { file } = &error else { return Err(error) };
        let (last, lines) = self.lines_before;
        let is_its = |input: &Input| match input {
            Input::File(source) => cache::path_of(source).display().to_string() == *file,
            Input::Stdin => false,
        };
        // What was read ahead of standard input does not come again.
        if self.inputs.contains(&Input::Stdin) {
            return Err(error);
        }
        let mut candidates = (last..self.inputs.len()).filter(|i| !self.mended.inputs.contains(i));
        let Some(input) = candidates.find(|i| is_its(&self.inputs[*i])) else { return Err(error) };
        if self.first_pass {
            self.warnings.push(format!("{file}: the cache is damaged; it is made anew"));
        }
        self.mended.inputs.push(input);
        if input == last {
            self.mended.known = (lines, self.mended.examples_before);
            (self.lines_before.1, self.mended.examples_before) = (0, 0);
        }
        self.storing = None;
        self.feed = Some((self.begin)(Some(input)));
        Ok(())
    }

    /// What came from the cache does not come again from the source. Both have the same lines in the same order, but need not be cut
    /// into portions in the same way.
    pub(super) fn pass_over_known(&mut self) {
        let (lines, examples) = self.mended.known;
        if lines == 0 {
            return;
        }
        let (known_lines, known) = (lines.min(self.portion.lines), examples.min(self.portion.batch.len()));
        self.portion.pass_over(known_lines, known);
        self.mended.known = (lines - known_lines, examples - known);
        self.mended.examples_before += known;
        if self.first_pass {
            // They have been counted.
            self.census.lines -= known_lines;
        }
    }

    /// Adds the portion to the cache of its input, if it is to have one.
    pub(super) fn store(&mut self) -> Result<()> {
        let destination = self.portion.destination.take();
        let Some(destination) = destination.filter(|destination| !destination.is_given_up()) else {
            return Ok(());
        };
        let added = self.add_to_cache(&destination);
        added.or_else(|error| self.give_up(&destination, error))
    }

    fn add_to_cache(&mut self, destination: &Arc<Destination>) -> Result<()> {
        if self.storing.is_none() {
            let (input, writer) = (self.portion.input, CacheWriter::create(destination)?);
            self.storing = Some(Storing { input, destination: Arc::clone(destination), writer });
        }
        self.storing.as_mut().map_or(Ok(()), |storing| storing.writer.add(&mut self.portion.encoded))
    }

    /// The cache of an input is complete when the next one begins. It is of no use if the source has changed in the
    /// meantime.
    pub(super) fn finish_storing(&mut self, next: Option<usize>) -> Result<()> {
        let Some(storing) = self.storing.take_if(|storing| next != Some(storing.input)) else {
            return Ok(());
        };
        match &self.inputs[storing.input] {
            Input::File(path) if storing.destination.origin.is_still(path) => {
                let Storing { destination, writer, .. } = storing;
                writer.finish().or_else(|error| self.give_up(&destination, error))
            }
            _ => Ok(()),
        }
    }

    /// A cache cannot be written: that is no reason not to read the data, unless it is all that is wanted.
    fn give_up(&mut self, destination: &Destination, error: Error) -> Result<()> {
        self.storing = None;
        if destination.required {
            return Err(error);
        }
        destination.give_up();
        if self.first_pass {
            self.warnings.push(format!("{error}: the data is read without a cache"));
        }
        Ok(())
    }
}
