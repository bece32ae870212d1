//! The program that libFuzzer drives: `THALWEG_FUZZ=vw fuzz corpus/vw`.
#![no_main]

use std::sync::OnceLock;

use libfuzzer_sys::fuzz_target;
use thalweg_fuzz::{Target, targets};

fn target() -> &'static Target {
    static CHOSEN: OnceLock<Target> = OnceLock::new();
    CHOSEN.get_or_init(|| {
        let name = std::env::var("THALWEG_FUZZ").unwrap_or_default();
        targets().into_iter().find(|target| target.name == name).expect("THALWEG_FUZZ names a target")
    })
}

fuzz_target!(|bytes: &[u8]| target().run(bytes));
