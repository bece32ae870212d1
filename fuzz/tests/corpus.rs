//! Inputs that once did what no input may do, and some of every kind.
#![allow(missing_docs, clippy::unwrap_used)]

use std::path::Path;

use thalweg_fuzz::TARGETS;

#[test]
fn known_inputs_do_no_harm() {
    for (name, run) in TARGETS {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("corpus").join(name);
        let files: Vec<_> = std::fs::read_dir(&folder).unwrap().map(|file| file.unwrap().path()).collect();
        assert!(!files.is_empty(), "{name} has a corpus");
        for file in files {
            let bytes = std::fs::read(&file).unwrap();
            let survived = std::panic::catch_unwind(|| run(&bytes));
            assert!(survived.is_ok(), "{}", file.display());
        }
    }
}
