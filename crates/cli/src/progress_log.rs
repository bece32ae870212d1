//! A log of a run for programs: one JSON object per report, written as the run goes.

use std::fs::File;
use std::io::{self, Write};
use std::path::Path;

use anyhow::Context;
use serde::Serialize;
use thalweg_data::is_stdout;

use crate::output::json_line;

/// A file with one line per report. It can be watched while the run goes on, so it is not replaced as a whole.
pub(crate) struct ProgressLog {
    file: Box<dyn Write>,
    name: String,
}

impl ProgressLog {
    /// Begins a log. What the file held before is gone.
    pub(crate) fn create(path: &Path) -> anyhow::Result<Self> {
        let name = path.display().to_string();
        let file: Box<dyn Write> = if is_stdout(path) {
            Box::new(io::stdout())
        } else {
            Box::new(File::create(path).with_context(|| name.clone())?)
        };
        Ok(Self { file, name })
    }

    /// Adds a line: an object with one key, which says what the line is.
    pub(crate) fn add(&mut self, kind: &str, value: &impl Serialize) -> anyhow::Result<()> {
        let line = json_line(&std::collections::BTreeMap::from([(kind, value)]))?;
        let written = self.file.write_all(line.as_bytes()).and_then(|()| self.file.flush());
        written.with_context(|| self.name.clone())
    }
}
