//! What data is like, learned in one pass: for those who do not know yet what to do with it.

use std::sync::Arc;

use serde::Serialize;
use thalweg_core::keyed_hash::KeyedMap;
use thalweg_core::{Batch, Class};
use thalweg_data::{FeatureState, Input, Labels, Settings, open};

use crate::config::Config;
use crate::error::Result;
use crate::label_order::{LabelOrder, LongRuns};
use crate::observer::{Observer, Told};

/// Goes through data of whatever kind, with whatever labels, and counts.
pub fn describe(inputs: &[Input], config: &Config, observer: &mut dyn Observer) -> Result<DescribedData> {
    let settings = Settings {
        reading: config.reading()?,
        labels: Labels::many().at_most(usize::MAX),
        unlabelled: true,
        ..config.input_settings()
    };
    let mut reader = open(inputs, settings)?;
    let (mut batch, mut description) = (Batch::default(), Description::default());
    loop {
        let more = reader.read(&mut batch);
        Told::by(reader.as_mut()).pass_on(observer);
        if !more? {
            break;
        }
        description.observe(&batch);
    }
    let long_runs = description.order.found();
    let bad_lines = reader.counts().bad;
    let (labels, features) = reader.into_state();
    Ok(DescribedData { description, labels, features, bad_lines, long_runs })
}

/// What data is like, with what its labels and features are called.
pub struct DescribedData {
    /// The counts.
    pub description: Description,
    /// Which label is which class.
    pub labels: Labels,
    /// What features are called.
    pub features: Arc<FeatureState>,
    /// Lines that could not be read.
    pub bad_lines: u64,
    /// Is the data sorted by label?
    pub long_runs: Option<LongRuns>,
}

/// Counts over all examples seen.
#[derive(Clone, Debug, Default)]
pub struct Description {
    examples: u64,
    unlabelled: u64,
    has_importances: bool,
    has_ids: bool,
    nonzeros: u64,
    /// Examples of every class.
    classes: Vec<u64>,
    /// How many examples have so many features.
    lengths: KeyedMap<u32, u64>,
    /// How many examples have a feature.
    features: KeyedMap<u32, u64>,
    smallest: f64,
    largest: f64,
    ones: u64,
    order: LabelOrder,
}

/// The numbers that a quarter, half and so on of all are not above.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Spread {
    /// The smallest.
    pub min: u64,
    /// A quarter is not above it.
    pub q25: u64,
    /// Half is not above it.
    pub median: u64,
    /// Three quarters are not above it.
    pub q75: u64,
    /// All but one in a hundred are not above it.
    pub q99: u64,
    /// The largest.
    pub max: u64,
    /// The mean.
    pub mean: f64,
}

impl Spread {
    /// Of numbers with the count of each.
    fn of(counts: impl IntoIterator<Item = (u64, u64)>) -> Self {
        let mut counts: Vec<(u64, u64)> = counts.into_iter().filter(|(_, count)| *count > 0).collect();
        counts.sort_unstable();
        let all: u64 = counts.iter().map(|(_, count)| count).sum();
        let (Some(first), Some(last)) = (counts.first(), counts.last()) else { return Self::default() };
        let at = |share: f64| {
            let rank = ((all as f64 * share).ceil() as u64).max(1);
            let mut before = 0;
            let found = counts.iter().find(|(_, count)| {
                before += count;
                before >= rank
            });
            found.map_or(last.0, |(number, _)| *number)
        };
        let sum: f64 = counts.iter().map(|(number, count)| *number as f64 * *count as f64).sum();
        let mean = sum / all as f64;
        Self { min: first.0, q25: at(0.25), median: at(0.5), q75: at(0.75), q99: at(0.99), max: last.0, mean }
    }
}

impl Description {
    /// Adds the examples of a batch, as they were read and before they are prepared.
    pub fn observe(&mut self, batch: &Batch) {
        for i in 0..batch.len() {
            match batch.labels()[i] {
                Some(class) => {
                    let class = class as usize;
                    self.classes.resize(self.classes.len().max(class + 1), 0);
                    self.classes[class] += 1;
                }
                None => self.unlabelled += 1,
            }
            self.has_importances |= batch.importances()[i] != 1.0;
            self.has_ids |= !batch.id(i).is_empty();
            let row = batch.row(i);
            *self.lengths.entry(row.indices.len() as u32).or_default() += 1;
            for (feature, x) in row.iter() {
                *self.features.entry(feature).or_default() += 1;
                self.smallest = if self.nonzeros == 0 { x } else { self.smallest.min(x) };
                self.largest = if self.nonzeros == 0 { x } else { self.largest.max(x) };
                self.nonzeros += 1;
                self.ones += u64::from(x == 1.0);
            }
        }
        self.examples += batch.len() as u64;
        self.order.observe(batch);
    }

    /// Examples seen.
    pub fn examples(&self) -> u64 {
        self.examples
    }

    /// Examples without a label.
    pub fn unlabelled(&self) -> u64 {
        self.unlabelled
    }

    /// Has an example an importance other than 1?
    pub fn has_importances(&self) -> bool {
        self.has_importances
    }

    /// Has an example an id?
    pub fn has_ids(&self) -> bool {
        self.has_ids
    }

    /// Examples of a class.
    pub fn of_class(&self, class: Class) -> u64 {
        self.classes.get(class as usize).copied().unwrap_or(0)
    }

    /// How many features there are.
    pub fn features(&self) -> u64 {
        self.features.len() as u64
    }

    /// All values that are not zero.
    pub fn nonzeros(&self) -> u64 {
        self.nonzeros
    }

    /// The smallest and the largest value, zeros aside.
    pub fn range(&self) -> (f64, f64) {
        (self.smallest, self.largest)
    }

    /// The share of values that are 1.
    pub fn ones(&self) -> f64 {
        self.ones as f64 / self.nonzeros.max(1) as f64
    }

    /// Features per example.
    pub fn lengths(&self) -> Spread {
        Spread::of(self.lengths.iter().map(|(length, count)| (u64::from(*length), *count)))
    }

    /// Examples per feature.
    pub fn frequencies(&self) -> Spread {
        Spread::of(self.features.values().map(|examples| (*examples, 1)))
    }

    /// Features that occur only once.
    pub fn once(&self) -> u64 {
        self.features.values().filter(|examples| **examples == 1).count() as u64
    }

    /// The features and the number of examples that have them.
    pub fn each(&self) -> impl Iterator<Item = (u32, u64)> {
        self.features.iter().map(|(feature, examples)| (*feature, *examples))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spreads_are_those_of_all_numbers_in_order() {
        let spread = Spread::of((1..=100).map(|number| (number, 1)));
        let Spread { min, q25, median, q75, q99, max, mean } = spread;
        assert_eq!((min, q25, median, q75, q99, max), (1, 25, 50, 75, 99, 100));
        assert!((mean - 50.5).abs() < 1e-12);
        assert_eq!(Spread::of([(7, 3), (9, 0)]).max, 7);
        assert_eq!(Spread::of([]), Spread::default());
    }

    #[test]
    fn examples_are_counted() {
        let mut description = Description::default();
        let mut batch = Batch::default();
        batch.push([(1, 1.0), (7, -2.0)], Some(1)).unwrap();
        batch.push([(1, 4.0)], Some(1)).unwrap();
        description.observe(&batch);
        batch.clear();
        batch.push_with_importance([], None, 2.0).unwrap();
        description.observe(&batch);
        assert_eq!((description.examples(), description.unlabelled()), (3, 1));
        assert_eq!((description.of_class(0), description.of_class(1), description.of_class(9)), (0, 2, 0));
        assert_eq!((description.features(), description.nonzeros(), description.once()), (2, 3, 1));
        assert_eq!(description.range(), (-2.0, 4.0));
        assert!(description.has_importances() && !description.has_ids());
        assert_eq!((description.lengths().max, description.frequencies().max), (2, 2));
        assert!((description.ones() - 1.0 / 3.0).abs() < 1e-12);
    }
}
