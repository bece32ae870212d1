//! Inputs that once did what no input may do, and some of every kind.
#![allow(missing_docs, clippy::unwrap_used)]

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;

use thalweg_fuzz::targets;

#[test]
fn known_inputs_do_no_harm() {
    for target in targets() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("corpus").join(target.name);
        let files = std::fs::read_dir(&folder).into_iter().flatten();
        let files: Vec<_> = files.map(|file| file.unwrap().path()).collect();
        assert!(!files.is_empty(), "{} has a corpus", target.name);
        for file in files {
            let bytes = std::fs::read(&file).unwrap();
            let survived = catch_unwind(AssertUnwindSafe(|| target.run(&bytes)));
            assert!(survived.is_ok(), "{}", file.display());
        }
    }
}
