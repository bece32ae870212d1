//! Random numbers for made-up data.

use thalweg_core::random::scramble;

/// A hash of two words.
pub(super) fn mix(a: u64, b: u64) -> u64 {
    scramble(scramble(a) ^ b)
}

/// A stream of random words (SplitMix64): two multiplications a word, and starting one costs nothing, so every example has
/// its own.
pub(super) struct SplitMix {
    state: u64,
}

impl SplitMix {
    pub(super) fn new(seed: u64) -> Self {
        Self { state: seed }
    }

    pub(super) fn word(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        scramble(self.state)
    }

    /// A number from 0 to 1, 1 excluded.
    pub(super) fn unit(&mut self) -> f64 {
        (self.word() >> 11) as f64 / (1u64 << 53) as f64
    }

    /// A whole number below `limit`: the product with 32 random bits is as good as unbiased.
    pub(super) fn below(&mut self, limit: u32) -> u32 {
        fraction(self.word(), limit)
    }

    /// A normal number (Box and Muller's method, one of its two).
    pub(super) fn normal(&mut self) -> f64 {
        let (u, v) = (self.unit(), self.unit());
        (-2.0 * (1.0 - u).ln()).sqrt() * (std::f64::consts::TAU * v).cos()
    }
}

/// The upper half of a random word as a whole number below `limit`.
pub(super) fn fraction(word: u64, limit: u32) -> u32 {
    (((word >> 32) * u64::from(limit)) >> 32) as u32
}

/// A number of mean 0 and variance 1 that follows from a random word: the sum of its four quarters, which is near enough to
/// normal, never beyond ±3.47, and needs no logarithm.
pub(super) fn bell(word: u64) -> f64 {
    let sum = (0..4).map(|i| (word >> (16 * i)) & 0xffff).sum::<u64>();
    (sum as f64 / 65_536.0 - 2.0) * 3f64.sqrt()
}

/// Whole numbers with given probabilities (Walker's alias method): every slot holds two of them, so that a draw looks at
/// one slot.
#[derive(Clone)]
pub(super) struct AliasTable {
    slots: Vec<Slot>,
}

#[derive(Clone, Copy)]
struct Slot {
    /// Below this it is the slot's own number.
    limit: u32,
    other: u32,
}

impl AliasTable {
    /// Number i is drawn in proportion to `weights[i]`.
    pub(super) fn new(weights: &[f64]) -> Self {
        let scale = weights.len() as f64 / weights.iter().sum::<f64>();
        let mut shares: Vec<f64> = weights.iter().map(|weight| weight * scale).collect();
        let mut slots: Vec<Slot> =
            (0..weights.len() as u32).map(|own| Slot { limit: u32::MAX, other: own }).collect();
        let (mut small, mut large): (Vec<usize>, Vec<usize>) =
            (0..shares.len()).partition(|i| shares[*i] < 1.0);
        while let (Some(poor), Some(rich)) = (small.pop(), large.pop()) {
            slots[poor] = Slot { limit: (shares[poor] * 4_294_967_296.0) as u32, other: rich as u32 };
            shares[rich] -= 1.0 - shares[poor];
            if shares[rich] < 1.0 { &mut small } else { &mut large }.push(rich);
        }
        Self { slots }
    }

    pub(super) fn draw(&self, random: &mut SplitMix) -> u32 {
        let word = random.word();
        let own = fraction(word, self.slots.len() as u32);
        let slot = self.slots[own as usize];
        if (word as u32) < slot.limit { own } else { slot.other }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_as_frequent_as_they_are_said_to_be() {
        let weights = [8.0, 1.0, 0.0, 4.0, 3.0];
        let (table, mut random, mut counts) = (AliasTable::new(&weights), SplitMix::new(1), [0u32; 5]);
        (0..16_000).for_each(|_| counts[table.draw(&mut random) as usize] += 1);
        for (count, weight) in counts.iter().zip(weights) {
            assert!((f64::from(*count) - 1_000.0 * weight).abs() <= 60.0 * weight, "{counts:?}");
        }
    }

    #[test]
    fn numbers_have_mean_0_and_variance_1() {
        let mut random = SplitMix::new(1);
        let of_words: Vec<f64> = (0..20_000).map(|_| bell(random.word())).collect();
        let normal: Vec<f64> = (0..20_000).map(|_| random.normal()).collect();
        for numbers in [of_words, normal] {
            let mean = numbers.iter().sum::<f64>() / 20_000.0;
            let variance = numbers.iter().map(|x| x * x).sum::<f64>() / 20_000.0;
            assert!(mean.abs() < 0.03 && (variance - 1.0).abs() < 0.04, "{mean} {variance}");
        }
    }
}
