//! The formats, one file each.

mod decimal;
pub mod libsvm;

use thalweg_core::Real;

use crate::error::Fault;

/// One line of text, and what comes after it: a format may look beyond the end, but not take anything from there.
#[derive(Clone, Copy, Debug)]
pub struct Line<'a> {
    text: &'a [u8],
    end: usize,
}

impl<'a> Line<'a> {
    /// The line that ends before `end` (without its line end).
    pub fn new(text: &'a [u8], end: usize) -> Self {
        Self { text, end }
    }

    /// The line itself.
    #[inline]
    pub fn bytes(self) -> &'a [u8] {
        &self.text[..self.end]
    }

    /// Everything from `at` on, beyond the end of the line.
    #[inline]
    fn ahead(self, at: usize) -> &'a [u8] {
        &self.text[at..]
    }
}

impl<'a> From<&'a [u8]> for Line<'a> {
    fn from(text: &'a [u8]) -> Self {
        Self::new(text, text.len())
    }
}

/// Where a format puts what it reads.
pub trait Sink {
    /// A feature that is known by its number.
    fn number(&mut self, feature: u32, value: Real);

    /// The label as written, and the byte where it stands.
    fn label(&mut self, text: &[u8], at: usize);
}

/// A format in which every line is an example.
pub trait LineFormat: Send + Sync + 'static {
    /// Its name.
    const NAME: &'static str;

    /// Reads one line into the sink; `false` if there is no example in it (blank, or a comment).
    fn parse(&self, line: Line, sink: &mut impl Sink) -> Result<bool, Fault>;
}
