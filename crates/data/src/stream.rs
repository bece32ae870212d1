//! The reader of all data: portions, in order, become batches of one stream.

use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use thalweg_core::{Batch, Class};

use crate::bad::{BadLine, BadLines, Policy};
use crate::cache::{self, CacheWriter, Origin};
use crate::error::{Error, Place, Result};
use crate::finish::{Finish, Waiting};
use crate::known::Known;
use crate::labels::Labels;
use crate::pipeline::Feed;
use crate::portion::{BadRecord, Portion};
use crate::reader::{Census, Reader};
use crate::source::Input;

/// Begins a pass over the data.
pub(crate) type Begin = Box<dyn Fn() -> Box<dyn Feed> + Send>;

pub(crate) struct Stream {
    inputs: Arc<[Input]>,
    format: &'static str,
    begin: Begin,
    feed: Option<Box<dyn Feed>>,
    consumed: Arc<AtomicU64>,
    labels: Labels,
    bad: BadLines,
    census: Census,
    /// Bad lines are dealt with in the first pass; later passes pass over them in silence.
    first_pass: bool,
    portion: Portion,
    /// Examples that were read, and how many of the first batch have been handed out.
    ready: VecDeque<Waiting>,
    given: usize,
    /// The input that the last portion was from, and how many of its lines came before.
    lines_before: (usize, u64),
    /// Is it certain which label is which class?
    settled: bool,
    /// What is done to them before they are handed out.
    finish: Finish,
    /// The cache of an input, as far as it has been read.
    storing: Option<Storing>,
}

struct Storing {
    input: usize,
    origin: Arc<Origin>,
    writer: CacheWriter,
}

impl Stream {
    /// Opens the data, and holds examples back until it is known which label is which class: only all labels together tell.
    pub(crate) fn open(
        inputs: Arc<[Input]>,
        format: &'static str,
        labels: Labels,
        finish: Finish,
        policy: Policy,
        consumed: Arc<AtomicU64>,
        begin: Begin,
    ) -> Result<Self> {
        let mut stream = Self {
            inputs,
            format,
            begin,
            feed: None,
            consumed,
            labels,
            bad: BadLines::new(policy)?,
            census: Census::default(),
            first_pass: true,
            portion: Portion::default(),
            ready: VecDeque::new(),
            given: 0,
            lines_before: (0, 0),
            settled: false,
            finish,
            storing: None,
        };
        while stream.labels.look_ahead(stream.held_back()) > 0 {
            if !stream.next_portion()? {
                stream.end_of_pass()?;
                break;
            }
        }
        stream.settle_labels(&mut []);
        Ok(stream)
    }

    fn held_back(&self) -> usize {
        self.ready.iter().map(|waiting| waiting.batch.len()).sum()
    }

    /// From now on it is certain which label is which class, for the examples held back and for these classes too.
    fn settle_labels(&mut self, classes: &mut [Option<Class>]) {
        self.settled = true;
        if let Some(new) = self.labels.settle() {
            let renamed = |class: Class| Some(new[class as usize]);
            self.ready.iter_mut().for_each(|waiting| waiting.batch.relabel(renamed));
            classes.iter_mut().for_each(|class| *class = class.and_then(renamed));
        }
    }

    /// Takes the next portion; `false` at the end.
    fn next_portion(&mut self) -> Result<bool> {
        if self.feed.is_none() && !self.first_pass && self.inputs.contains(&Input::Stdin) {
            return Err(Error::StdinTwice);
        }
        if !self.feed.get_or_insert_with(&self.begin).next(&mut self.portion)? {
            self.finish_storing(None)?;
            return Ok(false);
        }
        self.finish_storing(Some(self.portion.input))?;
        if self.lines_before.0 != self.portion.input {
            self.lines_before = (self.portion.input, 0);
        }
        self.settle()?;
        self.lines_before.1 += self.portion.lines;
        self.store()?;
        if !self.portion.batch.is_empty() {
            let Portion { batch, names, .. } = &mut self.portion;
            self.ready.push_back(Waiting::new(std::mem::take(batch), std::mem::take(names)));
        }
        Ok(true)
    }

    /// Gives labels and lines their meaning in the stream.
    fn settle(&mut self) -> Result<()> {
        if let Some(fault) = self.portion.header_fault.take() {
            let place = Place { line: 1, ..self.place(1, fault.column) };
            return Err(Error::Line { place, message: fault.message });
        }
        let labels = std::mem::take(&mut self.portion.labels);
        let held_back = if self.settled { 0 } else { self.held_back() };
        let mut bad = std::mem::take(&mut self.portion.bad).into_iter().peekable();
        let mut classes: Vec<Option<Class>> = Vec::new();
        for label in labels.iter() {
            while let Some(record) = bad.next_if(|record| record.line < label.line) {
                self.complain(record)?;
            }
            // How far ahead is looked must not depend on how the data was cut into pieces.
            if !self.settled && self.labels.look_ahead(held_back + label.before) == 0 {
                self.settle_labels(&mut classes);
            }
            let class = self.labels.class(&label.text);
            let wrong = |message| Error::Line { place: self.place(label.line, label.column), message };
            classes.push(class.map_err(wrong)?);
        }
        bad.try_for_each(|record| self.complain(record))?;
        self.portion.labels = labels;
        if self.first_pass {
            self.census.lines += self.portion.lines;
            self.census.sorted += self.portion.sorted;
        }
        if let Some(failure) = self.portion.failure.take() {
            return Err(failure);
        }
        self.portion.batch.relabel(|local| classes[local as usize]);
        Ok(())
    }

    fn place(&self, line: u64, column: usize) -> Place {
        let (input, before) = self.lines_before;
        Place { file: self.inputs[input].name(), line: before + line, column }
    }

    fn complain(&mut self, BadRecord { line, fault, text }: BadRecord) -> Result<()> {
        if !self.first_pass {
            return Ok(());
        }
        let place = self.place(line, fault.column);
        self.bad.add(place, fault.message, &text, self.census.lines + line)
    }

    /// Adds the portion to the cache of its input, if it is to have one.
    fn store(&mut self) -> Result<()> {
        let Some(origin) = self.portion.origin.take() else { return Ok(()) };
        if self.storing.is_none() {
            let input = self.portion.input;
            let Input::File(path) = &self.inputs[input] else { return Ok(()) };
            let writer = CacheWriter::create(&cache::path_of(path), &origin)?;
            self.storing = Some(Storing { input, origin, writer });
        }
        self.storing.as_mut().map_or(Ok(()), |storing| storing.writer.block(&self.portion.encoded))
    }

    /// The cache of an input is complete when the next one begins. It is of no use if the source has changed in the
    /// meantime.
    fn finish_storing(&mut self, next: Option<usize>) -> Result<()> {
        let Some(storing) = self.storing.take_if(|storing| next != Some(storing.input)) else {
            return Ok(());
        };
        match &self.inputs[storing.input] {
            Input::File(path) if storing.origin.is_still(path) => storing.writer.finish(),
            _ => Ok(()),
        }
    }

    fn end_of_pass(&mut self) -> Result<()> {
        if !self.first_pass {
            return Ok(());
        }
        self.bad.check_at_end(self.census.lines)?;
        match self.bad.first() {
            Some(first) if self.census.examples == 0 && self.ready.is_empty() => Err(Error::NothingRead {
                file: self.inputs.first().map_or_else(String::new, Input::name),
                format: self.format,
                lines: self.census.lines,
                place: first.place.clone(),
                message: first.message.clone(),
            }),
            _ => Ok(()),
        }
    }
}

impl Reader for Stream {
    fn read(&mut self, batch: &mut Batch) -> Result<bool> {
        while self.ready.is_empty() {
            if !self.next_portion()? {
                batch.clear();
                self.end_of_pass()?;
                return Ok(false);
            }
        }
        let first = &mut self.ready[0];
        let left = first.batch.len() - self.given;
        // Batches end at powers of two, so that progress can be shown there.
        let examples = self.census.examples;
        let wanted = ((examples + 1).next_power_of_two() - examples).min(self.finish.until_look());
        let wanted = wanted.min(left as u64) as usize;
        if self.given == 0 && wanted == left {
            std::mem::swap(batch, &mut first.batch);
        } else {
            batch.clear();
            batch.extend_from(&first.batch, self.given..self.given + wanted);
        }
        self.finish.finish(batch, first);
        self.given += wanted;
        if wanted == left {
            // Its memory is used again for the next portion.
            let through = self.ready.pop_front().unwrap_or_default();
            (self.portion.batch, self.portion.names) = (through.batch, through.names);
            self.given = 0;
        }
        self.census.examples += wanted as u64;
        Ok(true)
    }

    fn rewind(&mut self) -> Result<()> {
        (self.feed, self.storing) = (None, None);
        self.ready.clear();
        (self.given, self.lines_before, self.first_pass) = (0, (0, 0), false);
        Ok(())
    }

    fn labels(&self) -> &Labels {
        &self.labels
    }

    fn known(&self) -> &Known {
        &self.finish.known
    }

    fn make_room(&mut self, weighted: &dyn Fn() -> Vec<u32>) -> Option<Vec<Option<u32>>> {
        let new = self.finish.make_room(weighted);
        if new.is_some() {
            self.ready.iter_mut().for_each(Waiting::forget_numbers);
        }
        new
    }

    fn census(&self) -> Census {
        Census { bad: self.bad.count, consumed: self.consumed.load(Ordering::Relaxed), ..self.census }
    }

    fn complaints(&mut self) -> Vec<BadLine> {
        self.bad.take_unshown()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Settings, open};

    /// Everything that a reader says in two passes.
    fn transcript(mut reader: Box<dyn Reader>) -> Vec<String> {
        let (mut all, mut batch) = (Vec::new(), Batch::default());
        for _ in 0..2 {
            loop {
                let more = reader.read(&mut batch).map_err(|error| error.to_string());
                let rows: Vec<String> = (0..batch.len()).map(|i| format!("{:?}", batch.row(i))).collect();
                let (labels, census) = (reader.labels().names().to_vec(), reader.census());
                // How far the file has been read may be ahead of the batch.
                let census = Census { consumed: 0, ..census };
                let classes = batch.labels();
                all.push(format!(
                    "{more:?} {rows:?} {classes:?} {labels:?} {census:?} {:?}",
                    reader.complaints()
                ));
                if more != Ok(true) {
                    break;
                }
            }
            if reader.rewind().is_err() {
                break;
            }
        }
        all
    }

    fn lines(count: usize, line: impl Fn(usize) -> String) -> (tempfile::TempDir, Vec<Input>) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.svm");
        std::fs::write(&path, (0..count).map(line).collect::<String>()).unwrap();
        (folder, vec![Input::File(path.clone()), Input::File(path)])
    }

    #[test]
    fn the_number_of_threads_has_no_influence() {
        let (_folder, inputs) = lines(60_000, |i| match i {
            137 | 9_000 => "1 x:3\n".to_string(),
            45_000 => "late 7:1\n".to_string(),
            _ => format!("{} {}:{}\n", i % 3, i % 97 + 1, i % 7),
        });
        for labels in [Labels::many(), Labels::default(), Labels::positive("2")] {
            let open = |threads| {
                let settings = Settings { labels: labels.clone(), threads, ..Settings::default() };
                open(&inputs, settings).map(transcript).map_err(|error| error.to_string())
            };
            let alone = open(0);
            for threads in [1, 2, 5] {
                assert!(open(threads) == alone, "{threads} threads, {labels:?}");
            }
        }
    }

    #[test]
    fn a_cache_has_no_influence_and_follows_its_source() {
        let prepare = crate::features::Prepare {
            normalize: Some(crate::features::Norm::L2),
            bias: true,
            ..Default::default()
        };
        let text = |i: usize| match i {
            137 | 9_000 => "1 x:3\n".to_string(),
            20_000 => "3 9:1 2:1\n".to_string(),
            _ => format!("{} {}:{} {}:1 4000000000:1\n", i % 3, i % 97 + 1, i % 7, i % 97 + 200),
        };
        let (_folder, inputs) = lines(30_000, text);
        let Input::File(path) = &inputs[0] else { unreachable!() };
        let stored = crate::cache::path_of(path);
        let read = |prepare, cache, threads, inputs: &[Input]| {
            let settings =
                Settings { labels: Labels::many(), prepare, cache, threads, ..Settings::default() };
            transcript(open(inputs, settings).unwrap())
        };
        let plain = crate::features::Prepare::default();
        for prepare in [prepare, plain] {
            let _ = std::fs::remove_file(&stored);
            let expected = read(prepare, false, 0, &inputs);
            assert!(!stored.exists());
            // The first pass over the first file writes, all others read.
            assert!(read(prepare, true, 2, &inputs) == expected);
            let written = std::fs::read(&stored).unwrap();
            assert!(read(prepare, true, 0, &inputs) == expected);
            assert!(read(prepare, true, 3, &inputs) == expected);
            assert!(std::fs::read(&stored).unwrap() == written, "it was written once");
        }
        // A cache is data by itself.
        let moved = path.with_extension("other");
        std::fs::copy(&stored, &moved).unwrap();
        let alone = read(plain, false, 1, &[Input::File(moved)]);
        let renamed = |line: &String| line.replace("a.other", "a.svm");
        assert!(alone.iter().map(renamed).collect::<Vec<_>>() == read(plain, false, 1, &inputs[..1]));

        // Another source, or another way to read it: another cache.
        std::fs::write(path, "1 1:1\n2 2:1\n").unwrap();
        let changed = read(plain, false, 0, &inputs);
        assert!(read(plain, true, 2, &inputs) == changed);
        assert!(read(plain, true, 2, &inputs) == changed);

        // Damage is noticed.
        let mut bytes = std::fs::read(&stored).unwrap();
        let middle = bytes.len() - 20;
        bytes[middle] ^= 1;
        std::fs::write(&stored, &bytes).unwrap();
        let settings = Settings { labels: Labels::many(), cache: true, ..Settings::default() };
        let error = open(&inputs, settings).map(transcript).unwrap_err().to_string();
        assert!(error.contains("the cache is damaged"), "{error}");
    }

    /// Everything that a reader says in two passes, features by name.
    fn named_transcript(inputs: &[Input], settings: Settings) -> Vec<String> {
        let mut reader = open(inputs, settings).unwrap();
        let mut all = Vec::new();
        let mut batch = Batch::default();
        for _ in 0..2 {
            while reader.read(&mut batch).unwrap() {
                for i in 0..batch.len() {
                    let row: Vec<_> =
                        batch.row(i).iter().map(|(f, x)| (f, reader.names().name(f), x)).collect();
                    let (label, weight, tag) = (batch.labels()[i], batch.weights()[i], batch.tag(i));
                    all.push(format!("{row:?} {label:?} {weight} {tag:?}"));
                }
                all.push(format!("{:?}", reader.complaints()));
            }
            reader.rewind().unwrap();
        }
        all
    }

    #[test]
    fn named_features_are_the_same_on_any_number_of_threads_and_from_the_cache() {
        let table = |i: usize| match i {
            0 => "id,label,n,\"a \"\"b\"\"\",note\n".to_string(),
            5_000 => "x,1,y\n".to_string(),
            _ => format!(
                "{i},{},{}.5,w{},\"line one\n, line \"\"two\"\" of {i}\"\n",
                i % 2,
                i % 9,
                i * i % 977
            ),
        };
        let vw = |i: usize| match i {
            5_000 => "1 |a b:1c\n".to_string(),
            _ => format!("{} {} 't{i}|n x{}:2 y |m:3 x{} z{i}\n", i % 2, 1 + i % 3, i % 7, i % 501),
        };
        let json = |i: usize| match i {
            5_000 => "{\"label\": 1, \"a\": }\n".to_string(),
            _ => format!(
                "{{\"label\":{},\"a\":{{\"b\":{}.5}},\"bag\":[\"x{}\",\"y\"]}}\n",
                i % 2,
                i % 9,
                i * i % 977
            ),
        };
        let lines: [(&str, &dyn Fn(usize) -> String); 3] = [("csv", &table), ("vw", &vw), ("jsonl", &json)];
        for (extension, line) in lines {
            let folder = tempfile::tempdir().unwrap();
            let path = folder.path().join(format!("a.{extension}"));
            std::fs::write(&path, (0..20_000).map(line).collect::<String>()).unwrap();
            let inputs = [Input::File(path.clone()), Input::File(path)];
            let reading = crate::reading::Reading { id: Some("id".into()), ..Default::default() };
            let read = |threads, cache| {
                let settings = Settings { reading: reading.clone(), threads, cache, ..Settings::default() };
                named_transcript(&inputs, settings)
            };
            let alone = read(0, false);
            let bad = if extension == "csv" { "line: 10000" } else { "line: 5001" };
            assert!(alone.iter().any(|said| said.contains(bad)), "{extension}");
            for (threads, cache) in [(1, false), (3, false), (2, true), (0, true), (3, true)] {
                let read = read(threads, cache);
                let differing = read.iter().zip(&alone).find(|(read, alone)| read != alone);
                assert!(read.len() == alone.len() && differing.is_none(), "{extension}: {differing:?}");
            }
        }
    }

    #[test]
    fn what_is_wrong_is_said_in_the_order_of_the_lines() {
        let first = |wrong: &[(usize, &str)]| {
            let (_folder, inputs) = lines(30_000, |i| {
                let found = wrong.iter().find(|(at, _)| *at == i).map(|(_, line)| line.to_string());
                found.unwrap_or_else(|| format!("{} 1:1\n", i % 2))
            });
            let bad_lines = Policy { strict: true, ..Policy::default() };
            let settings = Settings { bad_lines, threads: 2, ..Settings::default() };
            let reader = open(&inputs[..1], settings);
            let error = reader.and_then(|mut reader| {
                let mut batch = Batch::default();
                while reader.read(&mut batch)? {}
                Ok(())
            });
            error.unwrap_err().to_string()
        };
        let (bad, third) = ("1 x:1\n", "3 1:1\n");
        assert!(first(&[(100, bad), (101, third)]).contains("a.svm:101:3: feature index must be"));
        assert!(first(&[(100, third), (101, bad)]).contains("a.svm:101:1: a third label"));
        assert!(first(&[(20_000, third), (25_000, bad)]).contains("a.svm:20001:1: a third label"));
        assert!(first(&[(25_000, bad)]).contains("a.svm:25001:3: feature index must be"));
    }

    #[test]
    fn batches_end_at_powers_of_two() {
        let (_folder, inputs) = lines(5_000, |i| format!("{} 1:1\n", i % 2));
        let mut reader = open(&inputs, Settings::default()).unwrap();
        let (mut batch, mut seen, mut ends) = (Batch::default(), 0, Vec::new());
        while reader.read(&mut batch).unwrap() {
            seen += batch.len();
            ends.push(seen);
        }
        assert_eq!(seen, 10_000);
        assert!((0..14).all(|power| ends.contains(&(1 << power))), "{ends:?}");
    }

    #[test]
    fn hanging_up_early_is_no_trouble() {
        let (_folder, inputs) = lines(100_000, |i| format!("{} 1:1\n", i % 2));
        let mut reader = open(&inputs, Settings { threads: 3, ..Settings::default() }).unwrap();
        let mut batch = Batch::default();
        assert!(reader.read(&mut batch).unwrap());
        reader.rewind().unwrap();
        assert!(reader.read(&mut batch).unwrap());
        assert_eq!(batch.row(0).indices, [1]);
    }
}
