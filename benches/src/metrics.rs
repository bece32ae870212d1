//! What measuring costs: the same learner over the same cache, with the usual metrics, with all of them, with a threshold that follows a target, and with
//! probabilities.
#![allow(clippy::unwrap_used, clippy::print_stdout)]

use std::time::Instant;

use thalweg::{Config, Input, Target, Trainer};
use thalweg_benches::{libsvm, median};
use thalweg_eval::METRICS;

const ROUNDS: usize = 7;
const EXAMPLES: usize = 100_000;

fn main() {
    let path = std::env::temp_dir().join(format!("thalweg-metrics-{}.svm", std::process::id()));
    std::fs::write(&path, libsvm(EXAMPLES)).unwrap();
    let usual = || Config::parse("arow").unwrap().threads(0usize).cache(true);
    let target: Target = "recall>=0.9".parse().unwrap();
    let all = |with_probabilities: bool| {
        let metrics = METRICS.iter().filter(|metric| {
            // Families have a number in their name, and some metrics are for many classes only.
            let alone = usual().metrics(metric.name).probabilities(with_probabilities);
            Trainer::new(alone).is_ok()
        });
        let config = usual().probabilities(with_probabilities);
        metrics.fold(config, |config, metric| config.metrics(metric.name)).metrics("f2")
    };
    let cases = [
        ("the usual metrics", usual()),
        ("all metrics", all(false)),
        ("probabilities", usual().probabilities(true)),
        ("all metrics, probabilities", all(true)),
        ("a target", usual().target(target)),
        ("a watch for drift", usual().on_drift(thalweg::DriftAction::Warn)),
        ("curves", usual().curves(true)),
    ];
    let run = |config: &Config| {
        let mut trainer = Trainer::new(config.clone()).unwrap();
        let began = Instant::now();
        trainer.run(&[Input::File(path.clone())], &mut ()).unwrap();
        began.elapsed().as_secs_f64()
    };
    run(&cases[0].1);
    let mut seconds = vec![Vec::new(); cases.len()];
    // In turn, so that whatever else the machine does hits all of them.
    for _ in 0..ROUNDS {
        cases.iter().zip(&mut seconds).for_each(|((_, config), seconds)| seconds.push(run(config)));
    }
    for file in [path.with_extension("svm.thwcache"), path] {
        std::fs::remove_file(file).unwrap();
    }
    let medians: Vec<f64> = seconds.into_iter().map(median).collect();
    println!("{:<28} {:>12} {:>8}", "from a cache, one thread", "examples/s", "/ usual");
    for ((name, _), seconds) in cases.iter().zip(&medians) {
        println!("{name:<28} {:>12.0} {:>8.2}", EXAMPLES as f64 / seconds, seconds / medians[0]);
    }
}
