//! The formats, one file each.

pub mod csv;
pub mod csv_writer;
mod json_string;
pub mod jsonl;
pub mod jsonl_writer;
pub mod libsvm;
pub mod record;
pub mod vw;

use thalweg_core::batch::Draft;

use crate::error::Fault;

/// What a line turned out to be.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Parsed<'a> {
    /// Blank, or a comment.
    Nothing,
    /// An example, whose features are in the draft.
    Example {
        /// Its label as written, and the byte where it stands.
        label: Option<(&'a [u8], usize)>,
        /// Its importance.
        weight: f32,
    },
}

/// A format in which every line is an example.
pub trait LineFormat: Send {
    /// Its name.
    const NAME: &'static str;

    /// Reads one line (without its line end) into the draft.
    fn parse<'a>(&mut self, line: &'a [u8], draft: &mut Draft) -> Result<Parsed<'a>, Fault>;
}
