//! What the benchmarks share.
#![allow(clippy::missing_panics_doc, clippy::unwrap_used)]

use std::path::PathBuf;

use thalweg_core::Batch;
use thalweg_data::features::Prepare;
use thalweg_data::{Input, Memory, Reader, Settings, open};

/// All examples of a file, in its order or in that of the seed.
pub fn all_batches(path: PathBuf, prepare: Prepare, seed: Option<u64>) -> Vec<Batch> {
    let settings = Settings { prepare, ..Settings::default() };
    let mut reader = Memory::read_all(open(&[Input::File(path)], settings).unwrap(), seed).unwrap();
    let (mut all, mut batch) = (Vec::new(), Batch::default());
    while reader.read(&mut batch).unwrap() {
        all.push(batch.clone());
    }
    all
}

/// The middle one.
pub fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}
