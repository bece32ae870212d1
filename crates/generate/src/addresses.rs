//! Web addresses: what a host always shows, words that occur at many hosts, and measures.

use crate::random::{AliasTable, SplitMix, bell, fraction, mix};

pub(super) const FEATURES: u32 = 3_231_961;
const HOSTS: u32 = 30_000;
const WORDS: f64 = 1e6;
/// The most frequent words are everywhere and say nothing.
const STOP_WORDS: u64 = 50;
const WORDS_DRAWN: u32 = 77;
const MEASURES: u32 = 14;
/// Measures are the features whose numbers are multiples of this.
const APART: u32 = FEATURES / MEASURES;

/// What is common to all addresses.
#[derive(Clone)]
pub(super) struct Addresses {
    seed: u64,
    hosts: AliasTable,
    features: Vec<u32>,
}

impl Addresses {
    pub(super) fn new(seed: u64) -> Self {
        let visits: Vec<f64> = (1..=HOSTS).map(|rank| f64::from(rank).powf(-0.5)).collect();
        Self { seed, hosts: AliasTable::new(&visits), features: Vec::new() }
    }

    /// Makes an address. What it returns is positive if its class is.
    pub(super) fn example(&mut self, random: &mut SplitMix, row: &mut Vec<(u32, f64)>) -> f64 {
        let host = mix(self.seed, u64::from(self.hosts.draw(random)));
        let mut score = if host.is_multiple_of(3) { 1.0 } else { -0.5 };
        self.features.clear();
        let mut own = SplitMix::new(host);
        self.features.extend((0..30 + host % 11).map(|_| binary(own.word())));
        for _ in 0..WORDS_DRAWN {
            // Zipf's law with exponent 1, without a table of a million.
            let word = (random.unit() * WORDS.ln()).exp() as u64;
            let hash = mix(!self.seed, word);
            self.features.push(binary(hash));
            if word >= STOP_WORDS && hash.is_multiple_of(9) {
                score += 0.195 * bell(mix(hash, word));
            }
        }
        let mut measures = [0.0; MEASURES as usize];
        for (i, measure) in measures.iter_mut().enumerate() {
            let value = bell(random.word());
            // Three decimals, and never 0.
            *measure = f64::from(((0.5 + 0.14 * value) * 1e3 + 0.5) as u32) / 1e3;
            score += if i < 4 { 0.1 * value } else { 0.0 };
        }
        self.features.extend((1..=MEASURES).map(|i| i * APART));
        self.features.sort_unstable();
        self.features.dedup();
        let mut measures = measures.into_iter();
        row.extend(self.features.iter().map(|&feature| {
            let value = if feature.is_multiple_of(APART) { measures.next() } else { None };
            (feature, value.unwrap_or(1.0))
        }));
        score
    }
}

/// A feature that is no measure.
fn binary(hash: u64) -> u32 {
    let feature = 1 + fraction(hash, FEATURES - 1);
    // The last multiple is not the last feature, so there is a next one.
    feature + u32::from(feature.is_multiple_of(APART))
}
