//! Caches are written while their source is read, and a damaged one is made anew.

use std::sync::Arc;

use super::file::CacheWriter;
use super::location::path_of;
use super::origin::CacheDestination;
use super::piece_reader::{PieceReader, ReadBuffers, ReadPiece};
use crate::error::{Error, Result};
use crate::names::input_names::{NOT_LOOKED_UP, NamesOfInput};
use crate::names::name_list::NameList;
use crate::names::vocabulary::Vocabulary;
use crate::source::input::Input;

/// Looks after the caches of a stream in one pass.
pub(crate) struct CacheUpkeep {
    /// What makes blocks whose names must be numbered first.
    reader: Arc<PieceReader>,
    buffers: ReadBuffers,
    /// The names of the input for which a cache is written, whether any piece of it has come, and how many lookups of names missed
    /// those that parsing threads know.
    names: Vocabulary,
    names_have_begun: bool,
    missed: usize,
    /// The cache that is being written.
    in_progress: Option<CacheInProgress>,
    /// Examples of the last input in the pieces so far.
    examples_before: usize,
    /// Inputs whose caches were damaged in this pass.
    repaired: Vec<usize>,
    /// Lines and examples of the last of them that came from its cache, and will come once more.
    already_read: (u64, usize),
    warnings: Vec<String>,
    /// Are warnings those of an earlier pass once more?
    silent: bool,
}

struct CacheInProgress {
    input: usize,
    destination: Arc<CacheDestination>,
    writer: CacheWriter,
}

impl CacheUpkeep {
    pub(crate) fn new(reader: Arc<PieceReader>) -> Self {
        Self {
            reader,
            buffers: ReadBuffers::default(),
            names: Vocabulary::default(),
            names_have_begun: false,
            missed: 0,
            in_progress: None,
            examples_before: 0,
            repaired: Vec::new(),
            already_read: (0, 0),
            warnings: Vec::new(),
            silent: false,
        }
    }

    /// The next pass begins.
    pub(crate) fn begin_pass(&mut self) {
        let warnings = std::mem::take(&mut self.warnings);
        *self = Self { warnings, silent: true, ..Self::new(Arc::clone(&self.reader)) };
    }

    fn warn(&mut self, warning: String) {
        if !self.silent {
            self.warnings.push(warning);
        }
    }

    /// What went wrong since the last call, and was got over.
    pub(crate) fn take_warnings(&mut self) -> Vec<String> {
        std::mem::take(&mut self.warnings)
    }

    /// The next input begins.
    pub(crate) fn begin_input(&mut self) {
        self.examples_before = 0;
        self.begin_names();
    }

    fn begin_names(&mut self) {
        (self.names, self.names_have_begun, self.missed) = (Vocabulary::default(), false, 0);
    }

    /// Gives the names of a piece that is to be stored their numbers in its input, and makes a block of it. `true` if it is the first of its input.
    pub(crate) fn number_names(&mut self, piece: &mut ReadPiece) -> bool {
        if !piece.is_unnumbered {
            return false;
        }
        let known = self.names.len();
        let ReadPiece { parsed, destination, .. } = piece;
        let (first, new) = (parsed.names.first_new(), parsed.names.new_names());
        let mut numbers = vec![NOT_LOOKED_UP; new.len()];
        parsed.batch.renumber(first, |local| {
            let place = local - first;
            let number = &mut numbers[place as usize];
            if *number == NOT_LOOKED_UP {
                self.missed += 1;
                *number = self.names.number(new.name(place).unwrap_or_default());
            }
            *number
        });
        if let Some(destination) = destination {
            destination.names.publish(&self.names, &mut self.missed);
        }
        let mut names = NameList::default();
        (known..self.names.len()).for_each(|n| names.push(self.names.name(n as u32).unwrap_or_default()));
        parsed.names.are_of_input(NamesOfInput { first: known as u32, names });
        self.reader.store(piece, &mut self.buffers);
        !std::mem::replace(&mut self.names_have_begun, true)
    }

    /// Gives up what was written of a cache: a part would be taken for the whole.
    pub(crate) fn discard(&mut self) {
        self.in_progress = None;
    }

    /// If the error is that a cache beside its source is damaged, the source is to be read instead, and the cache made anew: which input
    /// that is. `last` is the input that was read last, `lines` how many lines of it were read.
    pub(crate) fn repair(
        &mut self,
        error: Error,
        inputs: &[Input],
        last: usize,
        lines: u64,
    ) -> Result<usize> {
        let Error::DamagedCache { file } = &error else { return Err(error) };
        let is_its = |input: &Input| match input {
            Input::File(source) => path_of(source).display().to_string() == *file,
            Input::Stdin | Input::Bytes(..) | Input::Reader(_) => false,
        };
        // What was read ahead of standard input does not come again.
        if inputs.iter().any(Input::is_read_once) {
            return Err(error);
        }
        let mut candidates = (last..inputs.len()).filter(|i| !self.repaired.contains(i));
        let Some(input) = candidates.find(|i| is_its(&inputs[*i])) else { return Err(error) };
        self.warn(format!("{file}: the cache is damaged; it is made anew"));
        self.repaired.push(input);
        if input == last {
            self.already_read = (lines, self.examples_before);
            self.examples_before = 0;
            self.begin_names();
        }
        self.in_progress = None;
        Ok(input)
    }

    /// What came from a damaged cache does not come again from the source. Both have the same lines in the same order, but need not be
    /// cut into pieces in the same way. How many lines of the piece were read before.
    pub(crate) fn skip_already_read(&mut self, piece: &mut ReadPiece) -> u64 {
        let (lines, examples) = self.already_read;
        let (known_lines, known) = (lines.min(piece.parsed.lines), examples.min(piece.parsed.batch.len()));
        if lines > 0 {
            piece.parsed.pass_over(known_lines, known);
            self.already_read = (lines - known_lines, examples - known);
            self.examples_before += known;
        }
        self.examples_before += piece.parsed.batch.len();
        if lines > 0 { known_lines } else { 0 }
    }

    /// Adds the piece to the cache of its input, if it is to have one.
    pub(crate) fn store(&mut self, piece: &mut ReadPiece) -> Result<()> {
        let destination = piece.destination.take();
        let Some(destination) = destination.filter(|destination| !destination.is_given_up()) else {
            return Ok(());
        };
        self.add(piece, &destination).or_else(|error| self.give_up(&destination, error))
    }

    fn add(&mut self, piece: &mut ReadPiece, destination: &Arc<CacheDestination>) -> Result<()> {
        if self.in_progress.is_none() {
            let (input, writer) = (piece.input, CacheWriter::create(destination)?);
            self.in_progress = Some(CacheInProgress { input, destination: Arc::clone(destination), writer });
        }
        self.in_progress.as_mut().map_or(Ok(()), |cache| cache.writer.add(&mut piece.block))
    }

    /// The cache of an input is complete when the next one begins. It is of no use if the source has changed in the
    /// meantime.
    pub(crate) fn finish_input(&mut self, inputs: &[Input], next: Option<usize>) -> Result<()> {
        let Some(cache) = self.in_progress.take_if(|cache| next != Some(cache.input)) else {
            return Ok(());
        };
        match &inputs[cache.input] {
            Input::File(path) if cache.destination.origin.is_still(path) => {
                let CacheInProgress { destination, writer, .. } = cache;
                writer.finish().or_else(|error| self.give_up(&destination, error))
            }
            _ => Ok(()),
        }
    }

    /// A cache cannot be written: that is no reason not to read the data, unless it is all that is wanted.
    fn give_up(&mut self, destination: &CacheDestination, error: Error) -> Result<()> {
        self.in_progress = None;
        if destination.required {
            return Err(error);
        }
        destination.give_up();
        self.warn(format!("{error}: the data is read without a cache"));
        Ok(())
    }
}
