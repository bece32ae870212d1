use std::sync::atomic::{AtomicUsize, Ordering};

use super::*;

#[derive(Debug, PartialEq)]
enum Failure {
    Died,
    Broken,
}

impl From<ThreadDied> for Failure {
    fn from(_: ThreadDied) -> Self {
        Self::Died
    }
}

/// Items 0, 1, 2, ... up to an end, which is an error if it is said to be one.
struct Count {
    next: u64,
    end: u64,
    fails: bool,
    group_size: usize,
}

impl Source for Count {
    type Item = u64;
    type Error = Failure;

    fn next(&mut self, item: &mut u64) -> Result<bool, Failure> {
        *item = self.next;
        self.next += 1;
        match *item < self.end {
            false if self.fails => Err(Failure::Broken),
            more => Ok(more),
        }
    }

    fn group_size(&self) -> usize {
        self.group_size
    }

    fn threads_needed(&self, threads: usize) -> usize {
        // First one, then all.
        if self.next < 20 { 1 } else { threads }
    }
}

/// Copies items. Dies of one of them.
struct DiesOf(u64);

impl Work<u64> for DiesOf {
    type Buffers = ();
    type Output = u64;

    fn run(&self, item: &mut u64, (): &mut (), output: &mut u64) {
        assert_ne!(*item, self.0, "this is meant to happen");
        *output = *item;
    }
}

/// All results, and how they end.
fn all(results: &mut OrderedMap<u64, Failure>) -> (Vec<u64>, Result<bool, Failure>) {
    let (mut output, mut seen) = (0, Vec::new());
    loop {
        match results.next(&mut output) {
            Ok(true) => seen.push(output),
            end => return (seen, end),
        }
    }
}

/// The results of threads of their own and of those of a scope, which must be the same.
fn map(dies_of: u64, fails: bool, group_size: usize, threads: usize) -> (Vec<u64>, Result<bool, Failure>) {
    let source = || Count { next: 0, end: 100, fails, group_size };
    let alone = all(&mut OrderedMap::new(source(), Arc::new(DiesOf(dies_of)), threads, Interrupt::default()));
    let work = DiesOf(dies_of);
    let scoped = thread::scope(|scope| all(&mut OrderedMap::in_scope(scope, source(), &work, threads)));
    assert_eq!(alone, scoped, "{threads} threads");
    alone
}

#[test]
fn results_come_in_order() {
    for threads in [0, 1, 2, 5] {
        for group_size in [1, 2, 7] {
            let (seen, end) = map(1000, false, group_size, threads);
            assert!(seen.into_iter().eq(0..100) && end == Ok(false), "{threads} threads");
        }
    }
}

#[test]
fn what_came_before_an_error_comes_before_it() {
    for threads in [0, 1, 2, 5] {
        let (seen, end) = map(1000, true, 3, threads);
        assert!(seen.into_iter().eq(0..100) && end == Err(Failure::Broken), "{threads} threads");
    }
}

#[test]
fn a_thread_that_dies_ends_the_results() {
    for threads in [1, 2, 5] {
        let (seen, end) = map(37, false, 2, threads);
        assert!(seen.into_iter().eq(0..37) && end == Err(Failure::Died), "{threads} threads");
    }
}

#[test]
fn an_interrupt_ends_the_results() {
    for threads in [0, 2] {
        let interrupt = Interrupt::default();
        let source = Count { next: 0, end: u64::MAX, fails: false, group_size: 2 };
        let mut results = OrderedMap::new(source, Arc::new(DiesOf(u64::MAX)), threads, interrupt.clone());
        let mut output = 0;
        assert_eq!(results.next(&mut output), Ok(true));
        interrupt.flag().store(true, Ordering::Relaxed);
        assert_eq!((results.next(&mut output), results.is_interrupted()), (Ok(false), true));
    }
}

/// An output that is counted when it is made.
struct Counted(());

static MADE: AtomicUsize = AtomicUsize::new(0);

impl Default for Counted {
    fn default() -> Self {
        MADE.fetch_add(1, Ordering::Relaxed);
        Self(())
    }
}

struct Nothing;

impl Work<u64> for Nothing {
    type Buffers = ();
    type Output = Counted;

    fn run(&self, _: &mut u64, (): &mut (), _: &mut Counted) {}
}

#[test]
fn memory_of_results_is_used_again() {
    let (threads, group_size) = (3, 4);
    let source = Count { next: 0, end: 5_000, fails: false, group_size };
    let mut results = OrderedMap::new(source, Arc::new(Nothing), threads, Interrupt::default());
    let (mut output, mut count) = (Counted::default(), 0);
    while results.next(&mut output).unwrap() {
        count += 1;
    }
    let made = MADE.load(Ordering::Relaxed);
    assert!(count == 5_000 && made <= 1 + 2 * threads * group_size, "{made} for {count}");
}
