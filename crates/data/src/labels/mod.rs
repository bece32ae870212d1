//! Labels of examples, and their classes.

pub(crate) mod classes;
pub(crate) mod unexpected;

pub use classes::{Labels, MOST_CLASSES, Refusal};
