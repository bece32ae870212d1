//! What the ways into the library cost: the same records from a file, through a full pipe, in memory as a whole, and one by one.
#![allow(clippy::unwrap_used, clippy::print_stdout)]

use std::io::Write;
use std::sync::Arc;
use std::time::Instant;

use thalweg::{Config, Format, Input, Predictions, Predictor, Trainer};
use thalweg_benches::{libsvm, median};

const ROUNDS: usize = 5;
const EXAMPLES: usize = 20_000;

fn main() {
    let text = libsvm(EXAMPLES);
    let path = std::env::temp_dir().join(format!("thalweg-library-{}.svm", std::process::id()));
    std::fs::write(&path, &text).unwrap();
    let trainer = || Trainer::new(Config::parse("arow").unwrap().threads(1usize)).unwrap();
    let run = |input: Input| {
        let mut trainer = trainer();
        trainer.run(&[input], &mut ()).unwrap();
        trainer.into_model().unwrap()
    };
    let predictor = Predictor::new(Arc::new(run(Input::File(path.clone()))));
    let cases: [(&str, &dyn Fn()); 5] = [
        ("learn from a file", &|| drop(run(Input::File(path.clone())))),
        ("learn from a full pipe", &|| drop(run(pipe(&text)))),
        ("learn from memory", &|| _ = trainer().learn_records(&text, Format::LIBSVM).unwrap()),
        ("learn, one record a call", &|| {
            let mut trainer = trainer();
            lines(&text).for_each(|line| _ = trainer.learn_records(line, Format::LIBSVM).unwrap());
        }),
        ("score, one record a call", &|| {
            let mut predictions = Predictions::default();
            lines(&text)
                .for_each(|line| predictor.score_records(line, Format::LIBSVM, &mut predictions).unwrap());
        }),
    ];
    let mut seconds = vec![Vec::new(); cases.len()];
    // In turn, so that whatever else the machine does hits all of them.
    for _ in 0..ROUNDS {
        for ((_, run), seconds) in cases.iter().zip(&mut seconds) {
            let began = Instant::now();
            run();
            seconds.push(began.elapsed().as_secs_f64());
        }
    }
    std::fs::remove_file(&path).unwrap();
    let medians: Vec<f64> = seconds.into_iter().map(median).collect();
    println!("{:<26} {:>12} {:>10}", "one thread, medians of 5", "examples/s", "/ file");
    for ((name, _), seconds) in cases.iter().zip(&medians) {
        println!("{name:<26} {:>12.0} {:>10.2}", EXAMPLES as f64 / seconds, seconds / medians[0]);
    }
}

fn lines(text: &[u8]) -> impl Iterator<Item = &[u8]> {
    text.split_inclusive(|byte| *byte == b'\n')
}

/// A pipe that is kept full by another thread.
fn pipe(text: &[u8]) -> Input {
    let (source, mut sink) = std::io::pipe().unwrap();
    let text = text.to_vec();
    std::thread::spawn(move || sink.write_all(&text));
    Input::reader("pipe.svm", source)
}
