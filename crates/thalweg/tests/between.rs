//! A trainer that scores, gives models and goes on learning, by turns.
#![allow(missing_docs, clippy::unwrap_used)]

use thalweg::{Batch, Config, Error, Model, Predictions, Trainer};

/// Examples whose class is told by whether feature 3 or 4 is there.
fn batch(from: u32, to: u32) -> Batch {
    let mut batch = Batch::default();
    for i in from..to {
        let features = [(i % 3, 1.0), (3 + i % 2, 1.0 + f64::from(i % 5)), (10 + i, 0.5)];
        batch.push(features, Some(i % 2)).unwrap();
    }
    batch
}

fn bytes(trainer: Trainer) -> Vec<u8> {
    trainer.into_model().unwrap().to_bytes()
}

#[test]
fn whoever_scores_and_saves_between_two_batches_learns_the_same() {
    for spec in ["arow", "sarow", "bcw1:batch=16", "auto"] {
        let config = || Config::parse(spec).unwrap().probabilities(true).balanced(true);
        let (mut plain, mut busy) = (Trainer::new(config()).unwrap(), Trainer::new(config()).unwrap());
        let mut predictions = Predictions::default();
        for start in (0..200).step_by(40) {
            plain.learn_batch(&batch(start, start + 40)).unwrap();
            busy.learn_batch(&batch(start, start + 40)).unwrap();
            let saved = busy.model().unwrap();
            busy.end_of_data().unwrap();
            assert!(!busy.is_unfinished());
            busy.score_batch(&batch(0, 7), &mut predictions).unwrap();
            // It says what the model says that it gives.
            let predictor = thalweg::Predictor::new(saved.into());
            let mut from_model = Predictions::default();
            predictor.score_batch(&batch(0, 7), &mut from_model).unwrap();
            let scores = |predictions: &Predictions| {
                (0..7).map(|i| predictions.scores(i)[0].to_bits()).collect::<Vec<_>>()
            };
            assert_eq!(scores(&predictions), scores(&from_model), "{spec}");
            assert!(predictions.probabilities(3).is_some());
        }
        if !spec.starts_with("bcw") {
            assert_eq!(bytes(plain), bytes(busy), "{spec}");
        }
    }
}

#[test]
fn a_later_pass_moves_weights_and_no_figures() {
    let mut trainer = Trainer::new(Config::parse("arow").unwrap().probabilities(true)).unwrap();
    trainer.learn_batch(&batch(0, 50)).unwrap();
    let before = trainer.report().figures.value("error");
    let model = trainer.model().unwrap().to_bytes();
    trainer.learn_batch_again(&batch(0, 50)).unwrap();
    assert_eq!(trainer.report().figures.value("error"), before);
    assert_ne!(trainer.model().unwrap().to_bytes(), model);
}

#[test]
fn features_and_classes_with_names_may_come_at_any_time() {
    let config = Config::parse("arow").unwrap().names(true).multiclass(thalweg::Multiclass::Any);
    let mut trainer = Trainer::new(config).unwrap();
    let mut predictions = Predictions::default();
    for (name, label) in [("sun", "day"), ("moon", "night"), ("fog", "dusk")] {
        let mut batch = Batch::default();
        let (feature, class) =
            (trainer.feature_number(name.as_bytes()).unwrap(), trainer.class_of(label).unwrap());
        batch.push([(feature, 1.0)], Some(class)).unwrap();
        trainer.learn_named(&batch).unwrap();
        trainer.score_named(&batch, &mut predictions);
        assert_eq!(predictions.class(0), class);
    }
    assert_eq!((trainer.known_feature(b"moon"), trainer.known_feature(b"star")), (Some(1), None));
    let model = Model::from_bytes(&trainer.model().unwrap().to_bytes()).unwrap();
    assert_eq!(model.labels().names(), ["day", "night", "dusk"]);
    assert_eq!(model.feature_names().name(2), "fog");
}

#[test]
fn numbers_and_names_are_not_mixed() {
    let mut numbers = Trainer::new(Config::parse("arow").unwrap()).unwrap();
    assert!(matches!(numbers.feature_number(b"a"), Err(Error::FeaturesHaveNoNames)));
    let mut names = Trainer::new(Config::parse("arow").unwrap().names(true)).unwrap();
    names.feature_number(b"a").unwrap();
    assert!(matches!(names.learn_batch(&batch(0, 1)), Err(Error::FeaturesHaveNames)));
    let scored = names.score_batch(&batch(0, 1), &mut Predictions::default());
    assert!(matches!(scored, Err(Error::FeaturesHaveNames)));
    let labels = Config::parse("arow").unwrap().names(true).labels("no").labels("yes");
    let mut two = Trainer::new(labels).unwrap();
    assert_eq!(two.class_of("yes").unwrap(), 1);
    assert!(two.class_of("maybe").unwrap_err().to_string().contains("neither"));
}
