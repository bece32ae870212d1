//! Shows a run as it goes, and writes its predictions.

use std::cmp::Ordering;
use std::io;

use serde::Serialize;
use thalweg::observer::{Observer, Refusal, Seen, drift_warning};
use thalweg::{Alarm, BadLine, DriftAction, Input, LongRuns};
use thalweg_eval::{Progress, counted, grouped};

use crate::output::Predictions;
use crate::progress::{Screen, bar_only};
use crate::progress_log::ProgressLog;

/// What a run tells, on its way to the terminal and to files.
pub(crate) struct Watch {
    pub(crate) predictions: Option<Predictions>,
    pub(crate) screen: Box<dyn Screen>,
    /// Is the run at its end when nobody reads the predictions any more?
    pub(crate) ends_with_reader: bool,
    /// Have the examples been learned from in an earlier pass? Predictions are of the first.
    pub(crate) later_pass: bool,
    pub(crate) log: Option<ProgressLog>,
    /// Changes of the stream so far.
    pub(crate) alarms: u64,
    /// All lines of progress, if somebody wants to draw them.
    pub(crate) kept_progress: Option<Vec<Progress>>,
}

impl Watch {
    /// Only what is shown on the screen.
    pub(crate) fn on(screen: Box<dyn Screen>) -> Self {
        Self {
            predictions: None,
            screen,
            ends_with_reader: false,
            later_pass: false,
            log: None,
            alarms: 0,
            kept_progress: None,
        }
    }

    /// Only a bar, where nothing is learned.
    pub(crate) fn bar(inputs: &[Input], quiet: bool, json: bool) -> Self {
        Self::on(bar_only(inputs, quiet, json))
    }
}

impl Watch {
    /// The predictions, as long as examples are new.
    fn first_pass_predictions(&mut self) -> Option<&mut Predictions> {
        self.predictions.as_mut().filter(|_| !self.later_pass)
    }
}

/// Of so many alarms each is shown.
const SHOWN_ALARMS: u64 = 10;

impl Watch {
    /// Adds a line to the log, if there is one.
    fn log_line(&mut self, kind: &str, value: &impl Serialize) {
        if let Err(error) = self.log.as_mut().map_or(Ok(()), |log| log.add(kind, value)) {
            // The run is worth more than its log.
            self.log = None;
            self.screen.warn(&format!("the log ends here: {error:#}"));
        }
    }
}

impl Observer for Watch {
    fn pass(&mut self, pass: u64, of: u64) {
        self.later_pass = pass > 1;
        self.screen.pass(pass, of);
    }

    fn batch(&mut self, seen: &Seen<'_>) -> Result<(), Refusal> {
        self.first_pass_predictions().map_or(Ok(()), |predictions| Ok(predictions.write_batch(seen)?))
    }

    fn skipped_at_end(&mut self, records: usize) -> Result<(), Refusal> {
        self.first_pass_predictions().map_or(Ok(()), |predictions| Ok(predictions.write_skipped(records)?))
    }

    fn idle(&mut self) -> Result<(), Refusal> {
        let Some(predictions) = &mut self.predictions else { return Ok(()) };
        predictions.flush()?;
        // Now, and not when more data comes: that may take forever.
        if self.ends_with_reader && predictions.is_closed() {
            return Err(io::Error::from(io::ErrorKind::BrokenPipe).into());
        }
        Ok(())
    }

    fn wants_progress(&self) -> bool {
        self.screen.is_watched() || self.log.is_some() || self.kept_progress.is_some()
    }

    fn progress(&mut self, progress: &Progress) {
        if self.screen.is_watched() {
            self.screen.progress(progress);
        }
        self.log_line("progress", progress);
        if let Some(kept) = &mut self.kept_progress {
            kept.push(progress.clone());
        }
    }

    fn bad_line(&mut self, bad: &BadLine) {
        self.screen.bad_line(bad);
    }

    fn warning(&mut self, warning: &str) {
        self.screen.warn(warning);
    }

    fn long_runs(&mut self, runs: &LongRuns) {
        self.screen.warn(&format!(
            "{runs}. Use --shuffle, or `thalweg convert --shuffle` for data that does not fit into memory"
        ));
    }

    fn drift(&mut self, alarm: &Alarm, action: DriftAction) {
        self.log_line("drift", alarm);
        self.alarms += 1;
        match self.alarms.cmp(&SHOWN_ALARMS) {
            Ordering::Less => self.screen.warn(&drift_warning(alarm, action)),
            Ordering::Equal => {
                self.screen
                    .warn(&format!("{}; the report counts further ones", drift_warning(alarm, action)));
            }
            Ordering::Greater => {}
        }
    }

    fn bytes_read(&mut self, bytes: u64) {
        self.screen.consumed(bytes);
    }
}

/// What is said of examples that a model could not make anything of.
pub(crate) fn unknown_examples(unknown: u64, examples: u64) -> Option<String> {
    let has = if unknown == 1 { "has" } else { "have" };
    let (unknown, all) = ((unknown > 0).then(|| grouped(unknown))?, counted(examples, "example", "examples"));
    Some(format!("{unknown} of {all} {has} no feature that the model knows"))
}

/// An error that ends a run of the library from outside.
pub(crate) fn refusal(error: anyhow::Error) -> thalweg::Error {
    thalweg::Error::Observer(error.downcast::<std::io::Error>().map_or_else(Into::into, Into::into))
}
