//! Reading on several threads, in order.
//!
//! The data is cut into pieces, one after the other; pieces are read at the same time; portions come out in the order of their
//! pieces. So how many threads there are has no influence on anything but the time it takes.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Condvar, Mutex};
use std::thread;
use std::time::Duration;

use crate::error::{Error, Result};
use crate::examples::parsed_piece::Portion;
use crate::interrupt::Interrupt;

/// The data in pieces. One thread at a time asks for the next.
pub(crate) trait Pieces: Send + 'static {
    /// A piece, whose memory is used again.
    type Piece: Default + Send + 'static;

    /// The next piece; `false` when there is none.
    fn next(&mut self, piece: &mut Self::Piece) -> Result<bool>;

    /// How many pieces should be read before they are handed over together. Handing over costs some microseconds; pieces that are read
    /// in as many are too small for that. More than one only where the next ones need not be waited for.
    fn together(&self) -> usize;

    /// Of so many threads, how many are enough at the moment. More would only be in each other's way.
    fn enough(&self, threads: usize) -> usize;
}

/// Makes examples of pieces, many at the same time.
pub(crate) trait Digest<P>: Send + Sync + 'static {
    /// Reads a piece.
    fn digest(&self, piece: &mut P, portion: &mut Portion);
}

/// Portions in order.
pub(crate) trait Feed: Send {
    /// The next portion; `false` when there is none. The old content's memory is used again.
    fn next(&mut self, portion: &mut Portion) -> Result<bool>;

    /// Did the data end before its end?
    fn is_interrupted(&self) -> bool;
}

/// Reads the pieces on so many threads; with none, on the caller's.
pub(crate) fn feed<P: Pieces, D: Digest<P::Piece>>(
    pieces: P,
    digest: Arc<D>,
    threads: usize,
    interrupt: Interrupt,
) -> Box<dyn Feed> {
    if threads == 0 {
        return Box::new(InTurn { pieces, digest, piece: P::Piece::default(), interrupt });
    }
    Box::new(Ahead::start(pieces, &digest, threads, interrupt))
}

struct InTurn<P: Pieces, D> {
    pieces: P,
    digest: Arc<D>,
    piece: P::Piece,
    interrupt: Interrupt,
}

impl<P: Pieces, D: Digest<P::Piece>> Feed for InTurn<P, D> {
    fn next(&mut self, portion: &mut Portion) -> Result<bool> {
        let more = !self.interrupt.has_come() && self.pieces.next(&mut self.piece)?;
        if more {
            self.digest.digest(&mut self.piece, portion);
        }
        Ok(more)
    }

    fn is_interrupted(&self) -> bool {
        self.interrupt.has_come()
    }
}

/// Threads that read ahead.
struct Ahead {
    done: Receiver<Bundle>,
    empty: Sender<Bundle>,
    /// Bundles that have come and are not through.
    open: Vec<Bundle>,
    /// The number of the piece whose portion is handed out next.
    turn: u64,
    /// Bundles that are through. They are given back together: every time the threads are woken costs some microseconds.
    through: Vec<Bundle>,
    together: usize,
    interrupt: Interrupt,
}

/// How long is waited for the next portion before somebody looks whether the data is to end.
const PATIENCE: Duration = Duration::from_millis(50);

/// Portions that one thread hands over together.
#[derive(Default)]
struct Bundle {
    /// The portions, with the numbers of their pieces, which increase. There may be more memory for them than there are portions.
    portions: Vec<(u64, Portion)>,
    filled: usize,
    /// How many of them have been handed out.
    given: usize,
    /// Where the data ends, if this thread came upon the end: well, or with an error.
    end: Option<(u64, Result<()>)>,
}

/// What the threads share.
struct Desk<P> {
    work: Mutex<Work<P>>,
    /// Notified when there may be something to do for threads that were not needed.
    changed: Condvar,
    /// Bundles to be filled. Not under the same lock: who waits for one must not keep others from filling theirs.
    empty: Mutex<Receiver<Bundle>>,
    threads: usize,
}

/// Whose turn it is to cut off the next piece.
struct Work<P> {
    pieces: P,
    next: u64,
    ended: bool,
}

/// What was cut off.
struct Cut {
    number: u64,
    /// Is there a piece?
    found: Result<bool>,
    /// How many should be handed over together.
    together: usize,
}

impl<P: Pieces> Desk<P> {
    /// A bundle to be filled; waits as long as the threads before this one are enough. None if there is nothing more to do.
    fn bundle(&self, thread: usize) -> Option<Bundle> {
        let idle = |work: &mut Work<P>| !work.ended && thread >= work.pieces.enough(self.threads);
        let ended = self.changed.wait_while(self.work.lock().ok()?, idle).ok()?.ended;
        if ended { None } else { self.empty.lock().ok()?.recv().ok() }
    }

    /// Cuts off the next piece. None if there is nothing more to do.
    fn next(&self, piece: &mut P::Piece) -> Option<Cut> {
        let mut work = self.work.lock().ok().filter(|work| !work.ended)?;
        let enough = work.pieces.enough(self.threads);
        let found = work.pieces.next(piece);
        work.ended = !matches!(found, Ok(true));
        if work.ended || work.pieces.enough(self.threads) > enough {
            self.changed.notify_all();
        }
        work.next += 1;
        Some(Cut { number: work.next - 1, found, together: work.pieces.together() })
    }

    /// There is nothing more to do for anybody.
    fn end(&self) {
        if let Ok(mut work) = self.work.lock() {
            work.ended = true;
        }
        self.changed.notify_all();
    }
}

impl Ahead {
    fn start<P: Pieces, D: Digest<P::Piece>>(
        pieces: P,
        digest: &Arc<D>,
        threads: usize,
        interrupt: Interrupt,
    ) -> Self {
        let (empty, empties) = channel();
        // Each thread has one in hand and one waiting.
        (0..2 * threads).for_each(|_| drop(empty.send(Bundle::default())));
        let work = Mutex::new(Work { pieces, next: 0, ended: false });
        let desk = Arc::new(Desk { work, changed: Condvar::new(), empty: Mutex::new(empties), threads });
        let (to_caller, done) = channel();
        for number in 0..threads {
            let (desk, digest, to_caller) = (Arc::clone(&desk), Arc::clone(digest), to_caller.clone());
            // The threads end when the caller hangs up. Nobody waits for them: they may themselves wait for a pipe.
            thread::spawn(move || work_on(number, &desk, digest.as_ref(), &to_caller));
        }
        Self { done, empty, open: Vec::new(), turn: 0, through: Vec::new(), together: threads, interrupt }
    }
}

fn died() -> Error {
    Error::Io { file: "reader".into(), cause: std::io::Error::other("a reading thread died") }
}

fn work_on<P: Pieces, D: Digest<P::Piece>>(
    thread: usize,
    desk: &Desk<P>,
    digest: &D,
    to_caller: &Sender<Bundle>,
) {
    let mut piece = P::Piece::default();
    while let Some(mut bundle) = desk.bundle(thread) {
        bundle.fill(desk, digest, &mut piece);
        let ended = bundle.end.is_some();
        if to_caller.send(bundle).is_err() || ended {
            break;
        }
    }
    desk.end();
}

impl Bundle {
    /// Reads pieces, as many as belong together. One after the other, each to its end: then it is still in the processor's cache.
    fn fill<P: Pieces, D: Digest<P::Piece>>(&mut self, desk: &Desk<P>, digest: &D, piece: &mut P::Piece) {
        (self.filled, self.given, self.end) = (0, 0, None);
        while let Some(Cut { number, found, together }) = desk.next(piece) {
            if !matches!(found, Ok(true)) {
                self.end = Some((number, found.map(|_| ())));
                return;
            }
            if self.portions.len() == self.filled {
                self.portions.push((0, Portion::default()));
            }
            let (its_number, portion) = &mut self.portions[self.filled];
            *its_number = number;
            // A portion that never came would be waited for, by the caller and then by all.
            if catch_unwind(AssertUnwindSafe(|| digest.digest(piece, portion))).is_err() {
                self.end = Some((number, Err(died())));
                return;
            }
            self.filled += 1;
            if self.filled >= together {
                return;
            }
        }
    }

    /// The number of what comes next: a portion, or the end.
    fn turn(&self) -> Option<u64> {
        let portion = self.portions[..self.filled].get(self.given).map(|(number, _)| *number);
        portion.or(self.end.as_ref().map(|(number, _)| *number))
    }
}

impl Feed for Ahead {
    fn next(&mut self, portion: &mut Portion) -> Result<bool> {
        let Some(i) = self.open_bundle()? else { return Ok(false) };
        let bundle = &mut self.open[i];
        if bundle.given == bundle.filled
            && let Some((_, end)) = &mut bundle.end
        {
            return std::mem::replace(end, Ok(())).map(|()| false);
        }
        // What the caller is through with takes its place; its memory is used again.
        std::mem::swap(portion, &mut bundle.portions[bundle.given].1);
        bundle.given += 1;
        self.turn += 1;
        if bundle.turn().is_none() {
            self.through.push(self.open.swap_remove(i));
            if self.through.len() == self.together {
                self.give_back();
            }
        }
        Ok(true)
    }

    fn is_interrupted(&self) -> bool {
        self.interrupt.has_come()
    }
}

impl Ahead {
    /// Which of the open bundles has what is handed out next; none if the data is to end here.
    fn open_bundle(&mut self) -> Result<Option<usize>> {
        loop {
            if self.interrupt.has_come() {
                return Ok(None);
            }
            if let Some(i) = self.open.iter().position(|bundle| bundle.turn() == Some(self.turn)) {
                return Ok(Some(i));
            }
            let bundle = if let Ok(bundle) = self.done.try_recv() {
                bundle
            } else {
                self.give_back();
                match self.done.recv_timeout(PATIENCE) {
                    Ok(bundle) => bundle,
                    Err(RecvTimeoutError::Timeout) => continue,
                    Err(RecvTimeoutError::Disconnected) => return Err(died()),
                }
            };
            self.open.push(bundle);
        }
    }

    fn give_back(&mut self) {
        // Threads that are through with the data need no more memory.
        self.through.drain(..).for_each(|bundle| drop(self.empty.send(bundle)));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Pieces 0, 1, 2, ...
    struct Count(u64);

    impl Pieces for Count {
        type Piece = u64;

        fn next(&mut self, piece: &mut u64) -> Result<bool> {
            *piece = self.0;
            self.0 += 1;
            Ok(*piece < 100)
        }
        fn together(&self) -> usize {
            2
        }
        fn enough(&self, threads: usize) -> usize {
            threads
        }
    }

    /// Dies of one of them.
    struct DiesOf(u64);

    impl Digest<u64> for DiesOf {
        fn digest(&self, piece: &mut u64, portion: &mut Portion) {
            assert_ne!(*piece, self.0, "this is meant to happen");
            portion.lines = *piece;
        }
    }

    fn read(dies_of: u64, threads: usize) -> (Vec<u64>, Result<bool>) {
        let mut feed = feed(Count(0), Arc::new(DiesOf(dies_of)), threads, Interrupt::default());
        let (mut portion, mut seen) = (Portion::default(), Vec::new());
        loop {
            match feed.next(&mut portion) {
                Ok(true) => seen.push(portion.lines),
                end => return (seen, end),
            }
        }
    }

    #[test]
    fn portions_come_in_order() {
        for threads in [0, 1, 2, 5] {
            let (seen, end) = read(1000, threads);
            assert!(seen.into_iter().eq(0..100) && !end.unwrap(), "{threads} threads");
        }
    }

    #[test]
    fn a_thread_that_dies_ends_the_data() {
        for threads in [1, 2, 5] {
            let (seen, end) = read(37, threads);
            assert!(seen.into_iter().eq(0..37), "{threads} threads");
            assert!(end.unwrap_err().to_string().contains("a reading thread died"));
        }
    }
}
