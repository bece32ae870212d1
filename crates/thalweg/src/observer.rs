//! Whoever wants to see what happens during a run.

use thalweg_core::{Batch, Class, Outcomes};
use thalweg_data::stream::BadLine;
use thalweg_data::{FeatureNames, Labels, Reader};
use thalweg_eval::{Progress, grouped, percent};

use crate::drift::Alarm;
use crate::drift_watch::DriftAction;
use crate::label_order::LongRuns;

/// What an observer may refuse with: the run ends with this error.
pub type Refusal = Box<dyn std::error::Error + Send + Sync>;

/// Is told what happens during a run. All methods do nothing unless they are written: `&mut ()` watches nothing.
pub trait Observer {
    /// A pass over the data begins: the first, of so many, is 1. What is read before that is kept in memory.
    fn pass(&mut self, _pass: u64, _of: u64) {}

    /// A batch was learned from, or scored.
    fn batch(&mut self, _seen: &Seen<'_>) -> Result<(), Refusal> {
        Ok(())
    }

    /// These records at the end of the data could not be used: so many since the last example.
    fn skipped_at_end(&mut self, _records: usize) -> Result<(), Refusal> {
        Ok(())
    }

    /// There is nothing to read for the moment: whoever holds back output should let go of it.
    fn idle(&mut self) -> Result<(), Refusal> {
        Ok(())
    }

    /// Does anybody look at [`Self::progress`]? Working it out takes time.
    fn wants_progress(&self) -> bool {
        false
    }

    /// The figures at powers of two, and at the end.
    fn progress(&mut self, _progress: &Progress) {}

    /// A line that could not be read and was skipped. Of many only the first are told.
    fn bad_line(&mut self, _bad: &BadLine) {}

    /// Something went wrong that the run could get over.
    fn warning(&mut self, _warning: &str) {}

    /// The data seems to be sorted by label. It is told once, as soon as it is clear, and at the latest at the end of the first pass.
    fn long_runs(&mut self, runs: &LongRuns) {
        self.warning(&format!("{runs} (`shuffle`)"));
    }

    /// The stream has changed: mistakes are more frequent. What is done about it is what the configuration says.
    fn drift(&mut self, alarm: &Alarm, action: DriftAction) {
        self.warning(&drift_warning(alarm, action));
    }

    /// So many bytes of the inputs have been read in this pass, before decompression.
    fn bytes_read(&mut self, _bytes: u64) {}
}

impl Observer for () {}

/// An alarm in words.
pub fn drift_warning(alarm: &Alarm, action: DriftAction) -> String {
    let Alarm { example, before, after, window } = *alarm;
    let [example, window] = [example, window].map(grouped);
    let [before, after] = [before, after].map(|share| percent(Some(share)));
    let done = action.done();
    format!(
        "at example {example} the error rose from {before} to {after}, about {window} examples ago; {done}"
    )
}

/// A batch with what became of it.
#[derive(Clone, Copy)]
pub struct Seen<'a> {
    /// Which learner, where there are several.
    pub track: usize,
    /// The examples, as they were learned from.
    pub batch: &'a Batch,
    /// Their scores from before they were learned from, losses and updates.
    pub outcomes: &'a Outcomes,
    /// The class that each score means.
    pub predicted: &'a [Class],
    /// Probabilities, laid out as the scores: of two classes, that of the positive one. Empty if the model gives none.
    pub probabilities: &'a [f64],
    /// Variances of the scores, laid out as these. Empty unless they were asked for, and the learner has them.
    pub variances: &'a [f64],
    /// The records that were skipped: for each, how many of the examples come before it.
    pub skipped: &'a [usize],
    /// What the classes are called.
    pub labels: &'a Labels,
    /// What the features are called.
    pub names: &'a FeatureNames,
}

impl Seen<'_> {
    /// How sure the prediction of example `i` is: the probability of the predicted class, from calibrated probabilities, or else from the distance
    /// of a score from its threshold in standard deviations. Nothing if the model can say neither.
    pub fn certainty(&self, i: usize, threshold: f64) -> Option<f64> {
        let class = self.predicted[i] as usize;
        if let Some(probabilities) = self.outcomes.beside_scores(i, self.probabilities) {
            return Some(match (probabilities, class) {
                ([positive], 0) => 1.0 - positive,
                ([positive], _) => *positive,
                (all, class) => all.get(class).copied().unwrap_or(0.0),
            });
        }
        match (self.outcomes.scores_of(i), self.outcomes.beside_scores(i, self.variances)?) {
            ([score], [variance]) if *variance > 0.0 => {
                Some(normal_below((score - threshold).abs() / variance.sqrt()))
            }
            _ => None,
        }
    }
}

/// The share of a standard normal distribution that is below this, to seven digits (Abramowitz and Stegun 26.2.17).
fn normal_below(x: f64) -> f64 {
    let t = 1.0 / (1.0 + 0.231_641_9 * x.abs());
    let polynomial = [1.330_274_429, -1.821_255_978, 1.781_477_937, -0.356_563_782, 0.319_381_53];
    let tail = (-0.5 * x * x).exp() / std::f64::consts::TAU.sqrt()
        * polynomial.iter().fold(0.0, |sum, c| (sum + c) * t);
    if x >= 0.0 { 1.0 - tail } else { tail }
}

/// What a reader tells besides the examples, since it was last asked.
#[derive(Default)]
pub(crate) struct Told {
    bad_lines: Vec<BadLine>,
    warnings: Vec<String>,
    bytes_read: u64,
}

impl Told {
    pub(crate) fn by(reader: &mut dyn Reader) -> Self {
        let (bad_lines, warnings) = (reader.take_bad_lines(), reader.warnings());
        Self { bad_lines, warnings, bytes_read: reader.counts().consumed }
    }

    pub(crate) fn pass_on(&self, observer: &mut (impl Observer + ?Sized)) {
        self.bad_lines.iter().for_each(|bad| observer.bad_line(bad));
        self.warnings.iter().for_each(|warning| observer.warning(warning));
        observer.bytes_read(self.bytes_read);
    }
}
