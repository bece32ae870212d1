//! A log of a run for programs: one JSON object per report, written as the run goes.

use std::fs::File;
use std::io::Write;
use std::path::Path;

use anyhow::Context;
use serde::Serialize;

use crate::output::json_line;

/// A file with one line per report. It can be watched while the run goes on, so it is not replaced as a whole.
pub(crate) struct ProgressLog {
    file: File,
    name: String,
}

impl ProgressLog {
    /// Begins a log. What the file held before is gone.
    pub(crate) fn create(path: &Path) -> anyhow::Result<Self> {
        let name = path.display().to_string();
        Ok(Self { file: File::create(path).with_context(|| name.clone())?, name })
    }

    /// Adds a line: an object with one key, which says what the line is.
    pub(crate) fn add(&mut self, kind: &str, value: &impl Serialize) -> anyhow::Result<()> {
        let line = json_line(&std::collections::BTreeMap::from([(kind, value)]))?;
        self.file.write_all(line.as_bytes()).with_context(|| self.name.clone())
    }
}
