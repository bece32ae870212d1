//! Scoring on several threads, in order.

use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread;

use thalweg_core::{Batch, Learner, Outcomes};

/// A batch, its outcomes, and what was made of them.
#[derive(Default)]
pub(crate) struct Scored<T> {
    pub(crate) batch: Batch,
    /// Where records were skipped, see [`Reader::skipped`](thalweg_data::Reader::skipped).
    skipped: Vec<usize>,
    pub(crate) outcomes: Outcomes,
    pub(crate) made: T,
}

impl<T> Scored<T> {
    fn score(&mut self, learner: &dyn Learner, make: &impl Fn(&Batch, &Outcomes, &[usize], &mut T)) {
        learner.score(&self.batch, &mut self.outcomes);
        make(&self.batch, &self.outcomes, &self.skipped, &mut self.made);
    }
}

/// So many batches wait for each thread.
const WAITING: usize = 2;

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
    mut next: impl FnMut(&mut Batch, &mut Vec<usize>) -> anyhow::Result<bool>,
    make: impl Fn(&Batch, &Outcomes, &[usize], &mut T) + Sync,
    mut take: impl FnMut(&Scored<T>) -> anyhow::Result<bool>,
) -> anyhow::Result<()> {
    if threads < 2 {
        let mut scored = Scored::default();
        while next(&mut scored.batch, &mut scored.skipped)? {
            scored.score(learner, &make);
            if !take(&scored)? {
                break;
            }
        }
        return Ok(());
    }
    thread::scope(|scope| {
        let make = &make;
        let workers: Vec<Worker<T>> = (0..threads)
            .map(|_| {
                let ((to, jobs), (done, from)) = (channel(), channel());
                scope.spawn(move || work(learner, make, &jobs, &done));
                Worker { to, from }
            })
            .collect();
        // Workers have their turn one after the other, so what comes from them in turn is in order.
        let (mut given, mut taken) = (0, 0);
        let mut idle: Vec<Scored<T>> = Vec::new();
        let mut end = None;
        loop {
            if end.is_none() && given - taken < WAITING * threads {
                let mut scored = idle.pop().unwrap_or_default();
                match next(&mut scored.batch, &mut scored.skipped) {
                    // A worker that is gone is noticed when what it should have done is missed.
                    Ok(true) => _ = workers[given % threads].to.send(scored),
                    Ok(false) => end = Some(Ok(())),
                    Err(error) => end = Some(Err(error)),
                }
                given += usize::from(end.is_none());
                continue;
            }
            if given == taken {
                return end.unwrap_or(Ok(()));
            }
            // A worker that panicked makes the scope panic.
            let Ok(scored) = workers[taken % threads].from.recv() else { return Ok(()) };
            taken += 1;
            if !take(&scored)? {
                return Ok(());
            }
            idle.push(scored);
        }
    })
}

/// A thread that scores: where it gets batches, and where they come out.
struct Worker<T> {
    to: Sender<Scored<T>>,
    from: Receiver<Scored<T>>,
}

/// Scores until nobody gives or takes any more.
fn work<T>(
    learner: &dyn Learner,
    make: &impl Fn(&Batch, &Outcomes, &[usize], &mut T),
    jobs: &Receiver<Scored<T>>,
    done: &Sender<Scored<T>>,
) {
    while let Ok(mut scored) = jobs.recv() {
        scored.score(learner, make);
        if done.send(scored).is_err() {
            return;
        }
    }
}

#[cfg(test)]
mod tests {
    use thalweg_core::learners;

    use super::*;

    /// All that is taken, of so many batches, of which the last is an error if `fails`.
    fn taken(threads: usize, batches: u32, fails: bool, most: usize) -> (Vec<String>, Option<String>) {
        let mut learner = learners::build("perceptron", &thalweg_core::Setup::default()).unwrap();
        let mut batch = Batch::default();
        (0..50).for_each(|i| _ = batch.push([(i, 1.0)], Some(i % 2)).unwrap());
        learner.learn(&batch, &mut Outcomes::default()).unwrap();
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
