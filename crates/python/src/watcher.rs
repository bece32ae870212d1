//! Tells Python what happens during a run, and notices when Python wants the run to end.

use std::time::{Duration, Instant};

use pyo3::call::PyCallArgs;
use pyo3::prelude::*;
use thalweg::Interrupt;
use thalweg::observer::{Observer, Refusal, Seen};
use thalweg::{BadLine, LongRuns};
use thalweg_eval::Progress;

/// Signals are looked for so often.
const SIGNALS: Duration = Duration::from_millis(50);

/// Looks for signals, such as that of Ctrl-C, every now and then.
pub(crate) struct Signals(Instant);

impl Default for Signals {
    fn default() -> Self {
        Self(Instant::now())
    }
}

impl Signals {
    fn are_due(&self) -> bool {
        self.0.elapsed() >= SIGNALS
    }

    /// Looks for signals while nothing is locked: whoever handles one may use what the lock is for.
    pub(crate) fn check_between<T>(&mut self, lock: T, again: impl FnOnce() -> PyResult<T>) -> PyResult<T> {
        if !self.are_due() {
            return Ok(lock);
        }
        drop(lock);
        self.check()?;
        again()
    }

    /// The exception of a signal that has come.
    pub(crate) fn check(&mut self) -> PyResult<()> {
        if !self.are_due() {
            return Ok(());
        }
        self.0 = Instant::now();
        // The method itself is not general enough in its lifetime.
        #[allow(clippy::redundant_closure_for_method_calls)]
        Python::attach(|py| py.check_signals())
    }
}

/// Calls `tell(kind, value)` in Python.
pub(crate) struct Watcher {
    tell: Option<Py<PyAny>>,
    interrupt: Interrupt,
    signals: Signals,
    told_bytes: Instant,
    /// What a signal or a callback has raised.
    raised: Option<PyErr>,
}

impl Watcher {
    pub(crate) fn new(tell: Option<Py<PyAny>>) -> Self {
        let (signals, interrupt) = (Signals::default(), Interrupt::default());
        Self { tell, interrupt, signals, told_bytes: Instant::now(), raised: None }
    }

    /// Ends the data when Python wants it.
    pub(crate) fn interrupt(&self) -> Interrupt {
        self.interrupt.clone()
    }

    /// An error if Python has raised one.
    pub(crate) fn end(self) -> PyResult<()> {
        self.raised.map_or(Ok(()), Err)
    }

    fn note(&mut self, result: PyResult<()>) {
        if let Err(error) = result {
            self.interrupt.set();
            self.raised.get_or_insert(error);
        }
    }

    fn tell(&mut self, arguments: impl for<'py> PyCallArgs<'py>) {
        let Some(tell) = &self.tell else { return };
        let told = Python::attach(|py| tell.call1(py, arguments).map(|_| ()));
        self.note(told);
    }

    /// Looks for a signal.
    pub(crate) fn look(&mut self) {
        let signals = self.signals.check();
        self.note(signals);
    }
}

impl Observer for Watcher {
    fn pass(&mut self, pass: u64, of: u64) {
        self.tell(("pass", (pass, of)));
    }

    fn batch(&mut self, _seen: &Seen<'_>) -> Result<(), Refusal> {
        self.look();
        Ok(())
    }

    fn idle(&mut self) -> Result<(), Refusal> {
        self.look();
        Ok(())
    }

    fn wants_progress(&self) -> bool {
        self.tell.is_some()
    }

    fn progress(&mut self, progress: &Progress) {
        if let Ok(json) = serde_json::to_string(progress) {
            self.tell(("progress", json));
        }
    }

    fn bad_line(&mut self, bad: &BadLine) {
        self.tell(("bad_line", format!("{}: {}", bad.place, bad.message)));
    }

    fn warning(&mut self, warning: &str) {
        self.tell(("warning", warning.to_string()));
    }

    fn long_runs(&mut self, runs: &LongRuns) {
        self.tell(("warning", format!("{runs} (`shuffle`)")));
    }

    fn bytes_read(&mut self, bytes: u64) {
        if self.told_bytes.elapsed() >= SIGNALS {
            self.told_bytes = Instant::now();
            self.tell(("bytes", bytes));
        }
    }
}
