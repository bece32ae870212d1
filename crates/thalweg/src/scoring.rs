//! Scores the examples of a reader on several threads, in order.

use std::marker::PhantomData;
use std::thread;

use thalweg_core::{Batch, Class, Learner, Outcomes};
use thalweg_data::ordered_map::{OrderedMap, Source, Work};
use thalweg_data::{Interrupt, Reader};

use crate::decision::Decision;
use crate::error::{Error, Result};
use crate::model::Model;
use crate::observer::{Observer, Seen, Told};
use crate::score_use::ScoreUse;

/// How examples are scored.
pub(crate) struct Scoring<'a> {
    pub(crate) learner: &'a dyn Learner,
    pub(crate) score_use: &'a ScoreUse,
    /// Which scores are positive.
    pub(crate) decision: Decision,
    /// Are the variances of scores worked out, too?
    pub(crate) with_variances: bool,
}

/// What a model says of a batch.
#[derive(Clone, Debug, Default)]
pub(crate) struct Opinion {
    pub(crate) outcomes: Outcomes,
    pub(crate) predicted: Vec<Class>,
    pub(crate) probabilities: Vec<f64>,
    pub(crate) variances: Vec<f64>,
}

impl Opinion {
    /// Adds what is said of another batch.
    pub(crate) fn append(&mut self, other: &mut Self) {
        self.outcomes.append(&mut other.outcomes);
        self.predicted.append(&mut other.predicted);
        self.probabilities.append(&mut other.probabilities);
        self.variances.append(&mut other.variances);
    }
}

impl Scoring<'_> {
    /// Scores a batch.
    pub(crate) fn score(&self, batch: &Batch, opinion: &mut Opinion) {
        let Opinion { outcomes, predicted, probabilities, variances } = opinion;
        variances.clear();
        if self.with_variances {
            self.learner.score_with_variance(batch, outcomes, variances);
        } else {
            self.learner.score(batch, outcomes);
        }
        self.decision.decide(outcomes, predicted);
        self.score_use.probabilities(outcomes, probabilities);
    }
}

/// A batch with its scores, and what was made of them.
#[derive(Default)]
pub struct Scored<T> {
    /// The examples.
    pub batch: Batch,
    opinion: Opinion,
    /// The records that were skipped: for each, how many of the examples come before it.
    pub skipped: Vec<usize>,
    /// What was made of the batch on the thread that scored it.
    pub made: T,
    told: Told,
}

impl<T> Scored<T> {
    /// The scores of the examples.
    pub fn outcomes(&self) -> &Outcomes {
        &self.opinion.outcomes
    }

    /// The class that each score means.
    pub fn predicted(&self) -> &[Class] {
        &self.opinion.predicted
    }

    /// The batch as an observer sees it.
    pub fn seen<'a>(&'a self, model: &'a Model) -> Seen<'a> {
        Seen {
            track: 0,
            batch: &self.batch,
            outcomes: &self.opinion.outcomes,
            predicted: &self.opinion.predicted,
            probabilities: &self.opinion.probabilities,
            variances: &self.opinion.variances,
            skipped: &self.skipped,
            labels: model.labels(),
            names: model.feature_names(),
        }
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
    scoring: Scoring<'a>,
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
        self.scoring.score(&scored.batch, &mut scored.opinion);
        (self.make)(scored);
    }
}

/// Scores batch after batch and makes something of each, on so many threads (with none, on the caller's). `take` gets all of it on the caller's
/// thread, in the order in which the batches came; no more is read when it says `false`, which `end` tells the reader. What came before an error
/// is taken before the error is returned.
pub(crate) fn score_all<T: Default + Send, O: Observer>(
    scoring: Scoring,
    reader: &mut dyn Reader,
    threads: usize,
    end: &Interrupt,
    observer: &mut O,
    make: impl Fn(&mut Scored<T>) + Sync,
    take: impl FnMut(&Scored<T>, &mut O) -> Result<bool>,
) -> Result<()> {
    let scorer = Scorer { scoring, make, made: PhantomData };
    let result = if threads == 0 {
        let (mut batches, mut item) = (Batches { reader: &mut *reader }, Item::default());
        let next = |scored: &mut Scored<T>, observer: &mut O| {
            // Here the reader can be asked whether it would wait.
            if batches.reader.would_wait() {
                observer.idle().map_err(Error::Observer)?;
            }
            let more = batches.next(&mut item)?;
            if more {
                scorer.run(&mut item, &mut (), scored);
            }
            Ok(more)
        };
        take_all(observer, next, take)
    } else {
        thread::scope(|scope| {
            // However this ends, the threads may wait for a pipe on which nothing comes any more.
            let _end = SetOnDrop(end);
            let source = Batches { reader: &mut *reader };
            let mut all = OrderedMap::in_scope(scope, source, &scorer, threads);
            let next = |scored: &mut Scored<T>, observer: &mut O| {
                if !all.is_ready() {
                    observer.idle().map_err(Error::Observer)?;
                }
                all.next(scored)
            };
            take_all(observer, next, take)
        })
    };
    Told::by(reader).pass_on(observer);
    result
}

/// Takes one batch after the other, until there is none or no more is wanted.
fn take_all<T: Default, O: Observer>(
    observer: &mut O,
    mut next: impl FnMut(&mut Scored<T>, &mut O) -> Result<bool>,
    mut take: impl FnMut(&Scored<T>, &mut O) -> Result<bool>,
) -> Result<()> {
    let mut scored = Scored::default();
    while next(&mut scored, observer)? {
        scored.told.pass_on(observer);
        if !take(&scored, observer)? {
            break;
        }
    }
    Ok(())
}

/// Ends the data when it goes away, also by a panic.
struct SetOnDrop<'a>(&'a Interrupt);

impl Drop for SetOnDrop<'_> {
    fn drop(&mut self) {
        self.0.set();
    }
}
