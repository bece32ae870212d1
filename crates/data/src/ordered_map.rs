//! A map on several threads whose results come in the order of the items.
//!
//! Threads take items from a [`Source`], one thread at a time, and work on them at the same time. Results come out in the order of their
//! items, so the number of threads has no influence on anything but the time it takes. Memory of items and results is used again.

use std::ops::Deref;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Condvar, Mutex};
use std::thread::{self, Scope};
use std::time::Duration;

use crate::interrupt::Interrupt;

/// The items, one after the other. One thread at a time asks for the next.
pub trait Source: Send {
    /// An item, whose memory is used again.
    type Item: Default + Send;
    /// Why there may be no next item.
    type Error: From<ThreadDied> + Send;

    /// The next item; `false` when there is none.
    fn next(&mut self, item: &mut Self::Item) -> Result<bool, Self::Error>;

    /// How many results should be handed over together. Handing over costs some microseconds; items that take about as long are too small
    /// for that. More than one only where the next items need not be waited for.
    fn group_size(&self) -> usize {
        1
    }

    /// Of so many threads, how many are enough at the moment. More would only be in each other's way.
    fn threads_needed(&self, threads: usize) -> usize {
        threads
    }
}

/// The work on an item.
pub trait Work<Item>: Sync {
    /// Memory that a thread keeps from item to item.
    type Buffers: Default + Send;
    /// The result, whose memory is used again.
    type Output: Default + Send;

    /// Makes the result of an item. The output still holds an old result.
    fn run(&self, item: &mut Item, buffers: &mut Self::Buffers, output: &mut Self::Output);
}

/// A thread panicked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a worker thread died")]
pub struct ThreadDied;

/// The results, in the order of the items.
pub struct OrderedMap<'a, Output, Error> {
    results: Results<'a, Output, Error>,
    interrupt: Interrupt,
}

/// Makes the next result; `false` when there is none.
type Next<'a, Output, Error> = Box<dyn FnMut(&mut Output) -> Result<bool, Error> + Send + 'a>;

enum Results<'a, Output, Error> {
    /// Made on the caller's thread.
    OnDemand(Next<'a, Output, Error>),
    Threads(Threads<Output, Error>),
}

impl<Output: Default + Send + 'static, Error: From<ThreadDied> + Send + 'static>
    OrderedMap<'static, Output, Error>
{
    /// Works on so many threads; with none, on the caller's. Nobody waits for the threads to end: they may themselves wait for a pipe.
    pub fn new<S, W>(source: S, work: Arc<W>, threads: usize, interrupt: Interrupt) -> Self
    where
        S: Source<Error = Error> + 'static,
        W: Work<S::Item, Output = Output> + Send + 'static,
    {
        let results = if threads == 0 {
            Results::on_demand(source, work)
        } else {
            let spawn = |run| drop(thread::spawn(run));
            Results::Threads(Threads::start(source, &work, threads, spawn))
        };
        Self { results, interrupt }
    }
}

impl<'scope, Output: Default + Send + 'scope, Error: From<ThreadDied> + Send + 'scope>
    OrderedMap<'scope, Output, Error>
{
    /// The same with threads of a scope, which waits for them.
    pub fn in_scope<'env, S, W>(
        scope: &'scope Scope<'scope, 'env>,
        source: S,
        work: &'scope W,
        threads: usize,
    ) -> Self
    where
        S: Source<Error = Error> + 'scope,
        W: Work<S::Item, Output = Output> + 'scope,
    {
        let results = if threads == 0 {
            Results::on_demand(source, work)
        } else {
            let spawn = |run| drop(scope.spawn(run));
            Results::Threads(Threads::start(source, &work, threads, spawn))
        };
        Self { results, interrupt: Interrupt::default() }
    }
}

impl<Output, Error: From<ThreadDied>> OrderedMap<'_, Output, Error> {
    /// The next result, in exchange for an old one; `false` when there is none. What came before an error comes before it.
    pub fn next(&mut self, output: &mut Output) -> Result<bool, Error> {
        match &mut self.results {
            Results::OnDemand(next) => Ok(!self.interrupt.has_come() && next(output)?),
            Results::Threads(threads) => threads.next(output, &self.interrupt),
        }
    }

    /// Is there a next result that need not be waited for (or none at all)? Results that are made on demand never have to be.
    pub fn is_ready(&mut self) -> bool {
        match &mut self.results {
            Results::OnDemand(_) => true,
            Results::Threads(threads) => self.interrupt.has_come() || threads.is_ready(),
        }
    }

    /// Did the items end before their end?
    pub fn is_interrupted(&self) -> bool {
        self.interrupt.has_come()
    }
}

impl<'a, Output: 'a, Error: 'a> Results<'a, Output, Error> {
    fn on_demand<S, W>(mut source: S, work: impl Deref<Target = W> + Send + 'a) -> Self
    where
        S: Source<Error = Error> + 'a,
        W: Work<S::Item, Output = Output> + 'a,
    {
        let (mut item, mut buffers) = (S::Item::default(), W::Buffers::default());
        Self::OnDemand(Box::new(move |output| {
            let more = source.next(&mut item)?;
            if more {
                work.run(&mut item, &mut buffers, output);
            }
            Ok(more)
        }))
    }
}

/// Threads that work ahead of the caller.
struct Threads<Output, Error> {
    done: Receiver<Group<Output, Error>>,
    empty: Sender<Group<Output, Error>>,
    /// Groups that have come and are not all handed out.
    open: Vec<Group<Output, Error>>,
    /// The number of the item whose result is handed out next.
    next: u64,
    /// Groups that are all handed out. They are given back together: every time the threads are woken costs some microseconds.
    used: Vec<Group<Output, Error>>,
    most_used: usize,
}

/// How long is waited for the next result before somebody looks whether the items are to end.
const POLL_INTERVAL: Duration = Duration::from_millis(50);

/// Results that one thread hands over together.
struct Group<Output, Error> {
    /// The results, with the numbers of their items, which increase. There may be more memory for them than there are results.
    results: Vec<(u64, Output)>,
    filled: usize,
    /// How many of them have been handed out.
    taken: usize,
    /// Where the items end, if this thread came upon the end: well, or with an error.
    end: Option<(u64, Result<(), Error>)>,
}

impl<Output, Error> Default for Group<Output, Error> {
    fn default() -> Self {
        Self { results: Vec::new(), filled: 0, taken: 0, end: None }
    }
}

/// What the threads share.
struct Shared<S, Output, Error> {
    items: Mutex<Items<S>>,
    /// Notified when there may be something to do for threads that were not needed.
    changed: Condvar,
    /// Groups to be filled. Not under the same lock: who waits for one must not keep others from filling theirs.
    empty: Mutex<Receiver<Group<Output, Error>>>,
    threads: usize,
}

struct Items<S> {
    source: S,
    /// The number of the next item.
    next: u64,
    ended: bool,
}

/// What was taken from the source.
struct Taken<Error> {
    number: u64,
    /// Is there an item?
    found: Result<bool, Error>,
    /// How many results should be handed over together.
    group_size: usize,
}

impl<S: Source, Output> Shared<S, Output, S::Error> {
    /// A group to be filled; waits as long as the threads before this one are enough. None if there is nothing more to do.
    fn empty_group(&self, thread: usize) -> Option<Group<Output, S::Error>> {
        let idle = |items: &mut Items<S>| !items.ended && thread >= items.source.threads_needed(self.threads);
        let ended = self.changed.wait_while(self.items.lock().ok()?, idle).ok()?.ended;
        if ended { None } else { self.empty.lock().ok()?.recv().ok() }
    }

    /// Takes the next item. None if there is nothing more to do.
    fn next(&self, item: &mut S::Item) -> Option<Taken<S::Error>> {
        let mut items = self.items.lock().ok().filter(|items| !items.ended)?;
        let needed = items.source.threads_needed(self.threads);
        let found = items.source.next(item);
        items.ended = !matches!(found, Ok(true));
        if items.ended || items.source.threads_needed(self.threads) > needed {
            self.changed.notify_all();
        }
        items.next += 1;
        Some(Taken { number: items.next - 1, found, group_size: items.source.group_size() })
    }

    /// There is nothing more to do for anybody.
    fn end(&self) {
        if let Ok(mut items) = self.items.lock() {
            items.ended = true;
        }
        self.changed.notify_all();
    }

    /// Fills groups until there is nothing more to do, or nobody wants them.
    fn fill_groups<W>(&self, thread: usize, work: &W, to_caller: &Sender<Group<Output, S::Error>>)
    where
        W: Work<S::Item, Output = Output>,
        Output: Default,
    {
        let (mut item, mut buffers) = (S::Item::default(), W::Buffers::default());
        while let Some(mut group) = self.empty_group(thread) {
            group.fill(self, work, &mut item, &mut buffers);
            let ended = group.end.is_some();
            if to_caller.send(group).is_err() || ended {
                break;
            }
        }
        self.end();
    }
}

impl<Output: Default, Error: From<ThreadDied>> Group<Output, Error> {
    /// Works on items, as many as belong together. One after the other, each to its end: then it is still in the processor's cache.
    fn fill<S, W>(
        &mut self,
        shared: &Shared<S, Output, Error>,
        work: &W,
        item: &mut S::Item,
        buffers: &mut W::Buffers,
    ) where
        S: Source<Error = Error>,
        W: Work<S::Item, Output = Output>,
    {
        (self.filled, self.taken, self.end) = (0, 0, None);
        while let Some(Taken { number, found, group_size }) = shared.next(item) {
            if !matches!(found, Ok(true)) {
                self.end = Some((number, found.map(|_| ())));
                return;
            }
            if self.results.len() == self.filled {
                self.results.push((0, Output::default()));
            }
            let (its_number, output) = &mut self.results[self.filled];
            *its_number = number;
            // A result that never came would be waited for, by the caller and then by all.
            if catch_unwind(AssertUnwindSafe(|| work.run(item, buffers, output))).is_err() {
                self.end = Some((number, Err(ThreadDied.into())));
                return;
            }
            self.filled += 1;
            if self.filled >= group_size {
                return;
            }
        }
    }
}

impl<Output, Error> Group<Output, Error> {
    /// The number of what comes next: a result, or the end.
    fn next_number(&self) -> Option<u64> {
        let result = self.results[..self.filled].get(self.taken).map(|(number, _)| *number);
        result.or(self.end.as_ref().map(|(number, _)| *number))
    }
}

impl<Output: Default + Send, Error: From<ThreadDied> + Send> Threads<Output, Error> {
    fn start<'a, S, W>(
        source: S,
        work: &(impl Deref<Target = W> + Clone + Send + 'a),
        threads: usize,
        spawn: impl Fn(Box<dyn FnOnce() + Send + 'a>),
    ) -> Self
    where
        S: Source<Error = Error> + 'a,
        W: Work<S::Item, Output = Output> + 'a,
        Output: 'a,
        Error: 'a,
    {
        let (empty, empties) = channel();
        // Each thread has one in hand and one waiting.
        (0..2 * threads).for_each(|_| drop(empty.send(Group::default())));
        let items = Mutex::new(Items { source, next: 0, ended: false });
        let shared = Arc::new(Shared { items, changed: Condvar::new(), empty: Mutex::new(empties), threads });
        let (to_caller, done) = channel();
        for number in 0..threads {
            let (shared, work, to_caller) = (Arc::clone(&shared), work.clone(), to_caller.clone());
            // The threads end when the caller hangs up.
            spawn(Box::new(move || shared.fill_groups(number, &*work, &to_caller)));
        }
        Self { done, empty, open: Vec::new(), next: 0, used: Vec::new(), most_used: threads }
    }
}

impl<Output, Error: From<ThreadDied>> Threads<Output, Error> {
    fn next(&mut self, output: &mut Output, interrupt: &Interrupt) -> Result<bool, Error> {
        let Some(i) = self.open_group(interrupt)? else { return Ok(false) };
        let group = &mut self.open[i];
        if group.taken == group.filled
            && let Some((_, end)) = &mut group.end
        {
            return std::mem::replace(end, Ok(())).map(|()| false);
        }
        // What the caller is through with takes its place; its memory is used again.
        std::mem::swap(output, &mut group.results[group.taken].1);
        group.taken += 1;
        self.next += 1;
        if group.next_number().is_none() {
            self.used.push(self.open.swap_remove(i));
            if self.used.len() == self.most_used {
                self.give_back();
            }
        }
        Ok(true)
    }

    /// Which of the open groups has what is handed out next; none if the items are to end here.
    fn open_group(&mut self, interrupt: &Interrupt) -> Result<Option<usize>, Error> {
        loop {
            if interrupt.has_come() {
                return Ok(None);
            }
            if let Some(i) = self.open.iter().position(|group| group.next_number() == Some(self.next)) {
                return Ok(Some(i));
            }
            let group = if let Ok(group) = self.done.try_recv() {
                group
            } else {
                self.give_back();
                match self.done.recv_timeout(POLL_INTERVAL) {
                    Ok(group) => group,
                    Err(RecvTimeoutError::Timeout) => continue,
                    Err(RecvTimeoutError::Disconnected) => return Err(ThreadDied.into()),
                }
            };
            self.open.push(group);
        }
    }

    /// Has the next result come?
    fn is_ready(&mut self) -> bool {
        self.open.extend(self.done.try_iter());
        self.open.iter().any(|group| group.next_number() == Some(self.next))
    }

    fn give_back(&mut self) {
        // Threads that have ended need no more memory.
        self.used.drain(..).for_each(|group| drop(self.empty.send(group)));
    }
}

#[cfg(test)]
mod tests;
