//! The records of a piece become examples.

pub(crate) mod parsed_piece;
pub(crate) mod piece_parser;
pub(crate) mod reading;
pub(crate) mod rows;

pub use reading::{FeatureNames, Naming, Reading, Table};
