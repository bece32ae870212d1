//! Many independent jobs on several threads.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc;
use std::thread;

use thalweg::Interrupt;

/// A job that has just been done.
pub struct Done<'a, R> {
    /// Its number.
    pub job: usize,
    /// What came of it.
    pub result: &'a R,
    /// How many jobs have been done, this one included.
    pub done: usize,
    /// How many there are.
    pub total: usize,
}

/// Does so many jobs, in their order, on so many threads. `run` gets the number of a job; if it was interrupted, it returns nothing. `tell` is called
/// on the caller's thread after each job, to show progress or to keep what is known.
///
/// Returns the results in the order of the jobs, with nothing for those that an interrupt left undone. After an error, no job is begun.
pub fn run_all<R: Send, E: Send>(
    jobs: usize,
    threads: usize,
    interrupt: &Interrupt,
    run: impl Fn(usize) -> Result<Option<R>, E> + Sync,
    mut tell: impl FnMut(&Done<R>),
) -> Result<Vec<Option<R>>, E> {
    let (next, stop) = (AtomicUsize::new(0), interrupt.narrower());
    let mut results: Vec<Option<R>> = (0..jobs).map(|_| None).collect();
    let mut failed = None;
    thread::scope(|scope| {
        // No thread is ahead of the caller by more than a job: what is done has been told, also when an interrupt comes.
        let (sender, receiver) = mpsc::sync_channel(0);
        for _ in 0..threads.clamp(1, jobs.max(1)) {
            let (sender, next, stop, run) = (sender.clone(), &next, &stop, &run);
            scope.spawn(move || {
                while !stop.has_come() {
                    let job = next.fetch_add(1, Ordering::Relaxed);
                    if job >= jobs || sender.send((job, run(job))).is_err() {
                        break;
                    }
                }
            });
        }
        drop(sender);
        let mut done = 0;
        for (job, result) in receiver {
            match result {
                Ok(Some(result)) => {
                    done += 1;
                    tell(&Done { job, result: &result, done, total: jobs });
                    results[job] = Some(result);
                }
                Ok(None) => {}
                Err(error) => {
                    stop.set();
                    failed.get_or_insert(error);
                }
            }
        }
    });
    failed.map_or(Ok(results), Err)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_come_in_the_order_of_the_jobs() {
        let mut told = Vec::new();
        let run = |job: usize| Ok::<_, ()>(Some(job * job));
        let results =
            run_all(50, 3, &Interrupt::default(), run, |done| told.push((done.job, done.done))).unwrap();
        assert_eq!(results, (0..50).map(|job| Some(job * job)).collect::<Vec<_>>());
        assert_eq!(told.iter().map(|(_, done)| *done).collect::<Vec<_>>(), (1..=50).collect::<Vec<_>>());
    }

    #[test]
    fn an_interrupt_leaves_the_rest_undone() {
        let interrupt = Interrupt::default();
        let run = |job: usize| {
            if job == 2 {
                interrupt.set();
                return Ok::<_, ()>(None);
            }
            Ok(Some(job))
        };
        let results = run_all(5, 1, &interrupt, run, |_| {}).unwrap();
        assert_eq!(results, [Some(0), Some(1), None, None, None]);
    }

    #[test]
    fn an_error_ends_it() {
        let run = |job: usize| if job == 3 { Err("no") } else { Ok(Some(job)) };
        assert_eq!(run_all(1000, 2, &Interrupt::default(), run, |_| {}).unwrap_err(), "no");
    }
}
