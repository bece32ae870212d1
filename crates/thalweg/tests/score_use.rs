//! Thresholds, probabilities and drift follow a stream in the same way however its records reach a trainer.
#![allow(missing_docs, clippy::unwrap_used)]

use std::ops::Range;
use std::sync::Arc;

use thalweg::observer::{Observer, Refusal, Seen};
use thalweg::{
    Config, Decision, DriftAction, Format, Input, Model, Multiclass, Predictions, Predictor, Target, Trainer,
};

const CHANGE: usize = 1500;
const END: usize = 3000;

/// Every third example is positive. What features tell is turned around at the change.
fn lines(range: Range<usize>) -> String {
    let line = |i: usize| {
        let label = if (i * 7).is_multiple_of(3) { "spam" } else { "ham" };
        let told = if (label == "spam") == (i < CHANGE) { "a" } else { "b" };
        let told = if i.is_multiple_of(11) { "c" } else { told };
        format!("{label} | {told}{} {told}{} n{}:0.5\n", i * 13 % 7, 10 + i * 17 % 5, i * 31 % 97)
    };
    range.map(line).collect()
}

fn target(text: &str) -> Target {
    text.parse().unwrap()
}

/// Configurations with all that follows a stream.
fn configs() -> Vec<Config> {
    let config = |learner| Config::parse(learner).unwrap().positive("spam");
    let all = |learner, action| {
        config(learner).target(target("recall>=0.9")).probabilities(true).on_drift(action).forget(5000.0)
    };
    vec![
        config("arow").target(target("recall>=0.9")),
        config("arow").target(target("precision>=0.8")),
        config("ssol").target(target("alerts<=20%")),
        config("ssol").target(target("f1")),
        config("arow").threshold(0.125),
        config("arow").probabilities(true),
        config("arow").forget(300.0),
        config("arow").on_drift(DriftAction::Boost),
        config("ssol").on_drift(DriftAction::Reset),
        all("arow", DriftAction::Boost),
        all("sarow", DriftAction::Reset).max_features(40u64),
        Config::parse("arow")
            .unwrap()
            .multiclass(Multiclass::Any)
            .labels("ham")
            .labels("spam")
            .probabilities(true)
            .on_drift(DriftAction::Reset),
    ]
}

/// Keeps all that is said of examples.
#[derive(Default)]
struct Kept(Vec<(Vec<u64>, u32, Vec<u64>)>);

impl Observer for Kept {
    fn batch(&mut self, seen: &Seen<'_>) -> Result<(), Refusal> {
        let bits = |numbers: &[f64]| numbers.iter().map(|number| number.to_bits()).collect::<Vec<_>>();
        for i in 0..seen.batch.len() {
            let probabilities = seen.outcomes.beside_scores(i, seen.probabilities).unwrap_or_default();
            self.0.push((bits(seen.outcomes.scores_of(i)), seen.predicted[i], bits(probabilities)));
        }
        Ok(())
    }
}

fn finished(trainer: Trainer, kept: Kept) -> (Vec<u8>, Kept) {
    (trainer.into_model().unwrap().to_bytes(), kept)
}

#[test]
fn records_in_any_chunks_give_the_model_of_a_file() {
    for config in configs() {
        let (mut trainer, mut kept) = (Trainer::new(config.clone()).unwrap(), Kept::default());
        trainer.run(&[Input::bytes("a.vw", lines(0..END).into_bytes())], &mut kept).unwrap();
        let (model, expected) = finished(trainer, kept);
        assert_eq!(expected.0.len(), END);
        for chunk in [1, 7, 255, 256, 1000, END] {
            let (mut trainer, mut kept) = (Trainer::new(config.clone()).unwrap(), Kept::default());
            for start in (0..END).step_by(chunk) {
                let records = lines(start..(start + chunk).min(END));
                trainer.learn_records_with(records.as_bytes(), Format::VW, &mut kept).unwrap();
            }
            let (chunked, kept) = finished(trainer, kept);
            assert!(kept.0 == expected.0, "{config:?} in chunks of {chunk}: predictions");
            assert!(chunked == model, "{config:?} in chunks of {chunk}: the model");
        }
    }
}

#[test]
fn a_model_that_is_stored_after_every_few_records_goes_on_as_if_it_was_not() {
    for config in configs() {
        let (mut straight, mut expected) = (Trainer::new(config.clone()).unwrap(), Kept::default());
        straight.learn_records_with(lines(0..END).as_bytes(), Format::VW, &mut expected).unwrap();
        let straight = straight.into_model().unwrap().to_bytes();
        let (mut trainer, mut kept) = (Trainer::new(config.clone()).unwrap(), Kept::default());
        for start in (0..END).step_by(613) {
            let records = lines(start..(start + 613).min(END));
            trainer.learn_records_with(records.as_bytes(), Format::VW, &mut kept).unwrap();
            let bytes = trainer.into_model().unwrap().to_bytes();
            trainer = Trainer::resume(Model::from_bytes(&bytes).unwrap()).unwrap();
        }
        assert!(kept.0 == expected.0, "{config:?}: predictions");
        assert!(trainer.into_model().unwrap().to_bytes() == straight, "{config:?}: the model");
    }
}

/// Thresholds and probabilities change from time to time only, so one example is not enough.
#[test]
fn no_label_has_a_part_in_the_prediction_of_its_own_example() {
    for config in configs() {
        let mut trainer = Trainer::new(config.clone()).unwrap();
        trainer.learn_records(lines(0..1300).as_bytes(), Format::VW).unwrap();
        for place in 1300..1900 {
            let record = lines(place..place + 1);
            let bytes = trainer.into_model().unwrap().to_bytes();
            let said = ["spam", "ham"].map(|label| {
                let (mut kept, model) = (Kept::default(), Model::from_bytes(&bytes).unwrap());
                let features = record.split_once('|').unwrap().1;
                let mut twin = Trainer::resume(model).unwrap();
                let record = format!("{label} |{features}");
                twin.learn_records_with(record.as_bytes(), Format::VW, &mut kept).unwrap();
                kept.0
            });
            assert_eq!(said[0].len(), 1);
            assert_eq!(said[0], said[1], "{config:?} at {place}");
            trainer = Trainer::resume(Model::from_bytes(&bytes).unwrap()).unwrap();
            trainer.learn_records(record.as_bytes(), Format::VW).unwrap();
        }
    }
}

#[test]
fn alarms_count_examples_from_the_beginning_of_the_stream() {
    struct Alarms(Vec<u64>);
    impl Observer for Alarms {
        fn drift(&mut self, alarm: &thalweg::Alarm, _: DriftAction) {
            self.0.push(alarm.example);
        }
    }
    for action in [DriftAction::Warn, DriftAction::Boost, DriftAction::Reset] {
        let mut trainer =
            Trainer::new(Config::parse("arow").unwrap().positive("spam").on_drift(action)).unwrap();
        let mut alarms = Alarms(Vec::new());
        // There and back again: two changes.
        for part in [0..CHANGE, CHANGE..END, 0..CHANGE] {
            trainer.learn_records_with(lines(part).as_bytes(), Format::VW, &mut alarms).unwrap();
        }
        let places = &alarms.0;
        assert!(places.is_sorted() && places.len() as u64 == trainer.tracks()[0].alarms(), "{places:?}");
        let first_after = |change: u64| places.iter().any(|at| (1..400).contains(&at.saturating_sub(change)));
        assert!(first_after(CHANGE as u64) && first_after(END as u64), "{action:?}: {places:?}");
    }
}

#[test]
fn updates_are_counted_through_a_new_beginning() {
    let count = |config: Config| {
        let mut trainer = Trainer::new(config.positive("spam")).unwrap();
        trainer.learn_records(lines(0..END).as_bytes(), Format::VW).unwrap();
        (trainer.tracks()[0].updates(), trainer.tracks()[0].alarms())
    };
    // It learns from every example, also from those that came before it began anew.
    let (updates, _) = count(Config::parse("ftrl").unwrap());
    let (with_resets, alarms) = count(Config::parse("ftrl").unwrap().on_drift(DriftAction::Reset));
    assert!(alarms > 0);
    assert_eq!((updates, with_resets), (END as u64, END as u64));
}

#[test]
fn the_saved_threshold_is_the_decision_and_another_one_overrides_it() {
    let config = Config::parse("arow").unwrap().positive("spam").target(target("recall>=0.9"));
    let mut trainer = Trainer::new(config).unwrap();
    trainer.learn_records(lines(0..CHANGE).as_bytes(), Format::VW).unwrap();
    let model = Model::from_bytes(&trainer.into_model().unwrap().to_bytes()).unwrap();
    let Decision::Above(threshold) = model.decision() else { panic!("{:?}", model.decision()) };
    assert_ne!(threshold, 0.0);
    let predictor = Predictor::new(Arc::new(model));
    let mut predictions = Predictions::default();
    let mut classes_at = |predictor: &Predictor, threshold: f64| {
        predictor.score_records(lines(0..200).as_bytes(), Format::VW, &mut predictions).unwrap();
        for i in 0..200 {
            let above = predictions.scores(i)[0] > threshold;
            assert_eq!(predictions.class(i) == 1, above, "{i}: {:?}", predictions.scores(i));
        }
    };
    classes_at(&predictor, threshold);
    let other = predictor.configured(Config::default().threshold(0.75)).unwrap();
    classes_at(&other, 0.75);
}

/// Scores and importances at the limits of numbers leave a model that can be stored.
#[test]
fn absurd_numbers_leave_finite_state() {
    for learner in ["arow", "ssol", "perceptron", "ogd"] {
        for wanted in ["recall>=0.9", "precision>=0.8", "alerts<=20%", "f1", "cost"] {
            let config = Config::parse(learner).unwrap().positive("1").target(target(wanted));
            let config = config.probabilities(true).on_drift(DriftAction::Reset);
            let mut trainer = Trainer::new(config).unwrap();
            for i in 0..600 {
                let importance = ["1", "3.4e38", "0", "1e-40"][i % 4];
                let value = ["1e38", "-1e38", "1e-40", "1", "0"][i % 5];
                let label = if i % 3 == 0 { "1" } else { "0" };
                let record = format!("{label} {importance} | a:{value} b{}:1\n", i % 7);
                trainer.learn_records(record.as_bytes(), Format::VW).unwrap();
            }
            let model = trainer.into_model().unwrap();
            let read = Model::from_bytes(&model.to_bytes());
            let read = read.unwrap_or_else(|error| panic!("{learner}, {wanted}: {error}"));
            assert!(matches!(read.decision(), Decision::Above(threshold) if threshold.is_finite()));
            let (predictor, mut predictions) = (Predictor::new(Arc::new(read)), Predictions::default());
            predictor.score_records(b"| a:1e38\n| b3:1\n", Format::VW, &mut predictions).unwrap();
            for i in 0..2 {
                let probability = predictions.probabilities(i).unwrap()[0];
                assert!((0.0..=1.0).contains(&probability), "{learner}, {wanted}: {probability}");
            }
        }
    }
}
