//! What nobody can be faster than: reading the file, and our own parser without a learner.

use std::fs::File;
use std::io::Read;
use std::path::Path;

use thalweg_core::Batch;
use thalweg_data::{Input, Settings, open};

/// Reads the file, a quarter of a mebibyte at a time. Not to the beginning of the buffer, which is sixteen bytes behind that of a page:
/// some processors copy a page to such a place at a quarter of their speed.
pub(crate) fn read(file: &Path) {
    let (mut file, mut buffer) = (File::open(file).unwrap(), vec![0; 1 << 18]);
    while file.read(&mut buffer[48..]).unwrap() > 0 {}
}

/// Makes batches of the file and drops them.
pub(crate) fn parse(file: &Path) {
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    let settings = Settings { threads, ..Settings::default() };
    let mut reader = open(&[Input::File(file.to_path_buf())], settings).unwrap();
    let mut batch = Batch::default();
    while reader.read(&mut batch).unwrap() {}
}
