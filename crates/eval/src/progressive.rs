//! Progressive validation: each example is predicted before it is learned from, so that training data is test data too.

use thalweg_core::{Batch, Class, Outcomes};

use crate::calibration::Calibration;
use crate::chosen::{Chosen, MetricError};
use crate::confusion::Confusion;
use crate::curves::Scores;
use crate::examples::Examples;
use crate::figures::Figures;
use crate::metric::{Classes, Context, Keeping, Place};
use crate::metric_set::MetricSet;
use crate::metrics;
use crate::per_class::Matrix;
use crate::progress::{Column, Progress};
use crate::totals::Totals;

/// Figures of the examples so far, updated batch by batch.
pub struct ProgressiveFigures {
    metrics: MetricSet,
    last: Option<Last>,
    reported: Reported,
    /// The metrics of the progress table, measured since its last line; none if no metrics were chosen for it.
    since_last: Option<MetricSet>,
}

/// The last example.
#[derive(Clone, Copy, Debug)]
struct Last {
    class: Class,
    score: f64,
    features: usize,
}

/// Sums at the last line of progress.
#[derive(Clone, Copy, Debug, Default)]
struct Reported {
    importance: f64,
    loss: f64,
}

impl Default for ProgressiveFigures {
    fn default() -> Self {
        Self::new(Context::default())
    }
}

impl ProgressiveFigures {
    /// No examples yet. The metrics are those that reports of such a run show.
    pub fn new(context: Context) -> Self {
        let metrics = MetricSet::new(context, metrics::standard(&context));
        Self { metrics, last: None, reported: Reported::default(), since_last: None }
    }

    /// Adds the metrics of these names to the others, before the first example.
    pub fn with<N: AsRef<str>>(self, names: &[N]) -> Result<Self, MetricError> {
        let chosen = metrics::choose(names, self.metrics.context())?;
        Ok(chosen.into_iter().fold(self, Self::with_metric))
    }

    /// Adds a metric, which may be one that is not in the registry, before the first example.
    #[must_use]
    pub fn with_metric(mut self, metric: Chosen) -> Self {
        self.metrics.add(metric);
        metrics::beside(&metric).for_each(|companion| self.metrics.add(companion));
        self
    }

    /// Makes these metrics the columns of the progress table, beside the numbers of examples and non-zero weights, before the first
    /// example. With no names, the table is the usual one. The metrics become part of the report too.
    pub fn with_columns<N: AsRef<str>>(mut self, names: &[N]) -> Result<Self, MetricError> {
        let mut chosen = metrics::choose(names, self.metrics.context())?;
        self = chosen.iter().copied().fold(self, Self::with_metric);
        // The table has these anyway.
        chosen.retain(|metric| metric.entry.place != Place::Elsewhere && metric.entry.name != "examples");
        // Also while the scores of the whole run are kept: what is restarted over and over again should not grow.
        let context = Context { scores: Keeping::Binned, ..*self.metrics.context() };
        self.since_last = (!chosen.is_empty()).then(|| MetricSet::new(context, chosen.into_iter()));
        Ok(self)
    }

    /// Keeps scores for [`Self::scores`], before the first example. Only with two classes.
    #[must_use]
    pub fn with_scores(mut self) -> Self {
        self.metrics.keep_scores();
        self
    }

    /// Keeps the table of predicted probabilities for [`Self::calibration`], before the first example.
    pub fn with_calibration(mut self) -> Result<Self, MetricError> {
        metrics::find("expected_calibration_error")?.check(self.metrics.context())?;
        self.metrics.keep_calibration();
        Ok(self)
    }

    /// Adds the labelled examples of a batch, with the class that was predicted for each example. Where there are no
    /// losses of a learner, because the batch was only scored, the hinge loss is used.
    pub fn observe(&mut self, batch: &Batch, outcomes: &Outcomes, predicted: &[Class]) {
        self.observe_examples(Examples::new(batch, outcomes, predicted));
    }

    /// The same with the probabilities that were predicted. They are laid out as [`Outcomes::scores`]: one for each example, that of
    /// the positive class, or one for each class. With none at all, it is as if nobody had predicted any.
    pub fn observe_with_probabilities(
        &mut self,
        batch: &Batch,
        outcomes: &Outcomes,
        predicted: &[Class],
        probabilities: &[f64],
    ) {
        let examples = Examples::new(batch, outcomes, predicted);
        self.observe_examples(match probabilities {
            [] => examples,
            probabilities => examples.with_probabilities(probabilities),
        });
    }

    fn observe_examples(&mut self, examples: Examples) {
        self.metrics.observe(examples);
        if let Some(since_last) = &mut self.since_last {
            since_last.observe(examples);
        }
        if let Some((example, features)) = examples.last() {
            self.last = Some(Last { class: example.truth, score: example.score(), features });
        }
    }

    /// Number of labelled examples so far.
    pub fn examples(&self) -> u64 {
        self.metrics.totals().examples
    }

    /// The confusion matrix so far.
    pub fn confusion(&self) -> &Confusion {
        &self.metrics.totals().confusion
    }

    /// The scores so far, for curves and thresholds; none unless they are kept, because of [`Self::with_scores`] or for a metric.
    pub fn scores(&self) -> Option<&Scores> {
        self.metrics.scores()
    }

    /// The table of predicted probabilities so far; none unless it is kept, because of [`Self::with_calibration`] or for a metric.
    pub fn calibration(&self) -> Option<&Calibration> {
        self.metrics.calibration()
    }

    /// Says how many weights are not zero now, for the metric `nonzeros`. [`Self::progress`] says it too.
    pub fn set_nonzeros(&mut self, nonzeros: usize) {
        self.metrics.set_nonzeros(nonzeros);
    }

    /// The figures so far. `name` gives the names of many classes.
    pub fn figures(&self, name: impl Fn(Class) -> String) -> Figures {
        let confusion = self.confusion();
        let matrix = (self.metrics.context().classes == Classes::Many).then(|| Matrix {
            classes: (0..confusion.rows().len() as Class).map(name).collect(),
            confusion: confusion.clone(),
        });
        Figures { examples: self.examples(), all: self.metrics.figures().collect(), matrix }
    }

    /// A line of the progress table, in which "since last" is since the previous call. None before the first example that
    /// has importance.
    pub fn progress(&mut self, nonzeros: usize, label: impl Fn(Class) -> String) -> Option<Progress> {
        self.set_nonzeros(nonzeros);
        let totals = self.metrics.totals();
        let Totals { examples, confusion, loss, .. } = totals;
        let (last, average_loss, error) = (self.last?, totals.average_loss()?, confusion.error()?);
        let now = Reported { importance: confusion.total(), loss: *loss };
        let importance = now.importance - self.reported.importance;
        let since_last = if importance > 0.0 {
            // Also finite where both sums are infinite: the minimum of NaN and a number is the number.
            ((now.loss - self.reported.loss) / importance).min(f64::MAX)
        } else {
            0.0
        };
        let progress = Progress {
            average_loss,
            since_last,
            examples: *examples,
            label: label(last.class),
            score: last.score,
            features: last.features,
            error,
            balanced_accuracy: confusion.balanced_accuracy(),
            nonzeros,
            columns: self.columns(),
        };
        self.reported = now;
        self.since_last = self.since_last.as_ref().map(MetricSet::restarted);
        Some(progress)
    }

    /// The chosen columns of the progress table.
    fn columns(&self) -> Vec<Column> {
        let recent = self.since_last.iter().flat_map(MetricSet::figures);
        recent
            .filter_map(|since_last| {
                Some(Column { so_far: self.metrics.figure_of(since_last.metric)?, since_last })
            })
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use thalweg_core::cost::Costs;

    /// An example: its scores, its class if it has a label, its importance.
    type Row<'a> = (&'a [f64], Option<Class>, f32);

    /// Observes examples with the predictions of the papers' codes: a score of 0 is positive, the first of equal scores wins.
    fn observe(figures: &mut ProgressiveFigures, rows: &[Row]) {
        let (mut batch, mut outcomes) = (Batch::default(), Outcomes::default());
        for (scores, class, importance) in rows {
            batch.push_with_importance([(1, 1.0)], *class, *importance).unwrap();
            match scores {
                [score] => outcomes.push_score(*score),
                scores => outcomes.push_scores(scores),
            }
        }
        let first_highest = |scores: &[f64]| {
            let highest = scores.iter().copied().fold(f64::NEG_INFINITY, f64::max);
            scores.iter().position(|score| *score == highest).unwrap() as Class
        };
        let predicted = |(scores, ..): &Row| match scores {
            [score] => Class::from(*score >= 0.0),
            scores => first_highest(scores),
        };
        figures.observe(&batch, &outcomes, &rows.iter().map(predicted).collect::<Vec<_>>());
    }

    fn names(class: Class) -> String {
        format!("class {class}")
    }

    #[track_caller]
    fn assert_figures(figures: &Figures, expected: &[(&str, Option<f64>)]) {
        let found: Vec<_> = figures.iter().map(|figure| figure.metric.name()).collect();
        assert_eq!(found, expected.iter().map(|(name, _)| *name).collect::<Vec<_>>());
        for (name, expected) in expected {
            let value = figures.value(name);
            let same = value.zip(*expected).map_or(value == *expected, |(a, b)| (a - b).abs() < 1e-15);
            assert!(same, "{name} is {value:?}, not {expected:?}");
        }
    }

    #[test]
    fn unlabelled_examples_do_not_count() {
        let mut figures = ProgressiveFigures::default();
        observe(&mut figures, &[(&[0.5], Some(1), 1.0), (&[9.0], None, 1.0), (&[-0.25], Some(0), 1.0)]);
        assert_eq!((figures.examples(), figures.confusion().mistakes()), (2, 0.0));
        assert_eq!(figures.metrics.totals().average_loss(), Some(0.625));
    }

    #[test]
    fn since_last_forgets_what_was_reported() {
        let mut figures = ProgressiveFigures::default();
        assert!(figures.progress(0, |_| String::new()).is_none());
        observe(&mut figures, &[(&[-1.0], Some(1), 1.0)]);
        assert_eq!(figures.progress(0, |c| c.to_string()).unwrap().since_last, 2.0);
        observe(&mut figures, &[(&[3.0], Some(1), 1.0), (&[3.0], Some(1), 1.0)]);
        let second = figures.progress(7, |c| c.to_string()).unwrap();
        assert_eq!((second.since_last, second.examples, second.nonzeros), (0.0, 3, 7));
        assert_eq!((second.average_loss, second.label.as_str()), (2.0 / 3.0, "1"));
        observe(&mut figures, &[(&[-1.0], Some(1), 2.0), (&[0.0], Some(1), 6.0)]);
        assert_eq!(figures.progress(7, |c| c.to_string()).unwrap().since_last, 1.25);
    }

    #[test]
    fn there_is_no_progress_without_importance() {
        let mut figures = ProgressiveFigures::default();
        observe(&mut figures, &[(&[-1.0], Some(1), 0.0)]);
        assert_eq!((figures.progress(0, names), figures.examples()), (None, 1));
        observe(&mut figures, &[(&[-1.0], Some(1), 0.5)]);
        assert_eq!(figures.progress(0, names).unwrap().average_loss, 2.0);
    }

    /// Positives found 1 (at a score of 0), missed 2; negatives found 3, false alarms 2 (both at a score of 0).
    const TWO: &[Row] = &[
        (&[0.0], Some(1), 1.0),
        (&[-0.5], Some(1), 1.0),
        (&[-1.0], Some(1), 1.0),
        (&[-2.0], Some(0), 1.0),
        (&[-2.0], Some(0), 1.0),
        (&[-0.5], Some(0), 1.0),
        (&[0.0], Some(0), 1.0),
        (&[-0.0], Some(0), 1.0),
    ];

    #[test]
    fn figures_of_two_classes_are_those_computed_by_hand() {
        let mut figures =
            ProgressiveFigures::default().with(&["precision", "recall", "f1", "error"]).unwrap();
        observe(&mut figures, TWO);
        assert_figures(
            &figures.figures(names),
            &[
                ("examples", Some(8.0)),
                ("mistakes", Some(4.0)),
                ("error", Some(0.5)),
                ("balanced_accuracy", Some(f64::midpoint(1.0 / 3.0, 3.0 / 5.0))),
                // Hinge losses 1, 1.5, 2; 0, 0, 0.5, 1, 1.
                ("average_loss", Some(7.0 / 8.0)),
                ("missed", Some(2.0)),
                ("false_alarms", Some(2.0)),
                ("sensitivity", Some(1.0 / 3.0)),
                ("specificity", Some(3.0 / 5.0)),
                ("precision", Some(1.0 / 3.0)),
                ("recall", Some(1.0 / 3.0)),
                ("f1", Some(1.0 / 3.0)),
            ],
        );
    }

    #[test]
    fn examples_count_as_much_as_they_are_important() {
        let costs = Costs { missed: 5.0, ..Costs::default() };
        let mut figures = ProgressiveFigures::new(Context { costs, ..Context::default() })
            .with(&["precision", "f1"])
            .unwrap();
        observe(
            &mut figures,
            &[
                (&[1.0], Some(1), 2.5),
                (&[-1.0], Some(1), 0.5),
                (&[-1.0], Some(0), 4.0),
                (&[0.0], Some(0), 1.0),
                (&[9.0], Some(0), 0.0),
            ],
        );
        let figures = figures.figures(names);
        assert_figures(
            &figures,
            &[
                ("examples", Some(5.0)),
                ("mistakes", Some(1.5)),
                ("error", Some(1.5 / 8.0)),
                ("cost", Some(3.5)),
                ("cost_of_flagging_nothing", Some(15.0)),
                ("cost_of_flagging_everything", Some(5.0)),
                ("balanced_accuracy", Some(f64::midpoint(2.5 / 3.0, 4.0 / 5.0))),
                ("average_loss", Some((0.5 * 2.0 + 1.0) / 8.0)),
                ("missed", Some(0.5)),
                ("false_alarms", Some(1.0)),
                ("sensitivity", Some(2.5 / 3.0)),
                ("specificity", Some(4.0 / 5.0)),
                ("precision", Some(2.5 / 3.5)),
                ("f1", Some(5.0 / 6.5)),
            ],
        );
        let text = figures.lines();
        let titles: Vec<_> = text.iter().map(|(title, _)| title.as_str()).collect();
        let shares = ["balanced accuracy", "sensitivity", "specificity"];
        assert_eq!(
            titles,
            [&["mistakes", "error", "cost"], &shares[..], &["precision", "F1", "average loss"]].concat()
        );
        let line = |at: usize| (text[at].0.as_str(), text[at].1.as_str());
        assert_eq!(line(0), ("mistakes", "1.50 (missed 0.50, false alarms 1)"));
        assert_eq!(line(2), ("cost", "3.50 (flagging nothing 15, flagging everything 5)"));
        assert_eq!(line(text.len() - 1), ("average loss", "0.250000"));
    }

    #[test]
    fn importance_is_as_good_as_repetition() {
        let important: Vec<Row> = TWO.iter().map(|(scores, class, _)| (*scores, *class, 3.0)).collect();
        let (mut once, mut thrice) = (ProgressiveFigures::default(), ProgressiveFigures::default());
        observe(&mut once, &important);
        (0..3).for_each(|_| observe(&mut thrice, TWO));
        for (one, three) in once.figures(names).iter().zip(thrice.figures(names).iter()) {
            let plain = one.metric.name() == "examples";
            assert_eq!(one.value.map(|value| if plain { 3.0 * value } else { value }), three.value);
        }
    }

    #[test]
    fn figures_of_many_classes_are_those_computed_by_hand() {
        let context = Context { classes: Classes::Many, ..Context::default() };
        let mut figures = ProgressiveFigures::new(context);
        // Class 1 never comes, but is predicted once; a tie at 0 goes to the first class.
        observe(
            &mut figures,
            &[
                (&[0.0, 0.0, 0.0], Some(0), 1.0),
                (&[0.0, 0.0, 0.0], Some(2), 1.0),
                (&[0.0, 1.0, 0.5], Some(2), 2.0),
                (&[0.0, 1.0, 3.0], Some(2), 1.0),
            ],
        );
        let figures = figures.figures(names);
        assert_figures(
            &figures,
            &[
                ("examples", Some(4.0)),
                ("mistakes", Some(3.0)),
                ("error", Some(0.6)),
                ("balanced_accuracy", Some(f64::midpoint(1.0, 0.25))),
                // Hinge losses 1, 1, 1.5 (twice), 0.
                ("average_loss", Some(1.0)),
                ("macro_precision", Some(f64::midpoint(0.5, 1.0))),
                ("macro_recall", Some(f64::midpoint(1.0, 0.25))),
                ("macro_f1", Some(f64::midpoint(2.0 / 3.0, 2.0 / 5.0))),
                ("micro_f1", Some(0.4)),
            ],
        );
        let matrix = "truth \\ predicted  class 0 class 1 class 2
class 0                  1       .       .
class 1                  .       .       .
class 2                  1       2       1
";
        assert_eq!(figures.matrix().as_deref(), Some(matrix));
    }

    #[test]
    fn what_is_not_defined_is_null_or_a_dash() {
        let figures = ProgressiveFigures::default().figures(names);
        let undefined = figures.iter().filter(|figure| figure.value.is_none());
        let undefined: Vec<_> = undefined.map(|figure| figure.metric.name()).collect();
        assert_eq!(undefined, ["error", "balanced_accuracy", "average_loss", "sensitivity", "specificity"]);
        assert_eq!(figures.lines().last(), Some(&("specificity".into(), "-".into())));
    }

    #[test]
    fn figures_are_finite_whatever_the_losses() {
        let mut figures = ProgressiveFigures::default();
        observe(&mut figures, &[(&[-1e300], Some(1), f32::MAX), (&[-1e300], Some(1), 1e-30)]);
        assert!(figures.figures(names).value("average_loss").unwrap().is_finite());
        let progress = figures.progress(0, names).unwrap();
        assert!(progress.average_loss.is_finite() && progress.since_last.is_finite());
        // The difference of two infinite sums is not a number.
        observe(&mut figures, &[(&[-1e300], Some(1), f32::MAX)]);
        assert!(figures.progress(0, names).unwrap().since_last.is_finite());
    }

    #[test]
    fn updates_are_counted_where_there_are_any() {
        let mut figures = ProgressiveFigures::new(Context { learns: true, ..Context::default() });
        let mut learner =
            thalweg_core::learners::build("perceptron", &thalweg_core::Setup::default()).unwrap();
        let (mut batch, mut outcomes) = (Batch::default(), Outcomes::default());
        for (class, importance) in
            [(Some(0), 3.0), (Some(0), 3.0), (None, 1.0), (Some(1), 0.0), (Some(1), 0.5)]
        {
            batch.push_with_importance([(1, 1.0)], class, importance).unwrap();
        }
        learner.learn(&batch, &mut outcomes).unwrap();
        figures.observe(&batch, &outcomes, &[1, 0, 0, 0, 0]);
        assert_eq!(figures.figures(names).value("updates"), Some(2.0));
        assert_eq!(figures.figures(names).value("mistakes"), Some(3.5));
        assert_eq!(ProgressiveFigures::default().figures(names).value("updates"), None);
    }
}
