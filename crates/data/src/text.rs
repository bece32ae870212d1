//! A reader of files in which every line is an example.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use thalweg_core::Batch;
use thalweg_core::batch::Tidied;

use crate::bad::{BadLine, BadLines};
use crate::error::{Error, Fault, Place, Result};
use crate::formats::{LineFormat, Parsed};
use crate::labels::Labels;
use crate::lines::Lines;
use crate::reader::{Census, Reader, Settings};
use crate::source::Input;

/// A batch ends at this many non-zeros, or at the number of examples that [`Census::next_batch`] says: large enough
/// that work per batch does not show, small enough to stay in the cache.
const MOST_NONZEROS: usize = 1 << 16;

pub(crate) struct TextReader<F> {
    format: F,
    inputs: Vec<Input>,
    /// The input that is being read, and those that are through.
    current: Option<Lines>,
    opened: usize,
    consumed: Arc<AtomicU64>,
    settings: Settings,
    bad: BadLines,
    census: Census,
    /// Bad lines are dealt with in the first pass; later passes pass over them in silence.
    first_pass: bool,
}

enum Line {
    Nothing,
    Example(Tidied),
}

enum Trouble {
    /// The line is skipped.
    Fault(Fault),
    /// The run is over.
    Label(Fault),
}

impl<F: LineFormat> TextReader<F> {
    pub(crate) fn new(format: F, inputs: Vec<Input>, settings: Settings) -> Result<Self> {
        let bad = BadLines::new(settings.bad_lines.clone())?;
        let census = Census::default();
        let consumed = Arc::default();
        Ok(Self {
            format,
            inputs,
            current: None,
            opened: 0,
            consumed,
            settings,
            bad,
            census,
            first_pass: true,
        })
    }

    /// Reads one line of the current input; `false` at its end.
    fn read_line(&mut self, batch: &mut Batch) -> Result<bool> {
        let Some(lines) = &mut self.current else { return Ok(false) };
        let input = &self.inputs[self.opened - 1];
        let line = match lines.next() {
            Ok(Some(line)) => line,
            Ok(None) => return Ok(false),
            Err(cause) => return Err(Error::Io { file: input.name(), cause }),
        };
        let result = parse(&mut self.format, &mut self.settings, line, batch);
        if self.first_pass {
            self.census.lines += 1;
        }
        let (fault, fatal) = match result {
            Ok(Line::Nothing) => return Ok(true),
            Ok(Line::Example(tidied)) => {
                if self.first_pass {
                    self.census.sorted += u64::from(tidied == Tidied::Sorted);
                }
                self.census.examples += 1;
                return Ok(true);
            }
            Err(Trouble::Fault(fault)) => (fault, false),
            Err(Trouble::Label(fault)) => (fault, true),
        };
        let line = line.to_vec();
        let place = Place { file: input.name(), line: lines.number, column: fault.column };
        if fatal {
            return Err(Error::Line { place, message: fault.message });
        }
        if self.first_pass {
            self.bad.add(place, fault.message, &line, self.census.lines)?;
        }
        Ok(true)
    }

    fn open_next(&mut self) -> Result<bool> {
        let Some(input) = self.inputs.get(self.opened) else { return Ok(false) };
        if *input == Input::Stdin && !self.first_pass {
            return Err(Error::StdinTwice);
        }
        self.current = Some(Lines::new(input.open(&self.consumed)?));
        self.opened += 1;
        Ok(true)
    }

    fn end_of_pass(&mut self) -> Result<()> {
        if !self.first_pass {
            return Ok(());
        }
        self.bad.check_at_end(self.census.lines)?;
        match self.bad.first() {
            Some(first) if self.census.examples == 0 => Err(Error::NothingRead {
                file: self.inputs.first().map_or_else(String::new, Input::name),
                format: F::NAME,
                lines: self.census.lines,
                place: first.place.clone(),
                message: first.message.clone(),
            }),
            _ => Ok(()),
        }
    }
}

fn parse<F: LineFormat>(
    format: &mut F,
    settings: &mut Settings,
    line: &[u8],
    batch: &mut Batch,
) -> std::result::Result<Line, Trouble> {
    let mut draft = batch.draft();
    let (label, weight) = match format.parse(line, &mut draft).map_err(Trouble::Fault)? {
        Parsed::Nothing => return Ok(Line::Nothing),
        Parsed::Example { label, weight } => (label, weight),
    };
    let overflow =
        |e: thalweg_core::batch::NotFinite| Trouble::Fault(Fault { column: 1, message: e.to_string() });
    let tidied = settings.prepare.apply(&mut draft).map_err(overflow)?;
    let class = match label {
        Some((text, at)) if is_not_finite(text) => {
            return Err(Trouble::Fault(Fault::at(at, "a label must be a word or a finite number", text)));
        }
        Some((text, at)) => settings
            .labels
            .class(text)
            .map_err(|message| Trouble::Label(Fault { column: at + 1, message }))?,
        None if settings.unlabelled => None,
        None => {
            return Err(Trouble::Fault(Fault { column: 1, message: "the line has no label".into() }));
        }
    };
    draft.commit(class, weight).map_err(overflow)?;
    Ok(Line::Example(tidied))
}

/// `nan` and `inf` in the place of a label are numbers that went wrong, not words.
fn is_not_finite(label: &[u8]) -> bool {
    let number = std::str::from_utf8(label).ok().and_then(|text| text.parse::<f64>().ok());
    number.is_some_and(|value| !value.is_finite())
}

impl<F: LineFormat> Reader for TextReader<F> {
    fn read(&mut self, batch: &mut Batch) -> Result<bool> {
        batch.clear();
        let most = Census::next_batch(self.census.examples);
        while batch.len() < most && batch.nonzeros() < MOST_NONZEROS {
            if !self.read_line(batch)? && !self.open_next()? {
                self.current = None;
                if batch.is_empty() {
                    self.end_of_pass()?;
                }
                break;
            }
        }
        Ok(!batch.is_empty())
    }

    fn rewind(&mut self) -> Result<()> {
        self.current = None;
        self.opened = 0;
        self.first_pass = false;
        self.consumed.store(0, Ordering::Relaxed);
        Ok(())
    }

    fn labels(&self) -> &Labels {
        &self.settings.labels
    }

    fn labels_mut(&mut self) -> &mut Labels {
        &mut self.settings.labels
    }

    fn census(&self) -> Census {
        Census { bad: self.bad.count, consumed: self.consumed.load(Ordering::Relaxed), ..self.census }
    }

    fn complaints(&mut self) -> Vec<BadLine> {
        self.bad.take_unshown()
    }
}
