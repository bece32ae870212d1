//! What sixteen settings of a learner cost compared with one: side by side in a sweep, and one run after the other.
#![allow(clippy::unwrap_used, clippy::print_stdout)]

use std::time::Instant;

use thalweg::{Config, Input, Interrupt, Trainer};
use thalweg_benches::{libsvm, median};
use thalweg_experiments::grid::candidates;
use thalweg_experiments::sweep::{Objective, Sweep, Validation};

const ROUNDS: usize = 5;
const EXAMPLES: usize = 100_000;

fn main() {
    let path = std::env::temp_dir().join(format!("thalweg-sweep-{}.svm", std::process::id()));
    std::fs::write(&path, libsvm(EXAMPLES)).unwrap();
    let input = || [Input::File(path.clone())];
    println!("{:<10} {:>8} {:>12} {:>8}", "learner", "one, s", "sixteen, s", "ratio");
    for (learner, range) in [
        ("arow", "r=2^-8..2^7"),
        ("ssol", "eta=2^-6..2^9"),
        ("sarow", "r=2^-10..2^5"),
        ("pa1", "c=2^-10..2^5"),
        ("ftrl", "lambda=2^-12..2^3"),
    ] {
        let config = Config::default();
        let sweep = Sweep {
            objective: Objective::of(&config).unwrap(),
            config,
            candidates: candidates(&[learner.into()], &[range.parse().unwrap()]).unwrap(),
            validation: Validation::Progressive,
            race: None,
        };
        assert_eq!(sweep.candidates.len(), 16);
        let (mut one, mut sixteen) = (Vec::new(), Vec::new());
        // In turn, so that whatever else the machine does hits both.
        for _ in 0..ROUNDS {
            let began = Instant::now();
            Trainer::new(Config::parse(learner).unwrap()).unwrap().run(&input(), &mut ()).unwrap();
            one.push(began.elapsed().as_secs_f64());
            let began = Instant::now();
            sweep.run(&input(), &Interrupt::default(), &mut ()).unwrap();
            sixteen.push(began.elapsed().as_secs_f64());
        }
        let (one, sixteen) = (median(one), median(sixteen));
        println!("{learner:<10} {one:>8.3} {sixteen:>12.3} {:>8.2}", sixteen / one);
    }
    std::fs::remove_file(&path).unwrap();
}
