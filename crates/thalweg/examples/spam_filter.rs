//! Trains from memory, scores from four threads, and saves.
#![allow(clippy::print_stdout)]

use std::sync::Arc;
use std::thread;

use thalweg::{Config, Format, Norm, Predictions, Predictor, Trainer};

const MAILS: &[u8] = b"label\tsubject
spam\twin free money now
ham\tlunch at noon?
spam\tfree prize, claim now
ham\tnotes of the meeting at noon
";

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut trainer = Trainer::new(Config::parse("arow")?.text("subject").normalize(Norm::L2).bias(true))?;
    trainer.learn_records(MAILS, Format::TSV)?;
    let model = trainer.into_model()?;
    model.save(std::env::temp_dir().join("spam_filter.thw"))?;

    let predictor = Predictor::new(Arc::new(model));
    let score = |subject: &str| {
        let mut predictions = Predictions::default();
        predictor.score_records(format!("subject\n{subject}\n").as_bytes(), Format::TSV, &mut predictions)?;
        let (label, scores) = (predictor.label(&predictions, 0), predictions.scores(0));
        Ok::<_, thalweg::Error>(format!("{:+.3} {label:4} {subject}", scores[0]))
    };
    thread::scope(|scope| {
        let subjects = ["free lunch", "claim your prize", "the meeting", "money"];
        let threads = subjects.map(|subject| scope.spawn(move || score(subject)));
        threads.into_iter().map(|thread| thread.join().expect("no thread panics")).try_for_each(|line| {
            println!("{}", line?);
            Ok(())
        })
    })
}
