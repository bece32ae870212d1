//! Examples whose labels may yet be refused.

use serde::{Deserialize, Serialize};

/// An example whose label may yet be refused.
#[derive(Clone, Copy, Debug)]
pub(crate) struct UncertainExample<'a> {
    /// Which example of the piece.
    pub(crate) example: u32,
    /// Where in its line the label is.
    pub(crate) column: usize,
    /// The record.
    pub(crate) text: &'a [u8],
}

/// Examples whose labels may yet be refused, in order.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(crate) struct UncertainExamples {
    /// Example, column, and where its text ends.
    all: Vec<(u32, usize, usize)>,
    text: Vec<u8>,
}

impl UncertainExamples {
    pub(crate) fn clear(&mut self) {
        self.all.clear();
        self.text.clear();
    }

    /// Adds the next one; `text` appends its record.
    pub(crate) fn add(&mut self, example: usize, column: usize, text: impl FnOnce(&mut Vec<u8>)) {
        text(&mut self.text);
        self.all.push((example as u32, column, self.text.len()));
    }

    /// Bytes of all records together.
    pub(super) fn text_length(&self) -> usize {
        self.text.len()
    }

    /// Could these be some of so many examples? Bytes of a file could be anything.
    pub(crate) fn are_sound(&self, examples: usize) -> bool {
        let ends = self.all.iter().map(|(.., end)| *end).chain([self.text.len()]);
        ends.is_sorted() && self.all.iter().all(|(example, ..)| (*example as usize) < examples)
    }

    /// Those behind the first examples, whose numbers begin there.
    pub(super) fn without_first(&self, examples: usize) -> Self {
        let mut rest = Self::default();
        for UncertainExample { example, column, text } in self.iter() {
            if let Some(example) = (example as usize).checked_sub(examples) {
                rest.add(example, column, |out| out.extend_from_slice(text));
            }
        }
        rest
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = UncertainExample<'_>> {
        let mut start = 0;
        self.all.iter().map(move |&(example, column, end)| {
            let text = &self.text[start..end];
            start = end;
            UncertainExample { example, column, text }
        })
    }
}
