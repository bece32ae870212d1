//! Trains on a file, measures the model on another, and says which features matter most.
//!
//! `cargo run --release -p thalweg --example train_file -- data/smsspam.train.tsv.zst data/smsspam.test.tsv.zst text`
#![allow(clippy::print_stdout, clippy::print_stderr)]

use std::sync::Arc;

use thalweg::observer::Observer;
use thalweg::{BadLine, Config, Input, Norm, Predictor, Selection, Trainer};

/// Prints bad lines, and nothing else.
struct Complain;

impl Observer for Complain {
    fn bad_line(&mut self, bad: &BadLine) {
        eprintln!("{}: {}", bad.place, bad.message);
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [train, test, text] = &arguments[..] else {
        return Err("usage: train_file TRAIN TEST TEXT_COLUMN".into());
    };
    let config = Config::parse("ssol:schedule=constant,lambda=1")?.text(text.as_str()).normalize(Norm::L2);
    let mut trainer = Trainer::new(config)?;
    trainer.run(&[Input::from(train.as_str())], &mut Complain)?;
    println!("{}", serde_json::to_string(&trainer.report())?);

    let model = Arc::new(trainer.into_model()?);
    let report = Predictor::new(Arc::clone(&model)).evaluate(&[Input::from(test.as_str())], &mut Complain)?;
    println!("{}", serde_json::to_string(&report)?);
    for feature in Selection::of(&model, 5).features {
        println!("{:+.4} {}", feature.weight, feature.feature);
    }
    Ok(())
}
