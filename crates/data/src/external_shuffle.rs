//! Puts any number of examples into random order, in memory that is bounded.
//!
//! Every example gets a random key as it comes, and the order is that of the keys: each of all orders is as likely as any other. What does not fit into
//! memory goes to temporary files by the first bits of its key, and each of these is put in order by itself. So the order follows from the seed alone, and
//! not from how much memory there is.

use std::fs::File;
use std::io::{self, BufReader, Read, Seek, Write};
use std::path::{Path, PathBuf};

use rand::{Rng, SeedableRng};
use rand_pcg::Pcg64;
use thalweg_core::{Batch, Class, Real};

use crate::error::{Error, Result};
use crate::interrupt::Interrupt;
use crate::limit::MemoryLimit;

/// Files that the examples of one file, or of all, are divided into.
const FILES: usize = 1 << BITS;
const BITS: u32 = 6;
/// A key, and how many bytes follow.
const HEAD: usize = size_of::<u128>() + size_of::<u32>();
/// Examples that are handed out together.
const BATCH: usize = 1 << 10;

/// Examples on their way to a random order.
pub struct ExternalShuffle {
    random: Pcg64,
    memory: u64,
    folder: PathBuf,
    /// As long as they fit.
    held: Records,
    divided: Option<Vec<Part>>,
    record: Vec<u8>,
}

impl ExternalShuffle {
    /// Begins, with temporary files in this folder where they are needed. They have no names, and go away with the program however it ends.
    pub fn new(seed: u64, memory: MemoryLimit, folder: impl Into<PathBuf>) -> Self {
        Self {
            random: Pcg64::seed_from_u64(seed),
            memory: memory.0,
            folder: folder.into(),
            held: Records::default(),
            divided: None,
            record: Vec::new(),
        }
    }

    /// Adds the examples of a batch.
    pub fn push(&mut self, batch: &Batch) -> Result<()> {
        for i in 0..batch.len() {
            let key = u128::from(self.random.next_u64()) << 64 | u128::from(self.random.next_u64());
            encode(batch, i, &mut self.record);
            match &mut self.divided {
                None => self.held.push(key, &self.record),
                Some(parts) => {
                    parts[part_of(key, 0)].push(key, &self.record).map_err(|e| failed(&self.folder, e))?;
                }
            }
            // A vector that grows may take twice what is in it.
            if self.divided.is_none() && self.held.memory() > self.memory / 4 {
                self.divide_held()?;
            }
        }
        Ok(())
    }

    fn divide_held(&mut self) -> Result<()> {
        let held = std::mem::take(&mut self.held);
        let divide = || {
            let mut parts = new_parts(&self.folder, self.memory)?;
            for (key, at) in &held.index {
                parts[part_of(*key, 0)].push(*key, record_at(&held.bytes, *at))?;
            }
            Ok(parts)
        };
        self.divided = Some(divide().map_err(|e| failed(&self.folder, e))?);
        Ok(())
    }

    /// Hands out all examples in their new order, until there are no more or the interrupt comes.
    pub fn finish(mut self, interrupt: &Interrupt, take: &mut dyn FnMut(&Batch) -> Result<()>) -> Result<()> {
        let Some(parts) = self.divided.take() else {
            return std::mem::take(&mut self.held).hand_out(interrupt, take);
        };
        self.hand_out(parts, 1, interrupt, take)
    }

    fn hand_out(
        &self,
        parts: Vec<Part>,
        level: u32,
        interrupt: &Interrupt,
        take: &mut dyn FnMut(&Batch) -> Result<()>,
    ) -> Result<()> {
        for part in parts {
            if interrupt.has_come() {
                return Ok(());
            }
            if part.memory() <= self.memory / 2 || part.records < 2 || level * BITS >= u128::BITS {
                let records = part.read().map_err(|e| failed(&self.folder, e))?;
                records.hand_out(interrupt, take)?;
            } else {
                let parts =
                    part.divide(level, &self.folder, self.memory).map_err(|e| failed(&self.folder, e))?;
                self.hand_out(parts, level + 1, interrupt, take)?;
            }
        }
        Ok(())
    }
}

fn failed(folder: &Path, cause: io::Error) -> Error {
    Error::Io { file: format!("temporary files in {}", folder.display()), cause }
}

/// Which of the parts an example with this key belongs to.
fn part_of(key: u128, level: u32) -> usize {
    (key << (level * BITS) >> (u128::BITS - BITS)) as usize
}

fn new_parts(folder: &Path, memory: u64) -> io::Result<Vec<Part>> {
    let buffer = (memory / (4 * FILES as u64)).clamp(1 << 10, 1 << 20) as usize;
    (0..FILES).map(|_| Part::new(folder, buffer)).collect()
}

/// Examples whose keys begin alike, in a temporary file.
struct Part {
    file: File,
    buffer: Vec<u8>,
    /// The buffer is written when it is longer than this.
    longest: usize,
    bytes: u64,
    records: u64,
}

impl Part {
    fn new(folder: &Path, longest: usize) -> io::Result<Self> {
        Ok(Self { file: tempfile::tempfile_in(folder)?, buffer: Vec::new(), longest, bytes: 0, records: 0 })
    }

    fn push(&mut self, key: u128, record: &[u8]) -> io::Result<()> {
        let before = self.buffer.len();
        push_record(key, record, &mut self.buffer);
        self.bytes += (self.buffer.len() - before) as u64;
        self.records += 1;
        if self.buffer.len() > self.longest { self.flush() } else { Ok(()) }
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.write_all(&self.buffer)?;
        self.buffer.clear();
        Ok(())
    }

    /// Bytes of memory that its examples would take.
    fn memory(&self) -> u64 {
        self.bytes + self.records * size_of::<(u128, usize)>() as u64
    }

    fn read(mut self) -> io::Result<Records> {
        self.flush()?;
        self.buffer = Vec::new();
        self.file.rewind()?;
        let mut bytes = vec![0; self.bytes as usize];
        self.file.read_exact(&mut bytes)?;
        let mut index = Vec::with_capacity(self.records as usize);
        let mut at = 0;
        while at < bytes.len() {
            let (key, length) = head_at(&bytes[at..]);
            index.push((key, at));
            at += HEAD + length;
        }
        Ok(Records { bytes, index })
    }

    /// Divides its examples by the next bits of their keys.
    fn divide(mut self, level: u32, folder: &Path, memory: u64) -> io::Result<Vec<Self>> {
        self.flush()?;
        self.buffer = Vec::new();
        self.file.rewind()?;
        let mut parts = new_parts(folder, memory)?;
        let (mut file, mut head, mut record) = (BufReader::new(self.file), [0; HEAD], Vec::new());
        for _ in 0..self.records {
            file.read_exact(&mut head)?;
            let (key, length) = head_at(&head);
            record.resize(length, 0);
            file.read_exact(&mut record)?;
            parts[part_of(key, level)].push(key, &record)?;
        }
        Ok(parts)
    }
}

/// Examples in memory, one behind the other, with the keys and beginnings of all.
#[derive(Default)]
struct Records {
    bytes: Vec<u8>,
    index: Vec<(u128, usize)>,
}

impl Records {
    fn push(&mut self, key: u128, record: &[u8]) {
        self.index.push((key, self.bytes.len()));
        push_record(key, record, &mut self.bytes);
    }

    fn memory(&self) -> u64 {
        (self.bytes.len() + self.index.len() * size_of::<(u128, usize)>()) as u64
    }

    /// In the order of the keys; of two that are the same, in the order in which they came.
    fn hand_out(mut self, interrupt: &Interrupt, take: &mut dyn FnMut(&Batch) -> Result<()>) -> Result<()> {
        self.index.sort_unstable();
        let mut batch = Batch::default();
        for some in self.index.chunks(BATCH) {
            if interrupt.has_come() {
                break;
            }
            batch.clear();
            some.iter().for_each(|(_, at)| decode(record_at(&self.bytes, *at), &mut batch));
            take(&batch)?;
        }
        Ok(())
    }
}

fn push_record(key: u128, record: &[u8], bytes: &mut Vec<u8>) {
    bytes.extend_from_slice(&key.to_le_bytes());
    bytes.extend_from_slice(&(record.len() as u32).to_le_bytes());
    bytes.extend_from_slice(record);
}

/// The key of a record, and how many bytes follow its head.
fn head_at(bytes: &[u8]) -> (u128, usize) {
    let (key, rest) = bytes.split_first_chunk().expect("a record has a head");
    let (length, _) = rest.split_first_chunk().expect("a record has a head");
    (u128::from_le_bytes(*key), u32::from_le_bytes(*length) as usize)
}

fn record_at(bytes: &[u8], at: usize) -> &[u8] {
    let (_, length) = head_at(&bytes[at..]);
    &bytes[at + HEAD..][..length]
}

/// Writes an example: label, importance, number of features, features, values, and the rest is its id.
fn encode(batch: &Batch, i: usize, out: &mut Vec<u8>) {
    let row = batch.row(i);
    out.clear();
    // No label is a class that there cannot be.
    out.extend_from_slice(&batch.labels()[i].unwrap_or(Class::MAX).to_le_bytes());
    out.extend_from_slice(&batch.importances()[i].to_le_bytes());
    out.extend_from_slice(&(row.indices.len() as u32).to_le_bytes());
    row.indices.iter().for_each(|index| out.extend_from_slice(&index.to_le_bytes()));
    row.values.iter().for_each(|value| out.extend_from_slice(&value.to_le_bytes()));
    out.extend_from_slice(batch.id(i));
}

/// Reads what [`encode`] wrote.
fn decode(record: &[u8], batch: &mut Batch) {
    const OWN: &str = "it was written here";
    let (label, rest) = record.split_first_chunk().expect(OWN);
    let (importance, rest) = rest.split_first_chunk().expect(OWN);
    let (count, rest) = rest.split_first_chunk().expect(OWN);
    let count = u32::from_le_bytes(*count) as usize;
    let (indices, rest) = rest.split_at(count * size_of::<u32>());
    let (values, id) = rest.split_at(count * size_of::<Real>());
    let label = Some(Class::from_le_bytes(*label)).filter(|class| *class != Class::MAX);
    let mut row = batch.row_builder();
    let indices = indices.as_chunks().0.iter().map(|index| u32::from_le_bytes(*index));
    let values = values.as_chunks().0.iter().map(|value| Real::from_le_bytes(*value));
    indices.zip(values).for_each(|(index, value)| row.feature(index, value));
    row.commit(label, f32::from_le_bytes(*importance)).expect("values were finite before");
    batch.set_id(id);
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Examples with everything that one can have; the value of feature 7 is its number.
    fn examples(count: u32) -> Batch {
        let mut batch = Batch::default();
        for i in 0..count {
            let label = (i % 3 > 0).then_some(i % 5);
            let features = [(7, f64::from(i + 1)), (100 + i, -0.5)].into_iter().take(1 + i as usize % 2);
            batch.push_with_importance(features, label, 1.0 + (i % 4) as f32).unwrap();
            if i % 7 == 0 {
                batch.set_id(format!("id {i}").as_bytes());
            }
        }
        batch
    }

    fn shuffled(batch: &Batch, seed: u64, memory: u64) -> Batch {
        let folder = tempfile::tempdir().unwrap();
        let mut shuffle = ExternalShuffle::new(seed, MemoryLimit(memory), folder.path());
        shuffle.push(batch).unwrap();
        let mut all = Batch::default();
        shuffle
            .finish(&Interrupt::default(), &mut |batch| {
                all.extend_from(batch, 0..batch.len());
                Ok(())
            })
            .unwrap();
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0, "temporary files have no names");
        all
    }

    fn shown(batch: &Batch, i: usize) -> String {
        let features: Vec<_> = batch.row(i).iter().collect();
        format!("{:?} {} {:?} {features:?}", batch.labels()[i], batch.importances()[i], batch.id(i))
    }

    #[test]
    fn all_examples_come_back_in_an_order_that_follows_from_the_seed_alone() {
        let batch = examples(20_000);
        let all = |batch: &Batch| (0..batch.len()).map(|i| shown(batch, i)).collect::<Vec<_>>();
        let expected = all(&shuffled(&batch, 1, 1 << 30));
        // So little that files are divided again, and again.
        for memory in [1 << 20, 1 << 16, 1 << 11] {
            assert_eq!(all(&shuffled(&batch, 1, memory)), expected, "{memory}");
        }
        let (mut before, mut after) = (all(&batch), expected.clone());
        before.sort();
        after.sort();
        assert_eq!(before, after);
        assert_ne!(all(&batch), expected);
        assert_ne!(all(&shuffled(&batch, 2, 1 << 16)), expected);
    }

    #[test]
    fn every_order_is_as_likely_as_any_other() {
        let batch = examples(4);
        let mut counts = std::collections::BTreeMap::new();
        for seed in 0..4_800 {
            let shuffled = shuffled(&batch, seed, if seed % 16 == 0 { 16 } else { 1 << 20 });
            let order: Vec<u64> = (0..4).map(|i| shuffled.row(i).values[0] as u64).collect();
            *counts.entry(order).or_insert(0) += 1;
        }
        // 200 of each of 24 orders are expected, and 5 deviations are 69.
        assert!(counts.len() == 24 && counts.values().all(|count| (131..=269).contains(count)), "{counts:?}");
    }

    #[test]
    fn an_interrupt_ends_it_and_a_folder_that_is_not_there_is_an_error() {
        let (batch, interrupt) = (examples(5_000), Interrupt::default());
        let folder = tempfile::tempdir().unwrap();
        let mut shuffle = ExternalShuffle::new(0, MemoryLimit(1 << 16), folder.path());
        shuffle.push(&batch).unwrap();
        let mut taken = 0;
        let mut take = |batch: &Batch| {
            taken += batch.len();
            interrupt.set();
            Ok(())
        };
        shuffle.finish(&interrupt, &mut take).unwrap();
        assert!((1..=BATCH).contains(&taken), "{taken}");
        let mut nowhere = ExternalShuffle::new(0, MemoryLimit(1 << 10), folder.path().join("nowhere"));
        let error = nowhere.push(&batch).unwrap_err().to_string();
        assert!(error.starts_with("temporary files in ") && error.contains("nowhere"), "{error}");
    }
}
