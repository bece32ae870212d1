use std::collections::BTreeMap;

use super::*;

/// 900 of "a", 90 of "b", 10 of "c" in turn.
fn labels_of(counts: &[usize]) -> (Labels, Vec<Option<Class>>, ClassCounts) {
    let names: Vec<String> = ["a", "b", "c", "d"][..counts.len()].iter().map(ToString::to_string).collect();
    let mut all: Vec<Option<Class>> = Vec::new();
    for (class, count) in counts.iter().enumerate() {
        all.extend(std::iter::repeat_n(Some(class as Class), *count));
    }
    let mut counted = ClassCounts::default();
    all.iter().for_each(|label| counted.add_label(*label));
    (Labels::of_many(&names), all, counted)
}

/// Of each part, how many examples of each class it has.
fn drawn(subset: &Subset, counts: &[usize]) -> Vec<Vec<u64>> {
    let (labels, all, counted) = labels_of(counts);
    let mut lots = subset.lots(&counted, &labels).unwrap();
    let mut parts = vec![vec![0; counts.len()]; subset.parts.len().max(1)];
    let expected = lots.winners();
    for label in all {
        if let (Some(part), Some(class)) = (lots.draw(label).unwrap(), label) {
            parts[part][class as usize] += 1;
        }
    }
    assert_eq!(parts.iter().flatten().sum::<u64>(), expected);
    assert!(lots.draw(Some(0)).is_err(), "more examples than were counted");
    parts
}

#[test]
fn a_share_of_positives_is_exact_whichever_class_has_to_give() {
    let one_percent = Subset { positives: Some(0.01), ..Subset::default() };
    assert_eq!(drawn(&one_percent, &[990, 800]), [[990, 10]]);
    assert_eq!(drawn(&one_percent, &[9_900, 5]), [[495, 5]]);
    assert_eq!(drawn(&one_percent, &[99, 1]), [[99, 1]]);
    let half = Subset { positives: Some(0.5), ..Subset::default() };
    assert_eq!(drawn(&half, &[7, 4]), [[4, 4]]);
    let named = Subset { positive: Some("a".into()), ..half };
    assert_eq!(drawn(&named, &[7, 4]), [[4, 4]]);
    // Of several classes that are not positive, every one gives its share if that was asked for.
    let of_many =
        Subset { positives: Some(0.5), positive: Some("c".into()), stratified: true, ..Subset::default() };
    assert_eq!(drawn(&of_many, &[600, 300, 90]), [[60, 30, 90]]);
}

#[test]
fn a_sample_and_parts_have_the_size_that_was_asked_for() {
    let sample = Subset { sample: Some(Amount::Share(0.1)), ..Subset::default() };
    assert_eq!(drawn(&sample, &[700, 300])[0].iter().sum::<u64>(), 100);
    let stratified = Subset { sample: Some(Amount::Count(10)), stratified: true, ..Subset::default() };
    assert_eq!(drawn(&stratified, &[700, 300]), [[7, 3]]);
    let parts = Subset { parts: vec![80.0, 20.0], stratified: true, ..Subset::default() };
    assert_eq!(drawn(&parts, &[900, 90, 11]), [[720, 72, 9], [180, 18, 2]]);
    let by_chance = Subset { stratified: false, ..parts };
    let sizes: Vec<u64> = drawn(&by_chance, &[900, 90, 10]).iter().map(|part| part.iter().sum()).collect();
    assert_eq!(sizes, [800, 200]);
    let all = Subset {
        positives: Some(0.1),
        sample: Some(Amount::Share(0.5)),
        parts: vec![3.0, 1.0, 1.0],
        ..Subset::default()
    };
    assert_eq!(drawn(&all, &[900, 900]), [[270, 30], [90, 10], [90, 10]]);
}

#[test]
fn every_choice_is_as_likely_as_any_other() {
    let (labels, all, counted) = labels_of(&[5]);
    let mut seen = BTreeMap::new();
    for seed in 0..3_000 {
        let subset =
            Subset { sample: Some(Amount::Count(3)), parts: vec![2.0, 1.0], seed, ..Subset::default() };
        let mut lots = subset.lots(&counted, &labels).unwrap();
        let choice: Vec<Option<usize>> = all.iter().map(|label| lots.draw(*label).unwrap()).collect();
        *seen.entry(choice).or_insert(0) += 1;
    }
    // 100 of each of 30 choices are expected, and 5 deviations are 50.
    assert!(seen.len() == 30 && seen.values().all(|count| (50..=150).contains(count)), "{seen:?}");
}

#[test]
fn what_cannot_be_is_said() {
    let error = |subset: Subset, counts: &[usize]| {
        let (labels, _, counted) = labels_of(counts);
        subset.lots(&counted, &labels).unwrap_err().to_string()
    };
    let positives = |share| Subset { positives: Some(share), ..Subset::default() };
    assert!(error(positives(0.1), &[5, 5, 5]).contains("`positive`"));
    assert!(error(positives(0.1), &[5]).contains("the labels are \"a\""));
    let unknown = Subset { positive: Some("z".into()), ..positives(0.1) };
    assert!(error(unknown, &[5, 5]).starts_with("no label is \"z\""));
    assert!(error(positives(0.01), &[30, 30]).contains("none of the positives would be left"));
    assert!(error(positives(0.99), &[30, 30]).contains("none of the others would be left"));
    let sample = |amount| Subset { sample: Some(amount), ..Subset::default() };
    assert_eq!(
        error(sample(Amount::Count(11)), &[5, 5]),
        "a sample of 11 was asked for, but there are only 10 examples"
    );
    assert!(error(sample(Amount::Share(1.5)), &[5, 5]).contains("between 0 and 1"));
    let (labels, _, mut counted) = labels_of(&[5, 5]);
    counted.add_label(None);
    assert_eq!(positives(0.1).lots(&counted, &labels).unwrap_err(), Impossible::Unlabelled(1));
    assert!(sample(Amount::Share(0.5)).lots(&counted, &labels).is_ok());
}
