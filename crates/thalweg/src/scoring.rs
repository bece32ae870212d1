//! Scores the examples of a reader on several threads, in order.

use std::thread;

use thalweg_core::{Batch, Class, Outcomes};
use thalweg_data::ordered_map::{OrderedMap, Source, Work};
use thalweg_data::{BadLine, Interrupt, Reader};

use crate::error::{Error, Result};
use crate::model::Model;
use crate::observer::Observer;

/// A batch with its scores, and what was made of them.
#[derive(Default)]
pub struct Scored<T> {
    /// The examples.
    pub batch: Batch,
    /// Their scores.
    pub outcomes: Outcomes,
    /// The class that each score means.
    pub predicted: Vec<Class>,
    /// The records that were skipped: for each, how many of the examples come before it.
    pub skipped: Vec<usize>,
    /// Whatever the caller makes of a batch while others are scored.
    pub made: T,
    told: Told,
}

/// What the reader told when it gave a batch.
#[derive(Default)]
struct Told {
    bad_lines: Vec<BadLine>,
    warnings: Vec<String>,
    bytes_read: u64,
}

impl Told {
    fn by(reader: &mut dyn Reader) -> Self {
        Self { bad_lines: reader.bad_lines(), warnings: reader.warnings(), bytes_read: reader.counts().bytes_read }
    }

    fn pass_on(&self, observer: &mut dyn Observer) {
        self.bad_lines.iter().for_each(|bad| observer.bad_line(bad));
        self.warnings.iter().for_each(|warning| observer.warning(warning));
        observer.bytes_read(self.bytes_read);
    }
}

/// The batches of a reader.
struct Batches<'a> {
    reader: &'a mut dyn Reader,
}

#[derive(Default)]
struct Item {
    batch: Batch,
    skipped: Vec<usize>,
    told: Told,
}

impl Source for Batches<'_> {
    type Item = Item;
    type Error = Error;

    fn next(&mut self, item: &mut Item) -> Result<bool> {
        let more = self.reader.read(&mut item.batch)?;
        item.skipped.clear();
        item.skipped.extend_from_slice(self.reader.skipped());
        item.told = Told::by(self.reader);
        Ok(more)
    }
}

/// The model's part.
struct Scorer<'a, M> {
    model: &'a Model,
    make: M,
}

impl<T: Default + Send, M: Fn(&mut Scored<T>) + Sync> Work<Item> for Scorer<'_, (M, std::marker::PhantomData<fn(T)>)> {
    type Buffers = ();
    type Output = Scored<T>;

    fn run(&self, item: &mut Item, (): &mut (), scored: &mut Scored<T>) {
        std::mem::swap(&mut item.batch, &mut scored.batch);
        std::mem::swap(&mut item.skipped, &mut scored.skipped);
        scored.told = std::mem::take(&mut item.told);
        self.model.learner().score(&scored.batch, &mut scored.outcomes);
        self.model.decision().decide(&scored.outcomes, &mut scored.predicted);
        (self.make.0)(scored);
    }
}
