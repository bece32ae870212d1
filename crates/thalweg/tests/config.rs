//! What is said of configurations that are wrong, and which of them a model accepts.
#![allow(missing_docs, clippy::unwrap_used)]

use thalweg::{Config, Format, Model, Multiclass, Norm, Scale, TextValues, Trainer};

#[test]
fn json_of_a_wrong_type_names_the_field() {
    for (json, message) in [
        (
            r#"{"bias": "yes"}"#,
            "`bias`: invalid type: string \"yes\", expected a boolean at line 1 column 14",
        ),
        (r#"{"ngrams": 3}"#, "`ngrams`: invalid type: integer `3`, expected a tuple of size 2"),
        (r#"{"max_bad": "lots"}"#, "`max_bad`: must be a number of lines (100) or a percentage (1%)"),
        (r#"{"text": "a"}"#, "`text`: invalid type: string \"a\", expected a sequence"),
        (
            r#"{"scale": "big"}"#,
            "`scale`: unknown variant `big`, expected one of `none`, `typical`, `max`, `deviation`, `rms`",
        ),
        (r#"{"format": "xls"}"#, "`format`: must be one of libsvm, vw, csv"),
        (r#"{"threads": -1}"#, "`threads`: invalid value: integer `-1`"),
        (r#"{"cost_fn": "3"}"#, "`cost_fn`: invalid type: string \"3\", expected f64"),
        (r#"{"lerner": "arow"}"#, "unknown field `lerner`, expected one of `learner`, `batch`"),
        (r#"{"bias": true, "bias": false}"#, "`bias` is set twice"),
        ("[1]", "invalid type: sequence, expected an object with the fields of a configuration"),
    ] {
        let error = serde_json::from_str::<Config>(json).unwrap_err().to_string();
        assert!(error.starts_with(message), "{json}: {error}");
    }
    assert_eq!(serde_json::from_str::<Config>(r#"{"bias": null}"#).unwrap(), Config::default());
    assert_eq!(serde_json::from_str::<Config>("{}").unwrap(), Config::default());
}

#[test]
fn weights_of_two_classes_are_costs() {
    let costs = |config: Config| {
        let trainer = Trainer::new(config).unwrap();
        let costs = trainer.tracks()[0].learner().costs();
        (costs.missed, costs.false_alarm)
    };
    let weighed = Config::default().class_weight("spam=5");
    assert_eq!(costs(weighed.clone().positive("spam")), (5.0, 1.0));
    assert_eq!(costs(weighed.clone().positive("ham")), (1.0, 5.0));
    let two = weighed.clone().labels("ham").labels("spam").class_weight("ham=0.5").balanced(true);
    assert_eq!(costs(two), (5.0, 0.5));
    let refused = |config: Config| Trainer::new(config).map(drop).unwrap_err().to_string();
    assert_eq!(refused(weighed.clone()), "`class_weight` needs `positive`");
    let costs = weighed.clone().positive("spam").cost_fn(2.0);
    assert_eq!(refused(costs), "`class_weight` and `cost_fn` cannot be used together");
    for unfit in ["spam", "=3", "spam=much", "spam=0", "spam=2"] {
        let error = refused(weighed.clone().positive("spam").class_weight(unfit));
        assert!(error.starts_with("`class_weight` must "), "{error}");
    }
    let neither = weighed.labels("ham").labels("eggs");
    assert!(refused(neither).starts_with("`class_weight` must name one label of each"), "not a class");
    let half_life = Config::default().balance_half_life(9.0);
    assert_eq!(refused(half_life), "`balance_half_life` needs `balanced`");
}

/// Classes of weight are known before the data comes, whatever comes first.
#[test]
fn weights_of_many_classes_are_of_their_labels() {
    let config = Config::default().multiclass(Multiclass::Any).class_weight("c=4").class_weight("b=2");
    let mut trainer = Trainer::new(config.clone()).unwrap();
    let rows = b"{\"label\": \"a\", \"x\": 1}\n{\"label\": \"b\", \"x\": 2}\n{\"label\": \"c\", \"x\": 1}\n";
    trainer.learn_records(rows, Format::JSONL).unwrap();
    let model = Model::from_bytes(&trainer.into_model().unwrap().to_bytes()).unwrap();
    let costs = model.learner().class_costs();
    let mut costs: Vec<_> = costs.iter().map(|cost| (model.labels().name(cost.class), cost.cost)).collect();
    costs.sort_by_key(|(label, _)| *label);
    assert_eq!(costs, [("a", 1.0), ("b", 2.0), ("c", 4.0)]);
    let other = Config::default().class_weight("b=3");
    let error = Trainer::resume_with(model, other).map(drop).unwrap_err().to_string();
    assert!(error.contains("`class_weight` b=2") && error.contains("b=3"), "{error}");
}

#[test]
fn a_model_accepts_the_configuration_that_it_was_trained_with() {
    let config = Config::default;
    for config in [
        config().names(false),
        config().multiclass(Multiclass::Any).labels("a").labels("b"),
        config().labels("a ").labels("b"),
        config().ngrams((1usize, 1usize)).text("x").text_values(TextValues::Binary).label_col("label"),
        config().learner("bcw1").batch(5u64),
        config().positive("a").cost_fn(2.0).balanced(true),
        config().balanced(true).balance_half_life(100.0),
        config().positive("a").class_weight("a=2").class_weight("b=0.5"),
        config().labels("a").labels("b").class_weight("b=3"),
        config().multiclass(Multiclass::Any).class_weight("b=3").balanced(true),
        config().multiclass(Multiclass::Ovr).labels("a").class_weight("b=3").class_weight("c=0.5"),
        config().hash_bits(10u32),
        config().max_features(3u64).max_classes(7u32).no_header(true),
    ] {
        let mut trainer = Trainer::new(config.clone()).unwrap();
        let two = b"{\"label\": \"a\", \"x\": \"u\"}\n{\"label\": \"b\", \"x\": \"v\"}\n";
        trainer.learn_records(two, Format::JSONL).unwrap();
        if config.multiclass.is_some() {
            trainer.learn_records(b"{\"label\": \"c\", \"x\": \"u\"}\n", Format::JSONL).unwrap();
        }
        let bytes = trainer.into_model().unwrap().to_bytes();
        let model = || Model::from_bytes(&bytes).unwrap();
        Trainer::resume_with(model(), config).map(drop).unwrap();
        Trainer::resume_with(model(), model().config()).map(drop).unwrap();
        Trainer::new(model().config()).map(drop).unwrap();
    }
}

#[test]
fn a_model_accepts_defaults_that_are_written_out_and_nothing_else() {
    let mut trainer = Trainer::new(Config::default().text("x")).unwrap();
    trainer.learn_records(b"label,x\na,u\nb,v\n", Format::CSV).unwrap();
    let bytes = trainer.into_model().unwrap().to_bytes();
    let resume = |config: Config| Trainer::resume_with(Model::from_bytes(&bytes).unwrap(), config).map(drop);
    let config = Config::default;
    resume(config().ngrams((1usize, 1usize)).text_values(TextValues::Binary).label_col("label")).unwrap();
    resume(config().prepare(true)).unwrap();
    resume(config().cost_fp(1.0).bias(true).names(false).scale(Scale::Typical).normalize(Norm::Count))
        .unwrap();
    for (other, message) in [
        (config().ngrams((1usize, 2usize)), "trained with `ngrams` 1, 1, but `ngrams` 1, 2 was given"),
        (
            config().text_values(TextValues::Log),
            "trained with `text_values` binary, but `text_values` log was given",
        ),
        (config().prepare(false), "trained with `bias`, but no `bias` was given"),
        (config().scale(Scale::None), "trained with `scale` typical, but no `scale` was given"),
        (config().bias(false), "trained with `bias`, but no `bias` was given"),
        (config().label_col("y"), "trained with `label_col` label, but `label_col` y was given"),
        (config().labels("a").labels("c"), "trained with `labels` a, b, but `labels` a, c was given"),
        (config().labels("a").labels("b").labels("c"), "but `labels` a, b, c was given"),
    ] {
        let error = resume(other).unwrap_err().to_string();
        assert!(error.contains(message), "{error}");
    }
}
