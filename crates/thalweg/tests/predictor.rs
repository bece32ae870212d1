//! A predictor gives the same scores for records in memory as for files, in every format, and never hangs.
#![allow(missing_docs, clippy::unwrap_used)]

use std::io::{Read, Write};
use std::path::Path;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, channel};
use std::thread;
use std::time::Duration;

use thalweg::observer::{Observer, Refusal};
use thalweg::{
    BadLine, Config, Error, Format, Input, Interrupt, Model, Multiclass, Norm, Predictions, Predictor, Scale,
    Scored, Trainer, observer,
};

/// Rows with names that only some have, and now and then one that cannot be read.
fn rows(format: Format, range: std::ops::Range<usize>, bad: bool) -> String {
    let mut text = match format.name() {
        "csv" => "id,label,word,size\n".to_string(),
        "tsv" => "id\tlabel\tword\tsize\n".to_string(),
        _ => String::new(),
    };
    for i in range {
        let (label, word, size) = (["a", "b", "c"][i * i % 3], i * 7 % 40 + i / 900, 1 + i % 5);
        let is_bad = bad && i % 31 == 5;
        text += &match format.name() {
            "csv" if is_bad => format!("{i},{label}\n"),
            "csv" => format!("{i},{label},w{word},{size}\n"),
            "tsv" if is_bad => format!("{i}\t{label}\n"),
            "tsv" => format!("{i}\t{label}\tw{word}\t{size}\n"),
            "jsonl" if is_bad => "{\"label\":\n".to_string(),
            "jsonl" => format!(
                "{{\"id\": \"{i}\", \"label\": \"{label}\", \"word\": \"w{word}\", \"size\": {size}}}\n"
            ),
            "libsvm" if is_bad => format!("{label} {word}\n"),
            "libsvm" => format!("{label} {}:1 {}:{size}\n", word + 1, 200),
            _ if is_bad => format!("{label} heavy | w\n"),
            _ => format!("{label} '{i}| word=w{word} size:{size}\n"),
        };
    }
    text
}

/// Scores, classes, ids and places of skipped records of an input.
type Seen = (Vec<(Vec<f64>, u32, Vec<u8>)>, Vec<usize>);

#[derive(Default)]
struct AtEnd(usize);

impl Observer for AtEnd {
    fn skipped_at_end(&mut self, records: usize) -> Result<(), Refusal> {
        self.0 = records;
        Ok(())
    }
}

fn of_input(predictor: &Predictor, input: &Input) -> Seen {
    let (mut all, mut skipped, mut end) = (Vec::new(), Vec::new(), AtEnd::default());
    let take = |scored: &Scored<()>, _: &mut AtEnd| {
        skipped.extend(scored.skipped.iter().map(|before| all.len() + before));
        for i in 0..scored.batch.len() {
            let scores = scored.outcomes().scores_of(i).to_vec();
            all.push((scores, scored.predicted()[i], scored.batch.id(i).to_vec()));
        }
        Ok(true)
    };
    predictor.run(std::slice::from_ref(input), &mut end, |_| {}, take).unwrap();
    skipped.extend(vec![all.len(); end.0]);
    (all, skipped)
}

fn of_records(predictor: &Predictor, records: &[u8], format: Format) -> Seen {
    let mut predictions = Predictions::default();
    predictor.score_records(records, format, &mut predictions).unwrap();
    let one = |i| (predictions.scores(i).to_vec(), predictions.class(i), predictions.id(i).to_vec());
    ((0..predictions.len()).map(one).collect(), predictions.skipped().to_vec())
}

fn configs() -> Vec<Config> {
    let config = || Config::parse("arow").unwrap().id_col("id").multiclass(Multiclass::Any);
    vec![
        config(),
        config().scale(Scale::Max).normalize(Norm::L2).bias(true),
        config().hash_bits(5u32).scale(Scale::Deviation),
        config().max_features(20u64).binary(true),
        Config::parse("ssol").unwrap().id_col("id").positive("b").normalize(Norm::L1),
    ]
}

fn write(folder: &Path, name: &str, text: &str) -> Input {
    std::fs::write(folder.join(name), text).unwrap();
    Input::File(folder.join(name))
}

#[test]
fn records_and_files_are_scored_alike_in_every_format() {
    let folder = tempfile::tempdir().unwrap();
    for format in [Format::VW, Format::CSV, Format::TSV, Format::JSONL, Format::LIBSVM] {
        for config in configs() {
            if format == Format::LIBSVM && (config.hash_bits.is_some() || config.max_features.is_some()) {
                continue;
            }
            let mut trainer = Trainer::new(config.clone()).unwrap();
            trainer.learn_records(rows(format, 0..1000, false).as_bytes(), format).unwrap();
            let model = Arc::new(trainer.into_model().unwrap());
            let text = rows(format, 700..2000, true);
            let predictor = |config: Config| Predictor::new(Arc::clone(&model)).configured(config).unwrap();
            let alone = of_records(&predictor(Config::default()), text.as_bytes(), format);
            assert_eq!((alone.0.len(), alone.1.len()), (1258, 42), "{format:?}");
            let input = write(folder.path(), &format!("a.{}", format.name()), &text);
            for threads in [0usize, 1, 2, 8] {
                let same = of_input(&predictor(Config::default().threads(threads)), &input) == alone;
                assert!(same, "{format:?} with {threads} threads: {config:?}");
            }
            // A cache, as it is made and as it is read.
            for _ in 0..2 {
                let cached = of_input(&predictor(Config::default().cache(true)), &input);
                assert!(cached == alone, "{format:?} from a cache: {config:?}");
            }
            // One by one, with a header each.
            let header =
                if format == Format::CSV || format == Format::TSV { text.find('\n').unwrap() + 1 } else { 0 };
            let one_by_one = predictor(Config::default());
            let scores = text[header..].lines().flat_map(|line| {
                of_records(&one_by_one, format!("{}{line}", &text[..header]).as_bytes(), format).0
            });
            assert!(scores.eq(alone.0.iter().cloned()), "{format:?} one by one: {config:?}");
        }
    }
}

#[test]
fn explanations_are_those_of_files_and_add_up() {
    for config in configs() {
        let mut trainer = Trainer::new(config).unwrap();
        trainer.learn_records(rows(Format::JSONL, 0..1000, false).as_bytes(), Format::JSONL).unwrap();
        let predictor = Predictor::new(Arc::new(trainer.into_model().unwrap()));
        let text = rows(Format::JSONL, 900..1100, true).replace("w40\"", "never seen\"");
        let mut of_file = Vec::new();
        let input = [Input::bytes("a.jsonl", text.clone().into_bytes())];
        predictor
            .explain(&input, None, &mut (), |all| {
                of_file.extend(all);
                Ok(())
            })
            .unwrap();
        let of_records = predictor.explain_records(text.as_bytes(), Format::JSONL, None).unwrap();
        assert_eq!(of_file.len(), of_records.len());
        for (file, record) in of_file.iter().zip(&of_records) {
            assert_eq!(
                (&file.id, &file.predicted, &file.class),
                (&record.id, &record.predicted, &record.class)
            );
            assert_eq!((file.score, &file.features), (record.score, &record.features));
            let sum: f64 = record.features.iter().map(|feature| feature.contribution).sum();
            assert!((sum - record.score).abs() < 1e-4 * (1.0 + record.score.abs()), "{sum} {}", record.score);
        }
    }
}

#[test]
fn columns_that_the_model_needs_must_be_there() {
    let mut trainer = Trainer::new(Config::parse("perceptron").unwrap().text("note")).unwrap();
    trainer.learn_records(b"label,note\n1,a\n0,b\n", Format::CSV).unwrap();
    let predictor = Predictor::new(Arc::new(trainer.into_model().unwrap()));
    let mut predictions = Predictions::default();
    let error = predictor.score_records(b"text\nx\n", Format::CSV, &mut predictions).unwrap_err().to_string();
    let of_file = predictor.run(
        &[Input::bytes("a.csv", *b"text\nx\n")],
        &mut (),
        |_: &mut Scored<()>| {},
        |_, ()| Ok(true),
    );
    assert_eq!(error.replace("<records>", "a.csv"), of_file.unwrap_err().to_string());
    assert!(error.contains("there is no column \"note\""), "{error}");
    predictor.score_records(b"note,more\nb,3\n", Format::CSV, &mut predictions).unwrap();
    assert_eq!((predictions.len(), predictor.label(&predictions, 0)), (1, "0"));
}

#[test]
fn a_strict_predictor_stops_at_the_first_bad_record() {
    let mut trainer = Trainer::new(Config::default()).unwrap();
    trainer.learn_records(b"1 1:1\n0 2:1\n", Format::LIBSVM).unwrap();
    let model = Arc::new(trainer.into_model().unwrap());
    let mut predictions = Predictions::default();
    let strict = Predictor::new(model).configured(Config::default().strict(true)).unwrap();
    let error =
        strict.score_records(b"1:1\n2:x\n", Format::LIBSVM, &mut predictions).unwrap_err().to_string();
    assert!(error.starts_with("<records>:2:3: "), "{error}");
}

/// Gives what it is sent, and waits for more until the sender goes away.
struct Pipe(Receiver<Vec<u8>>);

impl Read for Pipe {
    fn read(&mut self, mut buffer: &mut [u8]) -> std::io::Result<usize> {
        self.0.recv().map_or(Ok(0), |bytes| buffer.write(&bytes))
    }
}

/// Refuses to wait once it has seen something.
struct RefuseWhenIdle {
    seen: bool,
}

impl Observer for RefuseWhenIdle {
    fn idle(&mut self) -> Result<(), Refusal> {
        if self.seen { Err("nobody is there".into()) } else { Ok(()) }
    }
}

#[test]
fn a_run_that_is_refused_or_over_does_not_wait_for_its_pipe() {
    let mut trainer = Trainer::new(Config::default()).unwrap();
    trainer.learn_records(b"1 1:1\n0 2:1\n", Format::LIBSVM).unwrap();
    let bytes = trainer.into_model().unwrap().to_bytes();
    for threads in [1usize, 2, 4, 8] {
        let (done, is_done) = channel();
        let model = Arc::new(Model::from_bytes(&bytes).unwrap());
        let (data, pipe) = channel();
        let (refused, other) = channel();
        for sender in [&data, &refused] {
            sender.send(b"1 1:1\n0 2:1\n".to_vec()).unwrap();
        }
        thread::spawn(move || {
            let predictor = Predictor::new(model).configured(Config::default().threads(threads)).unwrap();
            let nothing = |_: &mut Scored<()>| {};
            let pipes = [other, pipe].map(|pipe| [Input::reader("a.svm", Pipe(pipe))]);
            let idle = predictor.run(&pipes[0], &mut RefuseWhenIdle { seen: false }, nothing, |_, watch| {
                watch.seen = true;
                Ok(true)
            });
            let enough = predictor.run(&pipes[1], &mut (), nothing, |_, ()| Ok(false));
            done.send((idle.map(drop), enough.map(drop))).unwrap();
        });
        // The pipes stay open.
        let (idle, enough) = is_done.recv_timeout(Duration::from_secs(20)).expect("neither run waits");
        assert!(matches!(idle, Err(Error::Observer(_))) && enough.is_ok(), "{threads} threads");
        drop((data, refused));
    }
}

#[test]
fn an_interrupt_within_an_interrupt_ends_a_run() {
    let mut trainer = Trainer::new(Config::default()).unwrap();
    trainer.learn_records(b"1 1:1\n0 2:1\n", Format::LIBSVM).unwrap();
    let all = Interrupt::default();
    let predictor = Predictor::new(Arc::new(trainer.into_model().unwrap())).interrupted_by(all.narrower());
    all.set();
    let counts = predictor.run(
        &[Input::bytes("a.svm", *b"1 1:1\n")],
        &mut (),
        |_: &mut Scored<()>| {},
        |_, ()| Ok(true),
    );
    assert_eq!(counts.unwrap().examples, 0);
}

/// Everything that an observer may be told, as counts.
#[derive(Debug, Default, PartialEq, Eq)]
struct Told {
    examples: usize,
    skipped: usize,
    bad: usize,
    warnings: usize,
    bytes: u64,
}

impl Observer for Told {
    fn batch(&mut self, seen: &observer::Seen<'_>) -> Result<(), Refusal> {
        self.examples += seen.batch.len();
        self.skipped += seen.skipped.len();
        Ok(())
    }

    fn skipped_at_end(&mut self, records: usize) -> Result<(), Refusal> {
        self.skipped += records;
        Ok(())
    }

    fn bad_line(&mut self, _: &BadLine) {
        self.bad += 1;
    }

    fn warning(&mut self, _: &str) {
        self.warnings += 1;
    }

    fn bytes_read(&mut self, bytes: u64) {
        self.bytes = bytes;
    }
}

#[test]
fn observers_of_evaluations_and_explanations_are_told_everything() {
    let mut trainer = Trainer::new(Config::default()).unwrap();
    trainer.learn_records(b"1 1:1\n0 2:1\n", Format::LIBSVM).unwrap();
    let model = Arc::new(trainer.into_model().unwrap());
    let folder = tempfile::tempdir().unwrap();
    let text = "1 1:1\n1 x:1\n0 2:1\n0 y:1\n0\n";
    let input = [write(folder.path(), "a.svm", text)];
    // A cache cannot be written where there is a folder of its name.
    std::fs::create_dir(folder.path().join("a.svm.thwcache")).unwrap();
    let predictor = Predictor::new(model).configured(Config::default().cache(true)).unwrap();
    let bytes = text.len() as u64;
    let mut told = Told::default();
    predictor.evaluate(&input, &mut told).unwrap();
    assert_eq!(told, Told { examples: 3, skipped: 2, bad: 2, warnings: 1, bytes });
    let (mut told, mut explained) = (Told::default(), 0);
    let counts = predictor.explain(&input, None, &mut told, |all| {
        explained += all.len();
        Ok(())
    });
    assert_eq!((counts.unwrap().examples, explained), (3, 3));
    assert_eq!(told, Told { bad: 2, warnings: 1, bytes, ..Told::default() });
}

#[test]
fn records_that_are_skipped_behind_the_last_example_are_told_by_evaluations() {
    let mut trainer = Trainer::new(Config::default()).unwrap();
    trainer.learn_records(b"1 1:1\n0 2:1\n", Format::LIBSVM).unwrap();
    let predictor = Predictor::new(Arc::new(trainer.into_model().unwrap()));
    // A piece of its own holds nothing but what cannot be read.
    let (examples, bad) = ("1 1:1\n".repeat(100_000), "1 x:1\n".repeat(100_000));
    let mut told = Told::default();
    predictor.evaluate(&[Input::bytes("a.svm", (examples + &bad).into_bytes())], &mut told).unwrap();
    assert_eq!((told.examples, told.skipped), (100_000, 100_000));
}
