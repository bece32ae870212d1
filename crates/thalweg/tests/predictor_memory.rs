//! How much memory a predictor takes. It is alone here: other tests of the same process would take memory at the same time.
#![allow(missing_docs, clippy::unwrap_used)]

use std::sync::Arc;

use thalweg::{Config, Format, Predictions, Predictor, Trainer};

#[test]
fn names_that_the_model_does_not_know_take_no_memory() {
    let mut trainer = Trainer::new(Config::parse("arow").unwrap()).unwrap();
    trainer.learn_records(b"1 | a\n0 | b\n", Format::VW).unwrap();
    let predictor = Predictor::new(Arc::new(trainer.into_model().unwrap()));
    let mut predictions = Predictions::default();
    let resident = || {
        let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
        let line = status.lines().find(|line| line.starts_with("VmRSS")).map(str::to_string);
        line.and_then(|line| line.split_whitespace().nth(1)?.parse::<u64>().ok()).unwrap_or(0)
    };
    let mut score = |range: std::ops::Range<u32>| {
        for i in range {
            let line = format!("| a never_seen_before_{i} {i}_and_this_neither\n");
            predictor.score_records(line.as_bytes(), Format::VW, &mut predictions).unwrap();
        }
        resident()
    };
    let (before, after) = (score(0..20_000), score(20_000..400_000));
    assert!(after < before + 8_000, "{before} KiB became {after} KiB");
}
