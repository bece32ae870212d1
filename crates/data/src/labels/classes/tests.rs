use super::*;

fn settled(seen: &[&str]) -> Labels {
    let mut labels = Labels::default();
    seen.iter().for_each(|text| {
        labels.class(text.as_bytes()).unwrap();
    });
    labels.settle();
    labels
}

#[test]
fn the_greater_label_is_positive_in_whatever_order_they_come() {
    for (negative, positive) in [("-1", "+1"), ("0", "1"), ("1", "2"), ("ham", "spam"), ("9", "10")] {
        for seen in [[negative, positive], [positive, negative]] {
            let mut labels = settled(&seen);
            assert_eq!(labels.class(negative.as_bytes()), Ok(Some(0)), "{seen:?}");
            assert_eq!(labels.class(positive.as_bytes()), Ok(Some(1)), "{seen:?}");
        }
    }
}

#[test]
fn spellings_of_one_number_are_one_label() {
    let mut labels = settled(&["-1", "1"]);
    for text in ["+1", "1", "1.0", "1e0"] {
        assert_eq!(labels.class(text.as_bytes()), Ok(Some(1)));
    }
    assert_eq!(labels.names(), ["-1", "1"]);
    assert_eq!(settled(&["-0", "1"]).names(), ["0", "1"]);
}

#[test]
fn a_third_label_is_an_error() {
    let error = settled(&["1", "2"]).class(b"3").unwrap_err();
    let Refusal::Unexpected(message) = error else { panic!("{error:?}") };
    assert!(message.starts_with("a third label, \"3\", after \"1\" and \"2\""), "{message}");
}

#[test]
fn a_label_seen_alone_keeps_its_class_or_is_an_error() {
    let mut ones = settled(&["1"]);
    assert_eq!(ones.names(), ["", "1"]);
    assert_eq!(ones.class(b"-1"), Ok(Some(0)));
    let mut ones = settled(&["1"]);
    assert!(ones.class(b"2").unwrap_err().message().contains("set the positive class with `positive`"));
    assert_eq!(settled(&["0"]).names(), ["0", ""]);
}

#[test]
fn white_space_around_a_label_is_no_part_of_it() {
    let mut labels = settled(&[" 0", "1 "]);
    assert_eq!(labels.names(), ["0", "1"]);
    assert_eq!(labels.class(b"\t1.0 "), Ok(Some(1)));
    assert_eq!(Labels::positive(" 7 ").class(b"7"), Ok(Some(1)));
}

#[test]
fn the_positive_label_must_be_there() {
    let mut labels = Labels::positive("7");
    assert_eq!(labels.problem(), None);
    ["0", "1", "1.0"].iter().for_each(|text| drop(labels.class(text.as_bytes())));
    assert_eq!(labels.problem().as_deref(), Some("no label is \"7\"; the labels are \"0\", \"1\""));
    labels.class(b"7").unwrap();
    assert_eq!(labels.problem(), None);
    let mut resumed = Labels::of_two(&["rest".into(), "7".into()], true);
    resumed.class(b"3").unwrap();
    assert_eq!(resumed.problem(), None);
}

#[test]
fn there_is_a_limit_to_the_number_of_classes() {
    let name = |i: usize| format!("{i}.5").into_bytes();
    let fill = |mut labels: Labels, count| (0..count).try_for_each(|i| labels.class(&name(i)).map(drop));
    assert_eq!(fill(Labels::many(), MOST_CLASSES), Ok(()));
    let error = fill(Labels::many(), MOST_CLASSES + 1).unwrap_err();
    let Refusal::Wrong(message) = error else { panic!("{error:?}") };
    assert!(message.contains("more than 4096 classes; these are many, and look like numbers"), "{message}");
    assert_eq!(fill(Labels::many().at_most(9000), 9000), Ok(()));
    let names: Vec<String> = (0..5000).map(|i| format!("{i}.5")).collect();
    assert_eq!(fill(Labels::of_many(&names), 5000), Ok(()));
    assert!(fill(Labels::of_many(&names).at_most(10), 5001).is_err());
}

#[test]
fn one_label_against_the_rest() {
    let mut labels = Labels::positive("7");
    assert_eq!(labels.class(b"3"), Ok(Some(0)));
    assert_eq!(labels.names(), ["3", "7"]);
    assert_eq!(labels.class(b"7.0"), Ok(Some(1)));
    assert_eq!(labels.class(b"4"), Ok(Some(0)));
    assert_eq!(labels.names(), ["rest", "7"]);
}

#[test]
fn lenient_labels_ignore_what_the_model_does_not_know() {
    let mut labels = Labels::of_two(&["ham".into(), "spam".into()], false).lenient();
    assert_eq!(labels.class(b"spam"), Ok(Some(1)));
    assert_eq!(labels.class(b"?"), Ok(None));
}

#[test]
fn many_labels_are_numbered_in_their_order_and_new_ones_after_them() {
    let mut labels = Labels::many();
    let seen: Vec<_> =
        ["10", "9", "b", "a", "9.0"].iter().map(|t| labels.class(t.as_bytes()).unwrap()).collect();
    assert_eq!(seen, [0, 1, 2, 3, 1].map(Some));
    assert_eq!(labels.settle(), Some(vec![1, 0, 3, 2]));
    assert_eq!(labels.names(), ["9", "10", "a", "b"]);
    assert_eq!(labels.class(b"b"), Ok(Some(3)));
    assert_eq!(labels.class(b"0"), Ok(Some(4)));
    assert_eq!(labels.settle(), None);
}
