//! Reading and learning at the same time: a thread reads ahead while the caller works on the batch before.
//!
//! The order of the batches, and so every result, is that of reading in turn. Batches go round: the caller's empty ones are
//! filled again.

use std::sync::mpsc::{Receiver, Sender, SyncSender, channel, sync_channel};
use std::thread;

use thalweg_core::Batch;

use crate::bad::BadLine;
use crate::error::{Error, Result};
use crate::labels::Labels;
use crate::reader::{Census, Reader};

/// So many batches are read ahead: one being learned from, one waiting, one being filled.
const AHEAD: usize = 1;

/// Lets a thread of its own do the reading.
pub fn read_ahead(reader: Box<dyn Reader>) -> Box<dyn Reader> {
    Box::new(Ahead::new(reader))
}

struct Ahead {
    read: Receiver<Reading>,
    empty: Sender<Order>,
    labels: Labels,
    census: Census,
    complaints: Vec<BadLine>,
    /// Has the end of the pass been read?
    ended: bool,
}

/// What came of reading once.
struct Reading {
    batch: Batch,
    more: Result<bool>,
    /// Where there are new ones.
    labels: Option<Labels>,
    census: Census,
    complaints: Vec<BadLine>,
}

enum Order {
    Fill(Batch),
    Rewind,
}

impl Ahead {
    fn new(reader: Box<dyn Reader>) -> Self {
        let (labels, census) = (reader.labels().clone(), reader.census());
        let (to_caller, read) = sync_channel(AHEAD);
        let (empty, orders) = channel();
        // The thread ends when the caller hangs up. Nobody waits for it: it may itself wait for a terminal or a pipe.
        thread::spawn(move || serve(reader, &orders, &to_caller));
        let ahead = Self { read, empty, labels, census, complaints: Vec::new(), ended: false };
        ahead.order_batches();
        ahead
    }

    fn order_batches(&self) {
        (0..=AHEAD).for_each(|_| self.order(Order::Fill(Batch::default())));
    }

    /// A thread that is gone is noticed when its batches are missed.
    fn order(&self, order: Order) {
        let _ = self.empty.send(order);
    }

    fn receive(&mut self) -> Result<Option<Batch>> {
        let gone =
            || Error::Io { file: "reader".into(), cause: std::io::Error::other("the reading thread died") };
        let Reading { batch, more, labels, census, mut complaints } = self.read.recv().map_err(|_| gone())?;
        if let Some(labels) = labels {
            self.labels = labels;
        }
        self.census = census;
        self.complaints.append(&mut complaints);
        let more = more.inspect_err(|_| self.ended = true)?;
        self.ended = !more;
        Ok(more.then_some(batch))
    }
}

/// Reads a batch for every empty one, until a pass ends; then waits for the order to begin again.
fn serve(mut reader: Box<dyn Reader>, orders: &Receiver<Order>, to_caller: &SyncSender<Reading>) {
    let mut known = reader.labels().names().to_vec();
    let mut ended = false;
    while let Ok(order) = orders.recv() {
        let (mut batch, more) = match order {
            Order::Fill(_) if ended => continue,
            Order::Fill(mut batch) => {
                let more = reader.read(&mut batch);
                (batch, more)
            }
            Order::Rewind => match reader.rewind() {
                Ok(()) => {
                    ended = false;
                    continue;
                }
                Err(error) => (Batch::default(), Err(error)),
            },
        };
        ended = !matches!(more, Ok(true));
        if ended {
            batch.clear();
        }
        let labels = (reader.labels().names() != known).then(|| reader.labels().clone());
        if let Some(labels) = &labels {
            known = labels.names().to_vec();
        }
        let reading =
            Reading { batch, more, labels, census: reader.census(), complaints: reader.complaints() };
        if to_caller.send(reading).is_err() {
            return;
        }
    }
}

impl Reader for Ahead {
    fn read(&mut self, batch: &mut Batch) -> Result<bool> {
        if self.ended {
            batch.clear();
            return Ok(false);
        }
        let next = self.receive();
        let Ok(Some(next)) = next else {
            batch.clear();
            return next.map(|_| false);
        };
        self.order(Order::Fill(std::mem::replace(batch, next)));
        Ok(true)
    }

    fn rewind(&mut self) -> Result<()> {
        while !self.ended {
            if let Some(batch) = self.receive()? {
                self.order(Order::Fill(batch));
            }
        }
        self.order(Order::Rewind);
        self.ended = false;
        self.order_batches();
        Ok(())
    }

    fn labels(&self) -> &Labels {
        &self.labels
    }

    /// Changes only the caller's view: the thread goes on with its own.
    fn labels_mut(&mut self) -> &mut Labels {
        &mut self.labels
    }

    /// As of the batch that was read last.
    fn census(&self) -> Census {
        self.census
    }

    fn complaints(&mut self) -> Vec<BadLine> {
        std::mem::take(&mut self.complaints)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Input, Settings, open};

    /// Everything that a reader says in two passes.
    fn transcript(mut reader: Box<dyn Reader>) -> Vec<String> {
        let (mut all, mut batch) = (Vec::new(), Batch::default());
        for _ in 0..2 {
            loop {
                let more = reader.read(&mut batch).map_err(|error| error.to_string());
                let rows: Vec<String> = (0..batch.len()).map(|i| format!("{:?}", batch.row(i))).collect();
                let end = more != Ok(true);
                let (labels, census) = (reader.labels().names().to_vec(), reader.census());
                // How far the file has been read is ahead of the batch.
                let census = Census { consumed: 0, ..census };
                all.push(format!("{more:?} {rows:?} {labels:?} {census:?} {:?}", reader.complaints()));
                if end {
                    break;
                }
            }
            if reader.rewind().is_err() {
                break;
            }
        }
        all
    }

    #[test]
    fn nothing_changes_but_the_thread() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.svm");
        let lines = (0..20_000).map(|i| match i {
            137 | 9_000 => "1 x:3\n".to_string(),
            15_000 => "late 7:1\n".to_string(),
            _ => format!("{} {}:{}\n", i % 3, i % 97 + 1, i % 7),
        });
        std::fs::write(&path, lines.collect::<String>()).unwrap();
        for labels in [Labels::many(), Labels::default()] {
            let settings = Settings { labels, ..Settings::default() };
            let open = || open(&[Input::File(path.clone())], settings.clone());
            match open() {
                // Two classes: the third label is an error that must come at the same place.
                Err(error) => assert!(error.to_string().contains("label"), "{error}"),
                Ok(reader) => assert_eq!(transcript(reader), transcript(read_ahead(open().unwrap()))),
            }
        }
    }

    #[test]
    fn hanging_up_early_is_no_trouble() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.svm");
        std::fs::write(&path, "1 1:1\n0 2:1\n".repeat(50_000)).unwrap();
        let mut reader = read_ahead(open(&[Input::File(path)], Settings::default()).unwrap());
        let mut batch = Batch::default();
        assert!(reader.read(&mut batch).unwrap());
        reader.rewind().unwrap();
        assert!(reader.read(&mut batch).unwrap());
        assert_eq!(batch.row(0).indices, [1]);
    }
}
