//! Zhao et al. 2019, Tables 2, 5 and 8: the online *sum* and *cost* of rows that an independent float64 transcription of the paper reproduces.
//!
//! One pass, predictions before each update, sign(0) = +1, rows of length 1, no bias, γ = 1. A missed positive costs negatives / positives
//! ("sum") or 9 ("cost"). The paper does not give its step sizes: those here are the ones whose means come nearest. It does not give its
//! permutations either (but for german, in `published.rs`), so a mean may differ by two standard errors: its own of 20 permutations, and ours.
//!
//! Left out, because no step size reproduces them: CPA everywhere (the paper's is not the one that it cites); on a9a the cost of ACOG-II
//! (diagonal), on ijcnn1 the cost of ACOG-I (diagonal); on magic04 ACOG-I (diagonal) and ACOG-II; on mushrooms the sums of SSACOG, of ACOG-I and
//! ACOG-II, and of ACOG-II (diagonal), and the costs of both diagonal ones, which contradict sensitivities and specificities in the same table;
//! usps, whose rows agree in neither scaling. Left out, because the nearest step size comes near, but 20 permutations show a difference (in
//! standard errors): on a9a the sum of ACOG-II (diagonal, +2.7) and the costs of COG-I (-3.6) and COG-II (-3.8), on ijcnn1 sum and cost of
//! ACOG-II (diagonal, -2.4 and +2.8). All of these are within 1.1 % of what is published. AROW and full covariances of a9a and covtype would take minutes. protein, KDDCUP08 and Sensorless
//! are not there.
#![allow(missing_docs, clippy::unwrap_used, clippy::print_stderr)]

use std::path::Path;
use std::process::ExitCode;

use rand::SeedableRng;
use rand::seq::SliceRandom;
use rand_pcg::Pcg64;
use thalweg::Decision;
use thalweg_core::cost::Costs;
use thalweg_core::{Batch, Outcomes, Setup, learners};
use thalweg_data::prepare::{Norm, Prepare};
use thalweg_data::{Input, Labels, Settings, open};
use thalweg_eval::ProgressiveFigures;
use thalweg_laws::data_sets::{DataTest, run_all};

fn main() -> ExitCode {
    run_all(&[
        DataTest { name: "a9a", files: &["a9a.zst", "a9a.t.zst"], run: a9a },
        DataTest { name: "ijcnn1", files: &["ijcnn1.zst"], run: ijcnn1 },
        DataTest { name: "mushrooms", files: &["mushrooms.zst"], run: mushrooms },
        DataTest { name: "australian", files: &["australian.zst"], run: australian },
        DataTest { name: "magic04", files: &["magic04.zst"], run: magic04 },
        DataTest { name: "dna", files: &["dna.scale.zst"], run: dna },
    ])
}

/// What a row of a table measures.
#[derive(Clone, Copy, PartialEq)]
enum Column {
    /// The mean of sensitivity and specificity, in per cent.
    Sum,
    /// 0.9 times the misses and 0.1 times the false alarms.
    Cost,
}
use Column::{Cost, Sum};

/// A learner with the published mean and standard deviation.
type Published = (&'static str, Column, f64, f64);

/// All rows of the files, divided by their lengths.
fn rows(folder: &Path, files: &[&str], positive: &str, expected: usize) -> Batch {
    let settings = Settings {
        prepare: Prepare { normalize: Some(Norm::L2), ..Prepare::default() },
        labels: Labels::positive(positive),
        ..Settings::default()
    };
    let inputs: Vec<Input> = files.iter().map(|file| Input::File(folder.join(file))).collect();
    let mut reader = open(&inputs, settings).unwrap();
    let (mut all, mut batch) = (Batch::default(), Batch::default());
    while reader.read(&mut batch).unwrap() {
        all.extend_from(&batch, 0..batch.len());
    }
    assert_eq!(all.len(), expected);
    all
}

/// The sum or the cost of one pass.
fn measure(spec: &str, column: Column, imbalance: f64, rows: &Batch) -> f64 {
    // Learners that have no use for costs are in the tables to compare with.
    let takes_costs = ["paum", "cog", "acog", "ssacog"].iter().any(|name| spec.starts_with(name));
    let missed = match column {
        _ if !takes_costs => 1.0,
        Sum => imbalance,
        Cost => 9.0,
    };
    let costs = Costs { missed, ..Costs::default() };
    let mut learner = learners::build(spec, &Setup { costs, ..Setup::default() }).unwrap();
    let (mut outcomes, mut figures) = (Outcomes::default(), ProgressiveFigures::default());
    learner.learn(rows, &mut outcomes).unwrap();
    figures.observe(rows, &outcomes, &Decision::of(learner.task()).classes(&outcomes));
    match column {
        Sum => 100.0 * figures.confusion().balanced_accuracy().unwrap(),
        Cost => figures.confusion().cost(&Costs { missed: 0.9, false_alarm: 0.1, ..Costs::default() }),
    }
}

/// Compares means over random permutations with the table's.
fn check(set: &str, rows: &Batch, permutations: u32, table: &[Published]) {
    let positives = rows.labels().iter().filter(|label| **label == Some(1)).count();
    let imbalance = (rows.len() - positives) as f64 / positives as f64;
    let mut totals = vec![0.0; table.len()];
    for seed in 0..permutations {
        let mut order: Vec<usize> = (0..rows.len()).collect();
        order.shuffle(&mut Pcg64::seed_from_u64(seed.into()));
        let mut permuted = Batch::default();
        order.iter().for_each(|&row| permuted.push_from(rows, row));
        for (total, (spec, column, ..)) in totals.iter_mut().zip(table) {
            *total += measure(spec, *column, imbalance, &permuted);
        }
    }
    let mut far = Vec::new();
    for (total, (spec, column, published, deviation)) in totals.iter().zip(table) {
        let ours = total / f64::from(permutations);
        let standard_error = deviation * (1.0 / 20.0 + 1.0 / f64::from(permutations)).sqrt();
        let z = (ours - published) / standard_error;
        let what = if *column == Sum { "sum" } else { "cost" };
        let line = format!("{set}, {what} of {spec}: {ours:.3}, published {published}, z {z:+.1}");
        eprintln!("{line}");
        if z.abs() > 2.0 {
            far.push(line);
        }
    }
    assert!(far.is_empty(), "{far:#?}");
}

fn a9a(folder: &Path) {
    let rows = rows(folder, &["a9a.zst", "a9a.t.zst"], "1", 48_842);
    check(
        "a9a",
        &rows,
        20,
        &[
            ("perceptron", Sum, 71.343, 0.215),
            ("romma", Sum, 70.904, 0.239),
            ("pa1:c=10", Sum, 71.274, 0.169),
            ("paum", Sum, 78.255, 0.155),
            ("cog1:eta=0.5", Sum, 78.978, 0.128),
            ("cog2:eta=0.5", Sum, 79.126, 0.103),
            ("acog1:eta=6", Sum, 79.827, 0.094),
            ("acog1:eta=10", Cost, 2691.7, 25.3),
        ],
    );
}

fn ijcnn1(folder: &Path) {
    let rows = rows(folder, &["ijcnn1.zst"], "1", 49_990);
    check(
        "ijcnn1",
        &rows,
        20,
        &[
            ("perceptron", Sum, 69.988, 0.252),
            ("romma", Sum, 75.547, 0.229),
            ("pa1:c=10", Sum, 69.980, 0.312),
            ("paum", Sum, 79.066, 0.275),
            ("cog1:eta=1", Sum, 79.066, 0.275),
            ("cog2:eta=1", Sum, 81.520, 0.232),
            ("acog1:eta=10", Sum, 81.468, 0.225),
            ("cog1:eta=1", Cost, 1844.1, 23.6),
            ("cog2:eta=1", Cost, 1639.8, 19.7),
        ],
    );
    // Full covariances take longer.
    check(
        "ijcnn1",
        &rows,
        5,
        &[
            ("arow:r=0.1,covariance=full", Sum, 67.258, 0.460),
            ("acog1:eta=10,covariance=full", Sum, 82.375, 0.230),
            ("acog2:eta=10,covariance=full", Sum, 86.872, 0.174),
            ("acog1:eta=20,covariance=full", Cost, 1519.7, 12.3),
            ("acog2:eta=20,covariance=full", Cost, 1227.9, 14.9),
        ],
    );
}

fn mushrooms(folder: &Path) {
    let rows = rows(folder, &["mushrooms.zst"], "2", 8_124);
    check(
        "mushrooms",
        &rows,
        20,
        &[
            ("cog1:eta=2", Sum, 99.205, 0.047),
            ("cog2:eta=2", Sum, 99.211, 0.057),
            ("acog1:eta=3", Sum, 99.447, 0.052),
            ("cog1:eta=10", Cost, 15.760, 2.496),
            ("cog2:eta=10", Cost, 39.180, 2.283),
        ],
    );
    check(
        "mushrooms",
        &rows,
        5,
        &[
            ("acog1:eta=5,covariance=full", Cost, 18.735, 1.062),
            ("acog2:eta=5,covariance=full", Cost, 16.770, 1.546),
        ],
    );
}

fn australian(folder: &Path) {
    let rows = rows(folder, &["australian.zst"], "1", 690);
    check(
        "australian",
        &rows,
        20,
        &[
            ("perceptron", Sum, 57.863, 1.327),
            ("romma", Sum, 58.732, 3.462),
            ("paum", Sum, 62.362, 0.941),
            ("arow:r=10,covariance=full", Sum, 67.174, 0.749),
            ("cog1:eta=0.1", Sum, 65.972, 0.879),
            ("cog2:eta=0.1", Sum, 67.213, 0.787),
            ("acog1:eta=10,covariance=full", Sum, 68.808, 0.894),
            ("acog2:eta=10,covariance=full", Sum, 69.228, 0.733),
            ("acog1:eta=10", Sum, 68.464, 0.936),
            ("acog2:eta=10", Sum, 68.510, 0.917),
        ],
    );
}

fn magic04(folder: &Path) {
    let rows = rows(folder, &["magic04.zst"], "-1", 19_020);
    check(
        "magic04",
        &rows,
        20,
        &[
            ("perceptron", Sum, 59.154, 0.408),
            ("romma", Sum, 64.025, 3.277),
            ("paum", Sum, 64.671, 0.204),
            ("arow:r=0.001,covariance=full", Sum, 70.896, 0.190),
            ("cog1:eta=0.1", Sum, 65.913, 0.189),
            ("cog2:eta=0.1", Sum, 69.815, 0.183),
            ("acog1:eta=100,covariance=full", Sum, 72.935, 0.186),
        ],
    );
}

fn dna(folder: &Path) {
    let rows = rows(folder, &["dna.scale.zst"], "1", 2_000);
    check(
        "dna",
        &rows,
        20,
        &[
            ("perceptron", Sum, 84.759, 0.575),
            ("romma", Sum, 85.782, 0.553),
            ("paum", Sum, 88.560, 0.737),
            ("cog1:eta=10", Sum, 87.886, 0.812),
            ("cog2:eta=10", Sum, 87.395, 0.530),
            ("acog1:eta=10", Sum, 89.498, 0.633),
            ("acog2:eta=10", Sum, 88.433, 0.490),
            ("ssacog1:eta=5,sketch=5", Sum, 89.975, 0.516),
            ("ssacog2:eta=1,sketch=5", Sum, 90.444, 0.471),
        ],
    );
}
