//! The library as a program would use it.
#![allow(missing_docs, clippy::unwrap_used)]

use std::io::Write;
use std::sync::Arc;
use std::thread;

use thalweg::observer::{Observer, Refusal, Seen};
use thalweg::{
    Batch, Config, Error, Format, Input, Interrupt, Model, Multiclass, Norm, Predictions, Predictor, Scale,
    Trainer,
};

/// Lines of several formats that say the same.
fn rows(format: Format, range: std::ops::Range<usize>) -> String {
    let mut text = if format == Format::CSV { "label,word,size\n".to_string() } else { String::new() };
    for i in range {
        let (label, word, size) = (["ham", "spam"][i % 3 % 2], i * 7 % 40, i % 5);
        let word = if label == "spam" { word + 20 } else { word };
        text += &match format.name() {
            "csv" => format!("{label},w{word},{size}\n"),
            "jsonl" => format!("{{\"label\": \"{label}\", \"word\": \"w{word}\", \"size\": {size}}}\n"),
            _ => format!("{label} |word w{word} |size size:{size}\n"),
        };
    }
    text
}

fn config() -> Config {
    Config::parse("arow").unwrap().normalize(Norm::L2).bias(true)
}

#[test]
fn files_readers_bytes_and_records_give_the_same_model() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.csv");
    std::fs::write(&path, rows(Format::CSV, 0..3000)).unwrap();
    let text = rows(Format::CSV, 0..3000);
    let model = |inputs: &[Input]| {
        let mut trainer = Trainer::new(config()).unwrap();
        trainer.run(inputs, &mut ()).unwrap();
        trainer.into_model().unwrap().to_bytes()
    };
    let of_file = model(&[Input::File(path)]);
    assert_eq!(model(&[Input::bytes("a.csv", text.clone().into_bytes())]), of_file);
    assert_eq!(model(&[Input::reader("a.csv", std::io::Cursor::new(text.clone()))]), of_file);
    let mut trainer = Trainer::new(config()).unwrap();
    assert_eq!(trainer.learn_records(text.as_bytes(), Format::CSV).unwrap().examples, 3000);
    assert!(trainer.into_model().unwrap().to_bytes() == of_file);
    // One by one, resumed half-way.
    let mut trainer = Trainer::new(config()).unwrap();
    for i in 0..3000 {
        trainer.learn_records(rows(Format::CSV, i..i + 1).as_bytes(), Format::CSV).unwrap();
        if i == 1500 {
            let bytes = trainer.into_model().unwrap().to_bytes();
            trainer = Trainer::resume(Model::from_bytes(&bytes).unwrap()).unwrap();
        }
    }
    assert!(trainer.into_model().unwrap().to_bytes() == of_file);
}

#[test]
fn ways_to_learn_can_be_mixed() {
    let mut trainer = Trainer::new(config().max_features(30u64)).unwrap();
    trainer.learn_records(rows(Format::JSONL, 0..500).as_bytes(), Format::JSONL).unwrap();
    trainer.run(&[Input::bytes("a.csv", rows(Format::CSV, 500..900).into_bytes())], &mut ()).unwrap();
    trainer.learn_records(rows(Format::CSV, 900..1000).as_bytes(), Format::CSV).unwrap();
    assert_eq!(trainer.examples(), 1000);
    assert!(trainer.report().evicted.unwrap() > 0);
    let mut all = Trainer::new(config().max_features(30u64)).unwrap();
    all.learn_records(rows(Format::JSONL, 0..1000).as_bytes(), Format::JSONL).unwrap();
    let [mixed, all] = [trainer, all].map(|trainer| trainer.into_model().unwrap());
    assert_eq!(mixed.learner().weights(), all.learner().weights());
}

#[test]
fn examples_wait_until_both_labels_are_known() {
    let mut trainer = Trainer::new(Config::parse("perceptron").unwrap()).unwrap();
    assert_eq!(trainer.learn_records(b"spam |a b\n", Format::VW).unwrap().examples, 0);
    assert_eq!(trainer.learn_records(b"ham |a c\n", Format::VW).unwrap().examples, 2);
    assert_eq!(trainer.labels().names(), ["ham", "spam"]);
    // Labels that are declared are not waited for.
    let declared = Config::parse("perceptron").unwrap().labels("ham").labels("spam");
    let mut trainer = Trainer::new(declared).unwrap();
    assert_eq!(trainer.learn_records(b"spam |a b\n", Format::VW).unwrap().examples, 1);
    // And what waits in the end is learned from.
    let mut trainer = Trainer::new(Config::parse("perceptron").unwrap()).unwrap();
    trainer.learn_records(b"spam |a b\n", Format::VW).unwrap();
    assert_eq!(trainer.into_model().unwrap().learner().counts().examples, 1);
}

#[test]
fn bad_records_are_told_and_change_nothing() {
    let mut trainer = Trainer::new(Config::parse("perceptron").unwrap()).unwrap();
    let learned = trainer.learn_records(b"1 1:1\n1 x:1\n0 2:1\n", Format::LIBSVM).unwrap();
    assert_eq!((learned.examples, learned.bad.len()), (2, 1));
    assert_eq!(learned.bad[0].place.to_string(), "<records>:2:3");
    let strict = Config { strict: Some(true), ..Config::default() };
    let error = Trainer::new(strict).unwrap().learn_records(b"1 x:1\n", Format::LIBSVM).unwrap_err();
    assert!(error.to_string().starts_with("<records>:1:3: feature index"), "{error}");
}

#[test]
fn batches_of_numbers_are_prepared_as_files_are() {
    let text = "0 1:3 2:4\n1 2:1 5:2\n0 1:1\n1 5:7 9:1\n1 9:2\n0 2:2\n";
    for config in [
        Config::parse("arow").unwrap(),
        config(),
        config().scale(Scale::Max),
        config().binary(true).scale(Scale::Deviation),
        Config::parse("ssol").unwrap().multiclass(Multiclass::Ovr),
    ] {
        let mut of_text = Trainer::new(config.clone().labels("0").labels("1")).unwrap();
        of_text.run(&[Input::bytes("a.svm", text.as_bytes())], &mut ()).unwrap();
        let mut batch = Batch::default();
        for line in text.lines() {
            let (label, features) = line.split_once(' ').unwrap();
            let pair =
                |f: &str| f.split_once(':').map(|(i, x)| (i.parse().unwrap(), x.parse().unwrap())).unwrap();
            batch.push(features.split(' ').map(pair), label.parse().ok()).unwrap();
        }
        let mut of_batch = Trainer::new(config.clone().labels("0").labels("1")).unwrap();
        of_batch.learn_batch(&batch).unwrap();
        let [a, b] = [of_text, of_batch].map(|trainer| trainer.into_model().unwrap());
        assert_eq!(a.to_bytes(), b.to_bytes(), "{config:?}");
        // And scored alike.
        let predictor = Predictor::new(Arc::new(a));
        let (mut of_text, mut of_batch) = (Predictions::default(), Predictions::default());
        predictor.score_records(text.as_bytes(), Format::LIBSVM, &mut of_text).unwrap();
        predictor.score_batch(&batch, &mut of_batch).unwrap();
        assert_eq!(of_text.len(), 6);
        assert!(
            (0..6).all(|i| of_text.scores(i) == of_batch.scores(i) && of_text.class(i) == of_batch.class(i))
        );
    }
    let mut named = Trainer::new(Config::default()).unwrap();
    named.learn_records(rows(Format::JSONL, 0..9).as_bytes(), Format::JSONL).unwrap();
    assert!(matches!(named.learn_batch(&Batch::default()), Err(Error::FeaturesHaveNames)));
}

#[test]
fn several_learners_learn_from_one_reading() {
    let input = || [Input::bytes("a.jsonl", rows(Format::JSONL, 0..2000).into_bytes())];
    let learners = ["arow", "ssol:lambda=0.1", "perceptron"];
    let mut together = Trainer::with_learners(Config::default(), &learners).unwrap();
    together.run(&input(), &mut ()).unwrap();
    assert_eq!(together.tracks().len(), 3);
    for (learner, model) in learners.iter().zip(together.into_models().unwrap()) {
        let mut alone = Trainer::new(Config::parse(learner).unwrap()).unwrap();
        alone.run(&input(), &mut ()).unwrap();
        assert_eq!(alone.into_model().unwrap().to_bytes(), model.to_bytes(), "{learner}");
    }
}

#[test]
fn many_threads_score_one_model_and_none_changes_it() {
    let mut trainer = Trainer::new(config()).unwrap();
    trainer.run(&[Input::bytes("a.csv", rows(Format::CSV, 0..2000).into_bytes())], &mut ()).unwrap();
    let model = Arc::new(trainer.into_model().unwrap());
    let before = model.to_bytes();
    let predictor = Predictor::new(Arc::clone(&model));
    let text = rows(Format::JSONL, 1990..2100) + "{\"word\": \"never seen\", \"other\": 3}\nnot JSON\n";
    let score = || {
        let mut predictions = Predictions::default();
        predictor.score_records(text.as_bytes(), Format::JSONL, &mut predictions).unwrap();
        assert_eq!((predictions.len(), predictions.skipped(), predictions.unknown()), (111, &[111][..], 1));
        (0..111).map(|i| (predictions.scores(i).to_vec(), predictions.class(i))).collect::<Vec<_>>()
    };
    let alone = score();
    thread::scope(|scope| {
        let threads: Vec<_> = (0..4).map(|_| scope.spawn(|| (0..20).all(|_| score() == alone))).collect();
        assert!(threads.into_iter().all(|thread| thread.join().unwrap()));
    });
    assert_eq!(model.to_bytes(), before);
    let explained =
        predictor.explain_records(b"{\"word\": \"new\", \"size\": 2}\n", Format::JSONL, None).unwrap();
    let names: Vec<&str> = explained[0].features.iter().map(|f| f.feature.as_str()).collect();
    assert!(names.contains(&"word=new") && names.contains(&"bias"), "{names:?}");
}

/// Ends the run at the third batch.
struct Stop(usize);

impl Observer for Stop {
    fn batch(&mut self, seen: &Seen<'_>) -> Result<(), Refusal> {
        assert_eq!((seen.predicted.len(), seen.outcomes.len()), (seen.batch.len(), seen.batch.len()));
        self.0 += 1;
        if self.0 == 3 { Err("enough".into()) } else { Ok(()) }
    }
}

#[test]
fn an_observer_or_an_interrupt_ends_a_run_and_what_was_learned_stays() {
    let input = [Input::bytes("a.csv", rows(Format::CSV, 0..5000).into_bytes())];
    let mut trainer = Trainer::new(config()).unwrap();
    assert_eq!(trainer.run(&input, &mut Stop(0)).unwrap_err().to_string(), "enough");
    assert!(trainer.has_learned() && trainer.examples() < 5000);
    let mut model = trainer.into_model().unwrap();
    // Interrupted before it begins, it learns nothing and loses nothing.
    let before = model.to_bytes();
    let mut trainer = Trainer::resume(model).unwrap();
    let interrupt = Interrupt::default();
    interrupt.set();
    trainer.interrupt_by(interrupt);
    trainer.run(&input, &mut ()).unwrap();
    assert!(trainer.report().interrupted && trainer.check_learned().is_err());
    model = trainer.into_model().unwrap();
    assert_eq!(model.to_bytes(), before);
    // Nor does it lose anything if there is nothing to open.
    let mut trainer = Trainer::resume(model).unwrap();
    assert!(trainer.run(&[Input::File("/nowhere/a.csv".into())], &mut ()).is_err());
    assert_eq!(trainer.into_model().unwrap().to_bytes(), before);
}

#[test]
fn a_configuration_may_repeat_a_model_but_not_contradict_it() {
    let config = config().text("note").cost_fn(3.0).positive("spam");
    let mut trainer = Trainer::new(config.clone()).unwrap();
    trainer.learn_records(b"label,note\nspam,a\nham,b\n", Format::CSV).unwrap();
    let bytes = trainer.into_model().unwrap().to_bytes();
    let resume =
        |config: Config| Trainer::resume_with(Model::from_bytes(&bytes).unwrap(), config).map(|_| ());
    resume(config.clone()).unwrap();
    resume(Config::parse("arow:r=1e0").unwrap().threads(3usize)).unwrap();
    // The configuration of a model describes it.
    resume(Model::from_bytes(&bytes).unwrap().config()).unwrap();
    for (other, known, given) in [
        (Config::parse("arow:r=2").unwrap(), "arow:r=1", "arow:r=2"),
        (Config::parse("ssol").unwrap(), "`learner` arow", "`learner` ssol"),
        (Config::default().bias(false), "`bias`", "no `bias`"),
        (Config::default().binary(true), "no `binary`", "`binary`"),
        (Config::default().normalize(Norm::L1), "`normalize` l2", "`normalize` l1"),
        (Config::default().text("other"), "`text` note", "`text` other"),
        (Config::default().cost_fn(4.0), "`cost_fn` 3", "`cost_fn` 4"),
        (Config::default().positive("ham"), "positive label \"spam\"", "`positive` ham"),
        (Config::default().multiclass(Multiclass::Ovr), "no `multiclass`", "`multiclass` ovr"),
        (Config::default().hash_bits(5u32), "no `hash_bits`", "`hash_bits` 5"),
    ] {
        let error = resume(other).unwrap_err();
        assert!(error.is_usage());
        assert_eq!(error.to_string(), format!("the model was trained with {known}, but {given} was given"));
    }
}

#[test]
fn wrong_configurations_are_named() {
    let error = |config: Config| Trainer::new(config).map(|_| ()).unwrap_err().to_string();
    assert_eq!(
        error(Config::default().cost_fn(-1.0)),
        "`cost_fn` must be a finite number greater than 0, got -1"
    );
    assert_eq!(error(Config::default().hash_bits(40u32)), "`hash_bits` must be from 1 to 31, got 40");
    assert_eq!(
        error(Config::default().hash_bits(4u32).names(true)),
        "`hash_bits` and `names` cannot be used together"
    );
    assert_eq!(
        error(Config::default().ngrams((3usize, 2usize))),
        "`ngrams` must be a range from 1 to 20, such as 1 to 3, got 3 to 2"
    );
    assert!(
        error(Config::default().batch(7u64))
            .starts_with("sarow learns from one example at a time; `batch` is for bcw1")
    );
    assert!(Config::parse("arrow").unwrap_err().to_string().contains("did you mean \"arow\""));
    assert_eq!(
        error(Config::default().labels("a")),
        "`labels` must be two, or any number where `multiclass` is set, got 1 of them"
    );
}

#[test]
fn a_configuration_goes_through_json() {
    let config = config().text("a").text("b").chars((3usize, 5usize)).max_memory(1u64 << 30).cost_fn(2.5);
    let json = serde_json::to_string(&config).unwrap();
    assert_eq!(serde_json::from_str::<Config>(&json).unwrap(), config);
    assert_eq!(serde_json::to_string(&Config::default()).unwrap(), "{}");
    for wrong in
        [r#"{"lerner":"arow"}"#, r#"{"bias":"yes"}"#, r#"{"normalize":"l7"}"#, r#"{"max_bad":"lots"}"#]
    {
        assert!(serde_json::from_str::<Config>(wrong).is_err(), "{wrong}");
    }
}

#[test]
fn a_model_is_saved_as_a_whole() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("m.thw");
    std::fs::File::create(&path).unwrap().write_all(b"old").unwrap();
    let error = Model::load(&path).err().unwrap().to_string();
    assert!(error.contains("m.thw: not a Thalweg model"), "{error}");
    let mut trainer = Trainer::new(config()).unwrap();
    trainer.learn_records(rows(Format::CSV, 0..50).as_bytes(), Format::CSV).unwrap();
    let model = trainer.into_model().unwrap();
    assert_eq!(model.save(&path).unwrap(), std::fs::metadata(&path).unwrap().len());
    assert_eq!(Model::load(&path).unwrap().to_bytes(), model.to_bytes());
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
    assert!(Model::load("/nowhere/m.thw").err().unwrap().to_string().starts_with("/nowhere/m.thw: "));
}

/// Keeps all scores.
struct Collect(Vec<f64>);

impl Observer for Collect {
    fn batch(&mut self, seen: &Seen<'_>) -> Result<(), Refusal> {
        self.0.extend(&seen.outcomes.scores);
        Ok(())
    }
}

/// Scores of a slow reference in double precision: AROW with r = 0.1 on values in units of their root mean square, rows of length 1, a bias.
#[test]
fn root_mean_squares_follow_the_reference() {
    let text = "1 1:300 2:1\n0 1:100 3:0.001\n1 2:1 3:0.004 4:-7\n0 1:500 4:2\n1 2:1 5:1\n0 3:0.002\n";
    let before = [0.0, 0.613_654_826, -0.467_348_304, 0.319_035_392, 0.733_937_029, -0.851_464_939];
    let config = Config::parse("arow:r=0.1").unwrap().scale(Scale::Rms).normalize(Norm::L2).bias(true);
    let close = |found: &[f64], expected: &[f64]| {
        assert_eq!(found.len(), expected.len());
        assert!(
            found.iter().zip(expected).all(|(a, b)| (a - b).abs() < 1e-6),
            "{found:?} is not {expected:?}"
        );
    };
    let (mut trainer, mut scores) = (Trainer::new(config).unwrap(), Collect(Vec::new()));
    trainer.learn_records_with(text.as_bytes(), Format::LIBSVM, &mut scores).unwrap();
    close(&scores.0, &before);
    // A feature that was never learned from is left out.
    let predictor = Predictor::new(Arc::new(trainer.into_model().unwrap()));
    let mut predictions = Predictions::default();
    predictor.score_records(b"1:200 2:1 9:5\n9:5\n", Format::LIBSVM, &mut predictions).unwrap();
    close(&[predictions.scores(0)[0], predictions.scores(1)[0]], &[0.656_078_238, 0.314_524_404]);
}

/// What a run tells of its passes: their numbers, and the bytes read in each.
#[derive(Default)]
struct Passes(Vec<(u64, u64, Vec<u64>)>);

impl Observer for Passes {
    fn pass(&mut self, pass: u64, of: u64) {
        self.0.push((pass, of, Vec::new()));
    }

    fn bytes_read(&mut self, bytes: u64) {
        if let Some((.., read)) = self.0.last_mut() {
            read.push(bytes);
        }
    }
}

#[test]
fn passes_are_told_with_their_bytes_also_from_memory() {
    let text = "1 1:1\n0 2:1\n".repeat(30_000);
    let input = Input::bytes("a.svm", text.clone().into_bytes());
    for shuffle in [false, true] {
        let config = Config { passes: Some(3), shuffle: Some(shuffle), ..Config::default() };
        let mut passes = Passes::default();
        Trainer::new(config).unwrap().run(std::slice::from_ref(&input), &mut passes).unwrap();
        let numbers: Vec<_> = passes.0.iter().map(|(pass, of, _)| (*pass, *of)).collect();
        assert_eq!(numbers, [(1, 3), (2, 3), (3, 3)]);
        for (_, _, read) in passes.0 {
            assert!(read.is_sorted() && read.len() > 2, "{read:?}");
            assert_eq!(*read.last().unwrap(), text.len() as u64, "shuffled: {shuffle}");
        }
    }
}
