//! Reading on several threads, in order.
//!
//! The data is cut into pieces, one after the other; pieces are read at the same time; portions come out in the order of their
//! pieces. So how many threads there are has no influence on anything but the time it takes.

use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Condvar, Mutex};
use std::thread;

use crate::error::{Error, Result};
use crate::portion::Portion;

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
}

/// Reads the pieces on so many threads; with none, on the caller's.
pub(crate) fn feed<P: Pieces, D: Digest<P::Piece>>(
    pieces: P,
    digest: Arc<D>,
    threads: usize,
) -> Box<dyn Feed> {
    if threads == 0 {
        return Box::new(InTurn { pieces, digest, piece: P::Piece::default() });
    }
    Box::new(Ahead::start(pieces, &digest, threads))
}

struct InTurn<P: Pieces, D> {
    pieces: P,
    digest: Arc<D>,
    piece: P::Piece,
}

impl<P: Pieces, D: Digest<P::Piece>> Feed for InTurn<P, D> {
    fn next(&mut self, portion: &mut Portion) -> Result<bool> {
        let more = self.pieces.next(&mut self.piece)?;
        if more {
            self.digest.digest(&mut self.piece, portion);
        }
        Ok(more)
    }
}

/// Threads that read ahead.
struct Ahead {
    done: Receiver<Bundle>,
    empty: Sender<Bundle>,
    /// Bundles that came before their turn.
    early: BTreeMap<u64, Bundle>,
    turn: u64,
    /// The bundle whose turn it is, and how many of its portions have been handed out.
    current: Bundle,
    given: usize,
}

/// Portions of pieces that follow each other.
#[derive(Default)]
struct Bundle {
    number: u64,
    /// The portions. There may be more memory for them than there are portions.
    portions: Vec<Portion>,
    filled: usize,
    /// What comes after them: nothing for now, the end of the data, or an error.
    end: Option<Result<()>>,
}

/// What the threads share.
struct Desk<P> {
    work: Mutex<Work<P>>,
    /// Notified when there may be something to do for threads that were not needed.
    changed: Condvar,
    threads: usize,
}

/// Whose turn it is to cut off the next pieces.
struct Work<P> {
    pieces: P,
    empty: Receiver<Bundle>,
    next: u64,
    ended: bool,
}

impl<P: Pieces> Desk<P> {
    /// The next bundle for a thread, with its pieces; waits as long as the threads before it are enough. None if there is nothing more to do.
    fn next(&self, thread: usize, pieces: &mut Vec<P::Piece>) -> Option<Bundle> {
        let idle = |work: &mut Work<P>| !work.ended && thread >= work.pieces.enough(self.threads);
        let mut work = self.changed.wait_while(self.work.lock().ok()?, idle).ok()?;
        if work.ended {
            return None;
        }
        let mut bundle = work.empty.recv().ok()?;
        let enough = work.pieces.enough(self.threads);
        bundle.cut_off(&mut work.pieces, pieces);
        bundle.number = work.next;
        work.next += 1;
        work.ended = bundle.end.is_some();
        if work.ended || work.pieces.enough(self.threads) > enough {
            self.changed.notify_all();
        }
        Some(bundle)
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
    fn start<P: Pieces, D: Digest<P::Piece>>(pieces: P, digest: &Arc<D>, threads: usize) -> Self {
        let (empty, empties) = channel();
        // Each thread has one in hand and one waiting; one more is the caller's.
        (0..2 * threads).for_each(|_| drop(empty.send(Bundle::default())));
        let first = Work { pieces, empty: empties, next: 0, ended: false };
        let desk = Arc::new(Desk { work: Mutex::new(first), changed: Condvar::new(), threads });
        let (to_caller, done) = channel();
        for number in 0..threads {
            let (desk, digest, to_caller) = (Arc::clone(&desk), Arc::clone(digest), to_caller.clone());
            // The threads end when the caller hangs up. Nobody waits for them: they may themselves wait for a pipe.
            thread::spawn(move || work(number, &desk, digest.as_ref(), &to_caller));
        }
        Self { done, empty, early: BTreeMap::new(), turn: 0, current: Bundle::default(), given: 0 }
    }
}

fn died() -> Error {
    Error::Io { file: "reader".into(), cause: std::io::Error::other("a reading thread died") }
}

fn work<P: Pieces, D: Digest<P::Piece>>(
    thread: usize,
    desk: &Desk<P>,
    digest: &D,
    to_caller: &Sender<Bundle>,
) {
    let mut pieces: Vec<P::Piece> = Vec::new();
    while let Some(mut bundle) = desk.next(thread, &mut pieces) {
        let all = pieces.iter_mut().zip(&mut bundle.portions[..bundle.filled]);
        // A bundle that never came would be waited for, by the caller and then by all.
        if catch_unwind(AssertUnwindSafe(|| all.for_each(|(piece, portion)| digest.digest(piece, portion))))
            .is_err()
        {
            (bundle.filled, bundle.end) = (0, Some(Err(died())));
        }
        if to_caller.send(bundle).is_err() {
            break;
        }
    }
    desk.end();
}

impl Bundle {
    /// Takes the next pieces, as many as belong together, and makes room for their portions.
    fn cut_off<P: Pieces>(&mut self, from: &mut P, pieces: &mut Vec<P::Piece>) {
        (self.filled, self.end) = (0, None);
        while self.end.is_none() && (self.filled == 0 || self.filled < from.together()) {
            if pieces.len() == self.filled {
                pieces.push(P::Piece::default());
            }
            match from.next(&mut pieces[self.filled]) {
                Ok(true) => self.filled += 1,
                Ok(false) => self.end = Some(Ok(())),
                Err(error) => self.end = Some(Err(error)),
            }
        }
        let room = self.filled.max(self.portions.len());
        self.portions.resize_with(room, Portion::default);
    }
}

impl Feed for Ahead {
    fn next(&mut self, portion: &mut Portion) -> Result<bool> {
        loop {
            if self.given < self.current.filled {
                // What the caller is through with takes its place; its memory is used again.
                std::mem::swap(portion, &mut self.current.portions[self.given]);
                self.given += 1;
                return Ok(true);
            }
            if let Some(end) = &mut self.current.end {
                return std::mem::replace(end, Ok(())).map(|()| false);
            }
            let next = self.next_bundle()?;
            // Threads that are through with the data need no more memory.
            let _ = self.empty.send(std::mem::replace(&mut self.current, next));
            self.given = 0;
        }
    }
}

impl Ahead {
    fn next_bundle(&mut self) -> Result<Bundle> {
        loop {
            if let Some(bundle) = self.early.remove(&self.turn) {
                self.turn += 1;
                return Ok(bundle);
            }
            let bundle = self.done.recv().map_err(|_| died())?;
            self.early.insert(bundle.number, bundle);
        }
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
        let mut feed = feed(Count(0), Arc::new(DiesOf(dies_of)), threads);
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
            assert!(seen.into_iter().eq(0..36), "{threads} threads");
            assert!(end.unwrap_err().to_string().contains("a reading thread died"));
        }
    }
}
