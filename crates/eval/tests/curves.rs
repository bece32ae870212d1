//! Curves, thresholds and the bounds of the histogram, on random data.
#![allow(missing_docs, clippy::unwrap_used)]

use proptest::prelude::*;
use thalweg_core::cost::Costs;
use thalweg_eval::{Estimate, Goal, OperatingPoint, Scores, trade_off_table};

/// Score, whether it is positive, importance.
type Row = (f64, bool, f64);

/// What is to be as high as possible.
type Merit<'a> = dyn Fn(&OperatingPoint) -> Option<f64> + 'a;

/// Scores of every scale, some near each other, some equal, some at the ends.
fn score() -> impl Strategy<Value = f64> {
    prop_oneof![
        4 => -3.0..3.0f64,
        2 => 1.0..1.01f64,
        2 => (-40.0..40.0f64, any::<bool>()).prop_map(|(e, minus)| if minus { -e.exp2() } else { e.exp2() }),
        1 => (-2..3i32).prop_map(f64::from),
        1 => prop::sample::select(vec![0.0, -0.0, 1e300, -1e300, 1e-300, 1e10, 2e10, f64::MAX]),
    ]
}

fn importance() -> impl Strategy<Value = f64> {
    prop_oneof![4 => Just(1.0), 2 => 0.0..10.0f64, 1 => Just(f64::from(f32::MAX)), 1 => Just(1e-30)]
}

fn rows() -> impl Strategy<Value = Vec<Row>> {
    let equal = prop::collection::vec((score(), any::<bool>(), Just(1.0)), 1..200);
    let weighted = prop::collection::vec((score(), any::<bool>(), importance()), 1..200);
    prop_oneof![equal, weighted]
}

fn both(rows: &[Row]) -> [Scores; 2] {
    [Scores::kept(), Scores::binned()].map(|mut scores| {
        rows.iter().for_each(|&(score, positive, importance)| scores.add(score, positive, importance));
        scores
    })
}

/// What is flagged at a threshold.
fn flagged(rows: &[Row], threshold: Option<f64>) -> OperatingPoint {
    let sum = |class: bool| {
        let of_class = rows.iter().filter(|row| row.1 == class);
        of_class.filter(|row| threshold.is_some_and(|least| row.0 >= least)).map(|row| row.2).sum::<f64>()
    };
    OperatingPoint { threshold, true_positives: sum(true) + 0.0, false_positives: sum(false) + 0.0 }
}

fn near(a: f64, b: f64) -> bool {
    a == b || (a - b).abs() <= 1e-9 * a.abs().max(b.abs())
}

proptest! {
    #[test]
    fn the_histogram_is_within_its_bound(rows in rows()) {
        let [kept, binned] = both(&rows);
        for (exact, estimate) in
            [(kept.roc_auc(), binned.roc_auc()), (kept.average_precision(), binned.average_precision())]
        {
            prop_assert_eq!(exact.is_some(), estimate.is_some());
            let (Some(exact), Some(Estimate { value, within })) = (exact, estimate) else { continue };
            prop_assert_eq!(exact.within, 0.0);
            prop_assert!((0.0..=1.0 + 1e-12).contains(&value) && (0.0..=1.0).contains(&within));
            prop_assert!((value - exact.value).abs() <= within + 1e-12, "{} is not {value} ± {within}", exact.value);
        }
    }

    #[test]
    fn the_bound_is_zero_where_every_bin_has_one_score(scores in prop::collection::vec((-9..9i32, any::<bool>()), 2..100)) {
        let rows: Vec<Row> = scores.into_iter().map(|(score, positive)| (f64::from(score) * 0.37, positive, 1.0)).collect();
        let [kept, binned] = both(&rows);
        prop_assert_eq!(kept.roc_auc(), binned.roc_auc());
        prop_assert_eq!(kept.average_precision(), binned.average_precision());
        prop_assert_eq!(kept.curve(usize::MAX), binned.curve(usize::MAX));
    }

    #[test]
    fn every_point_is_what_its_threshold_flags(rows in rows(), most in 0..40usize) {
        for scores in both(&rows) {
            let curve = scores.curve(most);
            let points = &curve.points;
            prop_assert!((2..=most.max(2)).contains(&points.len()) || rows.iter().all(|row| row.2 == 0.0));
            prop_assert_eq!(points[0], OperatingPoint::NOTHING);
            for point in points {
                let expected = flagged(&rows, point.threshold);
                prop_assert!(near(point.true_positives, expected.true_positives), "{point:?}, not {expected:?}");
                prop_assert!(near(point.false_positives, expected.false_positives), "{point:?}, not {expected:?}");
            }
            let last = points.last().unwrap();
            prop_assert!(near(last.true_positives, curve.positives) && near(last.false_positives, curve.negatives));
            prop_assert!(points.windows(2).all(|pair| pair[0].alerts() <= pair[1].alerts()));
            prop_assert!(points.windows(2).skip(1).all(|pair| pair[0].threshold > pair[1].threshold));
        }
    }

    #[test]
    fn no_threshold_is_better_than_the_best(rows in prop::collection::vec((-3.0..3.0f64, any::<bool>(), 1..5i32), 1..60)) {
        let rows: Vec<Row> = rows.into_iter().map(|(score, positive, i)| (score, positive, f64::from(i))).collect();
        let [kept, _] = both(&rows);
        let curve = kept.curve(usize::MAX);
        let costs = Costs { missed: 5.0, false_alarm: 0.5, ..Costs::default() };
        let rates = |point: &OperatingPoint| curve.trade_off(point, &costs);
        let sum = |p: &OperatingPoint| Some(rates(p).recall? + 1.0 - rates(p).false_positive_rate?);
        let f2 = |p: &OperatingPoint| Some(5.0 * p.true_positives / (4.0 * curve.positives + p.alerts())).filter(|_| curve.positives > 0.0);
        let recall_first = |p: &OperatingPoint| rates(p).precision.filter(|_| rates(p).recall >= Some(0.8));
        let precise = |p: &OperatingPoint| rates(p).recall.filter(|_| rates(p).precision >= Some(0.6));
        let goals: [(Goal, &Merit); 5] = [
            (Goal::Cost(costs), &|p| Some(-rates(p).cost)),
            (Goal::Sum(0.5), &sum),
            (Goal::FBeta(2.0), &f2),
            (Goal::RecallAtLeast(0.8), &recall_first),
            (Goal::PrecisionAtLeast(0.6), &precise),
        ];
        for (goal, merit) in goals {
            let highest = curve.points.iter().filter_map(merit).fold(None, |a: Option<f64>, b| Some(a.map_or(b, |a| a.max(b))));
            let best = kept.best(goal);
            prop_assert_eq!(best.is_some(), highest.is_some(), "{:?}", goal);
            if let Some((best, highest)) = best.zip(highest) {
                prop_assert!(near(merit(&best).unwrap(), highest), "{goal:?}: {best:?}");
            }
        }
    }
}

/// Normal numbers, by the sum of twelve uniform ones.
fn normals(n: usize) -> Vec<f64> {
    let mut state = 1u64;
    let mut uniform = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 11) as f64 / (1u64 << 53) as f64
    };
    (0..n).map(|_| (0..12).map(|_| uniform()).sum::<f64>() - 6.0).collect()
}

#[test]
fn the_histogram_is_nearly_exact_on_normal_scores() {
    for (every, scale) in [(2, 1.0), (100, 1.0), (3, 1e-4), (10, 300.0)] {
        let rows: Vec<Row> = normals(50_000)
            .into_iter()
            .enumerate()
            .map(|(i, score)| (scale * (score + if i % every == 0 { 1.0 } else { 0.0 }), i % every == 0, 1.0))
            .collect();
        let [kept, binned] = both(&rows);
        for (exact, estimate, bound, off) in [
            (kept.roc_auc(), binned.roc_auc(), 4e-4, 1e-5),
            (kept.average_precision(), binned.average_precision(), 3e-3, 3e-4),
        ] {
            let (exact, estimate) = (exact.unwrap().value, estimate.unwrap());
            assert!((exact - estimate.value).abs() < off, "{exact}, not {estimate:?}");
            assert!(estimate.within < bound, "{estimate:?}");
        }
    }
}

#[test]
fn thinned_curves_keep_the_area() {
    let rows: Vec<Row> = normals(20_000)
        .into_iter()
        .enumerate()
        .map(|(i, score)| (score + if i % 20 == 0 { 1.5 } else { 0.0 }, i % 20 == 0, 1.0))
        .collect();
    let [kept, _] = both(&rows);
    let roc = kept.curve(200).roc();
    let area: f64 = roc.windows(2).map(|p| (p[1].0 - p[0].0) * f64::midpoint(p[0].1, p[1].1)).sum();
    assert!((area - kept.roc_auc().unwrap().value).abs() < 1e-3, "{area}");
    assert!(roc.len() <= 200 && roc.len() > 150, "{}", roc.len());
}

#[test]
fn of_equally_good_thresholds_the_one_with_the_fewest_alerts_wins() {
    let mut scores = Scores::kept();
    for (score, positive) in [(4.0, true), (3.0, false), (2.0, true), (1.0, false)] {
        scores.add(score, positive, 1.0);
    }
    let threshold = |goal| scores.best(goal).unwrap().threshold;
    // One error at 4 and one at 2.
    assert_eq!(threshold(Goal::Cost(Costs::default())), Some(4.0));
    assert_eq!(threshold(Goal::RecallAtLeast(0.5)), Some(4.0));
    assert_eq!(threshold(Goal::RecallAtLeast(0.6)), Some(2.0));
    assert_eq!(threshold(Goal::PrecisionAtLeast(0.6)), Some(2.0));
    assert_eq!(threshold(Goal::PrecisionAtLeast(0.7)), Some(4.0));
    assert_eq!(threshold(Goal::FBeta(2.0)), Some(2.0));
    // To flag nothing is best where alarms cost much more than what they find.
    let costs = Costs { missed: 0.1, false_alarm: 1.0, ..Costs::default() };
    let mut late = Scores::kept();
    [(2.0, false), (1.0, true)].into_iter().for_each(|(score, positive)| late.add(score, positive, 1.0));
    assert_eq!(late.best(Goal::Cost(costs)), Some(OperatingPoint::NOTHING));
    assert_eq!(late.best(Goal::PrecisionAtLeast(0.9)), None);
}

#[test]
fn trade_offs_are_shown_as_a_table() {
    let mut scores = Scores::kept();
    for (score, positive) in [(2.5, true), (1.0, false), (1.0, true), (-0.125, false), (-3.0, false)] {
        scores.add(score, positive, 1000.0);
    }
    let costs = Costs { missed: 10.0, ..Costs::default() };
    let rows = scores.curve(10).trade_offs(&costs);
    let expected = "\
threshold  alerts  precision    recall       F1  false positives    cost
     none       0          -    0.00 %   0.00 %           0.00 %  20,000
  2.50000   1,000   100.00 %   50.00 %  66.67 %           0.00 %  10,000
  1.00000   3,000    66.67 %  100.00 %  80.00 %          33.33 %   1,000
 -0.12500   4,000    50.00 %  100.00 %  66.67 %          66.67 %   2,000
 -3.00000   5,000    40.00 %  100.00 %  57.14 %         100.00 %   3,000
";
    assert_eq!(trade_off_table(&rows), expected);
    assert_eq!(
        serde_json::to_string(&rows[1]).unwrap(),
        r#"{"threshold":2.5,"alerts":1000.0,"precision":1.0,"recall":0.5,"f1":0.6666666666666666,"false_positive_rate":0.0,"cost":10000.0}"#
    );
    assert_eq!(trade_off_table(&[]).lines().count(), 1);
}

#[test]
fn nothing_is_defined_without_scores() {
    for scores in both(&[]) {
        assert_eq!((scores.roc_auc(), scores.average_precision()), (None, None));
        let curve = scores.curve(10);
        assert!(curve.points.iter().all(|point| *point == OperatingPoint::NOTHING));
        assert!(curve.roc().is_empty() && curve.precision_recall().is_empty());
        assert_eq!(scores.best(Goal::FBeta(1.0)), None);
    }
}
