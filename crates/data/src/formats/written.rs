//! What formats write: examples, and numbers as text.

use thalweg_core::Real;

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
