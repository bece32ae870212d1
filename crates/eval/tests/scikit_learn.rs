//! Every metric is what scikit-learn says (`scikit_learn.py`), exactly on test data and within its own bound on streams.
#![allow(missing_docs, clippy::unwrap_used)]

use std::collections::BTreeMap;

use serde::Deserialize;
use thalweg_core::cost::Costs;
use thalweg_core::{Batch, Class, Outcomes};
use thalweg_eval::{Classes, Context, Figures, Keeping, ProgressiveFigures};

#[derive(Deserialize)]
struct Reference {
    costs: [f64; 2],
    sum_weight: f64,
    two_classes: Vec<Case>,
    many_classes: Vec<Case>,
}

#[derive(Deserialize)]
struct Case {
    name: String,
    truth: Vec<Class>,
    scores: Vec<Vec<f64>>,
    probabilities: Vec<f64>,
    predicted: Vec<Class>,
    importances: Vec<f32>,
    metrics: BTreeMap<String, Option<f64>>,
    #[serde(default)]
    roc: Option<[Vec<f64>; 2]>,
    #[serde(default)]
    precision_recall: Option<[Vec<f64>; 2]>,
    #[serde(default)]
    per_class: Vec<[Option<f64>; 4]>,
}

fn reference() -> Reference {
    serde_json::from_str(include_str!("scikit_learn.json")).unwrap()
}

impl Reference {
    fn context(&self, classes: Classes, scores: Keeping) -> Context {
        let [missed, false_alarm] = self.costs;
        let costs = Costs { missed, false_alarm, ..Costs::default() };
        let sum_weight = Some(self.sum_weight);
        Context {
            classes,
            costs,
            example_costs: false,
            sum_weight,
            learns: false,
            probabilities: true,
            scores,
        }
    }
}

impl Case {
    /// What we say, of batches of a few examples.
    fn measured(&self, context: Context) -> ProgressiveFigures {
        let names: Vec<&String> = self.metrics.keys().collect();
        let mut figures = ProgressiveFigures::new(context).with(&names).unwrap();
        let width = self.scores[0].len();
        for rows in (0..self.truth.len()).collect::<Vec<_>>().chunks(37) {
            let (mut batch, mut outcomes) = (Batch::default(), Outcomes::default());
            for &i in rows {
                batch.push_with_importance([(1, 1.0)], Some(self.truth[i]), self.importances[i]).unwrap();
                match &self.scores[i][..] {
                    [score] => outcomes.push_score(*score),
                    scores => outcomes.push_scores(scores),
                }
            }
            let range = rows[0]..rows[0] + rows.len();
            let probabilities = &self.probabilities[range.start * width..range.end * width];
            figures.observe_with_probabilities(&batch, &outcomes, &self.predicted[range], probabilities);
        }
        figures
    }

    #[track_caller]
    fn compare(&self, figures: &Figures, tolerance: impl Fn(f64) -> f64) {
        for (name, expected) in &self.metrics {
            let figure = figures.get(name).unwrap_or_else(|| panic!("{name}"));
            let bound = tolerance(figure.within.unwrap_or(0.0)) * expected.unwrap_or(0.0).abs().max(1.0);
            let same = match (figure.value, expected) {
                (Some(ours), Some(theirs)) => (ours - theirs).abs() <= bound,
                (ours, theirs) => ours == *theirs,
            };
            assert!(same, "{}: {name} is {:?} ± {bound}, not {expected:?}", self.name, figure.value);
        }
    }
}

#[test]
fn metrics_of_two_classes_are_those_of_scikit_learn() {
    let reference = reference();
    for case in &reference.two_classes {
        assert!(case.metrics.len() > 20);
        let exact = case.measured(reference.context(Classes::Two, Keeping::Exact)).figures(|_| String::new());
        assert!(exact.iter().all(|figure| figure.within.is_none()), "{}", case.name);
        case.compare(&exact, |_| 1e-12);
        let binned =
            case.measured(reference.context(Classes::Two, Keeping::Binned)).figures(|_| String::new());
        case.compare(&binned, |within| within + 1e-12);
        let within = binned.get("roc_auc").unwrap().within.unwrap();
        let (few, distinct) = (case.scores.iter().all(|s| (s[0] * 2.0).fract() == 0.0), within == 0.0);
        assert!(within < 2e-3 && (!few || distinct), "{}: {within}", case.name);
    }
}

#[test]
fn metrics_of_many_classes_are_those_of_scikit_learn() {
    let reference = reference();
    for case in &reference.many_classes {
        let figures =
            case.measured(reference.context(Classes::Many, Keeping::Exact)).figures(|c| c.to_string());
        case.compare(&figures, |_| 1e-12);
        for (ours, theirs) in figures.per_class().iter().zip(&case.per_class) {
            let ours = [ours.precision, ours.recall, ours.f1, Some(ours.support)];
            let same = |(a, b): (&Option<f64>, &Option<f64>)| {
                a.zip(*b).map_or(a == b, |(a, b)| (a - b).abs() < 1e-12)
            };
            assert!(ours.iter().zip(theirs).all(same), "{}: {ours:?}, not {theirs:?}", case.name);
        }
        assert_eq!(figures.per_class().len(), case.per_class.len());
    }
}

#[test]
fn curves_are_those_of_scikit_learn() {
    let reference = reference();
    let mut compared = 0;
    for case in &reference.two_classes {
        let (Some(roc), Some(precision_recall)) = (&case.roc, &case.precision_recall) else { continue };
        for keeping in [Keeping::Exact, Keeping::Binned] {
            let figures = case.measured(reference.context(Classes::Two, keeping));
            let curve = figures.scores().unwrap().curve(usize::MAX);
            assert_same(&case.name, &curve.roc(), roc);
            // scikit-learn adds a point at which nothing is flagged and the precision is 1.
            let pr = [vec![(0.0, 1.0)], curve.precision_recall()].concat();
            assert_same(&case.name, &pr, precision_recall);
        }
        compared += 1;
    }
    assert!(compared >= 6, "{compared}");
}

/// Points that are equal to their predecessors, as scikit-learn has for scores without importance, do not count.
#[track_caller]
fn assert_same(name: &str, ours: &[(f64, f64)], [first, second]: &[Vec<f64>; 2]) {
    let mut theirs: Vec<(f64, f64)> = first.iter().copied().zip(second.iter().copied()).collect();
    let near = |a: &(f64, f64), b: &(f64, f64)| (a.0 - b.0).abs() < 1e-12 && (a.1 - b.1).abs() < 1e-12;
    theirs.dedup_by(|a, b| near(a, b));
    assert_eq!(ours.len(), theirs.len(), "{name}: {ours:?}, not {theirs:?}");
    assert!(ours.iter().zip(&theirs).all(|(a, b)| near(a, b)), "{name}: {ours:?}, not {theirs:?}");
}
