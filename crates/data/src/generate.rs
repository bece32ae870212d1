//! Made-up data sets with the shapes of real ones, for benchmarks and first steps. Every example follows from the seed and
//! its number alone, so a test set is a later part of the same stream.

use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64;
use thalweg_core::random::scramble;
use thalweg_core::{Batch, Class, Real};

/// The shapes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// News texts as in RCV1: 47,236 features, about 75 real values of a row of length 1, 5 % of the labels wrong.
    Rcv1Like,
    /// Web addresses: 3,231,961 features, about 118 values, 14 of them real, most features rare, 2 % of the labels wrong.
    UrlLike,
    /// The synthetic set of paper 000, section 5.2: 100 dimensions that matter, 200 of 900 others that are noise.
    Paper000,
}

/// A stream of examples.
pub struct Generator {
    seed: u64,
    next: u64,
    /// The share of positives that is kept.
    keep: f64,
    source: Source,
}

enum Source {
    Texts { words: Zipf },
    Addresses { hosts: Zipf, words: Zipf },
    Gaussian { means: Vec<f64>, deviations: Vec<f64> },
}

/// Examples from which the share of positives is estimated.
const SAMPLE: u64 = 4_000;
/// They are far from those that anybody asks for.
const SAMPLE_START: u64 = 1 << 60;

const TEXT_FEATURES: usize = 47_236;
const ADDRESS_FEATURES: u64 = 3_231_961;
const HOSTS: usize = 30_000;

impl Generator {
    /// A stream that begins at its `skip`-th example. With a share of positives, positives are dropped until they are
    /// that rare.
    pub fn new(shape: Shape, seed: u64, skip: u64, positives: Option<f64>) -> Self {
        let mut random = Pcg64::seed_from_u64(seed);
        let source = match shape {
            Shape::Rcv1Like => Source::Texts { words: Zipf::new(TEXT_FEATURES, 1.05) },
            Shape::UrlLike => {
                Source::Addresses { hosts: Zipf::new(HOSTS, 0.9), words: Zipf::new(60_000, 1.0) }
            }
            Shape::Paper000 => Source::Gaussian {
                means: (0..100).map(|_| random.random_range(-1.0..1.0)).collect(),
                deviations: (0..100).map(|_| random.random_range(0.5..100.0f64).sqrt()).collect(),
            },
        };
        let mut generator = Self { seed, next: skip, keep: 1.0, source };
        if let Some(wanted) = positives {
            let mut row = Vec::new();
            let count = (0..SAMPLE).filter(|i| generator.example(SAMPLE_START + i, &mut row).0 == 1).count();
            let share = count as f64 / SAMPLE as f64;
            generator.keep = (wanted * (1.0 - share) / ((1.0 - wanted) * share)).min(1.0);
        }
        generator
    }

    /// Adds the next example to the batch.
    pub fn push(&mut self, batch: &mut Batch) {
        let mut row = Vec::new();
        loop {
            row.clear();
            let (class, lot) = self.example(self.next, &mut row);
            self.next += 1;
            if class == 0 || lot < self.keep {
                batch.push(row, Some(class)).expect("made-up values are finite");
                return;
            }
        }
    }

    /// The example of this number: its class, and a lot between 0 and 1 that decides whether it is dropped.
    fn example(&self, number: u64, row: &mut Vec<(u32, f64)>) -> (Class, f64) {
        let mut random = Pcg64::seed_from_u64(mix(self.seed, number));
        let (score, noise) = match &self.source {
            Source::Texts { words } => (text(words, self.seed, &mut random, row), 0.05),
            Source::Addresses { hosts, words } => (address(hosts, words, self.seed, &mut random, row), 0.02),
            Source::Gaussian { means, deviations } => (gaussian(means, deviations, &mut random, row), 0.0),
        };
        let flipped = random.random::<f64>() < noise;
        (Class::from((score > 0.0) != flipped), random.random())
    }
}

/// A text: word counts, damped, rare words heavier, divided by its length. One word in twelve says something.
fn text(words: &Zipf, seed: u64, random: &mut Pcg64, row: &mut Vec<(u32, f64)>) -> f64 {
    let length = 35 + (random.random::<f64>().powi(2) * 230.0) as usize;
    let mut drawn: Vec<u32> = (0..length).map(|_| words.draw(random)).collect();
    drawn.sort_unstable();
    let mut norm2 = 0.0;
    for same in drawn.chunk_by(|a, b| a == b) {
        let rank = same[0];
        let value = (1.0 + (same.len() as f64).ln()) * words.rarity(rank);
        norm2 += value * value;
        // Scattered: a number says nothing about how frequent the word is.
        row.push(((u64::from(rank) * 30_011 % TEXT_FEATURES as u64) as u32 + 1, value));
    }
    let norm = f64::sqrt(norm2);
    let mut score = 0.0;
    for (feature, value) in row.iter_mut() {
        *value = rounded(*value / norm);
        let hash = mix(seed ^ 1, u64::from(*feature));
        if hash.is_multiple_of(12) {
            score += *value * normal_of(hash);
        }
    }
    score
}

/// An address: what its host always shows, words that are common to many, and measures.
fn address(hosts: &Zipf, words: &Zipf, seed: u64, random: &mut Pcg64, row: &mut Vec<(u32, f64)>) -> f64 {
    let host = u64::from(hosts.draw(random));
    let own = mix(seed ^ 2, host);
    let feature = |hash: u64| 15 + (hash % (ADDRESS_FEATURES - 14)) as u32;
    let mut score = if own.is_multiple_of(3) { 1.0 } else { -0.5 };
    let mut binary: Vec<u32> = (0..30 + own % 11).map(|i| feature(mix(own, i))).collect();
    for _ in 0..80 {
        let word = u64::from(words.draw(random));
        let hash = mix(seed ^ 3, word);
        binary.push(feature(hash));
        if hash.is_multiple_of(9) {
            score += 0.15 * normal_of(hash);
        }
    }
    for measure in 1..=14 {
        let value = normal(random);
        score += if measure <= 4 { 0.1 * value } else { 0.0 };
        row.push((measure, rounded(0.5 + 0.15 * value)));
    }
    binary.sort_unstable();
    binary.dedup();
    row.extend(binary.into_iter().map(|feature| (feature, 1.0)));
    score
}

/// Paper 000, section 5.2: the split plane is the mean vector.
fn gaussian(means: &[f64], deviations: &[f64], random: &mut Pcg64, row: &mut Vec<(u32, f64)>) -> f64 {
    let mut score = 0.0;
    for (j, (mean, deviation)) in (1..).zip(means.iter().zip(deviations)) {
        let x = rounded(mean + deviation * normal(random));
        score += mean * x;
        row.push((j, x));
    }
    // 200 of 900, each set of 200 equally likely (Knuth's selection sampling).
    let mut wanted = 200;
    for left in (1..=900u32).rev() {
        if random.random_range(0..left) < wanted {
            wanted -= 1;
            row.push((1001 - left, rounded(10.0 * normal(random))));
        }
    }
    score
}

/// Six decimals are enough for anybody, and make a file that reads back as the same numbers.
fn rounded(value: f64) -> f64 {
    f64::from(((value * 1e6).round() / 1e6) as Real)
}

/// A hash of two words.
fn mix(a: u64, b: u64) -> u64 {
    scramble(scramble(a) ^ b)
}

/// A normal number (Box and Muller's method, one of its two).
fn normal(random: &mut Pcg64) -> f64 {
    let (u, v): (f64, f64) = (random.random(), random.random());
    (-2.0 * (1.0 - u).ln()).sqrt() * (std::f64::consts::TAU * v).cos()
}

/// A normal number that follows from a word.
fn normal_of(word: u64) -> f64 {
    normal(&mut Pcg64::seed_from_u64(word))
}

/// Ranks from 0, the k-th with a probability in proportion to (k + 1)^−exponent.
struct Zipf {
    cumulative: Vec<f64>,
    /// For every slice of [0, 1): the first rank that it may be.
    guide: Vec<u32>,
}

impl Zipf {
    fn new(ranks: usize, exponent: f64) -> Self {
        let mut cumulative = Vec::with_capacity(ranks);
        let mut sum = 0.0;
        for rank in 1..=ranks {
            sum += (rank as f64).powf(-exponent);
            cumulative.push(sum);
        }
        cumulative.iter_mut().for_each(|c| *c /= sum);
        let slice = |i: usize| cumulative.partition_point(|c| *c <= i as f64 / ranks as f64) as u32;
        Self { guide: (0..ranks).map(slice).collect(), cumulative }
    }

    fn draw(&self, random: &mut Pcg64) -> u32 {
        let u: f64 = random.random();
        let mut rank = self.guide[(u * self.guide.len() as f64) as usize] as usize;
        while self.cumulative[rank] <= u && rank + 1 < self.cumulative.len() {
            rank += 1;
        }
        rank as u32
    }

    /// How surprising the rank is.
    fn rarity(&self, rank: u32) -> f64 {
        let rank = rank as usize;
        let before = if rank == 0 { 0.0 } else { self.cumulative[rank - 1] };
        // A text has about a hundred words.
        -(-(-100.0 * (self.cumulative[rank] - before)).exp_m1()).ln() + 0.1
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample(shape: Shape, skip: u64, positives: Option<f64>, examples: usize) -> Batch {
        let mut generator = Generator::new(shape, 1, skip, positives);
        let mut batch = Batch::default();
        (0..examples).for_each(|_| generator.push(&mut batch));
        batch
    }

    fn positives(batch: &Batch) -> f64 {
        batch.labels().iter().filter(|label| **label == Some(1)).count() as f64 / batch.len() as f64
    }

    #[test]
    fn shapes_are_as_announced() {
        for (shape, nonzeros, highest) in [
            (Shape::Rcv1Like, 68.0..83.0, 47_236),
            (Shape::UrlLike, 110.0..126.0, 3_231_961),
            (Shape::Paper000, 299.0..300.1, 1_000),
        ] {
            let batch = sample(shape, 0, None, 2_000);
            let mean = batch.nonzeros() as f64 / 2_000.0;
            assert!(nonzeros.contains(&mean), "{shape:?}: {mean} non-zeros");
            let most = (0..batch.len()).filter_map(|i| batch.row(i).indices.last()).max();
            assert!(most.is_some_and(|most| (highest / 2..=highest).contains(most)), "{shape:?}: {most:?}");
            assert!((0.2..0.8).contains(&positives(&batch)), "{shape:?}: {}", positives(&batch));
        }
    }

    #[test]
    fn a_later_part_is_the_same_stream() {
        for shape in [Shape::Rcv1Like, Shape::UrlLike, Shape::Paper000] {
            let (all, later) = (sample(shape, 0, None, 50), sample(shape, 30, None, 20));
            for i in 0..20 {
                assert!(all.row(30 + i).iter().eq(later.row(i).iter()), "{shape:?}");
                assert_eq!(all.labels()[30 + i], later.labels()[i], "{shape:?}");
            }
        }
    }

    #[test]
    fn positives_become_as_rare_as_asked_for() {
        for shape in [Shape::Rcv1Like, Shape::UrlLike] {
            let share = positives(&sample(shape, 0, Some(0.01), 5_000));
            assert!((0.006..0.015).contains(&share), "{shape:?}: {share}");
        }
    }
}
