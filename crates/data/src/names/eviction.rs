//! Eviction of features when there are more names than allowed: the rarest features without a weight go first.
//!
//! A batch ends with the example that brings one name too many, and features are evicted before the next batch. When that happens follows
//! from the examples alone, so what is learned does not depend on how the data was cut into files or pieces, nor on where training was
//! stopped and resumed.

use thalweg_core::merge::{Gain, Numbering};
use thalweg_core::{BIAS, Batch};

use super::vocabulary::Vocabulary;

/// This share of the limit is kept. All features have to be looked at only once for every tenth of them that is new.
const KEPT: f64 = 0.9;

/// How often features occur, and how many there may be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Eviction {
    limit: u64,
    /// Examples so far. Nobody asks, but models have always kept it.
    examples: u64,
    /// Features evicted so far.
    evicted: u64,
    /// How many examples each feature occurred in since it came.
    counts: Vec<u32>,
}

/// The new numbers of features after an eviction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewNumbers(Vec<Option<u32>>);

impl NewNumbers {
    /// The new number of a feature; nothing if it was evicted.
    pub fn of(&self, feature: u32) -> Option<u32> {
        self.0.get(feature as usize).copied().flatten()
    }
}

impl Eviction {
    /// No features so far.
    pub fn new(limit: u64) -> Self {
        Self { limit, examples: 0, evicted: 0, counts: Vec::new() }
    }

    /// Features evicted so far.
    pub fn evicted(&self) -> u64 {
        self.evicted
    }

    /// Bytes of memory that it holds.
    pub(crate) fn memory(&self) -> usize {
        self.counts.capacity() * size_of::<u32>()
    }

    /// Are these more names than there may be? Then a batch must end.
    pub(crate) fn is_exceeded_by(&self, names: &Vocabulary) -> bool {
        names.len() as u64 > self.limit
    }

    /// Counts the features of a batch.
    pub(crate) fn observe(&mut self, batch: &Batch) {
        self.examples += batch.len() as u64;
        for &feature in batch.columns().indices.iter().filter(|feature| **feature != BIAS) {
            let place = feature as usize;
            if place >= self.counts.len() {
                self.counts.resize(place + 1, 0);
            }
            self.counts[place] = self.counts[place].saturating_add(1);
        }
    }

    /// If there are too many names: evicts the rarest, those with a weight last, and numbers the others anew.
    /// `weighted` lists the features with a weight.
    pub(crate) fn evict(
        &mut self,
        names: &mut Vocabulary,
        weighted: impl FnOnce() -> Vec<u32>,
    ) -> Option<NewNumbers> {
        if !self.is_exceeded_by(names) {
            return None;
        }
        self.counts.resize(names.len(), 0);
        let mut has_weight = vec![false; names.len()];
        for feature in weighted() {
            if let Some(has) = has_weight.get_mut(feature as usize) {
                *has = true;
            }
        }
        let kept = ((self.limit as f64 * KEPT) as usize).max(1);
        let leaving = names.len() - kept.min(names.len());
        let mut by_worth: Vec<u32> = (0..names.len() as u32).collect();
        // Of equals, those that came first have been rare for longest.
        let worth = |number: &u32| (has_weight[*number as usize], self.counts[*number as usize], *number);
        if leaving > 0 && leaving < names.len() {
            by_worth.select_nth_unstable_by_key(leaving, worth);
        }
        let mut stays = vec![true; names.len()];
        by_worth[..leaving].iter().for_each(|number| stays[*number as usize] = false);

        // Room for all that may come until the next time.
        let mut fewer = Vocabulary::with_capacity(names.len());
        let (mut counts, mut new) = (Vec::with_capacity(kept), Vec::with_capacity(names.len()));
        for ((name, stays), count) in names.iter().zip(&stays).zip(&self.counts) {
            new.push(stays.then(|| fewer.add_new(name)));
            if *stays {
                counts.push(*count);
            }
        }
        self.evicted += leaving as u64;
        (*names, self.counts) = (fewer, counts);
        Some(NewNumbers(new))
    }

    /// What was counted since a base: occurrences of features, and in common examples and evicted features.
    pub(crate) fn gain(&self, base: Option<&Self>, numbering: &dyn Numbering) -> Gain {
        let mut counted: Vec<(u32, f64)> = Vec::new();
        for (feature, count) in self.counts.iter().enumerate() {
            let number = numbering.of_gain(feature as u32);
            let known = base.and_then(|base| base.counts.get(number as usize)).copied().unwrap_or_default();
            // Fewer than before: it was evicted, and has come again.
            let new = count.checked_sub(known).unwrap_or(*count);
            if new > 0 {
                counted.push((number, f64::from(new)));
            }
        }
        counted.sort_unstable_by_key(|(number, _)| *number);
        let mut gain = Gain::of_features(1);
        counted.iter().for_each(|(number, count)| gain.push(*number, &[*count]));
        let (examples, evicted) = base.map_or((0, 0), |base| (base.examples, base.evicted));
        let since = |now: u64, before: u64| now.saturating_sub(before) as f64;
        gain.set_common(vec![since(self.examples, examples), since(self.evicted, evicted)]);
        gain
    }

    /// Takes in what others have counted, of so many features in all.
    pub(crate) fn take_in(&mut self, gain: &Gain, features: u64) -> Option<()> {
        for (feature, counted) in gain.features() {
            if u64::from(feature) >= features {
                return None;
            }
            let place = feature as usize;
            self.counts.resize(self.counts.len().max(place + 1), 0);
            let count = f64::from(self.counts[place]) + counted.first()?.max(0.0);
            self.counts[place] = count as u32;
        }
        if let [examples, evicted] = gain.common() {
            self.examples = self.examples.saturating_add(*examples as u64);
            self.evicted = self.evicted.saturating_add(*evicted as u64);
        }
        Some(())
    }

    /// The form that a model keeps; the limit is kept elsewhere.
    pub(crate) fn write(&self) -> Vec<u8> {
        let mut bytes = [self.examples.to_le_bytes(), self.evicted.to_le_bytes()].concat();
        self.counts.iter().for_each(|count| bytes.extend_from_slice(&count.to_le_bytes()));
        bytes
    }

    /// Reads what [`Eviction::write`] wrote; nothing if it is something else.
    pub(crate) fn read(limit: u64, bytes: &[u8]) -> Option<Self> {
        let (examples, bytes) = bytes.split_first_chunk()?;
        let (evicted, bytes) = bytes.split_first_chunk()?;
        let (counts, []) = bytes.as_chunks() else { return None };
        let (examples, evicted) = (u64::from_le_bytes(*examples), u64::from_le_bytes(*evicted));
        let counts = counts.iter().map(|count| u32::from_le_bytes(*count)).collect();
        Some(Self { limit, examples, evicted, counts })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::examples::reading::Reading;
    use crate::names::feature_names::FeatureNames;
    use crate::{Input, Settings, open};

    #[test]
    fn the_rarest_without_a_weight_are_evicted_first() {
        let (mut eviction, mut names, mut batch) =
            (Eviction::new(10), Vocabulary::default(), Batch::default());
        for i in 0..1024u32 {
            // Feature n occurs every n + 1 examples.
            batch.push((0..12).filter(|n| i.is_multiple_of(n + 1)).map(|n| (n, 1.0)), None).unwrap();
        }
        (0..12).for_each(|n| _ = names.number(format!("f{n}").as_bytes()));
        eviction.observe(&batch);
        let new = eviction.evict(&mut names, || vec![11, BIAS]).unwrap();
        // 9 of 12 stay: 10, 9 and 8 are evicted, 11 has a weight.
        let expected: Vec<Option<u32>> = (0..8).map(Some).chain([None, None, None, Some(8)]).collect();
        assert_eq!(new.0, expected);
        assert_eq!((names.len(), eviction.evicted()), (9, 3));
        assert_eq!(names.name(8), Some(&b"f11"[..]));
        assert_eq!((eviction.counts[8], eviction.counts[0]), (86, 1024));
        assert_eq!(eviction.evict(&mut names, Vec::new), None);
        let read = Eviction::read(10, &eviction.write());
        assert_eq!(read, Some(eviction));
        assert_eq!(Eviction::read(10, b"short"), None);
    }

    /// Reads text in VW's form with a limit, and says which names there are after every batch.
    fn names_after_batches(lines: &[String], threads: usize) -> Vec<(u64, Vec<String>)> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.vw");
        std::fs::write(&path, lines.concat()).unwrap();
        let reading = Reading { max_features: Some(100), ..Reading::default() };
        let mut reader =
            open(&[Input::File(path)], Settings { reading, threads, ..Settings::default() }).unwrap();
        let (mut batch, mut all) = (Batch::default(), Vec::new());
        while reader.read(&mut batch).unwrap() {
            let FeatureNames::Names(names) = reader.names() else { unreachable!() };
            let last = batch.row(batch.len() - 1).indices.len();
            assert!(names.len() <= 100 + last, "only the last example has brought too many");
            reader.evict_features(&|| vec![0, 1]);
            let FeatureNames::Names(names) = reader.names() else { unreachable!() };
            let names = names.iter().map(|name| String::from_utf8_lossy(name).into_owned()).collect();
            all.push((reader.counts().examples, names));
        }
        all
    }

    #[test]
    fn the_limit_holds_after_every_batch() {
        // Most examples bring one new name, one brings more than there may be at all.
        let many: String = (0..500).map(|i| format!(" m{i}")).collect();
        let line = |i: usize| match i {
            300 => format!("1 |{many}\n"),
            _ => format!("{} | a b n{i} o{}\n", i % 2, i / 3),
        };
        let lines: Vec<String> = (0..5000).map(line).collect();
        let all = names_after_batches(&lines, 0);
        assert!(all.iter().all(|(_, names)| names.len() <= 100 && names[0] == "a" && names[1] == "b"));
        let (last, names) = all.last().unwrap();
        assert!(*last == 5000 && names.len() > 80);
        assert!(names_after_batches(&lines, 3) == all, "the number of threads has no influence");
    }
}
