//! Reading on several threads, in order.
//!
//! The data is cut into pieces, one after the other; pieces are read at the same time; portions come out in the order of their
//! pieces. So how many threads there are has no influence on anything but the time it takes.

use std::collections::BTreeMap;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex};
use std::thread;

use crate::error::{Error, Result};
use crate::portion::Portion;

/// The data in pieces. One thread at a time asks for the next.
pub(crate) trait Pieces: Send + 'static {
    /// A piece, whose memory is used again.
    type Piece: Default + Send + 'static;

    /// The next piece; `false` when there is none.
    fn next(&mut self, piece: &mut Self::Piece) -> Result<bool>;
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
    done: Receiver<Done>,
    empty: Sender<Portion>,
    /// Portions that came before their turn.
    early: BTreeMap<u64, Result<Option<Portion>>>,
    turn: u64,
    ended: bool,
}

/// A piece's number, and what came of it; nothing at the end.
type Done = (u64, Result<Option<Portion>>);

/// What the threads share: whose turn it is to cut off the next piece.
struct Desk<P> {
    pieces: P,
    empty: Receiver<Portion>,
    next: u64,
    ended: bool,
}

impl Ahead {
    fn start<P: Pieces, D: Digest<P::Piece>>(pieces: P, digest: &Arc<D>, threads: usize) -> Self {
        let (empty, empties) = channel();
        // Each thread has one in hand and one waiting, and the caller has one.
        (0..=2 * threads).for_each(|_| drop(empty.send(Portion::default())));
        let desk = Arc::new(Mutex::new(Desk { pieces, empty: empties, next: 0, ended: false }));
        let (to_caller, done) = channel();
        for _ in 0..threads {
            let (desk, digest, to_caller) = (Arc::clone(&desk), Arc::clone(digest), to_caller.clone());
            // The threads end when the caller hangs up. Nobody waits for them: they may themselves wait for a pipe.
            thread::spawn(move || work(&desk, digest.as_ref(), &to_caller));
        }
        Self { done, empty, early: BTreeMap::new(), turn: 0, ended: false }
    }
}

fn work<P: Pieces, D: Digest<P::Piece>>(desk: &Mutex<Desk<P>>, digest: &D, to_caller: &Sender<Done>) {
    let mut piece = P::Piece::default();
    loop {
        let (number, mut portion, more) = {
            let Ok(mut desk) = desk.lock() else { return };
            if desk.ended {
                return;
            }
            let Ok(portion) = desk.empty.recv() else { return };
            let more = desk.pieces.next(&mut piece);
            desk.ended = !matches!(more, Ok(true));
            desk.next += 1;
            (desk.next - 1, portion, more)
        };
        let done = match more {
            Ok(true) => {
                digest.digest(&mut piece, &mut portion);
                Ok(Some(portion))
            }
            Ok(false) => Ok(None),
            Err(error) => Err(error),
        };
        if to_caller.send((number, done)).is_err() {
            return;
        }
    }
}

impl Feed for Ahead {
    fn next(&mut self, portion: &mut Portion) -> Result<bool> {
        while !self.ended {
            if let Some(done) = self.early.remove(&self.turn) {
                self.turn += 1;
                self.ended = !matches!(done, Ok(Some(_)));
                let Some(next) = done? else { break };
                // A thread that is gone is noticed when its portions are missed.
                let _ = self.empty.send(std::mem::replace(portion, next));
                return Ok(true);
            }
            let gone =
                || Error::Io { file: "reader".into(), cause: std::io::Error::other("a reading thread died") };
            let (number, done) = self.done.recv().map_err(|_| gone())?;
            self.early.insert(number, done);
        }
        Ok(false)
    }
}
