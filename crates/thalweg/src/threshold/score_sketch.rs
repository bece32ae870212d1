//! How scores are distributed of late, in a few hundred bins.
//!
//! Scores go to one of two sides (negatives and positives). Time is counted in events of the rarer side, so a rare class does not lose its few scores
//! because of the many examples of the other. A bin is an interval of scores that holds at most a small part of what is beyond it, on both
//! sides, so both tails of both classes are resolved. A score that many examples share keeps a bin of its own, of no width.

use serde::{Deserialize, Serialize};

/// The memory is the number of events so far, divided by this: a learner's first scores are not like its later ones.
const FORGETTING: f64 = 4.0;
/// The memory is at least so many events.
const SHORTEST_MEMORY: f64 = 20.0;
/// A bin holds at most this part of what is beyond it.
const COARSENESS: f64 = 1.0 / 12.0;
/// The average importance is taken over so many events.
const AVERAGED: f64 = 1000.0;
/// Events that wait to be sorted in, at most.
const MOST_WAITING: usize = 256;

/// Examples with scores from `low` to `high`.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(from = "[f64; 4]", into = "[f64; 4]")]
pub(crate) struct Bin {
    pub(crate) low: f64,
    pub(crate) high: f64,
    /// The mass of each side.
    pub(crate) mass: [f64; 2],
}

impl From<[f64; 4]> for Bin {
    fn from([low, high, first, second]: [f64; 4]) -> Self {
        Self { low, high, mass: [first, second] }
    }
}

impl From<Bin> for [f64; 4] {
    fn from(Bin { low, high, mass: [first, second] }: Bin) -> Self {
        [low, high, first, second]
    }
}

impl Bin {
    /// Do all of its examples have the same score?
    pub(crate) fn is_atom(&self) -> bool {
        self.low == self.high
    }

    fn absorb(&mut self, other: &Bin) {
        self.low = self.low.min(other.low);
        self.high = self.high.max(other.high);
        self.mass[0] += other.mass[0];
        self.mass[1] += other.mass[1];
    }

    /// Cuts off what is up to `score`.
    fn split_at(&mut self, score: f64) -> Bin {
        let part = (score - self.low) / (self.high - self.low);
        let below = Bin { low: self.low, high: score, mass: self.mass.map(|mass| mass * part) };
        *self = Bin { low: score, high: self.high, mass: self.mass.map(|mass| mass * (1.0 - part)) };
        below
    }
}

/// A score that was not sorted in yet.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(from = "(f64, u8, f64)", into = "(f64, u8, f64)")]
struct Waiting {
    score: f64,
    side: u8,
    importance: f64,
}

impl From<(f64, u8, f64)> for Waiting {
    fn from((score, side, importance): (f64, u8, f64)) -> Self {
        Self { score, side: side.min(1), importance }
    }
}

impl From<Waiting> for (f64, u8, f64) {
    fn from(Waiting { score, side, importance }: Waiting) -> Self {
        (score, side, importance)
    }
}

/// Which sides there are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Sides {
    /// Only the first.
    First,
    /// Only the second.
    Second,
    /// Both.
    Both,
}

/// The scores of late, of two sides.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct ScoreSketch {
    bins: Vec<Bin>,
    waiting: Vec<Waiting>,
    /// Events of each side so far.
    events: [u64; 2],
    /// The smallest part of the rarer side's mass that is worth a bin.
    finest: f64,
    /// The memory is at most so many events of the rarer side.
    longest: f64,
    sides: Sides,
    /// The average importance of an event.
    importance: f64,
    #[serde(skip)]
    merged: Vec<Bin>,
}

impl ScoreSketch {
    /// A sketch in which tails are resolved down to this part of the rarer side's mass. The memory is at most so many events of the rarer side.
    pub(crate) fn new(sides: Sides, finest: f64, longest: f64) -> Self {
        Self {
            bins: Vec::new(),
            waiting: Vec::new(),
            events: [0; 2],
            finest,
            longest,
            sides,
            importance: 0.0,
            merged: Vec::new(),
        }
    }

    /// The bins, in order of their scores. They may touch, but do not overlap.
    pub(crate) fn bins(&self) -> &[Bin] {
        &self.bins
    }

    /// The mass of both sides: so many examples of average importance, of late.
    pub(crate) fn totals(&self) -> [f64; 2] {
        let sum = |side: usize| self.bins.iter().map(|bin| bin.mass[side]).sum();
        [sum(0), sum(1)]
    }

    /// How many scores each side has got.
    pub(crate) fn events(&self) -> [u64; 2] {
        self.events
    }

    /// An importance as a multiple of the average one.
    pub(crate) fn relative(&self, importance: f64) -> f64 {
        if self.importance > 0.0 { importance / self.importance } else { 1.0 }
    }

    /// Adds a score. `true` if the bins have changed: they do so every few events.
    #[inline]
    pub(crate) fn add(&mut self, score: f64, side: usize, importance: f64) -> bool {
        let all = (self.events[0] + self.events[1] + 1) as f64;
        self.importance += (importance - self.importance) / all.min(AVERAGED);
        let importance = importance / self.importance;
        self.waiting.push(Waiting { score, side: side as u8, importance });
        self.events[side] += 1;
        let patience = 8 + ((self.events[0] + self.events[1]) / 16) as usize;
        if self.waiting.len() < patience.min(MOST_WAITING) {
            return false;
        }
        self.sort_in();
        true
    }

    /// The sketch of two streams of these weights, side by side. What waits is sorted in first.
    pub(crate) fn pooled(&self, weight: f64, other: &Self, others: f64) -> Self {
        let part = weight / (weight + others);
        let sides = [(self, part), (other, 1.0 - part)].map(|(sketch, part)| {
            let mut sketch = sketch.clone();
            sketch.sort_in();
            sketch.bins.iter_mut().for_each(|bin| bin.mass = bin.mass.map(|mass| mass * part));
            sketch
        });
        let mut pooled = Self {
            bins: Vec::new(),
            waiting: Vec::new(),
            events: [0, 1].map(|side| self.events[side].saturating_add(other.events[side])),
            finest: self.finest,
            longest: self.longest,
            sides: self.sides,
            importance: self.importance * part + other.importance * (1.0 - part),
            merged: overlaid(&sides[0].bins, &sides[1].bins),
        };
        pooled.compress();
        pooled
    }

    /// Without the events that all streams had in common, which were counted so many times too often.
    pub(crate) fn without(&mut self, common: &Self, times: u64) {
        for (events, common) in self.events.iter_mut().zip(common.events) {
            *events = events.saturating_sub(common.saturating_mul(times));
        }
    }

    fn sort_in(&mut self) {
        self.forget();
        self.waiting.sort_unstable_by(|a, b| a.score.total_cmp(&b.score));
        self.merge();
        self.compress();
    }

    /// What is in the bins loses weight, as much as there are new events of the rarer side.
    fn forget(&mut self) {
        let positives = self.waiting.iter().filter(|waiting| waiting.side == 1).count();
        let new = [self.waiting.len() - positives, positives];
        let totals = self.totals();
        let clock = match self.sides {
            Sides::First => 0,
            Sides::Second => 1,
            Sides::Both => usize::from(totals[1] <= totals[0]),
        };
        let memory = (self.events[clock] as f64 / FORGETTING).min(self.longest).max(SHORTEST_MEMORY);
        let kept = (-(new[clock] as f64) / memory).exp();
        for bin in &mut self.bins {
            bin.mass = bin.mass.map(|mass| mass * kept);
        }
    }

    /// The bins and what waits, in order, in `merged`.
    fn merge(&mut self) {
        let totals = self.totals();
        let mut limits = Limits::new(totals, self.finest);
        let merged = &mut self.merged;
        merged.clear();
        let mut bins = self.bins.drain(..).peekable();
        for new in self.waiting.drain(..) {
            let mut single = Bin { low: new.score, high: new.score, mass: [0.0; 2] };
            single.mass[usize::from(new.side)] = new.importance;
            while let Some(bin) = bins.next_if(|bin| bin.high < new.score) {
                limits.pass(&bin);
                merged.push(bin);
            }
            match bins.peek_mut() {
                Some(bin) if bin.low <= new.score => {
                    if bin.low < new.score && new.score < bin.high && limits.exceeded_by(bin) {
                        let mut below = bin.split_at(new.score);
                        limits.pass(&below);
                        below.absorb(&single);
                        merged.push(below);
                    } else {
                        bin.mass[usize::from(new.side)] += new.importance;
                    }
                }
                _ => match merged.last_mut() {
                    Some(last) if last.high == new.score => last.absorb(&single),
                    _ => merged.push(single),
                },
            }
        }
        merged.extend(bins);
    }

    /// Joins neighbours as long as they stay small.
    fn compress(&mut self) {
        let mut totals = [0.0; 2];
        for bin in &self.merged {
            totals[0] += bin.mass[0];
            totals[1] += bin.mass[1];
        }
        let mut limits = Limits::new(totals, self.finest);
        let mut merged = self.merged.drain(..);
        let Some(mut last) = merged.next() else { return };
        for bin in merged {
            let mut both = last;
            both.absorb(&bin);
            if limits.exceeded_by(&both) {
                limits.pass(&last);
                self.bins.push(last);
                last = bin;
            } else {
                last = both;
            }
        }
        self.bins.push(last);
    }
}

/// Two lists of bins as one, cut wherever either of them is: within a bin, scores are taken to be spread evenly.
fn overlaid(a: &[Bin], b: &[Bin]) -> Vec<Bin> {
    let mut cuts: Vec<f64> = a.iter().chain(b).flat_map(|bin| [bin.low, bin.high]).collect();
    cuts.sort_unstable_by(f64::total_cmp);
    cuts.dedup();
    let mut bins: Vec<Bin> = Vec::with_capacity(2 * cuts.len());
    for (i, cut) in cuts.iter().enumerate() {
        bins.push(Bin { low: *cut, high: *cut, mass: [0.0; 2] });
        if let Some(next) = cuts.get(i + 1) {
            bins.push(Bin { low: *cut, high: *next, mass: [0.0; 2] });
        }
    }
    for bin in a.iter().chain(b) {
        let first = 2 * cuts.partition_point(|cut| *cut < bin.low);
        if bin.is_atom() {
            bins[first].absorb(bin);
            continue;
        }
        let inside = bins[first..].iter_mut().take_while(|part| part.high <= bin.high);
        for part in inside.filter(|part| !part.is_atom()) {
            let share = (part.high - part.low) / (bin.high - bin.low);
            part.mass[0] += bin.mass[0] * share;
            part.mass[1] += bin.mass[1] * share;
        }
    }
    bins.retain(|bin| bin.mass != [0.0; 2]);
    bins
}

/// How much a bin may hold, given what is below it.
struct Limits {
    totals: [f64; 2],
    below: [f64; 2],
    /// So little may always be in a bin.
    smallest: f64,
}

impl Limits {
    fn new(totals: [f64; 2], finest: f64) -> Self {
        let rarer = totals.into_iter().filter(|total| *total > 0.0).fold(f64::MAX, f64::min);
        Self { totals, below: [0.0; 2], smallest: finest * rarer }
    }

    fn pass(&mut self, bin: &Bin) {
        self.below[0] += bin.mass[0];
        self.below[1] += bin.mass[1];
    }

    fn exceeded_by(&self, bin: &Bin) -> bool {
        let exceeded = |side: usize| {
            let (mass, below) = (bin.mass[side], self.below[side]);
            let beyond = below.min(self.totals[side] - below - mass);
            mass > (COARSENESS * beyond).max(self.smallest)
        };
        exceeded(0) || exceeded(1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The part of a side's mass that is above a score.
    fn above(sketch: &ScoreSketch, side: usize, score: f64) -> f64 {
        let part = |bin: &Bin| match bin {
            bin if bin.low > score => 1.0,
            bin if bin.high <= score => 0.0,
            bin => (bin.high - score) / (bin.high - bin.low),
        };
        sketch.bins().iter().map(|bin| bin.mass[side] * part(bin)).sum::<f64>() / sketch.totals()[side]
    }

    /// Scores of positives are even over 0 to 1, those of negatives over −1 to 0.5; one of 50 is positive.
    fn filled(events: u32) -> ScoreSketch {
        let mut sketch = ScoreSketch::new(Sides::Both, 1.0 / 64.0, 500.0);
        for i in 0..events {
            let even = f64::from(i.wrapping_mul(2_654_435_761)) / f64::from(u32::MAX);
            let positive = i % 50 == 0;
            sketch.add(if positive { even } else { 1.5 * even - 1.0 }, usize::from(positive), 1.0);
        }
        sketch
    }

    #[test]
    fn both_tails_of_both_sides_are_resolved() {
        let sketch = filled(200_000);
        for share in [0.01f64, 0.1, 0.5, 0.9, 0.99] {
            let near = |found: f64| (found - share).abs() < 0.03 * share.min(1.0 - share) + 0.003;
            assert!(near(above(&sketch, 1, 1.0 - share)), "positives {share}");
            assert!(near(above(&sketch, 0, 0.5 - 1.5 * share)), "negatives {share}");
        }
        let top = above(&sketch, 0, 0.5 - 1.5 * 0.001);
        assert!((top - 0.001).abs() < 0.0002, "{top}");
        assert!(sketch.bins().len() < 400, "{}", sketch.bins().len());
        assert!(sketch.bins().windows(2).all(|pair| pair[0].high <= pair[1].low));
        assert!(sketch.bins().iter().all(|bin| bin.low <= bin.high));
    }

    #[test]
    fn time_is_counted_in_events_of_the_rarer_side() {
        let [negatives, positives] = filled(200_000).totals();
        assert!((400.0..=510.0).contains(&positives), "{positives}");
        assert!((45.0..55.0).contains(&(negatives / positives)), "{negatives}");
    }

    #[test]
    fn a_score_that_many_share_keeps_its_own_bin() {
        let mut sketch = ScoreSketch::new(Sides::Second, 1.0 / 64.0, 500.0);
        for i in 0..5000 {
            sketch.add(if i % 3 == 0 { 0.5 } else { f64::from(i % 100) }, 1, 1.0);
        }
        let atom = sketch.bins().iter().find(|bin| bin.low <= 0.5 && 0.5 <= bin.high).unwrap();
        assert!(atom.is_atom() && (atom.mass[1] / sketch.totals()[1] - 0.333).abs() < 0.01, "{atom:?}");
    }

    #[test]
    fn scores_of_long_ago_are_forgotten() {
        let mut sketch = ScoreSketch::new(Sides::First, 1.0 / 64.0, 500.0);
        for i in 0..13_000 {
            sketch.add(f64::from(i % 100) + if i < 10_000 { 0.0 } else { 1000.0 }, 0, 1.0);
        }
        assert!(above(&sketch, 0, 500.0) > 0.99);
    }
}
