//! What formats write: examples, and numbers as text.

use thalweg_core::Real;

use crate::error::Unwritable;
use crate::names::feature_names::FeatureNames;

/// A file of some format in the making: examples become bytes.
pub(crate) trait FormatWriter: Send {
    /// Appends what comes before the first example.
    fn begin(&mut self, _out: &mut Vec<u8>) -> Result<(), WriteFault> {
        Ok(())
    }

    /// Takes an example, and appends what is ready to be written.
    fn write(&mut self, example: &NumberedExample, out: &mut Vec<u8>) -> Result<(), WriteFault>;

    /// Appends what is left.
    fn finish(self: Box<Self>, _out: &mut Vec<u8>) -> Result<(), WriteFault> {
        Ok(())
    }
}

/// An example to be written, its features by their numbers.
#[derive(Clone, Copy, Debug)]
pub(crate) struct NumberedExample<'a> {
    /// Its label, if it has one.
    pub(crate) label: Option<&'a str>,
    /// Its importance.
    pub(crate) importance: f32,
    /// Its id; empty is none.
    pub(crate) id: &'a [u8],
    /// The features in the order of their numbers, and their values.
    pub(crate) features: &'a [(u32, Real)],
    /// What they are called.
    pub(crate) names: &'a FeatureNames,
}

/// Why an example, or a file, cannot be written.
#[derive(Debug)]
pub(crate) enum WriteFault {
    /// The columns of a table are not known.
    NoColumns,
    /// The format cannot hold it.
    Unwritable(Unwritable),
    /// An encoder failed.
    Encoder(std::io::Error),
}

impl From<Unwritable> for WriteFault {
    fn from(cause: Unwritable) -> Self {
        Self::Unwritable(cause)
    }
}

/// A file of text whose records have full names.
pub(crate) trait RecordWriter: Send {
    /// Appends what comes before the first example.
    fn begin(&mut self, _out: &mut Vec<u8>) -> Result<(), Unwritable> {
        Ok(())
    }

    /// Appends an example.
    fn write(&mut self, example: &WrittenExample, out: &mut Vec<u8>) -> Result<(), Unwritable>;
}

/// An example to be written.
#[derive(Clone, Copy, Debug)]
pub(crate) struct WrittenExample<'a> {
    /// Its label; empty is none.
    pub(crate) label: &'a [u8],
    /// Its importance.
    pub(crate) importance: f32,
    /// Its id; empty is none.
    pub(crate) id: &'a [u8],
    /// Full names and values.
    pub(crate) features: &'a [(&'a [u8], Real)],
}

/// Looks up the names of features.
pub(crate) struct ByName<W> {
    writer: W,
    /// All names of an example, one after the other: so there are no more vectors than examples.
    names: Vec<u8>,
}

impl<W> ByName<W> {
    pub(crate) fn new(writer: W) -> Self {
        Self { writer, names: Vec::new() }
    }
}

impl<W: RecordWriter> FormatWriter for ByName<W> {
    fn begin(&mut self, out: &mut Vec<u8>) -> Result<(), WriteFault> {
        Ok(self.writer.begin(out)?)
    }

    fn write(&mut self, example: &NumberedExample, out: &mut Vec<u8>) -> Result<(), WriteFault> {
        let NumberedExample { label, importance, id, features, names } = *example;
        self.names.clear();
        let mut ends = Vec::with_capacity(features.len());
        for (feature, x) in features {
            names.append(*feature, &mut self.names);
            ends.push((self.names.len(), *x));
        }
        let starts = std::iter::once(0).chain(ends.iter().map(|(end, _)| *end));
        let features: Vec<(&[u8], Real)> =
            starts.zip(&ends).map(|(start, (end, x))| (&self.names[start..*end], *x)).collect();
        let label = label.unwrap_or_default().as_bytes();
        Ok(self.writer.write(&WrittenExample { label, importance, id, features: &features }, out)?)
    }
}

/// Appends the shortest decimal that reads back as the same number.
pub(crate) fn write_number<N: zmij::Float + PartialEq + From<u8>>(number: N, out: &mut Vec<u8>) {
    // Most values of most data are 1: no need to find out how to write it.
    if number == N::from(1) {
        out.push(b'1');
        return;
    }
    let mut decimal = zmij::Buffer::new();
    let text = decimal.format_finite(number);
    out.extend_from_slice(text.strip_suffix(".0").unwrap_or(text).as_bytes());
}
