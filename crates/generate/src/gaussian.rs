//! The synthetic set of Wang et al. 2015, section 5.2: the split plane is the mean vector.

use thalweg_core::Real;

use crate::random::SplitMix;

const DIMENSIONS: u32 = 100;
const OTHERS: u32 = 900;

/// What is common to all examples: of every dimension that matters, its mean and its deviation.
#[derive(Clone)]
pub(super) struct Gaussian {
    dimensions: Vec<(f64, f64)>,
}

impl Gaussian {
    pub(super) fn new(seed: u64) -> Self {
        let mut random = SplitMix::new(seed);
        let mut between = |low: f64, high: f64| low + (high - low) * random.unit();
        let dimensions = (0..DIMENSIONS).map(|_| (between(-1.0, 1.0), between(0.5, 100.0).sqrt())).collect();
        Self { dimensions }
    }

    /// Makes an example. What it returns is positive if its class is.
    pub(super) fn example(&self, random: &mut SplitMix, row: &mut Vec<(u32, f64)>) -> f64 {
        let mut score = 0.0;
        for (j, (mean, deviation)) in (1..).zip(&self.dimensions) {
            let x = rounded(mean + deviation * random.normal());
            score += mean * x;
            row.push((j, x));
        }
        // 200 of 900, each set of 200 equally likely (Knuth's selection sampling).
        let mut wanted = 200;
        for left in (1..=OTHERS).rev() {
            if random.below(left) < wanted {
                wanted -= 1;
                row.push((DIMENSIONS + OTHERS + 1 - left, rounded(10.0 * random.normal())));
            }
        }
        score
    }
}

/// Six decimals are enough for anybody, and make a file that reads back as the same numbers.
fn rounded(value: f64) -> f64 {
    f64::from(((value * 1e6).round() / 1e6) as Real)
}
