//! Where a reader is, so that another one can go on from there.

use std::fs::File;
use std::io::Read;

use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::xxh3_64;

use crate::error::{Error, Result};
use crate::source::input::Input;

/// So many bytes at the beginning of an input tell whether it is the same.
const FINGERPRINT: u64 = 1 << 16;

/// A place between two examples of the data. A reader that is opened there (with the labels and the features as they were then) reads what
/// the one that told the place had not read yet.
///
/// An input may have grown since, as logs do. One that begins in another way is an error.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Position {
    /// Which of the inputs, counted from 0.
    pub input: usize,
    /// What the input begins with, where that can be told.
    pub fingerprint: Option<Fingerprint>,
    /// Where the piece begins that the last example was from: bytes of text, after decompression. Nothing where data is not read as text.
    pub offset: Option<u64>,
    /// Lines of the input before that piece.
    pub lines: u64,
    /// Examples of the input before that piece.
    pub examples_before: u64,
    /// Examples of that piece that have been read.
    pub examples: u64,
}

/// What an input begins with.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Fingerprint {
    /// How many bytes were looked at.
    pub bytes: u64,
    /// Their XXH3 hash.
    pub hash: u64,
}

/// Where a piece begins.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct PieceStart {
    pub(crate) input: usize,
    pub(crate) offset: Option<u64>,
    pub(crate) lines: u64,
    pub(crate) examples: u64,
}

impl Fingerprint {
    /// Of the first bytes of an input; nothing if it can be read only once.
    fn of(input: &Input, bytes: u64) -> Option<Self> {
        let mut first = Vec::new();
        match input {
            Input::File(path) => {
                let file = File::open(path)
                    .ok()
                    .filter(|file| file.metadata().is_ok_and(|found| found.is_file()))?;
                file.take(bytes).read_to_end(&mut first).ok()?;
            }
            Input::Bytes(_, all) => first.extend_from_slice(&all[..all.len().min(bytes as usize)]),
            Input::Stdin | Input::Reader(_) => return None,
        }
        Some(Self { bytes: first.len() as u64, hash: xxh3_64(&first) })
    }
}

impl Position {
    /// The place behind so many examples of a piece.
    pub(crate) fn new(inputs: &[Input], start: PieceStart, examples: usize) -> Self {
        let PieceStart { input, offset, lines, examples: examples_before } = start;
        let fingerprint = inputs.get(input).and_then(|input| Fingerprint::of(input, FINGERPRINT));
        Self { input, fingerprint, offset, lines, examples_before, examples: examples as u64 }
    }

    /// Can the inputs be read from here on?
    pub(crate) fn check(&self, inputs: &[Input]) -> Result<()> {
        let Some(input) = inputs.get(self.input) else {
            return Err(Error::PositionInput { input: self.input, inputs: inputs.len() });
        };
        let Some(was) = self.fingerprint else { return Err(Error::PositionGone { file: input.name() }) };
        match Fingerprint::of(input, was.bytes) {
            Some(is) if is == was => Ok(()),
            Some(_) => Err(Error::PositionChanged { file: input.name() }),
            None => Err(Error::PositionGone { file: input.name() }),
        }
    }
}
