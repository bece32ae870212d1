//! Work for many, on the threads of one machine.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread;

use crate::config::cores;
use crate::error::Result;

/// What is worked out for each of so many, as many at a time as there are cores; the first error by number.
pub(crate) fn side_by_side<T: Send>(
    count: usize,
    work: impl Fn(usize) -> Result<T> + Sync,
) -> Result<Vec<T>> {
    let (next, results) = (AtomicUsize::new(0), Mutex::new(Vec::with_capacity(count)));
    let worker = || loop {
        let number = next.fetch_add(1, Ordering::Relaxed);
        if number >= count {
            return;
        }
        let result = work(number);
        results.lock().unwrap_or_else(PoisonError::into_inner).push((number, result));
    };
    thread::scope(|scope| {
        (1..cores().min(count)).for_each(|_| _ = scope.spawn(worker));
        worker();
    });
    let mut results = results.into_inner().unwrap_or_else(PoisonError::into_inner);
    results.sort_by_key(|(number, _)| *number);
    results.into_iter().map(|(_, result)| result).collect()
}
