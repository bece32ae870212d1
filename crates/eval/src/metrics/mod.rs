//! The metrics, one file each.

pub mod confusion;
