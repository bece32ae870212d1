//! What formats of text have in common: one record in, one example out.

use super::plain::FeatureBuffer;
use super::sink::RecordSink;
use crate::error::Fault;
use crate::split::line::Line;
use crate::split::table_start::TableStart;
use crate::split::text_pieces::Layout;

/// Memory of a parser, used again for every record.
#[derive(Clone, Debug, Default)]
pub(crate) struct ParseBuffers {
    pub(crate) name: Vec<u8>,
    pub(crate) text: Vec<u8>,
    pub(super) number: Vec<u8>,
    /// The numbers of the features of columns, see [`RecordSink::column`].
    pub(crate) column_slots: Vec<Option<u32>>,
    pub(super) features: FeatureBuffer,
}

impl ParseBuffers {
    /// The next piece begins: features of columns have other numbers there.
    pub(crate) fn begin_piece(&mut self) {
        self.column_slots.clear();
    }
}

/// A format whose records hold one example each, with named features.
pub(crate) trait RecordFormat: Clone + Send + Sync + 'static {
    /// What caches call it.
    const NAME_IN_CACHES: &'static str;

    /// Can it hold text, and not only numbers?
    const HAS_TEXT: bool = true;

    /// How its records are laid out in a text.
    fn layout(&self) -> Layout {
        Layout::Lines
    }

    /// Takes note of how a table begins: `true` if its first record is a header and no example.
    fn begin(&mut self, _start: &TableStart) -> Result<bool, Fault> {
        Ok(false)
    }

    /// What is to be said of a table that has begun, to whoever reads it.
    fn notes(&self, _start: &TableStart) -> Vec<String> {
        Vec::new()
    }

    /// Reads one record (without its line end) into the sink: `false` if it holds nothing (blank, comment).
    fn parse(
        &self,
        line: Line,
        buffers: &mut ParseBuffers,
        sink: &mut impl RecordSink,
    ) -> Result<bool, Fault>;
}
