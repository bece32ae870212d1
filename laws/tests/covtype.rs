//! Tan et al. 2016, Table 2, covtype: 450,000 examples to learn from, the others to test on, one pass, means over random splits.
//!
//! Needs the data set, which is too large to bundle; see `data_sets`.
//! Knobs were chosen on 80,000 and 40,000 examples of another random split's training part.
#![allow(missing_docs, clippy::unwrap_used, clippy::print_stderr)]

use std::path::Path;
use std::process::ExitCode;

use rand::SeedableRng;
use rand::seq::SliceRandom;
use rand_pcg::Pcg64;
use thalweg::Decision;
use thalweg_core::{Batch, Outcomes, Setup, learners};
use thalweg_data::{Input, Settings, open};
use thalweg_eval::ProgressiveFigures;
use thalweg_laws::data_sets::{DataTest, run_all};

const TRAINING: usize = 450_000;
const SPLITS: u64 = 2;

const BCW_L1: &str = "bcw1:c=10,r=0.1";
const BCW_L2: &str = "bcw2:c=10,r=0.1";

const DATA: &str = "covtype.libsvm.binary.scale.zst";

fn main() -> ExitCode {
    let run = errors_on_covtype_are_those_of_table_2;
    run_all(&[DataTest { name: "errors_on_covtype_are_those_of_table_2", files: &[DATA], run }])
}

fn covtype(folder: &Path) -> Batch {
    let mut reader = open(&[Input::File(folder.join(DATA))], Settings::default()).unwrap();
    let (mut all, mut batch) = (Batch::default(), Batch::default());
    while reader.read(&mut batch).unwrap() {
        all.extend_from(&batch, 0..batch.len());
    }
    all
}

/// The error on the test part.
fn error(spec: &str, train: &Batch, test: &Batch) -> f64 {
    let mut learner = learners::build(spec, &Setup::default()).unwrap();
    let (mut outcomes, mut figures) = (Outcomes::default(), ProgressiveFigures::default());
    learner.learn(train, &mut outcomes).unwrap();
    learner.finish();
    learner.score(test, &mut outcomes);
    let predicted = Decision::of(learner.task()).classes(&outcomes);
    figures.observe(test, &outcomes, &predicted);
    figures.confusion().error().unwrap()
}

fn errors_on_covtype_are_those_of_table_2(folder: &Path) {
    let all = covtype(folder);
    assert_eq!(all.len(), 581_012);
    // learner, most that its mean error may be
    let table = [
        ("arow:covariance=full", 0.243),
        ("scw1:confidence=0.8,covariance=full", 0.233),
        ("bcw1", 0.246),
        ("bcw2", 0.246),
        // The other reading, in which the covariance has a constant of its own: published are 0.2402 and 0.2462.
        (BCW_L1, 0.2402),
        (BCW_L2, 0.2462),
        ("dcd:sweeps=20", 0.243),
    ];
    let mut sums = [0.0; 7];
    for seed in 1..=SPLITS {
        let mut order: Vec<usize> = (0..all.len()).collect();
        order.shuffle(&mut Pcg64::seed_from_u64(seed));
        let [mut train, mut test] = [Batch::default(), Batch::default()];
        order[..TRAINING].iter().for_each(|&i| train.push_from(&all, i));
        order[TRAINING..].iter().for_each(|&i| test.push_from(&all, i));
        for ((spec, _), sum) in table.iter().zip(&mut sums) {
            *sum += error(spec, &train, &test);
        }
    }
    let means: Vec<f64> = sums.iter().map(|sum| sum / SPLITS as f64).collect();
    eprintln!("mean errors of {SPLITS} splits: {means:.4?}");
    for ((spec, most), mean) in table.iter().zip(&means) {
        assert!(mean <= most, "{spec}: {mean}");
    }
    let mean = |spec: &str| means[table.iter().position(|(known, _)| *known == spec).unwrap()];
    assert!(mean(BCW_L1) < mean(BCW_L2), "the published order");
}
