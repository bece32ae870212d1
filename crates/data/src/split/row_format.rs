//! The formats of columns, and how their files begin: known also to programs that cannot read them.

/// A format of columns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum RowFormat {
    Parquet,
    Arrow,
}

impl RowFormat {
    /// Its name in messages.
    pub(crate) const fn title(self) -> &'static str {
        match self {
            RowFormat::Parquet => "Parquet",
            RowFormat::Arrow => "Arrow",
        }
    }
}

/// How Parquet files begin and end.
pub(crate) const PARQUET: &[u8] = b"PAR1";
/// How Arrow files begin and end; streams begin with [`ARROW_STREAM`] instead.
pub(crate) const ARROW: &[u8] = b"ARROW1";
/// Says that a message follows.
pub(crate) const ARROW_STREAM: &[u8] = &[0xff, 0xff, 0xff, 0xff];
