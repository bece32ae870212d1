#![doc = include_str!("../README.md")]

mod addresses;
mod gaussian;
mod pages;
mod random;
mod texts;

use addresses::Addresses;
use gaussian::Gaussian;
use pages::Pages;
use random::{SplitMix, mix};
use texts::Texts;
use thalweg_core::{Batch, Class};

/// The shapes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// News texts as in RCV1: 47,236 features, about 75 real values of a row of length 1, 5 % of the labels wrong.
    Rcv1Like,
    /// Web addresses: 3,231,961 features, about 118 values, 14 of them real, most features rare, 2 % of the labels wrong.
    UrlLike,
    /// Web pages as in webspam: 16,609,143 features, 4 % of which ever occur, about 3,700 real values of a row of length 1, 60 % positive, 0.3 % of the
    /// labels wrong.
    WebspamLike,
    /// The synthetic set of Wang et al. 2015, section 5.2: 100 dimensions that matter, 200 of 900 others that are noise.
    SparseGaussian,
}

/// A stream of examples.
#[derive(Clone)]
pub struct Generator {
    seed: u64,
    next: u64,
    /// The share of positives that is kept.
    keep: f64,
    source: Source,
    row: Vec<(u32, f64)>,
}

#[derive(Clone)]
enum Source {
    Texts(Texts),
    Addresses(Addresses),
    Pages(Pages),
    Gaussian(Gaussian),
}

/// Examples from which the share of positives is estimated.
const SAMPLE: u64 = 4_000;
/// They are far from those that anybody asks for.
const SAMPLE_START: u64 = 1 << 60;

impl Generator {
    /// A stream that begins at its `skip`-th example. With a share of positives, positives are dropped until they are
    /// that rare.
    pub fn new(shape: Shape, seed: u64, skip: u64, positives: Option<f64>) -> Self {
        // What all examples share must not follow from the same words as the examples.
        let common = mix(seed, u64::MAX);
        let source = match shape {
            Shape::Rcv1Like => Source::Texts(Texts::new(common)),
            Shape::UrlLike => Source::Addresses(Addresses::new(common)),
            Shape::WebspamLike => Source::Pages(Pages::new(common)),
            Shape::SparseGaussian => Source::Gaussian(Gaussian::new(common)),
        };
        let mut generator = Self { seed, next: skip, keep: 1.0, source, row: Vec::new() };
        if let Some(wanted) = positives {
            let count = (0..SAMPLE).filter(|i| generator.example(SAMPLE_START + i) == 1).count();
            let share = count as f64 / SAMPLE as f64;
            generator.keep = (wanted * (1.0 - share) / ((1.0 - wanted) * share)).min(1.0);
        }
        generator
    }

    /// Goes on with the example of this number.
    pub fn go_to(&mut self, number: u64) {
        self.next = number;
    }

    /// Adds the next example to the batch.
    pub fn push(&mut self, batch: &mut Batch) {
        let class = self.example(self.next);
        self.next += 1;
        batch.push(self.row.iter().copied(), Some(class)).expect("made-up values are finite");
    }

    /// Leaves the features of the example of this number in the row, and gives its class.
    fn example(&mut self, number: u64) -> Class {
        let mut random = SplitMix::new(mix(self.seed, number));
        // A dropped positive is followed by another try for the same number: so every number has an example, and no two
        // parts of a stream share one.
        loop {
            self.row.clear();
            let (score, noise) = match &mut self.source {
                Source::Texts(texts) => (texts.example(&mut random, &mut self.row), 0.05),
                Source::Addresses(addresses) => (addresses.example(&mut random, &mut self.row), 0.02),
                Source::Pages(pages) => (pages.example(&mut random, &mut self.row), 0.003),
                Source::Gaussian(gaussian) => (gaussian.example(&mut random, &mut self.row), 0.0),
            };
            let class = Class::from((score > 0.0) != (random.unit() < noise));
            if class == 0 || self.keep == 1.0 || random.unit() < self.keep {
                return class;
            }
        }
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
            (Shape::Rcv1Like, 71.0..80.0, 47_236),
            (Shape::UrlLike, 116.0..120.0, 3_231_961),
            (Shape::WebspamLike, 3_500.0..3_900.0, 16_609_143),
            (Shape::SparseGaussian, 299.0..300.1, 1_000),
        ] {
            let batch = sample(shape, 0, None, 500);
            let mean = batch.nonzeros() as f64 / 500.0;
            assert!(nonzeros.contains(&mean), "{shape:?}: {mean} non-zeros");
            let most = (0..batch.len()).filter_map(|i| batch.row(i).indices.last()).max();
            assert!(most.is_some_and(|most| (highest / 2..=highest).contains(most)), "{shape:?}: {most:?}");
            assert!((0.2..0.9).contains(&positives(&batch)), "{shape:?}: {}", positives(&batch));
        }
    }

    #[test]
    fn a_later_part_is_the_same_stream() {
        for (shape, share) in [
            (Shape::Rcv1Like, None),
            (Shape::UrlLike, Some(0.1)),
            (Shape::WebspamLike, None),
            (Shape::SparseGaussian, Some(0.3)),
        ] {
            let (all, later) = (sample(shape, 0, share, 50), sample(shape, 30, share, 20));
            for i in 0..20 {
                assert!(all.row(30 + i).iter().eq(later.row(i).iter()), "{shape:?}");
                assert_eq!(all.labels()[30 + i], later.labels()[i], "{shape:?}");
            }
        }
    }

    #[test]
    fn pages_have_length_1_and_three_of_five_are_spam() {
        let batch = sample(Shape::WebspamLike, 0, None, 500);
        for i in 0..batch.len() {
            let norm2: f64 = batch.row(i).iter().map(|(_, x)| x * x).sum();
            assert!((norm2 - 1.0).abs() < 1e-4, "{norm2}");
        }
        assert!((0.53..0.67).contains(&positives(&batch)), "{}", positives(&batch));
    }

    #[test]
    fn positives_become_as_rare_as_asked_for() {
        for shape in [Shape::Rcv1Like, Shape::UrlLike] {
            let share = positives(&sample(shape, 0, Some(0.1), 2_000));
            assert!((0.08..0.12).contains(&share), "{shape:?}: {share}");
        }
    }
}
