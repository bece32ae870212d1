//! A trainer comes to the same model however the records reach it, and errors leave it as it was.
#![allow(missing_docs, clippy::unwrap_used)]

use std::io::{Read, Write};
use std::ops::Range;

use thalweg::observer::{Observer, Refusal, Seen};
use thalweg::{Batch, Config, Error, Format, Input, Model, Multiclass, Norm, Scale, Trainer};

/// Lines in VW's format, with names that come late and labels that differ.
fn lines(range: Range<usize>) -> String {
    let line = |i: usize| {
        let label = ["ham", "spam"][i * 7 % 5 % 2];
        let (a, b, c) = (format!("a{}", i % 17), format!("b{}:{}", i * 13 % 101, 1 + i % 4), format!("c{i}"));
        if i.is_multiple_of(3) {
            format!("{label} | {c} {b} {a}\n")
        } else {
            format!("{label} | {a} {b} {c}\n")
        }
    };
    range.map(line).collect()
}

fn input(range: Range<usize>) -> Input {
    Input::bytes("a.vw", lines(range).into_bytes())
}

fn trainer(config: &Config) -> Trainer {
    Trainer::new(config.clone()).unwrap()
}

fn bytes(trainer: Trainer) -> Vec<u8> {
    trainer.into_model().unwrap().to_bytes()
}

fn resumed(trainer: Trainer) -> Trainer {
    Trainer::resume(Model::from_bytes(&bytes(trainer)).unwrap()).unwrap()
}

/// Configurations whose state is more than weights.
fn configs() -> Vec<Config> {
    let config = |learner| Config::parse(learner).unwrap();
    vec![
        Config::default(),
        Config::default().max_features(60u64),
        config("arow"),
        config("ssol").scale(Scale::Max).normalize(Norm::L2),
        config("arow").scale(Scale::Deviation).max_features(60u64).bias(true),
        config("ftrl").hash_bits(7u32),
        config("arow").multiclass(Multiclass::Any),
        config("perceptron").multiclass(Multiclass::Ovr).max_features(40u64),
        config("bcw1:batch=7"),
        config("arow").positive("spam").balanced(true),
        config("acog2").positive("spam").balanced(true).balance_half_life(30.0),
        config("arow").multiclass(Multiclass::Any).balanced(true).class_weight("spam=3"),
        config("ssol").multiclass(Multiclass::Ovr).balanced(true).class_weight("spam=3"),
    ]
}

#[test]
fn runs_and_records_in_any_order_make_the_model_of_one_run() {
    for config in configs() {
        let mut whole = trainer(&config);
        whole.run(&[input(0..400)], &mut ()).unwrap();
        let whole = bytes(whole);
        let one_call = |trainer: &mut Trainer, range: Range<usize>| {
            trainer.learn_records(lines(range).as_bytes(), Format::VW).unwrap();
        };

        let mut one_by_one = trainer(&config);
        (0..400).for_each(|i| one_call(&mut one_by_one, i..i + 1));
        assert!(bytes(one_by_one) == whole, "one by one: {config:?}");

        let mut mixed = trainer(&config);
        mixed.run(&[input(0..90)], &mut ()).unwrap();
        one_call(&mut mixed, 90..91);
        mixed = resumed(mixed);
        one_call(&mut mixed, 91..200);
        one_call(&mut mixed, 200..210);
        mixed.run(&[input(210..211), input(211..300)], &mut ()).unwrap();
        mixed = resumed(mixed);
        mixed.run(&[input(300..350)], &mut ()).unwrap();
        (350..400).for_each(|i| one_call(&mut mixed, i..i + 1));
        assert!(bytes(mixed) == whole, "mixed: {config:?}");
    }
}

#[test]
fn a_model_that_has_learned_nothing_is_a_file_like_any_other() {
    for config in configs() {
        let mut whole = trainer(&config);
        whole.run(&[input(0..100)], &mut ()).unwrap();
        let mut kept = resumed(trainer(&config));
        kept.run(&[input(0..100)], &mut ()).unwrap();
        assert!(bytes(kept) == bytes(whole), "{config:?}");
    }
}

#[test]
fn a_batch_that_ends_with_the_data_is_learned_from() {
    let config = Config::parse("bcw1").unwrap();
    let mut of_input = trainer(&config);
    of_input.run(&[input(0..100)], &mut ()).unwrap();
    let mut of_records = trainer(&config);
    of_records.learn_records(lines(0..100).as_bytes(), Format::VW).unwrap();
    let model = of_records.into_model().unwrap();
    assert!(model.learner().nonzeros() > 0);
    assert!(model.to_bytes() == bytes(of_input));
    let mut of_batches = trainer(&config);
    let mut batch = Batch::default();
    for i in 0..20 {
        batch.push([(i % 3, 1.0), (9, 1.0)], Some(u32::from(i % 3 == 0))).unwrap();
    }
    of_batches.learn_batch(&batch).unwrap();
    assert!(of_batches.into_model().unwrap().learner().nonzeros() > 0);
}

/// Refuses the batch with this number.
struct RefuseAt(usize);

impl Observer for RefuseAt {
    fn batch(&mut self, _: &Seen<'_>) -> Result<(), Refusal> {
        match self.0.checked_sub(1) {
            None => Err("enough".into()),
            Some(left) => {
                self.0 = left;
                Ok(())
            }
        }
    }
}

/// Gives bytes, then fails.
struct Broken(std::io::Cursor<Vec<u8>>);

impl Read for Broken {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        match self.0.read(buffer)? {
            0 => Err(std::io::Error::other("the cable was pulled")),
            count => Ok(count),
        }
    }
}

#[test]
fn what_cannot_be_opened_changes_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let file = |name: &str, bytes: &[u8]| {
        std::fs::write(folder.path().join(name), bytes).unwrap();
        Input::File(folder.path().join(name))
    };
    let mut zipped = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    zipped.write_all(lines(0..3000).as_bytes()).unwrap();
    let zipped = zipped.finish().unwrap();
    let wrong = [
        Input::File(folder.path().join("absent.vw")),
        file("twice.csv", b"label,label\n1,2\n"),
        file("short.vw.gz", &zipped[..20]),
        file("text.parquet", b"not at all"),
    ];
    for config in configs() {
        // Before anything was learned, and in the middle.
        for before in [0, 200] {
            let learned = |trainer: &mut Trainer| {
                trainer.learn_records(lines(0..before).as_bytes(), Format::VW).unwrap();
            };
            let (mut hurt, mut whole) = (trainer(&config), trainer(&config));
            learned(&mut hurt);
            learned(&mut whole);
            for input in &wrong {
                hurt.run(std::slice::from_ref(input), &mut ()).unwrap_err();
            }
            hurt.run(&[input(200..300)], &mut ()).unwrap();
            whole.run(&[input(200..300)], &mut ()).unwrap();
            assert!(bytes(hurt) == bytes(whole), "{config:?} after {before}");
        }
    }
}

#[test]
fn after_an_error_learning_goes_on_with_what_was_learned() {
    for config in configs() {
        let (mut hurt, mut seen) = (trainer(&config), 0);
        hurt.run(&[input(0..300)], &mut RefuseAt(6)).unwrap_err();
        seen += hurt.examples() as usize;
        assert!(0 < seen && seen < 300);
        hurt.run(&[input(seen..400)], &mut ()).unwrap();
        let mut whole = trainer(&config);
        whole.run(&[input(0..400)], &mut ()).unwrap();
        assert!(bytes(hurt) == bytes(whole), "refused after {seen}: {config:?}");

        let mut hurt = trainer(&config);
        let broken = Input::reader("a.vw", Broken(std::io::Cursor::new(lines(0..300).into_bytes())));
        let error = hurt.run(&[broken], &mut ()).unwrap_err().to_string();
        assert!(error.starts_with("a.vw: the cable was pulled"), "{error}");
        let seen = hurt.examples() as usize;
        hurt.run(&[input(seen..400)], &mut ()).unwrap();
        let mut whole = trainer(&config);
        whole.run(&[input(0..400)], &mut ()).unwrap();
        assert!(bytes(hurt) == bytes(whole), "broken after {seen}: {config:?}");
    }
}

#[test]
fn data_without_examples_decides_nothing() {
    let csv = b"label,a\n1,x\n0,y\n";
    let nothing: [&dyn Fn(&mut Trainer); 5] = [
        &|trainer| trainer.run(&[Input::bytes("a", *b"")], &mut ()).unwrap(),
        &|trainer| trainer.run(&[Input::bytes("a.svm", *b"# nothing\n\n")], &mut ()).unwrap(),
        &|trainer| assert_eq!(trainer.learn_records(b"", Format::LIBSVM).unwrap().examples, 0),
        &|trainer| assert_eq!(trainer.learn_records(b"1 x:y\n", Format::LIBSVM).unwrap().bad.len(), 1),
        &|trainer| trainer.learn_batch(&Batch::default()).unwrap(),
    ];
    let mut alone = trainer(&Config::default());
    alone.learn_records(csv, Format::CSV).unwrap();
    let alone = bytes(alone);
    for (i, nothing) in nothing.iter().enumerate() {
        let mut trainer = trainer(&Config::default());
        nothing(&mut trainer);
        assert_eq!(trainer.learn_records(csv, Format::CSV).unwrap().examples, 2, "{i}");
        assert!(bytes(trainer) == alone, "{i}");
    }
    // The other way round: a table without examples does not give numbers names.
    let labels = Config::default().labels("0").labels("1");
    let mut numbers = trainer(&labels);
    numbers.run(&[Input::bytes("a.csv", *b"label,label\n")], &mut ()).unwrap_err();
    numbers.learn_records(b"label,a\n", Format::CSV).unwrap();
    numbers.learn_records(b"1 1:1\n0 2:1\n", Format::LIBSVM).unwrap();
    let mut others = trainer(&labels);
    others.learn_records(b"1 1:1\n0 2:1\n", Format::LIBSVM).unwrap();
    assert!(bytes(numbers) == bytes(others));
}

#[test]
fn shuffled_and_repeated_data_is_learned_or_refused_as_a_whole() {
    let config = Config::parse("arow").unwrap();
    for config in [config.clone().shuffle(true).seed(3u64), config.clone().passes(3u64)] {
        let mut whole = trainer(&config);
        whole.run(&[input(0..300)], &mut ()).unwrap();
        let mut hurt = trainer(&config);
        let reader = |bytes: Vec<u8>| Input::reader("a.vw", std::io::Cursor::new(bytes));
        let broken = Input::reader("a.vw", Broken(std::io::Cursor::new(lines(0..300).into_bytes())));
        hurt.run(&[broken], &mut ()).unwrap_err();
        assert_eq!(hurt.examples(), 0, "nothing is learned before all of it is there");
        hurt.run(&[reader(lines(0..300).into_bytes())], &mut ()).unwrap();
        assert!(bytes(hurt) == bytes(whole), "{config:?}");
    }
    let mut small = trainer(&config.max_memory(20_000u64).shuffle(true));
    let error = small.run(&[input(0..3000)], &mut ()).unwrap_err().to_string();
    assert!(error.contains("`max_memory`") && small.examples() == 0, "{error}");
}

#[test]
fn a_model_that_grows_too_large_is_an_error_and_stays() {
    let mut trainer = trainer(&Config::parse("arow").unwrap().max_memory(100_000u64));
    let error = trainer.run(&[input(0..30_000)], &mut ()).unwrap_err();
    assert!(matches!(error, Error::TooLarge(_)), "{error}");
    let learned = trainer.examples();
    assert!(0 < learned && learned < 30_000);
    let error = trainer.learn_records(lines(30_000..30_001).as_bytes(), Format::VW).unwrap_err();
    assert!(matches!(error, Error::TooLarge(_)), "{error}");
    assert_eq!(trainer.into_model().unwrap().learner().counts().examples, learned + 1);
}

#[test]
fn all_learners_learn_from_what_one_observer_refuses() {
    let config = Config::default();
    let mut together = Trainer::with_learners(config, &["arow", "perceptron"]).unwrap();
    together.run(&[input(0..300)], &mut RefuseAt(3)).unwrap_err();
    let [first, second] = together.tracks() else { unreachable!() };
    assert_eq!(first.examples(), second.examples());
}

#[test]
fn rejected_lines_of_all_runs_are_kept() {
    let folder = tempfile::tempdir().unwrap();
    let rejects = folder.path().join("rejects");
    std::fs::write(&rejects, "of another program\n").unwrap();
    let mut trainer = trainer(&Config::default().reject_file(rejects.clone()));
    let bad = |number: usize| format!("1 1:1\n0 bad{number}\n0 1:1\n");
    trainer.run(&[Input::bytes("a.svm", bad(1).into_bytes())], &mut ()).unwrap();
    trainer.learn_records(bad(2).as_bytes(), Format::LIBSVM).unwrap();
    assert_eq!(trainer.report().bad_lines, 2);
    trainer.run(&[Input::bytes("a.svm", bad(3).into_bytes())], &mut ()).unwrap();
    assert_eq!(trainer.report().bad_lines, 3);
    assert_eq!(std::fs::read_to_string(&rejects).unwrap(), "0 bad1\n0 bad2\n0 bad3\n");
}

#[test]
fn classes_of_batches_are_those_that_there_can_be() {
    let batch = |class: u32| {
        let mut batch = Batch::default();
        batch.push([(1, 1.0)], Some(class)).unwrap();
        batch
    };
    let mut two = trainer(&Config::default());
    assert_eq!(
        two.learn_batch(&batch(2)).unwrap_err().to_string(),
        "an example has class 2, but of two classes there are only 0 (negative) and 1 (positive)"
    );
    two.learn_batch(&batch(1)).unwrap();
    let mut many = trainer(&Config::default().multiclass(Multiclass::Any).max_classes(5u32));
    many.learn_records(b"1 1:1\n2 1:1\n3 2:1\n", Format::LIBSVM).unwrap();
    assert_eq!(
        many.learn_batch(&batch(4_000_000_000)).unwrap_err().to_string(),
        "an example has class 4000000000, but no more than 5 classes are allowed (`max_classes`)"
    );
    assert_eq!(many.labels().names(), ["1", "2", "3"]);
    many.learn_batch(&batch(4)).unwrap();
    assert_eq!(many.labels().names(), ["1", "2", "3", "class 3", "4"]);
    let model = Model::from_bytes(&bytes(many)).unwrap();
    assert_eq!(model.labels().names().len(), 5);
}
