//! Metrics that are asked for: as figures, as columns of the progress table, with and without probabilities, at the limits of numbers.
#![allow(missing_docs, clippy::unwrap_used)]

use thalweg_core::cost::Costs;
use thalweg_core::{Batch, Class, Outcomes};
use thalweg_eval::{Classes, Context, Keeping, METRICS, ProgressiveFigures, choose, find};

/// Scores, class if there is a label, importance, predicted class, probabilities.
type Row<'a> = (&'a [f64], Option<Class>, f32, Class, &'a [f64]);

fn observe(figures: &mut ProgressiveFigures, rows: &[Row]) {
    let (mut batch, mut outcomes, mut probabilities) = (Batch::default(), Outcomes::default(), Vec::new());
    for (scores, class, importance, _, own) in rows {
        batch.push_with_importance([(1, 1.0)], *class, *importance).unwrap();
        match scores {
            [score] => outcomes.push_score(*score),
            scores => outcomes.push_scores(scores),
        }
        probabilities.extend_from_slice(own);
    }
    let predicted: Vec<Class> = rows.iter().map(|row| row.3).collect();
    if probabilities.is_empty() {
        figures.observe(&batch, &outcomes, &predicted);
    } else {
        figures.observe_with_probabilities(&batch, &outcomes, &predicted, &probabilities);
    }
}

fn names(class: Class) -> String {
    class.to_string()
}

const TWO: Context = Context {
    classes: Classes::Two,
    costs: Costs::EQUAL,
    example_costs: false,
    sum_weight: None,
    learns: true,
    probabilities: true,
    scores: Keeping::Binned,
};

/// Every metric of a run, with some of each family.
fn all(context: &Context) -> Vec<String> {
    let plain = METRICS.iter().map(|metric| metric.name.to_string()).filter(|name| !name.contains('<'));
    let families = ["f2", "f0.5", "f1000000", "f0.000001", "top_1", "top_3", "top_1000000"].map(String::from);
    plain.chain(families).filter(|name| find(name).unwrap().check(context).is_ok()).collect()
}

#[test]
fn a_run_has_the_metrics_that_fit_it() {
    let error = |name: &str, context: &Context| choose(&[name], context).unwrap_err().to_string();
    let plain = Context { probabilities: false, learns: false, ..TWO };
    assert_eq!(error("log_loss", &plain), "log_loss needs probabilities (`probabilities`)");
    assert_eq!(error("ece", &plain), "expected_calibration_error needs probabilities (`probabilities`)");
    assert_eq!(error("top_3", &plain), "top_3 is a metric of many classes, and there are two");
    assert_eq!(error("updates", &plain), "updates is a figure of learning: test data has none");
    let many = Context { classes: Classes::Many, ..TWO };
    assert_eq!(error("auc", &many), "roc_auc is a metric of two classes, and there may be more");
    assert_eq!(error("f2", &many), "f2 is a metric of two classes, and there may be more");
    assert!(ProgressiveFigures::new(plain).with(&["brier"]).is_err());
    assert!(ProgressiveFigures::new(plain).with_columns(&["brier"]).is_err());
    assert!(ProgressiveFigures::new(plain).with_calibration().is_err());
    assert!(ProgressiveFigures::new(TWO).with_calibration().is_ok());
}

#[test]
fn what_is_not_asked_for_is_not_kept() {
    let mut figures = ProgressiveFigures::new(TWO);
    observe(&mut figures, &[(&[1.0], Some(1), 1.0, 1, &[0.5])]);
    assert!(figures.scores().is_none() && figures.calibration().is_none());
    let json = serde_json::to_string(&figures.figures(names)).unwrap();
    assert_eq!(
        json,
        r#"{"examples":1,"mistakes":0,"error":0.0,"balanced_accuracy":null,"average_loss":0.0,"missed":0,"false_alarms":0,"sensitivity":1.0,"specificity":null,"updates":0}"#
    );
    // Many classes have no such scores.
    let many = Context { classes: Classes::Many, ..TWO };
    assert!(ProgressiveFigures::new(many).with_scores().scores().is_none());
    assert!(ProgressiveFigures::new(TWO).with_scores().scores().is_some());
}

#[test]
fn declared_costs_and_weights_are_shown_without_being_asked_for() {
    let titles = |context| -> Vec<String> {
        let mut figures = ProgressiveFigures::new(context);
        observe(&mut figures, &[(&[1.0], Some(1), 1.0, 1, &[0.5]), (&[1.0], Some(0), 1.0, 1, &[0.5])]);
        figures.figures(names).lines().into_iter().map(|(title, _)| title).collect()
    };
    let common = ["mistakes", "error", "balanced accuracy", "sensitivity", "specificity"];
    let last = ["average loss", "updates"];
    assert_eq!(titles(TWO), [&common[..], &last].concat());
    let costs = Costs { false_alarm: 0.1, ..Costs::default() };
    assert_eq!(
        titles(Context { costs, sum_weight: Some(0.9), ..TWO }),
        [&common[..2], &["cost"], &common[2..], &["sum"], &last].concat()
    );
    // On request, with costs of 1 and a weight of 0.5.
    let mut figures = ProgressiveFigures::new(TWO).with(&["cost", "sum"]).unwrap();
    observe(&mut figures, &[(&[1.0], Some(1), 3.0, 1, &[0.5]), (&[1.0], Some(0), 2.0, 1, &[0.5])]);
    let figures = figures.figures(names);
    assert_eq!((figures.value("cost"), figures.value("sum")), (Some(2.0), Some(0.5)));
    assert_eq!(figures.value("cost_of_flagging_nothing"), Some(3.0));
    assert_eq!(figures.value("cost_of_flagging_everything"), Some(2.0));
}

#[test]
fn columns_are_cumulative_and_since_the_last_line() {
    let chosen = ["recall", "roc_auc", "log_loss", "examples", "nonzeros", "updates", "missed"];
    let mut figures = ProgressiveFigures::new(TWO).with_columns(&chosen).unwrap();
    assert!(figures.progress(0, names).is_none());
    observe(&mut figures, &[(&[1.0], Some(1), 1.0, 1, &[0.5]), (&[2.0], Some(0), 1.0, 1, &[0.25])]);
    let first = figures.progress(3, names).unwrap();
    let values = |progress: &thalweg_eval::Progress| -> Vec<_> {
        let name = |column: &thalweg_eval::Column| column.so_far.metric.name();
        progress.columns.iter().map(|c| (name(c), c.so_far.value, c.since_last.value)).collect()
    };
    assert!(values(&first).iter().all(|(_, so_far, since_last)| so_far == since_last));
    // Examples and non-zero weights have columns of their own.
    let found: Vec<_> = first.columns.iter().map(|column| column.so_far.metric.name()).collect();
    assert_eq!(found, ["recall", "roc_auc", "log_loss", "updates", "missed"]);

    observe(&mut figures, &[(&[-1.0], Some(1), 3.0, 0, &[0.125]), (&[9.0], None, 1.0, 1, &[0.5])]);
    let second = figures.progress(4, names).unwrap();
    let log_loss = (0.5f64.ln() + 0.75f64.ln() + 3.0 * 0.125f64.ln()) / -5.0;
    let expected = [
        ("recall", Some(0.25), Some(0.0)),
        ("roc_auc", Some(0.0), None),
        ("log_loss", Some(log_loss), Some(-(0.125f64.ln()))),
        ("updates", Some(0.0), Some(0.0)),
        ("missed", Some(3.0), Some(3.0)),
    ];
    assert_eq!(values(&second), expected.map(|(name, a, b)| (name.to_string(), a, b)));
    let json = serde_json::to_value(&second).unwrap();
    assert_eq!((&json["examples"], &json["nonzeros"]), (&3.into(), &4.into()));
    assert_eq!(json["metrics"]["recall"], 0.25);
    assert_eq!(json["metrics"]["roc_auc_within"], 0.0);
    assert!(json["metrics_since_last"]["roc_auc"].is_null());
    // The columns are part of the report, but for what the report says anyway.
    let report = figures.figures(names);
    assert_eq!((report.value("recall"), report.value("nonzeros")), (Some(0.25), Some(4.0)));
    assert!(!report.lines().iter().any(|(title, _)| title == "non-zero weights"));
    // Nothing came since.
    let third = figures.progress(4, names).unwrap();
    assert!(third.columns.iter().take(3).all(|column| column.since_last.value.is_none()));
    // Without names, the table is the usual one.
    let mut usual = ProgressiveFigures::new(TWO).with_columns::<&str>(&[]).unwrap();
    observe(&mut usual, &[(&[1.0], Some(1), 1.0, 1, &[0.5])]);
    assert_eq!(usual.progress(0, names).unwrap().heading(), thalweg_eval::Progress::HEADING);
}

#[test]
fn probabilities_of_many_classes_follow_the_scores() {
    // The classes become known one by one, and an example has no label.
    let context = Context { classes: Classes::Many, ..TWO };
    let names_of = ["log_loss", "brier_score", "ece", "top_2"];
    let mut figures = ProgressiveFigures::new(context).with(&names_of).unwrap();
    observe(
        &mut figures,
        &[
            (&[1.0, 0.0], Some(2), 1.0, 0, &[0.75, 0.25]),
            (&[1.0, 0.0], None, 1.0, 0, &[0.5, 0.5]),
            (&[0.0, 1.0, 3.0], Some(2), 2.0, 1, &[0.25, 0.125, 0.625]),
        ],
    );
    let figures = figures.figures(names);
    let close = |name: &str, expected: f64| {
        let value = figures.value(name).unwrap();
        assert!((value - expected).abs() < 1e-12, "{name} is {value}, not {expected}");
    };
    // A class that is not known yet has a probability of 0, which is clipped.
    close("log_loss", -(1e-15f64.ln() + 2.0 * 0.625f64.ln()) / 3.0);
    close("brier_score", (0.5625 + 0.0625 + 1.0 + 2.0 * (0.0625 + 0.015_625 + 0.140_625)) / 3.0);
    close("expected_calibration_error", (0.75 + 2.0 * 0.375) / 3.0);
    close("top_2", 2.0 / 3.0);
}

#[test]
fn the_first_of_equal_scores_is_the_highest() {
    let context = Context { classes: Classes::Many, probabilities: false, ..TWO };
    let mut figures = ProgressiveFigures::new(context).with(&["top_1", "top_2"]).unwrap();
    for truth in 0..3 {
        observe(&mut figures, &[(&[1.0, 1.0, 1.0], Some(truth), 1.0, 0, &[])]);
    }
    let figures = figures.figures(names);
    assert_eq!((figures.value("top_1"), figures.value("top_2")), (Some(1.0 / 3.0), Some(2.0 / 3.0)));
}

#[test]
fn certain_mistakes_have_a_finite_loss() {
    let mut figures = ProgressiveFigures::new(TWO).with(&["log_loss", "ece"]).unwrap();
    let rows: [Row; 3] = [
        (&[1.0], Some(0), 1.0, 1, &[1.0]),
        (&[1.0], Some(1), 1.0, 1, &[1.0]),
        (&[1.0], Some(1), 1.0, 1, &[f64::NAN]),
    ];
    observe(&mut figures, &rows);
    let value = figures.figures(names).value("log_loss").unwrap();
    assert!((value + (2.0 * 1e-15f64.ln() + (1.0 - 1e-15f64).ln()) / 3.0).abs() < 1e-12, "{value}");
    assert_eq!(figures.calibration().unwrap().table()[14].observed, Some(0.5));
    // Without probabilities, the metric is not defined.
    let mut none = ProgressiveFigures::new(TWO).with(&["log_loss", "brier", "ece"]).unwrap();
    observe(&mut none, &[(&[1.0], Some(1), 1.0, 1, &[])]);
    for name in ["log_loss", "brier_score", "expected_calibration_error"] {
        assert_eq!(none.figures(names).value(name), None, "{name}");
    }
}

#[test]
fn figures_are_finite_at_the_limits_of_numbers() {
    let costs = Costs { missed: 1e300, false_alarm: 1e-300, ..Costs::default() };
    for scores in [Keeping::Binned, Keeping::Exact] {
        let context = Context { costs, scores, ..TWO };
        let chosen = all(&context);
        let mut figures = ProgressiveFigures::new(context).with_columns(&chosen).unwrap();
        let rows: Vec<Row> = vec![
            (&[-1e300], Some(1), f32::MAX, 0, &[0.0]),
            (&[1e300], Some(0), f32::MAX, 1, &[1.0]),
            (&[1e300], Some(1), 1e-30, 1, &[1.0]),
            (&[0.0], Some(0), 0.0, 1, &[0.5]),
            (&[5.0], None, 1.0, 1, &[0.5]),
        ];
        for batch in [&rows[3..], &rows[..2], &rows[..]] {
            observe(&mut figures, batch);
            let report = figures.figures(names);
            assert!(report.iter().all(|figure| figure.value.is_none_or(f64::is_finite)));
            assert!(report.iter().all(|figure| figure.within.is_none_or(f64::is_finite)));
            let json = serde_json::to_string(&report).unwrap();
            assert!(serde_json::from_str::<serde_json::Value>(&json).is_ok());
            if let Some(progress) = figures.progress(usize::MAX, names) {
                assert_eq!(progress.columns.len(), chosen.len() - 2);
                assert!(!progress.to_string().contains("inf") && !progress.to_string().contains("NaN"));
            }
            report.lines();
        }
        // Even now, all but what sums of 1e338 and more would be is defined.
        let figures = figures.figures(names);
        let undefined = figures.iter().filter(|figure| figure.value.is_none());
        let undefined: Vec<_> = undefined.map(|figure| figure.metric.name()).collect();
        assert_eq!(undefined, ["cost", "cost_of_flagging_nothing"]);
    }
}

#[test]
fn importance_is_as_good_as_repetition() {
    for (context, width) in [(TWO, 1), (Context { classes: Classes::Many, ..TWO }, 3)] {
        for scores in [Keeping::Binned, Keeping::Exact] {
            let context = Context { scores, ..context };
            let chosen = all(&context);
            let new = || ProgressiveFigures::new(context).with(&chosen).unwrap();
            let (mut once, mut thrice) = (new(), new());
            let values: Vec<Vec<f64>> = (0..60)
                .map(|i| (0..width).map(|k| f64::from((i * 7 + k * 5) % 11) / 4.0 - 1.0).collect())
                .collect();
            let probabilities: Vec<Vec<f64>> =
                values.iter().map(|v| v.iter().map(|x| (x + 1.0) / 8.0 + 0.25).collect()).collect();
            let rows = |importance: f32| -> Vec<Row> {
                let row = |i: usize| {
                    let class = Some((i * i % 7) as Class % (width as Class).max(2));
                    (&values[i][..], class, importance, (i % 2) as Class, &probabilities[i][..])
                };
                (0..60).map(row).collect()
            };
            observe(&mut once, &rows(3.0));
            (0..3).for_each(|_| observe(&mut thrice, &rows(1.0)));
            let (once, thrice) = (once.figures(names), thrice.figures(names));
            for (one, three) in once.iter().zip(thrice.iter()) {
                let name = one.metric.name();
                let times = if name == "examples" { 3.0 } else { 1.0 };
                let same = one
                    .value
                    .zip(three.value)
                    .map_or(one.value == three.value, |(a, b)| (times * a - b).abs() < 1e-12);
                assert!(same, "{name}: {:?}, not {:?}", one.value, three.value);
            }
        }
    }
}
