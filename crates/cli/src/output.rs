//! Standard output, and files of predictions.

use std::io::{self, BufWriter, ErrorKind, Write};

use anyhow::Context;
use serde::Serialize;
use thalweg::OutputFile;
use thalweg::observer::Seen;

use crate::escape::push_field;

/// Prints to standard output; a closed pipe is reported as such and not as a panic.
pub(crate) fn print(text: &str) -> anyhow::Result<()> {
    let mut out = io::stdout().lock();
    out.write_all(text.as_bytes())?;
    Ok(out.flush()?)
}

/// A line of JSON. Control characters are escaped, also those beyond ASCII, which JSON would let through to a terminal.
pub(crate) fn json_line(value: &impl Serialize) -> anyhow::Result<String> {
    let mut line = String::new();
    for c in serde_json::to_string(value)?.chars() {
        if c.is_control() { line += &format!("\\u{:04x}", c as u32) } else { line.push(c) }
    }
    line.push('\n');
    Ok(line)
}

/// The line of a record that could not be used, or whose score is not finite, so that predictions can be put beside the data line by line.
const SKIPPED: &[u8] = b"?\t?\n";

/// One line per example: score (or one score per class, separated by blanks), tab, predicted label; tab and the example's
/// id if it has one.
pub(crate) struct Predictions {
    out: BufWriter<OutputFile>,
    name: String,
    /// The reader of the pipe went away.
    closed: bool,
    /// The lines of a batch.
    lines: Vec<u8>,
}

impl Predictions {
    pub(crate) fn new(file: OutputFile) -> Self {
        let name = file.name().to_string();
        Self { out: BufWriter::with_capacity(1 << 16, file), name, closed: false, lines: Vec::new() }
    }

    /// Writes the lines of a batch that was learned from or scored.
    pub(crate) fn write_batch(&mut self, seen: &Seen<'_>) -> anyhow::Result<()> {
        let mut lines = std::mem::take(&mut self.lines);
        lines_of(seen, &mut lines);
        let written = self.write(&lines);
        self.lines = lines;
        written
    }

    /// Writes the lines of records that were skipped behind the last example.
    pub(crate) fn write_skipped(&mut self, records: usize) -> anyhow::Result<()> {
        self.write(&SKIPPED.repeat(records))
    }

    /// Lets go of what is still in memory, so that whoever waits for it sees it. A file appears only when it is whole.
    pub(crate) fn flush(&mut self) -> anyhow::Result<()> {
        if self.closed {
            return Ok(());
        }
        let result = self.out.flush();
        self.check(result)
    }

    /// Writes the lines of a batch.
    pub(crate) fn write(&mut self, lines: &[u8]) -> anyhow::Result<()> {
        if self.closed {
            return Ok(());
        }
        let result = self.out.write_all(lines);
        self.check(result)
    }

    /// All lines have come: writes what is still in memory, and gives the file its name.
    pub(crate) fn finish(mut self) -> anyhow::Result<()> {
        if !self.closed {
            let result = self.out.flush();
            self.check(result)?;
        }
        if self.closed {
            return Ok(());
        }
        match self.out.into_inner() {
            Ok(file) => Ok(file.finish()?),
            Err(e) => Err(e.into_error()).with_context(|| self.name.clone()),
        }
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

/// The lines of a batch, and of what was skipped.
pub(crate) fn lines_of(seen: &Seen<'_>, lines: &mut Vec<u8>) {
    let Seen { batch, outcomes, predicted, labels, .. } = seen;
    lines.clear();
    let mut skipped = seen.skipped.iter().peekable();
    for i in 0..outcomes.len() {
        while skipped.next_if(|before| **before <= i).is_some() {
            lines.extend_from_slice(SKIPPED);
        }
        if !outcomes.is_scored(i) {
            lines.extend_from_slice(SKIPPED.trim_ascii_end());
            push_id(batch.id(i), lines);
            continue;
        }
        for (class, score) in outcomes.scores_of(i).iter().enumerate() {
            if class > 0 {
                lines.push(b' ');
            }
            write_score(*score, lines);
        }
        lines.push(b'\t');
        push_field(labels.name(predicted[i]).as_bytes(), lines);
        push_id(batch.id(i), lines);
    }
    skipped.for_each(|_| lines.extend_from_slice(SKIPPED));
}

/// The end of a line: the example's id, if it has one.
fn push_id(id: &[u8], lines: &mut Vec<u8>) {
    if !id.is_empty() {
        lines.push(b'\t');
        push_field(id, lines);
    }
    lines.push(b'\n');
}

/// Writes the shortest decimal that reads back as the same number, as `{:?}` does, but in less time. Very large and very small ones look as they do there.
fn write_score(score: f64, out: &mut Vec<u8>) {
    if (1e-4..1e16).contains(&score.abs()) {
        out.extend_from_slice(zmij::Buffer::new().format_finite(score).as_bytes());
    } else {
        write!(out, "{score:?}").expect("memory takes everything");
    }
}

#[cfg(test)]
mod tests {
    use thalweg::Labels;
    use thalweg_core::{Batch, Outcomes};
    use thalweg_data::FeatureNames;

    use super::*;

    #[test]
    fn what_has_no_finite_score_has_a_line_that_says_so() {
        let mut outcomes = Outcomes::default();
        [1.5, f64::NAN, f64::INFINITY].into_iter().for_each(|score| outcomes.push_score(score));
        let mut batch = Batch::default();
        for id in ["", "", "a\tb"] {
            batch.push([(1, 1.0)], None).unwrap();
            batch.set_id(id.as_bytes());
        }
        let (labels, names, mut lines) = (Labels::default(), FeatureNames::default(), Vec::new());
        let (predicted, skipped) = ([1, 1, 1], [1, 3]);
        let seen = Seen {
            track: 0,
            batch: &batch,
            outcomes: &outcomes,
            predicted: &predicted,
            skipped: &skipped,
            labels: &labels,
            names: &names,
        };
        lines_of(&seen, &mut lines);
        let text = String::from_utf8(lines).unwrap();
        assert_eq!(text, "1.5\tpositive\n?\t?\n?\t?\n?\t?\ta\\tb\n?\t?\n");
    }

    #[test]
    fn scores_are_short_and_read_back_the_same() {
        let mut random = 88_172_645_463_325_252_u64;
        let mut any = || {
            random ^= random << 13;
            random ^= random >> 7;
            random ^= random << 17;
            f64::from_bits(random)
        };
        let edges = [0.0, -0.0, 1e-4, 9.999e-5, -1e-4, 1.0, -3.0, 0.1, 1e15, 9.999e15, 1e16, -1e16, 5e-324];
        let usual = (0..20_000).map(|i| f64::from(i * 7919 % 20_011 - 10_000) / 3.0f64.powi(i % 30));
        for score in edges.into_iter().chain(usual).chain((0..20_000).map(|_| any())) {
            let mut text = Vec::new();
            write_score(score, &mut text);
            let text = String::from_utf8(text).unwrap();
            let read: f64 = text.parse().unwrap();
            assert!(read.to_bits() == score.to_bits() || score.is_nan(), "{text} is not {score:?}");
            // Of two that are as short and as close, either may be taken.
            assert_eq!(text.len(), format!("{score:?}").len(), "{text} for {score:?}");
        }
    }
}
