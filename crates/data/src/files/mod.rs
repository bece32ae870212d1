//! Files on disk: any part of one, which one a path means, and files that are whole or not there.

pub(crate) mod file_id;
pub(crate) mod output_file;
pub(crate) mod regular_file;
