//! Standard output, and files of predictions.

use std::fs::File;
use std::io::{self, BufWriter, ErrorKind, Write};
use std::path::Path;

use anyhow::Context;
use thalweg_core::{Batch, Outcomes};
use thalweg_data::Labels;

/// Prints to standard output; a closed pipe is reported as such and not as a panic.
pub(crate) fn print(text: &str) -> anyhow::Result<()> {
    let mut out = io::stdout().lock();
    out.write_all(text.as_bytes())?;
    Ok(out.flush()?)
}

/// One line per example: score (or one score per class, separated by blanks), tab, predicted label; tab and the example's
/// own name if it has one.
pub(crate) struct Predictions {
    out: BufWriter<Box<dyn Write>>,
    name: String,
    /// The reader of the pipe went away.
    closed: bool,
}

impl Predictions {
    /// `-` is standard output.
    pub(crate) fn create(path: &Path) -> anyhow::Result<Self> {
        let name = path.display().to_string();
        let out: Box<dyn Write> = if is_stdout(path) {
            Box::new(io::stdout())
        } else {
            Box::new(File::create(path).with_context(|| name.clone())?)
        };
        Ok(Self { out: BufWriter::with_capacity(1 << 16, out), name, closed: false })
    }

    /// The lines of a batch.
    pub(crate) fn lines(outcomes: &Outcomes, batch: &Batch, labels: &Labels, lines: &mut Vec<u8>) {
        lines.clear();
        for i in 0..outcomes.len() {
            for (class, score) in outcomes.scores_of(i).iter().enumerate() {
                if class > 0 {
                    lines.push(b' ');
                }
                // `{:?}` is the shortest decimal that reads back as the same number.
                write!(lines, "{score:?}").expect("memory takes everything");
            }
            lines.push(b'\t');
            lines.extend_from_slice(labels.name(outcomes.predicted(i)).as_bytes());
            if !batch.tag(i).is_empty() {
                lines.push(b'\t');
                lines.extend_from_slice(batch.tag(i));
            }
            lines.push(b'\n');
        }
    }

    /// Writes the lines of a batch.
    pub(crate) fn write(&mut self, lines: &[u8]) -> anyhow::Result<()> {
        if self.closed {
            return Ok(());
        }
        let result = self.out.write_all(lines);
        self.check(result)
    }

    /// Writes what is still in memory.
    pub(crate) fn finish(&mut self) -> anyhow::Result<()> {
        if self.closed {
            return Ok(());
        }
        let result = self.out.flush();
        self.check(result)
    }

    /// Has the reader of the pipe gone away?
    pub(crate) fn is_closed(&self) -> bool {
        self.closed
    }

    fn check(&mut self, result: io::Result<()>) -> anyhow::Result<()> {
        match result {
            Err(e) if e.kind() == ErrorKind::BrokenPipe => {
                self.closed = true;
                Ok(())
            }
            other => other.with_context(|| self.name.clone()),
        }
    }
}

pub(crate) fn is_stdout(path: &Path) -> bool {
    path == Path::new("-")
}
