//! Scores the examples of a reader on several threads, in order.

use std::marker::PhantomData;
use std::thread;

use thalweg_core::{Batch, Class, Outcomes};
use thalweg_data::ordered_map::{OrderedMap, Source, Work};
use thalweg_data::stream::BadLine;
use thalweg_data::{Interrupt, Reader};

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
    /// What was made of the batch on the thread that scored it.
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
        let (bad_lines, warnings) = (reader.take_bad_lines(), reader.warnings());
        Self { bad_lines, warnings, bytes_read: reader.counts().consumed }
    }

    fn pass_on(&self, observer: &mut impl Observer) {
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
        if !self.reader.read(&mut item.batch)? {
            return Ok(false);
        }
        item.skipped.clear();
        item.skipped.extend_from_slice(self.reader.skipped());
        item.told = Told::by(self.reader);
        Ok(true)
    }
}

/// Scores batches, and makes something of them.
struct Scorer<'a, T, M> {
    model: &'a Model,
    make: M,
    made: PhantomData<fn() -> T>,
}

impl<T: Default + Send, M: Fn(&mut Scored<T>) + Sync> Work<Item> for Scorer<'_, T, M> {
    type Buffers = ();
    type Output = Scored<T>;

    fn run(&self, item: &mut Item, (): &mut (), scored: &mut Scored<T>) {
        std::mem::swap(&mut item.batch, &mut scored.batch);
        std::mem::swap(&mut item.skipped, &mut scored.skipped);
        scored.told = std::mem::take(&mut item.told);
        self.model.learner().score(&scored.batch, &mut scored.outcomes);
        self.model.decision().decide(&scored.outcomes, &mut scored.predicted);
        (self.make)(scored);
    }
}

/// Scores batch after batch and makes something of each, on so many threads (with none, on the caller's). `take` gets all of it on the caller's
/// thread, in the order in which the batches came; no more is read when it says `false`, which `end` tells the reader. What came before an error
/// is taken before the error is returned.
pub(crate) fn score_all<T: Default + Send, O: Observer>(
    model: &Model,
    reader: &mut dyn Reader,
    threads: usize,
    end: &Interrupt,
    observer: &mut O,
    make: impl Fn(&mut Scored<T>) + Sync,
    mut take: impl FnMut(&Scored<T>, &mut O) -> Result<bool>,
) -> Result<()> {
    let scorer = Scorer { model, make, made: PhantomData };
    let mut scored = Scored::default();
    let result = if threads == 0 {
        // Here the reader can be asked whether it would wait.
        let (mut batches, mut item) = (Batches { reader: &mut *reader }, Item::default());
        loop {
            if batches.reader.would_wait() {
                observer.idle().map_err(Error::Observer)?;
            }
            match batches.next(&mut item) {
                Ok(true) => scorer.run(&mut item, &mut (), &mut scored),
                other => break other.map(|_| ()),
            }
            scored.told.pass_on(observer);
            if !take(&scored, observer)? {
                break Ok(());
            }
        }
    } else {
        thread::scope(|scope| {
            let source = Batches { reader: &mut *reader };
            let mut all = OrderedMap::in_scope(scope, source, &scorer, threads);
            loop {
                if !all.is_ready() {
                    observer.idle().map_err(Error::Observer)?;
                }
                match all.next(&mut scored) {
                    Ok(true) => scored.told.pass_on(observer),
                    other => break other.map(|_| ()),
                }
                match take(&scored, observer) {
                    Ok(true) => {}
                    other => {
                        // The threads may wait for a pipe on which nothing comes any more.
                        end.set();
                        break other.map(|_| ());
                    }
                }
            }
        })
    };
    Told::by(reader).pass_on(observer);
    result
}
