//! What was asked for, and how many examples of each class that makes.

use thalweg_core::Class;

use super::apportion::apportion;
use super::class_counts::{ClassCounts, place};
use super::lots::{Lots, Urn};
use crate::error::Impossible;
use crate::labels::classes::Labels;

/// Which examples are wanted. The order of the fields is the order in which they apply.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Subset {
    /// The share of positives. If they are more, some are left out; if they are fewer, some of the others.
    pub positives: Option<f64>,
    /// The positive label; of two labels, the greater if it is not said.
    pub positive: Option<String>,
    /// How many examples.
    pub sample: Option<Amount>,
    /// The sizes of the parts in proportion. None is one part.
    pub parts: Vec<f64>,
    /// Has every class the same share of the sample and of each part?
    pub stratified: bool,
    /// The choice follows from it and from the data.
    pub seed: u64,
}

/// How many examples.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Amount {
    /// A share of all.
    Share(f64),
    /// A number.
    Count(u64),
}

impl Subset {
    /// Are these all examples, in one part?
    pub fn is_all(&self) -> bool {
        self.positives.is_none() && self.sample.is_none() && self.parts.len() < 2
    }

    /// The lots that the examples draw which were counted.
    pub fn lots(&self, counts: &ClassCounts, labels: &Labels) -> Result<Lots, Impossible> {
        self.check()?;
        let there = counts.by_place();
        let positive = self.positives.map(|_| self.positive_class(counts, labels)).transpose()?.map(place_of);
        let groups: Vec<usize> = match positive {
            _ if self.stratified => (0..there.len()).collect(),
            Some(positive) => (0..there.len()).map(|place| usize::from(place == positive)).collect(),
            None => vec![0; there.len()],
        };
        let mut sizes = vec![0; groups.iter().max().map_or(0, |last| last + 1)];
        there.iter().zip(&groups).for_each(|(count, group)| sizes[*group] += count);
        let mut kept = match (self.positives, positive) {
            (Some(share), Some(positive)) => with_positives(share, &sizes, groups[positive])?,
            _ => sizes.clone(),
        };
        if let Some(sample) = self.sample {
            kept = self.sampled(sample, &kept)?;
        }
        let parts = if self.parts.is_empty() { &[1.0][..] } else { &self.parts };
        let urn = |(left, kept): (u64, u64)| Urn { left, parts: apportion(kept, parts) };
        let urns = sizes.into_iter().zip(kept).map(urn).collect();
        Ok(Lots::new(self.seed, groups, urns))
    }

    fn check(&self) -> Result<(), Impossible> {
        let share = |share: f64| share > 0.0 && share < 1.0;
        let sample = |amount| match amount {
            Amount::Share(wanted) => share(wanted),
            Amount::Count(wanted) => wanted > 0,
        };
        let right = self.positives.is_none_or(share)
            && self.sample.is_none_or(sample)
            && self.parts.iter().all(|part| *part > 0.0 && part.is_finite());
        if right { Ok(()) } else { Err(Impossible::NoShare) }
    }

    fn positive_class(&self, counts: &ClassCounts, labels: &Labels) -> Result<Class, Impossible> {
        if counts.unlabelled() > 0 {
            return Err(Impossible::Unlabelled(counts.unlabelled()));
        }
        match &self.positive {
            Some(positive) => labels.class_named(positive).ok_or_else(|| Impossible::NoSuchLabel {
                positive: positive.clone(),
                labels: listed(labels),
            }),
            None => labels.greater_of_two().ok_or_else(|| Impossible::NotTwo(listed(labels))),
        }
    }

    fn sampled(&self, sample: Amount, kept: &[u64]) -> Result<Vec<u64>, Impossible> {
        let there: u64 = kept.iter().sum();
        let wanted = match sample {
            Amount::Share(share) => (share * there as f64).round() as u64,
            Amount::Count(count) => count,
        };
        if wanted > there {
            return Err(Impossible::TooMany { wanted, there, thinned: self.positives.is_some() });
        }
        Ok(apportion(wanted, &as_weights(kept)))
    }
}

fn place_of(class: Class) -> usize {
    place(Some(class))
}

fn as_weights(counts: &[u64]) -> Vec<f64> {
    counts.iter().map(|count| *count as f64).collect()
}

/// How many examples of each group are kept so that those of one are this share: all of one side, and as many of the other as that takes.
fn with_positives(share: f64, sizes: &[u64], positive: usize) -> Result<Vec<u64>, Impossible> {
    let positives = sizes[positive];
    let others = sizes.iter().sum::<u64>() - positives;
    let fewer_positives = (share * others as f64 / (1.0 - share)).round() as u64;
    let fewer_others = (positives as f64 * (1.0 - share) / share).round() as u64;
    let (positives_kept, others_kept) =
        if fewer_positives <= positives { (fewer_positives, others) } else { (positives, fewer_others) };
    let too_few = |which| Impossible::TooFew { positives, others, which };
    if positives_kept == 0 {
        return Err(too_few("the positives"));
    }
    if others_kept == 0 {
        return Err(too_few("the others"));
    }
    let mut weights = as_weights(sizes);
    weights[positive] = 0.0;
    let mut kept = apportion(others_kept.min(others), &weights);
    kept[positive] = positives_kept;
    Ok(kept)
}

/// The labels for a message: not more than fit a line.
fn listed(labels: &Labels) -> String {
    const SHOWN: usize = 8;
    let names: Vec<String> = labels.names().iter().take(SHOWN).map(|name| format!("\"{name}\"")).collect();
    let more = if labels.names().len() > SHOWN { " ..." } else { "" };
    if names.is_empty() { "none".into() } else { format!("{}{more}", names.join(", ")) }
}

#[cfg(test)]
mod tests;
