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

    /// Writes the outcomes of a batch.
    pub(crate) fn write(
        &mut self,
        outcomes: &Outcomes,
        batch: &Batch,
        labels: &Labels,
    ) -> anyhow::Result<()> {
        if self.closed {
            return Ok(());
        }
        let result = (0..outcomes.len()).try_for_each(|i| {
            // `{:?}` is the shortest decimal that reads back as the same number.
            for (class, score) in outcomes.scores_of(i).iter().enumerate() {
                write!(self.out, "{}{score:?}", if class > 0 { " " } else { "" })?;
            }
            write!(self.out, "\t{}", labels.name(outcomes.predicted(i)))?;
            if !batch.tag(i).is_empty() {
                self.out.write_all(b"\t")?;
                self.out.write_all(batch.tag(i))?;
            }
            self.out.write_all(b"\n")
        });
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
