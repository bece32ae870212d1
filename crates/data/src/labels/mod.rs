//! Labels of examples, and their classes.

pub(crate) mod classes;
pub(crate) mod piece_labels;
pub(crate) mod settled;
pub(crate) mod unexpected;

pub use classes::{Labels, MOST_CLASSES, NoSuchClass, Refusal};
