//! Scoring on several threads, in order.

use std::marker::PhantomData;
use std::thread;

use thalweg_core::{Batch, Learner, Outcomes};
use thalweg_data::ordered_map::{OrderedMap, Source, Work};

/// A batch, its outcomes, and what was made of them.
#[derive(Default)]
pub(crate) struct Scored<T> {
    pub(crate) batch: Batch,
    pub(crate) outcomes: Outcomes,
    pub(crate) made: T,
}

/// A batch, and where records were skipped, see [`Reader::skipped`](thalweg_data::Reader::skipped).
#[derive(Default)]
struct Unscored {
    batch: Batch,
    skipped: Vec<usize>,
}

/// The batches to be scored, as a function gives them.
struct Batches<F>(F);

impl<F: FnMut(&mut Batch, &mut Vec<usize>) -> anyhow::Result<bool> + Send> Source for Batches<F> {
    type Item = Unscored;
    type Error = anyhow::Error;

    fn next(&mut self, unscored: &mut Unscored) -> anyhow::Result<bool> {
        (self.0)(&mut unscored.batch, &mut unscored.skipped)
    }
}

/// Scores a batch, and makes something of the outcomes.
struct Scoring<'a, F, T> {
    learner: &'a dyn Learner,
    make: F,
    made: PhantomData<fn() -> T>,
}

impl<T, F> Work<Unscored> for Scoring<'_, F, T>
where
    T: Default + Send,
    F: Fn(&Batch, &Outcomes, &[usize], &mut T) + Sync,
{
    type Buffers = ();
    type Output = Scored<T>;

    fn run(&self, unscored: &mut Unscored, (): &mut (), scored: &mut Scored<T>) {
        let Scored { batch, outcomes, made } = scored;
        std::mem::swap(&mut unscored.batch, batch);
        self.learner.score_batch(batch, outcomes);
        (self.make)(batch, outcomes, &unscored.skipped, made);
    }
}

/// How many threads score where so many read: reading is most of the work, and what crosses from one core to another costs time too.
pub(crate) fn scorers(readers: usize) -> usize {
    readers / 2
}

/// Scores batch after batch, as long as `next` has one, and makes something of the outcomes, both on so many threads (on the caller's,
/// if that is less than two). `take` gets all of it on the caller's thread, in the order in which the batches came; no more is read when
/// it says `false`. What came before an error is taken before the error is returned.
pub(crate) fn score_all<T: Default + Send>(
    learner: &dyn Learner,
    threads: usize,
    next: impl FnMut(&mut Batch, &mut Vec<usize>) -> anyhow::Result<bool> + Send,
    make: impl Fn(&Batch, &Outcomes, &[usize], &mut T) + Sync,
    mut take: impl FnMut(&Scored<T>) -> anyhow::Result<bool>,
) -> anyhow::Result<()> {
    let threads = if threads < 2 { 0 } else { threads };
    let scoring = Scoring { learner, make, made: PhantomData };
    thread::scope(|scope| {
        let mut all = OrderedMap::in_scope(scope, Batches(next), &scoring, threads);
        let mut scored = Scored::default();
        while all.next(&mut scored)? && take(&scored)? {}
        Ok(())
    })
}

#[cfg(test)]
mod tests {
    use thalweg_core::cost::Costs;
    use thalweg_core::learners;

    use super::*;

    /// All that is taken, of so many batches, of which the last is an error if `fails`.
    fn taken(threads: usize, batches: u32, fails: bool, most: usize) -> (Vec<String>, Option<String>) {
        let mut learner = learners::build("perceptron", Costs::default()).unwrap();
        let mut batch = Batch::default();
        (0..50).for_each(|i| _ = batch.push([(i, 1.0)], Some(i % 2)).unwrap());
        learner.learn_batch(&batch, &mut Outcomes::default());
        let (mut given, mut all) = (0, Vec::new());
        let next = |batch: &mut Batch, _: &mut Vec<usize>| {
            given += 1;
            anyhow::ensure!(!(fails && given > batches), "broken");
            batch.clear();
            (0..given % 7).for_each(|i| _ = batch.push([((given + i) % 60, 1.0)], None).unwrap());
            Ok(given <= batches)
        };
        let make = |_: &Batch, outcomes: &Outcomes, _: &[usize], text: &mut String| {
            *text = (0..outcomes.len()).map(|i| format!("{:?} ", outcomes.scores_of(i))).collect();
        };
        let take = |scored: &Scored<String>| {
            all.push(scored.made.clone());
            Ok(all.len() < most)
        };
        let result = score_all(learner.as_ref(), threads, next, make, take);
        (all, result.err().map(|error| error.to_string()))
    }

    #[test]
    fn the_number_of_threads_has_no_influence() {
        for (batches, fails, most) in
            [(0, false, 9), (1, false, 9), (500, false, 900), (300, true, 900), (300, false, 40)]
        {
            let alone = taken(0, batches, fails, most);
            assert_eq!(alone.0.len(), most.min(batches as usize));
            assert_eq!(alone.1.is_some(), fails);
            for threads in [1, 2, 3, 8] {
                assert_eq!(taken(threads, batches, fails, most), alone, "{threads} threads");
            }
        }
    }
}
