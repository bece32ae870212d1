//! Web pages as in webspam: how often each run of three bytes occurs, divided by the length of the page's vector.

use crate::random::{AliasTable, SplitMix, bell, mix};
use crate::texts::six_digits;

pub(super) const FEATURES: u32 = 16_609_143;
/// So many of the possible runs of three bytes occur at all.
const TRIGRAMS: f64 = 680_715.0;
/// Scatters them: it has no factor in common with the number of features.
const APART: u64 = 7_368_787;
/// The most frequent ones are everywhere and say nothing.
const STOP_TRIGRAMS: u32 = 200;
const SITES: u32 = 20_000;
/// Sites are of so many kinds: shops, blogs, farms of links.
const KINDS: u64 = 60;
/// What the sites of a kind share, and the pages of a site: so many trigrams each, which are one in six of a page.
const TEMPLATE: u32 = 300;

/// What is common to all pages.
#[derive(Clone)]
pub(super) struct Pages {
    seed: u64,
    sites: AliasTable,
    /// The ranks of the page's trigrams.
    drawn: Vec<u32>,
}

impl Pages {
    pub(super) fn new(seed: u64) -> Self {
        let sizes: Vec<f64> = (1..=SITES).map(|rank| f64::from(rank).powf(-0.5)).collect();
        Self { seed, sites: AliasTable::new(&sizes), drawn: Vec::new() }
    }

    /// Makes a page. What it returns is positive if its class is.
    pub(super) fn example(&mut self, random: &mut SplitMix, row: &mut Vec<(u32, f64)>) -> f64 {
        let site = mix(self.seed, u64::from(self.sites.draw(random)));
        let kind = mix(self.seed ^ KINDS, site % KINDS);
        let length = 2_500 + (random.unit().powi(2) * 18_700.0) as usize;
        self.drawn.clear();
        for i in 0..length {
            let trigram = match i % 6 {
                0 => of_template(site, random),
                1 => of_template(kind, random),
                _ => of_rank(random.unit()),
            };
            self.drawn.push(trigram);
        }
        self.drawn.sort_unstable();
        // Three of five kinds are spam, but for some of their sites. Words can make any page spam.
        let spam = (site % KINDS < KINDS * 3 / 5) != (site / KINDS).is_multiple_of(100);
        let mut score = if spam { 1.0 } else { -1.0 };
        let mut norm2 = 0.0;
        for same in self.drawn.chunk_by(|a, b| a == b) {
            let (rank, count) = (same[0], same.len() as f64);
            norm2 += count * count;
            if rank > STOP_TRIGRAMS {
                score += bell(mix(!self.seed, u64::from(rank))) * count * 10.0 / length as f64;
            }
            row.push((feature(rank), count));
        }
        let norm = f64::sqrt(norm2);
        row.iter_mut().for_each(|(_, value)| *value = six_digits(*value / norm));
        row.sort_unstable_by_key(|(feature, _)| *feature);
        score
    }
}

/// Zipf's law with exponent 1, without a table: the rank of a trigram by a random number from 0 to 1.
fn of_rank(unit: f64) -> u32 {
    (unit * TRIGRAMS.ln()).exp() as u32
}

/// A trigram that the pages of a site or a kind share: not one of those that are everywhere.
fn of_template(whose: u64, random: &mut SplitMix) -> u32 {
    of_rank(0.4 + 0.6 * SplitMix::new(mix(whose, u64::from(random.below(TEMPLATE)))).unit())
}

/// Scattered: a feature's number says nothing about how frequent the trigram is.
fn feature(rank: u32) -> u32 {
    1 + (u64::from(rank) * APART % u64::from(FEATURES)) as u32
}
