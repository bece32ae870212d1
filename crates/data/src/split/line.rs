//! A record of text, as it is handed to a format.

/// One record of text, and what comes after it: a format may look beyond the end, but not take anything from there.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Line<'a> {
    text: &'a [u8],
    end: usize,
    /// The quotes that end its fields, if they have been looked for, and where the record itself begins.
    quotes: &'a [ClosingQuote],
    start: usize,
}

/// A quote that ends a field in quotes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ClosingQuote {
    /// Where it is in the piece.
    pub(crate) at: usize,
    /// Are there doubled quotes in the field?
    pub(crate) doubled: bool,
}

impl<'a> Line<'a> {
    /// The record that ends before `end` (without its line end).
    #[inline]
    pub(crate) fn new(text: &'a [u8], end: usize) -> Self {
        Self { text, end, quotes: &[], start: 0 }
    }

    /// The same with the quotes that end its fields. It begins at `start` of the piece.
    #[inline]
    pub(super) fn with_quotes(self, quotes: &'a [ClosingQuote], start: usize) -> Self {
        Self { quotes, start, ..self }
    }

    /// The record itself.
    #[inline]
    pub(crate) fn bytes(self) -> &'a [u8] {
        &self.text[..self.end]
    }

    /// Everything from `at` on, beyond the end of the record.
    #[inline]
    pub(crate) fn ahead(self, at: usize) -> &'a [u8] {
        &self.text[at..]
    }

    /// The quotes that end its fields, in order, by their places in the record; none if they have not been looked for.
    pub(crate) fn closing_quotes(self) -> impl Iterator<Item = ClosingQuote> {
        self.quotes.iter().map(move |quote| ClosingQuote { at: quote.at - self.start, ..*quote })
    }
}

impl<'a> From<&'a [u8]> for Line<'a> {
    fn from(text: &'a [u8]) -> Self {
        Self::new(text, text.len())
    }
}
