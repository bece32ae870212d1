//! How much of a text is looked at together.

/// So many characters are looked at together,
pub(super) const WINDOW: usize = 64;
/// and so many must be there: a number may begin at the end of the window.
pub(super) const REACH: usize = 128;
pub(super) type Window = [u8; REACH];
