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
    /// The file with what it held before, until there is something to put in its place.
    old: Option<File>,
}

impl ProgressLog {
    /// Begins a log. What the file held before is gone with the first line: a run that fails at once leaves it alone.
    pub(crate) fn create(path: &Path) -> anyhow::Result<Self> {
        let name = path.display().to_string();
        if is_stdout(path) {
            return Ok(Self { file: Box::new(io::stdout()), name, old: None });
        }
        let open = || File::options().write(true).create(true).truncate(false).open(path);
        let file = open().with_context(|| name.clone())?;
        let old = file.try_clone().with_context(|| name.clone())?;
        Ok(Self { file: Box::new(file), name, old: Some(old) })
    }

    /// Adds a line: an object with one key, which says what the line is.
    pub(crate) fn add(&mut self, kind: &str, value: &impl Serialize) -> anyhow::Result<()> {
        if let Some(old) = self.old.take() {
            // A pipe or a device has no length, and nothing to lose.
            _ = old.set_len(0);
        }
        let line = json_line(&std::collections::BTreeMap::from([(kind, value)]))?;
        let written = self.file.write_all(line.as_bytes()).and_then(|()| self.file.flush());
        written.with_context(|| self.name.clone())
    }
}
