//! News texts as in RCV1: word counts, damped, rare words heavier, divided by their length.

use crate::random::{AliasTable, SplitMix, mix};

pub(super) const FEATURES: u32 = 47_236;
/// The most frequent words are everywhere and say nothing.
const STOP_WORDS: u32 = 50;
/// The next most frequent ones each have a weight. The 43,000 rarer ones do not: they are for learners to leave
/// alone.
const TELLING_WORDS: u32 = 3_800;

/// What is common to all texts.
#[derive(Clone)]
pub(super) struct Texts {
    /// From 0: the feature less 1.
    words: AliasTable,
    details: Vec<Word>,
    drawn: Vec<u32>,
}

#[derive(Clone, Copy, Default)]
struct Word {
    rarity: f32,
    weight: f32,
}

impl Texts {
    pub(super) fn new(seed: u64) -> Self {
        let (mut frequencies, mut details) =
            (vec![0.0; FEATURES as usize], vec![Word::default(); FEATURES as usize]);
        let frequency = |rank: u32| f64::from(rank + 1).powf(-1.05);
        let sum: f64 = (0..FEATURES).map(frequency).sum();
        for rank in 0..FEATURES {
            // Scattered: a feature's number says nothing about how frequent the word is.
            let place = (u64::from(rank) * 30_011 % u64::from(FEATURES)) as usize;
            let share = frequency(rank) / sum;
            frequencies[place] = share;
            // How surprising it is to meet the word in a text of a hundred words.
            details[place].rarity = (0.1 - (-(-100.0 * share).exp_m1()).ln()) as f32;
            if (STOP_WORDS..STOP_WORDS + TELLING_WORDS).contains(&rank) {
                details[place].weight = SplitMix::new(mix(seed, u64::from(rank))).normal() as f32;
            }
        }
        Self { words: AliasTable::new(&frequencies), details, drawn: Vec::new() }
    }

    /// Makes a text. What it returns is positive if its class is.
    pub(super) fn example(&mut self, random: &mut SplitMix, row: &mut Vec<(u32, f64)>) -> f64 {
        let length = 35 + (random.unit().powi(2) * 217.0) as usize;
        self.drawn.clear();
        self.drawn.extend((0..length).map(|_| self.words.draw(random)));
        self.drawn.sort_unstable();
        let mut norm2 = 0.0;
        for same in self.drawn.chunk_by(|a, b| a == b) {
            let rarity = f64::from(self.details[same[0] as usize].rarity);
            let value = if same.len() == 1 { rarity } else { rarity * (1.0 + (same.len() as f64).ln()) };
            norm2 += value * value;
            row.push((same[0], value));
        }
        let norm = f64::sqrt(norm2);
        let mut score = 0.0;
        for (feature, value) in row.iter_mut() {
            *value = six_digits(*value / norm);
            score += *value * f64::from(self.details[*feature as usize].weight);
            *feature += 1;
        }
        score
    }
}

/// A number from 0.0001 to 1 with its first six digits, which are all that files of real texts have. Smaller ones have nine decimals.
pub(super) fn six_digits(value: f64) -> f64 {
    let scale = match value {
        0.1.. => 1e6,
        0.01.. => 1e7,
        0.001.. => 1e8,
        _ => 1e9,
    };
    // Adding a half and cutting off rounds without a call to the mathematical library.
    f64::from((value * scale + 0.5) as u32) / scale
}
