//! Records in memory, call after call: every form that they come in.
#![allow(missing_docs, clippy::unwrap_used)]

use thalweg::{Config, Format, Learned, Multiclass, Trainer};

fn trainer(config: Config) -> Trainer {
    Trainer::new(config).unwrap()
}

/// So many examples were learned from, and so many records were bad.
fn counts(learned: &Learned) -> (u64, usize) {
    (learned.examples, learned.bad.len())
}

#[test]
fn tables_may_begin_and_end_in_any_way() {
    let mut all = trainer(Config::default());
    for (records, expected) in [
        (&b""[..], (0, 0)),
        (b"label,a\n", (0, 0)),
        (b"label,a", (0, 0)),
        (b"label,a\n1,x", (0, 0)),
        (b"\xef\xbb\xbflabel,a\r\n0,x\r\n", (2, 0)),
        (b"a,label\ny,1\n", (1, 0)),
        (b"label,a\n0,\"x\ny\"\n1,\"say \"\"z\"\"\"\n", (2, 0)),
        (b"label,a\n1,z\n0\n", (1, 1)),
    ] {
        let learned = all.learn_records(records, Format::CSV).unwrap();
        assert_eq!(counts(&learned), expected, "{}", String::from_utf8_lossy(records));
    }
    let model = all.into_model().unwrap();
    let names: Vec<String> = (0..4).map(|feature| model.feature_names().name(feature)).collect();
    assert_eq!(names, ["a=x", "a=y", "a=x\ny", "a=say \"z\""]);
    assert_eq!(model.learner().counts().examples, 6);
}

#[test]
fn places_are_those_of_the_call() {
    let mut trainer = trainer(Config::default());
    for _ in 0..3 {
        let learned = trainer.learn_records(b"label,a\n1,x\n0,y,z\n1,\"x\ny\"\n0\n", Format::CSV).unwrap();
        let places: Vec<String> = learned.bad.iter().map(|bad| bad.place.to_string()).collect();
        assert_eq!(places, ["<records>:3:4", "<records>:6:2"]);
    }
}

#[test]
fn formats_may_change_as_long_as_features_are_numbered_alike() {
    let mut named = trainer(Config::default().bias(false));
    let calls: [(&[u8], Format); 5] = [
        (b"label,a\n1,x\n0,y\n", Format::CSV),
        (b"{\"label\": 1, \"a\": \"x\"}", Format::JSONL),
        (b"0 |a=y\n", Format::VW),
        (b"label\ta\n1\tx", Format::TSV),
        (b"1 7:1\n", Format::LIBSVM),
    ];
    for (records, format) in calls {
        assert!(named.learn_records(records, format).unwrap().bad.is_empty(), "{format:?}");
    }
    assert_eq!(named.examples(), 6);
    assert_eq!(named.tracks()[0].learner().features(), 3, "a=x, a=y and 7, in whatever format");
    // Numbers stay numbers.
    let mut numbered = trainer(Config::default().bias(false));
    numbered.learn_records(b"1 7:1\n0 8:1\n", Format::LIBSVM).unwrap();
    let bad = numbered.learn_records(b"label,a\n1,x\n", Format::CSV).unwrap().bad;
    assert!(bad[0].message.starts_with("features are known by numbers here"), "{bad:?}");
    assert_eq!(numbered.learn_records(b"label,7,8\n1,1,0\n", Format::CSV).unwrap().examples, 1);
    assert_eq!(numbered.tracks()[0].learner().features(), 2);
}

#[test]
fn a_label_that_is_missing_or_unknown_is_a_bad_record() {
    let mut trainer = trainer(Config::default());
    let learned = trainer.learn_records(b"1 | a\n| b\n0 | a\nmaybe | c\n", Format::VW).unwrap();
    let messages: Vec<&str> = learned.bad.iter().map(|bad| bad.message.as_str()).collect();
    assert_eq!(learned.examples, 2);
    assert_eq!(messages[0], "the line has no label");
    assert!(
        messages[1].starts_with("a third label, \"maybe\", after \"0\" and \"1\"; `multiclass`"),
        "{messages:?}"
    );
    assert_eq!(trainer.labels().names(), ["0", "1"]);
}

#[test]
fn labels_may_be_declared_as_they_are_written() {
    let mut trainer = trainer(Config::default().labels("-1").labels("+1"));
    let learned = trainer.learn_records(b"+1 1:1\n-1 2:1\n1.0 1:1\n", Format::LIBSVM).unwrap();
    assert_eq!(counts(&learned), (3, 0), "{:?}", learned.bad);
    assert_eq!(trainer.labels().names(), ["-1", "1"]);
    let error = Trainer::new(Config::default().labels("1").labels("1.0")).map(drop).unwrap_err();
    assert_eq!(error.to_string(), "`labels` must be different from each other, got \"1\" twice");
}

#[test]
fn records_that_are_refused_leave_no_labels() {
    let mut strict = trainer(Config::default().strict(true));
    let error = strict.learn_records(b"maybe 1:1\n1 x:1\n", Format::LIBSVM).unwrap_err();
    assert!(error.to_string().starts_with("<records>:2:3: feature index"), "{error}");
    assert_eq!(strict.learn_records(b"0 1:1\n1 1:1\n", Format::LIBSVM).unwrap().examples, 2);
    assert_eq!(strict.labels().names(), ["0", "1"]);
    let many = Config::default().multiclass(Multiclass::Any).labels("a").max_classes(3u32);
    let mut many = trainer(many);
    let error = many.learn_records(b"b 1:1\nc 1:1\nd 1:1\n", Format::LIBSVM).unwrap_err().to_string();
    assert!(error.starts_with("<records>:3:1: label \"d\" is one more than 3 classes"), "{error}");
    assert_eq!(many.learn_records(b"d 1:1\ne 2:1\n", Format::LIBSVM).unwrap().examples, 2);
    assert_eq!(many.labels().names(), ["a", "d", "e"]);
}

#[test]
fn labels_that_come_late_are_those_of_one_run() {
    let line = |i: usize, label: &str| format!("{label} | a{} b{i}\n", i % 7);
    for config in [Config::default(), Config::default().multiclass(Multiclass::Any)] {
        let mut one_by_one = trainer(config.clone());
        let mut text = String::new();
        for i in 0..3000 {
            let label = if i < 2900 { "spam" } else { ["ham", "spam"][i % 2] };
            one_by_one.learn_records(line(i, label).as_bytes(), Format::VW).unwrap();
            text += &line(i, label);
        }
        let mut whole = trainer(config);
        whole.run(&[thalweg::Input::bytes("a.vw", text.into_bytes())], &mut ()).unwrap();
        let [a, b] = [one_by_one, whole].map(|trainer| trainer.into_model().unwrap().to_bytes());
        assert!(a == b);
    }
}

#[test]
fn columns_that_are_not_there_are_errors_and_change_nothing() {
    let mut trainer = trainer(Config::default().text("note"));
    for (records, message) in [
        (&b"a,b\n1,2\n"[..], "<records>:1:1: there is no column \"label\" for the label"),
        (b"label,b\n1,2\n", "<records>:1:1: there is no column \"note\""),
        (b"label,note,note\n1,2,3\n", "<records>:1:12: column names must be unique"),
    ] {
        let error = trainer.learn_records(records, Format::CSV).unwrap_err().to_string();
        assert!(error.starts_with(message), "{error}");
    }
    assert_eq!(trainer.learn_records(b"label,note\n1,x y\n0,z\n", Format::CSV).unwrap().examples, 2);
}

#[test]
fn the_positive_label_may_come_in_a_later_call() {
    let mut trainer = trainer(Config::default().positive("spam"));
    assert_eq!(trainer.learn_records(b"a | x\nb | y\n", Format::VW).unwrap().examples, 2);
    assert_eq!(trainer.learn_records(b"spam | z\n", Format::VW).unwrap().examples, 1);
    assert_eq!(trainer.labels().names(), ["rest", "spam"]);
}
