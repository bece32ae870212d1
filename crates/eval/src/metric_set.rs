//! Metrics that are measured together, with the sums that they share.

use crate::calibration::Calibration;
use crate::chosen::Chosen;
use crate::curves::Scores;
use crate::examples::Examples;
use crate::figures::Figure;
use crate::metric::{Classes, Context, Keeping, Measure, Metric};
use crate::totals::Totals;

/// Metrics that are measured together.
pub(crate) struct MetricSet {
    context: Context,
    totals: Totals,
    /// Only if a metric needs them.
    scores: Option<Scores>,
    /// Only if a metric needs it.
    calibration: Option<Calibration>,
    all: Vec<Measured>,
}

struct Measured {
    metric: Chosen,
    /// What observes the examples for it alone.
    observer: Option<Box<dyn Metric>>,
}

impl MetricSet {
    pub(crate) fn new(context: Context, metrics: impl Iterator<Item = Chosen>) -> Self {
        let mut set =
            Self { context, totals: Totals::default(), scores: None, calibration: None, all: Vec::new() };
        metrics.for_each(|metric| set.add(metric));
        set
    }

    /// The same metrics, before the first example.
    pub(crate) fn restarted(&self) -> Self {
        Self::new(self.context, self.all.iter().map(|measured| measured.metric))
    }

    /// Adds a metric unless it is there.
    pub(crate) fn add(&mut self, metric: Chosen) {
        if self.has(metric) {
            return;
        }
        let observer = match metric.entry.measure {
            Measure::Examples(start) => Some(start()),
            Measure::ExamplesFor(_, start) => Some(start(metric.parameter.unwrap_or(1.0))),
            Measure::Scores(_) => {
                self.keep_scores();
                None
            }
            Measure::Calibration(_) => {
                self.keep_calibration();
                None
            }
            Measure::Totals(_) | Measure::TotalsFor(..) => None,
        };
        self.all.push(Measured { metric, observer });
    }

    pub(crate) fn has(&self, metric: Chosen) -> bool {
        self.all.iter().any(|measured| measured.metric == metric)
    }

    pub(crate) fn keep_scores(&mut self) {
        if self.context.classes == Classes::Two {
            self.scores.get_or_insert_with(|| match self.context.scores {
                Keeping::Binned => Scores::binned(),
                Keeping::Exact => Scores::kept(),
            });
        }
    }

    pub(crate) fn keep_calibration(&mut self) {
        self.calibration.get_or_insert_default();
    }

    pub(crate) fn observe(&mut self, examples: Examples) {
        self.totals.observe(examples);
        if let Some(scores) = &mut self.scores {
            for example in examples.iter() {
                scores.add(example.score(), example.truth == 1, example.importance);
            }
        }
        if let Some(calibration) = &mut self.calibration {
            examples.iter().for_each(|example| calibration.observe(&example));
        }
        let observers = self.all.iter_mut().filter_map(|measured| measured.observer.as_mut());
        observers.for_each(|observer| observer.observe(examples));
    }

    pub(crate) fn set_nonzeros(&mut self, nonzeros: usize) {
        self.totals.nonzeros = Some(nonzeros as u64);
    }

    pub(crate) fn context(&self) -> &Context {
        &self.context
    }

    pub(crate) fn totals(&self) -> &Totals {
        &self.totals
    }

    pub(crate) fn scores(&self) -> Option<&Scores> {
        self.scores.as_ref()
    }

    pub(crate) fn calibration(&self) -> Option<&Calibration> {
        self.calibration.as_ref()
    }

    /// The values so far.
    pub(crate) fn figures(&self) -> impl Iterator<Item = Figure> {
        self.all.iter().map(|measured| self.figure(measured))
    }

    /// The value of one of the metrics so far.
    pub(crate) fn figure_of(&self, metric: Chosen) -> Option<Figure> {
        self.all.iter().find(|measured| measured.metric == metric).map(|measured| self.figure(measured))
    }

    fn figure(&self, Measured { metric, observer }: &Measured) -> Figure {
        let mut within = None;
        let value = match metric.entry.measure {
            Measure::Totals(value) => value(&self.totals, &self.context),
            Measure::TotalsFor(_, value) => value(&self.totals, metric.parameter.unwrap_or(1.0)),
            Measure::Scores(estimate) => {
                let estimate = self.scores.as_ref().and_then(estimate);
                if let Some(Scores::Binned(_)) = self.scores {
                    within = estimate.map(|estimate| estimate.within);
                }
                estimate.map(|estimate| estimate.value)
            }
            Measure::Calibration(value) => self.calibration.as_ref().and_then(value),
            Measure::Examples(_) | Measure::ExamplesFor(..) => {
                observer.as_ref().and_then(|observer| observer.value(&self.totals))
            }
        };
        Figure { metric: *metric, value: value.filter(|value| value.is_finite()), within }
    }
}
