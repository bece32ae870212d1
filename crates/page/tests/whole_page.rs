//! The page as text.
#![allow(missing_docs, clippy::unwrap_used)]

mod sample_run;

use serde_json::Value;
use thalweg_page::{
    Assessment, CalibrationBin, ClassFigures, Confusion, CurvePoint, CurveValue, Feature, Figure, Metric,
    Note, OperatingPoint, Page, Row, Thresholds, html,
};

/// Something of everything, and far too much of it, with this name for all.
fn largest(name: &str) -> Page {
    let name = || name.to_string();
    let many = 2_000;
    let point = |i: usize| OperatingPoint {
        threshold: 1.0 / (i as f64 + 3.0),
        true_positives: i as f64 / 3.0,
        false_positives: i as f64 / 7.0,
    };
    let assessment = Assessment {
        name: name(),
        explanation: name(),
        figures: vec![Figure { name: name(), value: name(), explanation: name() }; 99],
        thresholds: Some(Thresholds {
            positive: name(),
            negative: name(),
            positives: 1e6,
            negatives: 1e7,
            points: (0..many).map(point).collect(),
            ..Thresholds::default()
        }),
        calibration: vec![CalibrationBin { predicted: 0.123, observed: 0.456, weight: 7.0 }; many],
        confusion: Some(Confusion { labels: vec![name(); 60], counts: vec![vec![123_456.0; 60]; 60] }),
        classes: vec![ClassFigures { label: name(), examples: 5.0, ..ClassFigures::default() }; 200],
    };
    let value = CurveValue { so_far: Some(1.0 / 3.0), since_last: Some(2.0 / 3.0) };
    let point =
        |i: usize| CurvePoint { examples: i as u64, nonzero: Some(i as u64), values: vec![value; 15] };
    let feature = Feature { name: name(), weight: 1.0 / 3.0, class: Some(name()), deviation: Some(0.1) };
    let mut page = Page {
        title: name(),
        command: name(),
        made_at: name(),
        version: name(),
        figures: vec![Figure { name: name(), value: name(), explanation: name() }; 99],
        cost: name(),
        notes: vec![Note { text: name(), ..Note::default() }; 99],
        assessments: vec![assessment; 3],
        features: vec![feature; 300],
        data: vec![Row { name: name(), value: name() }; 500],
        options: vec![Row { name: name(), value: name() }; 500],
        ..Page::default()
    };
    page.curve.metrics = vec![Metric { name: name(), ..Metric::default() }; 15];
    page.curve.points = (0..many).map(point).collect();
    page
}

#[test]
fn pages_can_be_mailed() {
    let typical = html(&sample_run::two_classes());
    assert!(typical.len() < 150_000, "{}", typical.len());
    for name in ["a name", &"<".repeat(2_000), &"\u{202e}".repeat(2_000), &"𝒳".repeat(2_000)] {
        let page = html(&largest(name));
        assert!(page.len() < 1_000_000, "{name:.3}: {}", page.len());
    }
}

#[test]
fn what_is_left_out_is_said() {
    let html = html(&largest("x"));
    for rest in ["And 1 more", "And 79 more", "And 420 more", "And 200 more", "And 9 more"] {
        assert!(html.contains(rest), "{rest}");
    }
    let remark = Note { text: "r".into(), ..Note::default() };
    let warning = Note { severity: thalweg_page::Severity::Warning, text: "heed this".into() };
    let notes = [vec![remark; 99], vec![warning]].concat();
    assert!(thalweg_page::html(&Page { notes, ..Page::default() }).contains("heed this"));
}

#[test]
fn nothing_is_loaded_from_elsewhere() {
    for page in [sample_run::two_classes(), sample_run::many_classes(60), largest("x")] {
        let html = html(&page);
        let addresses =
            html.match_indices("http").map(|(i, _)| html[i..].chars().take(30).collect::<String>());
        for address in addresses {
            let known =
                address.starts_with("http://www.w3.org/2000/svg") || address.starts_with("http-equiv=");
            assert!(known, "{address}");
        }
        for word in ["@import", "url(", " src=", "<link", "<base", " style=", "javascript:"] {
            assert!(!html.contains(word), "{word}");
        }
    }
}

#[test]
fn the_same_page_is_the_same_text() {
    let page = sample_run::two_classes();
    let again: Page = serde_json::from_str(&serde_json::to_string(&page).unwrap()).unwrap();
    assert_eq!(page, again);
    assert_eq!(html(&page), html(&again));
}

#[test]
fn names_stay_within_their_elements() {
    let attack =
        "</script><script>alert(1)</script><img src=x onerror=alert(1)>\"'`<!--]]>\u{2028}\u{202e}\u{0}\n";
    let html = html(&largest(attack));
    assert_eq!(html.matches("<script").count(), 2);
    assert_eq!(html.matches("</script").count(), 2);
    for mark in ["<img", "<!--", "\u{2028}", "\u{202e}", "\u{0}"] {
        assert!(!html.contains(mark), "{mark:?}");
    }
    // No quote ends an attribute: all that are there more than with a harmless name are those around whole names, and those in JSON.
    let quotes = |html: &str| html.matches('"').count();
    let more = quotes(&html) - quotes(&thalweg_page::html(&largest("x")));
    assert_eq!(more, 2 * html.matches("<bdi title=").count() + html.matches("\\\"").count());
}

#[test]
fn pages_without_anything_make_sense() {
    let empty = html(&Page::default());
    assert!(empty.contains("<h1>") && empty.contains("<main>") && !empty.contains("<h2"));
    let mut one_class = sample_run::two_classes();
    one_class.assessments[0].thresholds.as_mut().unwrap().positives = 0.0;
    assert!(html(&one_class).contains("Curves need examples of both classes."));
}

/// Every number of a page becomes one that nobody expects.
#[test]
fn numbers_at_the_limits_give_finite_pages() {
    let json = serde_json::to_value(sample_run::two_classes()).unwrap();
    for number in [f64::MAX, f64::MIN, 1e300, -1e300, 5e-324, 0.0, -0.0] {
        let mut json = json.clone();
        replace_numbers(&mut json, number);
        let page: Page = serde_json::from_value(json).unwrap();
        check(&html(&page), number);
    }
    for number in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
        let mut page = sample_run::two_classes();
        spoil(&mut page, number);
        check(&html(&page), number);
    }
}

fn check(html: &str, number: f64) {
    let page = html.split_once("<body>").unwrap().1.split_once("<script>").unwrap().0;
    for word in ["NaN", "inf\"", "inf ", ">inf", "-inf"] {
        assert!(!page.contains(word), "{number:e}: {word}");
    }
    assert!(page.split(['>', '<']).all(|text| text.len() < 60_000), "{number:e}: digits without end");
}

fn replace_numbers(json: &mut Value, by: f64) {
    match json {
        Value::Array(values) => values.iter_mut().for_each(|value| replace_numbers(value, by)),
        Value::Object(fields) => fields.values_mut().for_each(|value| replace_numbers(value, by)),
        Value::Number(number) if number.is_f64() => *json = by.into(),
        _ => {}
    }
}

fn spoil(page: &mut Page, by: f64) {
    for point in &mut page.curve.points {
        point.values = vec![CurveValue { so_far: Some(by), since_last: Some(by) }; 3];
    }
    for assessment in &mut page.assessments {
        let thresholds = assessment.thresholds.as_mut().unwrap();
        (thresholds.positives, thresholds.costs.missed) = (by, by);
        thresholds.in_use.as_mut().unwrap().threshold = by;
        thresholds.points.iter_mut().step_by(2).for_each(|point| point.true_positives = by);
        assessment.calibration.iter_mut().step_by(2).for_each(|bin| bin.weight = by);
    }
    for feature in &mut page.features {
        (feature.weight, feature.deviation) = (by, Some(by));
    }
}
