//! Standard output, and files of predictions.

use std::io::{self, BufWriter, ErrorKind, Write};
use std::path::Path;

use anyhow::Context;
use serde::Serialize;
use thalweg::OutputFile;
use thalweg::observer::Seen;

use crate::escape::safe_json;
use crate::prediction_line::{Form, Prediction};

/// Prints to standard output; a closed pipe is reported as such and not as a panic.
pub(crate) fn print(text: &str) -> anyhow::Result<()> {
    let mut out = io::stdout().lock();
    out.write_all(text.as_bytes())?;
    Ok(out.flush()?)
}

/// Writes a whole file.
pub(crate) fn write_all(mut file: OutputFile, text: &str) -> anyhow::Result<()> {
    let name = file.name().to_string();
    file.write_all(text.as_bytes()).with_context(|| name)?;
    Ok(file.finish()?)
}

/// A line of JSON.
pub(crate) fn json_line(value: &impl Serialize) -> anyhow::Result<String> {
    Ok(safe_json(&serde_json::to_string(value)?) + "\n")
}

/// One line per record, so that predictions can be put beside the data line by line.
pub(crate) struct Predictions {
    out: BufWriter<OutputFile>,
    form: Form,
    name: String,
    /// The reader of the pipe went away.
    closed: bool,
    /// The lines of a batch.
    lines: Vec<u8>,
}

impl Predictions {
    /// As JSON lines if that is asked for, or the name of the file says so.
    pub(crate) fn new(file: OutputFile, json: bool) -> Self {
        let name = file.name().to_string();
        let jsonl = Path::new(&name).extension().is_some_and(|end| end.eq_ignore_ascii_case("jsonl"));
        let form = if json || jsonl { Form::Json } else { Form::Text };
        Self { out: BufWriter::with_capacity(1 << 16, file), form, name, closed: false, lines: Vec::new() }
    }

    /// What its lines look like.
    pub(crate) fn form(&self) -> Form {
        self.form
    }

    /// Writes the lines of a batch that was learned from or scored.
    pub(crate) fn write_batch(&mut self, seen: &Seen<'_>) -> anyhow::Result<()> {
        let mut lines = std::mem::take(&mut self.lines);
        lines_of(seen, self.form, &mut lines);
        let written = self.write(&lines);
        self.lines = lines;
        written
    }

    /// Writes the lines of records that were skipped behind the last example.
    pub(crate) fn write_skipped(&mut self, records: usize) -> anyhow::Result<()> {
        let mut lines = Vec::new();
        (0..records).for_each(|_| self.form.push_skipped(b"", &mut lines));
        self.write(&lines)
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

/// When a prediction is too doubtful to be told.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Doubt {
    /// The least probability of the predicted class.
    pub(crate) least: f64,
    /// Which scores are positive: those above this.
    pub(crate) threshold: f64,
}

/// The lines of a batch, and of what was skipped.
pub(crate) fn lines_of(seen: &Seen<'_>, form: Form, lines: &mut Vec<u8>) {
    lines_and_doubts(seen, form, None, lines, &mut |_, _| {});
}

/// The same, where doubtful predictions are not told. `review` gets the place of each of them among the records of the batch, and its whole line.
pub(crate) fn lines_and_doubts(
    seen: &Seen<'_>,
    form: Form,
    doubt: Option<Doubt>,
    lines: &mut Vec<u8>,
    review: &mut dyn FnMut(usize, &[u8]),
) {
    let Seen { batch, outcomes, predicted, labels, .. } = seen;
    lines.clear();
    let names = form.names_of(labels, outcomes);
    let mut skipped = seen.skipped.iter().peekable();
    let mut records = 0;
    for i in 0..outcomes.len() {
        while skipped.next_if(|before| **before <= i).is_some() {
            form.push_skipped(b"", lines);
            records += 1;
        }
        if outcomes.is_scored(i) {
            let prediction = Prediction {
                scores: outcomes.scores_of(i),
                probabilities: outcomes.beside_scores(i, seen.probabilities),
                variances: outcomes.beside_scores(i, seen.variances),
                label: Some(labels.name(predicted[i])),
                id: batch.id(i),
            };
            let is_doubtful = doubt.is_some_and(|doubt| {
                seen.certainty(i, doubt.threshold).is_none_or(|sure| sure < doubt.least)
            });
            if is_doubtful {
                let mut line = Vec::new();
                form.push_prediction(&prediction, &names, &mut line);
                review(records, &line);
            }
            let told = Prediction { label: prediction.label.filter(|_| !is_doubtful), ..prediction };
            form.push_prediction(&told, &names, lines);
        } else {
            form.push_skipped(batch.id(i), lines);
        }
        records += 1;
    }
    skipped.for_each(|_| form.push_skipped(b"", lines));
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
            probabilities: &[],
            variances: &[],
            skipped: &skipped,
            labels: &labels,
            names: &names,
        };
        lines_of(&seen, Form::Text, &mut lines);
        let text = String::from_utf8(lines).unwrap();
        assert_eq!(text, "1.5\tpositive\n?\t?\n?\t?\n?\t?\ta\\tb\n?\t?\n");
        let mut lines = Vec::new();
        lines_of(&seen, Form::Json, &mut lines);
        let text = String::from_utf8(lines).unwrap();
        let (none, id) = ("{\"predicted\":null}\n", "{\"predicted\":null,\"id\":\"a\\tb\"}\n");
        assert_eq!(text, format!("{{\"predicted\":\"positive\",\"score\":1.5}}\n{none}{none}{id}{none}"));
    }
}
