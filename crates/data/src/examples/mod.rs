//! The records of a piece become examples.

pub(crate) mod example_maker;
pub(crate) mod parsed_piece;
pub(crate) mod piece_parser;
pub(crate) mod reading;
pub(crate) mod rows;
mod text;
pub(crate) mod uncertain;

pub use reading::Reading;
